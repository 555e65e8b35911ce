; Keys, and the strings that name them, as in `"required": ["a"]` of a JSON schema. Names include the quotes.
; All are global: the same key in two objects is one symbol.

(pair key: (string) @local.definition.property) @use

(pair value: (string) @local.reference)

(array (string) @local.reference)
