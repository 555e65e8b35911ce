; Selectors.
; Replacing a selector by a part of it needs no rule, because all are selectors.

; a > b.c:hover  ─►  *
((selectors (_) @replace)
  (#set! rule "selector-to-universal")
  (#set! text "*"))

; a[b="c"]  ─►  a[b]
((attribute_selector
  (attribute_name)
  . _ @delete
  . _ @delete
  . "]")
  (#set! rule "attribute-without-value"))
