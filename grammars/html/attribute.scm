; Attributes.

; a="b"  ─►  a
((attribute
  (attribute_name) @with
  . "=") @replace
  (#set! rule "attribute-to-name"))

; a="b"  ─►  a=""
((quoted_attribute_value (attribute_value) @delete)
  (#set! rule "value-to-empty"))

; a="b"  ─►  a=b
((quoted_attribute_value (attribute_value) @with) @replace
  (#match? @with "^[\\w.#:-]+$")
  (#set! rule "value-without-quotes"))
