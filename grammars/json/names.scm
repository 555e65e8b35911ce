; Keys, and the strings that name them, as in `"required": ["a"]` of a JSON schema. A name has its quotes.
; All of them are known in the whole text: the same key in two objects is one name.

(pair key: (string) @local.definition.property) @use

(pair value: (string) @local.reference)

(array (string) @local.reference)
