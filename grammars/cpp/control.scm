; Control flow, in addition to the rules of C.

; for (int a : b) c(a);  ─►  int a; c(a);
((for_range_loop
  "for" @delete
  "(" @delete
  ":" @delete
  right: (_) @delete
  ")" @replace)
  (#set! rule "control-to-parts")
  (#set! text ";"))
