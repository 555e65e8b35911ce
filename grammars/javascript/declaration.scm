; Functions, methods, patterns.

; function f(a, b)  ─►  function f()
((formal_parameters) @replace
  (#set! rule "parameters-to-empty")
  (#set! text "()"))

; async function f()  ─►  function f()
([
  (function_declaration "async" @delete)
  (generator_function_declaration "async" @delete)
  (function_expression "async" @delete)
  (generator_function "async" @delete)
  (arrow_function "async" @delete)
  (method_definition "async" @delete)
  (for_in_statement "await" @delete)
]
  (#set! rule "async-dropped"))

; function* f()  ─►  function f()
([
  (generator_function_declaration "*" @delete)
  (generator_function "*" @delete)
  (method_definition "*" @delete)
]
  (#set! rule "generator-dropped"))

; static f() {}, get f() {}  ─►  f() {}
((method_definition ["static" "get" "set"] @delete)
  (#set! rule "method-modifier-dropped"))

((field_definition "static" @delete)
  (#set! part "field")
  (#set! rule "method-modifier-dropped"))

; let { a } = b  ─►  let a = b
((object_pattern
  . (shorthand_property_identifier_pattern) @with .) @replace
  (#set! rule "pattern-to-name"))

((object_pattern
  . (object_assignment_pattern
    left: (shorthand_property_identifier_pattern) @with) .) @replace
  (#set! rule "pattern-to-name"))

; let a; let b;  ─►  let a, b;
([
  (lexical_declaration kind: _ @_kind ";" @replace .)
  (variable_declaration "var" @_kind ";" @replace .)
]
  . [
    (lexical_declaration kind: _ @delete)
    (variable_declaration "var" @delete)
  ]
  (#eq? @delete @_kind)
  (#set! rule "declarations-to-one")
  (#set! late)
  (#set! text ","))
