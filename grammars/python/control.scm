; What steers the program: a statement becomes one of its bodies, or the expression that steers it.

; if a: …; elif b: …; else: …  ─►  one of the three
([
  (if_statement consequence: (block) @with)
  (if_statement alternative: (elif_clause consequence: (block) @with))
  (if_statement alternative: (else_clause body: (block) @with))
] @replace
  (#set! rule "if-to-branch"))

; for a in b: …  ─►  …
([
  (for_statement body: (block) @with)
  (for_statement alternative: (else_clause body: (block) @with))
  (while_statement body: (block) @with)
  (while_statement alternative: (else_clause body: (block) @with))
] @replace
  (#set! rule "loop-to-body"))

; try: …; except: …; finally: …  ─►  one of them
([
  (try_statement body: (block) @with)
  (try_statement (except_clause (block) @with))
  (try_statement (else_clause body: (block) @with))
  (try_statement (finally_clause (block) @with))
] @replace
  (#set! rule "try-to-body"))

((with_statement body: (block) @with) @replace
  (#set! rule "with-to-body"))

((match_statement
  body: (block alternative: (case_clause consequence: (block) @with))) @replace
  (#set! rule "match-to-case"))

; def f(a): …, class c: …  ─►  …
([
  (function_definition body: (block) @with)
  (class_definition body: (block) @with)
] @replace
  (#set! rule "definition-to-body"))

; if f(a): …  ─►  f(a)
([
  (if_statement condition: (_) @with)
  (while_statement condition: (_) @with)
  (for_statement right: (_) @with)
  (match_statement subject: (_) @with)
] @replace
  (#set! rule "condition-to-statement"))

((with_statement
  (with_clause . (with_item value: (_) @with))) @replace
  (#not-match? @with "\\sas\\s")
  (#set! rule "condition-to-statement"))

((with_statement
  (with_clause . (with_item value: (as_pattern . (_) @with)))) @replace
  (#set! rule "condition-to-statement"))

; if f(a): …  ─►  if False: …, if True: …
([
  (if_statement condition: (_) @replace)
  (elif_clause condition: (_) @replace)
  (while_statement condition: (_) @replace)
]
  (#not-eq? @replace "True")
  (#set! rule "condition-to-false")
  (#set! text "False"))

([
  (if_statement condition: (_) @replace)
  (elif_clause condition: (_) @replace)
]
  (#set! rule "condition-to-true")
  (#set! text "True"))

; for a in f(b): …  ─►  for a in (): …
([
  (for_statement right: (_) @replace)
  (for_in_clause right: (_) @replace)
]
  (#set! rule "iterable-to-empty")
  (#set! text "()"))

; case [a, b]: …  ─►  case _: …
((case_clause (case_pattern) @replace)
  (#set! rule "pattern-to-wildcard")
  (#set! text "_"))
