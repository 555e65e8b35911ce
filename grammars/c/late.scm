; Rules that save a few tokens in small texts.

; int f(int); int main() { … }  ─►  int f(int) { … }
((declaration . type: (_) . declarator: (function_declarator) . ";" @delete)
  . (function_definition . type: (_)? @delete . declarator: (_) @delete . body: (compound_statement))
  (#set! rule "body-to-declaration")
  (#set! late))

; void f() { a(); } void g() { b(); }  ─►  void f() { a(); b(); }
((function_definition body: (compound_statement "}" @delete .))
  . (function_definition
    . type: (_)? @delete
    . declarator: (_) @delete
    . body: (compound_statement . "{" @delete (_)))
  (#set! rule "bodies-to-one")
  (#set! late))

; int f(a) int *a; { … }  ─►  int f(int *a) { … }
((function_definition
  declarator: (function_declarator parameters: (parameter_list . "(" . (identifier) @replace . ")"))
  . (declaration
    type: (_) @_type
    . declarator: [(identifier) (pointer_declarator) (array_declarator)] @_name
    . ";") @delete)
  (#set! rule "declaration-into-parameter")
  (#set! late)
  (#set! text "{_type} {_name}"))

; int i; for (i = 0; …) …  ─►  for (int i = 0; …) …
((declaration . type: (_) @_type . declarator: (identifier) @_name . ";") @delete
  . (for_statement
    initializer: (assignment_expression left: (identifier) @_assigned) @_all @replace)
  (#eq? @_name @_assigned)
  (#set! rule "declaration-into-loop")
  (#set! late)
  (#set! text "{_type} {_all}"))

; a = f(); if (a) …, a++; g(a);  ─►  if (a = f()) …, g(a++);
((expression_statement [
    (assignment_expression left: (_) @_name)
    (update_expression argument: (_) @_name)
  ] @_value) @delete
  . [
    (if_statement condition: (_ (_) @replace))
    (switch_statement condition: (_ (_) @replace))
    (return_statement (_) @replace)
    (expression_statement (assignment_expression right: (_) @replace))
    (expression_statement (call_expression arguments: (argument_list (_) @replace)))
    (declaration declarator: (init_declarator value: (_) @replace))
  ]
  (#eq? @replace @_name)
  (#set! rule "assignment-into-use")
  (#set! late)
  (#set! text "{_value}"))

; a = a + b;  ─►  a += b;
((assignment_expression
  left: (_) @_name
  operator: "=" @delete
  right: (binary_expression
    left: (_) @delete @_other
    operator: ["+" "-" "*" "/" "%" "<<" ">>" "&" "|" "^"] @replace @_operator))
  (#eq? @_name @_other)
  (#set! rule "assignment-to-compound")
  (#set! late)
  (#set! text "{_operator}="))

; a = c; b = c;  ─►  a = b = c;
((expression_statement (assignment_expression operator: "=" right: (_) @replace @_value))
  . (expression_statement (assignment_expression operator: "=" right: (_) @_same) @_next) @delete
  (#eq? @_value @_same)
  (#set! rule "assignments-to-one")
  (#set! late)
  (#set! text "{_next}"))

; if (a) b = c; else b = d;  ─►  b = a ? c : d;
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: (expression_statement
    (assignment_expression left: (_) @_name operator: "=" right: (_) @_first))
  alternative: (else_clause (expression_statement
    (assignment_expression left: (_) @_other operator: "=" right: (_) @_second)))) @replace
  (#eq? @_name @_other)
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "{_name} = {_condition} ? {_first} : {_second};"))

; if (a) return b; return c;  ─►  return a ? b : c;
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: (return_statement (_) @_first)
  alternative: (else_clause (return_statement (_) @_second))) @replace
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "return {_condition} ? {_first} : {_second};"))

((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: (return_statement (_) @_first)
  !alternative) @delete
  . (return_statement (_) @replace @_second)
  (#set! rule "if-to-conditional")
  (#set! late)
  (#set! text "{_condition} ? {_first} : {_second}"))

; if (a) b = c;  ─►  b = a;
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: (expression_statement
    (assignment_expression left: (_) @_name operator: "=" right: (_)))
  !alternative) @replace
  (#set! rule "condition-to-value")
  (#set! late)
  (#set! text "{_name} = {_condition};"))

; if (a) b();  ─►  a && b();
((if_statement
  condition: (_ . "(" . (_) @_condition . ")")
  consequence: (expression_statement [(call_expression) (update_expression)] @_value)
  !alternative) @replace
  (#set! rule "if-to-and")
  (#set! late)
  (#set! text "{_condition} && {_value};"))

; if (a) goto b; c(); b: …  ─►  if (a) ; else c(); …
((if_statement consequence: (goto_statement label: (_) @_label) @replace !alternative)
  . (statement)
  . (labeled_statement . label: (_) @delete @_other . ":" @delete)
  (#eq? @_label @_other)
  (#set! rule "jump-to-else")
  (#set! late)
  (#set! text "; else"))

; switch (a) { case 1: b(); }  ─►  if (a) { b(); }
((switch_statement
  "switch" @replace
  body: (compound_statement
    . "{"
    . (case_statement ["case" "default"] @delete value: (_)? @delete ":" @delete (_))
    . "}"))
  (#set! rule "switch-to-if")
  (#set! late)
  (#set! text "if"))

; for (a = 0; b(); ) …  ─►  a = 0; while (b()) …
((for_statement
  "for" @delete
  . "(" @delete
  . initializer: (_)
  . ";" @replace
  . condition: (_)
  . ";" @delete
  . ")")
  (#set! rule "for-to-statement-and-while")
  (#set! late)
  (#set! text "; while ("))

((for_statement
  "for" @delete
  . "(" @delete
  . initializer: (declaration) @replace @_initializer
  . condition: (_)
  . ";" @delete
  . ")")
  (#set! rule "for-to-statement-and-while")
  (#set! late)
  (#set! text "{_initializer} while ("))

; do a(); while (b);  ─►  while (b) a();
((do_statement
  "do" @replace
  "while" @delete
  condition: (_) @delete @_condition
  ";" @delete)
  (#set! rule "do-to-while")
  (#set! late)
  (#set! text "while {_condition}"))

; while (a) { b(); if (c) break; }  ─►  while (c) { b(); }
((while_statement
  condition: (_ . "(" . (_) @replace . ")")
  body: (compound_statement
    (if_statement
      condition: (_ . "(" . (_) @_condition . ")")
      consequence: (break_statement)
      !alternative) @delete))
  (#set! rule "break-to-condition")
  (#set! late)
  (#set! text "{_condition}"))

; (&a)->b  ─►  a.b
((field_expression
  argument: (parenthesized_expression
    "(" @delete
    (pointer_expression "&" @delete)
    ")" @delete)
  operator: "->" @replace)
  (#set! rule "address-to-object")
  (#set! late)
  (#set! text "."))

; "a" "b"  ─►  "ab"
((concatenated_string
  (string_literal "\"" . (string_content) @_first . "\"") @replace
  . (string_literal . "\"" . (string_content) @_second . "\"") @delete)
  (#set! rule "strings-to-one")
  (#set! late)
  (#set! text "\"{_first}{_second}\""))

; ""  ─►  0
((string_literal) @replace
  (#match? @replace "^\\w*\"\"$")
  (#set! rule "empty-string-to-zero")
  (#set! late)
  (#set! text "0"))

; (long)a + 1  ─►  a + 1L

; (long)a + 1  ─►  a + 1L
((binary_expression
  left: (cast_expression "(" @delete type: (_) @delete @_type ")" @delete)
  right: (number_literal) @replace @_number)
  (#match? @_type "^(signed )?long|^int64_t|^ssize_t|^ptrdiff_t")
  (#not-match? @_type "unsigned|[*]")
  (#match? @_number "^\\w*[0-9A-Fa-f]$")
  (#set! rule "cast-to-suffix")
  (#set! late)
  (#set! text "{_number}L"))

((binary_expression
  left: (number_literal) @replace @_number
  right: (cast_expression "(" @delete type: (_) @delete @_type ")" @delete))
  (#match? @_type "^(signed )?long|^int64_t|^ssize_t|^ptrdiff_t")
  (#not-match? @_type "unsigned|[*]")
  (#match? @_number "^\\w*[0-9A-Fa-f]$")
  (#set! rule "cast-to-suffix")
  (#set! late)
  (#set! text "{_number}L"))

((binary_expression
  left: (cast_expression "(" @delete type: (_) @delete @_type ")" @delete)
  right: (number_literal) @replace @_number)
  (#match? @_type "unsigned long|long unsigned|^uint64_t|^size_t")
  (#not-match? @_type "[*]")
  (#match? @_number "^\\w*[0-9A-Fa-f]$")
  (#set! rule "cast-to-suffix")
  (#set! late)
  (#set! text "{_number}UL"))

((binary_expression
  left: (number_literal) @replace @_number
  right: (cast_expression "(" @delete type: (_) @delete @_type ")" @delete))
  (#match? @_type "unsigned long|long unsigned|^uint64_t|^size_t")
  (#not-match? @_type "[*]")
  (#match? @_number "^\\w*[0-9A-Fa-f]$")
  (#set! rule "cast-to-suffix")
  (#set! late)
  (#set! text "{_number}UL"))

((binary_expression
  left: (cast_expression "(" @delete type: (_) @delete @_type ")" @delete)
  right: (number_literal) @replace @_number)
  (#match? @_type "^unsigned( int)?$|^uint32_t")
  (#not-match? @_type "[*]")
  (#match? @_number "^\\w*[0-9A-Fa-f]$")
  (#set! rule "cast-to-suffix")
  (#set! late)
  (#set! text "{_number}U"))

((binary_expression
  left: (number_literal) @replace @_number
  right: (cast_expression "(" @delete type: (_) @delete @_type ")" @delete))
  (#match? @_type "^unsigned( int)?$|^uint32_t")
  (#not-match? @_type "[*]")
  (#match? @_number "^\\w*[0-9A-Fa-f]$")
  (#set! rule "cast-to-suffix")
  (#set! late)
  (#set! text "{_number}U"))

; printf("%d", (int)a)  ─►  printf("%ld", a)
; Only for formats with a single conversion, because conversions are not matched with arguments.
((argument_list
  (string_literal) @replace
  (cast_expression "(" @delete type: (_) @delete ")" @delete))
  (#set! rule "cast-to-conversion")
  (#set! late)
  (#set! from "^([^%]*%)([diouxX][^%]*)$")
  (#set! text "${1}l$2"))

((argument_list
  (string_literal) @replace
  (cast_expression "(" @delete type: (_) @delete ")" @delete))
  (#set! rule "cast-to-conversion")
  (#set! late)
  (#set! from "^([^%]*%)l+([diouxX][^%]*)$")
  (#set! text "${1}$2"))

; a = b; a->c = d;  ─►  a = a->c = d;
; Two edits that a compiler can require together: the removed value was only assigned, and the following assignment keeps
; the name used.
((expression_statement (assignment_expression left: (identifier) @_name right: (_) @replace))
  . (expression_statement
      (assignment_expression left: (_ argument: (identifier) @_used)) @_next) @delete
  (#eq? @_name @_used)
  (#set! rule "statement-to-value")
  (#set! late)
  (#set! text "{_next}"))

((_ body: (expression_statement (assignment_expression left: (identifier) @_name right: (_) @replace)))
  . (expression_statement
      (assignment_expression left: (_ argument: (identifier) @_used)) @_next) @delete
  (#eq? @_name @_used)
  (#set! rule "statement-to-value")
  (#set! late)
  (#set! text "{_next}"))

; sizeof(a)  ─►  1
((sizeof_expression) @replace
  (#set! rule "sizeof-to-one")
  (#set! late)
  (#set! text "1"))

; int a = b; }  ─►  return b; }
((compound_statement
  (declaration type: (_) . declarator: (init_declarator value: (_) @_value) . ";") @replace
  . "}")
  (#set! rule "declaration-to-return")
  (#set! late)
  (#set! text "return {_value};"))
