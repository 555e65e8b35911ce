; def f: T = { … }  ─►  def f: T = ???
((function_definition body: (_) @replace)
  (#set! rule "body-to-undefined")
  (#set! text "???"))

; a.f(b)  ─►  a
((call_expression function: (field_expression value: (_) @with)) @replace
  (#set! rule "call-to-receiver"))
