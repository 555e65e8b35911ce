; Scopes, definitions and references, in addition to those of C.

[(for_range_loop) (lambda_expression) (catch_clause)] @local.scope

; Names declared in a class template are known outside it as members.
(template_declaration) @local.scope.open

; auto f = [](int a) { … };
((init_declarator
  declarator: (identifier) @local.definition.function
  value: (lambda_expression
    declarator: (abstract_function_declarator parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! reach "inner"))

; A constructor and a destructor refer to their class.
(field_declaration_list
  (function_definition
    declarator: (function_declarator
      declarator: (identifier) @local.reference
      parameters: (parameter_list) @constructed)))

(field_declaration_list
  (declaration
    declarator: (function_declarator
      declarator: (identifier) @local.reference
      parameters: (parameter_list) @constructed)))

; A a(1); A<int> a(1); A a{1}; new A(1): with the arguments of a constructor
(declaration
  type: (type_identifier) @local.reference
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @constructed))

(declaration
  type: (template_type
    name: (type_identifier) @local.reference
    arguments: (template_argument_list) @generic) @use
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @constructed))

(new_expression type: (type_identifier) @local.reference arguments: (argument_list) @constructed)

(new_expression
  type: (template_type
    name: (type_identifier) @local.reference
    arguments: (template_argument_list) @generic) @use
  arguments: (argument_list) @constructed)

; A a(b); is parsed as a function declaration
(compound_statement
  (declaration
    type: (type_identifier) @local.reference
    declarator: (function_declarator declarator: (identifier) parameters: (parameter_list) @constructed)))

(compound_statement
  (declaration
    type: (template_type
      name: (type_identifier) @local.reference
      arguments: (template_argument_list) @generic) @use
    declarator: (function_declarator declarator: (identifier) parameters: (parameter_list) @constructed)))

(destructor_name (identifier) @local.reference)

