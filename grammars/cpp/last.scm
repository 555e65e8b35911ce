; Constants of other types, for places where `0` changes the failure.

; f(a[b]); return c(d); e = g.h  ─►  f(nullptr); return nullptr; e = nullptr
([
  (argument_list (_) @replace)
  (return_statement (_) @replace)
  (init_declarator value: (_) @replace)
  (assignment_expression right: (_) @replace)
]
  (#match? @replace "\\w\\W")
  (#set! rule "value-to-nullptr")
  (#set! last)
  (#set! text "nullptr"))
