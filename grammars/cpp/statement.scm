; Statements and bodies, in addition to the rules of C.

; for (int a : b) { … }  ─►  for (int a : b) ;
((for_range_loop body: (_) @replace)
  (#set! rule "statement-to-noop")
  (#set! text ";"))

; class c { … }  ─►  class c {}
([
  (lambda_expression body: (_) @replace)
  (try_statement body: (_) @replace)
  (catch_clause body: (_) @replace)
  (class_specifier body: (_) @replace)
  (struct_specifier body: (_) @replace)
  (union_specifier body: (_) @replace)
  (namespace_definition body: (_) @replace)
]
  (#set! rule "body-to-empty")
  (#set! text "{}"))

; throw f(x);  ─►  f(x);
([
  (throw_statement "throw" @delete (_))
  (co_return_statement "co_return" @delete (_))
]
  (#set! rule "return-to-statement"))
