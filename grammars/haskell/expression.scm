; f a = g a  ─►  f a = undefined
((match expression: (_) @replace)
  (#set! rule "value-to-undefined")
  (#set! text "undefined"))
