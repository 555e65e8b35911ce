; Remaining preprocessor directives.

; #ifdef X … #endif  ─►  …
((preproc_ifdef
  ["#ifdef" "#ifndef"] @delete
  name: (_) @delete
  alternative: (_)? @delete
  "#endif" @delete)
  (#set! rule "conditional-to-content"))

((preproc_if
  "#if" @delete
  condition: (_) @delete
  alternative: (_)? @delete
  "#endif" @delete)
  (#set! rule "conditional-to-content"))

; #if defined(X) && Y  ─►  #if 1
([
  (preproc_if condition: (_) @replace)
  (preproc_elif condition: (_) @replace)
]
  (#set! rule "directive-condition-to-one")
  (#set! text "1"))

; #define X (1 + 2)  ─►  #define X 0
([
  (preproc_def value: (_) @replace)
  (preproc_function_def value: (_) @replace)
]
  (#set! rule "macro-value-to-zero")
  (#set! text "0"))
