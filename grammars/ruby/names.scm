; Scopes, definitions and references. Methods, classes and constants are global.

[(method) (singleton_method)] @local.scope.function

[(block) (do_block) (lambda)] @local.scope

[(program (_) @statement) (body_statement (_) @statement) (block_body (_) @statement) (then (_) @statement) (else (_) @statement)]

(return (argument_list (_) @result)?) @return

; The constructor is called as `new`, which is its name outside its class.
((class
  body: (body_statement
    (method
      name: (identifier) @local.definition.method
      parameters: (method_parameters)? @parameters
      body: (body_statement)? @body)))
  (#eq? @local.definition.method "initialize")
  (#set! name "new")
  (#set! free "new"))

; def f; a; b; end
(method body: (body_statement (_expression) @return @result .))

; def f(a) … end
(method
  name: (identifier) @local.definition.method
  parameters: (method_parameters)? @parameters
  body: (body_statement) @body)

(singleton_method
  object: (self) @object
  name: (identifier) @local.definition.method
  parameters: (method_parameters)? @parameters
  body: (body_statement)? @body)

; def f(a) = b
(method
  name: (identifier) @local.definition.method
  parameters: (method_parameters)? @parameters
  "="
  body: (_) @value)

[
  (method name: (identifier) @local.definition.method)
  (singleton_method name: (identifier) @local.definition.method)
]

; attr_reader :a
((call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @local.definition.method))
  (#any-of? @_attribute "attr_reader" "attr_accessor")
  (#set! constant "@{name}")
  (#set! free))

; Nodes that are only valid in a class.
((body_statement (identifier) @shed)
  (#any-of? @shed "private" "protected" "public" "private_class_method" "module_function"))

(class name: (constant) @local.definition.class (superclass (constant) @value)?)

; A module is replaced by its contents.
(module name: (constant) @local.definition.class body: (body_statement) @value) @alias

(module name: (constant) @local.definition.class)

(assignment left: (constant) @local.definition.class right: (_) @value) @use

(class name: (constant) @class (superclass (constant) @base)? body: (body_statement) @members)

; a = 1
((assignment left: (identifier) @local.definition.variable right: (_) @value) @use
  (#set! reach "function"))

([
  (method_parameters (identifier) @local.definition.variable)
  (block_parameters (identifier) @local.definition.variable)
  (lambda_parameters (identifier) @local.definition.variable)
  (optional_parameter name: (identifier) @local.definition.variable)
  (keyword_parameter name: (identifier) @local.definition.variable)
  (splat_parameter name: (identifier) @local.definition.variable)
  (hash_splat_parameter name: (identifier) @local.definition.variable)
  (block_parameter name: (identifier) @local.definition.variable)
  (exception_variable (identifier) @local.definition.variable)
])

[(splat_parameter) (splat_argument)] @spread

((assignment
  left: [(instance_variable) (class_variable) (global_variable)] @local.definition.attribute
  right: (_) @value) @use)

[(instance_variable) (class_variable) (global_variable)] @local.reference.attribute

((call
  receiver: (_) @object
  method: (identifier) @local.reference.method
  arguments: (argument_list)? @arguments) @use
  (#set! called))

(call method: (identifier) @local.reference.method arguments: (argument_list) @arguments) @use

; Uses are removed together with the name.
(call receiver: (identifier) @local.reference) @use

(call receiver: (constant) @local.reference) @use

(scope_resolution scope: (constant) @local.reference name: (_) @value) @use

(operator_assignment left: (identifier) @local.reference right: (_) @value) @use

[(integer) (string)] @literal

(constant) @local.reference

; send :f
(simple_symbol) @local.reference.method

((identifier) @local.reference
  (#set! otherwise "method")
  (#set! called))
