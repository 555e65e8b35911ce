; Definitions and references.

(fn_define) @local.scope

(function_body (instruction) @statement)

(instruction (instruction_ret (type_and_value (value) @result)?)) @return

; define i32 @f(i32 %a) { … }
; A body without labels can replace a call.
((fn_define
  (function_header
    (type) @type
    name: (global_var) @local.definition.function
    arguments: (argument_list) @parameters)
  body: (function_body "{" . (instruction)+ . "}") @body)
  (#set! reach "everywhere"))

((fn_define (function_header name: (global_var) @local.definition.function arguments: (argument_list) @parameters))
  (#set! reach "everywhere"))

((declare (function_header name: (global_var) @local.definition.function arguments: (argument_list) @parameters))
  (#set! reach "everywhere"))

; A global variable is a pointer, like a function.
(global_global . (global_var) @local.definition.function) @use

(alias . (global_var) @local.definition.function) @use

; %T = type { i32 }
(global_type . (local_var) @local.definition.type (type) @value) @use

(function_header arguments: (argument_list (argument (value (var (local_var) @local.definition.variable)))))

; %a = phi i32 [ %b, %c ]: there is only one value.
(instruction
  . (local_var) @local.definition.variable
  (instruction_phi "[" . (value) @value . "," . (local_var) . "]" .)) @use

; %a = add i32 %b, %c: an operand of the same type
(instruction
  . (local_var) @local.definition.variable
  (instruction_bin_op (type_and_value (value (var (local_var))) @value))) @use

(instruction
  . (local_var) @local.definition.variable
  (instruction_bin_op (value (var (local_var))) @value .)) @use

(instruction
  . (local_var) @local.definition.variable
  (instruction_select (type_and_value) (type_and_value (value (var (local_var))) @value))) @use

(instruction
  . (local_var) @local.definition.variable
  [
    (instruction_freeze (type_and_value (value) @value))
    (instruction_fneg (type_and_value (value) @value))
  ]) @use

; A pointer into an object is replaced by the object, an aggregate with a changed member by the aggregate.
(instruction
  . (local_var) @local.definition.variable
  (instruction_getelementptr
    (type_and_value . (type) .)
    . (type_and_value (value (var (local_var))) @value))) @use

(instruction
  . (local_var) @local.definition.variable
  [
    (instruction_insertvalue . (type_and_value (value) @value))
    (instruction_insertelement . (type_and_value (value) @value))
  ]) @use

(instruction . (local_var) @local.definition.variable) @use

; attributes #0 = { … }, !0 = !{…}
(unnamed_attr_grp (attr_ref) @local.definition.attribute) @use

((global_metadata . (metadata_ref) @local.definition.attribute) @use
  (#set! namespace "metadata"))

; a: …, up to the next label
(label) @local.definition.label

(type (local_var) @local.reference)

; load i32, i32* %a, call void @f(i32* %a)
(type_and_value (type) @type (value (var (local_var) @local.reference)))

(argument (type) @type (value (var (local_var) @local.reference)))

(instruction_call
  callee: (value (var (global_var) @local.reference))
  arguments: (argument_list) @arguments) @use

; phi i32 [ %a, %b ]: the predecessor block
((instruction_phi (local_var) @local.reference)
  (#set! origin))

[(local_var) (global_var)] @local.reference

(attr_ref) @local.reference.attribute

((metadata_ref) @local.reference
  (#set! namespace "metadata"))
