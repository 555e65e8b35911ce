; Tables, views, columns and aliases in queries. Columns with the same name are one symbol, in whichever table they are.

(create_table (object_reference name: (identifier) @local.definition.class)) @use

(create_view (object_reference name: (identifier) @local.definition.class)) @use

(create_index column: (identifier) @local.definition.label) @use

; A query that only reads from one table is replaced by it. The only query of a `WITH` is removed together with the keyword.
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

; Column references are removed together with their table.
(field (object_reference name: (identifier) @local.reference)) @use

(invocation (object_reference name: (identifier) @local.reference)) @use

; Reads are removed together with their table.
(relation . (object_reference name: (identifier) @local.reference) .) @use

(object_reference name: (identifier) @local.reference)

(field name: (identifier) @local.reference.field) @use

(column (identifier) @local.reference.field) @use

(assignment left: (field name: (identifier) @local.reference.field)) @use

(identifier) @local.reference.field

(literal) @literal

; INSERT INTO t (a, b) VALUES (1, 2), and the results of a query in place of the values
(insert . (keyword_insert) (list . "(" . (column)) @aligned (keyword_values) (list) @aligned)

(insert . (keyword_insert) (list . "(" . (column)) @aligned (select (select_expression) @aligned))

(insert . (keyword_insert) (keyword_values) (list) @aligned . (list) @aligned)
