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
  (#match? @replace "\\s|^auto$")
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

; namespace n { … } namespace n { … }  ─►  namespace n { … … }
((namespace_definition name: (_) @_name body: (declaration_list "}" @delete))
  . (namespace_definition
    . "namespace" @delete
    . name: (_) @delete @_other
    . body: (declaration_list "{" @delete))
  (#eq? @_name @_other)
  (#set! rule "namespaces-to-one")
  (#set! late))

((namespace_definition . "namespace" . body: (declaration_list "}" @delete))
  . (namespace_definition . "namespace" @delete . body: (declaration_list "{" @delete))
  (#set! rule "namespaces-to-one")
  (#set! late))

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

; int a; int b;  ─►  int a, b;
; Not functions: nobody declares two of them at once.
((declaration . type: (_) @_type declarator: [(identifier) (init_declarator) (pointer_declarator) (array_declarator)] ";" @replace .)
  . (declaration . type: (_) @delete . declarator: [(identifier) (init_declarator) (pointer_declarator) (array_declarator)])
  (#eq? @delete @_type)
  (#set! rule "declarations-to-one")
  (#set! late)
  (#set! text ","))

((declaration
  . (storage_class_specifier) @_class
  . type: (_) @_type
  declarator: [(identifier) (init_declarator) (pointer_declarator) (array_declarator)]
  ";" @replace .)
  . (declaration
    . (storage_class_specifier) @delete @_other
    . type: (_) @delete @_also
    . declarator: [(identifier) (init_declarator) (pointer_declarator) (array_declarator)])
  (#eq? @_class @_other)
  (#eq? @_type @_also)
  (#set! rule "declarations-to-one")
  (#set! late)
  (#set! text ","))

((field_declaration . type: (_) @_type declarator: [(field_identifier) (pointer_declarator) (array_declarator)] ";" @replace .)
  . (field_declaration . type: (_) @delete . declarator: [(field_identifier) (pointer_declarator) (array_declarator)])
  (#eq? @delete @_type)
  (#set! rule "declarations-to-one")
  (#set! late)
  (#set! text ","))

; struct s { … }; struct s a;  ─►  struct s { … } a;
((struct_specifier name: (_) @_name body: (_))
  . ";" @delete
  . (declaration . type: (struct_specifier "struct" @delete name: (_) @delete @_other))
  (#eq? @_name @_other)
  (#set! rule "type-into-declaration")
  (#set! late))

((union_specifier name: (_) @_name body: (_))
  . ";" @delete
  . (declaration . type: (union_specifier "union" @delete name: (_) @delete @_other))
  (#eq? @_name @_other)
  (#set! rule "type-into-declaration")
  (#set! late))

((class_specifier name: (_) @_name body: (_))
  . ";" @delete
  . (declaration . type: (type_identifier) @delete @_other)
  (#eq? @_name @_other)
  (#set! rule "type-into-declaration")
  (#set! late))

((struct_specifier name: (_) @_name body: (_))
  . ";" @delete
  . (declaration . type: (type_identifier) @delete @_other)
  (#eq? @_name @_other)
  (#set! rule "type-into-declaration")
  (#set! late))

; template <> struct s<int> { … };, template <> void f<int>();  ─►  struct s { … };, void f();
((template_declaration
  "template" @delete
  parameters: (_) @delete
  [
    (struct_specifier name: (template_type arguments: (_) @delete))
    (class_specifier name: (template_type arguments: (_) @delete))
    (function_definition
      declarator: (function_declarator declarator: (template_function arguments: (_) @delete)))
    (declaration
      declarator: (function_declarator declarator: (template_function arguments: (_) @delete)))
  ])
  (#set! rule "specialization-to-declaration"))

; public: int a;  ─►  int a;
((field_declaration_list (access_specifier) @delete . ":" @delete)
  (#set! rule "access-specifier-dropped"))

; class a { public: … }, class a : public b  ─►  struct a { … }, struct a : b
((class_specifier
  "class" @replace
  body: (field_declaration_list . "{" . (access_specifier) @delete @_access . ":" @delete))
  (#eq? @_access "public")
  (#set! rule "class-to-struct")
  (#set! text "struct"))

((class_specifier
  "class" @replace
  (base_class_clause (access_specifier) @delete))
  (#eq? @delete "public")
  (#set! rule "class-to-struct")
  (#set! text "struct"))

; class a : b { … };  ─►  …
([
  (class_specifier
    "class" @delete
    name: (_) @delete
    (base_class_clause)? @delete
    body: (field_declaration_list "{" @delete . (_) "}" @delete))
  (struct_specifier
    "struct" @delete
    name: (_) @delete
    (base_class_clause)? @delete
    body: (field_declaration_list "{" @delete . (_) "}" @delete))
]
  . ";" @delete
  (#set! rule "class-to-content"))

; class a : b, public c  ─►  class a : public c, class a : b
((base_class_clause
  ":"
  . ["virtual" (access_specifier)]* @delete
  . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @delete
  . "," @delete)
  (#set! rule "base-dropped"))

((base_class_clause
  "," @delete
  . ["virtual" (access_specifier)]* @delete
  . [(type_identifier) (template_type) (qualified_identifier) (dependent_type)] @delete)
  (#set! rule "base-dropped"))

; virtual void f();  ─►  void f();
((field_declaration "virtual" @delete)
  (#set! rule "virtual-dropped"))

; auto a = f();  ─►  int a;
((declaration
  type: (placeholder_type_specifier) @replace
  declarator: (init_declarator
    declarator: (identifier)
    "=" @delete
    value: (_) @delete))
  (#set! rule "auto-to-int")
  (#set! text "int"))

; auto f() -> T { … }  ─►  int f() { … }
((function_definition
  type: (placeholder_type_specifier) @replace
  declarator: (function_declarator (trailing_return_type) @delete))
  (#set! rule "auto-to-int")
  (#set! text "int"))
