; Anchors and their aliases, and the keys of mappings: the same key in two mappings is one symbol.

(anchor (anchor_name) @local.definition.label) @use

(alias (alias_name) @local.reference.label)

(block_mapping_pair key: (flow_node (plain_scalar (string_scalar) @local.definition.property))) @use

(flow_pair key: (flow_node (plain_scalar (string_scalar) @local.definition.property))) @use

(flow_node (plain_scalar (string_scalar) @local.reference.property))
