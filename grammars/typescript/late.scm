; function (a) { … }  ─►  a => { … }
((function_expression
  !name
  parameters: (formal_parameters . (required_parameter . (identifier) @_parameter .) .)
  body: (_) @_body) @replace
  (#not-match? @_body "^\\{\\s*return\\b")
  (#set! rule "function-to-arrow")
  (#set! late)
  (#set! text "{_parameter} => {_body}"))

; (a) => b  ─►  a => b
((arrow_function parameters: (formal_parameters . "(" @delete . (required_parameter . (identifier) .) . ")" @delete))
  (#set! rule "parameter-without-brackets")
  (#set! late))
