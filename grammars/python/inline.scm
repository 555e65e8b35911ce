; Nodes that include another file, and the imported names.
(import_statement name: (dotted_name) @inline.path) @inline

(import_statement
  name: (aliased_import
    name: (dotted_name) @inline.path
    alias: (identifier) @inline.alias)) @inline

(import_from_statement
  module_name: (dotted_name) @inline.path
  name: (dotted_name) @inline.name) @inline

(import_from_statement
  module_name: (dotted_name) @inline.path
  name: (aliased_import
    name: (dotted_name) @inline.name
    alias: (identifier) @inline.alias)) @inline

(import_from_statement
  module_name: (dotted_name) @inline.path
  (wildcard_import) @inline.all) @inline

(import_from_statement
  module_name: (relative_import (import_prefix) @inline.up (dotted_name)? @inline.path)
  name: (dotted_name) @inline.name) @inline

(import_from_statement
  module_name: (relative_import (import_prefix) @inline.up (dotted_name)? @inline.path)
  name: (aliased_import
    name: (dotted_name) @inline.name
    alias: (identifier) @inline.alias)) @inline

(import_from_statement
  module_name: (relative_import (import_prefix) @inline.up (dotted_name)? @inline.path)
  (wildcard_import) @inline.all) @inline

(attribute object: (_) @inline.object attribute: (identifier) @inline.member) @inline.access

(future_import_statement) @inline.first

; Code that only runs in the main program.
(module
  (if_statement
    condition: (comparison_operator (identifier) @_name (string (string_content) @_main))) @inline.own
  (#eq? @_name "__name__")
  (#eq? @_main "__main__"))

; A file is not included only for a branch, which might not be taken.
(if_statement) @inline.apart

; An import inside a function can need the whole file.
(function_definition) @inline.later

; Code for type checkers only.
((if_statement
  condition: [(identifier) @_checking (attribute attribute: (identifier) @_checking)]
  !alternative) @inline.idle
  (#eq? @_checking "TYPE_CHECKING"))
