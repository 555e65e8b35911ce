//! Names: what defines them, what refers to them, and the passes that work on all places of a name at once.
//!
//! What a definition, a reference and a scope are is said by a language's `names.scm`; how names are looked up is
//! the same everywhere: from the scope around a reference outwards. It is no compiler: where it is wrong, the
//! oracle refuses.

mod across;
mod aggregate;
mod argument;
mod cluster;
mod flow;
mod function;
mod generic;
mod global;
mod inline;
mod instance;
mod level;
mod lift;
mod literal;
mod member;
mod rename;
mod resolve;
mod shape;
mod slot;
mod unname;
mod wrap;

pub(super) use across::propose as across;
pub(super) use argument::propose as argument;
pub use function::functions;
pub(super) use global::propose as global;
pub(super) use inline::propose as inline;
pub(super) use level::propose as level;
pub(super) use lift::propose as lift;
pub(super) use literal::propose as literal;
pub(super) use rename::propose as rename;
pub(super) use unname::propose as unname;

use super::Layer;
use super::part::{Parts, Removals};
use nubbin_language::{NameKind, NamePattern, Syntax};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Span, is_word};
use resolve::Captured;
use shape::Shapes;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many levels around a place anything is looked for: a text may be a hundred thousand levels deep.
const NEAR: usize = 500;

/// How many levels a text may have for its names to be looked for: the time that a query takes grows with the square
/// of the levels.
const DEEP: usize = 5_000;

/// Of how many definitions a function may have for each of its parameters to be looked at by itself, and how many
/// arguments of its name a parameter.
const ALIKE: usize = 8;

/// The names of one layer.
pub(super) struct Names<'a, 'l> {
    pub layer: &'a Layer<'l>,
    pub source: &'a [u8],
    /// In the order of their first definition or reference.
    pub all: Vec<Name<'a>>,
    pub removals: Removals,
    statements: HashSet<NodeId>,
    /// Arguments and parameters that stand for several.
    spreads: HashSet<NodeId>,
    /// What says that they do.
    marks: BTreeSet<NodeId>,
    /// What returns, and what it returns.
    returns: BTreeMap<NodeId, Option<NodeId>>,
    /// Calls, in the order in which they begin.
    calls: BTreeSet<NodeId>,
    /// Of each parameter, its function and its place there.
    parameters: HashMap<NodeId, (usize, usize)>,
    /// The members of each list of parameters or arguments.
    lists: HashMap<NodeId, Vec<NodeId>>,
    /// Of each argument that is given by name, the identifier.
    keywords: HashMap<NodeId, NodeId>,
    /// Of these, those that name no parameter that is known.
    loose: HashMap<&'a [u8], Vec<NodeId>>,
    /// Of each template, what stands for its parameters and arguments.
    generics: HashMap<usize, usize>,
    /// The function that each body is of.
    bodies: HashMap<NodeId, usize>,
    /// The name that each identifier of a definition defines.
    defined: BTreeMap<NodeId, usize>,
    /// The name that each other identifier refers to.
    referred: BTreeMap<NodeId, usize>,
    /// References to members of a class that stand outside of the scope that the name is known in.
    qualified: HashSet<NodeId>,
    /// Of each class, by its name's identifier, the identifier of its base; and the other way round.
    bases: BTreeMap<NodeId, NodeId>,
    heirs: BTreeMap<NodeId, NodeId>,
    /// Of each class, by its name's identifier, the node that its members are in.
    class_members: BTreeMap<NodeId, NodeId>,
    /// The other way round.
    class_bodies: HashMap<NodeId, NodeId>,
    /// What has a meaning in a class alone.
    sheds: BTreeSet<NodeId>,
    /// What is called, where it is more than a name.
    callees: BTreeSet<NodeId>,
    /// Patterns and lists of values.
    tuples: BTreeSet<NodeId>,
    literals: BTreeSet<NodeId>,
    /// What is defined in which scope.
    known: HashSet<(NodeId, &'a [u8])>,
    /// The names of each scope and kind, with the places of their first definitions, in order.
    peers: HashMap<(NodeId, NameKind), Vec<(NodeId, usize)>>,
    /// Of each scope the one around it.
    around: HashMap<NodeId, NodeId>,
    /// Scopes whose names may be used from outside.
    open: HashSet<NodeId>,
    /// Places whose words may be names.
    mentions: Vec<NodeId>,
    shapes: Shapes<'a>,
}

/// One name in one scope.
pub(super) struct Name<'a> {
    pub text: &'a [u8],
    /// What it stands for; nothing where it is not defined.
    pub kind: Option<NameKind>,
    /// The scope that it is known in.
    pub scope: NodeId,
    pub definitions: Vec<Definition<'a>>,
    pub references: Vec<Reference<'a>>,
    /// Calls of something else that hand their arguments to its parameters: of a class, those of its constructor
    /// in the classes that it is the base of.
    handed: Vec<Reference<'a>>,
    /// How many parameters, from the first on, have no argument in a call.
    skip: usize,
    /// Whether it stands for the parameters and the arguments of a template, beside the name itself.
    pub is_generic: bool,
}

