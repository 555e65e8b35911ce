; Nodes that include another file.
(preproc_include path: (string_literal (string_content) @inline.path)) @inline

((preproc_include path: (system_lib_string) @inline.path) @inline)

; A file that is included once.
((preproc_call directive: (preproc_directive) @_directive argument: (preproc_arg) @_argument) @inline.once
  (#eq? @_directive "#pragma")
  (#match? @_argument "once"))

(translation_unit . (comment)* . (preproc_ifdef . (identifier) @_guard . (preproc_def . (identifier) @_defined)) @inline.guard
  (#eq? @_guard @_defined))
