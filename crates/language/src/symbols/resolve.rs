//! Finds the symbol of each definition and reference: from the scope around a reference outwards, in time
//! linear in the text.

use super::call::Calls;
use super::capture::{Captured, Place};
use super::scope::Scopes;
use super::symbol::{Definition, Reference, Symbol, SymbolId};
use super::{Places, Symbols, TUNING};
use crate::{NameKind, Reach, Role, Syntax};
use nubbin_syntax::{NodeId, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// The scopes that define a symbol with one name, each with the symbol.
///
/// References are looked up in the order of their positions, so that each scope is opened and closed once.
#[derive(Default)]
struct Lookup {
    scopes: Vec<(NodeId, SymbolId)>,
    next: usize,
    open: Vec<(NodeId, SymbolId)>,
}

impl Lookup {
    /// Returns the symbol in the innermost scope around `id`.
    fn find(&mut self, tree: &Tree, id: NodeId) -> Option<SymbolId> {
        while let Some(&(scope, symbol)) = self.scopes.get(self.next).filter(|(scope, _)| *scope <= id) {
            self.close(tree, scope);
            self.open.push((scope, symbol));
            self.next += 1;
        }
        self.close(tree, id);
        self.open.last().map(|&(_, symbol)| symbol)
    }

    /// Adds a symbol of the whole text, if no symbol of the outermost scope is known.
    fn add_whole(&mut self, symbol: SymbolId) {
        self.scopes.insert(0, (0, symbol));
        self.open.insert(0, (0, symbol));
        self.next += 1;
    }

    fn close(&mut self, tree: &Tree, id: NodeId) {
        while self.open.pop_if(|(scope, _)| tree.node(*scope).after <= id).is_some() {}
    }
}

/// The symbols that are known so far, by name.
#[derive(Default)]
struct SymbolTable<'a> {
    /// The symbol of each scope, namespace and name.
    of_scope: HashMap<(NodeId, &'a str, &'a [u8]), SymbolId>,
    /// The lookup of each name in each namespace.
    lookups: HashMap<(&'a str, &'a [u8]), Lookup>,
}

/// The symbols, and the input for finding them.
struct Resolver<'a> {
    symbols: Symbols,
    source: &'a [u8],
    tree: &'a Tree,
    places: &'a BTreeMap<NodeId, Place>,
    constructs: &'a BTreeMap<NodeId, NodeId>,
    table: SymbolTable<'a>,
}

impl Symbols {
    /// Creates symbols from the captured places.
    pub(super) fn resolved(
        tree: &Arc<Tree>,
        source: &Arc<[u8]>,
        syntax: &Syntax,
        captured: Captured,
    ) -> Self {
        let Captured { scopes, places, keywords, constructs, lists, classes, code, shapes, .. } = captured;
        let symbols = Self {
            tree: Arc::clone(tree),
            source: Arc::clone(source),
            syntax: syntax.clone(),
            all: Vec::new(),
            places: Places::default(),
            scopes: Scopes::new(tree, scopes),
            classes: classes.close(),
            lists,
            calls: Calls { keywords, ..Calls::default() },
            code,
            shapes,
            named: OnceLock::new(),
        };
        let mut resolver = Resolver {
            symbols,
            source,
            tree,
            places: &places,
            constructs: &constructs,
            table: SymbolTable::default(),
        };
        resolver.define();
        resolver.refer();
        resolver.hand_to_constructors();
        resolver.name_arguments();
        resolver.symbols
    }
}

