//! Which places are of the same name: from the scope around a reference outwards, in time linear in the text.

use super::shape::Shapes;
use super::{ALIKE, Definition, NEAR, Name, Names, Reference};
use nubbin_language::{NameKind, NameMatch, NamePattern, NameQuery, Reach, Role, ScopeKind};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{NONE, NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many aliases are followed to the class that they stand for.
const ALIASES: usize = 8;

/// What the patterns of `names.scm` capture in a layer.
#[derive(Default)]
pub(super) struct Captured<'a> {
    /// The scopes, with their kinds.
    scopes: HashMap<NodeId, ScopeKind>,
    places: BTreeMap<NodeId, Place<'a>>,
    pub statements: HashSet<NodeId>,
    /// Arguments and parameters that stand for several.
    pub spreads: HashSet<NodeId>,
    /// What says that they do.
    pub marks: BTreeSet<NodeId>,
    pub returns: BTreeMap<NodeId, Option<NodeId>>,
    /// Arguments that are given by name, with the identifier.
    pub keywords: HashMap<NodeId, NodeId>,
    /// Places whose words may be names.
    pub mentions: Vec<NodeId>,
    /// Of each class, by its name's identifier, the identifier of its base.
    pub bases: BTreeMap<NodeId, NodeId>,
    /// Of each class, by its name's identifier, the node that its members are in.
    pub members: BTreeMap<NodeId, NodeId>,
    /// What has a meaning in a class alone.
    pub sheds: BTreeSet<NodeId>,
    /// What is called, where it is more than a name.
    pub callees: BTreeSet<NodeId>,
    /// Patterns and lists of values.
    pub tuples: BTreeSet<NodeId>,
    pub literals: BTreeSet<NodeId>,
    /// Calls of the constructor of the base, with their arguments.
    constructs: BTreeMap<NodeId, NodeId>,
    pub shapes: Shapes<'a>,
}

/// One identifier, and what captures it: the earliest pattern.
pub(super) struct Place<'a> {
    pattern: usize,
    pub says: &'a NamePattern,
    of: BTreeMap<Role, NodeId>,
}

impl Place<'_> {
    /// The node that has a role.
    pub fn get(&self, role: Role) -> Option<NodeId> {
        self.of.get(&role).copied()
    }
}

impl<'a> Captured<'a> {
    /// Sorts the matches of a language's query in the text of a layer.
    pub fn new(query: &'a NameQuery, matches: Vec<NameMatch>, tree: &Tree, offset: u32) -> Self {
        let mut captured = Self::default();
        for NameMatch { pattern, captures } in matches {
            let says = query.pattern(pattern);
            let mut of = BTreeMap::new();
            for (role, span, kind) in captures {
                let span = Span::new(offset + span.start, offset + span.end);
                let Some(id) = tree.find(span, kind) else { continue };
                match role {
                    Role::Scope => _ = captured.scopes.insert(id, says.scope),
                    Role::Statement => _ = captured.statements.insert(id),
                    Role::Mention => captured.mentions.push(id),
                    Role::Shed => _ = captured.sheds.insert(id),
                    Role::Spread => _ = captured.spreads.insert(id),
                    Role::Mark => _ = captured.marks.insert(id),
                    Role::Tuple => _ = captured.tuples.insert(id),
                    Role::Literal => _ = captured.literals.insert(id),
                    _ => _ = of.insert(role, id),
                }
            }
            captured.add(Place { pattern, says, of });
        }
        captured
    }

    /// The scopes whose names may be used from outside.
    pub fn open(&self) -> HashSet<NodeId> {
        self.scopes.iter().filter(|(_, kind)| **kind == ScopeKind::Open).map(|(&id, _)| id).collect()
    }

