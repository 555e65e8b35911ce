; Functions and variables. A variable is global unless it is `local`.

(function_definition) @local.scope.function

((function_definition name: (word) @local.definition.function)
  (#set! reach "everywhere"))

(command name: (command_name (word) @local.reference)) @use

; local a=1
(declaration_command
  "local"
  (variable_assignment name: (variable_name) @local.definition.variable value: (_) @value))

(declaration_command "local" (variable_name) @local.definition.variable)

((variable_assignment name: (variable_name) @local.definition.variable value: (_) @value)
  (#set! reach "everywhere"))

((declaration_command (variable_name) @local.definition.variable)
  (#set! reach "everywhere"))

((for_statement variable: (variable_name) @local.definition.variable)
  (#set! reach "everywhere"))

(simple_expansion (variable_name) @local.reference.variable) @use

(expansion (variable_name) @local.reference.variable) @use

(variable_name) @local.reference.variable
