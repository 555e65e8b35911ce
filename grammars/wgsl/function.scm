; What goes together in a function.

; fn f() -> i32 { a(); return b; }  ─►  fn f() { a(); }
((function_declaration
  type: (function_return_type_declaration) @delete
  body: (compound_statement (return_statement) @delete . ";" @delete . "}"))
  (#set! rule "result-dropped"))
