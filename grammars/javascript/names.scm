; Scopes, what defines a name, and what refers to it.

([
  (function_declaration)
  (function_expression)
  (generator_function)
  (generator_function_declaration)
  (arrow_function)
  (method_definition)
] @scope
  (#set! kind "function"))

[(statement_block) (for_statement) (for_in_statement) (catch_clause)] @scope

(statement) @statement

(return_statement (_)? @result) @return

; function f(a) { … }
([
  (function_declaration
    name: (identifier) @define
    parameters: (formal_parameters) @parameters
    body: (statement_block) @body)
  (generator_function_declaration
    name: (identifier) @define
    parameters: (formal_parameters) @parameters
    body: (statement_block) @body)
]
  (#set! kind "function")
  (#set! reach "outer")
  (#set! constant "0")
  (#set! declare "let {parameter};")
  (#set! local "let {parameter} = {argument};"))

; A function's own name is known in it alone.
([
  (function_expression name: (identifier) @define)
  (generator_function name: (identifier) @define)
]
  (#set! kind "function")
  (#set! constant "0"))

; const f = (a) => …
((variable_declarator
  name: (identifier) @define
  value: [
    (arrow_function parameters: (formal_parameters) @parameters body: (statement_block) @body)
    (arrow_function parameter: (identifier) @parameters body: (statement_block) @body)
    (function_expression parameters: (formal_parameters) @parameters body: (statement_block) @body)
  ])
  (#set! kind "function")
  (#set! constant "0")
  (#set! declare "let {parameter};")
  (#set! local "let {parameter} = {argument};"))

((variable_declarator
  name: (identifier) @define
  value: [
    (arrow_function parameters: (formal_parameters) @parameters body: (expression) @value)
    (arrow_function parameter: (identifier) @parameters body: (expression) @value)
  ])
  (#set! kind "function")
  (#set! constant "0"))

; class C { … }, called with the arguments of its constructor
((class_declaration
  name: (identifier) @define
  (class_heritage . (identifier) @value .)?
  body: (class_body
    (method_definition
      name: (property_identifier) @constructor
      parameters: (formal_parameters) @parameters)))
  (#eq? @constructor "constructor")
  (#set! kind "class")
  (#set! free "function {name}")
  (#set! constant "0"))

((class_declaration
  name: (identifier) @define
  (class_heritage . (identifier) @value .)?)
  (#set! kind "class")
  (#set! constant "0"))

((class name: (identifier) @define)
  (#set! kind "class")
  (#set! constant "0"))

; var a = 1;
((variable_declaration (variable_declarator name: (identifier) @define value: (_) @value))
  (#set! kind "variable")
  (#set! reach "function")
  (#set! constant "0")
  (#set! parameter "{name}"))

((variable_declaration (variable_declarator name: (identifier) @define))
  (#set! kind "variable")
  (#set! reach "function")
  (#set! constant "0"))

; let a = 1;
((variable_declarator name: (identifier) @define value: (_) @value)
  (#set! kind "variable")
  (#set! constant "0")
  (#set! parameter "{name}"))

([
  (variable_declarator name: (identifier) @define)
  (formal_parameters (identifier) @define)
  (arrow_function parameter: (identifier) @define)
  (assignment_pattern left: (identifier) @define right: (_) @value)
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @define)
  (object_pattern (shorthand_property_identifier_pattern) @define)
  (pair_pattern value: (identifier) @define)
  (array_pattern (identifier) @define)
  (rest_pattern (identifier) @define)
  (catch_clause parameter: (identifier) @define)
  (for_in_statement kind: _ left: (identifier) @define)
]
  (#set! kind "variable")
  (#set! constant "0"))

; import { a as b } from "m";
((import_specifier name: (identifier) @value alias: (identifier) @define) @alias
  (#set! kind "import")
  (#set! constant "0"))

([
  (import_specifier name: (identifier) @define !alias)
  (import_clause (identifier) @define)
  (namespace_import (identifier) @define)
]
  (#set! kind "import")
  (#set! constant "0"))

; Names that other modules know.
((import_specifier name: (identifier) @refer alias: (_))
  (#set! namespace "module"))

((export_specifier alias: (identifier) @refer)
  (#set! namespace "module"))

((labeled_statement label: (statement_identifier) @define)
  (#set! kind "label")
  (#set! namespace "label")
  (#set! reach "everywhere"))

((statement_identifier) @refer
  (#set! namespace "label"))

; Properties of the same name are one name, whatever they are properties of.
((method_definition
  name: [(property_identifier) (private_property_identifier)] @define
  parameters: (formal_parameters) @parameters
  body: (statement_block) @body)
  (#not-eq? @define "constructor")
  (#set! free "function {name}")
  (#set! this "this")
  (#set! kind "property")
  (#set! namespace "property")
  (#set! reach "everywhere")
  (#set! constant "0")
  (#set! declare "let {parameter};")
  (#set! local "let {parameter} = {argument};"))

((pair
  key: (property_identifier) @define
  value: [
    (arrow_function parameters: (formal_parameters) @parameters body: (statement_block) @body)
    (function_expression parameters: (formal_parameters) @parameters body: (statement_block) @body)
  ])
  (#set! kind "property")
  (#set! namespace "property")
  (#set! reach "everywhere")
  (#set! constant "0"))

((field_definition
  property: [(property_identifier) (private_property_identifier)] @define
  value: (_)? @value)
  (#set! free "var {name}")
  (#set! kind "property")
  (#set! namespace "property")
  (#set! reach "everywhere")
  (#set! constant "0"))

; What a member has no longer once it has left its class.
(method_definition ["static" "get" "set"] @shed)

(field_definition "static" @shed)

((pair key: (property_identifier) @define value: (_) @value)
  (#set! kind "property")
  (#set! namespace "property")
  (#set! reach "everywhere")
  (#set! constant "0"))

; A.prototype.m = function (a) { … };
((assignment_expression
  left: (member_expression
    object: (_) @object
    property: [(property_identifier) (private_property_identifier)] @define)
  right: [
    (arrow_function parameters: (formal_parameters) @parameters body: (statement_block) @body)
    (function_expression parameters: (formal_parameters) @parameters body: (statement_block) @body)
  ])
  (#set! free "var {name}")
  (#set! kind "property")
  (#set! namespace "property")
  (#set! reach "everywhere")
  (#set! constant "0")
  (#set! this "this")
  (#set! declare "let {parameter};")
  (#set! local "let {parameter} = {argument};"))

; this.a = 1;
((assignment_expression
  left: (member_expression
    object: (_) @object
    property: [(property_identifier) (private_property_identifier)] @define)
  right: (_) @value)
  (#set! free "{name}")
  (#set! kind "property")
  (#set! namespace "property")
  (#set! reach "everywhere")
  (#set! constant "0"))

; A list or an object that one thing is put into may be that thing.
((call_expression
  function: (member_expression object: (identifier) @refer property: (property_identifier) @_put)
  arguments: (arguments . (_) @element .)) @use
  (#any-of? @_put "push" "add")
  (#set! single "{list} = {element}"))

((call_expression
  function: (member_expression
    object: (member_expression object: (_) @object property: (property_identifier) @refer)
    property: (property_identifier) @_put)
  arguments: (arguments . (_) @element .)) @use
  (#any-of? @_put "push" "add")
  (#set! namespace "property")
  (#set! single "{list} = {element}"))

((assignment_expression
  left: (subscript_expression object: (identifier) @refer)
  right: (_) @element @value) @use
  (#set! single "{list} = {element}"))

((assignment_expression
  left: (subscript_expression
    object: (member_expression object: (_) @object property: (property_identifier) @refer))
  right: (_) @element @value) @use
  (#set! namespace "property")
  (#set! single "{list} = {element}"))

((subscript_expression object: (identifier) @refer) @use
  (#set! single "{list}"))

((subscript_expression
  object: (member_expression object: (_) @object property: (property_identifier) @refer)) @use
  (#set! namespace "property")
  (#set! single "{list}"))

((call_expression
  function: (member_expression object: (identifier) @refer property: (property_identifier) @_get)) @use
  (#any-of? @_get "get" "pop" "shift")
  (#set! single "{list}"))

((call_expression
  function: (member_expression
    object: (member_expression object: (_) @object property: (property_identifier) @refer)
    property: (property_identifier) @_get)) @use
  (#any-of? @_get "get" "pop" "shift")
  (#set! namespace "property")
  (#set! single "{list}"))

((call_expression
  function: (member_expression
    object: (_) @object
    property: [(property_identifier) (private_property_identifier)] @refer)
  arguments: (arguments) @arguments) @use
  (#set! namespace "property"))

((member_expression
  object: (_) @object
  property: [(property_identifier) (private_property_identifier)] @refer) @use
  (#set! namespace "property"))

([(property_identifier) (private_property_identifier)] @refer
  (#set! namespace "property"))

; The constructor of the base is called with its arguments.
(class_declaration
  name: (identifier) @class
  (class_heritage . (identifier) @base .)?
  body: (class_body) @members)

(call_expression function: (super) arguments: (arguments) @arguments) @construct

; What is asked of a name goes with it.
(call_expression function: (identifier) @refer arguments: (arguments) @arguments) @use

(new_expression constructor: (identifier) @refer arguments: (arguments) @arguments) @use

(call_expression function: (member_expression object: (identifier) @refer)) @use

(assignment_expression
  left: (member_expression object: (identifier) @refer)
  right: (_) @value) @use

[(spread_element) (rest_pattern)] @spread

[(array) (array_pattern)] @tuple

[(number) (string)] @literal

(member_expression object: (identifier) @refer) @use

(assignment_expression left: (identifier) @refer right: (_) @value) @use

(augmented_assignment_expression left: (identifier) @refer right: (_) @value) @use

(update_expression argument: (identifier) @refer) @use

[(identifier) (shorthand_property_identifier)] @refer
