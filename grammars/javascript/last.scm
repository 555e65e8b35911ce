; Constants of other types, for places where `0` changes the failure.

; a(b).c  ─►  null.c
([
  (member_expression object: (_) @replace)
  (subscript_expression object: (_) @replace)
  (call_expression function: (_) @replace)
  (for_in_statement right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-null")
  (#set! last)
  (#set! text "null"))

; a(b).c  ─►  "".c
([
  (member_expression object: (_) @replace)
  (subscript_expression object: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-string")
  (#set! last)
  (#set! text "\"\""))

; a(b) + c  ─►  0n + c
([
  (binary_expression left: (_) @replace)
  (binary_expression right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-bigint")
  (#set! last)
  (#set! text "0n"))

; f(a(b))  ─►  f(null)
((arguments (_) @replace)
  (#match? @replace "\\w\\W")
  (#set! rule "argument-to-null")
  (#set! last)
  (#set! text "null"))

; f(a(b))  ─►  f("")
((arguments (_) @replace)
  (#match? @replace "\\w\\W")
  (#set! rule "argument-to-string")
  (#set! last)
  (#set! text "\"\""))
