//! Finds functions, calls, values and statements by the usual names of fields in grammars: `name`,
//! `parameters`, `body`, `function`, `arguments`, `value`.
//!
//! The result is heuristic: in a grammar with other field names fewer parts are found, and a wrong part costs a
//! probe.

use nubbin_syntax::{Grammar, NONE, NodeId, Tree};
use std::collections::{HashMap, HashSet};

/// The fields that lead to the name of a definition.
const NAMES: [&str; 4] = ["name", "pattern", "declarator", "key"];
/// The fields of the called expression.
const CALLED: [&str; 5] = ["function", "name", "method", "callee", "constructor"];
/// The fields of the object of a method call.
const OBJECTS: [&str; 2] = ["object", "receiver"];
/// The fields of a value.
const VALUES: [&str; 2] = ["value", "right"];
/// The parts of the names of nodes that contain statements.
const BLOCKS: [&str; 6] = ["block", "body", "compound", "statements", "suite", "list"];
/// The first word of a return statement.
const RETURN: &[u8] = b"return";

/// A function: its node and its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub whole: NodeId,
    pub parameters: NodeId,
    pub body: NodeId,
    /// True if the body is a list of statements, not an expression.
    pub is_block: bool,
}

/// A call: the node, its arguments, and the object of the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub whole: NodeId,
    pub arguments: NodeId,
    pub object: Option<NodeId>,
}

/// The parts that are found by the fields of a tree. Functions are identified by their nodes.
#[derive(Debug, Default)]
pub(super) struct Conventions {
    pub functions: HashMap<NodeId, Function>,
    /// The functions with a name, by the leaf of the name.
    pub named: HashMap<NodeId, Function>,
    /// The function of each parameter, by the leaf of the name.
    pub parameters: HashMap<NodeId, NodeId>,
    /// The calls, by the leaf of the name.
    pub calls: HashMap<NodeId, Call>,
    /// The values that names get, by the leaf of the name.
    pub values: HashMap<NodeId, NodeId>,
    /// The names that are declared with a value.
    pub declared: HashSet<NodeId>,
    /// The nodes that return, each with its result.
    pub returns: Vec<(NodeId, Option<NodeId>)>,
    pub statements: HashSet<NodeId>,
    /// The innermost function around each node, or [`NONE`].
    within: Vec<NodeId>,
}

impl Conventions {
    /// Finds all of them. `is_name` returns whether a leaf is a name.
    pub fn new(grammar: &Grammar, tree: &Tree, source: &[u8], is_name: &dyn Fn(NodeId) -> bool) -> Self {
        let fields = Fields { grammar, tree, is_name };
        let mut found = Self::default();
        let inner = || tree.ids().filter(|&id| !tree.is_leaf(id));
        for id in inner() {
            found.add_function(&fields, id);
            found.add_call(&fields, id);
            found.add_value(&fields, id);
            let first = tree.children(id).next();
            if first.is_some_and(|first| tree.node(first).span.of(source) == RETURN) {
                found.returns.push((id, tree.members(id).last()));
            }
        }
        // A child of a function's block, or of a block of the same kind elsewhere, is a statement.
        let blocks = found.functions.values().filter(|function| function.is_block);
        let mut kinds: HashSet<u16> = blocks.map(|function| tree.node(function.body).kind).collect();
        kinds.extend(tree.ids().next().map(|root| tree.node(root).kind));
        let holders = inner().filter(|&id| kinds.contains(&tree.node(id).kind));
        found.statements = holders.flat_map(|id| tree.members(id)).collect();
        found.within = vec![NONE; tree.len()];
        for id in tree.ids().filter(|&id| tree.node(id).parent != NONE) {
            let parent = tree.node(id).parent;
            let is_function = found.functions.contains_key(&parent);
            found.within[id as usize] = if is_function { parent } else { found.within[parent as usize] };
        }
        found
    }

