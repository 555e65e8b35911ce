; What steers the program, beside what C has.

; for (int a : b) c(a);  ─►  int a; c(a);
((for_range_loop
  "for" @delete
  "(" @delete
  ":" @delete
  right: (_) @delete
  ")" @replace)
  (#set! rule "control-to-parts")
  (#set! text ";"))
