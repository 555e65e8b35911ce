; Values.

; 10px, #ffffff, rgb(1, 2, 3)  ─►  0
([
  (declaration
    [
      (integer_value)
      (float_value)
      (color_value)
      (call_expression)
      (binary_expression)
      (parenthesized_value)
      (grid_value)
    ] @replace)
  (arguments
    [
      (integer_value)
      (float_value)
      (color_value)
      (call_expression)
      (binary_expression)
      (parenthesized_value)
    ] @replace)
]
  (#set! rule "value-to-zero")
  (#set! text "0"))

; "text"  ─►  ''
((string_value) @replace
  (#set! rule "string-to-empty")
  (#set! text "''"))

; url(a.png)  ─►  url()
((call_expression (arguments) @replace)
  (#set! rule "arguments-to-empty")
  (#set! text "()"))