    fn add(&mut self, place: Place<'a>) {
        if let Some(id) = place.get(Role::Return) {
            let known = self.returns.entry(id).or_insert(None);
            *known = known.or(place.get(Role::Result));
        }
        if let (Some(class), Some(base)) = (place.get(Role::Class), place.get(Role::Base)) {
            self.bases.insert(class, base);
        }
        if let (Some(class), Some(members)) = (place.get(Role::Class), place.get(Role::Members)) {
            self.members.insert(class, members);
        }
        self.callees.extend(place.get(Role::Callee));
        if let (Some(call), Some(arguments)) = (place.get(Role::Construct), place.get(Role::Arguments)) {
            self.constructs.insert(call, arguments);
        }
        self.shapes.add(&place);
        let keyword = place.get(Role::Keyword);
        if let (Some(argument), Some(keyword)) = (place.get(Role::Argument), keyword) {
            self.keywords.insert(argument, keyword);
        }
        let Some(id) = place.get(Role::Define).or(place.get(Role::Refer)).or(keyword) else { return };
        if self.places.get(&id).is_none_or(|known| place.pattern < known.pattern) {
            self.places.insert(id, place);
        }
    }
}

/// The scopes of a layer.
struct Scopes<'t> {
    tree: &'t Tree,
    kinds: &'t HashMap<NodeId, ScopeKind>,
    /// The innermost scope around each node, itself included.
    of: Vec<NodeId>,
}

impl<'t> Scopes<'t> {
    fn new(tree: &'t Tree, kinds: &'t HashMap<NodeId, ScopeKind>) -> Self {
        let mut of = vec![0; tree.len()];
        for id in tree.ids() {
            let parent = tree.node(id).parent;
            let is_scope = kinds.contains_key(&id) || parent == NONE;
            of[id as usize] = if is_scope { id } else { of[parent as usize] };
        }
        Self { tree, kinds, of }
    }

    fn around(&self, scope: NodeId) -> Option<NodeId> {
        let parent = self.tree.node(scope).parent;
        (parent != NONE).then(|| self.of[parent as usize])
    }

    /// The scope that something at a node is known in.
    fn reached(&self, id: NodeId, reach: Reach) -> NodeId {
        let inner = self.of[id as usize];
        let is_function = |scope: &NodeId| self.kinds.get(scope) == Some(&ScopeKind::Function);
        match reach {
            Reach::Inner => inner,
            Reach::Outer => self.around(inner).unwrap_or(0),
            Reach::Everywhere => 0,
            Reach::Function => std::iter::successors(Some(inner), |&scope| self.around(scope))
                .take(NEAR)
                .find(is_function)
                .unwrap_or(0),
        }
    }
}

/// The scopes in which one text names something, and the name in each of them.
///
/// References are looked up in the order in which they stand, so that each scope is opened and closed once.
#[derive(Default)]
struct Lookup {
    scopes: Vec<(NodeId, usize)>,
    next: usize,
    open: Vec<(NodeId, usize)>,
}

impl Lookup {
    /// The name in the innermost scope around `id`.
    fn find(&mut self, tree: &Tree, id: NodeId) -> Option<usize> {
        while let Some(&(scope, name)) = self.scopes.get(self.next).filter(|(scope, _)| *scope <= id) {
            self.close(tree, scope);
            self.open.push((scope, name));
            self.next += 1;
        }
        self.close(tree, id);
        self.open.last().map(|&(_, name)| name)
    }

    fn close(&mut self, tree: &Tree, id: NodeId) {
        while self.open.pop_if(|(scope, _)| tree.node(*scope).after <= id).is_some() {}
    }
}

/// The names of each scope and namespace.
type Known<'a> = HashMap<(NodeId, &'a str, &'a [u8]), usize>;

/// How each text is looked up in each namespace.
type Lookups<'a> = HashMap<(&'a str, &'a [u8]), Lookup>;

