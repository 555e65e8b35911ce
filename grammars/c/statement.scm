; Statements and bodies.

; if (a) { … }  ─►  if (a) ;
([
  (if_statement consequence: (_) @replace)
  (else_clause (statement) @replace)
  (while_statement body: (_) @replace)
  (do_statement body: (_) @replace)
  (for_statement body: (_) @replace)
  (labeled_statement (statement) @replace)
]
  (#set! rule "statement-to-noop")
  (#set! text ";"))

; { a; { b; c; } }  ─►  { a; b; c; }
((compound_statement
  (compound_statement "{" @delete "}" @delete))
  (#set! rule "block-to-content"))

; switch (a) { … }  ─►  switch (a) {}
([
  (function_definition body: (_) @replace)
  (switch_statement body: (compound_statement) @replace)
]
  (#set! rule "body-to-empty")
  (#set! text "{}"))

; return f(x);  ─►  f(x);
((return_statement "return" @delete (_))
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
