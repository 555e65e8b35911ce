; Expressions are replaced by constants, or lose a part.
; Replacing an expression by an operand, an argument or an element needs no rule, because all are expressions.

; return a + f(b);  ─►  return 0;
; Only where a value is read, and not for single words and strings, which have their own rules or are small already.
([
  (return_statement (expression) @replace)
  (throw_statement (expression) @replace)
  (variable_declarator value: (expression) @replace)
  (assignment_expression right: (expression) @replace)
  (augmented_assignment_expression right: (expression) @replace)
  (assignment_pattern right: (expression) @replace)
  (object_assignment_pattern right: (expression) @replace)
  (ternary_expression condition: (expression) @replace)
  (ternary_expression consequence: (expression) @replace)
  (ternary_expression alternative: (expression) @replace)
  (binary_expression left: (expression) @replace)
  (binary_expression right: (expression) @replace)
  (unary_expression argument: (expression) @replace)
  (await_expression (expression) @replace)
  (yield_expression (expression) @replace)
  (arrow_function body: (expression) @replace)
  (arguments (expression) @replace)
  (array (expression) @replace)
  (pair value: (expression) @replace)
  (computed_property_name (expression) @replace)
  (subscript_expression index: (expression) @replace)
  (template_substitution (expression) @replace)
]
  (#match? @replace "^[^\"'`]*[^\\w$\"'`]")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

((field_definition value: (expression) @replace)
  (#set! part "field")
  (#match? @replace "^[^\"'`]*[^\\w$\"'`]")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

((jsx_expression (expression) @replace)
  (#set! part "jsx")
  (#match? @replace "^[^\"'`]*[^\\w$\"'`]")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

; 1024  ─►  0
((number) @replace
  (#set! rule "number-to-zero")
  (#set! text "0"))

; "text"  ─►  ''
((string) @replace
  (#set! rule "string-to-empty")
  (#set! text "''"))

; `a${b}c`  ─►  ``
((template_string) @replace
  (#set! rule "template-to-empty")
  (#set! text "``"))

; /a+(b|c)/  ─►  /x/
((regex_pattern) @replace
  (#set! rule "regex-to-letter")
  (#set! text "x"))

; a?.b, a?.[b], a?.(b)  ─►  a.b, a[b], a(b)
((member_expression (optional_chain) @replace)
  (#set! rule "optional-chain-dropped")
  (#set! text "."))

((subscript_expression (optional_chain) @delete)
  (#set! rule "optional-chain-dropped"))

((call_expression (optional_chain) @delete)
  (#set! part "optional-call")
  (#set! rule "optional-chain-dropped"))

; { a: b }  ─►  { b }
([
  (pair value: (identifier) @with)
  (pair_pattern value: (identifier) @with)
] @replace
  (#set! rule "pair-to-shorthand"))

; <a b="c">  ─►  <a b>
((jsx_attribute
  (property_identifier) @with
  . "=") @replace
  (#set! part "jsx")
  (#set! rule "attribute-to-name"))

; <a>b<c>d</c></a>  ─►  <a>bd</a>
((jsx_element
  (jsx_element
    open_tag: (_) @delete
    close_tag: (_) @delete))
  (#set! part "jsx")
  (#set! rule "element-to-content"))

; a += b  ─►  a = b
((augmented_assignment_expression operator: _ @replace)
  (#set! rule "compound-assignment-to-plain")
  (#set! late)
  (#set! text "="))

; ({ a: b }).a, [a, b][c]  ─►  b
([
  (member_expression object: (object (pair value: (_) @with)))
  (member_expression object: (parenthesized_expression (object (pair value: (_) @with))))
  (subscript_expression object: (object (pair value: (_) @with)))
  (subscript_expression object: (parenthesized_expression (object (pair value: (_) @with))))
  (subscript_expression object: (array (expression) @with))
] @replace
  (#set! rule "access-to-member"))

; (function (a) { … })(b);  ─►  var a = b; { … }
((expression_statement [
    (call_expression
      function: (parenthesized_expression [
        (function_expression parameters: (formal_parameters . (identifier) @_parameter .) body: (_) @_body)
        (arrow_function parameters: (formal_parameters . (identifier) @_parameter .) body: (statement_block) @_body)
      ])
      arguments: (arguments . (_) @_argument .))
    (parenthesized_expression
      (call_expression
        function: (function_expression
          parameters: (formal_parameters . (identifier) @_parameter .)
          body: (_) @_body)
        arguments: (arguments . (_) @_argument .)))
  ]) @replace
  (#set! part "bare-parameter")
  (#set! rule "callback-to-parts")
  (#set! text "var {_parameter} = {_argument}; {_body}"))

; a.forEach(function (b) { … });  ─►  var b = a; { … }
((expression_statement
  (call_expression
    function: (member_expression object: (_) @_object)
    arguments: (arguments . [
      (function_expression parameters: (formal_parameters . (identifier) @_parameter) body: (_) @_body)
      (arrow_function parameters: (formal_parameters . (identifier) @_parameter) body: (statement_block) @_body)
    ]))) @replace
  (#set! part "bare-parameter")
  (#set! rule "callback-to-parts")
  (#set! text "var {_parameter} = {_object}; {_body}"))

((expression_statement
  (call_expression
    function: (member_expression object: (_) @_object)
    arguments: (arguments . (arrow_function parameter: (identifier) @_parameter body: (statement_block) @_body)))) @replace
  (#set! rule "callback-to-parts")
  (#set! text "var {_parameter} = {_object}; {_body}"))

; f.call(this, a), f.apply(this, a)  ─►  f(a)
((call_expression
  function: (member_expression "." @delete property: (property_identifier) @delete @_method)
  arguments: (arguments . "(" . (_) @delete . "," @delete))
  (#any-of? @_method "call" "apply")
  (#set! rule "call-to-plain"))

((call_expression
  function: (member_expression "." @delete property: (property_identifier) @delete @_method)
  arguments: (arguments . "(" . (_) @delete . ")"))
  (#any-of? @_method "call" "apply")
  (#set! rule "call-to-plain"))

; (function () { class a { … } return a; })()  ─►  class a { … }
((call_expression
  function: [
    (function_expression body: (statement_block
      . [(class_declaration name: (_) @_name) (function_declaration name: (_) @_name)] @with
      . (return_statement (identifier) @_result) .))
    (parenthesized_expression [
      (function_expression body: (statement_block
        . [(class_declaration name: (_) @_name) (function_declaration name: (_) @_name)] @with
        . (return_statement (identifier) @_result) .))
      (arrow_function body: (statement_block
        . [(class_declaration name: (_) @_name) (function_declaration name: (_) @_name)] @with
        . (return_statement (identifier) @_result) .))
    ])
  ]) @replace
  (#eq? @_name @_result)
  (#set! rule "call-to-declaration"))

; var a = function () { b(); return c; }();  ─►  b(); var a = c;
([
  (variable_declaration
    "var" @delete @_word
    . (variable_declarator
      name: (_) @delete @_name
      "=" @delete
      value: (call_expression
        function: [
          (function_expression
            "function" @delete
            parameters: (_) @delete
            body: (statement_block "{" @delete (return_statement "return" @replace (_)) . "}" @delete))
          (parenthesized_expression
            "(" @delete
            [
              (function_expression
                "function" @delete
                parameters: (_) @delete
                body: (statement_block "{" @delete (return_statement "return" @replace (_)) . "}" @delete))
              (arrow_function
                parameters: (_) @delete
                "=>" @delete
                body: (statement_block "{" @delete (return_statement "return" @replace (_)) . "}" @delete))
            ]
            ")" @delete)
        ]
        arguments: (_) @delete)) .)
  (lexical_declaration
    kind: _ @delete @_word
    . (variable_declarator
      name: (_) @delete @_name
      "=" @delete
      value: (call_expression
        function: [
          (function_expression
            "function" @delete
            parameters: (_) @delete
            body: (statement_block "{" @delete (return_statement "return" @replace (_)) . "}" @delete))
          (parenthesized_expression
            "(" @delete
            [
              (function_expression
                "function" @delete
                parameters: (_) @delete
                body: (statement_block "{" @delete (return_statement "return" @replace (_)) . "}" @delete))
              (arrow_function
                parameters: (_) @delete
                "=>" @delete
                body: (statement_block "{" @delete (return_statement "return" @replace (_)) . "}" @delete))
            ]
            ")" @delete)
        ]
        arguments: (_) @delete)) .)
]
  (#set! rule "call-to-statements")
  (#set! text "{_word} {_name} ="))
