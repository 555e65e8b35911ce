; Values become smaller ones.
; A member's value in the place of the whole needs no rule: both are values.

; { "a": [1, 2] }  ─►  {}, { "a": [] }
((object) @replace
  (#set! rule "object-to-empty")
  (#set! text "{}"))

((array) @replace
  (#set! rule "array-to-empty")
  (#set! text "[]"))

; { "a": { } }  ─►  { "a": 0 }
([
  (pair value: [(object) (array) (string)] @replace)
  (array [(object) (array) (string)] @replace)
]
  (#set! rule "value-to-zero")
  (#set! text "0"))

; 1024  ─►  0
((number) @replace
  (#set! rule "number-to-zero")
  (#set! text "0"))

; "text"  ─►  ""
((string) @replace
  (#set! rule "string-to-empty")
  (#set! text "\"\""))
