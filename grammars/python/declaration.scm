; Functions and classes.

; @a
; def f(): …  ─►  def f(): …
((decorated_definition definition: (_) @with) @replace
  (#set! rule "decorated-to-definition"))

; async def f(): …  ─►  def f(): …
([
  (function_definition "async" @delete)
  (for_statement "async" @delete)
  (with_statement "async" @delete)
  (for_in_clause "async" @delete)
]
  (#set! rule "async-dropped"))

; def f(a, b=1): …  ─►  def f(): …
((parameters) @replace
  (#set! rule "parameters-to-empty")
  (#set! text "()"))

; def f(a=1, b: int, c: int = 1): …  ─►  def f(a, b, c): …
([
  (default_parameter name: (_) @with)
  (typed_parameter . (_) @with)
  (typed_default_parameter name: (_) @with)
] @replace
  (#set! rule "parameter-to-name"))
