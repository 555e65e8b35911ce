; The names of elements, attributes and entities. All elements with the same name are one symbol.

(element (STag (Name) @local.definition.tag)) @use

(element (EmptyElemTag (Name) @local.definition.tag)) @use

(elementdecl (Name) @local.definition.tag) @use

(ETag (Name) @local.reference.tag)

(doctypedecl . (Name) @local.reference.tag)

(children (Name) @local.reference.tag)

(Attribute (Name) @local.definition.attribute) @use

(GEDecl (Name) @local.definition.macro) @use

(EntityRef (Name) @local.reference.macro) @use
