//! Scopes: which of them a node lies in, and which names are known in each.

use super::symbol::{Symbol, SymbolId};
use super::{Symbols, TUNING};
use crate::{NameKind, Reach, ScopeKind};
use nubbin_syntax::{NONE, NodeId, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The scopes of a text; node 0, which is the whole text, is always one.
#[derive(Debug)]
pub(super) struct Scopes {
    kinds: HashMap<NodeId, ScopeKind>,
    /// The innermost scope around each node, itself included.
    of: Vec<NodeId>,
    /// The names that are defined in each scope.
    known: HashSet<(NodeId, Arc<[u8]>)>,
    /// The symbols of each scope and kind, with the places of their first definitions, by position.
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

    /// Adds a symbol that is defined first at `id`.
    pub fn define(&mut self, symbol: SymbolId, of: &Symbol, id: NodeId) {
        self.known.insert((of.scope, Arc::clone(&of.text)));
        if let Some(kind) = of.kind {
            self.peers.entry((of.scope, kind)).or_default().push((id, symbol));
        }
    }

    /// Returns the innermost scope around a node, itself included.
    pub fn around(&self, id: NodeId) -> NodeId {
        self.of[id as usize]
    }

    /// Returns the scope around a scope.
    fn outer(&self, tree: &Tree, scope: NodeId) -> Option<NodeId> {
        let parent = tree.node(scope).parent;
        (parent != NONE).then(|| self.around(parent))
    }

    /// Tells whether names of a scope may be used from outside.
    pub fn is_open(&self, scope: NodeId) -> bool {
        self.kinds.get(&scope) == Some(&ScopeKind::Open)
    }

    /// Returns the scope that something at a node is known in.
    pub fn reached(&self, tree: &Tree, id: NodeId, reach: Reach) -> NodeId {
        let inner = self.around(id);
        let is_function = |scope: &NodeId| self.kinds.get(scope) == Some(&ScopeKind::Function);
        match reach {
            Reach::Inner => inner,
            Reach::Outer => self.outer(tree, inner).unwrap_or(0),
            Reach::Everywhere => 0,
            Reach::Function => std::iter::successors(Some(inner), |&scope| self.outer(tree, scope))
                .take(TUNING.near)
                .find(is_function)
                .unwrap_or(0),
        }
    }
}

impl Symbols {
    /// Lists a scope and those around it, as far as anything is looked for.
    pub fn scopes(&self, scope: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(scope), |&scope| self.scopes.outer(&self.tree, scope)).take(TUNING.near)
    }

    /// Tells whether a symbol may be used where its scope does not reach.
    #[must_use]
    pub fn is_open(&self, symbol: &Symbol) -> bool {
        symbol.scope == 0 || self.scopes.is_open(symbol.scope)
    }

    /// Lists the symbols of a scope and a kind, with the places of their first definitions, by position.
    #[must_use]
    pub fn peers(&self, scope: NodeId, kind: NameKind) -> &[(NodeId, SymbolId)] {
        self.scopes.peers.get(&(scope, kind)).map_or(&[], Vec::as_slice)
    }

    /// Tells whether all that an expression is made of is known at another place, too; what it names there may be
    /// something else of the same name.
    #[must_use]
    pub fn is_known_at(&self, expression: NodeId, at: NodeId) -> bool {
        self.is_known_but(expression, at, &|_| false)
    }

    /// Tells the same of an expression in which some symbols do not count.
    #[must_use]
    pub fn is_known_but(&self, expression: NodeId, at: NodeId, but: &dyn Fn(SymbolId) -> bool) -> bool {
        let inside = self.references_in(expression);
        inside.filter(|&(id, symbol)| !but(symbol) && !self.is_qualified(id)).all(|(_, symbol)| {
            let symbol = &self[symbol];
            let is_defined = |scope| self.scopes.known.contains(&(scope, Arc::clone(&symbol.text)));
            symbol.scope == 0 || self.holds(symbol.scope, at) || self.up(at).any(is_defined)
        })
    }
}
