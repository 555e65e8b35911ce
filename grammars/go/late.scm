; What saves a few tokens once nothing larger goes.

; func (r T) f() { … }  ─►  func f() { … }
((method_declaration receiver: (_) @delete)
  (#set! rule "method-to-function")
  (#set! late))
