//! What declarations and uses are made of: levels of pointers and arrays, what is put into what, members of aggregates.
//!
//! It only keeps what `names.scm` captures.

use super::capture::Place;
use crate::Role;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What is captured of declarations and expressions beside symbols, by nodes.
#[derive(Debug, Default)]
pub struct Shapes {
    /// Of each identifier the innermost level around it, in its declaration or in a use; of a parameter without a name
    /// its innermost level by itself.
    pub levels: BTreeMap<NodeId, Indirection>,
    /// Of each target the value that is put into it.
    pub sources: HashMap<NodeId, NodeId>,
    /// Of each expression that gives an address, the expression whose address it gives.
    pub addresses: HashMap<NodeId, NodeId>,
    /// Lists of initial values.
    pub lists: HashSet<NodeId>,
    /// Of each aggregate, the node that its members are in.
    pub aggregates: HashMap<NodeId, NodeId>,
    /// The types of members of aggregates, by what declares them.
    pub members: HashMap<NodeId, NodeId>,
    /// Declarations in blocks.
    pub locals: Vec<NodeId>,
}

/// One level of a pointer, an array or the like.
#[derive(Clone, Debug)]
pub struct Indirection {
    /// The node that gives way.
    pub whole: NodeId,
    /// The part of it that stays.
    pub inner: Option<NodeId>,
    /// The text that takes its place if nothing stays.
    pub text: Arc<str>,
    /// The text before an expression that gives its address.
    pub address: Option<Arc<str>>,
    /// The text before an expression that gives what it points to.
    pub content: Option<Arc<str>>,
}

impl Shapes {
    /// Keeps what a match captures.
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
