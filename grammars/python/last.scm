; Constants of other types, for places where `0` changes the failure.

; a(b) / 0  ─►  .0 / 0
([
  (binary_operator left: (_) @replace)
  (binary_operator right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-float")
  (#set! last)
  (#set! text ".0"))

([
  (binary_operator left: (_) @replace)
  (binary_operator right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-string")
  (#set! last)
  (#set! text "\"\""))

; a(b).c  ─►  None.c
([
  (attribute object: (_) @replace)
  (subscript value: (_) @replace)
  (call function: (_) @replace)
  (for_in_clause right: (_) @replace)
  (for_statement right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-none")
  (#set! last)
  (#set! text "None"))

; a(b).c  ─►  "".c
([
  (attribute object: (_) @replace)
  (subscript value: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-string")
  (#set! last)
  (#set! text "\"\""))

; a(b).c  ─►  [].c
([
  (attribute object: (_) @replace)
  (subscript value: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "operand-to-list")
  (#set! last)
  (#set! text "[]"))

; f(a(b))  ─►  f(None)
((argument_list (_) @replace)
  (#match? @replace "\\w\\W")
  (#set! rule "argument-to-none")
  (#set! last)
  (#set! text "None"))

; f(a(b))  ─►  f("")
((argument_list (_) @replace)
  (#match? @replace "\\w\\W")
  (#set! rule "argument-to-string")
  (#set! last)
  (#set! text "\"\""))

; f(a(b))  ─►  f([])
((argument_list (_) @replace)
  (#match? @replace "\\w\\W")
  (#set! rule "argument-to-list")
  (#set! last)
  (#set! text "[]"))
