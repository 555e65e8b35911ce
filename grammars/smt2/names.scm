; Definitions and references.

[
  (define_fun)
  (define_fun_rec)
  (define_sort)
  (datatype)
  (quantified_term)
  (let_term)
  (match_case)
] @local.scope

; (declare-const x Int), (define-fun f () Int 0)
([
  (declare_const name: (_) @local.definition.variable sort: (sort . (symbol) @_sort .))
  (declare_fun name: (_) @local.definition.variable . "(" . ")" . range: (sort . (symbol) @_sort .))
  (sorted_var name: (_) @local.definition.variable sort: (sort . (symbol) @_sort .))
]
  (#eq? @_sort "Bool")
  (#set! constant "true"))

((define_fun name: (_) @local.definition.variable . "(" . ")" . (sort . (symbol) @_sort .) . (_) @value)
  (#eq? @_sort "Bool")
  (#set! reach "outer")
  (#set! constant "true"))

((define_fun name: (_) @local.definition.variable . "(" . ")" . (sort) . (_) @value)
  (#set! reach "outer"))

; (declare-fun f (Int) Int), (define-fun f ((a Int)) Int a): there is no node for the parameter list, so the bracket
; before it represents the list.
((declare_fun name: (_) @local.definition.variable . "(" @parameters range: (sort . (symbol) @_sort .))
  (#eq? @_sort "Bool")
  (#set! constant "true"))

((define_fun
  name: (_) @local.definition.variable . "(" @parameters
  range: (sort . (symbol) @_sort .)
  body: (_) @value)
  (#eq? @_sort "Bool")
  (#set! reach "outer")
  (#set! constant "true"))

((define_fun name: (_) @local.definition.variable . "(" @parameters body: (_) @value)
  (#set! reach "outer"))

((define_fun_rec name: (_) @local.definition.variable . "(" @parameters range: (sort . (symbol) @_sort .))
  (#eq? @_sort "Bool")
  (#set! reach "outer")
  (#set! constant "true"))

((define_fun_rec name: (_) @local.definition.variable . "(" @parameters)
  (#set! reach "outer"))

(declare_fun name: (_) @local.definition.variable . "(" . ")")

(declare_fun name: (_) @local.definition.variable . "(" @parameters)

(define_const name: (_) @local.definition.variable body: (_) @value)

((function_declaration name: (_) @local.definition.variable . "(" @parameters)
  (#set! reach "outer"))

[
  (declare_const name: (_) @local.definition.variable)
  (sorted_var name: (_) @local.definition.variable)
  (constructor_pattern variable: (_) @local.definition.variable)
]

(binding name: (_) @local.definition.variable value: (_) @value)

; (declare-sort U 0), (define-sort A (T) …)
[
  (declare_sort name: (_) @local.definition.type)
  (sort_declaration name: (_) @local.definition.type)
  (declare_datatype name: (_) @local.definition.type)
  (define_sort parameters: [(symbol) (quoted_symbol)] @local.definition.type)
  (datatype parameters: [(symbol) (quoted_symbol)] @local.definition.type)
]

((define_sort name: (_) @local.definition.type . "(" . ")" . (sort) @value)
  (#set! reach "outer"))

((define_sort name: (_) @local.definition.type)
  (#set! reach "outer"))

((constructor name: (_) @local.definition.enumerator)
  (#set! reach "everywhere"))

((selector name: (_) @local.definition.enumerator)
  (#set! reach "everywhere"))

; A function is removed together with its arguments, which follow it.
(application function: [(symbol) (quoted_symbol)] @local.reference @arguments) @use

(sort name: [(symbol) (quoted_symbol)] @local.reference) @use

[(symbol) (quoted_symbol)] @local.reference
