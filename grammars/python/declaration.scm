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

; def f(a: int, *b: int): …  ─►  def f(a, *b): …
((typed_parameter . (_) @with) @replace
  (#set! rule "parameter-to-name"))

; def f(a, b=1, c: int = 1): …  ─►  def f(a, b, c: int = 1): …
; Only the first default: parameters with defaults must come last.
((parameters . (default_parameter name: (_) @with) @replace)
  (#set! rule "parameter-to-name"))

((lambda_parameters . (default_parameter name: (_) @with) @replace)
  (#set! rule "parameter-to-name"))

((parameters . (typed_default_parameter name: (_) @with) @replace)
  (#set! rule "parameter-to-name"))

((parameters
  [(identifier) (typed_parameter) (list_splat_pattern) (positional_separator) (keyword_separator)]
  . (default_parameter name: (_) @with) @replace)
  (#set! rule "parameter-to-name"))

((parameters
  [(identifier) (typed_parameter) (list_splat_pattern) (positional_separator) (keyword_separator)]
  . (typed_default_parameter name: (_) @with) @replace)
  (#set! rule "parameter-to-name"))

; def f(a: int = 1): …  ─►  def f(a = 1): …
((typed_default_parameter
  ":" @delete
  type: (_) @delete)
  (#set! rule "parameter-without-type"))

; a: int = 1  ─►  a = 1, a: int
((assignment
  ":" @delete
  type: (_) @delete
  right: (_))
  (#set! rule "assignment-without-type"))

((assignment
  type: (_)
  "=" @delete
  right: (_) @delete)
  (#set! rule "assignment-without-value"))