impl<'a> Names<'a, '_> {
    /// Finds out which places are of the same name.
    pub(super) fn resolve(&mut self, captured: &Captured<'a>) {
        let tree = &self.layer.tree;
        let scopes = Scopes::new(tree, &captured.scopes);
        let mut elsewhere: HashMap<(NodeId, &[u8]), NodeId> = HashMap::new();
        for (&id, place) in &captured.places {
            if place.get(Role::Refer).is_some() && place.says.reach != Reach::Inner {
                let key = (scopes.of[id as usize], self.text(id));
                elsewhere.insert(key, scopes.reached(id, place.says.reach));
            }
        }
        let mut known: Known<'a> = HashMap::new();
        let mut lookups: Lookups<'a> = HashMap::new();
        let is_definition = |place: &Place<'_>| place.get(Role::Define).is_some();
        for (&id, place) in captured.places.iter().filter(|(_, place)| is_definition(place)) {
            let (text, namespace) = (self.text(id), place.says.namespace.as_str());
            let scope = scopes.reached(id, place.says.reach);
            let scope = elsewhere.get(&(scope, text)).copied().unwrap_or(scope);
            let name = *known.entry((scope, namespace, text)).or_insert_with(|| {
                let name = self.all.len();
                self.all.push(Name::new(text, place.says.kind, scope));
                self.known.insert((scope, text));
                lookups.entry((namespace, text)).or_default().scopes.push((scope, name));
                if let Some(kind) = place.says.kind {
                    self.peers.entry((scope, kind)).or_default().push((id, name));
                }
                name
            });
            self.add_definition(name, id, place);
        }
        for lookup in lookups.values_mut() {
            lookup.scopes.sort_unstable();
        }
        let is_reference = |place: &Place<'_>| place.get(Role::Refer).is_some();
        for (&id, place) in captured.places.iter().filter(|(_, place)| is_reference(place)) {
            let text = self.text(id);
            let found = self.found(captured, &scopes, (&known, &mut lookups), id, place);
            if found.is_some_and(|name| !self.holds(self.all[name].scope, id)) {
                self.qualified.insert(id);
            }
            let name = found.unwrap_or_else(|| {
                let lookup = lookups.entry((&place.says.namespace, text)).or_default();
                lookup.scopes.push((0, self.all.len()));
                self.all.push(Name::new(text, None, 0));
                self.all.len() - 1
            });
            self.add_reference(name, id, place);
        }
        for &scope in captured.scopes.keys() {
            self.around.extend(scopes.around(scope).map(|around| (scope, around)));
        }
        self.heirs = self.bases.iter().map(|(&class, &base)| (base, class)).collect();
        self.resolve_constructors(captured);
        self.resolve_keywords();
    }

    /// The name that a reference is to: that of the class which it is said to be a member of, or the innermost around it.
    fn found(
        &self,
        captured: &Captured<'a>,
        scopes: &Scopes<'_>,
        (known, lookups): (&Known<'a>, &mut Lookups<'a>),
        id: NodeId,
        place: &Place<'a>,
    ) -> Option<usize> {
        let text = self.text(id);
        let says = place.says;
        let namespaces = [Some(&says.namespace), says.otherwise.as_ref()];
        let mut namespaces = namespaces.into_iter().flatten();
        let member = self.member_scope(captured, scopes, place);
        let member = member.and_then(|scope| known.get(&(scope, says.namespace.as_str(), text)).copied());
        let tree = &self.layer.tree;
        let found = member.or_else(|| {
            namespaces.find_map(|space| lookups.get_mut(&(space.as_str(), text))?.find(tree, id))
        });
        if !found.is_some_and(|name| self.is_another(name, id, place)) {
            return found;
        }
        // The only other name with this text, if there is just one.
        let all = lookups.get(&(says.namespace.as_str(), text));
        let mut others = all.iter().flat_map(|all| &all.scopes).filter(|(_, name)| Some(*name) != found);
        others.next().filter(|_| others.next().is_none()).map(|&(_, name)| name)
    }

    /// The scope of the class that a name is said to be a member of; an alias is followed to its class.
    fn member_scope(
        &self,
        captured: &Captured<'_>,
        scopes: &Scopes<'_>,
        place: &Place<'_>,
    ) -> Option<NodeId> {
        let object = place.get(Role::Object).filter(|_| place.says.namespace.is_empty())?;
        let first = |id: NodeId| {
            let inside = captured.places.range(id..self.layer.tree.node(id).after);
            inside.into_iter().find_map(|(id, _)| self.referred.get(id))
        };
        let mut name = &self.all[*first(object)?];
        for _ in 0..ALIASES {
            let classes =
                name.definitions.iter().take(ALIKE).filter_map(|one| self.class_members.get(&one.id));
            let of_template = |&members: &NodeId| {
                let scope = scopes.of[members as usize];
                (scopes.kinds.get(&scope) == Some(&ScopeKind::Open)).then_some(scope)
            };
            if let Some(scope) = classes.into_iter().find_map(of_template) {
                return Some(scope);
            }
            name = &self.all[*first(name.definitions.first()?.value.filter(|_| name.is(NameKind::Type))?)?];
        }
        None
    }

    /// Whether a reference cannot be to this name: the member of something else that the name stands for.
    fn is_another(&self, name: usize, id: NodeId, place: &Place<'_>) -> bool {
        let is_member = place.get(Role::Object).is_some() && place.says.namespace.is_empty();
        let values =
            self.all[name].definitions.iter().take(ALIKE).filter_map(|one| Some((one.id, one.value?)));
        is_member && values.into_iter().any(|(own, value)| self.holds(value, id) && !self.holds(value, own))
    }

    /// A call of the base's constructor, or of a class that has none of its own, hands its arguments to the
    /// parameters of the nearest class that has them.
    fn resolve_constructors(&mut self, captured: &Captured<'_>) {
        if self.bases.is_empty() {
            return;
        }
        let has_own = |name: &Name<'_>| name.definitions.iter().any(|one| one.parameters.is_some());
        let base = |class: NodeId| Some(*self.referred.get(self.bases.get(&class)?)?);
        let constructor = |class: NodeId| {
            let next = |&name: &usize| base(self.all[name].definitions.first()?.id);
            std::iter::successors(base(class), next).take(NEAR).find(|&name| has_own(&self.all[name]))
        };
        let classes: HashMap<NodeId, NodeId> =
            self.bases.keys().map(|&class| (self.layer.tree.node(class).parent, class)).collect();
        let with_body = self.all.iter().flat_map(|name| &name.definitions);
        let own: HashMap<NodeId, NodeId> =
            with_body.filter_map(|one| Some((one.body?, *self.members(one.parameters).first()?))).collect();
        let mut found = Vec::new();
        for (&call, &arguments) in &captured.constructs {
            let Some(&class) = self.up(call).find_map(|id| classes.get(&id)) else { continue };
            let object = self.up(call).find_map(|id| own.get(&id).copied());
            let handed = Reference { object, arguments: Some(arguments), ..Reference::plain(call) };
            found.extend(constructor(class).map(|name| (name, handed)));
        }
        for &class in self.bases.keys() {
            let Some(name) = self.defined.get(&class).map(|&name| &self.all[name]) else { continue };
            if !has_own(name) {
                let calls = name.references.iter().filter(|one| one.arguments.is_some());
                found.extend(
                    constructor(class)
                        .into_iter()
                        .flat_map(|base| calls.clone().map(move |&call| (base, call))),
                );
            }
        }
        for (name, handed) in found {
            if let Some(list) = handed.arguments {
                self.add_list(list);
            }
            self.all[name].handed.push(handed);
        }
    }

    fn add_definition(&mut self, name: usize, id: NodeId, place: &Place<'a>) {
        self.defined.insert(id, name);
        self.all[name].skip = self.all[name].skip.max(place.says.skip.unwrap_or(0));
        self.all[name].definitions.push(Definition {
            id,
            whole: place.get(Role::Use).unwrap_or(id),
            says: place.says,
            value: place.get(Role::Value),
            parameters: place.get(Role::Parameters),
            body: place.get(Role::Body),
            object: place.get(Role::Object),
            constructor: place.get(Role::Constructor),
            only: place.get(Role::Only),
            only_type: place.get(Role::OnlyType),
            alias: place.get(Role::Alias),
            pair: place.get(Role::Pair),
            type_of: place.get(Role::Type),
        });
        self.bodies.extend(place.get(Role::Body).map(|body| (body, name)));
        if let Some(list) = place.get(Role::Parameters) {
            self.add_parameters(name, list);
        }
        self.add_generic(name, id, place);
    }

    fn add_parameters(&mut self, name: usize, list: NodeId) {
        self.add_list(list);
        let members = self.lists[&list].iter().enumerate();
        self.parameters.extend(members.map(|(place, &member)| (member, (name, place))));
    }

    /// The lists of a template: its parameters, the arguments of a use, or those that a specialisation is for.
    fn add_generic(&mut self, name: usize, id: NodeId, place: &Place<'a>) {
        let is_definition = place.get(Role::Define).is_some();
        let special = place.get(Role::Arguments).filter(|_| is_definition);
        let Some(list) = place.get(Role::Generic).or(special) else { return };
        let next = self.all.len();
        let generic = *self.generics.entry(name).or_insert(next);
        if generic == next {
            let own = &self.all[name];
            self.all.push(Name { is_generic: true, ..Name::new(own.text, None, own.scope) });
        }
        if is_definition && special.is_none() {
            self.add_parameters(generic, list);
            let says = place.says;
            self.all[generic].definitions.push(Definition::of_parameters(id, says, list));
            return;
        }
        self.add_list(list);
        let whole = place.get(Role::Use).unwrap_or(id);
        let call = Reference { whole, arguments: Some(list), ..Reference::plain(id) };
        let generic = &mut self.all[generic];
        if is_definition { &mut generic.handed } else { &mut generic.references }.push(call);
    }

    fn add_reference(&mut self, name: usize, id: NodeId, place: &Place<'a>) {
        let reference = Reference {
            id,
            whole: place.get(Role::Use).unwrap_or(id),
            object: place.get(Role::Object),
            arguments: place.get(Role::Arguments),
            rest: place.get(Role::Value),
            skip: place.says.skip,
            element: place.get(Role::Element),
            single: place.says.single.as_deref(),
        };
        self.referred.insert(id, name);
        if let Some(list) = reference.arguments {
            self.add_list(list);
            self.calls.insert(reference.whole);
        }
        self.all[name].references.push(reference);
        self.add_generic(name, id, place);
    }

    /// Arguments that are given by name refer to the parameters of the functions that are called.
    fn resolve_keywords(&mut self) {
        if self.keywords.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for function in &self.all {
            let lists = function.definitions.iter().filter_map(|one| one.parameters);
            let parameters: HashMap<&[u8], usize> = lists
                .flat_map(|list| &self.lists[&list])
                .filter_map(|&member| self.defined_in(member))
                .map(|name| (self.all[name].text, name))
                .collect();
            if parameters.is_empty() {
                continue;
            }
            let lists = function.calls().filter_map(|call| call.arguments);
            for &whole in lists.flat_map(|list| &self.lists[&list]) {
                let Some(&id) = self.keywords.get(&whole) else { continue };
                let Some(&parameter) = parameters.get(self.text(id)) else { continue };
                found.push((parameter, id, whole));
            }
        }
        let known: HashSet<NodeId> = found.iter().map(|&(_, _, whole)| whole).collect();
        for (&whole, &id) in self.keywords.iter().filter(|(whole, _)| !known.contains(whole)) {
            self.loose.entry(self.layer.tree.node(id).span.of(self.source)).or_default().push(whole);
        }
        for arguments in self.loose.values_mut() {
            arguments.sort_unstable();
        }
        for (parameter, id, whole) in found {
            let reference = Reference { whole, ..Reference::plain(id) };
            self.all[parameter].references.push(reference);
        }
    }

    fn add_list(&mut self, list: NodeId) {
        let tree = &self.layer.tree;
        // A parameter without brackets is a list by itself.
        let members = || if tree.is_leaf(list) { vec![list] } else { tree.members(list).collect() };
        self.lists.entry(list).or_insert_with(members);
    }
}
