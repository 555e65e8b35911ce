; Scopes, what defines a name, and what refers to it.

[(function_definition) (compound_statement) (for_statement)] @scope

; The parameters of a declaration are known in it alone.
(declaration declarator: (function_declarator) @scope)
(declaration declarator: (pointer_declarator declarator: (function_declarator) @scope))
(field_declaration declarator: (function_declarator) @scope)
(type_definition declarator: (function_declarator) @scope)

[(statement) (declaration)] @statement

(return_statement (_)? @result) @return

; int f(int a) { … }
((function_definition
  type: (_) @type
  declarator: (function_declarator
    declarator: (identifier) @define
    parameters: (parameter_list) @parameters)
  body: (compound_statement) @body)
  (#set! kind "function")
  (#set! reach "outer")
  (#set! constant "0")
  (#set! cast "({type}){value}")
  (#set! declare "{parameter};")
  (#set! local "{parameter} = {argument};"))

((function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (identifier) @define
      parameters: (parameter_list) @parameters))
  body: (compound_statement) @body)
  (#set! kind "function")
  (#set! reach "outer")
  (#set! constant "0")
  (#set! declare "{parameter};")
  (#set! local "{parameter} = {argument};"))

; f() { … }, as the grammar reads it without a type
((translation_unit
  (expression_statement
    (call_expression function: (identifier) @define arguments: (argument_list) @parameters))
  .
  (compound_statement) @body)
  (#set! part "untyped")
  (#set! kind "function")
  (#set! reach "everywhere")
  (#set! constant "0"))

((function_definition
  type: (type_identifier) @define
  declarator: (parenthesized_declarator . "(" . (identifier) . ")") @parameters
  body: (compound_statement) @body)
  (#set! part "untyped")
  (#set! kind "function")
  (#set! reach "everywhere")
  (#set! constant "0"))

; int f(int a);
((function_declarator
  declarator: (identifier) @define
  parameters: (parameter_list) @parameters)
  (#set! kind "function")
  (#set! reach "outer")
  (#set! constant "0"))

; int a = 1;
((declaration
  type: (_) @type
  declarator: (init_declarator declarator: (identifier) @define value: (_) @value))
  (#set! kind "variable")
  (#set! constant "0")
  (#set! cast "({type}){value}")
  (#set! parameter "{type} {name}"))

((declaration
  type: (_) @type
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (identifier) @define)
    value: (_) @value))
  (#set! kind "variable")
  (#set! constant "0")
  (#set! parameter "{type} *{name}"))

((init_declarator
  declarator: (identifier) @define
  value: (_) @value)
  (#set! kind "variable")
  (#set! constant "0"))

((declaration type: (_) @type declarator: (identifier) @define)
  (#set! part "untyped")
  (#set! kind "variable")
  (#set! constant "0")
  (#set! cast "({type}){value}")
  (#set! parameter "{type} {name}")
  (#set! bare "{name}"))

((parameter_declaration type: (_) @type declarator: (identifier) @define)
  (#set! kind "variable")
  (#set! constant "0")
  (#set! cast "({type}){value}"))

([
  (declaration declarator: (identifier) @define)
  (parameter_declaration declarator: (identifier) @define)
  (init_declarator declarator: (identifier) @define)
  (pointer_declarator declarator: (identifier) @define)
  (array_declarator declarator: (identifier) @define)
  (parenthesized_declarator (identifier) @define)
  (attributed_declarator (identifier) @define)
]
  (#set! kind "variable")
  (#set! constant "0"))

; int f(a) int a; { … }
((parameter_list (identifier) @define)
  (#set! part "untyped")
  (#set! kind "variable")
  (#set! constant "0"))

; a; as the grammar reads it without a type
((translation_unit (expression_statement (identifier) @define))
  (#set! part "untyped")
  (#set! kind "variable")
  (#set! constant "0")
  (#set! bare "{name}"))

((enumerator name: (identifier) @define value: (_) @value)
  (#set! kind "enumerator")
  (#set! constant "0"))

((enumerator name: (identifier) @define)
  (#set! kind "enumerator")
  (#set! constant "0"))

; typedef int t; the grammar takes names such as `int32_t` for built-in types
((type_definition type: (_) @value declarator: [(type_identifier) (primitive_type)] @define)
  (#set! kind "type")
  (#set! constant "int"))

([
  (type_definition declarator: [(type_identifier) (primitive_type)] @define)
  (pointer_declarator declarator: [(type_identifier) (primitive_type)] @define)
  (array_declarator declarator: [(type_identifier) (primitive_type)] @define)
  (function_declarator declarator: (type_identifier) @define)
  (parenthesized_declarator (type_identifier) @define)
]
  (#set! kind "type")
  (#set! constant "int"))

; struct s { int a; }; whose name is another one than `s` by itself
([
  (struct_specifier name: (type_identifier) @define
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
  (union_specifier name: (type_identifier) @define
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
] @value
  (#set! part "tag")
  (#set! kind "tag")
  (#set! namespace "tag")
  (#set! constant "int"))

([
  (struct_specifier name: (type_identifier) @define body: (_))
  (union_specifier name: (type_identifier) @define body: (_))
  (enum_specifier name: (type_identifier) @define body: (_))
] @value
  (#set! part "tag")
  (#set! kind "tag")
  (#set! namespace "tag")
  (#set! constant "int"))

([
  (struct_specifier name: (type_identifier) @refer !body)
  (union_specifier name: (type_identifier) @refer !body)
  (enum_specifier name: (type_identifier) @refer !body)
] @use
  (#set! part "tag")
  (#set! namespace "tag"))

[(type_identifier) (primitive_type)] @refer

; Fields of the same name are one name, whatever they are fields of.
((field_declaration_list (field_declaration declarator: (field_identifier) @define))
  (#set! part "field")
  (#set! kind "field")
  (#set! namespace "field")
  (#set! reach "everywhere"))

([
  (pointer_declarator declarator: (field_identifier) @define)
  (array_declarator declarator: (field_identifier) @define)
  (function_declarator declarator: (field_identifier) @define)
  (parenthesized_declarator (field_identifier) @define)
]
  (#set! part "field")
  (#set! kind "field")
  (#set! namespace "field")
  (#set! reach "everywhere"))

((field_expression argument: (_) @object field: (field_identifier) @refer) @use
  (#set! namespace "field"))

((field_identifier) @refer
  (#set! namespace "field"))

((labeled_statement label: (statement_identifier) @define)
  (#set! kind "label")
  (#set! namespace "label")
  (#set! reach "everywhere"))

((statement_identifier) @refer
  (#set! namespace "label"))

; #define X 1
((preproc_def name: (identifier) @define value: (preproc_arg) @value)
  (#set! kind "macro")
  (#set! reach "everywhere")
  (#set! constant "0"))

((preproc_def name: (identifier) @define)
  (#set! kind "macro")
  (#set! reach "everywhere")
  (#set! constant "0"))

; #define F(x) (x + 1)
((preproc_function_def
  name: (identifier) @define
  parameters: (preproc_params) @parameters
  value: (preproc_arg) @value)
  (#set! kind "macro")
  (#set! reach "everywhere")
  (#set! constant "0"))

((preproc_function_def name: (identifier) @define)
  (#set! kind "macro")
  (#set! reach "everywhere")
  (#set! constant "0"))

((call_expression function: (identifier) @refer arguments: (argument_list) @arguments) @use
  (#set! part "reference"))

; What is asked of a variable goes with it; of what assigns to it, the value stays.
(assignment_expression left: (identifier) @refer right: (_) @value) @use

(assignment_expression left: (field_expression argument: (identifier) @refer) right: (_) @value) @use

(assignment_expression left: (subscript_expression argument: (identifier) @refer) right: (_) @value) @use

(assignment_expression left: (pointer_expression argument: (identifier) @refer) right: (_) @value) @use

(field_expression argument: (identifier) @refer) @use

(subscript_expression argument: (identifier) @refer) @use

(pointer_expression argument: (identifier) @refer) @use

(update_expression argument: (identifier) @refer) @use

((identifier) @refer
  (#set! part "reference")
  (#set! last))

; What a macro stands for is no tree.
(preproc_arg) @mention

; A level goes in the declaration of a pointer, an array or a function that gives a pointer …
([
  (pointer_declarator declarator: (identifier) @level.name @level.inner)
  (array_declarator declarator: (identifier) @level.name @level.inner)
  (pointer_declarator declarator: (field_identifier) @level.name @level.inner)
  (array_declarator declarator: (field_identifier) @level.name @level.inner)
  (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @level.name) @level.inner)
] @level
  (#set! address "&")
  (#set! content "*"))

(abstract_pointer_declarator !declarator) @level @level.name

(abstract_array_declarator !declarator) @level @level.name

; … and where it is used: *a, a[1], *a++, *(a + 1), *s.a, s.a[1], *f(), f()[1],
([
  (pointer_expression operator: "*" argument: (identifier) @level.name @level.inner)
  (subscript_expression argument: (identifier) @level.name @level.inner)
  (pointer_expression operator: "*"
    argument: (update_expression argument: (identifier) @level.name @level.inner))
  (pointer_expression operator: "*"
    argument: (parenthesized_expression
      (binary_expression left: (identifier) @level.name @level.inner)))
  (pointer_expression operator: "*"
    argument: (field_expression field: (field_identifier) @level.name) @level.inner)
  (subscript_expression
    argument: (field_expression field: (field_identifier) @level.name) @level.inner)
  (pointer_expression operator: "*"
    argument: (call_expression function: (identifier) @level.name) @level.inner)
  (subscript_expression
    argument: (call_expression function: (identifier) @level.name) @level.inner)
] @level)

; a->b, s.a->b, f()->b
([
  (field_expression argument: (identifier) @level.name operator: "->" @level)
  (field_expression
    argument: (field_expression field: (field_identifier) @level.name)
    operator: "->" @level)
  (field_expression
    argument: (call_expression function: (identifier) @level.name)
    operator: "->" @level)
]
  (#set! level "."))

(init_declarator declarator: (_) @target value: (_) @source)

(assignment_expression left: (_) @target operator: "=" right: (_) @source)

; What is compared is of one type, as if it were put into one another.
(binary_expression left: (_) @target operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @source)

(binary_expression left: (_) @source operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @target)

(pointer_expression operator: "&" argument: (_) @address.of) @address

(initializer_list) @list

([
  (struct_specifier body: (field_declaration_list) @members)
  (union_specifier body: (field_declaration_list) @members)
] @aggregate)

(field_declaration type: (_) @member.type declarator: (_) @member)

; What may stand outside of a function, too.
(compound_statement (declaration) @local)
