; What saves a few tokens in small texts, where nothing else does.

; a = a + b  ─►  a += b
((assignment
  left: (_) @_name
  "=" @delete
  right: (binary_operator
    left: (_) @delete @_other
    operator: ["+" "-" "*" "/" "%" "//" "**" "<<" ">>" "&" "|" "^" "@"] @replace @_operator))
  (#eq? @_name @_other)
  (#set! rule "assignment-to-compound")
  (#set! late)
  (#set! text "{_operator}="))

; a = c; b = c  ─►  a = b = c
((expression_statement (assignment right: (_) @replace @_value))
  . (expression_statement (assignment right: (_) @_same) @_next) @delete
  (#eq? @_value @_same)
  (#set! rule "assignments-to-one")
  (#set! late)
  (#set! text "{_next}"))

; "a" "b"  ─►  "ab"
((concatenated_string
  (string (string_start) @_start . (string_content) @_first . (string_end) @_end) @replace
  . (string (string_start) @_other . (string_content) @_second) @delete)
  (#eq? @_start @_other)
  (#set! rule "strings-to-one")
  (#set! late)
  (#set! text "{_start}{_first}{_second}{_end}"))

; ''  ─►  0
((string) @replace
  (#match? @replace "^\\w*(''|\"\")$")
  (#set! rule "empty-string-to-zero")
  (#set! late)
  (#set! text "0"))
