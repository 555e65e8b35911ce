; Rules that save a few tokens, tried after larger removals are exhausted.

; if a; then b; fi  ─►  { a; b; }
((if_statement "if" @replace "then" @delete "fi" @also)
  (#set! rule "if-to-group")
  (#set! late)
  (#set! text "{")
  (#set! also "}"))

; while a; do b; done  ─►  { a; b; }
((while_statement ["while" "until"] @replace body: (do_group "do" @delete "done" @also))
  (#set! rule "loop-to-group")
  (#set! late)
  (#set! text "{")
  (#set! also "}"))

; for a in 1 2; do b; done  ─►  { b; }
((for_statement
  ["for" "select"] @delete
  variable: (_) @delete
  "in"? @delete
  value: (_)* @delete
  ";"? @delete
  body: (do_group "do" @replace "done" @also))
  (#set! rule "loop-to-group")
  (#set! late)
  (#set! text "{")
  (#set! also "}"))
