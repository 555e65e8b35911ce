; The rules of JavaScript for elements, which TypeScript leaves out.

((jsx_expression (expression) @replace)
  (#match? @replace "^[^\"'`]*[^\\w$\"'`]")
  (#set! rule "expression-to-zero")
  (#set! text "0"))

; <a b="c">  ─►  <a b>
((jsx_attribute
  (property_identifier) @with
  . "=") @replace
  (#set! rule "attribute-to-name"))

; <a>b<c>d</c></a>  ─►  <a>bd</a>
((jsx_element
  (jsx_element
    open_tag: (_) @delete
    close_tag: (_) @delete))
  (#set! rule "element-to-content"))
