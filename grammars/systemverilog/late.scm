; Rules that save a few tokens, tried after larger removals are exhausted.

; m i(.a(b), .c(d));  ─►  m i(b, d);
((list_of_port_connections
  . (named_port_connection "." @delete port_name: (_) @delete "(" @delete connection: (_) ")" @delete) .)
  (#set! rule "connections-by-place")
  (#set! late))

((list_of_port_connections
  . (named_port_connection "." @delete port_name: (_) @delete "(" @delete connection: (_) ")" @delete)
  . ","
  . (named_port_connection "." @delete port_name: (_) @delete "(" @delete connection: (_) ")" @delete) .)
  (#set! rule "connections-by-place")
  (#set! late))

((list_of_port_connections
  . (named_port_connection "." @delete port_name: (_) @delete "(" @delete connection: (_) ")" @delete)
  . ","
  . (named_port_connection "." @delete port_name: (_) @delete "(" @delete connection: (_) ")" @delete)
  . ","
  . (named_port_connection "." @delete port_name: (_) @delete "(" @delete connection: (_) ")" @delete) .)
  (#set! rule "connections-by-place")
  (#set! late))

; a & b  ─►  ~a
((expression left: (_) @_part operator: _ right: (_)) @replace
  (#set! rule "binary-to-not")
  (#set! late)
  (#set! text "~{_part}"))

((expression left: (_) operator: _ right: (_) @_part) @replace
  (#set! rule "binary-to-not")
  (#set! late)
  (#set! text "~{_part}"))
