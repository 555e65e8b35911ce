; Scopes, definitions and references. Items are global, because paths and `use` refer to them from anywhere.

[(function_item) (closure_expression)] @local.scope.function

[
  (block)
  (for_expression)
  (if_expression)
  (while_expression)
  (match_arm)
  (impl_item)
  (trait_item)
  (struct_item)
  (enum_item)
  (union_item)
  (type_item)
  (function_signature_item)
] @local.scope

[(expression_statement) (let_declaration) (function_item)] @statement

(return_expression (_)? @result) @return

; { a; b }
(function_item body: (block (_expression) @return @result .))

; The first name of a path, a pattern or a literal.
(tuple_struct_pattern type: (identifier) @local.reference)

(impl_item
  type_parameters: (type_parameters)? @generic
  !trait
  type: [(type_identifier) @class (generic_type type: (type_identifier) @class)]
  body: (declaration_list) @members)

; fn f(&self, a: i32) { … } of a type, which can become a function with one more parameter
((impl_item
  !trait
  body: (declaration_list
    (function_item
      name: (identifier) @local.definition.method
      parameters: (parameters . (self_parameter . (self) .)) @parameters
      return_type: (_)? @type
      body: (block) @body)))
  (#set! skip "1")
  (#set! receiver "{name}: {class}"))

((impl_item
  !trait
  body: (declaration_list
    (function_item
      name: (identifier) @local.definition.method
      parameters: (parameters . (self_parameter . "&" . (self) .)) @parameters
      return_type: (_)? @type
      body: (block) @body)))
  (#set! skip "1")
  (#set! receiver "{name}: &{class}")
  (#set! handed "&{object}"))

((impl_item
  !trait
  body: (declaration_list
    (function_item
      name: (identifier) @local.definition.method
      parameters: (parameters . (self_parameter . "&" . (mutable_specifier) . (self) .)) @parameters
      return_type: (_)? @type
      body: (block) @body)))
  (#set! skip "1")
  (#set! receiver "{name}: &mut {class}")
  (#set! handed "&mut {object}"))

((impl_item
  !trait
  body: (declaration_list
    (function_item
      name: (identifier) @local.definition.method
      parameters: (parameters . (self_parameter . (mutable_specifier) . (self) .)) @parameters
      return_type: (_)? @type
      body: (block) @body)))
  (#set! skip "1")
  (#set! receiver "mut {name}: {class}"))

; fn f(&self, a: i32) { … } of a type or a trait
((declaration_list
  (function_item
    name: (identifier) @local.definition.method
    parameters: (parameters . [(self_parameter) (parameter pattern: (self))]) @parameters
    return_type: (_)? @type
    body: (block) @body))
  (#set! skip "1"))

((declaration_list
  (function_signature_item
    name: (identifier) @local.definition.method
    parameters: (parameters . [(self_parameter) (parameter pattern: (self))]) @parameters))
  (#set! skip "1"))

((impl_item
  body: (declaration_list
    (function_item name: (identifier) @local.definition.method parameters: (parameters) @parameters body: (block) @body)))
  (#set! this))

((trait_item
  body: (declaration_list
    [
      (function_item name: (identifier) @local.definition.method parameters: (parameters) @parameters)
      (function_signature_item name: (identifier) @local.definition.method parameters: (parameters) @parameters)
    ]))
  (#set! this))

; fn f(a: i32) { … }
(function_item
  name: (identifier) @local.definition.function
  type_parameters: (type_parameters)? @generic
  parameters: (parameters) @parameters
  return_type: (_)? @type
  body: (block) @body)

(function_signature_item
  name: (identifier) @local.definition.function
  type_parameters: (type_parameters)? @generic
  parameters: (parameters) @parameters)

; let f = |a| …
(let_declaration
  pattern: (identifier) @local.definition.function
  value: (closure_expression parameters: (closure_parameters) @parameters body: (block) @body))

(let_declaration
  pattern: (identifier) @local.definition.function
  value: (closure_expression parameters: (closure_parameters) @parameters body: (_) @value))

; struct S { a: u8 }, and enums, unions, traits and modules
((struct_item
  name: (type_identifier) @local.definition.type
  type_parameters: (type_parameters)? @generic
  body: (field_declaration_list . (field_declaration name: (field_identifier) @only type: (_) @only.type) .))
  (#set! unnamed "({type});"))

[
  (struct_item name: (type_identifier) @local.definition.type type_parameters: (type_parameters)? @generic)
  (enum_item name: (type_identifier) @local.definition.type type_parameters: (type_parameters)? @generic)
  (union_item name: (type_identifier) @local.definition.type type_parameters: (type_parameters)? @generic)
]

(trait_item name: (type_identifier) @local.definition.concept type_parameters: (type_parameters)? @generic)

(mod_item name: (identifier) @local.definition.namespace)

(macro_definition name: (identifier) @local.definition.macro)

; type T = S;
(type_item
  name: (type_identifier) @local.definition.type
  type_parameters: (type_parameters)? @generic
  type: (_) @value)

(associated_type name: (type_identifier) @local.definition.type)

((type_parameter name: (type_identifier) @local.definition.type default_type: (_) @value)
  (#set! reach "inner"))

((type_parameter name: (type_identifier) @local.definition.type)
  (#set! reach "inner"))

(const_parameter name: (identifier) @local.definition.variable)

(lifetime_parameter name: (lifetime (identifier) @local.definition.label))

(for_lifetimes (lifetime (identifier) @local.definition.label))

(lifetime (identifier) @local.reference.label) @use

; 'a: loop { break 'a; }
(loop_expression (label (identifier) @local.definition.label))

(while_expression (label (identifier) @local.definition.label))

(for_expression (label (identifier) @local.definition.label))

(block (label (identifier) @local.definition.label))

(label (identifier) @local.reference.label)

(enum_variant name: (identifier) @local.definition.enumerator value: (_) @value)

(enum_variant name: (identifier) @local.definition.enumerator)

((const_item name: (identifier) @local.definition.variable value: (_) @value)
  (#set! reach "everywhere"))

((const_item name: (identifier) @local.definition.variable)
  (#set! reach "everywhere"))

((static_item name: (identifier) @local.definition.variable value: (_) @value)
  (#set! reach "everywhere"))

((static_item name: (identifier) @local.definition.variable)
  (#set! reach "everywhere"))

; use a::b as c;
(use_as_clause path: (_) @value alias: (identifier) @local.definition.import) @alias

; use a::b;
(use_declaration argument: (scoped_identifier name: (identifier) @local.definition.import) @value)

(use_list [
  (identifier) @local.definition.import
  (scoped_identifier name: (identifier) @local.definition.import)
])

; let a: T = 1;
((let_declaration pattern: (identifier) @local.definition.variable type: (_) @type value: (_) @value)
  (#set! parameter "{name}: {type}"))

((let_declaration pattern: (identifier) @local.definition.variable value: (_) @value)
  (#set! parameter "{name}: {type}"))

[
  (let_declaration pattern: (identifier) @local.definition.variable)
  (parameter pattern: (identifier) @local.definition.variable type: (_) @type)
  (closure_parameters (identifier) @local.definition.variable)
  (for_expression pattern: (identifier) @local.definition.variable)
  (captured_pattern . (identifier) @local.definition.variable)
  (ref_pattern (identifier) @local.definition.variable)
  (mut_pattern (identifier) @local.definition.variable)
  (reference_pattern (identifier) @local.definition.variable)
]

; (a, b): a removed name is replaced by `_`. A name with a capital letter is a constant or a variant.
([
  (tuple_pattern (identifier) @local.definition.variable)
  (slice_pattern (identifier) @local.definition.variable)
  (tuple_struct_pattern (identifier) @local.definition.variable)
]
  (#match? @local.definition.variable "^[a-z_]")
  (#set! blank "_"))

([
  (match_pattern (identifier) @local.definition.variable)
  (field_pattern pattern: (identifier) @local.definition.variable)
  (or_pattern (identifier) @local.definition.variable)
  (let_condition pattern: (identifier) @local.definition.variable)
]
  (#match? @local.definition.variable "^[a-z_]"))

(field_pattern name: (shorthand_field_identifier) @local.definition.variable)

; Fields with the same name are one symbol, in whichever type they are.
(field_declaration name: (field_identifier) @local.definition.field)

(call_expression
  function: (field_expression value: (_) @object field: (field_identifier) @local.reference.method)
  arguments: (arguments) @arguments) @use

(call_expression
  function: (generic_function
    function: (field_expression value: (_) @object field: (field_identifier) @local.reference.method)
    type_arguments: (type_arguments) @generic)
  arguments: (arguments) @arguments) @use

(field_expression value: (_) @object field: (field_identifier) @local.reference.field) @use

(field_initializer field: (field_identifier) @local.reference.field) @use

(field_pattern name: (field_identifier) @local.reference.field) @use

(field_identifier) @local.reference.field

; T::f(a), a function of a type or of a module
((call_expression
  function: (scoped_identifier path: (_) @object name: (identifier) @local.reference.method)
  arguments: (arguments) @arguments) @use
  (#set! skip "0")
  (#set! otherwise ""))

((scoped_identifier path: (_) @object name: (identifier) @local.reference.method) @use
  (#set! skip "0")
  (#set! otherwise ""))

(scoped_type_identifier name: (type_identifier) @local.reference) @use

; A path is removed together with any name in it.
(scoped_identifier path: (identifier) @local.reference) @use

(scoped_type_identifier path: (identifier) @local.reference) @use

(call_expression function: (identifier) @local.reference arguments: (arguments) @arguments) @use

(call_expression
  function: (generic_function function: (identifier) @local.reference type_arguments: (type_arguments) @generic)
  arguments: (arguments) @arguments) @use

(macro_invocation macro: (identifier) @local.reference) @use

(struct_expression name: (type_identifier) @local.reference) @use

; Uses are removed together with the name; of an assignment to it, the value stays.
(assignment_expression left: (identifier) @local.reference right: (_) @value) @use

(assignment_expression left: (field_expression value: (identifier) @local.reference) right: (_) @value) @use

(assignment_expression left: (index_expression . (identifier) @local.reference) right: (_) @value) @use

(assignment_expression left: (unary_expression (identifier) @local.reference) right: (_) @value) @use

(compound_assignment_expr left: (identifier) @local.reference right: (_) @value) @use

(call_expression function: (field_expression value: (identifier) @local.reference)) @use

(field_expression value: (identifier) @local.reference) @use

(index_expression . (identifier) @local.reference) @use

(reference_expression value: (identifier) @local.reference) @use

(unary_expression (identifier) @local.reference) @use

(generic_type type: (type_identifier) @local.reference type_arguments: (type_arguments) @generic) @use

[(tuple_expression) (tuple_pattern)] @tuple

[(integer_literal) (string_literal)] @literal

((shorthand_field_initializer (identifier) @local.reference)
  (#set! written "{name}: {value}"))

[(type_identifier) (shorthand_field_identifier) (identifier)] @local.reference
