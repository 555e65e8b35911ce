; Definitions of and references to custom properties, animations, classes and ids.
; All of them are known in the whole style sheet.

; --a: red;
((declaration
  .
  (property_name) @local.definition.macro
  .
  ":"
  .
  (_) @value
  .
  ";") @use
  (#match? @local.definition.macro "^--"))

((declaration . (property_name) @local.definition.macro) @use
  (#match? @local.definition.macro "^--"))

; var(--a)
((call_expression
  (function_name) @_var
  (arguments . (plain_value) @local.reference)) @use
  (#eq? @_var "var"))

; @keyframes a { … }
(keyframes_statement (keyframes_name) @local.definition.label) @use

; animation: a 1s;
((declaration
  (property_name) @_animation
  (plain_value) @local.reference.label) @use
  (#match? @_animation "^(-[a-z]+-)?animation(-name)?$"))

; .a and #a
(class_selector (class_name) @local.definition.class)

(id_selector (id_name) @local.definition.tag)
