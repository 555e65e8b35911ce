; Statements that are replaced by their contents.

; begin … rescue … end becomes the part before or after the `rescue`
((begin (rescue body: (then) @with)) @replace
  (#set! rule "rescue-to-body"))

((body_statement (rescue body: (then) @with)) @replace
  (#set! rule "rescue-to-body"))

((begin "begin" @delete . (_) [(rescue) (else) (ensure)]* @delete "end" @delete)
  (#set! rule "begin-to-body"))
