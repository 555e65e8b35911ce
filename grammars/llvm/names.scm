; What defines a name, and what refers to it. A label and what jumps to it have different tokens (`a:`, `%a`), so labels
; are no names here.

(fn_define) @local.scope

; define i32 @f(i32 %a) { … }
((fn_define (function_header name: (global_var) @local.definition.function arguments: (argument_list) @parameters))
  (#set! reach "everywhere"))

((declare (function_header name: (global_var) @local.definition.function arguments: (argument_list) @parameters))
  (#set! reach "everywhere"))

; A global variable is a pointer, as a function is.
(global_global . (global_var) @local.definition.function) @use

(alias . (global_var) @local.definition.function) @use

; %T = type { i32 }
(global_type . (local_var) @local.definition.type (type) @value) @use

(function_header arguments: (argument_list (argument (value (var (local_var) @local.definition.variable)))))

(instruction . (local_var) @local.definition.variable) @use

; attributes #0 = { … }, !0 = !{…}
(unnamed_attr_grp (attr_ref) @local.definition.attribute) @use

(global_metadata . (metadata_ref) @local.definition.label) @use

(type (local_var) @local.reference)

(instruction_call
  callee: (value (var (global_var) @local.reference))
  arguments: (argument_list) @arguments) @use

[(local_var) (global_var)] @local.reference

(attr_ref) @local.reference.attribute

(metadata_ref) @local.reference.label
