; float f() { a(); return b; } becomes void f() { a(); }
((function_definition
  type: (_) @replace
  body: (compound_statement (return_statement) @delete . "}"))
  (#not-eq? @replace "void")
  (#set! rule "result-dropped")
  (#set! text "void"))
