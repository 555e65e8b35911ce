; Text between elements.

; Some text  ─►  x
((text) @replace
  (#set! rule "text-to-letter")
  (#set! text "x"))

; <!DOCTYPE html PUBLIC "…">  ─►  <!doctype html>
((doctype) @replace
  (#set! rule "doctype-to-short")
  (#set! text "<!doctype html>"))

; <!-- note -->  ─►  <!---->
((comment) @replace
  (#set! rule "comment-to-empty")
  (#set! text "<!---->"))

; &amp;  ─►  x
((entity) @replace
  (#set! rule "entity-to-letter")
  (#set! text "x"))
