; Statements and bodies.

; if (a) { … }  ─►  if (a) ;
([
  (if_statement consequence: (_) @replace)
  (else_clause (statement) @replace)
  (while_statement body: (_) @replace)
  (do_statement body: (_) @replace)
  (for_statement body: (_) @replace)
  (for_in_statement body: (_) @replace)
  (with_statement body: (_) @replace)
  (labeled_statement body: (_) @replace)
]
  (#set! rule "statement-to-noop")
  (#set! text ";"))

; { a; { b; c; } }  ─►  { a; b; c; }
([
  (statement_block (statement_block "{" @delete "}" @delete))
  (program (statement_block "{" @delete "}" @delete))
]
  (#set! rule "block-to-content"))

; function f() { … }, class c { … }  ─►  function f() {}, class c {}
([
  (function_declaration body: (_) @replace)
  (generator_function_declaration body: (_) @replace)
  (function_expression body: (_) @replace)
  (generator_function body: (_) @replace)
  (arrow_function body: (statement_block) @replace)
  (method_definition body: (_) @replace)
  (class_declaration body: (_) @replace)
  (class body: (_) @replace)
  (class_static_block body: (_) @replace)
  (try_statement body: (_) @replace)
  (catch_clause body: (_) @replace)
  (finally_clause body: (_) @replace)
  (switch_statement body: (_) @replace)
]
  (#set! rule "body-to-empty")
  (#set! text "{}"))

; return f(x);  ─►  f(x);
([
  (return_statement "return" @delete (_))
  (throw_statement "throw" @delete)
]
  (#set! rule "return-to-statement"))

; let a = f();  ─►  f()
; The end of the line ends the statement.
([
  (lexical_declaration (variable_declarator value: (_) @with))
  (variable_declaration (variable_declarator value: (_) @with))
] @replace
  (#set! rule "declaration-to-value"))

; export default f();  ─►  f()
((export_statement value: (_) @with) @replace
  (#set! rule "export-to-value"))

; import a from "b";  ─►  import "b";
((import_statement
  (import_clause) @delete
  "from" @delete)
  (#set! rule "import-to-source"))
