; Scopes, what defines a name, and what refers to it, beside what C has.

[(for_range_loop) (lambda_expression) (catch_clause)] @scope

; What is declared in a class template is known outside of it as a member.
((template_declaration) @scope
  (#set! kind "open"))

; auto f = [](int a) { … };
((init_declarator
  declarator: (identifier) @define
  value: (lambda_expression
    declarator: (abstract_function_declarator parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! kind "function")
  (#set! constant "0")
  (#set! declare "{parameter};")
  (#set! local "{parameter} = {argument};"))

; A constructor and a destructor refer to their class.
(field_declaration_list
  (function_definition
    declarator: (function_declarator declarator: (identifier) @refer)))

(field_declaration_list
  (declaration
    declarator: (function_declarator declarator: (identifier) @refer)))

(destructor_name (identifier) @refer)

; template <class T> T f(T a) { … }
((template_declaration
  parameters: (template_parameter_list) @generic
  (function_definition
    declarator: (function_declarator
      declarator: (identifier) @define
      parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! kind "function")
  (#set! reach "everywhere")
  (#set! constant "0"))

((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration
    declarator: (function_declarator
      declarator: (identifier) @define
      parameters: (parameter_list) @parameters)))
  (#set! kind "function")
  (#set! reach "everywhere")
  (#set! constant "0"))

; template <> int f<int>(int a);
((function_declarator
  declarator: (template_function
    name: (identifier) @define
    arguments: (template_argument_list) @arguments)
  parameters: (parameter_list) @parameters)
  (#set! kind "function")
  (#set! reach "everywhere")
  (#set! constant "0"))

; template <class T> int v = 1;
((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration declarator: (init_declarator declarator: (identifier) @define value: (_) @value)))
  (#set! kind "variable")
  (#set! reach "everywhere")
  (#set! constant "0"))

; template <> int v<int> = 1;
((init_declarator
  declarator: (template_function
    name: (identifier) @define
    arguments: (template_argument_list) @arguments))
  (#set! kind "variable")
  (#set! reach "everywhere")
  (#set! constant "0"))

; template <class T> using t = T;
((template_declaration
  parameters: (template_parameter_list) @generic
  (alias_declaration name: (type_identifier) @define type: (type_descriptor) @value))
  (#set! kind "type")
  (#set! reach "outer")
  (#set! constant "int"))

; struct s { template <class T> int f(T a) { … } };
((template_declaration
  parameters: (template_parameter_list) @generic
  (function_definition
    declarator: (function_declarator
      declarator: (field_identifier) @define
      parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! kind "method")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0"))

((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration
    declarator: (function_declarator
      declarator: (field_identifier) @define
      parameters: (parameter_list) @parameters)))
  (#set! kind "method")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0"))

; int a;
((declaration type: (_) @type declarator: (identifier) @define)
  (#set! kind "variable")
  (#set! constant "0")
  (#set! parameter "{type} {name}"))

([
  (optional_parameter_declaration declarator: (identifier) @define)
  (variadic_declarator (identifier) @define)
  (reference_declarator (identifier) @define)
  (structured_binding_declarator (identifier) @define)
  (for_range_loop declarator: (identifier) @define)
  (lambda_capture_initializer left: (identifier) @define)
]
  (#set! kind "variable")
  (#set! constant "0"))

; using t = int;
((alias_declaration name: (type_identifier) @define type: (type_descriptor) @value)
  (#set! kind "type")
  (#set! constant "int"))

([
  (type_parameter_declaration (type_identifier) @define)
  (variadic_type_parameter_declaration (type_identifier) @define)
  (template_template_parameter_declaration (type_parameter_declaration (type_identifier) @define))
]
  (#set! kind "type")
  (#set! constant "int"))

((optional_type_parameter_declaration name: (type_identifier) @define default_type: (_) @value)
  (#set! kind "type")
  (#set! constant "int"))

; A class that is no more than its base stands for that.
((template_declaration
  parameters: (template_parameter_list) @generic
  (_
    name: (type_identifier) @define
    [
      (base_class_clause . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
      (base_class_clause . (access_specifier) . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
    ]
    body: (field_declaration_list . "{" . "}" .)))
  (#set! kind "class")
  (#set! reach "outer")
  (#set! constant "int"))

([
  (struct_specifier
    name: (type_identifier) @define
    [
      (base_class_clause . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
      (base_class_clause . (access_specifier) . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
    ]
    body: (field_declaration_list . "{" . "}" .))
  (class_specifier
    name: (type_identifier) @define
    [
      (base_class_clause . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
      (base_class_clause . (access_specifier) . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
    ]
    body: (field_declaration_list . "{" . "}" .))
]
  (#set! kind "class")
  (#set! constant "int"))

; template <class T> struct s { … };
([
  (template_declaration
    parameters: (template_parameter_list) @generic
    (struct_specifier name: (type_identifier) @define))
  (template_declaration
    parameters: (template_parameter_list) @generic
    (class_specifier name: (type_identifier) @define))
]
  (#set! kind "class")
  (#set! reach "outer")
  (#set! constant "int"))

; Several parameters or arguments in one.
[
  (variadic_type_parameter_declaration "..." @mark)
  (variadic_parameter_declaration declarator: (variadic_declarator "..." @mark))
  (parameter_pack_expansion "..." @mark)
] @spread

; static const int v = 1; as a member
((field_declaration_list
  (field_declaration declarator: (field_identifier) @define default_value: (_) @value))
  (#set! kind "field")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0"))

; A::t and typename A<int>::t, as members of what they say
(dependent_type
  (qualified_identifier
    name: (qualified_identifier scope: (_) @object name: (type_identifier) @refer))) @use

(dependent_type (qualified_identifier scope: (_) @object name: (type_identifier) @refer)) @use

(qualified_identifier scope: (_) @object name: (type_identifier) @refer) @use

; struct s; beside its definition, or in place of one
([
  (translation_unit (struct_specifier name: (type_identifier) @define !body))
  (translation_unit (class_specifier name: (type_identifier) @define !body))
  (translation_unit (union_specifier name: (type_identifier) @define !body))
  (declaration_list (struct_specifier name: (type_identifier) @define !body))
  (declaration_list (class_specifier name: (type_identifier) @define !body))
  (declaration_list (union_specifier name: (type_identifier) @define !body))
]
  (#set! kind "class")
  (#set! constant "int"))

([
  (template_declaration (struct_specifier name: (type_identifier) @define !body))
  (template_declaration (class_specifier name: (type_identifier) @define !body))
]
  (#set! kind "class")
  (#set! reach "outer")
  (#set! constant "int"))

; template <> struct s<int> { … };
([
  (template_declaration
    (struct_specifier
      name: (template_type
        name: (type_identifier) @define
        arguments: (template_argument_list) @arguments)
      body: (_)))
  (template_declaration
    (class_specifier
      name: (template_type
        name: (type_identifier) @define
        arguments: (template_argument_list) @arguments)
      body: (_)))
] @use
  (#set! kind "class")
  (#set! reach "outer")
  (#set! constant "int"))

; struct s { int a; };
([
  (struct_specifier
    name: (type_identifier) @define
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
  (class_specifier
    name: (type_identifier) @define
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
] @value
  (#set! kind "class")
  (#set! constant "int"))

([
  (struct_specifier name: (type_identifier) @define body: (_))
  (class_specifier name: (type_identifier) @define body: (_))
  (union_specifier name: (type_identifier) @define body: (_))
  (enum_specifier name: (type_identifier) @define body: (_))
] @value
  (#set! kind "class")
  (#set! constant "int"))

((concept_definition name: (identifier) @define)
  (#set! kind "concept")
  (#set! reach "everywhere")
  (#set! constant "class"))

[
  (struct_specifier name: (type_identifier) @refer !body)
  (class_specifier name: (type_identifier) @refer !body)
  (union_specifier name: (type_identifier) @refer !body)
  (enum_specifier name: (type_identifier) @refer !body)
] @use

; What is asked of a template goes with it.
(dependent_type
  (qualified_identifier
    scope: (template_type
      name: (type_identifier) @refer
      arguments: (template_argument_list) @generic))) @use

(qualified_identifier
  scope: (template_type
    name: (type_identifier) @refer
    arguments: (template_argument_list) @generic)) @use

(template_type name: (type_identifier) @refer arguments: (template_argument_list) @generic) @use

(qualified_identifier name: (type_identifier) @refer) @use

; A namespace gives way to what is in it.
((namespace_definition name: (namespace_identifier) @define body: (declaration_list) @value) @alias
  (#set! kind "namespace")
  (#set! reach "everywhere"))

; namespace a = b;
((namespace_alias_definition
  name: (namespace_identifier) @define
  [(namespace_identifier) (nested_namespace_specifier)] @value)
  (#set! kind "namespace")
  (#set! reach "everywhere"))

; using n::f; goes with n, namespace n::m becomes namespace m
(using_declaration
  "using"
  . (qualified_identifier
    scope: (namespace_identifier) @refer
    name: [(identifier) (type_identifier)])) @use

(nested_namespace_specifier (namespace_identifier) @refer . "::" . (_) @value) @use

(qualified_identifier scope: (namespace_identifier) @refer name: (_) @value) @use

(namespace_identifier) @refer

; Members of the same name are one name, whatever they are members of.
((field_declaration_list
  (function_definition
    declarator: (function_declarator
      declarator: (field_identifier) @define
      parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! kind "method")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0")
  (#set! declare "{parameter};")
  (#set! local "{parameter} = {argument};"))

((function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @object name: (identifier) @define)
    parameters: (parameter_list) @parameters)
  body: (compound_statement) @body)
  (#set! kind "method")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0")
  (#set! declare "{parameter};")
  (#set! local "{parameter} = {argument};"))

((function_declarator
  declarator: (field_identifier) @define
  parameters: (parameter_list) @parameters)
  (#set! kind "method")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0"))

([
  (field_declaration_list (field_declaration declarator: (field_identifier) @define))
  (pointer_declarator declarator: (field_identifier) @define)
  (array_declarator declarator: (field_identifier) @define)
  (reference_declarator (field_identifier) @define)
  (parenthesized_declarator (field_identifier) @define)
]
  (#set! kind "field")
  (#set! namespace "field")
  (#set! free "{name}")
  (#set! own)
  (#set! reach "everywhere")
  (#set! constant "0"))

((call_expression
  function: (field_expression argument: (_) @object field: (field_identifier) @refer)
  arguments: (argument_list) @arguments) @use
  (#set! namespace "field"))

((call_expression
  function: (field_expression
    argument: (_) @object
    field: (template_method
      name: (field_identifier) @refer
      arguments: (template_argument_list) @generic))
  arguments: (argument_list) @arguments) @use
  (#set! namespace "field"))

; A class, and what its members have no longer once they have left it.
([
  (struct_specifier name: (type_identifier) @class body: (_) @members)
  (class_specifier name: (type_identifier) @class body: (_) @members)
  (union_specifier name: (type_identifier) @class body: (_) @members)
  (struct_specifier name: (template_type name: (type_identifier) @class) body: (_) @members)
  (class_specifier name: (template_type name: (type_identifier) @class) body: (_) @members)
])

(field_declaration_list (access_specifier) @shed . ":" @shed)

(field_declaration_list [
  (function_definition declarator: (function_declarator declarator: (identifier)))
  (function_definition declarator: (function_declarator declarator: (destructor_name)))
  (declaration declarator: (function_declarator declarator: (identifier)))
  (declaration declarator: (function_declarator declarator: (destructor_name)))
  (friend_declaration)
] @shed)

(field_declaration_list [
  (function_definition "virtual" @shed)
  (field_declaration "virtual" @shed)
])

(function_declarator
  declarator: [(field_identifier) (qualified_identifier)]
  [(type_qualifier) (ref_qualifier) (virtual_specifier)] @shed)

; What is not found elsewhere is a member.
((call_expression function: (identifier) @refer arguments: (argument_list) @arguments) @use
  (#set! otherwise "field"))

((call_expression
  function: [
    (qualified_identifier scope: (_) @object name: (identifier) @refer)
    (template_function
      name: (identifier) @refer
      arguments: (template_argument_list) @generic)
    (qualified_identifier
      scope: (_) @object
      name: (template_function
        name: (identifier) @refer
        arguments: (template_argument_list) @generic))
  ]
  arguments: (argument_list) @arguments) @use
  (#set! otherwise "field"))

((qualified_identifier
  scope: (_) @object
  name: (template_function name: (identifier) @refer arguments: (template_argument_list) @generic)) @use
  (#set! otherwise "field"))

((template_function name: (identifier) @refer arguments: (template_argument_list) @generic) @use
  (#set! otherwise "field"))

((qualified_identifier scope: (_) @object name: (identifier) @refer) @use
  (#set! otherwise "field"))

((qualified_identifier name: (qualified_identifier scope: (_) @object name: (identifier) @refer)) @use
  (#set! otherwise "field"))

((identifier) @refer
  (#set! otherwise "field")
  (#set! last))

(optional_parameter_declaration declarator: (_) @target default_value: (_) @source)

(field_declaration declarator: (_) @target default_value: (_) @source)

((class_specifier body: (field_declaration_list) @members) @aggregate)
