; The text outside the code is HTML.
((text) @injection.content
  (#set! injection.language "html"))