impl<'a> Resolver<'a> {
    fn text(&self, id: NodeId) -> &'a [u8] {
        self.symbols.name(id).of(self.source)
    }

    /// Returns the name that a place defines or refers to.
    fn name(&self, id: NodeId, place: &'a Place) -> &'a [u8] {
        if let Some(name) = &place.says.name {
            return name;
        }
        let (text, after) = (self.text(id), place.says.after.as_deref().unwrap_or_default());
        text.rsplit(|byte| after.contains(byte)).next().unwrap_or(text)
    }

    /// Adds a symbol for each name in each scope that defines the name.
    fn define(&mut self) {
        let elsewhere = self.declared_elsewhere();
        let definitions = self.places.iter().filter(|(_, place)| place.is_definition());
        let (assigned, declared): (Vec<_>, Vec<_>) =
            definitions.partition(|(_, place)| place.says.forms.reach == Reach::Known);
        for (&id, place) in declared {
            self.define_at(id, place, &elsewhere);
        }
        let count = self.symbols.all.len();
        for (&id, place) in assigned {
            if self.known_at(id, place).is_none_or(|symbol| symbol >= count) {
                self.define_at(id, place, &elsewhere);
            }
        }
        for lookup in self.table.lookups.values_mut() {
            lookup.scopes.sort_unstable();
        }
    }

    /// Adds a definition, and a symbol if it is the first definition of its name in its scope.
    fn define_at(&mut self, id: NodeId, place: &'a Place, elsewhere: &HashMap<(NodeId, &'a [u8]), NodeId>) {
        let (text, namespace) = (self.name(id, place), place.says.forms.namespace.as_str());
        let scope = self.symbols.scopes.reached(self.tree, id, place.says.forms.reach);
        let scope = elsewhere.get(&(scope, text)).copied().unwrap_or(scope);
        let next = self.symbols.all.len();
        let symbol = *self.table.of_scope.entry((scope, namespace, text)).or_insert(next);
        if symbol == next {
            let new = Symbol::new(text.into(), place.says.kind, scope);
            self.symbols.scopes.define(symbol, &new, id);
            self.symbols.all.push(new);
            self.table.lookups.entry((namespace, text)).or_default().scopes.push((scope, symbol));
        }
        self.add_definition(symbol, id, place);
    }

    /// Returns the symbol with this name in the innermost scope around a place that defines one.
    fn known_at(&self, id: NodeId, place: &'a Place) -> Option<SymbolId> {
        let (text, namespace) = (self.name(id, place), place.says.forms.namespace.as_str());
        let mut scopes = self.symbols.scopes(self.symbols.scopes.around(id)).chain([0]);
        scopes.find_map(|scope| self.table.of_scope.get(&(scope, namespace, text)).copied())
    }

    /// Lists the names that a scope declares to belong to another scope, such as by `global a`.
    fn declared_elsewhere(&self) -> HashMap<(NodeId, &'a [u8]), NodeId> {
        let reaches = |place: &Place| place.is_reference() && place.says.forms.reach != Reach::Inner;
        let declared = self.places.iter().filter(|(_, place)| reaches(place));
        let scopes = &self.symbols.scopes;
        let entry = |(&id, place): (&NodeId, &Place)| {
            ((scopes.around(id), self.text(id)), scopes.reached(self.tree, id, place.says.forms.reach))
        };
        declared.map(entry).collect()
    }

    /// Finds the symbol of each reference.
    fn refer(&mut self) {
        let places = self.places.iter();
        let is_defined = |id: &NodeId| self.symbols.places.defined.contains_key(id);
        let refers = |(id, place): &(&NodeId, &Place)| {
            place.is_reference() || place.is_definition() && !is_defined(id)
        };
        for (&id, place) in places.filter(refers).collect::<Vec<_>>() {
            let found = self.found(id, place);
            if found.is_some_and(|symbol| !self.symbols.holds(self.symbols[symbol].scope, id)) {
                self.symbols.places.qualified.insert(id);
            }
            let symbol = found.unwrap_or_else(|| self.add_unknown(id, place));
            self.add_reference(symbol, id, place);
        }
    }

    /// Adds a symbol without a definition.
    fn add_unknown(&mut self, id: NodeId, place: &'a Place) -> SymbolId {
        let text = self.name(id, place);
        let next = self.symbols.all.len();
        self.symbols.all.push(Symbol::new(text.into(), None, 0));
        self.table.lookups.entry((&place.says.forms.namespace, text)).or_default().add_whole(next);
        next
    }

    /// Returns the symbol of a reference: the member of the class that the reference names, or the symbol of
    /// the innermost scope around it.
    fn found(&mut self, id: NodeId, place: &'a Place) -> Option<SymbolId> {
        let (text, says) = (self.name(id, place), &place.says);
        let member = self.member_scope(place);
        let of_scope =
            |scope| self.table.of_scope.get(&(scope, says.forms.namespace.as_str(), text)).copied();
        let found = member.and_then(of_scope).or_else(|| {
            let mut namespaces = [Some(&says.forms.namespace), says.otherwise.as_ref()].into_iter().flatten();
            let lookups = &mut self.table.lookups;
            namespaces.find_map(|space| lookups.get_mut(&(space.as_str(), text))?.find(self.tree, id))
        });
        if !found.is_some_and(|symbol| self.is_another(symbol, id, place)) {
            return found;
        }
        // The reference can only mean the other symbol with this name, if there is exactly one.
        let all = self.table.lookups.get(&(says.forms.namespace.as_str(), text));
        let mut others = all.iter().flat_map(|all| &all.scopes).filter(|(_, other)| Some(*other) != found);
        others.next().filter(|_| others.next().is_none()).map(|&(_, symbol)| symbol)
    }

    /// Returns the scope of the class that a reference names as the owner of a member. An alias is followed to
    /// its class.
    fn member_scope(&self, place: &Place) -> Option<NodeId> {
        let object = place.get(Role::Object).filter(|_| place.says.forms.namespace.is_empty())?;
        let symbols = &self.symbols;
        let first = |id: NodeId| {
            let inside = self.places.range(symbols.range(id));
            inside.into_iter().find_map(|(&id, _)| symbols.referred_at(id))
        };
        let mut symbol = &symbols[first(object)?];
        for _ in 0..TUNING.aliases {
            let definitions = symbol.definitions.iter().take(TUNING.definitions);
            let bodies = definitions.filter_map(|one| symbols.class_body(one.id));
            let mut scopes = bodies.map(|body| symbols.scopes.around(body));
            if let Some(scope) = scopes.find(|&scope| symbols.scopes.is_open(scope)) {
                return Some(scope);
            }
            let value = symbol.definitions.first()?.value.filter(|_| symbol.is(NameKind::Type))?;
            symbol = &symbols[first(value)?];
        }
        None
    }

    /// Returns whether a reference cannot refer to this symbol, because it is inside the value of the symbol,
    /// which is an alias of another member.
    fn is_another(&self, symbol: SymbolId, id: NodeId, place: &Place) -> bool {
        let symbols = &self.symbols;
        let is_member = place.get(Role::Object).is_some() && place.says.forms.namespace.is_empty();
        let definitions = symbols[symbol].definitions.iter().take(TUNING.definitions);
        let mut values = definitions.filter_map(|one| Some((one.id, one.value?)));
        is_member && values.any(|(own, value)| symbols.holds(value, id) && !symbols.holds(value, own))
    }

    fn add_definition(&mut self, symbol: SymbolId, id: NodeId, place: &'a Place) {
        let symbols = &mut self.symbols;
        symbols.places.defined.insert(id, symbol);
        let own = &mut symbols.all[symbol];
        own.skip = own.skip.max(place.says.forms.skip.unwrap_or(0));
        own.definitions.push(Definition {
            id,
            whole: place.get(Role::Use).unwrap_or(id),
            says: Arc::clone(&place.says),
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
        symbols.calls.bodies.extend(place.get(Role::Body).map(|body| (body, symbol)));
        if let Some(list) = place.get(Role::Parameters) {
            symbols.lists.add_parameters(self.tree, self.source, symbol, id, list);
        }
        self.add_generic(symbol, id, place);
    }

    /// Adds a list of a template: its parameters, the arguments of a use, or the arguments of a specialization.
    fn add_generic(&mut self, symbol: SymbolId, id: NodeId, place: &'a Place) {
        let symbols = &mut self.symbols;
        let special = place.get(Role::Arguments).filter(|_| place.is_definition());
        let Some(list) = place.get(Role::Generic).or(special) else { return };
        let next = symbols.all.len();
        let generic = *symbols.calls.generics.entry(symbol).or_insert(next);
        if generic == next {
            let own = &symbols.all[symbol];
            let new = Symbol::new(Arc::clone(&own.text), None, own.scope);
            symbols.all.push(Symbol { is_generic: true, ..new });
        }
        if place.is_definition() && special.is_none() {
            symbols.lists.add_parameters(self.tree, self.source, generic, id, list);
            let definition = Definition::of_parameters(id, Arc::clone(&place.says), list);
            symbols.all[generic].definitions.push(definition);
            return;
        }
        symbols.lists.add(self.tree, self.source, id, list);
        let whole = place.get(Role::Use).unwrap_or(id);
        let call = Reference { whole, arguments: Some(list), is_call: true, ..Reference::plain(id) };
        let generic = &mut symbols.all[generic];
        if place.is_definition() { &mut generic.handed } else { &mut generic.references }.push(call);
    }

    fn add_reference(&mut self, symbol: SymbolId, id: NodeId, place: &'a Place) {
        let symbols = &mut self.symbols;
        let reference = Reference {
            id,
            whole: place.get(Role::Use).unwrap_or(id),
            object: place.get(Role::Object),
            arguments: place.get(Role::Arguments),
            constructed: place.get(Role::Constructed),
            is_call: place.says.called || place.get(Role::Arguments).is_some(),
            rest: place.get(Role::Value),
            skip: place.says.forms.skip,
            element: place.get(Role::Element),
            single: place.says.single.clone(),
            written: place.says.written.clone(),
            type_of: place.get(Role::Type),
        };
        symbols.places.referred.insert(id, symbol);
        if place.says.origin {
            symbols.places.origins.insert(id);
        }
        if let Some(list) = reference.arguments {
            symbols.lists.add(self.tree, self.source, id, list);
            symbols.calls.wholes.insert(reference.whole, symbol);
        }
        if let Some(list) = reference.constructed {
            symbols.lists.add(self.tree, self.source, id, list);
        }
        symbols.all[symbol].references.push(reference);
        self.add_generic(symbol, id, place);
    }

    /// Assigns the arguments of some calls to the parameters of the nearest base class that has a constructor:
    /// of calls of the base's constructor, and of calls of a class without a constructor.
    fn hand_to_constructors(&mut self) {
        let symbols = &self.symbols;
        let bases = &symbols.classes.bases;
        if bases.is_empty() {
            return;
        }
        let has_own = |symbol: &Symbol| symbol.definitions.iter().any(|one| one.parameters.is_some());
        let base = |class: NodeId| symbols.referred_at(symbols.base(class)?);
        let constructor = |class: NodeId| {
            let next = |&symbol: &SymbolId| base(symbols[symbol].definitions.first()?.id);
            let all = std::iter::successors(base(class), next).take(TUNING.levels);
            all.into_iter().find(|&symbol| has_own(&symbols[symbol]))
        };
        let classes: HashMap<NodeId, NodeId> =
            bases.keys().map(|&class| (self.tree.node(class).parent, class)).collect();
        let definitions = symbols.all.iter().flat_map(|symbol| &symbol.definitions);
        let object = |one: &Definition| Some((one.body?, *symbols.members(one.parameters).first()?));
        let objects: HashMap<NodeId, NodeId> = definitions.filter_map(object).collect();
        let mut found = Vec::new();
        for (&call, &arguments) in self.constructs {
            let Some(&class) = symbols.up(call).find_map(|id| classes.get(&id)) else { continue };
            let object = symbols.up(call).find_map(|id| objects.get(&id).copied());
            let handed = Reference { object, arguments: Some(arguments), ..Reference::plain(call) };
            found.extend(constructor(class).map(|symbol| (symbol, handed)));
        }
        for &class in bases.keys() {
            let Some(symbol) = symbols.defined_at(class).map(|symbol| &symbols[symbol]) else { continue };
            if let Some(base) = constructor(class).filter(|_| !has_own(symbol)) {
                let calls = symbol.references.iter().filter(|one| one.arguments.is_some());
                found.extend(calls.map(|call| (base, call.clone())));
            }
        }
        for (symbol, handed) in found {
            if let Some(list) = handed.arguments {
                self.symbols.lists.add(self.tree, self.source, handed.id, list);
            }
            self.symbols.all[symbol].handed.push(handed);
        }
    }

    /// Makes each keyword argument a reference to the parameter of the called function.
    fn name_arguments(&mut self) {
        let symbols = &self.symbols;
        if symbols.calls.keywords.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for function in &symbols.all {
            let parameters: HashMap<&[u8], SymbolId> = symbols
                .lists_of(function)
                .flatten()
                .filter_map(|&member| symbols.first_defined_in(member))
                .map(|symbol| (&*symbols[symbol].text, symbol))
                .collect();
            if parameters.is_empty() {
                continue;
            }
            let lists = function.calls().map(|call| symbols.members(call.arguments));
            for &whole in lists.flatten() {
                let Some(id) = symbols.keyword(whole) else { continue };
                let Some(&parameter) = parameters.get(self.text(id)) else { continue };
                found.push((parameter, id, whole));
            }
        }
        let known: HashSet<NodeId> = found.iter().map(|&(_, _, whole)| whole).collect();
        let mut loose: HashMap<Arc<[u8]>, Vec<NodeId>> = HashMap::new();
        for (&whole, &id) in symbols.calls.keywords.iter().filter(|(whole, _)| !known.contains(whole)) {
            loose.entry(self.text(id).into()).or_default().push(whole);
        }
        for arguments in loose.values_mut() {
            arguments.sort_unstable();
        }
        self.symbols.calls.loose = loose;
        for (parameter, id, whole) in found {
            let reference = Reference { whole, ..Reference::plain(id) };
            self.symbols.all[parameter].references.push(reference);
        }
    }
}