; A() : a(1), B(2) {}
((field_initializer
  (field_identifier) @local.reference.field
  [(argument_list) (initializer_list)] @constructed) @use
  (#set! otherwise ""))

; template <class T> T f(T a) { … }
((template_declaration
  parameters: (template_parameter_list) @generic
  (function_definition
    declarator: (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! reach "everywhere")
  (#set! declare)
  (#set! local))

((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration
    declarator: (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters)))
  (#set! reach "everywhere"))

; template <class T> T *f(T a) { … }
((template_declaration
  parameters: (template_parameter_list) @generic
  (function_definition
    declarator: (pointer_declarator declarator: (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters))
    body: (compound_statement) @body))
  (#set! reach "everywhere")
  (#set! declare)
  (#set! local))

((template_declaration
  parameters: (template_parameter_list) @generic
  (function_definition
    declarator: (reference_declarator (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters))
    body: (compound_statement) @body))
  (#set! reach "everywhere")
  (#set! declare)
  (#set! local))

((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration
    declarator: (pointer_declarator declarator: (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters))))
  (#set! reach "everywhere"))

((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration
    declarator: (reference_declarator (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters))))
  (#set! reach "everywhere"))

; template <> int f<int>(int a);
((function_declarator
  declarator: (template_function
    name: (identifier) @local.definition.function
    arguments: (template_argument_list) @arguments)
  parameters: (parameter_list) @parameters)
  (#set! reach "everywhere"))

; template <class T> int v = 1;
((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration declarator: (init_declarator declarator: (identifier) @local.definition.variable value: (_) @value)))
  (#set! reach "everywhere"))

((template_declaration
  parameters: (template_parameter_list) @generic
  (declaration type: (_) @type declarator: (identifier) @local.definition.variable))
  (#set! reach "everywhere")
  (#set! cast))

; template <> int v<int> = 1;
((init_declarator
  declarator: (template_function
    name: (identifier) @local.definition.variable
    arguments: (template_argument_list) @arguments))
  (#set! reach "everywhere"))

; template <class T> concept c = true;
((template_declaration
  parameters: (template_parameter_list) @generic
  (concept_definition name: (identifier) @local.definition.concept))
  (#set! reach "everywhere"))

; template <class T> using t = T;
((template_declaration
  parameters: (template_parameter_list) @generic
  (alias_declaration name: (type_identifier) @local.definition.type type: (type_descriptor) @value))
  (#set! reach "outer"))

; struct s { template <class T> int f(T a) { … } };
((template_declaration
  parameters: (template_parameter_list) @generic
  (function_definition
    declarator: (function_declarator
      declarator: (field_identifier) @local.definition.method
      parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))
  (#set! declare)
  (#set! local))

(template_declaration
  parameters: (template_parameter_list) @generic
  (declaration
    declarator: (function_declarator
      declarator: (field_identifier) @local.definition.method
      parameters: (parameter_list) @parameters)))

; int a;
((declaration type: (_) @type declarator: (identifier) @local.definition.variable)
  (#set! cast))

[
  (optional_parameter_declaration declarator: (identifier) @local.definition.variable)
  (variadic_declarator (identifier) @local.definition.variable)
  (reference_declarator (identifier) @local.definition.variable)
  (structured_binding_declarator (identifier) @local.definition.variable)
  (for_range_loop declarator: (identifier) @local.definition.variable)
  (lambda_capture_initializer left: (identifier) @local.definition.variable)
]

; using t = int;
(alias_declaration name: (type_identifier) @local.definition.type type: (type_descriptor) @value)

[
  (type_parameter_declaration (type_identifier) @local.definition.type)
  (variadic_type_parameter_declaration (type_identifier) @local.definition.type)
  (template_template_parameter_declaration (type_parameter_declaration (type_identifier) @local.definition.type))
]

(optional_type_parameter_declaration name: (type_identifier) @local.definition.type default_type: (_) @value)

; An empty class stands for its base.
((template_declaration
  parameters: (template_parameter_list) @generic
  (_
    name: (type_identifier) @local.definition.class
    [
      (base_class_clause . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
      (base_class_clause . (access_specifier) . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
    ]
    body: (field_declaration_list . "{" . "}" .)))
  (#set! reach "outer"))

[
  (struct_specifier
    name: (type_identifier) @local.definition.class
    [
      (base_class_clause . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
      (base_class_clause . (access_specifier) . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
    ]
    body: (field_declaration_list . "{" . "}" .))
  (class_specifier
    name: (type_identifier) @local.definition.class
    [
      (base_class_clause . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
      (base_class_clause . (access_specifier) . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @value .)
    ]
    body: (field_declaration_list . "{" . "}" .))
]

; template <class T> struct s { … };
([
  (template_declaration
    parameters: (template_parameter_list) @generic
    (struct_specifier name: (type_identifier) @local.definition.class))
  (template_declaration
    parameters: (template_parameter_list) @generic
    (class_specifier name: (type_identifier) @local.definition.class))
]
  (#set! reach "outer"))

; Parameter packs and their expansions.
[
  (variadic_type_parameter_declaration "..." @mark)
  (variadic_parameter_declaration declarator: (variadic_declarator "..." @mark))
  (parameter_pack_expansion "..." @mark)
] @spread

; static const int v = 1; as a member
(field_declaration_list
  (field_declaration declarator: (field_identifier) @local.definition.field default_value: (_) @value))

; A::t and typename A<int>::t, as members of the class before `::`
(dependent_type
  (qualified_identifier
    name: (qualified_identifier scope: (_) @object name: (type_identifier) @local.reference))) @use

(dependent_type (qualified_identifier scope: (_) @object name: (type_identifier) @local.reference)) @use

((qualified_identifier scope: (_) @object name: (type_identifier) @local.reference) @use
  (#set! otherwise "field"))

; struct s; with or without a definition elsewhere
[
  (translation_unit (struct_specifier name: (type_identifier) @local.definition.class !body))
  (translation_unit (class_specifier name: (type_identifier) @local.definition.class !body))
  (translation_unit (union_specifier name: (type_identifier) @local.definition.class !body))
  (declaration_list (struct_specifier name: (type_identifier) @local.definition.class !body))
  (declaration_list (class_specifier name: (type_identifier) @local.definition.class !body))
  (declaration_list (union_specifier name: (type_identifier) @local.definition.class !body))
]

([
  (template_declaration (struct_specifier name: (type_identifier) @local.definition.class !body))
  (template_declaration (class_specifier name: (type_identifier) @local.definition.class !body))
]
  (#set! reach "outer"))

; template <> struct s<int> { … };
([
  (template_declaration
    (struct_specifier
      name: (template_type
        name: (type_identifier) @local.definition.class
        arguments: (template_argument_list) @arguments)
      body: (_)))
  (template_declaration
    (class_specifier
      name: (template_type
        name: (type_identifier) @local.definition.class
        arguments: (template_argument_list) @arguments)
      body: (_)))
] @use
  (#set! reach "outer"))

; struct s { int a; };
[
  (struct_specifier
    name: (type_identifier) @local.definition.class
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
  (class_specifier
    name: (type_identifier) @local.definition.class
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
] @value

[
  (struct_specifier name: (type_identifier) @local.definition.class body: (_))
  (class_specifier name: (type_identifier) @local.definition.class body: (_))
  (union_specifier name: (type_identifier) @local.definition.class body: (_))
  (enum_specifier name: (type_identifier) @local.definition.class body: (_))
] @value

(concept_definition name: (identifier) @local.definition.concept)

[
  (struct_specifier name: (type_identifier) @local.reference !body)
  (class_specifier name: (type_identifier) @local.reference !body)
  (union_specifier name: (type_identifier) @local.reference !body)
  (enum_specifier name: (type_identifier) @local.reference !body)
] @use

; Uses are removed together with the template.
(dependent_type
  (qualified_identifier
    scope: (template_type
      name: (type_identifier) @local.reference
      arguments: (template_argument_list) @generic))) @use

(qualified_identifier
  scope: (template_type
    name: (type_identifier) @local.reference
    arguments: (template_argument_list) @generic)) @use

(template_type name: (type_identifier) @local.reference arguments: (template_argument_list) @generic) @use

(qualified_identifier name: (type_identifier) @local.reference) @use

; A namespace is replaced by its contents.
(namespace_definition name: (namespace_identifier) @local.definition.namespace body: (declaration_list) @value) @alias

; namespace a = b;
(namespace_alias_definition
  name: (namespace_identifier) @local.definition.namespace
  [(namespace_identifier) (nested_namespace_specifier)] @value)

; using n::f; is removed together with n; namespace n::m becomes namespace m
(using_declaration
  "using"
  . (qualified_identifier
    scope: (namespace_identifier) @local.reference
    name: [(identifier) (type_identifier)])) @use

(nested_namespace_specifier (namespace_identifier) @local.reference . "::" . (_) @value) @use

(qualified_identifier scope: (namespace_identifier) @local.reference name: (_) @value) @use

(namespace_identifier) @local.reference

; Members with the same name are one symbol, in whichever class they are.
(field_declaration_list
  (function_definition
    declarator: (function_declarator
      declarator: (field_identifier) @local.definition.method
      parameters: (parameter_list) @parameters)
    body: (compound_statement) @body))

(function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @object name: (identifier) @local.definition.method)
    parameters: (parameter_list) @parameters)
  body: (compound_statement) @body)

(function_declarator
  declarator: (field_identifier) @local.definition.method
  parameters: (parameter_list) @parameters)

[
  (field_declaration_list (field_declaration declarator: (field_identifier) @local.definition.field))
  (pointer_declarator declarator: (field_identifier) @local.definition.field)
  (array_declarator declarator: (field_identifier) @local.definition.field)
  (reference_declarator (field_identifier) @local.definition.field)
  (parenthesized_declarator (field_identifier) @local.definition.field)
]

(call_expression
  function: (field_expression argument: (_) @object field: (field_identifier) @local.reference.field)
  arguments: (argument_list) @arguments) @use

(call_expression
  function: (field_expression
    argument: (_) @object
    field: (template_method
      name: (field_identifier) @local.reference.field
      arguments: (template_argument_list) @generic))
  arguments: (argument_list) @arguments) @use

; Classes, and the parts of members that are only valid inside a class.
[
  (struct_specifier name: (type_identifier) @class body: (_) @members)
  (class_specifier name: (type_identifier) @class body: (_) @members)
  (union_specifier name: (type_identifier) @class body: (_) @members)
  (struct_specifier name: (template_type name: (type_identifier) @class) body: (_) @members)
  (class_specifier name: (template_type name: (type_identifier) @class) body: (_) @members)
]

; struct { int a; } b;
[
  (declaration type: (struct_specifier !name body: (_) @members) declarator: (identifier) @class)
  (declaration type: (class_specifier !name body: (_) @members) declarator: (identifier) @class)
]

(field_declaration_list (access_specifier) @shed . ":" @shed)

; class A { int f(int); class B; }; int A::f(int a) { … } class A::B { … };
(field_declaration_list [
  (field_declaration declarator: (function_declarator declarator: (_) @inside))
  (field_declaration declarator: (pointer_declarator (function_declarator declarator: (_) @inside)))
  (field_declaration declarator: (reference_declarator (function_declarator declarator: (_) @inside)))
  (declaration declarator: (function_declarator declarator: (_) @inside))
  (template_declaration (declaration declarator: (function_declarator declarator: (_) @inside)))
  (template_declaration (declaration declarator: (pointer_declarator (function_declarator declarator: (_) @inside))))
  (template_declaration (declaration declarator: (reference_declarator (function_declarator declarator: (_) @inside))))
  (field_declaration type: (struct_specifier name: (_) @inside !body) !declarator)
  (field_declaration type: (class_specifier name: (_) @inside !body) !declarator)
] @use)

[
  (function_definition declarator: (function_declarator declarator: (qualified_identifier) @outside))
  (function_definition declarator: (pointer_declarator (function_declarator declarator: (qualified_identifier) @outside)))
  (function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier) @outside)))
  (struct_specifier name: (qualified_identifier) @outside body: (_))
  (class_specifier name: (qualified_identifier) @outside body: (_))
] @use

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

((function_declarator declarator: (operator_name) @functor)
  (#eq? @functor "operator()"))

(function_declarator
  declarator: [(field_identifier) (qualified_identifier) (operator_name)]
  [(type_qualifier) (ref_qualifier) (virtual_specifier)] @shed)

; A name that is not found elsewhere is a member.
((call_expression function: (identifier) @local.reference arguments: (argument_list) @arguments) @use
  (#set! otherwise "field"))

((call_expression
  function: [
    (qualified_identifier scope: (_) @object name: (identifier) @local.reference)
    (template_function
      name: (identifier) @local.reference
      arguments: (template_argument_list) @generic)
    (qualified_identifier
      scope: (_) @object
      name: (template_function
        name: (identifier) @local.reference
        arguments: (template_argument_list) @generic))
  ]
  arguments: (argument_list) @arguments) @use
  (#set! otherwise "field"))

((qualified_identifier
  scope: (_) @object
  name: (template_function name: (identifier) @local.reference arguments: (template_argument_list) @generic)) @use
  (#set! otherwise "field"))

((template_function name: (identifier) @local.reference arguments: (template_argument_list) @generic) @use
  (#set! otherwise "field"))

((qualified_identifier scope: (_) @object name: (identifier) @local.reference) @use
  (#set! otherwise "field"))

((qualified_identifier name: (qualified_identifier scope: (_) @object name: (identifier) @local.reference)) @use
  (#set! otherwise "field"))

((assignment_expression left: (identifier) @local.reference right: (_) @value) @use
  (#set! otherwise "field"))

((assignment_expression left: (field_expression argument: (identifier) @local.reference) right: (_) @value) @use
  (#set! otherwise "field"))

((assignment_expression left: (subscript_expression argument: (identifier) @local.reference) right: (_) @value) @use
  (#set! otherwise "field"))

((assignment_expression left: (pointer_expression argument: (identifier) @local.reference) right: (_) @value) @use
  (#set! otherwise "field"))

((field_expression argument: (identifier) @local.reference) @use
  (#set! otherwise "field"))

((subscript_expression argument: (identifier) @local.reference) @use
  (#set! otherwise "field"))

((pointer_expression argument: (identifier) @local.reference) @use
  (#set! otherwise "field"))

((update_expression argument: (identifier) @local.reference) @use
  (#set! otherwise "field"))

((identifier) @local.reference
  (#set! otherwise "field")
  (#set! last))

(optional_parameter_declaration declarator: (_) @target default_value: (_) @source)

(field_declaration declarator: (_) @target default_value: (_) @source)

(class_specifier body: (field_declaration_list) @members) @aggregate
