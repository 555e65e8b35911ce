; Rules that save a token or two, and rules whose result has another sort than the arguments.

; (declare-fun a () S)  ─►  (declare-const a S)
((declare_fun name: (_) @_name . "(" . ")" . range: (_) @_sort) @replace
  (#set! rule "function-to-constant")
  (#set! late)
  (#set! text "(declare-const {_name} {_sort})"))

; (let () a)  ─►  a
((let_term . (bindings) . (bindings) . (_) @with) @replace
  (#set! rule "let-to-body")
  (#set! late))

; (and (= a b) c)  ─►  (and false c)
((application function: (symbol) @_function argument: (application) @replace)
  (#any-of? @_function "not" "and" "or" "=>" "xor")
  (#set! rule "term-to-false")
  (#set! late)
  (#set! text "false"))

; (=> a (=> b c))  ─►  (=> a b c)
((application
  function: (symbol) @_outer
  argument: (application . "(" @delete function: (symbol) @delete @_inner ")" @delete .) .)
  (#eq? @_outer @_inner)
  (#set! rule "nested-operator")
  (#set! late))
