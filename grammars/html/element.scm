; Elements and their tags.
; Replacing an element by an element inside it needs no rule.

; <b>a <i>c</i></b>  ─►  a <i>c</i>
((element
  (start_tag) @delete
  (end_tag) @delete)
  (#set! rule "element-to-content"))

; <p>a  ─►  a
((element
  (start_tag) @delete
  [(text) (entity) (element) (script_element) (style_element) (erroneous_end_tag)] .)
  (#set! rule "element-to-content"))

; <select><option>a</option></select>  ─►  <select>
((element
  (start_tag) @with
  . (_)) @replace
  (#set! rule "element-to-start-tag"))

; <b>a</b>  ─►  <b>a
((element
  (start_tag)
  (end_tag) @delete)
  (#set! rule "end-tag-dropped"))

; <br/>  ─►  <br>
((self_closing_tag "/>" @replace)
  (#set! rule "self-closing-to-start-tag")
  (#set! text ">"))

; <script>a()</script>  ─►  <script></script>
([
  (script_element (raw_text) @delete)
  (style_element (raw_text) @delete)
]
  (#set! rule "raw-text-dropped"))

; <b>a</b>  ─►  a</b>
; Only inside another element, where the grammar accepts a single end tag.
((element
  (element
    (start_tag) @delete
    (end_tag)))
  (#set! rule "start-tag-dropped"))
