; Scopes, definitions and references. Classes, functions and properties of a class are global.

[(function_declaration) (lambda_literal) (anonymous_function)] @local.scope.function

[(block) (for_statement) (class_declaration) (object_declaration) (type_alias) (when_entry)] @local.scope

(block (_) @statement)

(return_expression (_)? @result) @return

[
  (class_declaration
    name: (identifier) @class
    (delegation_specifiers . (delegation_specifier (constructor_invocation (user_type (identifier) @base))))?
    (class_body) @members)
  (object_declaration name: (identifier) @class (class_body) @members)
]

; Parts of a member that are only valid inside its class.
(class_body (function_declaration (modifiers) @shed))

; class C<T>(val a: Int) { … }
(class_declaration
  name: (identifier) @local.definition.class
  (type_parameters)? @generic
  (primary_constructor (class_parameters) @parameters))

; class C<T> { … }
(class_declaration name: (identifier) @local.definition.class (type_parameters)? @generic)

(object_declaration name: (identifier) @local.definition.class)

((type_alias . (identifier) @local.definition.class (_) @value)
  (#set! constant))

(type_parameter . (identifier) @local.definition.type)

(enum_entry . (identifier) @local.definition.enumerator)

; fun <T> f(a: T) { … }
(function_declaration
  (type_parameters)? @generic
  name: (identifier) @local.definition.function
  (function_value_parameters) @parameters
  (function_body (block) @body))

; fun f(a: Int) = …
(function_declaration
  (type_parameters)? @generic
  name: (identifier) @local.definition.function
  (function_value_parameters) @parameters
  (function_body "=" (_) @value))

(function_declaration
  (type_parameters)? @generic
  name: (identifier) @local.definition.function
  (function_value_parameters) @parameters)

; val a = 1
((class_body
  (property_declaration (variable_declaration . (identifier) @local.definition.variable) (expression)? @value) @use)
  (#set! reach "everywhere"))

((source_file
  (property_declaration (variable_declaration . (identifier) @local.definition.variable) (expression)? @value) @use)
  (#set! reach "everywhere"))

(property_declaration (variable_declaration . (identifier) @local.definition.variable) (expression)? @value) @use

((class_parameter (identifier) @local.definition.variable)
  (#set! reach "everywhere"))

[
  (variable_declaration . (identifier) @local.definition.variable)
  (parameter . (identifier) @local.definition.variable)
]

(import (qualified_identifier) . "as" . (identifier) @local.definition.import)

(import (qualified_identifier (identifier) @local.definition.import .))

; a.f<T>(b), a.f(b), a.b
(call_expression
  (navigation_expression (_) @object (identifier) @local.reference .)
  (type_arguments) @generic
  (value_arguments) @arguments) @use

(call_expression
  . (identifier) @local.reference
  (type_arguments) @generic
  (value_arguments) @arguments) @use

(call_expression
  (navigation_expression (_) @object (identifier) @local.reference .)
  (value_arguments) @arguments) @use

(call_expression . (identifier) @local.reference (value_arguments) @arguments) @use

(navigation_expression (_) . (identifier) @local.reference .) @use

; Uses are removed together with the name; of an assignment to it, the value stays.
(navigation_expression . (identifier) @local.reference) @use

(assignment left: (identifier) @local.reference right: (_) @value) @use

(user_type . (identifier) @local.reference (type_arguments)? @generic) @use

[(number_literal) (string_literal)] @literal

(identifier) @local.reference
