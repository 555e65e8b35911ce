; What saves a few tokens in small texts, where nothing else does.

; a = a + b;  ─►  a += b;
((assignment_expression
  left: (_) @_name
  "=" @delete
  right: (binary_expression
    left: (_) @delete @_other
    operator: ["+" "-" "*" "/" "%" "**" "<<" ">>" ">>>" "&" "|" "^" "&&" "||" "??"] @replace @_operator))
  (#eq? @_name @_other)
  (#set! rule "assignment-to-compound")
  (#set! late)
  (#set! text "{_operator}="))

; a = c; b = c;  ─►  a = b = c;
((expression_statement (assignment_expression right: (_) @replace @_value))
  . (expression_statement (assignment_expression right: (_) @_same) @_next) @delete
  (#eq? @_value @_same)
  (#set! rule "assignments-to-one")
  (#set! late)
  (#set! text "{_next}"))

; ''  ─►  0
((string) @replace
  (#match? @replace "^(''|\"\")$")
  (#set! rule "empty-string-to-zero")
  (#set! late)
  (#set! text "0"))
