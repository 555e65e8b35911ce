; int f() { … }  ─►  int f() { throw null; }
((method_declaration body: (block) @replace)
  (#set! rule "body-to-throw")
  (#set! text "{ throw null; }"))

; f(g(1))  ─►  f(null)
([
  (argument_list (_) @replace)
  (variable_declarator value: (_) @replace)
  (return_statement (_) @replace)
]
  (#not-match? @replace "^\\w*$")
  (#set! rule "value-to-null")
  (#set! text "null"))

; int f() { g(); return a; }  ─►  void f() { g(); }
((method_declaration type: (_) @replace body: (block (return_statement) @delete .))
  (#set! rule "result-dropped")
  (#set! text "void"))

; if (f(a)) { … }  ─►  if (true) { … }
([
  (if_statement condition: (parenthesized_expression (_) @replace))
  (ternary_expression condition: (_) @replace)
]
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))
