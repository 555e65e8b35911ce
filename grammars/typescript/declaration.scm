; static a = 1;  ─►  a = 1;
((public_field_definition "static" @delete)
  (#set! rule "method-modifier-dropped"))
