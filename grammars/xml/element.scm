; Elements and the values of their attributes.

; <a></a> becomes <a/>
((element (STag ">" @replace .) . (ETag) @delete)
  (#set! rule "empty-element")
  (#set! text "/>"))

; <a><b/><c/></a> becomes <b/><c/>
((content (element (STag) @delete (content) (ETag) @delete))
  (#set! rule "element-to-content"))

; "text &#10; text" becomes "&#10;"
((AttValue content: [(CharRef) (EntityRef)] @_reference) @replace
  (#set! rule "value-to-reference")
  (#set! text "\"{_reference}\""))

; <a><b/><c>x</c></a> becomes x
((content
  (element
    (content
      (element
        (content) @_inner))) @replace)
  (#set! rule "element-to-inner-content")
  (#set! text "{_inner}"))

; <a><b/><c><d>x</d></c></a> becomes x
((content
  (element
    (content
      (element
        (content
          (element
            (content) @_inner))))) @replace)
  (#set! rule "element-to-inner-content")
  (#set! text "{_inner}"))
