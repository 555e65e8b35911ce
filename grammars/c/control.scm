; Control flow: conditions, loops, switches.
; Replacing a statement by a branch, a body or another inner statement needs no rule, because all are statements.

; if (a < b) …  ─►  if (0) …, if (1) …
; The node around the condition differs between the derived languages, and can be a declaration.
([
  (if_statement condition: (_ [(expression) (comma_expression) (declaration)] @replace))
  (while_statement condition: (_ [(expression) (comma_expression) (declaration)] @replace))
  (do_statement condition: (parenthesized_expression (_) @replace))
  (switch_statement condition: (_ [(expression) (comma_expression) (declaration)] @replace))
]
  (#set! rule "condition-to-zero")
  (#set! text "0"))

([
  (if_statement condition: (_ [(expression) (comma_expression) (declaration)] @replace))
  (while_statement condition: (_ [(expression) (comma_expression) (declaration)] @replace))
]
  (#not-eq? @replace "0")
  (#set! rule "condition-to-one")
  (#set! text "1"))

; if (f()) ;, while (f()) ;, switch (f()) {}  ─►  f() ;
; Other rules turn the body into a no-op first; its semicolon then ends the condition.
((if_statement
  "if" @delete
  condition: (_
    "(" @delete
    ")" @delete)
  consequence: (expression_statement . ";")
  !alternative)
  (#set! rule "condition-to-statement"))

((while_statement
  "while" @delete
  condition: (_
    "(" @delete
    ")" @delete)
  body: (expression_statement . ";"))
  (#set! rule "condition-to-statement"))

((switch_statement
  "switch" @delete
  condition: (_
    "(" @delete
    ")" @delete)
  body: (compound_statement . "{" . "}") @replace)
  (#set! rule "condition-to-statement")
  (#set! text ";"))

; do a(); while (b());  ─►  a(); b();
((do_statement
  "do" @delete
  "while" @delete
  condition: (parenthesized_expression "(" @delete ")" @delete))
  (#set! rule "condition-to-statement"))

; if (a()) b(); else c();  ─►  a(); b(); c();
; A single word has no effect as a statement, so replacing the whole by the body is sufficient there.
((if_statement
  "if" @delete
  condition: (_
    "(" @delete
    ")" @replace) @_condition
  consequence: (_) @_body
  !alternative)
  (#match? @_condition "\\w\\W+\\w|\\w\\W{2}")
  (#not-eq? @_body ";")
  (#set! rule "control-to-parts")
  (#set! text ";"))

((if_statement
  "if" @delete
  condition: (_
    "(" @delete
    ")" @replace) @_condition
  alternative: (else_clause "else" @delete))
  (#match? @_condition "\\w\\W+\\w|\\w\\W{2}")
  (#set! rule "control-to-parts")
  (#set! text ";"))

((while_statement
  "while" @delete
  condition: (_
    "(" @delete
    ")" @replace) @_condition
  body: (_) @_body)
  (#match? @_condition "\\w\\W+\\w|\\w\\W{2}")
  (#not-eq? @_body ";")
  (#set! rule "control-to-parts")
  (#set! text ";"))

; if (a) ; else b();  ─►  if (a) b();
((if_statement
  consequence: (expression_statement . ";") @delete
  alternative: (else_clause "else" @delete))
  (#set! rule "else-to-consequence"))

; for (int i = 0; …; …) …  ─►  int i = 0;
((for_statement initializer: (declaration) @with) @replace
  (#set! rule "loop-to-initializer"))

; for (int i = 0; i < 2; i++) …  ─►  for (; i < 2; i++) …
((for_statement initializer: (declaration) @replace)
  (#set! rule "loop-part-dropped")
  (#set! text ";"))

; for (int i = 0; i < 2; i++) f(i);  ─►  int i = 0; i < 2; i++; f(i);
((for_statement
  "for" @delete
  "(" @delete
  update: (_)
  ")" @replace)
  (#set! rule "control-to-parts")
  (#set! text ";"))

((for_statement
  "for" @delete
  "(" @delete
  initializer: (_)
  !update
  ")" @delete)
  (#set! rule "control-to-parts"))

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

; for (; a(); ) …  ─►  while (a()) …
((for_statement
  "for" @replace
  .
  "("
  .
  ";" @delete
  .
  condition: (_)
  .
  ";" @delete
  .
  ")")
  (#set! rule "for-to-while")
  (#set! late)
  (#set! text "while"))

; for (…; i < 3; i++)  ─►  for (…; i++ < 3;)
((for_statement
  condition: (binary_expression left: (identifier) @replace)
  update: (update_expression argument: (identifier) @_variable) @_update @delete)
  (#eq? @replace @_variable)
  (#set! rule "update-to-condition")
  (#set! late)
  (#set! text "{_update}"))
