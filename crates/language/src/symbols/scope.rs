//! The scopes of a text, with the nodes in each scope and the names that are known in it.

use super::symbol::{Symbol, SymbolId};
use super::{Symbols, TUNING};
use crate::{NameKind, Reach, ScopeKind};
use nubbin_syntax::{NONE, NodeId, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The scopes of a text. Node 0, the whole text, is always a scope.
#[derive(Debug)]
pub(super) struct Scopes {
    kinds: HashMap<NodeId, ScopeKind>,
    /// The innermost scope around each node, which can be the node itself.
    of: Vec<NodeId>,
    /// The names that are defined in each scope.
    known: HashSet<(NodeId, Arc<[u8]>)>,
    /// The symbols of each scope and kind, with the positions of their first definitions, by position.
    peers: HashMap<(NodeId, NameKind), Vec<(NodeId, SymbolId)>>,
}

impl Scopes {
    pub fn new(tree: &Tree, kinds: HashMap<NodeId, ScopeKind>) -> Self {
        let mut of = vec![0; tree.len()];
        for id in tree.ids() {
            let parent = tree.node(id).parent;
            let is_scope = kinds.contains_key(&id) || parent == NONE;
            of[id as usize] = if is_scope { id } else { of[parent as usize] };
        }
        Self { kinds, of, known: HashSet::new(), peers: HashMap::new() }
    }

    /// Adds a symbol whose first definition is at `id`.
    pub fn define(&mut self, symbol: SymbolId, of: &Symbol, id: NodeId) {
        self.known.insert((of.scope, Arc::clone(&of.text)));
        if let Some(kind) = of.kind {
            self.peers.entry((of.scope, kind)).or_default().push((id, symbol));
        }
    }

    /// Returns the innermost scope around a node, which can be the node itself.
    pub fn around(&self, id: NodeId) -> NodeId {
        self.of[id as usize]
    }

    /// Returns the scope around a scope.
    fn outer(&self, tree: &Tree, scope: NodeId) -> Option<NodeId> {
        let parent = tree.node(scope).parent;
        (parent != NONE).then(|| self.around(parent))
    }

    /// Returns whether the names of a scope can be used from outside.
    pub fn is_open(&self, scope: NodeId) -> bool {
        self.kinds.get(&scope) == Some(&ScopeKind::Open)
    }

    /// Returns the scope of a definition at a node, given its reach.
    pub fn reached(&self, tree: &Tree, id: NodeId, reach: Reach) -> NodeId {
        let inner = self.around(id);
        let is_function = |scope: &NodeId| self.kinds.get(scope) == Some(&ScopeKind::Function);
        match reach {
            Reach::Inner => inner,
            Reach::Outer => self.outer(tree, inner).unwrap_or(0),
            Reach::Everywhere | Reach::Known => 0,
            Reach::Function => std::iter::successors(Some(inner), |&scope| self.outer(tree, scope))
                .take(TUNING.levels)
                .find(is_function)
                .unwrap_or(0),
        }
    }
}

impl Symbols {
    /// Lists a scope and the scopes around it, innermost first, up to the search limit.
    pub fn scopes(&self, scope: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(scope), |&scope| self.scopes.outer(&self.tree, scope)).take(TUNING.levels)
    }

    /// Returns whether a symbol can be used from outside its scope, or is known in the whole text.
    #[must_use]
    pub fn is_open(&self, symbol: &Symbol) -> bool {
        symbol.scope == 0 || self.scopes.is_open(symbol.scope)
    }

    /// Lists the symbols of a scope and a kind, with the positions of their first definitions, by position.
    #[must_use]
    pub fn peers(&self, scope: NodeId, kind: NameKind) -> &[(NodeId, SymbolId)] {
        self.scopes.peers.get(&(scope, kind)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether all names in an expression are also known at another position, where they can refer to
    /// other symbols.
    #[must_use]
    pub fn is_known_at(&self, expression: NodeId, at: NodeId) -> bool {
        self.is_known_but(expression, at, &|_| false)
    }

    /// Does the same without the symbols for which `but` is true.
    #[must_use]
    pub fn is_known_but(&self, expression: NodeId, at: NodeId, but: &dyn Fn(SymbolId) -> bool) -> bool {
        let inside = self.references_in(expression);
        inside.filter(|&(id, symbol)| !but(symbol) && !self.is_qualified(id)).all(|(_, symbol)| {
            let symbol = &self[symbol];
            let is_defined = |scope| self.scopes.known.contains(&(scope, Arc::clone(&symbol.text)));
            symbol.scope == 0
                || self.holds(symbol.scope, at)
                || self.holds(expression, symbol.scope)
                || self.up(at).any(is_defined)
        })
    }
}
