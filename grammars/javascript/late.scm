; Rules that save a few tokens in small texts.

; a = a + b;  ─►  a += b;
((assignment_expression
  left: (_) @_name
  "=" @delete
  right: (binary_expression
    left: (_) @delete @_other
    operator: ["+" "-" "*" "/" "%" "**" "<<" ">>" ">>>" "&" "|" "^" "&&" "||" "??"] @replace @_operator))
  (#eq? @_name @_other)
  (#set! rule "assignment-to-compound")
  (#set! late)
  (#set! text "{_operator}="))

; a = c; b = c;  ─►  a = b = c;
((expression_statement (assignment_expression right: (_) @replace @_value))
  . (expression_statement (assignment_expression right: (_) @_same) @_next) @delete
  (#eq? @_value @_same)
  (#set! rule "assignments-to-one")
  (#set! late)
  (#set! text "{_next}"))

; a === b  ─►  !a
((binary_expression left: (_) @_left operator: ["==" "===" "!=" "!=="]) @replace
  (#set! rule "comparison-to-negation")
  (#set! late)
  (#set! text "!{_left}"))

; ''  ─►  0
((string) @replace
  (#match? @replace "^(''|\"\")$")
  (#set! rule "empty-string-to-zero")
  (#set! late)
  (#set! text "0"))

; function (a) { return b; }  ─►  (a) => b
((function_expression
  !name
  parameters: (_) @_parameters
  body: (statement_block . (return_statement (_) @_value) .)) @replace
  (#set! rule "function-to-arrow")
  (#set! late)
  (#set! text "{_parameters} => {_value}"))

; function (a) { … }  ─►  a => { … }
((function_expression
  !name
  parameters: (formal_parameters . (identifier) @_parameter .)
  body: (_) @_body) @replace
  (#not-match? @_body "^\\{\\s*return\\b")
  (#set! part "bare-parameter")
  (#set! rule "function-to-arrow")
  (#set! late)
  (#set! text "{_parameter} => {_body}"))

; (a) => b  ─►  a => b
((arrow_function parameters: (formal_parameters . "(" @delete . (identifier) . ")" @delete))
  (#set! part "bare-parameter")
  (#set! rule "parameter-without-brackets")
  (#set! late))

; { a: function (b) { … } }  ─►  { a(b) { … } }
((pair
  key: (property_identifier)
  ":" @delete
  value: (function_expression "function" @delete !name))
  (#set! rule "function-to-method")
  (#set! late))

; var f = function (a) { … };  ─►  function f(a) { … }
([
  (variable_declaration . "var" . (variable_declarator
    name: (identifier) @_name
    value: (function_expression !name parameters: (_) @_parameters body: (_) @_body)) . ";")
  (lexical_declaration . kind: _ . (variable_declarator
    name: (identifier) @_name
    value: (function_expression !name parameters: (_) @_parameters body: (_) @_body)) . ";")
] @replace
  (#set! rule "variable-to-function")
  (#set! late)
  (#set! text "function {_name}{_parameters} {_body}"))

; a['b']  ─►  a.b
((subscript_expression object: (_) @_object index: (string (string_fragment) @_name)) @replace
  (#match? @_name "^[A-Za-z_$][\\w$]*$")
  (#set! rule "subscript-to-property")
  (#set! late)
  (#set! text "{_object}.{_name}"))

; if (a) return b; else return c;  ─►  return a ? b : c;
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: [
    (return_statement (_) @_first)
    (statement_block . (return_statement (_) @_first) .)
  ]
  alternative: (else_clause [
    (return_statement (_) @_second)
    (statement_block . (return_statement (_) @_second) .)
  ])) @replace
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "return {_condition} ? {_first} : {_second};"))

((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: [
    (return_statement (_) @_first)
    (statement_block . (return_statement (_) @_first) .)
  ]
  !alternative) @delete
  . (return_statement (_) @replace @_second)
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "{_condition} ? {_first} : {_second}"))

; if (a) b = c; else b = d;  ─►  b = a ? c : d;
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: [
    (expression_statement (assignment_expression left: (_) @_name right: (_) @_first))
    (statement_block . (expression_statement (assignment_expression left: (_) @_name right: (_) @_first)) .)
  ]
  alternative: (else_clause [
    (expression_statement (assignment_expression left: (_) @_other right: (_) @_second))
    (statement_block . (expression_statement (assignment_expression left: (_) @_other right: (_) @_second)) .)
  ])) @replace
  (#eq? @_name @_other)
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "{_name} = {_condition} ? {_first} : {_second};"))

; if (a) b();  ─►  a && b();
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: [
    (expression_statement [(call_expression) (update_expression)] @_value)
    (statement_block . (expression_statement [(call_expression) (update_expression)] @_value) .)
  ]
  !alternative) @replace
  (#set! rule "if-to-and")
  (#set! late)
  (#set! text "{_condition} && {_value};"))

; a = b(); c(a);  ─►  c(b());
; For names with several assignments.
((expression_statement (assignment_expression left: (identifier) @_name right: (_) @_value)) @delete
  . [
    (return_statement [
      (identifier) @replace
      (call_expression arguments: (arguments (identifier) @replace))
      (call_expression function: (member_expression object: (identifier) @replace))
    ])
    (expression_statement [
      (call_expression arguments: (arguments (identifier) @replace))
      (call_expression function: (member_expression object: (identifier) @replace))
      (assignment_expression right: (identifier) @replace)
      (assignment_expression right: (call_expression arguments: (arguments (identifier) @replace)))
      (assignment_expression right: (call_expression function: (member_expression object: (identifier) @replace)))
    ])
    (if_statement condition: (parenthesized_expression (identifier) @replace))
  ]
  (#eq? @replace @_name)
  (#set! rule "assignment-into-use")
  (#set! late)
  (#set! text "{_value}"))

; ({});  ─►  [];
((parenthesized_expression . (object . "{" . "}" .) .) @replace
  (#set! rule "object-to-array")
  (#set! late)
  (#set! text "[]"))

; class a { … } return a;  ─►  return class a { … };
((statement_block
  [
    (class_declaration name: (_) @_name)
    (function_declaration name: (_) @_name)
  ] @replace @_value
  . (return_statement (identifier) @also @_result))
  (#eq? @_name @_result)
  (#set! rule "declaration-to-value")
  (#set! text "")
  (#set! also "{_value}"))
