; fun f(): T { … }  ─►  fun f(): T = TODO()
((function_body) @replace
  (#set! rule "body-to-todo")
  (#set! text "= TODO()"))

; a.f(b)  ─►  a
((call_expression (navigation_expression . (_) @with)) @replace
  (#set! rule "call-to-receiver"))

; if (f(a)) { … }  ─►  if (true) { … }
((if_expression condition: (_) @replace)
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))
