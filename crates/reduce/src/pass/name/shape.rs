//! What declarations and uses are made of: levels of pointers and arrays, what is put into what, members of aggregates.
//!
//! It only keeps what `names.scm` captures; what goes with what is found out elsewhere.

use super::resolve::Place;
use nubbin_language::Role;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is captured beside names, by nodes.
#[derive(Default)]
pub(super) struct Shapes<'a> {
    /// Of each identifier the innermost level around it, in its declaration or where it is used; of a parameter without
    /// a name its innermost level by itself.
    pub levels: BTreeMap<NodeId, Level<'a>>,
    /// Of what something is put into, what that is.
    pub sources: HashMap<NodeId, NodeId>,
    /// What addresses are of.
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
#[derive(Clone, Copy)]
pub(super) struct Level<'a> {
    /// What gives way.
    pub whole: NodeId,
    /// What stays of it.
    pub inner: Option<NodeId>,
    /// What takes its place where nothing stays.
    pub text: &'a str,
    /// What stands before an expression to give its address.
    pub address: Option<&'a str>,
    /// What stands before an expression to give what it points to.
    pub content: Option<&'a str>,
}

impl<'a> Shapes<'a> {
    /// Keeps what a match captures.
    pub fn add(&mut self, place: &Place<'a>) {
        let get = |role: Role| place.get(role);
        if let (Some(whole), Some(name)) = (get(Role::Level), get(Role::LevelName)) {
            let text = place.says.level.as_deref().unwrap_or_default();
            let (address, content) = (place.says.address.as_deref(), place.says.content.as_deref());
            let level = Level { whole, inner: get(Role::LevelInner), text, address, content };
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