impl<'a> Name<'a> {
    fn new(text: &'a [u8], kind: Option<NameKind>, scope: NodeId) -> Self {
        Self {
            text,
            kind,
            scope,
            definitions: Vec::new(),
            references: Vec::new(),
            handed: Vec::new(),
            skip: 0,
            is_generic: false,
        }
    }

    /// Tells whether it is of this kind.
    pub fn is(&self, kind: NameKind) -> bool {
        self.kind == Some(kind)
    }

    /// What may hand arguments to its parameters.
    fn calls(&self) -> impl Iterator<Item = &Reference<'a>> {
        self.references.iter().chain(&self.handed)
    }
}

/// A place that defines a name.
pub(super) struct Definition<'a> {
    /// The identifier.
    pub id: NodeId,
    /// What it is the core of, or the identifier itself.
    pub whole: NodeId,
    pub says: &'a NamePattern,
    pub value: Option<NodeId>,
    pub parameters: Option<NodeId>,
    pub body: Option<NodeId>,
    /// Whose member it is said to be: the `self` of `self.a = 1`.
    pub object: Option<NodeId>,
    /// Of a class, the identifier of its constructor.
    pub constructor: Option<NodeId>,
    /// The one member that it has.
    pub only: Option<NodeId>,
    /// That member's type.
    pub only_type: Option<NodeId>,
    /// What gives way to the value, where the name is no more than another name of it.
    pub alias: Option<NodeId>,
    /// What goes with it: of `a, b = c, d`, the `c`.
    pub pair: Option<NodeId>,
    /// What type it is of.
    pub type_of: Option<NodeId>,
}

impl<'a> Definition<'a> {
    /// A list of parameters by itself.
    fn of_parameters(id: NodeId, says: &'a NamePattern, list: NodeId) -> Self {
        Self {
            id,
            whole: id,
            says,
            value: None,
            parameters: Some(list),
            body: None,
            object: None,
            constructor: None,
            only: None,
            only_type: None,
            alias: None,
            pair: None,
            type_of: None,
        }
    }
}

/// A place that refers to a name.
#[derive(Clone, Copy)]
pub(super) struct Reference<'a> {
    /// The identifier.
    pub id: NodeId,
    /// What it is the core of: a call, an access to a field; or the identifier itself.
    pub whole: NodeId,
    /// Whose field it is.
    pub object: Option<NodeId>,
    pub arguments: Option<NodeId>,
    /// What stays of the whole when the name goes.
    pub rest: Option<NodeId>,
    /// How many parameters have no argument in this call, where that differs from the others.
    skip: Option<usize>,
    /// What is put into a list of this name here.
    pub element: Option<NodeId>,
    /// What stands here once the list has become its only element.
    pub single: Option<&'a str>,
}

impl Reference<'_> {
    /// An identifier by itself.
    fn plain(id: NodeId) -> Self {
        Self {
            id,
            whole: id,
            object: None,
            arguments: None,
            rest: None,
            skip: None,
            element: None,
            single: None,
        }
    }
}

/// Nodes, for the question whether one lies in any of them.
pub(super) struct Cover {
    outermost: Vec<(NodeId, NodeId)>,
}

impl Cover {
    /// Whether all of them lie in one.
    pub fn is_one(&self) -> bool {
        self.outermost.len() == 1
    }

