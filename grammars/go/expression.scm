; Replacements for values of any type, and rules that skip an intermediate step that does not type-check.

; a.f(b)  ─►  a
((call_expression function: (selector_expression operand: (_) @with)) @replace
  (#set! rule "call-to-receiver"))

; func f() T { … }  ─►  func f() T { panic(0) }
([
  (function_declaration body: (block) @replace)
  (method_declaration body: (block) @replace)
  (func_literal body: (block) @replace)
]
  (#set! rule "body-to-panic")
  (#set! text "{ panic(0) }"))

; func f() T { g(); return a }  ─►  func f() { g() }
([
  (function_declaration result: (_) @delete body: (block (statement_list (return_statement) @delete .)))
  (method_declaration result: (_) @delete body: (block (statement_list (return_statement) @delete .)))
]
  (#set! rule "result-dropped"))

; a, err := f(); if err != nil { … }  ─►  f()
((statement_list
  (short_var_declaration left: (expression_list) @delete ":=" @delete right: (expression_list . (call_expression) .))
  . (if_statement !initializer !alternative) @delete)
  (#set! rule "result-and-check"))

; if a, b := f(); c { … }  ─►  f()
((if_statement initializer: (short_var_declaration right: (expression_list . (call_expression) @with .))) @replace
  (#set! rule "initializer-alone"))

; if a := f(); b { … }  ─►  if b { … }
([
  (if_statement initializer: (_) @delete . ";" @delete)
  (expression_switch_statement initializer: (_) @delete . ";" @delete)
  (type_switch_statement initializer: (_) @delete . ";" @delete)
]
  (#set! rule "initializer-dropped"))

; if f(a) { … }  ─►  if true { … }
((if_statement condition: (_) @replace)
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "true"))
