; Rules of JavaScript for nodes that have other names here, and rules for types.

((public_field_definition value: (expression) @replace)
  (#match? @replace "^[^\"'`]*[^\\w$\"'`]")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

; (function (a) { … })(b);  ─►  var a = b; { … }
((expression_statement [
    (call_expression
      function: (parenthesized_expression [
        (function_expression
          parameters: (formal_parameters . (required_parameter pattern: (identifier) @_parameter) .)
          body: (_) @_body)
        (arrow_function
          parameters: (formal_parameters . (required_parameter pattern: (identifier) @_parameter) .)
          body: (statement_block) @_body)
      ])
      arguments: (arguments . (_) @_argument .))
    (parenthesized_expression
      (call_expression
        function: (function_expression
          parameters: (formal_parameters . (required_parameter pattern: (identifier) @_parameter) .)
          body: (_) @_body)
        arguments: (arguments . (_) @_argument .)))
  ]) @replace
  (#set! rule "callback-to-parts")
  (#set! text "var {_parameter} = {_argument}; {_body}"))

; a.forEach(function (b) { … });  ─►  var b = a; { … }
((expression_statement
  (call_expression
    function: (member_expression object: (_) @_object)
    arguments: (arguments . [
      (function_expression
        parameters: (formal_parameters . (required_parameter pattern: (identifier) @_parameter))
        body: (_) @_body)
      (arrow_function
        parameters: (formal_parameters . (required_parameter pattern: (identifier) @_parameter))
        body: (statement_block) @_body)
    ]))) @replace
  (#set! rule "callback-to-parts")
  (#set! text "var {_parameter} = {_object}; {_body}"))

; function f(): T { … }  ─►  function f(): T { throw 0; }
([
  (function_declaration return_type: (_) body: (statement_block) @replace)
  (method_definition return_type: (_) body: (statement_block) @replace)
]
  (#set! rule "body-to-throw")
  (#set! text "{ throw 0; }"))

; a.f(b)  ─►  a
((call_expression function: (member_expression object: (_) @with)) @replace
  (#set! rule "call-to-receiver"))
