; Scopes, definitions and references.

[
  (function_declaration)
  (function_expression)
  (generator_function)
  (generator_function_declaration)
  (arrow_function)
  (method_definition)
] @local.scope.function

[(statement_block) (for_statement) (for_in_statement) (catch_clause)] @local.scope

(statement) @statement

(return_statement (_)? @result) @return

; function f(a) { … }
([
  (function_declaration
    name: (identifier) @local.definition.function
    parameters: (formal_parameters) @parameters
    body: (statement_block) @body)
  (generator_function_declaration
    name: (identifier) @local.definition.function
    parameters: (formal_parameters) @parameters
    body: (statement_block) @body)
]
  (#set! reach "outer"))

; The name of a function expression is only known inside it.
[
  (function_expression name: (identifier) @local.definition.function)
  (generator_function name: (identifier) @local.definition.function)
]

; const f = (a) => …
(variable_declarator
  name: (identifier) @local.definition.function
  value: [
    (arrow_function parameters: (formal_parameters) @parameters body: (statement_block) @body)
    (arrow_function parameter: (identifier) @parameters body: (statement_block) @body)
    (function_expression parameters: (formal_parameters) @parameters body: (statement_block) @body)
  ])

(variable_declarator
  name: (identifier) @local.definition.function
  value: [
    (arrow_function parameters: (formal_parameters) @parameters body: (expression) @value)
    (arrow_function parameter: (identifier) @parameters body: (expression) @value)
  ])

; class C { … }, called with the arguments of its constructor
((class_declaration
  name: (identifier) @local.definition.class
  (class_heritage . (identifier) @value .)?
  body: (class_body
    (method_definition
      name: (property_identifier) @constructor
      parameters: (formal_parameters) @parameters)))
  (#eq? @constructor "constructor")
  (#set! part "class")
  (#set! free "function {name}"))

((class_declaration
  name: (identifier) @local.definition.class
  (class_heritage . (identifier) @value .)?)
  (#set! part "class"))

((class name: (identifier) @local.definition.class)
  (#set! part "class"))

; var a = 1;
((variable_declaration (variable_declarator name: (identifier) @local.definition.variable value: (_) @value))
  (#set! reach "function")
  (#set! parameter "{name}"))

((variable_declaration (variable_declarator name: (identifier) @local.definition.variable))
  (#set! reach "function"))

; let a = 1;
((variable_declarator name: (identifier) @local.definition.variable value: (_) @value)
  (#set! parameter "{name}"))

[
  (variable_declarator name: (identifier) @local.definition.variable)
  (arrow_function parameter: (identifier) @local.definition.variable)
  (assignment_pattern left: (identifier) @local.definition.variable right: (_) @value)
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local.definition.variable)
  (object_pattern (shorthand_property_identifier_pattern) @local.definition.variable)
  (pair_pattern value: (identifier) @local.definition.variable)
  (array_pattern (identifier) @local.definition.variable)
  (rest_pattern (identifier) @local.definition.variable)
  (catch_clause parameter: (identifier) @local.definition.variable)
  (for_in_statement kind: _ left: (identifier) @local.definition.variable)
]

((formal_parameters (identifier) @local.definition.variable)
  (#set! part "bare-parameter"))

; import { a as b } from "m";
(import_specifier name: (identifier) @value alias: (identifier) @local.definition.import) @alias

[
  (import_specifier name: (identifier) @local.definition.import !alias)
  (import_clause (identifier) @local.definition.import)
  (namespace_import (identifier) @local.definition.import)
]

; Names that other modules can use.
((import_specifier name: (identifier) @local.reference alias: (_))
  (#set! namespace "module"))

((export_specifier alias: (identifier) @local.reference)
  (#set! namespace "module"))

(labeled_statement label: (statement_identifier) @local.definition.label)

(statement_identifier) @local.reference.label

; Properties with the same name are one symbol, in whichever object they are.
((method_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition.property
  parameters: (formal_parameters) @parameters
  body: (statement_block) @body)
  (#not-eq? @local.definition.property "constructor")
  (#set! free "function {name}"))

((pair
  key: (property_identifier) @local.definition.property
  value: [
    (arrow_function parameters: (formal_parameters) @parameters body: (statement_block) @body)
    (function_expression parameters: (formal_parameters) @parameters body: (statement_block) @body)
  ])
  (#set! declare)
  (#set! local)
  (#set! this))

((field_definition
  property: [(property_identifier) (private_property_identifier)] @local.definition.property
  value: (_)? @value)
  (#set! part "field")
  (#set! free "var {name}"))

; Parts of a member that are only valid inside its class.
(method_definition ["static" "get" "set"] @shed)

((field_definition "static" @shed)
  (#set! part "field"))

(pair key: (property_identifier) @local.definition.property value: (_) @value)

; A.prototype.m = function (a) { … };
((assignment_expression
  left: (member_expression
    object: (_) @object
    property: [(property_identifier) (private_property_identifier)] @local.definition.property)
  right: [
    (arrow_function parameters: (formal_parameters) @parameters body: (statement_block) @body)
    (function_expression parameters: (formal_parameters) @parameters body: (statement_block) @body)
  ])
  (#set! free "var {name}"))

; this.a = 1;
((assignment_expression
  left: (member_expression
    object: (_) @object
    property: [(property_identifier) (private_property_identifier)] @local.definition.property)
  right: (_) @value)
  (#set! free "{name}"))

; A list or an object to which one element is added can be replaced by that element.
((call_expression
  function: (member_expression object: (identifier) @local.reference property: (property_identifier) @_put)
  arguments: (arguments . (_) @element .)) @use
  (#any-of? @_put "push" "add")
  (#set! single "{list} = {element}"))

((call_expression
  function: (member_expression
    object: (member_expression object: (_) @object property: (property_identifier) @local.reference.property)
    property: (property_identifier) @_put)
  arguments: (arguments . (_) @element .)) @use
  (#any-of? @_put "push" "add")
  (#set! single "{list} = {element}"))

((assignment_expression
  left: (subscript_expression object: (identifier) @local.reference)
  right: (_) @element @value) @use
  (#set! single "{list} = {element}"))

((assignment_expression
  left: (subscript_expression
    object: (member_expression object: (_) @object property: (property_identifier) @local.reference.property))
  right: (_) @element @value) @use
  (#set! single "{list} = {element}"))

((subscript_expression object: (identifier) @local.reference) @use
  (#set! single "{list}"))

((subscript_expression
  object: (member_expression object: (_) @object property: (property_identifier) @local.reference.property)) @use
  (#set! single "{list}"))

((call_expression
  function: (member_expression object: (identifier) @local.reference property: (property_identifier) @_get)) @use
  (#any-of? @_get "get" "pop" "shift")
  (#set! single "{list}"))

((call_expression
  function: (member_expression
    object: (member_expression object: (_) @object property: (property_identifier) @local.reference.property)
    property: (property_identifier) @_get)) @use
  (#any-of? @_get "get" "pop" "shift")
  (#set! single "{list}"))

(call_expression
  function: (member_expression
    object: (_) @object
    property: [(property_identifier) (private_property_identifier)] @local.reference.property)
  arguments: (arguments) @arguments) @use

(member_expression
  object: (_) @object
  property: [(property_identifier) (private_property_identifier)] @local.reference.property) @use

[(property_identifier) (private_property_identifier)] @local.reference.property

; Calls of the base class's constructor.
((class_declaration
  name: (identifier) @class
  (class_heritage . (identifier) @base .)?
  body: (class_body) @members)
  (#set! part "class"))

(call_expression function: (super) arguments: (arguments) @arguments) @construct

; Uses are removed together with the name.
(call_expression function: (identifier) @local.reference arguments: (arguments) @arguments) @use

(new_expression constructor: (identifier) @local.reference arguments: (arguments) @arguments) @use

(call_expression function: (member_expression object: (identifier) @local.reference)) @use

(assignment_expression
  left: (member_expression object: (identifier) @local.reference)
  right: (_) @value) @use

[(spread_element) (rest_pattern)] @spread

[(array) (array_pattern)] @tuple

[(number) (string)] @literal

(member_expression object: (identifier) @local.reference) @use

(assignment_expression left: (identifier) @local.reference right: (_) @value) @use

(augmented_assignment_expression left: (identifier) @local.reference right: (_) @value) @use

(update_expression argument: (identifier) @local.reference) @use

((shorthand_property_identifier) @local.reference
  (#set! written "{name}: {value}"))

(identifier) @local.reference
