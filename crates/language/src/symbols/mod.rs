//! The symbols of a text, with their definitions, references, scopes, classes and calls.
//!
//! `names.scm` defines for each language which nodes are definitions, references and scopes. The lookup is the
//! same in all languages: from the scope around a reference outwards, in time linear in the text. The result
//! can be wrong, so text that was changed according to these symbols must be tested.

mod call;
mod capture;
mod class;
mod code;
mod convention;
mod resolve;
mod scope;
mod shape;
mod symbol;
#[cfg(test)]
mod tests;
mod words;

pub use shape::{Indirection, Shapes};
pub use symbol::{Definition, Reference, Symbol, SymbolId};

use crate::{Language, Syntax};
use call::{Calls, Lists};
use capture::Captured;
use class::Classes;
use code::Code;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{NodeId, Parsed, Tree};
use scope::Scopes;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::{Index, Range};
use std::sync::{Arc, OnceLock};

struct Tuning {
    /// Maximum number of levels of a search outwards from a node; a text can be a hundred thousand levels deep.
    levels: usize,
    /// A text with more levels than this has no symbols, because the time of a query grows with the square of
    /// the levels.
    tree_levels: usize,
    /// Maximum number of definitions of a symbol that are visited.
    definitions: usize,
    /// Maximum number of arguments for a parameter in calls of unknown functions.
    loose_arguments: usize,
    /// Maximum number of aliases to follow to a class.
    aliases: usize,
}

const TUNING: Tuning =
    Tuning { levels: 500, tree_levels: 5_000, definitions: 8, loose_arguments: 8, aliases: 8 };

/// The symbols of a text, or of a part of it in one language.
///
/// ```
/// use nubbin_language::{Registry, Symbols};
/// use nubbin_syntax::edit::Span;
/// use nubbin_syntax::{Parser, Tree};
///
/// let c = Registry::built_in().get("c").unwrap();
/// let text = b"int f(int a) { return a; }  int b = f(1);";
/// let parsed = Parser::new(c.grammar()).parse(text);
/// let tree = Tree::new(&parsed, 0);
/// let whole = Span::new(0, text.len() as u32);
/// let symbols = Symbols::new(c, &parsed, &tree.into(), &text[..].into(), whole).unwrap();
/// let f = symbols.all().iter().find(|symbol| &*symbol.text == b"f").unwrap();
/// let argument = symbols.argument(f, &f.references[0], 0).unwrap();
/// assert_eq!(symbols.text(argument), b"1");
/// ```
#[derive(Debug)]
pub struct Symbols {
    tree: Arc<Tree>,
    source: Arc<[u8]>,
    syntax: Syntax,
    /// The symbols in the order of their first definitions; those without a definition come last.
    all: Vec<Symbol>,
    places: Places,
    scopes: Scopes,
    classes: Classes,
    lists: Lists,
    calls: Calls,
    code: Code,
    shapes: Shapes,
    /// The defined symbols by name; computed on demand.
    named: OnceLock<HashMap<Arc<[u8]>, Vec<SymbolId>>>,
}

/// The symbols of identifiers.
#[derive(Debug, Default)]
struct Places {
    /// The symbol that each identifier of a definition defines.
    defined: BTreeMap<NodeId, SymbolId>,
    /// The symbol that each other identifier refers to.
    referred: BTreeMap<NodeId, SymbolId>,
    /// The references to members of a class from outside the scope of the member.
    qualified: HashSet<NodeId>,
    /// The references that name the predecessor of a section.
    origins: HashSet<NodeId>,
}

impl Index<SymbolId> for Symbols {
    type Output = Symbol;

    fn index(&self, symbol: SymbolId) -> &Symbol {
        &self.all[symbol]
    }
}

impl Symbols {
    /// Finds the symbols of a part of `source`. `parsed` and `tree` are the trees of that part; positions in
    /// `tree` refer to the whole text. If the language has no `names.scm`, all names with the same text are one
    /// symbol. Returns `None` if the tree has more than 5,000 levels, or if it is unknown which leaves are
    /// names.
    #[must_use]
    pub fn new(
        language: &Language,
        parsed: &Parsed,
        tree: &Arc<Tree>,
        source: &Arc<[u8]>,
        part: Span,
    ) -> Option<Self> {
        if tree.depth() > TUNING.tree_levels {
            return None;
        }
        let captured = match language.names() {
            Some(query) => Captured::new(query, query.matches(parsed, part.of(source)), tree, part.start),
            None => words::captured(language, tree, source)?,
        };
        Some(Self::resolved(tree, source, language.syntax(), captured))
    }

