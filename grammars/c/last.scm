; Constants of other types, for places where `0` changes the failure.

; a[b] % c  ─►  .0 % c
([
  (binary_expression left: (_) @replace)
  (binary_expression right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-float")
  (#set! last)
  (#set! text ".0"))

; f(a[b])  ─►  f("")
((argument_list (_) @replace)
  (#match? @replace "\\w\\W")
  (#set! rule "argument-to-string")
  (#set! last)
  (#set! text "\"\""))
