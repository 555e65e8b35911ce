; Scopes, definitions and references. Names outside functions are global.

[(function_declaration) (compound_statement) (for_statement)] @local.scope

((function_declaration
  name: (identifier) @local.definition.function
  parameters: (parameter_list) @parameters
  body: (compound_statement) @body)
  (#set! reach "outer"))

((function_declaration name: (identifier) @local.definition.function)
  (#set! reach "outer"))

(struct_declaration name: (identifier) @local.definition.type)

(struct_member (variable_identifier_declaration name: (identifier) @local.definition.field))

(global_constant_declaration
  (variable_identifier_declaration name: (identifier) @local.definition.variable)
  (_) @value .) @use

(variable_statement
  (variable_declaration (variable_identifier_declaration name: (identifier) @local.definition.variable type: (_) @type))
  (_) @value .) @use

(variable_statement . "let" . (identifier) @local.definition.variable (_) @value .) @use

(variable_identifier_declaration name: (identifier) @local.definition.variable)

; The names of attributes are built in.
(attribute . (identifier) @local.reference.label)

(composite_value_decomposition_expression accessor: (identifier) @local.reference.field) @use

; Uses are removed together with the name; of an assignment to it, the value stays.
(assignment_statement left: (lhs_expression (identifier) @local.reference) right: (_) @value) @use

(type_declaration (identifier) @local.reference) @use

[(int_literal) (float_literal)] @literal

(identifier) @local.reference
