; Scopes, definitions and references.

[(function_declaration) (function_definition)] @local.scope.function

[(do_statement) (while_statement) (repeat_statement) (if_statement) (for_statement)] @local.scope

(statement) @statement

(return_statement (expression_list (_) @result)?) @return

; local function f(a) … end, function f(a) … end
((function_declaration
  name: (identifier) @local.definition.function
  parameters: (parameters) @parameters
  body: (block) @body)
  (#set! reach "outer"))

((function_declaration name: (identifier) @local.definition.function parameters: (parameters) @parameters)
  (#set! reach "outer"))

(assignment_statement
  (variable_list . name: (identifier) @local.definition.function .)
  (expression_list . value: (function_definition parameters: (parameters) @parameters body: (block) @body) .))

; function M.f(a) … end, function M:f(a) … end
(function_declaration
  name: [
    (dot_index_expression field: (identifier) @local.definition.method)
    (method_index_expression method: (identifier) @local.definition.method)
  ]
  parameters: (parameters) @parameters
  body: (block) @body)

(function_declaration
  name: [
    (dot_index_expression field: (identifier) @local.definition.method)
    (method_index_expression method: (identifier) @local.definition.method)
  ]
  parameters: (parameters) @parameters)

; local a = 1
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @local.definition.variable .)
    (expression_list . value: (_) @value .)))

; local a, b = 1, 2
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @local.definition.variable . (_) .)
    (expression_list . value: (_) @value @pair . (_) .)))

(variable_declaration
  (assignment_statement
    (variable_list . (_) . name: (identifier) @local.definition.variable .)
    (expression_list . (_) . value: (_) @value @pair .)))

; self.a = 1, M.f = function (a) … end
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @object field: (identifier) @local.definition.method) .)
  (expression_list . value: (function_definition parameters: (parameters) @parameters body: (block) @body) .)) @use

(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @object field: (identifier) @local.definition.method) .)
  (expression_list . value: (_) @value .)) @use

[
  (variable_declaration (assignment_statement (variable_list name: (identifier) @local.definition.variable)))
  (variable_declaration (variable_list name: (identifier) @local.definition.variable))
  (for_generic_clause (variable_list name: (identifier) @local.definition.variable))
  (for_numeric_clause name: (identifier) @local.definition.variable)
  (parameters name: (identifier) @local.definition.variable)
]

; A variable without a `local` declaration is global.
((assignment_statement
  (variable_list . name: (identifier) @local.definition.variable .)
  (expression_list . value: (_) @value .)) @use
  (#set! reach "known"))

(label_statement (identifier) @local.definition.label)

(goto_statement (identifier) @local.reference.label)

; { a = 1 }, a.b
(field name: (identifier) @local.definition.method value: (_) @value)

(function_call
  name: [
    (dot_index_expression table: (_) @object field: (identifier) @local.reference.method)
    (method_index_expression table: (_) @object method: (identifier) @local.reference.method)
  ]
  arguments: (arguments) @arguments) @use

(dot_index_expression table: (_) @object field: (identifier) @local.reference.method) @use

(method_index_expression method: (identifier) @local.reference.method)

; Uses are removed together with the name.
(function_call name: (identifier) @local.reference arguments: (arguments) @arguments) @use

[
  (dot_index_expression table: (identifier) @local.reference)
  (bracket_index_expression table: (identifier) @local.reference)
  (function_call name: (method_index_expression table: (identifier) @local.reference))
] @use

[(number) (string)] @literal

(identifier) @local.reference
