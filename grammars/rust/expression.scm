; Replacements for values of any type, and rules that skip an intermediate step that does not type-check.

; a.f(b)  ─►  a
((call_expression function: (field_expression value: (_) @with)) @replace
  (#set! rule "call-to-receiver"))

((call_expression function: (generic_function function: (field_expression value: (_) @with))) @replace
  (#set! rule "call-to-receiver"))

; fn f() -> T { … }  ─►  fn f() -> T { loop {} }
((function_item body: (block) @replace)
  (#not-match? @replace "^\\{\\s*\\w+\\s*\\{[^{};]*\\}\\s*\\}$")
  (#set! rule "body-to-loop")
  (#set! text "{ loop {} }"))

; f(g(1))  ─►  f(loop {})
([
  (arguments (_) @replace)
  (let_declaration value: (_) @replace)
  (field_initializer value: (_) @replace)
  (return_expression (_) @replace)
]
  (#set! rule "value-to-loop")
  (#set! text "loop {}"))

; fn f() -> T { g(); a }  ─►  fn f() { g(); }
((function_item "->" @delete return_type: (_) @delete body: (block (_expression) @delete .))
  (#set! rule "result-dropped"))

; if f(a) { … }  ─►  if true { … }
([
  (if_expression condition: (_) @replace)
  (while_expression condition: (_) @replace)
  (match_pattern condition: (_) @replace)
]
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))
