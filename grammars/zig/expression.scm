; fn f() T { … }  ─►  fn f() T { unreachable; }
((function_declaration body: (block) @replace)
  (#set! rule "body-to-unreachable")
  (#set! text "{ unreachable; }"))

; a.f(b)  ─►  a
((call_expression function: (field_expression object: (_) @with)) @replace
  (#set! rule "call-to-receiver"))

; if (f(a)) { … }  ─►  if (true) { … }
([
  (if_statement condition: (_) @replace)
  (if_expression condition: (_) @replace)
]
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))
