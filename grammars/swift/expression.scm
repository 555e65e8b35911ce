; func f() -> T { … }  ─►  func f() -> T { fatalError() }
((function_declaration body: (function_body) @replace)
  (#set! rule "body-to-error")
  (#set! text "{ fatalError() }"))

; a.f(b)  ─►  a
((call_expression (navigation_expression target: (_) @with)) @replace
  (#set! rule "call-to-receiver"))
