; What saves a token or two, and frees what was called.

; uint a = f();  ─►  f();
((variable_declaration_statement (variable_declaration) @delete "=" @delete value: (_))
  (#set! rule "declaration-to-statement")
  (#set! late))

; return f();  ─►  f();
((return_statement "return" @delete (_))
  (#set! rule "return-to-statement")
  (#set! late))
