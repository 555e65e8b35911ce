; Terms whose arguments mostly have the same sort.

; (f (g x) y) becomes (f y y)
((application argument: (application) @replace . argument: (_) @_beside)
  (#set! rule "argument-to-sibling")
  (#set! text "{_beside}"))

((application argument: (_) @_beside . argument: (application) @replace)
  (#set! rule "argument-to-sibling")
  (#set! text "{_beside}"))
