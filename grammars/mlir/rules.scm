; Results of functions and arguments of blocks, which appear twice in the text.

; func.func @f() -> i32 { … return %a : i32 } becomes func.func @f() { … return }
((func_operation
  return: (func_return) @delete
  body: (region
    .
    (entry_block
      (operation rhs: (custom_operation name: (custom_op_name) @_return (value_use)) @replace) .)
    .))
  (#match? @_return "^(func[.])?return$")
  (#set! rule "without-result")
  (#set! text "{_return}"))

; The same for a function with two returns
((func_operation
  return: (func_return) @delete
  body: (region
    (_ (operation rhs: (custom_operation name: (custom_op_name) @_return (value_use)) @replace) .)
    (block (operation rhs: (custom_operation name: (custom_op_name) @_other (value_use)) @also) .)))
  (#match? @_return "^(func[.])?return$")
  (#match? @_other "^(func[.])?return$")
  (#set! rule "without-result")
  (#set! text "return")
  (#set! also "return"))

; cf.br ^a(%b : i32) ^a(%c: i32): becomes cf.br ^a ^a:
((region
  (_ (operation rhs: (custom_operation (successor (caret_id) @_jump (value_use)) @replace)))
  (block (block_label (caret_id) @_label (block_arg_list) @delete)))
  (#eq? @_jump @_label)
  (#set! rule "without-block-arguments")
  (#set! text "{_jump}"))

; call %f(%a, %b) : (i32, i64) -> ()  ─►  call %f() : () -> (), and without the first or the last
((custom_operation name: (custom_op_name) @_name) @replace
  (#match? @_name "call$")
  (#set! rule "without-arguments")
  (#set! late)
  (#set! from "\\([^()]+\\)\\s*:\\s*\\([^()]+\\)")
  (#set! text "() : ()"))

((custom_operation name: (custom_op_name) @_name) @replace
  (#match? @_name "call$")
  (#set! rule "without-arguments")
  (#set! late)
  (#set! from "\\([^(),]+,\\s*([^()]+)\\)\\s*:\\s*\\([^(),]+,\\s*([^()]+)\\)")
  (#set! text "($1) : ($2)"))

((custom_operation name: (custom_op_name) @_name) @replace
  (#match? @_name "call$")
  (#set! rule "without-arguments")
  (#set! late)
  (#set! from "\\(([^()]+),[^(),]+\\)\\s*:\\s*\\(([^()]+),[^(),]+\\)")
  (#set! text "($1) : ($2)"))

; func @f(%a: i32, %b: i64) { … }  ─►  func @f(%a: i32) { … }, and without the first
((func_arg_list) @replace
  (#set! rule "without-parameter")
  (#set! late)
  (#set! from ",\\s*%[^,()]*(\\)?)$")
  (#set! text "$1"))

((func_arg_list) @replace
  (#set! rule "without-parameter")
  (#set! late)
  (#set! from "^(\\(?)%[^,()]*,\\s*")
  (#set! text "$1"))

; func.func @a() attributes {…} { … }  ─►  func.func @a() { … }
; A keyword alone is valid before a brace, so the parts cannot be removed one by one.
((_ attributes: "attributes" @delete . attributes: (_) @delete)
  (#set! rule "without-attributes"))
