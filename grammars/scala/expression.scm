; def f: T = { … }  ─►  def f: T = ???
((function_definition body: (_) @replace)
  (#set! rule "body-to-undefined")
  (#set! text "???"))

; a.f(b)  ─►  a
((call_expression function: (field_expression value: (_) @with)) @replace
  (#set! rule "call-to-receiver"))

; if (f(a)) b  ─►  if (true) b
((if_expression condition: (parenthesized_expression (_) @replace))
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))
