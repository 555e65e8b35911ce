; Rules that save a few tokens in small texts.

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

; if a: return b else: return c  ─►  return b if a else c
((if_statement
  condition: (_) @_condition
  consequence: (block . (return_statement (_) @_first) .)
  . alternative: (else_clause body: (block . (return_statement (_) @_second) .)) .) @replace
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "return {_first} if {_condition} else {_second}"))

((if_statement
  condition: (_) @_condition
  consequence: (block . (return_statement (_) @_first) .)
  !alternative) @delete
  . (return_statement (_) @replace @_second)
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "{_first} if {_condition} else {_second}"))

; if a: b = c else: b = d  ─►  b = c if a else d
((if_statement
  condition: (_) @_condition
  consequence: (block . (expression_statement (assignment left: (_) @_name right: (_) @_first)) .)
  . alternative: (else_clause body: (block
    . (expression_statement (assignment left: (_) @_other right: (_) @_second)) .)) .) @replace
  (#eq? @_name @_other)
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "{_name} = {_first} if {_condition} else {_second}"))

; if a: b()  ─►  a and b()
((if_statement
  condition: (_) @_condition
  consequence: (block . (expression_statement (call) @_value) .)
  !alternative) @replace
  (#set! rule "if-to-and")
  (#set! late)
  (#set! text "{_condition} and {_value}"))

; def f(a): return b  ─►  f = lambda a: b
((function_definition
  . "def"
  . name: (_) @_name
  . parameters: (parameters . "(" . ")")
  . body: (block . (return_statement (_) @_value) .)) @replace
  (#set! rule "function-to-lambda")
  (#set! late)
  (#set! text "{_name} = lambda: {_value}"))

((function_definition
  . "def"
  . name: (_) @_name
  . parameters: (parameters . "(" . (_) @_parameter . ")")
  . body: (block . (return_statement (_) @_value) .)) @replace
  (#set! rule "function-to-lambda")
  (#set! late)
  (#set! text "{_name} = lambda {_parameter}: {_value}"))

; a = b(); c(a)  ─►  c(b())
; For names with several assignments.
((expression_statement (assignment left: (identifier) @_name right: (_) @_value)) @delete
  . [
    (return_statement [
      (identifier) @replace
      (call arguments: (argument_list (identifier) @replace))
      (call function: (attribute object: (identifier) @replace))
    ])
    (expression_statement [
      (call arguments: (argument_list (identifier) @replace))
      (call function: (attribute object: (identifier) @replace))
    ])
    (expression_statement (assignment right: [
      (identifier) @replace
      (call arguments: (argument_list (identifier) @replace))
      (call function: (attribute object: (identifier) @replace))
    ]))
    (if_statement condition: (identifier) @replace)
    (for_statement right: (identifier) @replace)
  ]
  (#eq? @replace @_name)
  (#set! rule "assignment-into-use")
  (#set! late)
  (#set! text "{_value}"))
