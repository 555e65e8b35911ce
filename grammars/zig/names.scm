; Scopes, definitions and references.

(function_declaration) @local.scope.function

[(block) (if_statement) (for_statement) (while_statement) (switch_case) (struct_declaration) (test_declaration)] @local.scope

(block (_) @statement)

(return_expression (_)? @result) @return

((function_declaration
  name: (identifier) @local.definition.function
  (parameters) @parameters
  body: (block) @body)
  (#set! reach "everywhere"))

; const a = 1, for which the grammar uses the same node as for a = 1
(variable_declaration ["const" "var"] . (identifier) @local.definition.variable "=" (_) @value) @use

(variable_declaration ["const" "var"] . (identifier) @local.definition.variable) @use

(variable_declaration . (identifier) @local.reference (_) @value) @use

[
  (parameter name: (identifier) @local.definition.variable)
  (payload (identifier) @local.definition.variable)
]

(block_label (identifier) @local.definition.label)

(break_label (identifier) @local.reference.label)

(container_field name: (identifier) @local.definition.field)

(field_expression member: (identifier) @local.reference.field) @use

(call_expression function: (identifier) @local.reference . "(" @arguments) @use

(field_expression object: (identifier) @local.reference) @use

(assignment_expression left: (identifier) @local.reference right: (_) @value) @use

[(integer) (string)] @literal

(identifier) @local.reference
