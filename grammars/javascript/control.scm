; Control flow: conditions, loops, switches.
; Replacing a statement by a branch, a body or another inner statement needs no rule, because all are statements.

; if (a < b) …  ─►  if (0) …, if (1) …
([
  (if_statement condition: (parenthesized_expression (_) @replace))
  (while_statement condition: (parenthesized_expression (_) @replace))
  (do_statement condition: (parenthesized_expression (_) @replace))
  (switch_statement value: (parenthesized_expression (_) @replace))
]
  (#set! rule "condition-to-zero")
  (#set! text "0"))

((if_statement condition: (parenthesized_expression (_) @replace))
  (#not-eq? @replace "0")
  (#set! rule "condition-to-one")
  (#set! text "1"))

; if (f()) …  ─►  f()
([
  (if_statement condition: (parenthesized_expression (_) @with))
  (while_statement condition: (parenthesized_expression (_) @with))
  (do_statement condition: (parenthesized_expression (_) @with))
  (switch_statement value: (parenthesized_expression (_) @with))
  (with_statement object: (parenthesized_expression (_) @with))
  (for_in_statement right: (_) @with)
] @replace
  (#set! rule "condition-to-statement"))

; for (let i = 0; …; …) …  ─►  let i = 0;
((for_statement
  initializer: [(lexical_declaration) (variable_declaration)] @with) @replace
  (#set! rule "loop-to-initializer"))

; for (let i = 0; i < 9; i++) …  ─►  for (; i < 9; i++) …, for (let i = 0; ; i++) …
((for_statement
  initializer: [(lexical_declaration) (variable_declaration)] @replace)
  (#set! rule "loop-part-dropped")
  (#set! text ";"))

([
  (for_statement initializer: [(expression) (sequence_expression)] @delete)
  (for_statement condition: [(expression) (sequence_expression)] @delete)
]
  (#set! rule "loop-part-dropped"))

; for (a of f(b)) …  ─►  for (a of []) …
((for_in_statement right: (_) @replace)
  (#set! rule "iterable-to-empty")
  (#set! text "[]"))

; switch (a) { case 1: b(); c(); }  ─►  { b(); c(); }
((switch_statement
  "switch" @delete
  value: (_) @delete
  body: (switch_body
    . "{"
    . (switch_case "case" @delete value: (_) @delete ":" @delete)
    . "}"))
  (#set! rule "switch-to-case"))

((switch_statement
  "switch" @delete
  value: (_) @delete
  body: (switch_body
    . "{"
    . (switch_default "default" @delete ":" @delete)
    . "}"))
  (#set! rule "switch-to-case"))

; if (a()) b(); else c();  ─►  a(); b(); c();
; An expression without a call or an assignment has no effect, so replacing the whole by the body is sufficient there.
((if_statement
  "if" @delete
  condition: (parenthesized_expression
    "(" @delete
    ")" @replace) @_condition
  consequence: (_) @_body
  !alternative)
  (#match? @_condition "\\w\\s*\\(|[^=!<>]=[^=>]|\\+\\+|--|`|\\bawait\\b")
  (#not-eq? @_body ";")
  (#set! rule "control-to-parts")
  (#set! text ";"))

((if_statement
  "if" @delete
  condition: (parenthesized_expression
    "(" @delete
    ")" @replace) @_condition
  alternative: (else_clause "else" @delete))
  (#match? @_condition "\\w\\s*\\(|[^=!<>]=[^=>]|\\+\\+|--|`|\\bawait\\b")
  (#set! rule "control-to-parts")
  (#set! text ";"))

((while_statement
  "while" @delete
  condition: (parenthesized_expression
    "(" @delete
    ")" @replace) @_condition
  body: (_) @_body)
  (#match? @_condition "\\w\\s*\\(|[^=!<>]=[^=>]|\\+\\+|--|`|\\bawait\\b")
  (#not-eq? @_body ";")
  (#set! rule "control-to-parts")
  (#set! text ";"))

((do_statement
  "do" @delete
  body: (_) @_body
  "while" @delete
  condition: (parenthesized_expression "(" @delete ")" @delete))
  (#not-match? @_body "^(;|\\{\\s*\\})$")
  (#set! rule "control-to-parts"))

; for (const a of b) c(a);  ─►  const a = b; c(a);
((for_in_statement
  "for" @delete
  "(" @delete
  operator: _ @replace
  ")" @also
  body: (_) @_body)
  (#not-match? @_body "^(;|\\{\\s*\\})$")
  (#set! rule "control-to-parts")
  (#set! text "=")
  (#set! also ";"))

; if (a) ; else b();  ─►  if (a) b();
((if_statement
  consequence: (empty_statement) @delete
  alternative: (else_clause "else" @delete))
  (#set! rule "else-to-consequence"))

; try { … } catch (a) { … }  ─►  try { … } catch { … }
((catch_clause
  "(" @delete
  parameter: (_) @delete
  ")" @delete)
  (#set! rule "catch-without-parameter"))

; while (a) { … break; }  ─►  { … }
((while_statement
  "while" @delete
  condition: (_) @delete
  body: (statement_block (_) . (break_statement) @delete . "}"))
  (#set! rule "loop-without-break"))

((for_statement
  . "for" @delete
  . _+ @delete
  . body: (statement_block (_) . (break_statement) @delete . "}"))
  (#set! rule "loop-without-break"))

; for (var i = 0; …; …) …  ─►  var i = 0; …
((for_statement
  "for" @delete
  "(" @delete
  initializer: [(lexical_declaration) (variable_declaration)]
  . _+ @delete
  . body: (_) @_body)
  (#not-match? @_body "^(;|\\{\\s*\\})$")
  (#set! rule "control-to-parts"))
