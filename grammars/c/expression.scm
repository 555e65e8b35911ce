; Expressions are replaced by constants.
; Replacing an expression by an operand, an argument or a member's object needs no rule, because all are expressions.

; return a + f(b);  ─►  return 0;
; Only where a value is read, and not for single words and strings, which have their own rules or are small already.
([
  (return_statement (expression) @replace)
  (init_declarator value: (expression) @replace)
  (assignment_expression right: (expression) @replace)
  (conditional_expression condition: (expression) @replace)
  (conditional_expression consequence: (expression) @replace)
  (conditional_expression alternative: (expression) @replace)
  (binary_expression left: (expression) @replace)
  (binary_expression right: (expression) @replace)
  (unary_expression argument: (expression) @replace)
  (cast_expression value: (expression) @replace)
  (argument_list (expression) @replace)
  (comma_expression right: (expression) @replace)
  (initializer_list (expression) @replace)
  (initializer_pair value: (expression) @replace)
  (case_statement value: (expression) @replace)
  (enumerator value: (expression) @replace)
  (gnu_asm_input_operand value: (expression) @replace)
]
  (#match? @replace "^[^\"']*[^\\w\"']")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

((subscript_expression index: (expression) @replace)
  (#match? @replace "^[^\"']*[^\\w\"']")
  (#set! rule "expression-to-zero")
  (#set! part "index")
  (#set! text "0"))

; 1024, 'x'  ─►  0
([(number_literal) (char_literal)] @replace
  (#set! rule "literal-to-zero")
  (#set! text "0"))

; "text"  ─►  ""
((string_literal) @replace
  (#not-eq? @replace "\"C\"")
  (#set! rule "string-to-empty")
  (#set! text "\"\""))

; { { 1, 2 }, { 3 } }  ─►  { 0, { 3 } }
((initializer_list (initializer_list) @replace)
  (#set! rule "initializer-list-to-zero")
  (#set! text "0"))

; = { 1, 2, 3 }  ─►  = {}
([
  (init_declarator value: (initializer_list) @replace)
  (compound_literal_expression value: (initializer_list) @replace)
]
  (#set! rule "initializer-list-to-empty")
  (#set! text "{}"))

; a += b  ─►  a = b
((assignment_expression operator: _ @replace)
  (#not-eq? @replace "=")
  (#set! rule "compound-assignment-to-plain")
  (#set! late)
  (#set! text "="))

; a += b  ─►  a++
((assignment_expression
  operator: ["+=" "-=" "*=" "/=" "%=" "<<=" ">>=" "&=" "|=" "^="] @replace
  right: (_) @delete)
  (#set! rule "assignment-to-increment")
  (#set! late)
  (#set! text "++"))

; NULL  ─►  0, which needs no header
((null) @replace
  (#eq? @replace "NULL")
  (#set! rule "null-to-zero")
  (#set! text "0"))
