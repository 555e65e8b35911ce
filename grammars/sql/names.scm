; Tables, views, their columns and what queries call them. A column is one name, whatever it is a column of.

(create_table (object_reference name: (identifier) @local.definition.class)) @use

(create_view (object_reference name: (identifier) @local.definition.class)) @use

(create_index column: (identifier) @local.definition.label) @use

; What only reads from one table gives way to it, and the last one goes with its `WITH`.
(statement
  . (keyword_with) @pair
  . (cte
    . (identifier) @local.definition.class
    (statement (from . (keyword_from) . (relation . (object_reference) @value .) .))) @use
  . (select))

(statement . (keyword_with) @pair . (cte . (identifier) @local.definition.class) @use . (select))

(cte
  . (identifier) @local.definition.class
  (statement (from . (keyword_from) . (relation . (object_reference) @value .) .))) @use

(cte . (identifier) @local.definition.class) @use

(relation (object_reference) alias: (identifier) @local.definition.class)

(relation (subquery) alias: (identifier) @local.definition.class)

(column_definition name: (identifier) @local.definition.field)

(term alias: (identifier) @local.definition.field)

; What is asked of a table goes with it.
(field (object_reference name: (identifier) @local.reference)) @use

(invocation (object_reference name: (identifier) @local.reference)) @use

; What is read from a table goes with it.
(relation . (object_reference name: (identifier) @local.reference) .) @use

(object_reference name: (identifier) @local.reference)

(field name: (identifier) @local.reference.field) @use

(column (identifier) @local.reference.field) @use

(assignment left: (field name: (identifier) @local.reference.field)) @use

(identifier) @local.reference.field

(literal) @literal

; INSERT INTO t (a, b) VALUES (1, 2), and what a query gives in place of the values
(insert . (keyword_insert) (list . "(" . (column)) @aligned (keyword_values) (list) @aligned)

(insert . (keyword_insert) (list . "(" . (column)) @aligned (select (select_expression) @aligned))

(insert . (keyword_insert) (keyword_values) (list) @aligned . (list) @aligned)
