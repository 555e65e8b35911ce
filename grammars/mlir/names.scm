; Definitions and references.

(region) @local.scope

(func_operation) @local.scope

(operation lhs: (op_result (value_use) @local.definition.variable)) @use

(func_arg_list (value_use) @local.definition.variable)

(block_arg_list (value_use) @local.definition.variable)

(block_label (caret_id) @local.definition.label)

((func_operation sym_name: (symbol_ref_id) @local.definition.function)
  (#set! reach "everywhere"))

((module_operation sym_name: (symbol_ref_id) @local.definition.namespace)
  (#set! reach "everywhere"))

(value_use) @local.reference

(caret_id) @local.reference.label

(symbol_ref_id) @local.reference
