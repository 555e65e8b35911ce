; Functions, variables, types.

; int f(int a) { … }  ─►  int f(int a) ;
((function_definition body: (_) @replace)
  (#set! rule "definition-to-declaration")
  (#set! text ";"))

; int f(int a, int b)  ─►  int f()
((parameter_list) @replace
  (#set! rule "parameters-to-empty")
  (#set! text "()"))

; *p, a[10], (b)  ─►  p, a, b
((pointer_declarator declarator: (_) @with) @replace
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
    (enum_specifier)
    (type_identifier)
  ] @replace
  (#set! rule "type-to-int")
  (#set! text "int"))

([
  (declaration type: (macro_type_specifier) @replace)
  (field_declaration type: (macro_type_specifier) @replace)
  (function_definition type: (macro_type_specifier) @replace)
  (parameter_declaration type: (macro_type_specifier) @replace)
  (type_definition type: (macro_type_specifier) @replace)
  (type_descriptor type: (macro_type_specifier) @replace)
]
  (#set! rule "type-to-int")
  (#set! part "macro-type")
  (#set! text "int"))

(_ type: (sized_type_specifier) @replace
  (#match? @replace "\\s")
  (#set! rule "type-to-int")
  (#set! text "int"))

; struct s { … } x;  ─►  struct s { … } ;
((declaration
  . type: [
    (struct_specifier body: (_))
    (union_specifier body: (_))
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

; int a;  ─►  a;
; Old C reads it as an `int` outside functions.
(translation_unit
  (declaration . type: (_) @delete . declarator: (_))
  (#set! rule "global-to-untyped")
  (#set! late))

; int a; int b;  ─►  int a, b;
; Functions are excluded, because two of them are hardly ever declared together.
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

; int f(int a[])  ─►  int f(int *a)
((parameter_declaration
  declarator: (array_declarator declarator: (identifier) @_name !size) @replace)
  (#set! rule "array-to-pointer")
  (#set! late)
  (#set! text "*{_name}"))
