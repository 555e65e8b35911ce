; Scopes, definitions and references. Names at the top level, in a class or in a record are global.

[(function) (lambda) (let_in) (do) (alternative) (bind) (data_type) (type_synonym) (signature)] @local.scope

; f :: T, f a = …
((declarations (signature name: (variable) @local.definition.function) @use)
  (#set! reach "everywhere"))

((declarations (function name: (variable) @local.definition.function) @use)
  (#set! reach "everywhere"))

((declarations (bind name: (variable) @local.definition.function) @use)
  (#set! reach "everywhere"))

((class_declarations [(signature name: (variable) @local.definition.function) (function name: (variable) @local.definition.function)] @use)
  (#set! reach "everywhere"))

((function name: (variable) @local.definition.function) @use
  (#set! reach "outer"))

((signature name: (variable) @local.definition.function) @use
  (#set! reach "outer"))

((bind name: (variable) @local.definition.function match: (match expression: (_) @value)) @use
  (#set! reach "outer"))

((bind name: (variable) @local.definition.function) @use
  (#set! reach "outer"))

((field name: (field_name (variable) @local.definition.function))
  (#set! reach "everywhere"))

; data T = A | B
((data_type name: (name) @local.definition.class)
  (#set! reach "everywhere"))

((newtype name: (name) @local.definition.class)
  (#set! reach "everywhere"))

((type_synonym name: (name) @local.definition.class)
  (#set! reach "everywhere"))

((class name: (name) @local.definition.concept)
  (#set! reach "everywhere"))

((prefix name: (constructor) @local.definition.enumerator)
  (#set! reach "everywhere"))

((record name: (constructor) @local.definition.enumerator)
  (#set! reach "everywhere"))

((newtype_constructor name: (constructor) @local.definition.enumerator)
  (#set! reach "everywhere"))

(type_params bind: (variable) @local.definition.type)

(import alias: (module (module_id) @local.definition.namespace))

(import_name variable: (variable) @local.definition.import)

(pattern/variable) @local.definition.variable

(qualified module: (module (module_id) @local.reference)) @use

; A function is removed together with its arguments.
(apply function: (variable) @local.reference) @use

(apply function: (constructor) @local.reference.enumerator) @use

(constructor) @local.reference.enumerator

[(integer) (string)] @literal

[(variable) (name)] @local.reference
