; define i32 @f(i32 %a) { … } → declare i32 @f(i32 %a)
((fn_define (function_header) @_header) @replace
  (#set! rule "definition-to-declaration")
  (#set! text "declare {_header}"))

; @g = global [2 x i8] [i8 1, i8 2] → zeroinitializer
((global_global
  (type_and_value
    (value [(array_value) (struct_value) (packed_struct_value) (vector_value) (constant_expr) (cstring)]) @replace))
  (#set! rule "initializer-to-zero")
  (#set! text "zeroinitializer"))

; load i32, ptr %a → load i32, ptr poison
((type_and_value (type) @_type (value (var (local_var))) @replace)
  (#not-eq? @_type "label")
  (#set! rule "operand-to-poison")
  (#set! late)
  (#set! text "poison"))

; add i32 0, %b → add i32 0, poison
([
  (instruction_bin_op (value (var (local_var))) @replace)
  (instruction_icmp (value (var (local_var))) @replace)
  (instruction_fcmp (value (var (local_var))) @replace)
  (instruction_phi (value (var (local_var))) @replace)
  (instruction_call arguments: (argument_list (argument (value (var (local_var))) @replace)))
]
  (#set! rule "operand-to-poison")
  (#set! late)
  (#set! text "poison"))

; load i32, ptr %a, align 4 → load i32, ptr %a
((_ "," @delete . "align" @delete . (number) @delete)
  (#set! rule "alignment"))

; call void @f() unreachable → ret i32 poison, if the call only ends the function
((fn_define
  (function_header . (type) @_type)
  body: (function_body
    (instruction (instruction_call)) @delete
    . (instruction (instruction_unreachable)) @replace))
  (#not-eq? @_type "void")
  (#set! rule "call-to-return")
  (#set! text "ret {_type} poison"))

((fn_define
  (function_header . (type) @_type)
  body: (function_body
    (instruction (instruction_call)) @delete
    . (instruction (instruction_unreachable)) @replace))
  (#eq? @_type "void")
  (#set! rule "call-to-return")
  (#set! text "ret void"))

; getelementptr [8 x i32], ptr %a, i64 0, i64 %b → getelementptr i32, ptr %a, i64 %b
((instruction_getelementptr
  (type_and_value . (type (array_type (array_vector_body (number) (type) @_element))) @replace .)
  . ","
  . (type_and_value (type) @_pointer)
  . "," @delete
  . (type_and_value (value (number))) @delete
  . ",")
  (#eq? @_pointer "ptr")
  (#set! rule "array-to-element")
  (#set! text "{_element}"))
