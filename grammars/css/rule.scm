; Rule sets and at-rules.

; a { b: c }  ─►  a {}
([
  (block) @replace
  (keyframe_block_list) @replace
]
  (#set! rule "block-to-empty")
  (#set! text "{}"))

; @media print { a { } b { } }  ─►  a { } b { }
((media_statement
  "@media" @delete
  . _+ @delete
  . (block "{" @delete "}" @delete))
  (#set! rule "at-rule-to-content"))

((supports_statement
  "@supports" @delete
  . _+ @delete
  . (block "{" @delete "}" @delete))
  (#set! rule "at-rule-to-content"))

((at_rule
  (at_keyword) @delete
  . _* @delete
  . (block "{" @delete "}" @delete))
  (#set! rule "at-rule-to-content"))

; @media screen and (min-width: 9em)  ─►  @media all
((media_statement
  [(binary_query) (feature_query) (parenthesized_query) (selector_query) (unary_query)] @replace)
  (#set! rule "query-to-all")
  (#set! text "all"))