    /// Lists all symbols in the order of their first definitions; those without a definition come last.
    #[must_use]
    pub fn all(&self) -> &[Symbol] {
        &self.all
    }

    /// Lists the defined symbols with this name, except those that represent parameters of templates.
    #[must_use]
    pub fn named(&self, name: &[u8]) -> &[SymbolId] {
        let named = self.named.get_or_init(|| {
            let mut named: HashMap<Arc<[u8]>, Vec<SymbolId>> = HashMap::new();
            let all = self.all.iter().enumerate();
            for (id, symbol) in all.filter(|(_, one)| !one.definitions.is_empty() && !one.is_generic) {
                named.entry(Arc::clone(&symbol.text)).or_default().push(id);
            }
            named
        });
        named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the tree of the nodes.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the whole text.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Returns the parts of declarations and uses.
    #[must_use]
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Returns the bytes of a node.
    #[must_use]
    pub fn text(&self, id: NodeId) -> &[u8] {
        self.span(id).of(&self.source)
    }

    /// Returns the span of a node.
    #[must_use]
    pub fn span(&self, id: NodeId) -> Span {
        self.tree.node(id).span
    }

    /// Returns the span of the name in an identifier, without the signs around it.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Span {
        self.syntax.bare_name(&self.source, self.span(id))
    }

    /// Lists a node and its ancestors, innermost first, up to the search limit.
    pub fn up(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.tree.up(id).take(TUNING.levels)
    }

    /// Returns whether `outer` is or contains `inner`.
    #[must_use]
    pub fn holds(&self, outer: NodeId, inner: NodeId) -> bool {
        self.range(outer).contains(&inner)
    }

    /// Returns the symbol that an identifier defines.
    #[must_use]
    pub fn defined_at(&self, id: NodeId) -> Option<SymbolId> {
        self.places.defined.get(&id).copied()
    }

    /// Returns the symbol that an identifier refers to.
    #[must_use]
    pub fn referred_at(&self, id: NodeId) -> Option<SymbolId> {
        self.places.referred.get(&id).copied()
    }

    /// Lists the identifiers inside a node that define symbols, by position.
    pub fn definitions_in(&self, id: NodeId) -> impl Iterator<Item = (NodeId, SymbolId)> + '_ {
        self.definitions_among(self.range(id))
    }

    /// Lists the identifiers in a range of nodes that define symbols, by position.
    pub fn definitions_among(&self, nodes: Range<NodeId>) -> impl Iterator<Item = (NodeId, SymbolId)> + '_ {
        self.places.defined.range(nodes).map(|(&id, &symbol)| (id, symbol))
    }

    /// Lists the identifiers inside a node that refer to symbols, by position.
    pub fn references_in(&self, id: NodeId) -> impl Iterator<Item = (NodeId, SymbolId)> + '_ {
        self.places.referred.range(self.range(id)).map(|(&id, &symbol)| (id, symbol))
    }

    /// Returns the first symbol that is defined inside a node.
    #[must_use]
    pub fn first_defined_in(&self, id: NodeId) -> Option<SymbolId> {
        self.definitions_in(id).next().map(|(_, symbol)| symbol)
    }

    /// Returns whether an identifier refers to a member of a class from outside the scope of that member.
    #[must_use]
    pub fn is_qualified(&self, id: NodeId) -> bool {
        self.places.qualified.contains(&id)
    }

    /// Returns whether an identifier names the predecessor of a section.
    #[must_use]
    pub fn is_origin(&self, id: NodeId) -> bool {
        self.places.origins.contains(&id)
    }

    /// Returns the numbers of a node and of its descendants.
    fn range(&self, id: NodeId) -> Range<NodeId> {
        id..self.tree.node(id).after
    }
}
