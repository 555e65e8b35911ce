; Scopes, definitions and references. Classes, objects and their members are global.

[(function_definition) (lambda_expression)] @local.scope.function

[(block) (for_expression) (case_clause) (class_definition) (trait_definition) (function_declaration)] @local.scope

(block (_) @statement)

(return_expression (_)? @result) @return

; { a; b }
(function_definition body: (block (expression) @return @result .))

[
  (class_definition
    name: (identifier) @class
    extend: (extends_clause . type: (type_identifier) @base)?
    body: (template_body) @members)
  (object_definition name: (identifier) @class body: (template_body) @members)
]

; Parts of a member that are only valid inside its class.
(template_body (function_definition (modifiers) @shed))

; class C(a: Int), called with its arguments
(class_definition name: (identifier) @local.definition.class . class_parameters: (class_parameters) @parameters)

(instance_expression (type_identifier) @local.reference (arguments) @arguments) @use

; class C[T]
[
  (class_definition name: (identifier) @local.definition.class type_parameters: (type_parameters)? @generic)
  (object_definition name: (identifier) @local.definition.class)
  (trait_definition name: (identifier) @local.definition.class type_parameters: (type_parameters)? @generic)
  (enum_definition name: (identifier) @local.definition.class type_parameters: (type_parameters)? @generic)
]

(type_definition name: (type_identifier) @local.definition.class type_parameters: (type_parameters)? @generic)

(type_parameters name: (identifier) @local.definition.type)

(simple_enum_case name: (identifier) @local.definition.enumerator)

; def f(a: Int) = …
(function_definition
  name: (identifier) @local.definition.function
  . parameters: (parameters) @parameters
  body: (block) @body)

(function_definition
  name: (identifier) @local.definition.function
  . parameters: (parameters) @parameters
  body: (_) @value)

; def f = …
(function_definition name: (identifier) @local.definition.function !parameters body: (block) @body)

(function_definition name: (identifier) @local.definition.function !parameters body: (_) @value)

; def f[T](a: T) = …
[
  (function_definition name: (identifier) @local.definition.function parameters: (type_parameters)? @generic)
  (function_declaration name: (identifier) @local.definition.function parameters: (type_parameters)? @generic)
]

; val a = 1
((template_body [
    (val_definition pattern: (identifier) @local.definition.variable value: (_) @value)
    (var_definition pattern: (identifier) @local.definition.variable value: (_) @value)
  ] @use)
  (#set! reach "everywhere"))

[
  (val_definition pattern: (identifier) @local.definition.variable value: (_) @value)
  (var_definition pattern: (identifier) @local.definition.variable value: (_) @value)
] @use

((class_parameter name: (identifier) @local.definition.variable)
  (#set! reach "everywhere"))

[
  (parameter name: (identifier) @local.definition.variable)
  (binding name: (identifier) @local.definition.variable)
  (tuple_pattern (identifier) @local.definition.variable)
]

; In a pattern, a name with a capital letter is a constant.
([
  (case_clause pattern: (identifier) @local.definition.variable)
  (case_class_pattern pattern: (identifier) @local.definition.variable)
  (enumerator . (identifier) @local.definition.variable)
]
  (#match? @local.definition.variable "^[a-z]"))

(arrow_renamed_identifier alias: (identifier) @local.definition.import)

(namespace_selectors (identifier) @local.definition.import)

(call_expression function: (identifier) @local.reference arguments: (arguments) @arguments) @use

(call_expression
  function: (field_expression value: (_) @object field: (identifier) @local.reference)
  arguments: (arguments) @arguments) @use

(call_expression
  function: (generic_function
    function: [
      (identifier) @local.reference
      (field_expression value: (_) @object field: (identifier) @local.reference)
    ]
    type_arguments: (type_arguments) @generic)
  arguments: (arguments) @arguments) @use

((field_expression value: (_) @object field: (identifier) @local.reference) @use
  (#set! called))

(field_expression value: (identifier) @local.reference) @use

(assignment_expression left: (identifier) @local.reference right: (_) @value) @use

(generic_type type: (type_identifier) @local.reference type_arguments: (type_arguments) @generic) @use

[(integer_literal) (string)] @literal

((identifier) @local.reference
  (#set! called))

(type_identifier) @local.reference
