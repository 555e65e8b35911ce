; Rules that save a few tokens in small texts.

; f(a, b.c())  ─►  f(a, a)
((argument_list (expression) @_other . "," . (expression) @replace)
  (#match? @replace "\\W")
  (#set! rule "argument-to-neighbour")
  (#set! late)
  (#set! text "{_other}"))

((argument_list (expression) @replace . "," . (expression) @_other)
  (#match? @replace "\\W")
  (#set! rule "argument-to-neighbour")
  (#set! late)
  (#set! text "{_other}"))

; a.b() < c  ─►  c < c
((binary_expression left: (expression) @replace right: (identifier) @_other)
  (#match? @replace "\\W")
  (#set! rule "operand-to-other")
  (#set! late)
  (#set! text "{_other}"))

((binary_expression left: (identifier) @_other right: (expression) @replace)
  (#match? @replace "\\W")
  (#set! rule "operand-to-other")
  (#set! late)
  (#set! text "{_other}"))

; A a(1); f(b);  ─►  A a(b);
((declaration
  declarator: (init_declarator value: (argument_list) @delete)
  . ";" @delete)
  . (expression_statement (call_expression function: (_) @delete))
  (#set! rule "arguments-to-declaration")
  (#set! late))

; int f() { …; return a; }  ─►  void f() { … }
((function_definition
  type: (_) @replace
  body: (compound_statement (return_statement (_)) @delete .))
  (#not-eq? @replace "void")
  (#set! rule "result-dropped")
  (#set! late)
  (#set! text "void"))

; requires { { a + b } -> c; }  ─►  requires { a + b; }
((compound_requirement
  "{" @delete
  . (_)
  . "}" @delete
  (trailing_return_type)? @delete)
  (#set! rule "requirement-to-expression")
  (#set! late))

; template <class T> void f(T a)  ─►  void f(auto a)
((template_declaration
  "template" @delete
  parameters: (template_parameter_list . (type_parameter_declaration (type_identifier) @_name) .) @delete
  [
    (function_definition
      declarator: (function_declarator
        parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace))))
    (declaration
      declarator: (function_declarator
        parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace))))
  ])
  (#eq? @replace @_name)
  (#set! rule "template-to-auto")
  (#set! late)
  (#set! text "auto"))

((template_declaration
  "template" @delete
  parameters: (template_parameter_list . (type_parameter_declaration (type_identifier) @_name) .) @delete
  [
    (function_definition
      declarator: (_ (function_declarator
        parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace)))))
    (declaration
      declarator: (_ (function_declarator
        parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace)))))
  ])
  (#eq? @replace @_name)
  (#set! rule "template-to-auto")
  (#set! late)
  (#set! text "auto"))

((lambda_expression
  template_parameters: (template_parameter_list . (type_parameter_declaration (type_identifier) @_name) .) @delete
  declarator: (_ parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace))))
  (#eq? @replace @_name)
  (#set! rule "template-to-auto")
  (#set! late)
  (#set! text "auto"))

; template <class T> requires C<T>  ─►  template <C T>
((template_declaration
  parameters: (template_parameter_list . (type_parameter_declaration . _ @replace . (type_identifier) @_name) .)
  (requires_clause
    constraint: (template_type name: (_) @_concept arguments: (template_argument_list . (_) @_argument .))) @delete)
  (#eq? @_name @_argument)
  (#set! rule "requirement-to-template")
  (#set! late)
  (#set! text "{_concept}"))

; template <C T> void f(T a)  ─►  void f(C auto a)
((template_declaration
  "template" @delete
  parameters: (template_parameter_list
    . (parameter_declaration type: (type_identifier) @_concept declarator: (identifier) @_name) .) @delete
  [
    (function_definition
      declarator: (function_declarator
        parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace))))
    (declaration
      declarator: (function_declarator
        parameters: (parameter_list (parameter_declaration type: (type_identifier) @replace))))
  ])
  (#eq? @replace @_name)
  (#set! rule "template-to-auto")
  (#set! late)
  (#set! text "{_concept} auto"))

; n::A<int> a = f();  ─►  auto a = f();
((declaration
  type: [(template_type) (qualified_identifier) (dependent_type) (sized_type_specifier)] @replace
  declarator: (init_declarator declarator: [(identifier) (pointer_declarator) (reference_declarator)] value: (expression)))
  (#set! rule "type-to-auto")
  (#set! late)
  (#set! text "auto"))

((for_range_loop
  type: [(template_type) (qualified_identifier) (dependent_type) (sized_type_specifier)] @replace)
  (#set! rule "type-to-auto")
  (#set! late)
  (#set! text "auto"))

((function_definition
  type: [(template_type) (qualified_identifier) (dependent_type) (sized_type_specifier)] @replace
  declarator: (function_declarator)
  body: (compound_statement))
  (#set! rule "type-to-auto")
  (#set! late)
  (#set! text "auto"))

; int (*a)(int) = f;  ─►  auto a = f;
((declaration
  type: (_) @replace
  declarator: (init_declarator
    declarator: (function_declarator
      declarator: (parenthesized_declarator (_ declarator: (identifier) @_name))) @also
    value: (expression)))
  (#set! rule "pointer-to-auto")
  (#set! late)
  (#set! text "auto")
  (#set! also " {_name}"))

((declaration
  type: (_) @replace
  declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @_name) @also value: (expression)))
  (#set! rule "pointer-to-auto")
  (#set! late)
  (#set! text "auto")
  (#set! also " {_name}"))

; auto a = A();  ─►  A a;
((declaration
  type: (placeholder_type_specifier) @replace
  declarator: (init_declarator
    "=" @delete
    value: [
      (call_expression function: [(identifier) (template_function) (qualified_identifier)] @_type)
      (compound_literal_expression type: (_) @_type)
    ] @delete))
  (#set! rule "value-to-declaration")
  (#set! late)
  (#set! text "{_type}"))

; typedef struct { … } a;  ─►  struct a { … };
((type_definition
  "typedef" @delete
  type: (struct_specifier "struct" @replace !name)
  declarator: (type_identifier) @delete @_name)
  (#set! rule "typedef-to-tag")
  (#set! late)
  (#set! text "struct {_name}"))

; static_cast<T>(a)  ─►  (T)a
((call_expression
  function: (template_function
    name: (identifier) @_cast
    arguments: (template_argument_list . (_) @_type .))
  arguments: (argument_list . (_) @_value .)) @replace
  (#any-of? @_cast "static_cast" "const_cast" "reinterpret_cast" "dynamic_cast")
  (#set! rule "cast-to-c")
  (#set! late)
  (#set! text "({_type}){_value}"))

; static_cast<T>(a)  ─►  T(a)
((call_expression
  function: (template_function
    name: (identifier) @_cast
    arguments: (template_argument_list . (_) @_type .))
  arguments: (argument_list . (_) @_value .)) @replace
  (#any-of? @_cast "static_cast" "const_cast" "reinterpret_cast" "dynamic_cast")
  (#match? @_type "^\\w+$")
  (#set! rule "cast-to-call")
  (#set! late)
  (#set! text "{_type}({_value})"))

; template <int a> int b[a];  ─►  int a; int b[a];
((template_declaration
  "template" @delete
  parameters: (template_parameter_list "<" @delete . (parameter_declaration declarator: (_)) . ">" @replace))
  (#set! rule "parameter-to-variable")
  (#set! late)
  (#set! text ";"))
