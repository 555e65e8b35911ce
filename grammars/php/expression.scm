; Replacements for values of any type.

; if (f($a)) { … }  ─►  if (true) { … }
([
  (if_statement condition: (parenthesized_expression (_) @replace))
  (conditional_expression condition: (_) @replace)
]
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))

; $a->f($b)  ─►  $a
((member_call_expression object: (_) @with) @replace
  (#set! rule "call-to-receiver"))

; f(g(1))  ─►  f(0)
([
  (argument (_) @replace)
  (assignment_expression right: (_) @replace)
  (return_statement (_) @replace)
]
  (#match? @replace "\\W.*\\W")
  (#set! rule "value-to-zero")
  (#set! text "0"))
