; Statements and bodies.

; if (a) { … }  ─►  if (a) ;
([
  (if_statement consequence: (_) @replace)
  (else_clause (statement) @replace)
  (while_statement body: (_) @replace)
  (do_statement body: (_) @replace)
  (for_statement body: (_) @replace)
  (for_range_loop body: (_) @replace)
  (labeled_statement (statement) @replace)
]
  (#set! rule "statement-to-noop")
  (#set! text ";"))

; { a; { b; c; } }  ─►  { a; b; c; }
((compound_statement
  (compound_statement "{" @delete "}" @delete))
  (#set! rule "block-to-content"))

; switch (a) { … }, class c { … }  ─►  switch (a) {}, class c {}
([
  (function_definition body: (_) @replace)
  (lambda_expression body: (_) @replace)
  (try_statement body: (_) @replace)
  (catch_clause body: (_) @replace)
  (class_specifier body: (_) @replace)
  (struct_specifier body: (_) @replace)
  (union_specifier body: (_) @replace)
  (namespace_definition body: (_) @replace)
  (switch_statement body: (compound_statement) @replace)
]
  (#set! rule "body-to-empty")
  (#set! text "{}"))

; return f(x);  ─►  f(x);
([
  (return_statement "return" @delete (_))
  (throw_statement "throw" @delete (_))
  (co_return_statement "co_return" @delete (_))
]
  (#set! rule "return-to-statement"))

; int x = f();  ─►  f();
((compound_statement
  (declaration
    . type: (_) @delete
    . declarator: (init_declarator
      declarator: (_) @delete
      "=" @delete
      value: (expression))
    . ";"))
  (#set! rule "declaration-to-statement"))
