; Scopes, definitions and references. Types, functions and properties are global.

[(function_declaration) (init_declaration) (lambda_literal)] @local.scope.function

[
  (for_statement)
  (while_statement)
  (if_statement)
  (do_statement)
  (switch_entry)
  (class_declaration)
  (protocol_function_declaration)
] @local.scope

(statements (_) @statement)

(control_transfer_statement "return" result: (_)? @result) @return

(class_declaration
  name: (type_identifier) @class
  . (inheritance_specifier (user_type . (type_identifier) @base .))?
  body: (class_body) @members)

; Parts of a member that are only valid inside its class.
(class_body (function_declaration (modifiers) @shed))

; struct S<T> { … }
(class_declaration name: (type_identifier) @local.definition.class (type_parameters)? @generic)

(protocol_declaration name: (type_identifier) @local.definition.class)

(typealias_declaration name: (type_identifier) @local.definition.class)

(associatedtype_declaration name: (type_identifier) @local.definition.class)

(type_parameter (type_identifier) @local.definition.type)

(enum_entry name: (simple_identifier) @local.definition.enumerator)

(function_declaration
  name: (simple_identifier) @local.definition.function
  (type_parameters)? @generic
  "(" @parameters
  body: (function_body (statements) @body)) @use

(function_declaration
  name: (simple_identifier) @local.definition.function
  (type_parameters)? @generic
  "(" @parameters) @use

(protocol_function_declaration name: (simple_identifier) @local.definition.function) @use

; let a = 1
((class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @local.definition.variable)
    value: (_)? @value) @use)
  (#set! reach "everywhere"))

((source_file
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @local.definition.variable)
    value: (_)? @value) @use)
  (#set! reach "everywhere"))

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @local.definition.variable)
  value: (_)? @value) @use

[
  (parameter name: (simple_identifier) @local.definition.variable)
  (lambda_parameter name: (simple_identifier) @local.definition.variable)
  (for_statement item: (pattern bound_identifier: (simple_identifier) @local.definition.variable))
  (if_statement bound_identifier: (simple_identifier) @local.definition.variable)
]

((guard_statement bound_identifier: (simple_identifier) @local.definition.variable)
  (#set! reach "function"))

; a.f(b), f(b)
(call_expression
  (navigation_expression
    target: (_) @object
    suffix: (navigation_suffix suffix: (simple_identifier) @local.reference))
  . (call_suffix . (value_arguments) @arguments .)) @use

(value_argument name: (value_argument_label (simple_identifier) @keyword)) @argument

(call_expression
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @local.reference))
  (call_suffix)) @use

(call_expression . (simple_identifier) @local.reference . (call_suffix . (value_arguments) @arguments .)) @use

(call_expression . (simple_identifier) @local.reference (call_suffix)) @use

(navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @local.reference)) @use

(call_expression (navigation_expression target: (simple_identifier) @local.reference)) @use

(navigation_expression target: (simple_identifier) @local.reference) @use

; An argument label belongs to the function.
(value_argument_label (simple_identifier) @local.reference.label)

(parameter external_name: (simple_identifier) @local.reference.label)

; Of an assignment to a name, the value stays.
(assignment target: (directly_assignable_expression (simple_identifier) @local.reference) result: (_) @value) @use

(user_type (type_identifier) @local.reference (type_arguments)? @generic) @use

[(integer_literal) (line_string_literal)] @literal

[(simple_identifier) (type_identifier)] @local.reference
