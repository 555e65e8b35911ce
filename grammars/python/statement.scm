; Statements and bodies.

; def f(): …  ─►  def f(): pass
([
  (function_definition body: (block) @replace)
  (class_definition body: (block) @replace)
  (if_statement consequence: (block) @replace)
  (elif_clause consequence: (block) @replace)
  (else_clause body: (block) @replace)
  (for_statement body: (block) @replace)
  (while_statement body: (block) @replace)
  (try_statement body: (block) @replace)
  (except_clause (block) @replace)
  (finally_clause (block) @replace)
  (with_statement body: (block) @replace)
  (case_clause consequence: (block) @replace)
]
  (#set! rule "body-to-pass")
  (#set! text "pass"))

; return f(a)  ─►  f(a)
([
  (return_statement (_) @with)
  (raise_statement . "raise" . (_) @with)
  (raise_statement cause: (_) @with)
  (assert_statement (_) @with)
  (delete_statement (_) @with)
] @replace
  (#set! rule "statement-to-expression"))

; from a import b  ─►  import a
((import_from_statement
  "from" @replace
  module_name: (dotted_name)
  "import" @delete
  . name: (_) @delete .)
  (#set! rule "from-to-import")
  (#set! text "import"))

; raise a from b  ─►  raise a
((raise_statement
  "from" @delete
  cause: (_) @delete)
  (#set! rule "cause-dropped"))
