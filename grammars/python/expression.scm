; Expressions are replaced by constants, or lose a surrounding part.
; Replacing an expression by an operand, an argument or an element needs no rule, because all are expressions.

; return a + f(b)  ─►  return 0
; Only where a value is read, and not for single words and strings, which have their own rules or are small already.
([
  (return_statement (expression) @replace)
  (assignment right: (expression) @replace)
  (augmented_assignment right: (expression) @replace)
  (named_expression value: (expression) @replace)
  (argument_list (expression) @replace)
  (keyword_argument value: (expression) @replace)
  (default_parameter value: (expression) @replace)
  (typed_default_parameter value: (expression) @replace)
  (lambda body: (expression) @replace)
  (conditional_expression (expression) @replace)
  (boolean_operator left: (expression) @replace)
  (boolean_operator right: (expression) @replace)
  (comparison_operator (primary_expression) @replace)
  (not_operator argument: (expression) @replace)
  (binary_operator left: (primary_expression) @replace)
  (binary_operator right: (primary_expression) @replace)
  (unary_operator argument: (primary_expression) @replace)
  (subscript subscript: (expression) @replace)
  (list (expression) @replace)
  (tuple (expression) @replace)
  (set (expression) @replace)
  (expression_list (expression) @replace)
  (pair key: (expression) @replace)
  (pair value: (expression) @replace)
  (list_comprehension body: (expression) @replace)
  (set_comprehension body: (expression) @replace)
  (generator_expression body: (expression) @replace)
  (interpolation expression: (expression) @replace)
  (yield (expression) @replace)
  (match_statement subject: (expression) @replace)
]
  (#match? @replace "^[^\"']*[^\\w\"']")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

; 1024, 0.5  ─►  0
([(integer) (float)] @replace
  (#set! rule "number-to-zero")
  (#set! text "0"))

; "text"  ─►  ''
((string) @replace
  (#set! rule "string-to-empty")
  (#set! text "''"))

; f"a {b} c"  ─►  f"{b} c"
; A prefix is kept, because the failure can depend on this kind of string.
((string
  (string_start) @_start
  (string_content) @delete)
  (#match? @_start "^\\w")
  (#set! rule "string-without-content"))

; f(a, b=c)  ─►  f(a, c)
; Only the first keyword argument, because positional arguments must come first.
((argument_list
  . (keyword_argument value: (_) @with) @replace)
  (#set! rule "keyword-argument-to-value"))

((argument_list
  [(expression) (list_splat)]
  . (keyword_argument value: (_) @with) @replace)
  (#set! rule "keyword-argument-to-value"))

; a[b:]  ─►  a[b]
((slice (expression) @with) @replace
  (#set! rule "slice-to-part"))

; with a() as b, except a as b  ─►  with a(), except a
((as_pattern . (expression) @with) @replace
  (#set! rule "alias-to-expression"))

; """text""", rb"text"  ─►  "text"
((string
  (string_start) @replace
  (string_end) @also) @_whole
  (#match? @replace "\"\"\"$")
  (#not-match? @_whole "\\n")
  (#set! rule "string-to-plain")
  (#set! text "\"")
  (#set! also "\""))

((string
  (string_start) @replace
  (string_end) @also) @_whole
  (#match? @replace "'''$")
  (#not-match? @_whole "\\n")
  (#set! rule "string-to-plain")
  (#set! text "'")
  (#set! also "'"))

((string (string_start) @replace)
  (#match? @replace "^\\w+\"$")
  (#set! rule "string-to-plain")
  (#set! text "\""))

((string (string_start) @replace)
  (#match? @replace "^\\w+'$")
  (#set! rule "string-to-plain")
  (#set! text "'"))

; f(a for a in b)  ─►  f(b)
((call
  arguments: (generator_expression
    body: (_) @delete
    . (for_in_clause
      "for" @delete
      left: (_) @delete
      "in" @delete) .))
  (#set! rule "generator-to-iterable"))

; a < b < c  ─►  a < b, b < c
((comparison_operator
  (_)
  . operators: _
  . (_)
  . operators: _ @delete
  . (_) @delete .)
  (#set! rule "comparison-shortened"))

((comparison_operator
  . (_) @delete
  . operators: _ @delete
  . (_)
  . operators: _)
  (#set! rule "comparison-shortened"))

; a += b  ─►  a = b
((augmented_assignment operator: _ @replace)
  (#set! rule "compound-assignment-to-plain")
  (#set! late)
  (#set! text "="))

; f(*[a])  ─►  f(a)
((list_splat [
  (list . (_) @with .)
  (tuple . (_) @with .)
]) @replace
  (#set! rule "splat-to-element"))

; {a: b}[c], [a, b][c]  ─►  b
([
  (subscript value: (dictionary (pair value: (expression) @with)))
  (subscript value: (list (expression) @with))
  (subscript value: (tuple (expression) @with))
] @replace
  (#set! rule "subscript-to-member"))

; getattr(a, 'b')  ─►  a.b
((call
  function: (identifier) @_function
  arguments: (argument_list . (_) @_object . (string (string_content) @_name))) @replace
  (#eq? @_function "getattr")
  (#match? @_name "^[A-Za-z_]\\w*$")
  (#set! rule "getattr-to-attribute")
  (#set! text "{_object}.{_name}"))

; setattr(a, 'b', c)  ─►  a.b = c
((expression_statement
  (call
    function: (identifier) @_function
    arguments: (argument_list . (_) @_object . (string (string_content) @_name) . (_) @_value)) @replace)
  (#eq? @_function "setattr")
  (#match? @_name "^[A-Za-z_]\\w*$")
  (#set! rule "getattr-to-attribute")
  (#set! text "{_object}.{_name} = {_value}"))

; [f(a) for a in b]  ─►  f(b)
([
  (list_comprehension
    "[" @delete
    body: (call arguments: (argument_list (identifier) @replace .))
    . (for_in_clause left: (_) @_target right: (_) @_iterable) @delete
    . "]" @delete)
  (generator_expression
    body: (call arguments: (argument_list (identifier) @replace .))
    . (for_in_clause left: (_) @_target right: (_) @_iterable) @delete .)
]
  (#eq? @replace @_target)
  (#set! rule "comprehension-to-call")
  (#set! text "{_iterable}"))

; a, b = c, d  ─►  a = c, b = d
((assignment
  left: (pattern_list . (_) . "," @delete . (_) @delete .)
  right: (expression_list . (_) . "," @delete . (_) @delete .))
  (#set! rule "pair-to-one"))

((assignment
  left: (pattern_list . (_) @delete . "," @delete . (_) .)
  right: (expression_list . (_) @delete . "," @delete . (_) .))
  (#set! rule "pair-to-one"))
