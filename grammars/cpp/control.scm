; What steers the program: conditions, loops, switches.
; A branch, a body or another inner statement in the place of the whole needs no rule: they are all statements.

; if (a < b) …  ─►  if (0) …, if (1) …
([
  (if_statement condition: (condition_clause value: (_) @replace))
  (while_statement condition: (condition_clause value: (_) @replace))
  (do_statement condition: (parenthesized_expression (_) @replace))
  (switch_statement condition: (condition_clause value: (_) @replace))
]
  (#set! rule "condition-to-zero")
  (#set! text "0"))

([
  (if_statement condition: (condition_clause value: (_) @replace))
  (while_statement condition: (condition_clause value: (_) @replace))
]
  (#not-eq? @replace "0")
  (#set! rule "condition-to-one")
  (#set! text "1"))

; if (f()) ;  ─►  (f()) ;
; The body has become a no-op before; its semicolon now ends the condition.
((if_statement
  "if" @delete
  condition: (condition_clause !initializer value: (expression))
  consequence: (expression_statement . ";")
  !alternative)
  (#set! rule "condition-to-statement"))

((while_statement
  "while" @delete
  condition: (condition_clause !initializer value: (expression))
  body: (expression_statement . ";"))
  (#set! rule "condition-to-statement"))

((do_statement
  "do" @delete
  body: (_) @delete
  "while" @delete)
  (#set! rule "condition-to-statement"))

; for (int i = 0; …; …) …  ─►  int i = 0;
((for_statement initializer: (declaration) @with) @replace
  (#set! rule "loop-to-initializer"))

((for_statement
  "for" @delete
  "(" @delete
  initializer: [(expression) (comma_expression)]
  ";"
  condition: (_)? @delete
  ";" @delete
  update: (_)? @delete
  ")" @delete
  body: (_) @delete)
  (#set! rule "loop-to-initializer"))

; switch (a) { case 1: b(); c(); }  ─►  { b(); c(); }
((switch_statement
  "switch" @delete
  condition: (_) @delete
  body: (compound_statement
    . "{"
    . (case_statement
      ["case" "default"] @delete
      value: (_)? @delete
      ":" @delete)
    . "}"))
  (#set! rule "switch-to-case"))