    /// Lists the functions around a leaf, innermost first, except one that is named by the leaf.
    pub fn functions_around(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let own = self.named.get(&id).map(|own| own.whole);
        let next = |&id: &NodeId| Some(self.within[id as usize]).filter(|&whole| whole != NONE);
        std::iter::successors(next(&id), next).filter(move |&whole| Some(whole) != own)
    }

    fn add_function(&mut self, fields: &Fields<'_>, whole: NodeId) {
        let tree = fields.tree;
        let Some(body) = fields.child(whole, &["body"]) else { return };
        let mut heads = std::iter::successors(Some(whole), |&id| fields.child(id, &["declarator"]));
        let Some(parameters) = heads.find_map(|id| fields.child(id, &["parameters", "parameter"])) else {
            return;
        };
        let kind = fields.grammar.kind_name(tree.node(body).kind);
        let is_block = !tree.is_leaf(body) && BLOCKS.iter().any(|part| kind.contains(part));
        let function = Function { whole, parameters, body, is_block };
        self.functions.insert(whole, function);
        // A function without a name can be the value of a name.
        let holder = tree.node(whole).parent;
        let is_value = VALUES.iter().any(|field| fields.name_of(whole) == Some(field));
        let name = fields.defined(whole).or_else(|| fields.defined(holder).filter(|_| is_value));
        self.named.extend(name.map(|name| (name, function)));
        let list =
            if tree.is_leaf(parameters) { vec![parameters] } else { tree.members(parameters).collect() };
        let names = list.into_iter().filter_map(|id| fields.defined(id).or_else(|| fields.first(id)));
        self.parameters.extend(names.map(|name| (name, whole)));
    }

    fn add_call(&mut self, fields: &Fields<'_>, whole: NodeId) {
        let tree = fields.tree;
        let Some(arguments) = fields.child(whole, &["arguments"]) else { return };
        let Some(called) = fields.child(whole, &CALLED) else { return };
        let (name, object) = if tree.is_leaf(called) {
            (Some(called).filter(|&id| (fields.is_name)(id)), fields.child(whole, &OBJECTS))
        } else {
            // The last name in `a.b.c` is the method; the part before it is the object.
            let last = tree.members(called).last().filter(|&id| tree.is_leaf(id) && (fields.is_name)(id));
            (last, tree.members(called).next())
        };
        let object = object.filter(|&object| name != Some(object));
        self.calls.extend(name.map(|name| (name, Call { whole, arguments, object })));
    }

    fn add_value(&mut self, fields: &Fields<'_>, whole: NodeId) {
        let Some(value) = fields.child(whole, &VALUES) else { return };
        let left = fields.child(whole, &["left"]).filter(|&id| (fields.is_name)(id));
        let declared = fields.defined(whole);
        self.declared.extend(declared);
        self.values.extend(declared.or(left).map(|name| (name, value)));
    }
}

/// Access to the children of nodes by the names of their fields.
struct Fields<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    is_name: &'a dyn Fn(NodeId) -> bool,
}

impl Fields<'_> {
    fn name_of(&self, id: NodeId) -> Option<&str> {
        self.grammar.field_name(self.tree.node(id).field)
    }

    /// Returns the first named child in one of these fields, in the order of the fields.
    fn child(&self, id: NodeId, names: &[&str]) -> Option<NodeId> {
        names.iter().find_map(|name| self.tree.members(id).find(|&child| self.name_of(child) == Some(name)))
    }

    /// Returns the leaf to which the fields of names lead.
    fn defined(&self, id: NodeId) -> Option<NodeId> {
        let mut heads = std::iter::successors(self.child(id, &NAMES), |&id| self.child(id, &NAMES));
        heads.find(|&id| self.tree.is_leaf(id) && (self.is_name)(id))
    }

    /// Returns the first name in a node.
    fn first(&self, id: NodeId) -> Option<NodeId> {
        (id..self.tree.node(id).after).find(|&id| self.tree.is_leaf(id) && (self.is_name)(id))
    }
}
