; What other languages an HTML page holds.

((script_element (raw_text) @injection.content)
  (#set! injection.language "javascript"))

((style_element (raw_text) @injection.content)
  (#set! injection.language "css"))
