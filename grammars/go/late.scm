; Rules that save a few tokens, tried after larger removals are exhausted.

; func (r T) f() { … }  ─►  func f() { … }
((method_declaration receiver: (_) @delete)
  (#set! rule "method-to-function")
  (#set! late))

; f(a{}, &b{c})  ─►  f(nil, nil)
([
  (argument_list [(composite_literal) (func_literal)] @replace)
  (argument_list (unary_expression operand: (composite_literal)) @replace)
]
  (#set! rule "literal-to-nil")
  (#set! late)
  (#set! text "nil"))
