; Functions, variables and types, in addition to the rules of C.

; int f(int a) = delete;  ─►  int f(int a) ;
([
  (function_definition (default_method_clause) @replace)
  (function_definition (delete_method_clause) @replace)
  (function_definition (pure_virtual_clause) @replace)
]
  (#set! rule "definition-to-declaration")
  (#set! text ";"))

; &r  ─►  r
((reference_declarator (_) @with) @replace
  (#set! rule "declarator-to-inner"))

; class c { … } x;, auto x;  ─►  int x;
(_ type: [
    (class_specifier)
    (template_type)
    (dependent_type)
    (qualified_identifier)
    (decltype)
    (placeholder_type_specifier)
  ] @replace
  (#set! rule "type-to-int")
  (#set! text "int"))

; class c { … } x;  ─►  class c { … } ;
((declaration
  . type: (class_specifier body: (_))
  . declarator: (_) @delete
  . ";")
  (#set! rule "declaration-to-type"))

; typedef class c { … } t;  ─►  class c { … } ;
((type_definition
  "typedef" @delete
  type: (class_specifier name: (_) body: (_))
  . declarator: (_) @delete
  . ";")
  (#set! rule "declaration-to-type"))

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

; class c { … }; c a;  ─►  class c { … } a;
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

; TEST(a, b) { … }  ─►  void test() { … }
([
  (translation_unit
    (function_definition !type declarator: (function_declarator declarator: (identifier) @_name) @replace))
  (declaration_list
    (function_definition !type declarator: (function_declarator declarator: (identifier) @_name) @replace))
]
  (#not-eq? @_name "main")
  (#set! rule "macro-to-function")
  (#set! text "void test()"))
