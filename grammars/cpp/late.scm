; What saves a few tokens in small texts, where nothing else does.

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
