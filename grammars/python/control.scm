; Control flow: a statement is replaced by one of its bodies, or by its condition.

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

; if a(): …  ─►  a(), and what stood in the body
; An expression without a call or a binding has no effect, so replacing the whole by the body is sufficient there.
((if_statement
  "if" @delete
  condition: (_) @_condition
  ":" @delete
  consequence: (block) @outdent
  !alternative)
  (#match? @_condition "\\(|:=|\\bawait\\b")
  (#set! rule "control-to-parts"))

((if_statement
  "if" @delete
  condition: (_) @_condition
  ":" @delete
  consequence: (block) @outdent
  . alternative: (else_clause "else" @delete ":" @delete body: (block) @outdent) .)
  (#set! rule "control-to-parts"))

((while_statement
  "while" @delete
  condition: (_) @_condition
  ":" @delete
  body: (block) @outdent
  !alternative)
  (#match? @_condition "\\(|:=|\\bawait\\b")
  (#set! rule "control-to-parts"))

((with_statement
  "with" @delete
  (with_clause . (with_item) @_item .)
  ":" @delete
  body: (block) @outdent)
  (#not-match? @_item "\\sas\\s")
  (#set! rule "control-to-parts"))

; for a in b: …  ─►  a = b, and what stood in the body
((for_statement
  . "for" @delete
  "in" @replace
  right: (_) @_iterable
  ":" @delete
  body: (block) @outdent
  !alternative)
  (#match? @_iterable "\\W")
  (#set! rule "control-to-parts")
  (#set! text "="))

; try: … except a: … finally: …  ─►  all three
((try_statement
  "try" @delete
  ":" @delete
  body: (block) @outdent
  [
    (except_clause "except" @delete . value: (_)? @delete . ":" @delete (block) @outdent)
    (finally_clause "finally" @delete ":" @delete (block) @outdent)
  ]+)
  (#set! rule "control-to-parts"))

; if a: … elif b: …  ─►  if b: …
((if_statement
  "if" @delete
  condition: (_) @delete
  ":" @delete
  consequence: (block) @delete
  . alternative: (elif_clause "elif" @replace))
  (#set! rule "if-without-first")
  (#set! text "if"))

; def f(): … return a  ─►  a
((function_definition
  body: (block (return_statement (_) @with) .)) @replace
  (#set! rule "definition-to-result"))

; for a in [b]: …  ─►  a = b, and what stood in the body
((for_statement
  . "for" @delete
  "in" @replace
  right: (list . "[" @delete . (_) . "]" @delete)
  ":" @delete
  body: (block) @outdent
  !alternative)
  (#set! rule "single-to-assignment")
  (#set! text "="))

; [f(a) for a in [b]]  ─►  a = b; f(a)
((expression_statement
  (list_comprehension
    body: (_) @_body
    . (for_in_clause left: (_) @_target right: (list . (_) @_element .)) .) @replace)
  (#set! rule "single-to-assignment")
  (#set! text "{_target} = {_element}; {_body}"))

; while a: … break  ─►  …
((while_statement
  "while" @delete
  condition: (_) @delete
  ":" @delete
  body: (block (_) (break_statement) @delete .) @outdent
  !alternative)
  (#set! rule "loop-without-break"))

; with a() as b: …  ─►  b = a(), and what stood in the body
((with_statement
  . "with" @replace
  (with_clause . (with_item value: (as_pattern "as" @delete (as_pattern_target) @delete @_target)) .)
  ":" @delete
  body: (block) @outdent)
  (#set! rule "control-to-parts")
  (#set! text "{_target} ="))

; for a in range(b): …  ─►  a = 0, and the former body
((for_statement
  . "for" @delete
  "in" @replace
  right: (call function: (identifier) @_range) @also
  ":" @delete
  body: (block) @outdent
  !alternative)
  (#eq? @_range "range")
  (#set! rule "range-to-zero")
  (#set! text "=")
  (#set! also "0"))

; for a, b in enumerate(c): …  ─►  for b in c: …
([
  (for_statement
    left: (pattern_list . (_) . (_) @_element .) @replace
    right: (call function: (identifier) @_iterator arguments: (argument_list . (_) @_iterated)) @also)
  (for_in_clause
    left: (pattern_list . (_) . (_) @_element .) @replace
    right: (call function: (identifier) @_iterator arguments: (argument_list . (_) @_iterated)) @also)
]
  (#eq? @_iterator "enumerate")
  (#set! rule "pairs-to-members")
  (#set! text "{_element}")
  (#set! also "{_iterated}"))

; for a, b in zip(c, d): …  ─►  for a in c: …, for b in d: …
([
  (for_statement
    left: (pattern_list . (_) @_element . (_) .) @replace
    right: (call function: (identifier) @_iterator arguments: (argument_list . (_) @_iterated)) @also)
  (for_in_clause
    left: (pattern_list . (_) @_element . (_) .) @replace
    right: (call function: (identifier) @_iterator arguments: (argument_list . (_) @_iterated)) @also)
  (for_statement
    left: (pattern_list . (_) . (_) @_element .) @replace
    right: (call function: (identifier) @_iterator arguments: (argument_list . (_) . (_) @_iterated)) @also)
  (for_in_clause
    left: (pattern_list . (_) . (_) @_element .) @replace
    right: (call function: (identifier) @_iterator arguments: (argument_list . (_) . (_) @_iterated)) @also)
]
  (#eq? @_iterator "zip")
  (#set! rule "pairs-to-members")
  (#set! text "{_element}")
  (#set! also "{_iterated}"))

; for a, b in c.items(): …  ─►  for a in c: …, for b in c.values(): …
([
  (for_statement
    left: (pattern_list . (_) @_element . (_) .) @replace
    right: (call function: (attribute object: (_) @_mapping attribute: (identifier) @_items)) @also)
  (for_in_clause
    left: (pattern_list . (_) @_element . (_) .) @replace
    right: (call function: (attribute object: (_) @_mapping attribute: (identifier) @_items)) @also)
]
  (#eq? @_items "items")
  (#set! rule "pairs-to-members")
  (#set! text "{_element}")
  (#set! also "{_mapping}"))

([
  (for_statement
    left: (pattern_list . (_) . (_) @_element .) @replace
    right: (call function: (attribute object: (_) @_mapping attribute: (identifier) @_items)) @also)
  (for_in_clause
    left: (pattern_list . (_) . (_) @_element .) @replace
    right: (call function: (attribute object: (_) @_mapping attribute: (identifier) @_items)) @also)
]
  (#eq? @_items "items")
  (#set! rule "pairs-to-members")
  (#set! text "{_element}")
  (#set! also "{_mapping}.values()"))
