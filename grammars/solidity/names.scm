; Scopes, definitions and references. Contracts and their members are global.

[(function_definition) (constructor_definition) (modifier_definition)] @local.scope.function

[(block_statement) (for_statement) (struct_declaration) (event_definition) (error_declaration)] @local.scope

(statement) @statement

(return_statement (_)? @result) @return

; contract C is A { … }
([
  (contract_declaration
    name: (identifier) @class
    (inheritance_specifier ancestor: (user_defined_type . (identifier) @base .))?
    body: (contract_body) @members)
  (interface_declaration
    name: (identifier) @class
    (inheritance_specifier ancestor: (user_defined_type . (identifier) @base .))?
    body: (contract_body) @members)
  (library_declaration name: (identifier) @class body: (contract_body) @members)
])

; Parts of a function that are only valid inside its contract.
(function_definition [(visibility) (virtual) (override_specifier)] @shed)

; contract C is A { constructor(uint a) { … } }
((contract_declaration
  name: (identifier) @local.definition.class
  body: (contract_body (constructor_definition "constructor" . "(" @parameters)))
  (#set! reach "everywhere"))

((contract_declaration
  name: (identifier) @local.definition.class
  . (inheritance_specifier ancestor: (user_defined_type . (identifier) @value .)))
  (#set! reach "everywhere"))

([
  (contract_declaration name: (identifier) @local.definition.class)
  (interface_declaration name: (identifier) @local.definition.class)
  (library_declaration name: (identifier) @local.definition.class)
]
  (#set! reach "everywhere"))

((struct_declaration name: (identifier) @local.definition.type)
  (#set! reach "everywhere"))

((enum_declaration name: (identifier) @local.definition.type)
  (#set! reach "everywhere"))

((enum_value) @local.definition.enumerator
  (#set! reach "everywhere"))

((function_definition name: (identifier) @local.definition.function . "(" @parameters body: (function_body) @body)
  (#set! reach "everywhere"))

([
  (function_definition name: (identifier) @local.definition.function . "(" @parameters)
  (modifier_definition name: (identifier) @local.definition.function)
  (event_definition name: (identifier) @local.definition.function)
  (error_declaration name: (identifier) @local.definition.function)
]
  (#set! reach "everywhere"))

((state_variable_declaration name: (identifier) @local.definition.variable value: (_)? @value)
  (#set! reach "everywhere"))

; uint a = 1;
(variable_declaration_statement
  (variable_declaration name: (identifier) @local.definition.variable)
  value: (_) @value)

[
  (variable_declaration name: (identifier) @local.definition.variable)
  (parameter name: (identifier) @local.definition.variable)
]

((struct_member name: (identifier) @local.definition.field))

(import_directive import_name: (identifier) @value alias: (identifier) @local.definition.import) @alias

(import_directive import_name: (identifier) @local.definition.import)

; L.f(a)
(call_expression
  function: (expression
    (member_expression object: [(identifier) (expression)] @object property: (identifier) @local.reference))
  . "(" @arguments) @use

; L.S
(user_defined_type . (identifier) @object . (identifier) @local.reference) @use

((member_expression object: (_) @object property: (identifier) @local.reference.field) @use
  (#set! otherwise ""))

; Uses are removed together with the name; of an assignment to it, the value stays.
(call_expression function: (expression (identifier) @local.reference) . "(" @arguments) @use

(assignment_expression left: (expression (identifier) @local.reference) right: (_) @value) @use

(augmented_assignment_expression left: (expression (identifier) @local.reference) right: (_) @value) @use

(update_expression argument: (expression (identifier) @local.reference)) @use

(member_expression object: (identifier) @local.reference) @use

(array_access base: (expression (identifier) @local.reference)) @use

(modifier_invocation (identifier) @local.reference "(" @arguments) @use

(modifier_invocation (identifier) @local.reference) @use

(emit_statement name: (expression (identifier) @local.reference)) @use

(revert_statement error: (expression (identifier) @local.reference)) @use

(inheritance_specifier
  ancestor: (user_defined_type (identifier) @local.reference)
  ancestor_arguments: "(" @arguments) @use

(inheritance_specifier ancestor: (user_defined_type (identifier) @local.reference)) @use

; new C(a)
(call_expression
  function: (expression (new_expression name: (type_name (user_defined_type . (identifier) @local.reference .))))
  . "(" @arguments) @use

(user_defined_type (identifier) @local.reference) @use

(number_literal) @literal

(identifier) @local.reference
