; fn f() T { … }  ─►  fn f() T { unreachable; }
((function_declaration body: (block) @replace)
  (#set! rule "body-to-unreachable")
  (#set! text "{ unreachable; }"))

; a.f(b)  ─►  a
((call_expression function: (field_expression object: (_) @with)) @replace
  (#set! rule "call-to-receiver"))
