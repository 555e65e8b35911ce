; Expressions are replaced by constants, in addition to the rules of C.

; a[b + 1]  ─►  a[0]
([
  (subscript_argument_list (expression) @replace)
  (template_argument_list (expression) @replace)
  (new_declarator length: (expression) @replace)
]
  (#match? @replace "^[^\"']*[^\\w\"']")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

; 1h  ─►  0
((user_defined_literal) @replace
  (#set! rule "literal-to-zero")
  (#set! text "0"))

; R"(text)"  ─►  ""
((raw_string_literal) @replace
  (#set! rule "string-to-empty")
  (#set! text "\"\""))

; concept c = requires { … };  ─►  concept c = true;
([
  (concept_definition (expression) @replace)
  (requires_clause constraint: (_) @replace)
  (static_assert_declaration condition: (_) @replace)
]
  (#match? @replace "\\W")
  (#set! rule "constraint-to-true")
  (#set! text "true"))

; [a, &b](int c) { … }  ─►  [](int c) { … }
((lambda_capture_specifier) @replace
  (#set! rule "captures-dropped")
  (#set! text "[]"))

; [] { return a; }  ─►  a
((lambda_expression
  body: (compound_statement (return_statement (_) @with))) @replace
  (#set! rule "lambda-to-result"))

; this->a  ─►  a
((field_expression
  argument: (this)
  field: (_) @with) @replace
  (#set! rule "this-dropped"))