    /// Whether a node is one of those covered, or lies in one.
    pub fn holds(&self, id: NodeId) -> bool {
        let next = self.outermost.partition_point(|&(start, _)| start <= id);
        next > 0 && id < self.outermost[next - 1].1
    }
}

impl<'a, 'l> Names<'a, 'l> {
    /// The names of a layer whose language says what a name is, if it is not too deep to be searched for them.
    pub fn new(layer: &'a Layer<'l>, source: &'a [u8]) -> Option<Self> {
        let query = layer.language.names().filter(|_| layer.tree.depth() <= DEEP)?;
        let matches = query.matches(&layer.parsed, layer.span.of(source));
        let mut captured = Captured::new(query, matches, &layer.tree, layer.span.start);
        let class_members = std::mem::take(&mut captured.members);
        let mut names = Self {
            layer,
            source,
            all: Vec::new(),
            removals: Removals::new(Parts { layer, source }),
            statements: std::mem::take(&mut captured.statements),
            spreads: std::mem::take(&mut captured.spreads),
            marks: std::mem::take(&mut captured.marks),
            returns: std::mem::take(&mut captured.returns),
            calls: BTreeSet::new(),
            parameters: HashMap::new(),
            lists: HashMap::new(),
            keywords: std::mem::take(&mut captured.keywords),
            loose: HashMap::new(),
            generics: HashMap::new(),
            bodies: HashMap::new(),
            defined: BTreeMap::new(),
            referred: BTreeMap::new(),
            qualified: HashSet::new(),
            known: HashSet::new(),
            bases: std::mem::take(&mut captured.bases),
            heirs: BTreeMap::new(),
            class_bodies: class_members.iter().map(|(&class, &body)| (body, class)).collect(),
            class_members,
            sheds: std::mem::take(&mut captured.sheds),
            callees: std::mem::take(&mut captured.callees),
            tuples: std::mem::take(&mut captured.tuples),
            literals: std::mem::take(&mut captured.literals),
            peers: HashMap::new(),
            around: HashMap::new(),
            open: captured.open(),
            mentions: std::mem::take(&mut captured.mentions),
            shapes: std::mem::take(&mut captured.shapes),
        };
        names.resolve(&captured);
        Some(names)
    }

