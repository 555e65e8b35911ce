//! The rules of a grammar: the kinds of nodes that each slot allows, and the tokens that can follow in a parse
//! state.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A set of node kinds or symbols, by number.
type Bits = Box<[u64]>;

/// A grammar: the tables of the parser and the contents of `node-types.json`.
pub struct Grammar {
    language: tree_sitter::Language,
    kinds: Vec<Kind>,
    /// The symbols that can come next, for each parse state; computed on demand.
    follow: Vec<OnceLock<Bits>>,
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Grammar({} kinds)", self.kinds.len())
    }
}

/// The slots of one kind of node.
#[derive(Default)]
struct Kind {
    fields: HashMap<u16, Slot>,
    children: Option<Slot>,
}

/// A place in a node, with the kinds of nodes that it allows.
#[derive(Clone, Debug)]
pub struct Slot {
    /// True if it allows more than one node.
    pub multiple: bool,
    /// True if at least one node is required.
    pub required: bool,
    allowed: Bits,
}

impl Slot {
    /// Returns whether it allows a node of this kind.
    #[must_use]
    pub fn allows(&self, kind: u16) -> bool {
        has(&self.allowed, kind)
    }
}

/// The reason why a grammar cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    /// `node-types.json` is malformed.
    #[error("cannot read the node types: {0}")]
    NodeTypes(#[from] serde_json::Error),
    /// The parser was generated for another version of tree-sitter.
    #[error("the parser was generated for an incompatible version of tree-sitter: {0}")]
    Version(#[from] tree_sitter::LanguageError),
}

#[derive(Deserialize)]
struct TypeEntry {
    #[serde(rename = "type")]
    name: String,
    named: bool,
    #[serde(default)]
    fields: HashMap<String, SlotEntry>,
    children: Option<SlotEntry>,
    #[serde(default)]
    subtypes: Vec<TypeRef>,
}

#[derive(Deserialize)]
struct SlotEntry {
    multiple: bool,
    required: bool,
    types: Vec<TypeRef>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, Hash)]
struct TypeRef {
    #[serde(rename = "type")]
    name: String,
    named: bool,
}

impl Grammar {
    /// Creates a grammar from a parser and its `node-types.json`.
    ///
    /// # Errors
    /// Returns an error if the JSON is malformed, or if the parser is for another version of
    /// tree-sitter.
    pub fn new(language: tree_sitter::Language, node_types: &str) -> Result<Self, GrammarError> {
        tree_sitter::Parser::new().set_language(&language)?;
        let entries: Vec<TypeEntry> = serde_json::from_str(node_types)?;
        let subtypes: HashMap<TypeRef, &[TypeRef]> = entries
            .iter()
            .filter(|e| !e.subtypes.is_empty())
            .map(|e| (TypeRef { name: e.name.clone(), named: e.named }, e.subtypes.as_slice()))
            .collect();
        let mut kinds: Vec<Kind> = Vec::new();
        kinds.resize_with(language.node_kind_count(), Kind::default);
        for entry in &entries {
            let id = language.id_for_node_kind(&entry.name, entry.named) as usize;
            let Some(kind) = kinds.get_mut(id) else { continue };
            for (name, slot) in &entry.fields {
                if let Some(field) = language.field_id_for_name(name) {
                    kind.fields.insert(field.get(), slot_of(&language, slot, &subtypes));
                }
            }
            kind.children = entry.children.as_ref().map(|slot| slot_of(&language, slot, &subtypes));
        }
        let follow = (0..language.parse_state_count()).map(|_| OnceLock::new()).collect();
        Ok(Self { language, kinds, follow })
    }

    pub(super) fn language(&self) -> &tree_sitter::Language {
        &self.language
    }

    /// Returns the slot of the field `field` of a `kind`, or of its children without a field (`field` 0).
    #[must_use]
    pub fn slot(&self, kind: u16, field: u16) -> Option<&Slot> {
        let kind = self.kinds.get(kind as usize)?;
        if field == 0 { kind.children.as_ref() } else { kind.fields.get(&field) }
    }

    /// Returns the slot of the children without a field, if a `kind` is a list: if that slot allows several
    /// nodes.
    #[must_use]
    pub fn list(&self, kind: u16) -> Option<&Slot> {
        self.slot(kind, 0).filter(|slot| slot.multiple)
    }

    /// Returns the name of a kind.
    #[must_use]
    pub fn kind_name(&self, kind: u16) -> &str {
        self.language.node_kind_for_id(kind).unwrap_or("ERROR")
    }

    /// Lists the keywords: the anonymous tokens that are words.
    pub fn keywords(&self) -> impl Iterator<Item = &str> {
        let kinds = (0..self.language.node_kind_count() as u16)
            .filter(|&kind| !self.language.node_kind_is_named(kind));
        let words = kinds.filter_map(|kind| self.language.node_kind_for_id(kind));
        words.filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_'))
    }

    /// Returns the name of a field, if the number is valid.
    #[must_use]
    pub fn field_name(&self, field: u16) -> Option<&str> {
        self.language.field_name_for_id(field)
    }

    /// Returns the number of a named kind, if the grammar has it.
    #[must_use]
    pub fn kind_id(&self, name: &str) -> Option<u16> {
        Some(self.language.id_for_node_kind(name, true)).filter(|&id| id != 0)
    }

    /// Returns whether `symbol` can come next in parse state `state`; `None` if the state is unknown.
    #[must_use]
    pub fn may_follow(&self, state: u16, symbol: u16) -> Option<bool> {
        let cell = self.follow.get(state as usize)?;
        let bits = cell.get_or_init(|| {
            let mut bits = vec![0; self.language.node_kind_count().div_ceil(64)].into_boxed_slice();
            if let Some(symbols) = self.language.lookahead_iterator(state) {
                symbols.for_each(|symbol| set(&mut bits, symbol));
            }
            bits
        });
        Some(has(bits, symbol))
    }
}

fn has(bits: &Bits, i: u16) -> bool {
    bits.get(i as usize / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
}

fn set(bits: &mut Bits, i: u16) {
    if let Some(word) = bits.get_mut(i as usize / 64) {
        *word |= 1 << (i % 64);
    }
}

fn slot_of(
    language: &tree_sitter::Language,
    entry: &SlotEntry,
    subtypes: &HashMap<TypeRef, &[TypeRef]>,
) -> Slot {
    let mut allowed: Bits = vec![0; language.node_kind_count().div_ceil(64)].into();
    let mut waiting: Vec<&TypeRef> = entry.types.iter().collect();
    let mut seen: std::collections::HashSet<&TypeRef> = waiting.iter().copied().collect();
    while let Some(next) = waiting.pop() {
        set(&mut allowed, language.id_for_node_kind(&next.name, next.named));
        for sub in subtypes.get(next).copied().unwrap_or_default() {
            if seen.insert(sub) {
                waiting.push(sub);
            }
        }
    }
    Slot { multiple: entry.multiple, required: entry.required, allowed }
}
