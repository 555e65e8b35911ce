; Definitions and references. Modules, packages, classes and types are global, and so are the names of ports and
; parameters, because instances use them. A name can be escaped (`\a[0] `), as in many files written by Yosys.

[
  (module_declaration)
  (interface_declaration)
  (class_declaration)
  (function_declaration)
  (task_declaration)
  (seq_block)
  (loop_statement)
  (loop_generate_construct)
  (generate_block)
] @local.scope

; The ports of a module are its parameters, and an instance passes them by name.
(module_declaration
  (module_ansi_header
    name: (_) @local.definition.class
    (parameter_port_list)? @generic
    (list_of_port_declarations) @parameters)) @use

(module_declaration
  (module_ansi_header name: (_) @local.definition.class (parameter_port_list) @generic)) @use

(parameter_port_list (parameter_port_declaration (parameter_declaration (list_of_param_assignments (param_assignment) @each))))

(module_declaration (module_ansi_header name: (_) @local.definition.class)) @use

(module_declaration (module_nonansi_header name: (_) @local.definition.class)) @use

(interface_declaration (interface_ansi_header name: (_) @local.definition.class)) @use

(package_declaration name: (_) @local.definition.namespace) @use

(class_declaration name: (_) @local.definition.class) @use

(function_declaration (function_body_declaration name: (_) @local.definition.function)) @use

(task_declaration (task_body_declaration name: (_) @local.definition.function)) @use

(type_declaration (data_type) @value type_name: (_) @local.definition.type)

(type_declaration type_name: (_) @local.definition.type)

((enum_name_declaration [(simple_identifier) (escaped_identifier)] @local.definition.enumerator)
  (#set! reach "everywhere"))

; `define W 8
(text_macro_definition
  (text_macro_name [(simple_identifier) (escaped_identifier)] @local.definition.macro)
  (macro_text) @value) @use

(text_macro_definition (text_macro_name [(simple_identifier) (escaped_identifier)] @local.definition.macro)) @use

(text_macro_usage [(simple_identifier) (escaped_identifier)] @local.reference.macro) @use

; Ports and parameters.
((param_assignment [(simple_identifier) (escaped_identifier)] @local.definition.variable (_) @value) @use
  (#set! reach "everywhere"))

((ansi_port_declaration port_name: (_) @local.definition.variable)
  (#set! reach "everywhere"))

(named_port_connection port_name: (_) @local.reference) @use

; module m(a); input a; wire a; — such a port has only its name in the header and is declared again in the body. A net or
; variable of such a module can be one of its ports, so all of them have the scope of ports.
((list_of_ports (port [(simple_identifier) (escaped_identifier)] @local.definition.variable))
  (#set! reach "everywhere"))

((module_item
  (port_declaration
    (_ (list_of_port_identifiers . [(simple_identifier) (escaped_identifier)] @local.definition.variable .)))) @use
  (#set! reach "everywhere"))

((module_item
  (port_declaration
    (_ (list_of_variable_port_identifiers . [(simple_identifier) (escaped_identifier)] @local.definition.variable .)))) @use
  (#set! reach "everywhere"))

([
  (list_of_port_identifiers [(simple_identifier) (escaped_identifier)] @local.definition.variable)
  (list_of_variable_port_identifiers [(simple_identifier) (escaped_identifier)] @local.definition.variable)
]
  (#set! reach "everywhere"))

((module_declaration
  (module_nonansi_header)
  (module_item
    (net_declaration
      (list_of_net_decl_assignments
        . (net_decl_assignment
            . [(simple_identifier) (escaped_identifier)] @local.definition.variable (expression)? @value) .)) @use))
  (#set! reach "everywhere"))

((module_declaration
  (module_nonansi_header)
  (module_item
    (data_declaration
      (list_of_variable_decl_assignments
        . (variable_decl_assignment name: (_) @local.definition.variable (expression)? @value) .)) @use))
  (#set! reach "everywhere"))

; A net that such a module assigns can be without another declaration, and stands for the value.
((module_declaration
  (module_nonansi_header)
  (module_item
    (continuous_assign
      (list_of_net_assignments
        . (net_assignment
            . (net_lvalue . [(simple_identifier) (escaped_identifier)] @local.definition.variable .)
            (expression) @value) .)) @use))
  (#set! reach "everywhere"))

; wire w; logic l = 1; the last name of a list is removed together with the declaration
(net_declaration
  (list_of_net_decl_assignments
    . (net_decl_assignment . [(simple_identifier) (escaped_identifier)] @local.definition.variable (expression)? @value) .)) @use

(data_declaration
  (list_of_variable_decl_assignments
    . (variable_decl_assignment name: (_) @local.definition.variable (expression)? @value) .)) @use

(net_decl_assignment . [(simple_identifier) (escaped_identifier)] @local.definition.variable (expression) @value)

[
  (net_decl_assignment . [(simple_identifier) (escaped_identifier)] @local.definition.variable)
  (list_of_genvar_identifiers [(simple_identifier) (escaped_identifier)] @local.definition.variable)
  (genvar_initialization "genvar" [(simple_identifier) (escaped_identifier)] @local.definition.variable)
  (for_variable_declaration [(simple_identifier) (escaped_identifier)] @local.definition.variable)
  (tf_port_item name: (_) @local.definition.variable)
  (list_of_tf_variable_identifiers [(simple_identifier) (escaped_identifier)] @local.definition.variable)
]

(variable_decl_assignment name: (_) @local.definition.variable (expression) @value)

(variable_decl_assignment name: (_) @local.definition.variable)

; The label of a block, and the name of an instance.
(seq_block . "begin" . [(simple_identifier) (escaped_identifier)] @local.definition.label)

(generate_block name: (_) @local.definition.label)

(name_of_instance instance_name: (_) @local.definition.variable)

(module_instantiation
  instance_type: (_) @local.reference
  (parameter_value_assignment (list_of_parameter_value_assignments) @generic)?
  (hierarchical_instance (list_of_port_connections) @arguments)) @use

(named_parameter_assignment [(simple_identifier) (escaped_identifier)] @keyword) @argument

(named_port_connection port_name: (_) @keyword) @argument

(module_instantiation instance_type: (_) @local.reference) @use

(net_declaration . [(simple_identifier) (escaped_identifier)] @local.reference) @use

; Uses are removed together with the name; of an assignment to it, the value stays.
(continuous_assign
  (list_of_net_assignments
    . (net_assignment . (net_lvalue . [(simple_identifier) (escaped_identifier)] @local.reference)) .)) @use

(net_assignment . (net_lvalue . [(simple_identifier) (escaped_identifier)] @local.reference)) @use

(primary (hierarchical_identifier . [(simple_identifier) (escaped_identifier)] @local.reference)) @use

(statement_item
  (nonblocking_assignment
    (variable_lvalue (hierarchical_identifier . [(simple_identifier) (escaped_identifier)] @local.reference)))) @use

(statement_item
  (blocking_assignment
    (operator_assignment
      (variable_lvalue (hierarchical_identifier . [(simple_identifier) (escaped_identifier)] @local.reference))))) @use

(method_call (method_call_body name: (_) @local.reference)) @use

(tf_call (hierarchical_identifier [(simple_identifier) (escaped_identifier)] @local.reference)) @use

[(simple_identifier) (escaped_identifier)] @local.reference
