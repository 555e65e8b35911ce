; What saves a token or two, and frees what was called.

; a.f(b)  ─►  &mut *a, which the borrow checker sees as the same
((call_expression function: (field_expression value: (_) @_value)) @replace
  (#set! rule "call-to-borrow")
  (#set! late)
  (#set! text "&mut *{_value}"))

((call_expression function: (field_expression value: (_) @_value)) @replace
  (#set! rule "call-to-shared-borrow")
  (#set! late)
  (#set! text "&*{_value}"))

; { b = c }  ─►  { c; }
((block (assignment_expression right: (_) @_value) @replace .)
  (#set! rule "assignment-to-value")
  (#set! late)
  (#set! text "{_value};"))

; a: Vec<T>  ─►  a: [u8]
([
  (field_declaration type: [(generic_type) (scoped_type_identifier)] @replace)
  (reference_type type: [(generic_type) (scoped_type_identifier)] @replace)
]
  (#set! rule "type-to-slice")
  (#set! late)
  (#set! text "[u8]"))
