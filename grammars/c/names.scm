; Scopes, definitions and references.

[(function_definition) (compound_statement) (for_statement)] @local.scope

; The parameters of a declaration are known only in it.
(declaration declarator: (function_declarator) @local.scope)
(declaration declarator: (pointer_declarator declarator: (function_declarator) @local.scope))
(field_declaration declarator: (function_declarator) @local.scope)
(type_definition declarator: (function_declarator) @local.scope)

[(statement) (declaration)] @statement

; The grammar does not include these among the statements.
(case_statement [
  (expression_statement)
  (return_statement)
  (if_statement)
  (for_statement)
  (while_statement)
  (do_statement)
  (switch_statement)
] @statement)

(return_statement (_)? @result) @return

; int f(int a) { … }
(function_definition
  type: (_) @type
  declarator: (function_declarator
    declarator: (identifier) @local.definition.function
    parameters: (parameter_list) @parameters)
  body: (compound_statement) @body)

(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (identifier) @local.definition.function
      parameters: (parameter_list) @parameters))
  body: (compound_statement) @body)

; f() { … }, as the grammar reads it without a type
((translation_unit
  (expression_statement
    (call_expression function: (identifier) @local.definition.function arguments: (argument_list) @parameters))
  .
  (compound_statement) @body)
  (#set! part "untyped")
  (#set! reach "everywhere")
  (#set! declare)
  (#set! local))

((function_definition
  type: (type_identifier) @local.definition.function
  declarator: (parenthesized_declarator . "(" . (identifier) . ")") @parameters
  body: (compound_statement) @body)
  (#set! part "untyped")
  (#set! reach "everywhere")
  (#set! declare)
  (#set! local))

; int f(int a);
(function_declarator
  declarator: (identifier) @local.definition.function
  parameters: (parameter_list) @parameters)

; int a = 1;
(declaration
  type: (_) @type
  declarator: (init_declarator declarator: (identifier) @local.definition.variable value: (_) @value))

((declaration
  type: (_) @type
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (identifier) @local.definition.variable)
    value: (_) @value))
  (#set! parameter "{type} *{name}")
  (#set! cast))

(init_declarator
  declarator: (identifier) @local.definition.variable
  value: (_) @value)

((declaration type: (_) @type declarator: (identifier) @local.definition.variable)
  (#set! part "untyped")
  (#set! bare "{name}"))

((parameter_declaration type: (_) @type declarator: (identifier) @local.definition.variable)
  (#set! parameter))

[
  (declaration declarator: (identifier) @local.definition.variable)
  (parameter_declaration declarator: (identifier) @local.definition.variable)
  (init_declarator declarator: (identifier) @local.definition.variable)
  (array_declarator declarator: (identifier) @local.definition.variable)
  (parenthesized_declarator (identifier) @local.definition.variable)
  (attributed_declarator (identifier) @local.definition.variable)
]

; int *a;
((pointer_declarator declarator: (identifier) @local.definition.variable)
  (#set! pointer "&{name}"))

; int f(a) int a; { … }
((parameter_list (identifier) @local.definition.variable)
  (#set! part "untyped"))

; a; as the grammar reads it without a type
((translation_unit (expression_statement (identifier) @local.definition.variable))
  (#set! part "untyped")
  (#set! bare "{name}"))

(enumerator name: (identifier) @local.definition.enumerator value: (_) @value)

(enumerator name: (identifier) @local.definition.enumerator)

; typedef int t; for the grammar, names such as `int32_t` are built-in types
(type_definition type: (_) @value declarator: [(type_identifier) (primitive_type)] @local.definition.type)

[
  (type_definition declarator: [(type_identifier) (primitive_type)] @local.definition.type)
  (pointer_declarator declarator: [(type_identifier) (primitive_type)] @local.definition.type)
  (array_declarator declarator: [(type_identifier) (primitive_type)] @local.definition.type)
  (function_declarator declarator: (type_identifier) @local.definition.type)
  (parenthesized_declarator (type_identifier) @local.definition.type)
]

; struct s { int a; }; `s` without `struct` is another name
([
  (struct_specifier name: (type_identifier) @local.definition.tag
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
  (union_specifier name: (type_identifier) @local.definition.tag
    body: (field_declaration_list .
      (field_declaration type: (_) @only.type declarator: (field_identifier) @only) .))
] @value
  (#set! part "tag"))

([
  (struct_specifier name: (type_identifier) @local.definition.tag body: (_))
  (union_specifier name: (type_identifier) @local.definition.tag body: (_))
  (enum_specifier name: (type_identifier) @local.definition.tag body: (_))
] @value
  (#set! part "tag"))

([
  (struct_specifier name: (type_identifier) @local.reference.tag !body)
  (union_specifier name: (type_identifier) @local.reference.tag !body)
  (enum_specifier name: (type_identifier) @local.reference.tag !body)
] @use
  (#set! part "tag"))

[(type_identifier) (primitive_type)] @local.reference

; Fields with the same name are one symbol, in whichever type they are.
((field_declaration_list (field_declaration declarator: (field_identifier) @local.definition.field))
  (#set! part "field"))

([
  (pointer_declarator declarator: (field_identifier) @local.definition.field)
  (array_declarator declarator: (field_identifier) @local.definition.field)
  (function_declarator declarator: (field_identifier) @local.definition.field)
  (parenthesized_declarator (field_identifier) @local.definition.field)
]
  (#set! part "field"))

(field_expression argument: (_) @object field: (field_identifier) @local.reference.field) @use

(field_identifier) @local.reference.field

(labeled_statement label: (statement_identifier) @local.definition.label)

(statement_identifier) @local.reference.label

; #define X 1
(preproc_def name: (identifier) @local.definition.macro value: (preproc_arg) @value)

(preproc_def name: (identifier) @local.definition.macro)

; #define F(x) (x + 1)
(preproc_function_def
  name: (identifier) @local.definition.macro
  parameters: (preproc_params) @parameters
  value: (preproc_arg) @value)

(preproc_function_def name: (identifier) @local.definition.macro)

((call_expression function: (identifier) @local.reference arguments: (argument_list) @arguments) @use
  (#set! part "reference"))

; Uses are removed together with the variable; of an assignment to it, the value stays.
(assignment_expression left: (identifier) @local.reference right: (_) @value) @use

(assignment_expression left: (field_expression argument: (identifier) @local.reference) right: (_) @value) @use

(assignment_expression left: (subscript_expression argument: (identifier) @local.reference) right: (_) @value) @use

(assignment_expression left: (pointer_expression argument: (identifier) @local.reference) right: (_) @value) @use

(field_expression argument: (identifier) @local.reference) @use

(subscript_expression argument: (identifier) @local.reference) @use

(pointer_expression argument: (identifier) @local.reference) @use

(update_expression argument: (identifier) @local.reference) @use

((identifier) @local.reference
  (#set! part "reference")
  (#set! last))

; The body of a macro is not parsed.
(preproc_arg) @mention

; Levels in declarations of pointers, arrays and functions that return a pointer …
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

; … and in their uses: *a, a[1], *a++, *(a + 1), *s.a, s.a[1], *f(), f()[1],
[
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
] @level

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

; Both sides of a comparison have the same type, like the two sides of an assignment.
(binary_expression left: (_) @target operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @source)

(binary_expression left: (_) @source operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @target)

(pointer_expression operator: "&" argument: (_) @address.of) @address

(initializer_list) @list

[
  (struct_specifier body: (field_declaration_list) @members)
  (union_specifier body: (field_declaration_list) @members)
] @aggregate

(field_declaration type: (_) @member.type declarator: (_) @member)

; Declarations that are also valid outside a function.
(compound_statement (declaration) @local)
