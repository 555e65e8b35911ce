; Rules that save a token or two, or make a called function unused.

; a.f(b)  ─►  &mut *a, which is equivalent for the borrow checker
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

; fn f() -> T { T { a: b } }  ─►  fn f() -> T { loop {} }; while it returns a literal, its calls can be replaced by that literal
((function_item body: (block . (struct_expression) .) @replace)
  (#set! rule "body-to-loop")
  (#set! late)
  (#set! text "{ loop {} }"))

; fn f<T>() where T: B { … }  ─►  fn f<T: B>() { … }
([
  (impl_item
    type_parameters: (type_parameters (type_parameter . name: (type_identifier) @_name .) @replace)
    (where_clause . (where_predicate left: (type_identifier) @_other bounds: (trait_bounds) @_bounds) . ","? .) @delete)
  (function_item
    type_parameters: (type_parameters (type_parameter . name: (type_identifier) @_name .) @replace)
    (where_clause . (where_predicate left: (type_identifier) @_other bounds: (trait_bounds) @_bounds) . ","? .) @delete)
  (struct_item
    type_parameters: (type_parameters (type_parameter . name: (type_identifier) @_name .) @replace)
    (where_clause . (where_predicate left: (type_identifier) @_other bounds: (trait_bounds) @_bounds) . ","? .) @delete)
]
  (#eq? @_name @_other)
  (#set! rule "where-to-bound")
  (#set! late)
  (#set! text "{_name}{_bounds}"))

; fn f<T: B>(a: T) { … }  ─►  fn f(a: impl B) { … }
((function_item
  type_parameters: (type_parameters
    . (type_parameter name: (_) @_name bounds: (trait_bounds . ":" . (_) @_bound .)) . ","? .) @delete
  parameters: (parameters
    (parameter type: [(type_identifier) @replace (reference_type type: (type_identifier) @replace)])))
  (#eq? @_name @replace)
  (#set! rule "parameter-to-impl")
  (#set! late)
  (#set! text "impl {_bound}"))

; trait T { fn f() -> U { loop {} } }  ─►  trait T { fn f() -> U; }
((trait_item body: (declaration_list (function_item body: (_) @replace)))
  (#set! rule "body-to-declaration")
  (#set! late)
  (#set! text ";"))