    /// The bytes of a node.
    pub fn text(&self, id: NodeId) -> &'a [u8] {
        self.span(id).of(self.source)
    }

    /// The span of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.layer.tree.node(id).span
    }

    /// A node and those around it, as far as anything is looked for.
    fn up(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.layer.tree.up(id).take(NEAR)
    }

    /// A scope and those around it.
    pub fn scopes(&self, scope: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(scope), |scope| self.around.get(scope).copied()).take(NEAR)
    }

    /// Whether `outer` is `inner`, or holds it.
    pub fn holds(&self, outer: NodeId, inner: NodeId) -> bool {
        (outer..self.layer.tree.node(outer).after).contains(&inner)
    }

    /// These nodes, for the question whether one lies in any of them.
    pub fn cover(&self, nodes: &[NodeId]) -> Cover {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        let mut outermost: Vec<(NodeId, NodeId)> = Vec::new();
        for id in nodes {
            if outermost.last().is_none_or(|&(_, after)| after <= id) {
                outermost.push((id, self.layer.tree.node(id).after));
            }
        }
        Cover { outermost }
    }

    /// The smallest part around a node that may go.
    pub fn unit(&self, id: NodeId) -> Option<NodeId> {
        self.up(id).find(|&id| self.removals.may_go(id))
    }

    /// The smallest part around what a definition has captured that may go, and that is more than a name which
    /// may be left out.
    fn definition_unit(&self, id: NodeId) -> Option<NodeId> {
        let unit = self
            .up(id)
            .find(|&unit| self.removals.may_go(unit) && (unit != id || self.removals.is_member(id)))?;
        // What declares nothing else is of no use without it.
        let tree = &self.layer.tree;
        let around = tree.node(unit).parent;
        let declares = tree.node(unit).field != 0
            && self.before(unit).is_some_and(|before| tree.node(before).is_named())
            && self.removals.is_loose(around)
            && self.defined.range(around..tree.node(around).after).all(|(&id, _)| self.holds(unit, id));
        Some(if declares { around } else { unit })
    }

    /// The part that goes when a definition does, if that is a statement or the like, and no parameter.
    pub fn member(&self, definition: &Definition<'_>) -> Option<NodeId> {
        let unit = self.definition_unit(definition.whole)?;
        let opens = self.before(unit);
        let is_in_brackets = opens.is_some_and(|open| [&b"("[..], b"<", b"["].contains(&self.text(open)));
        (self.parameter(definition.id).is_none() && self.removals.is_loose(unit) && !is_in_brackets)
            .then_some(unit)
    }

    /// What stands right before a node in the same parent.
    fn before(&self, id: NodeId) -> Option<NodeId> {
        let tree = &self.layer.tree;
        tree.children(tree.node(id).parent).take_while(|&child| child != id).last()
    }

    /// Whether a name may be used where its scope does not reach.
    pub fn is_open(&self, name: &Name<'_>) -> bool {
        name.scope == 0 || self.open.contains(&name.scope)
    }

    /// Places whose words may be names.
    pub fn mentions(&self) -> &[NodeId] {
        &self.mentions
    }

    /// The statement that a node is in.
    pub fn statement(&self, id: NodeId) -> Option<NodeId> {
        self.up(id).find(|id| self.statements.contains(id))
    }

    /// What returns inside a node, and what it returns.
    pub fn returns(&self, id: NodeId) -> impl Iterator<Item = (NodeId, Option<NodeId>)> + '_ {
        self.returns.range(id..self.layer.tree.node(id).after).map(|(&id, &result)| (id, result))
    }

    /// Whether anything is called inside a node.
    pub fn calls(&self, id: NodeId) -> bool {
        self.calls.range(id..self.layer.tree.node(id).after).next().is_some()
    }

    /// The first name that is defined inside a node.
    pub fn defined_in(&self, id: NodeId) -> Option<usize> {
        self.defined.range(id..self.layer.tree.node(id).after).next().map(|(_, &name)| name)
    }

    /// The members of a list of parameters or arguments.
    pub fn members(&self, list: Option<NodeId>) -> &[NodeId] {
        list.and_then(|list| self.lists.get(&list)).map_or(&[], Vec::as_slice)
    }

    /// The parameter of which function, and which one, a node lies in.
    pub fn parameter(&self, id: NodeId) -> Option<(usize, usize)> {
        let inside = self.up(id).take_while(|id| !self.statements.contains(id));
        inside.into_iter().find_map(|id| self.parameters.get(&id).copied())
    }

    /// The argument for parameter `place` in a call of a function: the one of its name, or the one at its place.
    pub fn argument(&self, function: &Name<'_>, call: &Reference<'_>, place: usize) -> Option<NodeId> {
        let members = self.members(call.arguments);
        let by_name = |argument: &&NodeId| self.keywords.contains_key(argument);
        if !self.keywords.is_empty() && members.iter().any(|argument| by_name(&argument)) {
            let lists = function.definitions.iter().map(|one| self.members(one.parameters));
            let mut parameters = lists.filter_map(|list| self.defined_in(*list.get(place)?));
            let name = parameters.next().map(|name| self.all[name].text);
            let is_it = |id: &&NodeId| self.keywords.get(id).is_some_and(|&id| Some(self.text(id)) == name);
            if let Some(&argument) = members.iter().find(is_it) {
                return Some(argument);
            }
        }
        let skip = call.skip.unwrap_or(function.skip);
        let argument =
            members.get(place.checked_sub(skip)?).filter(|argument| !by_name(argument)).copied()?;
        let mut lists = function.definitions.iter().map(|one| self.members(one.parameters));
        let mut takes_several =
            || lists.any(|list| list.get(place).is_some_and(|id| self.spreads.contains(id)));
        (!self.spreads.contains(&argument) || takes_several()).then_some(argument)
    }

    /// What goes when parameter `place` of a function goes, with its argument in every call.
    pub fn parameter_parts(&self, function: usize, place: usize) -> Vec<NodeId> {
        let function = &self.all[function];
        let lists = function.definitions.iter().map(|one| self.members(one.parameters));
        let parameters: Vec<NodeId> = lists.filter_map(|list| list.get(place).copied()).collect();
        let calls = function.calls();
        // Of a template, the last parameter may take all the rest.
        if function.is_generic && parameters.iter().any(|id| self.spreads.contains(id)) {
            let rest = |call: &Reference<'_>| self.members(call.arguments).get(place..).unwrap_or_default();
            return parameters.iter().copied().chain(calls.flat_map(rest).copied()).collect();
        }
        let given = calls.filter_map(|call| self.argument(function, call, place));
        parameters.iter().copied().chain(given).collect()
    }

    /// The arguments by name that may reach parameter `place` of a function in a way that is not known.
    pub fn loose_arguments(&self, function: &Name<'_>, place: usize) -> &[NodeId] {
        let mut lists = function.definitions.iter().map(|one| self.members(one.parameters));
        let parameter = lists.find_map(|list| self.defined_in(*list.get(place)?));
        let arguments = parameter.and_then(|name| self.loose.get(self.all[name].text));
        arguments.filter(|all| all.len() <= ALIKE).map_or(&[], Vec::as_slice)
    }

    /// What goes when the definitions of a name go: of a parameter with its arguments.
    pub fn definition_parts(&self, name: &Name<'_>) -> Option<Vec<NodeId>> {
        let mut parts = Vec::new();
        for definition in &name.definitions {
            match self.parameter(definition.id) {
                Some((function, _)) if self.all[function].definitions.len() > ALIKE => return None,
                Some((function, place)) => parts.extend(self.parameter_parts(function, place)),
                None => parts.push(self.definition_unit(definition.whole)?),
            }
            parts.extend(definition.pair);
        }
        Some(parts)
    }

    /// A node's bytes with some nodes inside it replaced.
    pub fn filled_in(&self, whole: Span, inside: &[(Span, Vec<u8>)]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut at = whole.start;
        for (span, instead) in inside.iter().filter(|(span, _)| whole.contains(*span)) {
            if span.start < at {
                continue;
            }
            text.extend_from_slice(Span::new(at, span.start).of(self.source));
            text.extend_from_slice(instead);
            at = span.end;
        }
        text.extend_from_slice(Span::new(at, whole.end).of(self.source));
        text
    }

    /// Whether all that an expression is made of is known at another place, too: what it names there may be something
    /// else of the same name.
    pub fn is_known_at(&self, expression: NodeId, at: NodeId) -> bool {
        self.is_known_but(expression, at, &|_| false)
    }

    /// The same but for some names.
    fn is_known_but(&self, expression: NodeId, at: NodeId, but: &dyn Fn(usize) -> bool) -> bool {
        let inside = self.referred.range(expression..self.layer.tree.node(expression).after);
        inside.into_iter().filter(|(id, name)| !but(**name) && !self.qualified.contains(id)).all(
            |(_, &name)| {
                let name = &self.all[name];
                name.scope == 0
                    || self.holds(name.scope, at)
                    || self.up(at).any(|scope| self.known.contains(&(scope, name.text)))
            },
        )
    }

    /// The bytes of an expression, in brackets unless it holds together without them.
    pub fn bracketed(&self, id: NodeId) -> Vec<u8> {
        let text = self.text(id);
        if self.layer.tree.is_leaf(id) || self.layer.tree.node(id).is_named() && is_chain(text) {
            return text.to_vec();
        }
        self.grouped(text)
    }

    /// An expression in brackets.
    fn grouped(&self, text: &[u8]) -> Vec<u8> {
        self.syntax().grouped(text)
    }

    /// The signs that the text is written with.
    fn syntax(&self) -> &'a Syntax {
        self.layer.language.syntax()
    }
}

/// Whether a text is words, brackets and quotes with nothing but dots between: `a.b(c)[d]`.
fn is_chain(text: &[u8]) -> bool {
    let mut open: Vec<u8> = Vec::new();
    let mut escaped = false;
    for &byte in text {
        let quote = open.last().copied().filter(|quote| b"\"'`".contains(quote));
        if let Some(quote) = quote {
            if byte == quote && !escaped {
                open.pop();
            }
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b'"' | b'\'' | b'`' => open.push(byte),
            b')' | b']' | b'}' if open.pop() != Some(byte) => return false,
            b')' | b']' | b'}' => {}
            _ if open.is_empty() && !is_word(byte) && byte != b'.' => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// A text as a string, for the forms of `names.scm`.
fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}
