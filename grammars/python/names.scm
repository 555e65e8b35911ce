; Scopes, definitions and references.
; A name can have several definitions: every assignment is one.

[(function_definition) (lambda)] @local.scope.function

[
  (list_comprehension)
  (set_comprehension)
  (dictionary_comprehension)
  (generator_expression)
] @local.scope

[
  (assert_statement)
  (break_statement)
  (class_definition)
  (continue_statement)
  (decorated_definition)
  (delete_statement)
  (exec_statement)
  (expression_statement)
  (for_statement)
  (function_definition)
  (future_import_statement)
  (global_statement)
  (if_statement)
  (import_from_statement)
  (import_statement)
  (match_statement)
  (nonlocal_statement)
  (pass_statement)
  (print_statement)
  (raise_statement)
  (return_statement)
  (try_statement)
  (type_alias_statement)
  (while_statement)
  (with_statement)
] @statement

(return_statement (_)? @result) @return

; A nested class is an attribute of the outer class.
((class_definition
  body: (block (class_definition name: (identifier) @local.definition.class
    body: (block
      (function_definition
        name: (identifier) @constructor
        parameters: (parameters) @parameters)))))
  (#eq? @constructor "__init__")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! skip "1"))

((class_definition
  body: (block (class_definition name: (identifier) @local.definition.class)))
  (#set! namespace "attribute")
  (#set! reach "everywhere"))

; class C: …, called with the arguments of its constructor
((class_definition
  name: (identifier) @local.definition.class
  superclasses: (argument_list . (identifier) @value .)?
  body: (block
    (function_definition
      name: (identifier) @constructor
      parameters: (parameters) @parameters
      body: (block) @body)))
  (#eq? @constructor "__init__")
  (#set! skip "1"))

((class_definition
  name: (identifier) @local.definition.class
  superclasses: (argument_list . (identifier) @value .))
  (#set! free))

((class_definition name: (identifier) @local.definition.class)
  (#set! free))

; Methods and attributes with the same name are one symbol, in whichever class they are.
((class_definition
  body: (block (function_definition name: (identifier) @local.definition.method)))
  (#match? @local.definition.method "^__")
  (#set! constant)
  (#set! free))

; A property that only returns a value stands for that value.
((class_definition
  body: (block (decorated_definition
    (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
    definition: (function_definition
      name: (identifier) @local.definition.attribute
      body: (block . (return_statement (_) @value) .)))))
  (#any-of? @_decorator "property" "cached_property"))

((class_definition
  body: (block (decorated_definition
    (decorator (identifier) @_decorator)
    definition: (function_definition
      name: (identifier) @local.definition.method
      parameters: (parameters) @parameters
      body: (block) @body))))
  (#eq? @_decorator "staticmethod"))

((class_definition
  body: (block [
    (function_definition
      name: (identifier) @local.definition.method
      parameters: (parameters) @parameters
      body: (block) @body)
    (decorated_definition
      definition: (function_definition
        name: (identifier) @local.definition.method
        parameters: (parameters) @parameters
        body: (block) @body))
  ]))
  (#set! skip "1"))

; Parts of a method that are not valid for a function.
((class_definition
  body: (block (decorated_definition
    (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)]) @shed)))
  (#any-of? @_decorator "staticmethod" "classmethod" "property" "cached_property"))

(class_definition
  body: (block (expression_statement (assignment left: (identifier) @local.definition.attribute right: (_)? @value))))

(assignment left: (attribute object: (_) @object attribute: (identifier) @local.definition.attribute) right: (_)? @value)

(augmented_assignment left: (attribute object: (_) @object attribute: (identifier) @local.definition.attribute))

; def f(a): …
((function_definition
  name: (identifier) @local.definition.function
  parameters: (parameters) @parameters
  body: (block) @body)
  (#set! reach "outer"))

; f = lambda a: …
(assignment
  left: (identifier) @local.definition.function
  right: (lambda parameters: (lambda_parameters) @parameters body: (_) @value))

(assignment left: (identifier) @local.definition.function right: (lambda !parameters body: (_) @value))

((assignment left: (identifier) @local.definition.variable right: (_) @value)
  (#set! parameter "{name}"))

; a, b = c, d
(assignment
  left: (pattern_list . (identifier) @local.definition.variable . (_) .)
  right: [(tuple . (_) @value @pair . (_) .) (expression_list . (_) @value @pair . (_) .)])

(assignment
  left: (pattern_list . (_) . (identifier) @local.definition.variable .)
  right: [(tuple . (_) . (_) @value @pair .) (expression_list . (_) . (_) @value @pair .)])

[
  (assignment left: (identifier) @local.definition.variable)
  (augmented_assignment left: (identifier) @local.definition.variable)
  (for_statement left: (identifier) @local.definition.variable)
  (for_in_clause left: (identifier) @local.definition.variable)
  (pattern_list (identifier) @local.definition.variable)
  (tuple_pattern (identifier) @local.definition.variable)
  (list_pattern (identifier) @local.definition.variable)
  (list_splat_pattern (identifier) @local.definition.variable)
  (dictionary_splat_pattern (identifier) @local.definition.variable)
  (as_pattern_target (identifier) @local.definition.variable)
  (as_pattern (case_pattern) (identifier) @local.definition.variable)
  (splat_pattern (identifier) @local.definition.variable)
  (delete_statement (identifier) @local.definition.variable)
  (parameters (identifier) @local.definition.variable)
  (lambda_parameters (identifier) @local.definition.variable)
  (default_parameter name: (identifier) @local.definition.variable value: (_) @value)
  (typed_parameter (identifier) @local.definition.variable)
  (typed_default_parameter name: (identifier) @local.definition.variable value: (_) @value)
]

(case_pattern . (dotted_name . (identifier) @local.definition.variable .))

(keyword_pattern (dotted_name . (identifier) @local.definition.variable .) .)

; The target of `:=` in a comprehension is known in the enclosing function.
((named_expression name: (identifier) @local.definition.variable value: (_) @value)
  (#set! reach "function"))

(function_definition type_parameters: (type_parameter (type (identifier) @local.definition.type)))

(class_definition type_parameters: (type_parameter (type (identifier) @local.definition.type)))

(type_alias_statement left: (type (generic_type (type_parameter (type (identifier) @local.definition.type)))))

; import a as b
(aliased_import name: (dotted_name) @value alias: (identifier) @local.definition.import) @alias

(import_statement name: (dotted_name . (identifier) @local.definition.import) @use)

(import_from_statement name: (dotted_name . (identifier) @local.definition.import) @use)

; Names of modules and names in modules.
((import_statement name: (dotted_name (identifier) (identifier) @local.reference))
  (#set! namespace "module"))

((import_from_statement module_name: (dotted_name (identifier) @local.reference))
  (#set! namespace "module"))

((aliased_import name: (dotted_name (identifier) @local.reference))
  (#set! namespace "module"))

; The name belongs to an outer scope.
((global_statement (identifier) @local.reference) @use
  (#set! reach "everywhere"))

((nonlocal_statement (identifier) @local.reference) @use
  (#set! reach "outer"))

(keyword_argument name: (identifier) @keyword) @argument

[(list_splat) (dictionary_splat) (list_splat_pattern) (dictionary_splat_pattern)] @spread

; Targets and their values.
[
  (pattern_list)
  (tuple_pattern)
  (list_pattern)
  (tuple)
  (list)
  (expression_list)
] @tuple

[(integer) (float) (string)] @literal

; Calls of the base class's constructor.
(class_definition
  name: (identifier) @class
  superclasses: (argument_list . (identifier) @base)?
  body: (block) @members)

; A called expression can be replaced by a class.
(call function: [(call) (subscript)] @callee)

((call
  function: (attribute
    object: (call function: (identifier) @_super)
    attribute: (identifier) @_constructor)
  arguments: (argument_list) @arguments) @construct
  (#eq? @_super "super")
  (#eq? @_constructor "__init__"))

((call
  function: (attribute object: (identifier) @local.reference attribute: (identifier) @_constructor)
  arguments: (argument_list) @arguments) @use
  (#eq? @_constructor "__init__")
  (#set! skip "0"))

; A list to which one element is added can be replaced by that element.
((call
  function: (attribute object: (identifier) @local.reference attribute: (identifier) @_put)
  arguments: (argument_list . (_) @element .)) @use
  (#any-of? @_put "append" "add")
  (#set! single "{list} = {element}"))

((call
  function: (attribute
    object: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute)
    attribute: (identifier) @_put)
  arguments: (argument_list . (_) @element .)) @use
  (#any-of? @_put "append" "add")
  (#set! single "{list} = {element}"))

; The same applies to a dictionary with any keys.
((assignment
  left: (subscript value: (identifier) @local.reference)
  right: (_) @element @value) @use
  (#set! single "{list} = {element}"))

((assignment
  left: (subscript value: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute))
  right: (_) @element @value) @use
  (#set! single "{list} = {element}"))

((subscript value: (identifier) @local.reference) @use
  (#set! single "{list}"))

((subscript value: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute)) @use
  (#set! single "{list}"))

((call function: (attribute object: (identifier) @local.reference attribute: (identifier) @_get)) @use
  (#any-of? @_get "get" "pop")
  (#set! single "{list}"))

((call
  function: (attribute
    object: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute)
    attribute: (identifier) @_get)) @use
  (#any-of? @_get "get" "pop")
  (#set! single "{list}"))

((for_statement right: (identifier) @local.reference)
  (#set! single "[{list}]"))

((for_in_clause right: (identifier) @local.reference)
  (#set! single "[{list}]"))

((for_statement right: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute) @use)
  (#set! single "[{list}]"))

((for_in_clause right: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute) @use)
  (#set! single "[{list}]"))

; Uses are removed together with the name.
(call function: (identifier) @local.reference arguments: (argument_list) @arguments) @use

(call function: (attribute object: (identifier) @local.reference)) @use

(call function: (attribute object: (attribute object: (identifier) @local.reference))) @use

(attribute object: (identifier) @local.reference) @use

(call
  function: (attribute object: (_) @object attribute: (identifier) @local.reference.attribute)
  arguments: (argument_list) @arguments) @use

(attribute object: (_) @object attribute: (identifier) @local.reference.attribute) @use

(identifier) @local.reference
