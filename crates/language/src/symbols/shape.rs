//! The captured parts of declarations and uses: levels of pointers and arrays, assigned values, members of
//! structures.

use super::capture::Place;
use crate::Role;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The captured parts of declarations and expressions, by node.
#[derive(Debug, Default)]
pub struct Shapes {
    /// The innermost level around each identifier, in its declaration or in a use. For a parameter without a
    /// name, the key is the innermost level itself.
    pub levels: BTreeMap<NodeId, Indirection>,
    /// The value that is stored in each target.
    pub sources: HashMap<NodeId, NodeId>,
    /// The operand of each expression that takes an address.
    pub addresses: HashMap<NodeId, NodeId>,
    /// The lists of initial values.
    pub lists: HashSet<NodeId>,
    /// The node that contains the members of each structure.
    pub aggregates: HashMap<NodeId, NodeId>,
    /// The types of members of structures, by the declarators of the members.
    pub members: HashMap<NodeId, NodeId>,
    /// The declarations in blocks.
    pub locals: Vec<NodeId>,
}

/// One level of a pointer, an array or the like.
#[derive(Clone, Debug)]
pub struct Indirection {
    /// The node to replace.
    pub whole: NodeId,
    /// The part of it that stays.
    pub inner: Option<NodeId>,
    /// The replacement if no part stays.
    pub text: Arc<str>,
    /// The text that takes the address of the expression after it.
    pub address: Option<Arc<str>>,
    /// The text that dereferences the expression after it.
    pub content: Option<Arc<str>>,
}

impl Shapes {
    /// Stores the captures of a match.
    pub(super) fn add(&mut self, place: &Place) {
        let get = |role: Role| place.get(role);
        if let (Some(whole), Some(name)) = (get(Role::Level), get(Role::LevelName)) {
            let says = &place.says;
            let text = says.level.clone().unwrap_or_default();
            let (address, content) = (says.address.clone(), says.content.clone());
            let level = Indirection { whole, inner: get(Role::LevelInner), text, address, content };
            self.levels.entry(name).or_insert(level);
        }
        let pair = |of: &mut HashMap<NodeId, NodeId>, key, value| {
            if let (Some(key), Some(value)) = (get(key), get(value)) {
                of.entry(key).or_insert(value);
            }
        };
        pair(&mut self.sources, Role::Target, Role::Source);
        pair(&mut self.addresses, Role::Address, Role::AddressOf);
        pair(&mut self.aggregates, Role::Aggregate, Role::Members);
        pair(&mut self.members, Role::Member, Role::MemberType);
        self.lists.extend(get(Role::List));
        self.locals.extend(get(Role::Local));
    }
}
