; Scopes, definitions and references. Functions, classes and their members are global. The name of a variable includes
; its `$`.

[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @local.scope.function

(statement) @statement

(return_statement (_)? @result) @return

; function f($a) { … }
(function_definition
  name: (name) @local.definition.function
  parameters: (formal_parameters) @parameters
  body: (compound_statement) @body)

((method_declaration
  name: (name) @local.definition.method
  parameters: (formal_parameters) @parameters
  body: (compound_statement)? @body)
  (#not-match? @local.definition.method "^__"))

; class C extends B { … }, called with the arguments of its constructor
((class_declaration
  name: (name) @local.definition.class
  (base_clause . (name) @value .)?
  body: (declaration_list
    (method_declaration
      name: (name) @_constructor
      parameters: (formal_parameters) @parameters
      body: (compound_statement) @body)))
  (#eq? @_constructor "__construct"))

(class_declaration name: (name) @local.definition.class (base_clause . (name) @value .))

[
  (class_declaration name: (name) @local.definition.class)
  (interface_declaration name: (name) @local.definition.class)
  (trait_declaration name: (name) @local.definition.class)
  (enum_declaration name: (name) @local.definition.class)
]

[
  (class_declaration name: (name) @class (base_clause . (name) @base .)? body: (declaration_list) @members)
  (trait_declaration name: (name) @class body: (declaration_list) @members)
]

((scoped_call_expression scope: (relative_scope) name: (name) @_constructor arguments: (arguments) @arguments) @construct
  (#eq? @_constructor "__construct"))

; Parts of a method that are not valid for a function.
(method_declaration [(visibility_modifier) (static_modifier) (abstract_modifier) (final_modifier)] @shed)

; The only name of a list is removed together with the declaration.
(const_declaration "const" . (const_element . (name) @local.definition.enumerator (_) @value) . ";") @use

(const_element . (name) @local.definition.enumerator (_) @value)

(enum_case name: (name) @local.definition.enumerator)

; $f = function ($a) { … };
((assignment_expression
  left: (variable_name) @local.definition.function
  right: (anonymous_function parameters: (formal_parameters) @parameters body: (compound_statement) @body))
  (#set! reach "function"))

((assignment_expression
  left: (variable_name) @local.definition.function
  right: (arrow_function parameters: (formal_parameters) @parameters body: (_) @value))
  (#set! reach "function"))

; $a = 1
((assignment_expression left: (variable_name) @local.definition.variable right: (_) @value) @use
  (#not-eq? @local.definition.variable "$this")
  (#set! reach "function"))

(property_declaration
  [
    (visibility_modifier)
    (static_modifier)
    (var_modifier)
    (readonly_modifier)
    (primitive_type)
    (named_type)
    (optional_type)
    (union_type)
  ]
  . (property_element name: (variable_name (name) @local.definition.field) default_value: (_)? @value)
  . ";") @use

(property_element name: (variable_name (name) @local.definition.field) default_value: (_)? @value)

((assignment_expression
  left: (member_access_expression object: (_) @object name: (name) @local.definition.field)
  right: (_) @value) @use)

(property_promotion_parameter name: (variable_name) @local.definition.variable)

[
  (simple_parameter name: (variable_name) @local.definition.variable default_value: (_)? @value)
  (variadic_parameter name: (variable_name) @local.definition.variable)
  (static_variable_declaration name: (variable_name) @local.definition.variable)
  (catch_clause name: (variable_name) @local.definition.variable)
]

((foreach_statement (variable_name) (variable_name) @local.definition.variable)
  (#set! reach "function"))

((foreach_statement (pair (variable_name) @local.definition.variable))
  (#set! reach "function"))

(scoped_property_access_expression name: (variable_name (name) @local.reference.field)) @use

; Uses are removed together with the variable; of an assignment to it, the value stays.
(function_call_expression function: (variable_name) @local.reference arguments: (arguments) @arguments) @use

(member_call_expression object: (variable_name) @local.reference) @use

(member_access_expression object: (variable_name) @local.reference) @use

(augmented_assignment_expression left: (variable_name) @local.reference right: (_) @value) @use

[(variadic_unpacking) (variadic_parameter)] @spread

[(list_literal) (array_creation_expression)] @tuple

; new $a['b'](…): the called expression can be replaced by a class.
(object_creation_expression [(subscript_expression) (member_access_expression) (variable_name)] @callee)

(variable_name) @local.reference

; $a->f($b), A::f($b), f($b), $a->b
(member_call_expression
  object: (_) @object
  name: (name) @local.reference.method
  arguments: (arguments) @arguments) @use

(scoped_call_expression
  scope: (_) @object
  name: (name) @local.reference.method
  arguments: (arguments) @arguments) @use

(function_call_expression function: (name) @local.reference arguments: (arguments) @arguments) @use

(object_creation_expression (name) @local.reference (arguments) @arguments) @use

(member_access_expression object: (_) @object name: (name) @local.reference.field) @use

(class_constant_access_expression (_) . (name) @local.reference) @use

[(integer) (string)] @literal

(name) @local.reference
