//! The matches of `names.scm` in a text, sorted by the roles of their captures.

use super::call::Lists;
use super::class::Classes;
use super::code::Code;
use super::shape::Shapes;
use crate::{NameMatch, NamePattern, NameQuery, Role, ScopeKind};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The captured nodes, by their parts in the model.
#[derive(Default)]
pub(super) struct Captured {
    /// The scopes, with their kinds.
    pub scopes: HashMap<NodeId, ScopeKind>,
    /// The identifiers that define or refer, each with the first pattern that captures it.
    pub places: BTreeMap<NodeId, Place>,
    /// The keyword arguments, with the identifiers of their names.
    pub keywords: HashMap<NodeId, NodeId>,
    /// The calls of the constructor of a base class, with their argument lists.
    pub constructs: BTreeMap<NodeId, NodeId>,
    pub lists: Lists,
    pub classes: Classes,
    pub code: Code,
    pub shapes: Shapes,
    /// The base of each class, with the first pattern that captures one.
    bases: BTreeMap<NodeId, (usize, NodeId)>,
}

/// One match, with its captured nodes by role.
pub(super) struct Place {
    pattern: usize,
    pub says: Arc<NamePattern>,
    of: BTreeMap<Role, NodeId>,
}

impl Place {
    /// Creates the place of a name without a pattern.
    pub fn plain(says: &Arc<NamePattern>, role: Role, id: NodeId) -> Self {
        Self { pattern: 0, says: Arc::clone(says), of: BTreeMap::from([(role, id)]) }
    }

    /// Adds a node with another role.
    pub fn with(mut self, role: Role, id: NodeId) -> Self {
        self.of.insert(role, id);
        self
    }

    /// Returns the node that has a role.
    pub fn get(&self, role: Role) -> Option<NodeId> {
        self.of.get(&role).copied()
    }

    /// Returns whether the match defines a symbol.
    pub fn is_definition(&self) -> bool {
        self.get(Role::Define).is_some()
    }

    /// Returns whether the match refers to a symbol.
    pub fn is_reference(&self) -> bool {
        self.get(Role::Refer).is_some()
    }
}

impl Captured {
    /// Sorts the matches of a language's query in a text that begins at `offset`.
    pub fn new(query: &NameQuery, matches: Vec<NameMatch>, tree: &Tree, offset: u32) -> Self {
        let mut captured = Self::default();
        for NameMatch { pattern, captures } in matches {
            let says = query.pattern(pattern);
            let mut of = BTreeMap::new();
            let mut aligned = BTreeSet::new();
            for (role, span, kind) in captures {
                let span = Span::new(offset + span.start, offset + span.end);
                let Some(id) = tree.find(span, kind) else { continue };
                match role {
                    Role::Scope => _ = captured.scopes.insert(id, says.scope),
                    Role::Statement => _ = captured.code.statements.insert(id),
                    Role::Mention => captured.code.mentions.push(id),
                    Role::Tuple => _ = captured.code.tuples.insert(id),
                    Role::Aligned => _ = aligned.insert(id),
                    Role::Functor => _ = captured.classes.functors.insert(id),
                    Role::Literal => _ = captured.code.literals.insert(id),
                    Role::Shed => _ = captured.classes.sheds.insert(id),
                    Role::Spread => _ = captured.lists.spreads.insert(id),
                    Role::Each => _ = captured.lists.each.insert(id),
                    Role::Mark => _ = captured.lists.marks.insert(id),
                    _ => _ = of.insert(role, id),
                }
            }
            if let Some(&first) = aligned.first() {
                captured.code.aligned.entry(first).or_default().extend(aligned);
            }
            captured.add(Place { pattern, says: Arc::clone(says), of });
        }
        captured.align();
        captured.classes.bases = captured.bases.iter().map(|(&class, &(_, base))| (class, base)).collect();
        captured
    }

    /// Removes the sets of lists that are contained in another set, and stores the set of each list.
    fn align(&mut self) {
        let code = &mut self.code;
        for (&first, lists) in &code.aligned {
            for &list in lists {
                code.aligned_with.entry(list).or_insert(first);
            }
        }
        code.aligned.retain(|first, _| code.aligned_with[first] == *first);
    }

    fn add(&mut self, place: Place) {
        let pair = |one: Role, other: Role| Some((place.get(one)?, place.get(other)?));
        if let Some(id) = place.get(Role::Return) {
            let known = self.code.returns.entry(id).or_insert(None);
            // The last expression of a body can be a return statement.
            *known = known.filter(|&result| result != id).or(place.get(Role::Result));
        }
        self.code.callees.extend(place.get(Role::Callee));
        if let Some((class, base)) = pair(Role::Class, Role::Base) {
            let known = self.bases.entry(class).or_insert((place.pattern, base));
            *known = (*known).min((place.pattern, base));
            self.classes.heirs.insert(base, class);
        }
        self.classes.members.extend(pair(Role::Class, Role::Members));
        self.classes.generics.extend(pair(Role::Class, Role::Generic));
        self.classes.inside.extend(pair(Role::Inside, Role::Use));
        self.classes.outside.extend(pair(Role::Outside, Role::Use));
        self.constructs.extend(pair(Role::Construct, Role::Arguments));
        self.keywords.extend(pair(Role::Argument, Role::Keyword));
        self.shapes.add(&place);
        let id = [Role::Define, Role::Refer, Role::Keyword].into_iter().find_map(|role| place.get(role));
        let Some(id) = id else { return };
        if self.places.get(&id).is_none_or(|known| place.pattern < known.pattern) {
            self.places.insert(id, place);
        }
    }
}
