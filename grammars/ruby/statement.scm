; Statements that stand for what is in them.

; begin … rescue … end becomes what stands before or behind the `rescue`
((begin (rescue body: (then) @with)) @replace
  (#set! rule "rescue-to-body"))

((body_statement (rescue body: (then) @with)) @replace
  (#set! rule "rescue-to-body"))

((begin "begin" @delete . (_) [(rescue) (else) (ensure)]* @delete "end" @delete)
  (#set! rule "begin-to-body"))
