; f a = g a  ─►  f a = undefined
((match expression: (_) @replace)
  (#set! rule "value-to-undefined")
  (#set! text "undefined"))

; if f a then b else c  ─►  if True then b else c
((conditional if: (_) @replace)
  (#match? @replace "\\W")
  (#set! rule "condition-to-true")
  (#set! text "True"))
