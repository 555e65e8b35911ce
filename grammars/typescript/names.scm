; In addition to JavaScript: types, classes, and parameters with a type.

[
  (class_declaration)
  (abstract_class_declaration)
  (interface_declaration)
  (type_alias_declaration)
  (function_signature)
  (method_signature)
  (abstract_method_signature)
  (call_signature)
  (construct_signature)
  (function_type)
  (constructor_type)
  (conditional_type)
] @local.scope

(index_signature) @local.scope

(mapped_type_clause) @local.scope

; function f(a: number);
((function_signature
  name: (identifier) @local.definition.function
  type_parameters: (type_parameters)? @generic
  parameters: (formal_parameters) @parameters)
  (#set! reach "outer"))

; function f<T>(a: T) { … }
((function_declaration
  name: (identifier) @local.definition.function
  type_parameters: (type_parameters) @generic
  parameters: (formal_parameters) @parameters
  body: (statement_block) @body)
  (#set! reach "outer"))

(variable_declarator
  name: (identifier) @local.definition.function
  value: [
    (arrow_function
      type_parameters: (type_parameters) @generic
      parameters: (formal_parameters) @parameters
      body: (statement_block) @body)
    (function_expression
      type_parameters: (type_parameters) @generic
      parameters: (formal_parameters) @parameters
      body: (statement_block) @body)
  ])

(variable_declarator
  name: (identifier) @local.definition.function
  value: (arrow_function
    type_parameters: (type_parameters) @generic
    parameters: (formal_parameters) @parameters
    body: (expression) @value))

; class C<T> extends B { … }, called with the arguments of its constructor
((class_declaration
  name: (type_identifier) @local.definition.class
  type_parameters: (type_parameters)? @generic
  (class_heritage (extends_clause value: (identifier) @value))?
  body: (class_body
    (method_definition
      name: (property_identifier) @constructor
      parameters: (formal_parameters) @parameters)))
  (#eq? @constructor "constructor")
  (#set! reach "outer")
  (#set! free "function {name}"))

([
  (class_declaration
    name: (type_identifier) @local.definition.class
    type_parameters: (type_parameters)? @generic
    (class_heritage (extends_clause value: (identifier) @value))?)
  (abstract_class_declaration
    name: (type_identifier) @local.definition.class
    type_parameters: (type_parameters)? @generic
    (class_heritage (extends_clause value: (identifier) @value))?)
]
  (#set! reach "outer"))

(class name: (type_identifier) @local.definition.class)

([
  (class_declaration
    name: (type_identifier) @class
    (class_heritage (extends_clause value: (identifier) @base))?
    body: (class_body) @members)
  (abstract_class_declaration
    name: (type_identifier) @class
    (class_heritage (extends_clause value: (identifier) @base))?
    body: (class_body) @members)
])

; type T<U> = …; interface I { … }
((type_alias_declaration
  name: (type_identifier) @local.definition.type
  type_parameters: (type_parameters)? @generic
  value: (_) @value)
  (#set! reach "outer"))

((interface_declaration
  name: (type_identifier) @local.definition.type
  type_parameters: (type_parameters)? @generic
  body: (interface_body) @value)
  (#set! reach "outer"))

(type_parameter name: (type_identifier) @local.definition.type value: (default_type (_) @value))

(type_parameter name: (type_identifier) @local.definition.type constraint: (constraint (_) @value))

(type_parameter name: (type_identifier) @local.definition.type)

(mapped_type_clause name: (type_identifier) @local.definition.type type: (_) @value)

(infer_type (type_identifier) @local.definition.type)

(enum_declaration name: (identifier) @local.definition.class)

(enum_body name: (property_identifier) @local.definition.property)

(enum_assignment name: (property_identifier) @local.definition.property value: (_) @value)

[
  (module name: (identifier) @local.definition.namespace)
  (internal_module name: (identifier) @local.definition.namespace)
]

; f(a: number, b?: string, c = 1)
(required_parameter pattern: (identifier) @local.definition.variable value: (_) @value)

[
  (required_parameter pattern: (identifier) @local.definition.variable)
  (optional_parameter pattern: (identifier) @local.definition.variable)
  (index_signature name: (identifier) @local.definition.variable)
]

; Members with a type.
((public_field_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition.property
  value: (_)? @value)
  (#set! free "var {name}"))

[
  (property_signature name: (property_identifier) @local.definition.property)
  (method_signature
    name: (property_identifier) @local.definition.property
    type_parameters: (type_parameters)? @generic
    parameters: (formal_parameters) @parameters)
  (abstract_method_signature
    name: (property_identifier) @local.definition.property
    type_parameters: (type_parameters)? @generic
    parameters: (formal_parameters) @parameters)
]

((method_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition.property
  type_parameters: (type_parameters) @generic
  parameters: (formal_parameters) @parameters
  body: (statement_block) @body)
  (#set! free "function {name}"))

(public_field_definition ["static" "readonly" "abstract" "declare" (accessibility_modifier)] @shed)

(method_definition (accessibility_modifier) @shed)

(call_expression
  function: (identifier) @local.reference
  type_arguments: (type_arguments) @generic
  arguments: (arguments) @arguments) @use

(call_expression
  function: (member_expression object: (_) @object property: (property_identifier) @local.reference.property)
  type_arguments: (type_arguments) @generic
  arguments: (arguments) @arguments) @use

(generic_type name: (type_identifier) @local.reference type_arguments: (type_arguments) @generic) @use

(nested_type_identifier name: (type_identifier) @local.reference) @use

(nested_type_identifier module: (identifier) @local.reference) @use

(type_query (identifier) @local.reference) @use

(non_null_expression (identifier) @local.reference) @use

(as_expression . (identifier) @local.reference) @use

(type_identifier) @local.reference
