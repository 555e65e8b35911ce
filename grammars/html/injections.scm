; Other languages in an HTML page.

((script_element (raw_text) @injection.content)
  (#set! injection.language "javascript"))

((style_element (raw_text) @injection.content)
  (#set! injection.language "css"))

((attribute
  (attribute_name) @_name
  (quoted_attribute_value (attribute_value) @injection.content))
  (#match? @_name "^[oO][nN]")
  (#set! injection.language "javascript"))

((attribute
  (attribute_name) @_name
  (quoted_attribute_value (attribute_value) @injection.content))
  (#match? @_name "^[sS][tT][yY][lL][eE]$")
  (#set! injection.language "css"))
