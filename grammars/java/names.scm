; Scopes, definitions and references. Classes and their members are global.

[
  (method_declaration)
  (constructor_declaration)
  (compact_constructor_declaration)
  (lambda_expression)
] @local.scope.function

[
  (block)
  (constructor_body)
  (for_statement)
  (enhanced_for_statement)
  (catch_clause)
  (try_with_resources_statement)
  (switch_block_statement_group)
  (switch_rule)
  (if_statement)
  (class_declaration)
  (interface_declaration)
  (record_declaration)
  (enum_declaration)
] @local.scope

(statement) @statement

(return_statement (_)? @result) @return

; class C<T> extends B { … }, called with the arguments of its constructor
((class_declaration
  name: (identifier) @local.definition.class
  type_parameters: (type_parameters)? @generic
  (superclass (type_identifier) @value)?
  body: (class_body
    (constructor_declaration
      name: (identifier) @constructor
      parameters: (formal_parameters) @parameters)))
  (#set! free "void {name}"))

(class_declaration
  name: (identifier) @local.definition.class
  type_parameters: (type_parameters)? @generic
  (superclass (type_identifier) @value)?)

[
  (interface_declaration name: (identifier) @local.definition.class type_parameters: (type_parameters)? @generic)
  (enum_declaration name: (identifier) @local.definition.class)
  (annotation_type_declaration name: (identifier) @local.definition.class)
]

(class_declaration
  name: (identifier) @class
  (superclass [(type_identifier) @base (generic_type . (type_identifier) @base)]))

(class_declaration
  name: (identifier) @class
  (super_interfaces (type_list [(type_identifier) @base (generic_type . (type_identifier) @base)])))

(interface_declaration
  name: (identifier) @class
  (extends_interfaces (type_list [(type_identifier) @base (generic_type . (type_identifier) @base)])))

(record_declaration
  name: (identifier) @local.definition.class
  type_parameters: (type_parameters)? @generic
  parameters: (formal_parameters) @parameters)

(class_declaration
  name: (identifier) @class
  (superclass (type_identifier) @base)?
  body: (class_body) @members)

(explicit_constructor_invocation constructor: (super) arguments: (argument_list) @arguments) @construct

; A constructor has the name of its class.
[
  (constructor_declaration name: (identifier) @local.reference)
  (compact_constructor_declaration name: (identifier) @local.reference)
]

; <T extends B>
(type_parameter (type_identifier) @local.definition.type (type_bound . (_) @value))

(type_parameter (type_identifier) @local.definition.type)

; int f(int a) { … }
((method_declaration
  type_parameters: (type_parameters)? @generic
  type: (_) @type
  name: (identifier) @local.definition.method
  parameters: (formal_parameters) @parameters
  body: (block) @body))

(method_declaration
  type_parameters: (type_parameters)? @generic
  type: (_) @type
  name: (identifier) @local.definition.method
  parameters: (formal_parameters) @parameters)

(annotation_type_element_declaration type: (_) @type name: (identifier) @local.definition.method)

(enum_constant name: (identifier) @local.definition.field)

; int a = 1;
(field_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @local.definition.field value: (_)? @value))

(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @local.definition.field))

(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @local.definition.field value: (_)? @value))

((local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @local.definition.variable value: (_)? @value))
  (#not-eq? @type "var")
  (#set! cast "({type}) {value}")
  (#set! parameter "{type} {name}"))

(variable_declarator name: (identifier) @local.definition.variable value: (_) @value)

(local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @local.definition.variable))

(formal_parameter type: (_) @type name: (identifier) @local.definition.variable)

(enhanced_for_statement type: (_) @type name: (identifier) @local.definition.variable)

[
  (variable_declarator name: (identifier) @local.definition.variable)
  (spread_parameter (variable_declarator name: (identifier) @local.definition.variable))
  (inferred_parameters (identifier) @local.definition.variable)
  (lambda_expression parameters: (identifier) @local.definition.variable)
  (catch_formal_parameter name: (identifier) @local.definition.variable)
  (resource name: (identifier) @local.definition.variable)
  (instanceof_expression name: (identifier) @local.definition.variable)
  (record_pattern_component (identifier) @local.definition.variable)
  (type_pattern (identifier) @local.definition.variable)
]

(spread_parameter) @spread

; import a.B;
(import_declaration (scoped_identifier name: (identifier) @local.definition.import) . ";")

(labeled_statement . (identifier) @local.definition.label)

[
  (break_statement (identifier) @local.reference.label)
  (continue_statement (identifier) @local.reference.label)
]

; a.f(b), f(b), A::f
(method_invocation
  object: (_) @object
  name: (identifier) @local.reference.method
  arguments: (argument_list) @arguments) @use

(method_invocation name: (identifier) @local.reference.method arguments: (argument_list) @arguments) @use

(method_reference (_) . "::" . (identifier) @local.reference.method) @use

(element_value_pair key: (identifier) @local.reference.method) @use

; a.b
((field_access object: (_) @object field: (identifier) @local.reference.field) @use
  (#set! otherwise ""))

(object_creation_expression type: (type_identifier) @local.reference arguments: (argument_list) @arguments) @use

(object_creation_expression
  type: (generic_type (type_identifier) @local.reference (type_arguments) @generic)
  arguments: (argument_list) @arguments) @use

; Uses are removed together with the name; of an assignment to it, the value stays.
((assignment_expression
  left: [
    (identifier) @local.reference
    (field_access object: (identifier) @local.reference)
    (array_access array: (identifier) @local.reference)
  ]
  right: (_) @value) @use
  (#set! otherwise "field"))

([
  (method_invocation object: (identifier) @local.reference)
  (field_access object: (identifier) @local.reference)
  (array_access array: (identifier) @local.reference)
  (update_expression (identifier) @local.reference)
  (cast_expression value: (identifier) @local.reference)
] @use
  (#set! otherwise "field"))

(generic_type (type_identifier) @local.reference (type_arguments) @generic) @use

(scoped_type_identifier (type_identifier) @local.reference .) @use

(marker_annotation name: (identifier) @local.reference) @use

(annotation name: (identifier) @local.reference) @use

(modifiers ["public" "private" "protected" "static" "abstract" "final" (marker_annotation)] @shed)

[(decimal_integer_literal) (string_literal)] @literal

(type_identifier) @local.reference

((identifier) @local.reference
  (#set! otherwise "field"))
