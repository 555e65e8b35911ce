; function (a) { … }  ─►  a => { … }
((function_expression
  !name
  parameters: (formal_parameters . (required_parameter . (identifier) @_parameter .) .)
  body: (_) @_body) @replace
  (#not-match? @_body "^\\{\\s*return\\b")
  (#set! rule "function-to-arrow")
  (#set! late)
  (#set! text "{_parameter} => {_body}"))

; (a) => b  ─►  a => b
((arrow_function parameters: (formal_parameters . "(" @delete . (required_parameter . (identifier) .) . ")" @delete))
  (#set! rule "parameter-without-brackets")
  (#set! late))

; { f(): T }  ─►  { f: T }
([
  (method_signature parameters: (formal_parameters . "(" . ")" .) @delete return_type: (_))
  (abstract_method_signature parameters: (formal_parameters . "(" . ")" .) @delete return_type: (_))
]
  (#set! rule "method-to-property")
  (#set! late))

; class A { f(): T { … } }  ─►  class A { f?(): T }
((method_definition
  name: (property_identifier) @_name
  parameters: (formal_parameters) @_parameters
  return_type: (type_annotation) @_result
  body: (statement_block)) @replace
  (#not-eq? @_name "constructor")
  (#set! rule "method-to-optional")
  (#set! late)
  (#set! text "{_name}?{_parameters}{_result}\n"))

; a: B<C>  ─►  a: 0
((type_annotation
  [
    (parenthesized_type)
    (function_type)
    (object_type)
    (generic_type)
    (union_type)
    (array_type)
    (type_identifier)
  ] @replace)
  (#set! rule "type-to-zero")
  (#set! late)
  (#set! text "0"))

((union_type [(parenthesized_type) (generic_type) (object_type) (array_type)] @replace)
  (#set! rule "type-to-zero")
  (#set! late)
  (#set! text "0"))
