; int; between declarations
((translation_unit (primitive_type) @delete . ";" @delete)
  (#set! rule "type-without-name"))
