; Scopes, what defines a name, and what refers to it.
; A name may have several definitions: every assignment is one.

([(function_definition) (lambda)] @scope
  (#set! kind "function"))

[
  (list_comprehension)
  (set_comprehension)
  (dictionary_comprehension)
  (generator_expression)
] @scope

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

; A class in a class is an attribute of it.
((class_definition
  body: (block (class_definition name: (identifier) @define
    body: (block
      (function_definition
        name: (identifier) @constructor
        parameters: (parameters) @parameters)))))
  (#eq? @constructor "__init__")
  (#set! kind "class")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! free "{name}")
  (#set! skip "1")
  (#set! constant "0"))

((class_definition
  body: (block (class_definition name: (identifier) @define)))
  (#set! kind "class")
  (#set! free "{name}")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! constant "0"))

; class C: …, called with the arguments of its constructor
((class_definition
  name: (identifier) @define
  superclasses: (argument_list . (identifier) @value .)?
  body: (block
    (function_definition
      name: (identifier) @constructor
      parameters: (parameters) @parameters
      body: (block) @body)))
  (#eq? @constructor "__init__")
  (#set! kind "class")
  (#set! free "{name}")
  (#set! skip "1")
  (#set! constant "0"))

((class_definition
  name: (identifier) @define
  superclasses: (argument_list . (identifier) @value .))
  (#set! kind "class")
  (#set! constant "0"))

((class_definition name: (identifier) @define)
  (#set! kind "class")
  (#set! constant "0"))

; Methods and attributes of the same name are one name, whatever they are attributes of.
((class_definition
  body: (block (function_definition name: (identifier) @define)))
  (#match? @define "^__")
  (#set! kind "method")
  (#set! namespace "attribute")
  (#set! reach "everywhere"))

; A property that only returns is its value.
((class_definition
  body: (block (decorated_definition
    (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
    definition: (function_definition
      name: (identifier) @define
      body: (block . (return_statement (_) @value) .)))))
  (#any-of? @_decorator "property" "cached_property")
  (#set! kind "attribute")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! constant "0")
  (#set! free "{name}"))

((class_definition
  body: (block (decorated_definition
    (decorator (identifier) @_decorator)
    definition: (function_definition
      name: (identifier) @define
      parameters: (parameters) @parameters
      body: (block) @body))))
  (#eq? @_decorator "staticmethod")
  (#set! kind "method")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! constant "0")
  (#set! free "{name}")
  (#set! declare "{name} = None;")
  (#set! local "{name} = {argument}"))

((class_definition
  body: (block [
    (function_definition
      name: (identifier) @define
      parameters: (parameters) @parameters
      body: (block) @body)
    (decorated_definition
      definition: (function_definition
        name: (identifier) @define
        parameters: (parameters) @parameters
        body: (block) @body))
  ]))
  (#set! kind "method")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! skip "1")
  (#set! constant "0")
  (#set! free "{name}")
  (#set! declare "{name} = None;")
  (#set! local "{name} = {argument}"))

; What a method has no longer once it is a function.
((class_definition
  body: (block (decorated_definition
    (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)]) @shed)))
  (#any-of? @_decorator "staticmethod" "classmethod" "property" "cached_property"))

((class_definition
  body: (block (expression_statement (assignment left: (identifier) @define right: (_)? @value))))
  (#set! free "{name}")
  (#set! kind "attribute")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! constant "0"))

((assignment left: (attribute object: (_) @object attribute: (identifier) @define) right: (_)? @value)
  (#set! free "{name}")
  (#set! kind "attribute")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! constant "0"))

((augmented_assignment left: (attribute object: (_) @object attribute: (identifier) @define))
  (#set! free "{name}")
  (#set! kind "attribute")
  (#set! namespace "attribute")
  (#set! reach "everywhere")
  (#set! constant "0"))

; def f(a): …
((function_definition
  name: (identifier) @define
  parameters: (parameters) @parameters
  body: (block) @body)
  (#set! kind "function")
  (#set! reach "outer")
  (#set! constant "0")
  (#set! declare "{name} = None;")
  (#set! local "{name} = {argument}"))

; f = lambda a: …
((assignment
  left: (identifier) @define
  right: (lambda parameters: (lambda_parameters) @parameters body: (_) @value))
  (#set! kind "function")
  (#set! constant "0"))

((assignment left: (identifier) @define right: (lambda !parameters body: (_) @value))
  (#set! kind "function")
  (#set! constant "0"))

((assignment left: (identifier) @define right: (_) @value)
  (#set! kind "variable")
  (#set! constant "0")
  (#set! parameter "{name}"))

; a, b = c, d
((assignment
  left: (pattern_list . (identifier) @define . (_) .)
  right: [(tuple . (_) @value @pair . (_) .) (expression_list . (_) @value @pair . (_) .)])
  (#set! kind "variable")
  (#set! constant "0"))

((assignment
  left: (pattern_list . (_) . (identifier) @define .)
  right: [(tuple . (_) . (_) @value @pair .) (expression_list . (_) . (_) @value @pair .)])
  (#set! kind "variable")
  (#set! constant "0"))

([
  (assignment left: (identifier) @define)
  (augmented_assignment left: (identifier) @define)
  (for_statement left: (identifier) @define)
  (for_in_clause left: (identifier) @define)
  (pattern_list (identifier) @define)
  (tuple_pattern (identifier) @define)
  (list_pattern (identifier) @define)
  (list_splat_pattern (identifier) @define)
  (dictionary_splat_pattern (identifier) @define)
  (as_pattern_target (identifier) @define)
  (as_pattern (case_pattern) (identifier) @define)
  (splat_pattern (identifier) @define)
  (delete_statement (identifier) @define)
  (parameters (identifier) @define)
  (lambda_parameters (identifier) @define)
  (default_parameter name: (identifier) @define value: (_) @value)
  (typed_parameter (identifier) @define)
  (typed_default_parameter name: (identifier) @define value: (_) @value)
]
  (#set! kind "variable")
  (#set! constant "0"))

((case_pattern . (dotted_name . (identifier) @define .))
  (#set! kind "variable")
  (#set! constant "0"))

((keyword_pattern (dotted_name . (identifier) @define .) .)
  (#set! kind "variable")
  (#set! constant "0"))

; A walrus in a comprehension is known in the function around it.
((named_expression name: (identifier) @define value: (_) @value)
  (#set! kind "variable")
  (#set! reach "function")
  (#set! constant "0"))

((type_parameter (type (identifier) @define))
  (#set! kind "type")
  (#set! constant "int"))

; import a as b
((aliased_import name: (dotted_name) @value alias: (identifier) @define) @alias
  (#set! kind "import")
  (#set! constant "0"))

((import_statement name: (dotted_name . (identifier) @define) @use)
  (#set! kind "import")
  (#set! constant "0"))

((import_from_statement name: (dotted_name . (identifier) @define) @use)
  (#set! kind "import")
  (#set! constant "0"))

; Names of modules, and those that modules have.
((import_statement name: (dotted_name (identifier) (identifier) @refer))
  (#set! namespace "module"))

((import_from_statement module_name: (dotted_name (identifier) @refer))
  (#set! namespace "module"))

((aliased_import name: (dotted_name (identifier) @refer))
  (#set! namespace "module"))

; The name in this scope is that of an outer one.
((global_statement (identifier) @refer) @use
  (#set! reach "everywhere"))

((nonlocal_statement (identifier) @refer) @use
  (#set! reach "outer"))

(keyword_argument name: (identifier) @keyword) @argument

[(list_splat) (dictionary_splat) (list_splat_pattern) (dictionary_splat_pattern)] @spread

; Targets, and what is put into them.
[
  (pattern_list)
  (tuple_pattern)
  (list_pattern)
  (tuple)
  (list)
  (expression_list)
] @tuple

[(integer) (float) (string)] @literal

; The constructor of the base is called with its arguments.
(class_definition
  name: (identifier) @class
  superclasses: (argument_list . (identifier) @base)?
  body: (block) @members)

; What is called may be a class.
(call function: [(call) (subscript)] @callee)

((call
  function: (attribute
    object: (call function: (identifier) @_super)
    attribute: (identifier) @_constructor)
  arguments: (argument_list) @arguments) @construct
  (#eq? @_super "super")
  (#eq? @_constructor "__init__"))

((call
  function: (attribute object: (identifier) @refer attribute: (identifier) @_constructor)
  arguments: (argument_list) @arguments) @use
  (#eq? @_constructor "__init__")
  (#set! skip "0"))

; A list that one thing is put into may be that thing.
((call
  function: (attribute object: (identifier) @refer attribute: (identifier) @_put)
  arguments: (argument_list . (_) @element .)) @use
  (#any-of? @_put "append" "add")
  (#set! single "{list} = {element}"))

((call
  function: (attribute
    object: (attribute object: (_) @object attribute: (identifier) @refer)
    attribute: (identifier) @_put)
  arguments: (argument_list . (_) @element .)) @use
  (#any-of? @_put "append" "add")
  (#set! namespace "attribute")
  (#set! single "{list} = {element}"))

; So may a dictionary, whatever the keys are.
((assignment
  left: (subscript value: (identifier) @refer)
  right: (_) @element @value) @use
  (#set! single "{list} = {element}"))

((assignment
  left: (subscript value: (attribute object: (_) @object attribute: (identifier) @refer))
  right: (_) @element @value) @use
  (#set! namespace "attribute")
  (#set! single "{list} = {element}"))

((subscript value: (identifier) @refer) @use
  (#set! single "{list}"))

((subscript value: (attribute object: (_) @object attribute: (identifier) @refer)) @use
  (#set! namespace "attribute")
  (#set! single "{list}"))

((call function: (attribute object: (identifier) @refer attribute: (identifier) @_get)) @use
  (#any-of? @_get "get" "pop")
  (#set! single "{list}"))

((call
  function: (attribute
    object: (attribute object: (_) @object attribute: (identifier) @refer)
    attribute: (identifier) @_get)) @use
  (#any-of? @_get "get" "pop")
  (#set! namespace "attribute")
  (#set! single "{list}"))

((for_statement right: (identifier) @refer)
  (#set! single "[{list}]"))

((for_in_clause right: (identifier) @refer)
  (#set! single "[{list}]"))

((for_statement right: (attribute object: (_) @object attribute: (identifier) @refer) @use)
  (#set! namespace "attribute")
  (#set! single "[{list}]"))

((for_in_clause right: (attribute object: (_) @object attribute: (identifier) @refer) @use)
  (#set! namespace "attribute")
  (#set! single "[{list}]"))

; What is asked of a name goes with it.
(call function: (identifier) @refer arguments: (argument_list) @arguments) @use

(call function: (attribute object: (identifier) @refer)) @use

(call function: (attribute object: (attribute object: (identifier) @refer))) @use

(attribute object: (identifier) @refer) @use

((call
  function: (attribute object: (_) @object attribute: (identifier) @refer)
  arguments: (argument_list) @arguments) @use
  (#set! namespace "attribute"))

((attribute object: (_) @object attribute: (identifier) @refer) @use
  (#set! namespace "attribute"))

(identifier) @refer
