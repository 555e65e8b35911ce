; Scopes, definitions and references. Functions, types, constants and variables of the package are known in the whole
; package.

[(function_declaration) (method_declaration) (func_literal)] @local.scope.function

[
  (block)
  (if_statement)
  (for_statement)
  (expression_switch_statement)
  (type_switch_statement)
  (expression_case)
  (type_case)
  (default_case)
  (communication_case)
  (function_type)
  (method_elem)
  (type_spec)
] @local.scope

(statement_list (_) @statement)

(return_statement (_)? @result) @return

; func f[T any](a int) { … }
((function_declaration
  name: (identifier) @local.definition.function
  type_parameters: (type_parameter_list)? @generic
  parameters: (parameter_list) @parameters
  result: (_)? @type
  body: (block) @body)
  (#set! reach "outer"))

((function_declaration
  name: (identifier) @local.definition.function
  type_parameters: (type_parameter_list)? @generic
  parameters: (parameter_list) @parameters
  result: (_)? @type)
  (#set! reach "outer"))

; func (r T) f(a int) { … }, and the methods of an interface
(method_declaration
  receiver: (parameter_list) @object
  name: (field_identifier) @local.definition.method
  parameters: (parameter_list) @parameters
  result: (_)? @type
  body: (block) @body)

(method_declaration
  name: (field_identifier) @local.definition.method
  parameters: (parameter_list) @parameters
  result: (_)? @type)

(method_elem
  name: (field_identifier) @local.definition.method
  parameters: (parameter_list) @parameters
  result: (_)? @type)

; f := func(a int) { … }
(short_var_declaration
  left: (expression_list . (identifier) @local.definition.function .)
  right: (expression_list . (func_literal parameters: (parameter_list) @parameters body: (block) @body) .))

; type S struct { a int }, and other types
((type_spec
  name: (type_identifier) @local.definition.type
  type_parameters: (type_parameter_list)? @generic
  type: (struct_type
    (field_declaration_list . (field_declaration . name: (field_identifier) @only . type: (_) @only.type .) .)))
  (#set! reach "outer"))

((type_spec
  name: (type_identifier) @local.definition.type
  type_parameters: (type_parameter_list)? @generic
  type: (_) @value)
  (#set! reach "outer"))

((type_alias name: (type_identifier) @local.definition.type type: (_) @value)
  (#set! reach "outer"))

(type_parameter_declaration name: (identifier) @local.definition.type type: (type_constraint . (_) @value .))

(type_parameter_declaration name: (identifier) @local.definition.type)

; const a = 1, var a int = 1, a := 1
(const_spec
  . name: (identifier) @local.definition.variable
  . ["=" (_)]
  value: (expression_list . (_) @value .))

(const_spec name: (identifier) @local.definition.variable)

((var_spec
  . name: (identifier) @local.definition.variable
  . type: (_) @type
  value: (expression_list . (_) @value .)?)
  (#set! parameter "{name} {type}"))

(var_spec . name: (identifier) @local.definition.variable . "=" value: (expression_list . (_) @value .))

(var_spec name: (identifier) @local.definition.variable type: (_)? @type)

((short_var_declaration
  left: (expression_list . (identifier) @local.definition.variable .)
  right: (expression_list . (_) @value .))
  (#set! parameter "{name} {type}"))

; a, b := f(): a removed name is replaced by `_`.
([
  (short_var_declaration left: (expression_list (identifier) @local.definition.variable))
  (range_clause left: (expression_list (identifier) @local.definition.variable) ":=")
  (receive_statement left: (expression_list (identifier) @local.definition.variable) ":=")
]
  (#not-eq? @local.definition.variable "_")
  (#set! blank "_"))

([
  (type_switch_statement alias: (expression_list (identifier) @local.definition.variable))
  (parameter_declaration name: (identifier) @local.definition.variable type: (_) @type)
  (variadic_parameter_declaration name: (identifier) @local.definition.variable)
]
  (#not-eq? @local.definition.variable "_"))

(variadic_parameter_declaration) @spread

; func f(a, b int)
(parameter_declaration name: (identifier) @each)

; import a "b/a"
((import_spec name: (package_identifier) @local.definition.import) @use
  (#set! reach "everywhere"))

; import "a/b": the last part of the path is the name.
((import_spec
  !name
  path: (interpreted_string_literal (interpreted_string_literal_content) @local.definition.import)) @use
  (#set! after "/")
  (#set! reach "everywhere"))

; The names of a package are prefixed with the package's name.
(qualified_type package: (package_identifier) @local.reference) @use

(call_expression function: (selector_expression operand: (identifier) @local.reference)) @use

; Fields with the same name are one symbol, in whichever type they are.
(field_declaration name: (field_identifier) @local.definition.field type: (_) @type)

(keyed_element key: (literal_element (identifier) @local.reference.field)) @use

(call_expression
  function: (selector_expression operand: (_) @object field: (field_identifier) @local.reference.method)
  arguments: (argument_list) @arguments) @use

((selector_expression operand: (_) @object field: (field_identifier) @local.reference.field) @use
  (#set! otherwise "method"))

(field_identifier) @local.reference.field

(labeled_statement label: (label_name) @local.definition.label)

(label_name) @local.reference.label

; S[int]
(generic_type type: (type_identifier) @local.reference type_arguments: (type_arguments) @generic) @use

; Uses are removed together with the name; of an assignment to it, the value stays.
(call_expression
  function: (identifier) @local.reference
  type_arguments: (type_arguments)? @generic
  arguments: (argument_list) @arguments) @use

(assignment_statement
  left: (expression_list . [
    (identifier) @local.reference
    (selector_expression operand: (identifier) @local.reference)
    (index_expression operand: (identifier) @local.reference)
    (unary_expression operand: (identifier) @local.reference)
  ] .)
  right: (expression_list . (_) @value .)) @use

(inc_statement (identifier) @local.reference) @use

(dec_statement (identifier) @local.reference) @use

(selector_expression operand: (identifier) @local.reference) @use

(index_expression operand: (identifier) @local.reference) @use

(unary_expression operand: (identifier) @local.reference) @use

(send_statement channel: (identifier) @local.reference) @use

(composite_literal type: (type_identifier) @local.reference) @use

(generic_type type: (type_identifier) @local.reference) @use

(expression_list) @tuple

[(int_literal) (interpreted_string_literal)] @literal

[(identifier) (type_identifier)] @local.reference
