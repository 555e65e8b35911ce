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

; int a = f();  ─►  f();
((local_variable_declaration
  . type: (_) @delete
  . declarator: (variable_declarator
    name: (_) @delete
    "=" @delete
    value: [(method_invocation) (object_creation_expression)])
  . ";")
  (#set! rule "declaration-to-statement")
  (#set! late))

; return f();  ─►  f();
((return_statement "return" @delete [(method_invocation) (object_creation_expression)])
  (#set! rule "return-to-statement")
  (#set! late))
