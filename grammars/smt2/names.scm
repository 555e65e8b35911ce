; What defines a symbol, and what refers to it.

[
  (define_fun)
  (define_fun_rec)
  (define_sort)
  (datatype)
  (quantified_term)
  (let_term)
  (match_case)
] @local.scope

; (declare-const x Int), (define-fun f ((a Int)) Int a)
([
  (declare_const name: (symbol) @local.definition.variable sort: (sort . (symbol) @_sort .))
  (declare_fun name: (symbol) @local.definition.variable range: (sort . (symbol) @_sort .))
  (sorted_var name: (symbol) @local.definition.variable sort: (sort . (symbol) @_sort .))
]
  (#eq? @_sort "Bool")
  (#set! constant "true"))

([
  (define_fun name: (symbol) @local.definition.variable range: (sort . (symbol) @_sort .))
  (define_fun_rec name: (symbol) @local.definition.variable range: (sort . (symbol) @_sort .))
]
  (#eq? @_sort "Bool")
  (#set! reach "outer")
  (#set! constant "true"))

((define_fun name: (symbol) @local.definition.variable . "(" . ")" . (sort) . (_) @value)
  (#set! reach "outer"))

([
  (define_fun name: (symbol) @local.definition.variable)
  (define_fun_rec name: (symbol) @local.definition.variable)
]
  (#set! reach "outer"))

[
  (declare_const name: (symbol) @local.definition.variable)
  (declare_fun name: (symbol) @local.definition.variable)
  (sorted_var name: (symbol) @local.definition.variable)
  (constructor_pattern variable: (symbol) @local.definition.variable)
]

(binding name: (symbol) @local.definition.variable value: (_) @value)

; (declare-sort U 0), (define-sort A (T) …)
[
  (declare_sort name: (symbol) @local.definition.type)
  (sort_declaration name: (symbol) @local.definition.type)
  (declare_datatype name: (symbol) @local.definition.type)
  (define_sort parameters: (symbol) @local.definition.type)
  (datatype parameters: (symbol) @local.definition.type)
]

((define_sort name: (symbol) @local.definition.type . "(" . ")" . (sort) @value)
  (#set! reach "outer"))

((define_sort name: (symbol) @local.definition.type)
  (#set! reach "outer"))

((constructor name: (symbol) @local.definition.enumerator)
  (#set! reach "everywhere"))

((selector name: (symbol) @local.definition.enumerator)
  (#set! reach "everywhere"))

; What is applied goes with its arguments.
(application function: (symbol) @local.reference) @use

(sort name: (symbol) @local.reference) @use

(symbol) @local.reference
