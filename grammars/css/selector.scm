; Selectors.
; A part in the place of the whole needs no rule: they are all selectors.

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
