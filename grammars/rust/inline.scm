; Nodes that include another file.
(mod_item name: (identifier) @inline.path !body) @inline

(((attribute_item
    (attribute (identifier) @_path value: (string_literal (string_content) @inline.path))) @inline.mark
  .
  (mod_item !body) @inline)
  (#eq? @_path "path"))
