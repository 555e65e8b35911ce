; Functions, variables, types.

; int f(int a) { … }, int f(int a) = delete;  ─►  int f(int a) ;
([
  (function_definition body: (_) @replace)
  (function_definition (default_method_clause) @replace)
  (function_definition (delete_method_clause) @replace)
  (function_definition (pure_virtual_clause) @replace)
]
  (#set! rule "definition-to-declaration")
  (#set! text ";"))

; int f(int a, int b)  ─►  int f()
((parameter_list) @replace
  (#set! rule "parameters-to-empty")
  (#set! text "()"))

; *p, &r, a[10], (b)  ─►  p, r, a, b
((pointer_declarator declarator: (_) @with) @replace
  (#set! rule "declarator-to-inner"))

((reference_declarator (_) @with) @replace
  (#set! rule "declarator-to-inner"))

((array_declarator declarator: (_) @with) @replace
  (#set! rule "declarator-to-inner"))

((parenthesized_declarator (_) @with .) @replace
  (#set! rule "declarator-to-inner"))

; int (*f)(int);  ─►  int (*f);
((function_declarator
  declarator: (parenthesized_declarator) @with) @replace
  (#set! rule "function-pointer-to-pointer"))

; int a[1024]  ─►  int a[1]
([
  (array_declarator size: (_) @replace)
  (abstract_array_declarator size: (_) @replace)
]
  (#set! rule "size-to-one")
  (#set! text "1"))

; struct s { … } x;  ─►  int x;
(_ type: [
    (struct_specifier)
    (union_specifier)
    (class_specifier)
    (enum_specifier)
    (template_type)
    (dependent_type)
    (qualified_identifier)
    (decltype)
    (type_identifier)
  ] @replace
  (#set! rule "type-to-int")
  (#set! text "int"))

(_ type: [(sized_type_specifier) (placeholder_type_specifier)] @replace
  (#match? @replace "\\s")
  (#set! rule "type-to-int")
  (#set! text "int"))

; struct s { … } x;  ─►  struct s { … } ;
((declaration
  . type: [
    (struct_specifier body: (_))
    (union_specifier body: (_))
    (class_specifier body: (_))
    (enum_specifier body: (_))
  ]
  . declarator: (_) @delete
  . ";")
  (#set! rule "declaration-to-type"))

; typedef struct s { … } t;  ─►  struct s { … } ;
((type_definition
  "typedef" @delete
  type: [
    (struct_specifier name: (_) body: (_))
    (union_specifier name: (_) body: (_))
    (class_specifier name: (_) body: (_))
    (enum_specifier body: (_))
  ]
  . declarator: (_) @delete
  . ";")
  (#set! rule "declaration-to-type"))

; extern "C" { … }  ─►  …
((linkage_specification
  "extern" @delete
  value: (_) @delete
  body: (declaration_list "{" @delete "}" @delete))
  (#set! rule "linkage-to-content"))

; namespace n { … }  ─►  …
((namespace_definition
  "inline"? @delete
  "namespace" @delete
  name: (_)? @delete
  body: (declaration_list "{" @delete "}" @delete))
  (#set! rule "namespace-to-content"))

; template <class T> void f();  ─►  void f();
((template_declaration
  "template" @delete
  parameters: (_) @delete
  (requires_clause)? @delete)
  (#set! rule "template-to-declaration"))

; void f(int a = 1), template <class T = int>  ─►  void f(int a), template <class T>
([
  (optional_parameter_declaration "=" @delete default_value: (_) @delete)
  (optional_type_parameter_declaration "=" @delete default_type: (_) @delete)
]
  (#set! rule "default-dropped"))
