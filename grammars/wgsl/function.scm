; Parts of a function that must be removed together.

; fn f() -> i32 { a(); return b; }  ─►  fn f() { a(); }
((function_declaration
  type: (function_return_type_declaration) @delete
  body: (compound_statement (return_statement) @delete . ";" @delete . "}"))
  (#set! rule "result-dropped"))
