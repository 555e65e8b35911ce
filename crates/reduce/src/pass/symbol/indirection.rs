//! Removes a level of a pointer or an array at all places of a symbol.
//!
//! ```text
//! int *a;  int f(int *b) { return *b + *a; }  int c() { a = &d; return f(a); }
//! // ->
//! int a;  int f(int b) { return b + a; }  int c() { a = d; return f(a); }
//! ```
//!
//! Types are not checked: the oracle rejects candidates that do not compile.

use super::text::{outermost, outside};
use super::way::Way;
use super::{Context, aggregate};
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{Indirection, Reference, Shapes, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span};
use std::collections::{HashMap, HashSet};

/// Parameters of a function with more definitions than this keep their levels.
const ALIKE: usize = 8;

/// Proposes to remove a level of each variable, field, parameter and function, alone and together with all
/// places that exchange values with it. Also proposes to replace variables of structure types by their members.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        let shapes = cx.symbols.shapes();
        if shapes.levels.is_empty() && shapes.aggregates.is_empty() {
            continue;
        }
        let places = Places::new(&cx);
        for ways in places.ways() {
            cx.choice(&mut builder, ways);
        }
        let accesses = aggregate::accesses(&cx);
        for symbol in cx.symbols.all().iter().filter(|_| !accesses.is_empty()) {
            cx.choice(&mut builder, aggregate::ways(&cx, symbol, &accesses));
        }
    }
    builder.build()
}

/// A place that holds values: a variable, all fields with one name, a parameter in all declarations of its
/// function, or the result of a function.
#[derive(Default)]
struct Storage {
    /// The identifiers in its declarations that have a level around them.
    declared: Vec<NodeId>,
    /// The values that are stored in it, with the target of the declaration or assignment if there is one.
    values: Vec<(NodeId, Option<NodeId>)>,
    uses: Vec<Use>,
}

/// A use of a place.
struct Use {
    id: NodeId,
    /// The whole expression that denotes the place.
    whole: NodeId,
    /// False if the use takes a part of the place (`a.b`, `a[0]`, `*a`) or increments it (`a++`).
    is_plain: bool,
}

/// How a level is removed.
#[derive(Clone, Copy)]
struct LevelRemoval {
    /// Expressions that need the address of the place take it.
    is_typed: bool,
    /// A list of initial values is replaced by its first value.
    leaves_first: bool,
}

/// All places that have a level.
struct Places<'c> {
    cx: &'c Context<'c>,
    shapes: &'c Shapes,
    all: Vec<Storage>,
    /// The place that an expression denotes.
    at: HashMap<NodeId, usize>,
    /// The place that an expression is stored in.
    into: HashMap<NodeId, usize>,
}

impl<'c> Places<'c> {
    fn new(cx: &'c Context<'c>) -> Self {
        let symbols = cx.symbols;
        let shapes = symbols.shapes();
        let mut places = Self { cx, shapes, all: Vec::new(), at: HashMap::new(), into: HashMap::new() };
        let mut parameters = HashSet::new();
        for symbol in symbols.all().iter().filter(|symbol| !symbol.definitions.is_empty()) {
            let parameter = symbols.parameter(symbol.definitions[0].id);
            let place = match parameter {
                Some((function, at)) if parameters.insert((function, at)) => places.parameter(function, at),
                Some(_) => None,
                None => places.variable(symbol),
            };
            places.add(place);
        }
        places
    }

    fn add(&mut self, place: Option<Storage>) {
        let Some(place) = place.filter(|place| !place.declared.is_empty()) else { return };
        let number = self.all.len();
        let is_level = |one: &&Use| self.shapes.levels.contains_key(&one.id);
        self.at.extend(place.uses.iter().filter(|one| !is_level(one)).map(|one| (one.whole, number)));
        self.into.extend(place.values.iter().map(|&(value, _)| (value, number)));
        self.all.push(place);
    }

    /// Returns the place of a symbol that is not a parameter, if it has a level.
    fn variable(&self, symbol: &Symbol) -> Option<Storage> {
        let shapes = self.shapes;
        let mut place = Storage::default();
        for one in &symbol.definitions {
            place.declared.extend(shapes.levels.contains_key(&one.id).then_some(one.id));
            let results = one.body.into_iter().flat_map(|body| self.cx.symbols.returns(body));
            place.values.extend(results.filter_map(|(_, result)| Some((result?, None))));
        }
        if place.declared.is_empty() {
            return None;
        }
        self.add_uses(symbol, &mut place);
        Some(place)
    }

    /// Returns the place of a parameter, even if its name differs between the declarations of its function.
    fn parameter(&self, function: SymbolId, at: usize) -> Option<Storage> {
        let cx = self.cx;
        let function = &cx.symbols[function];
        if function.definitions.len() > ALIKE {
            return None;
        }
        let mut place = Storage::default();
        for definition in &function.definitions {
            let Some(&member) = cx.symbols.members(definition.parameters).get(at) else { continue };
            let inside = member..cx.tree.node(member).after;
            let symbol = cx.symbols.first_defined_in(member).map(|symbol| &cx.symbols[symbol]);
            let defined = symbol.into_iter().flat_map(|symbol| symbol.definitions.iter().map(|one| one.id));
            let level = self.shapes.levels.range(inside).next().map(|(&id, _)| id);
            let all = level.into_iter().chain(defined.filter(|id| self.shapes.levels.contains_key(id)));
            for id in all {
                if !place.declared.contains(&id) {
                    place.declared.push(id);
                }
            }
            if let Some(symbol) = symbol {
                self.add_uses(symbol, &mut place);
            }
        }
        let arguments = function.calls().filter_map(|call| cx.symbols.argument(function, call, at));
        place.values.extend(arguments.map(|argument| (argument, None)));
        Some(place)
    }

    /// Adds the uses of a symbol and the values that are stored in it.
    fn add_uses(&self, symbol: &Symbol, place: &mut Storage) {
        let (cx, sources) = (self.cx, &self.shapes.sources);
        for one in &symbol.definitions {
            let around = cx.symbols.up(one.id).take_while(|&id| !cx.symbols.is_statement(id));
            let found = around.into_iter().find_map(|id| Some((*sources.get(&id)?, Some(id))));
            place.values.extend(found);
        }
        for one in &symbol.references {
            let whole = self.expression(one);
            let is_plain = whole != one.id || one.whole == one.id || one.rest.is_some();
            place.values.extend(sources.get(&whole).map(|&value| (value, Some(whole))));
            place.uses.push(Use { id: one.id, whole, is_plain });
        }
    }

    /// Returns the expression that denotes the place at a reference: a call, a member of an object, or the
    /// identifier.
    fn expression(&self, one: &Reference) -> NodeId {
        match one.object {
            _ if one.arguments.is_some() => one.whole,
            Some(object) => self.cx.tree.node(object).parent,
            None => one.id,
        }
    }

    /// Lists, for each place, the alternatives that remove a level.
    fn ways(&self) -> impl Iterator<Item = Vec<Way>> {
        let together = self.together();
        (0..self.all.len()).map(move |number| {
            let mut ways = self.ways_of(&[number]);
            if let Some(all) = together.get(&number) {
                ways.extend(self.ways_of(all));
            }
            ways
        })
    }

    /// Lists the groups of two or more places that exchange values, by the first place of each group.
    fn together(&self) -> HashMap<usize, Vec<usize>> {
        let mut first: Vec<usize> = (0..self.all.len()).collect();
        let root = |first: &mut Vec<usize>, mut at: usize| {
            while first[at] != at {
                first[at] = first[first[at]];
                at = first[at];
            }
            at
        };
        for (value, into) in &self.into {
            let Some(from) = self.at.get(value) else { continue };
            let (from, into) = (root(&mut first, *from), root(&mut first, *into));
            first[from.max(into)] = from.min(into);
        }
        let mut together: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in 0..self.all.len() {
            together.entry(root(&mut first, at)).or_default().push(at);
        }
        together.retain(|_, all| all.len() > 1);
        together
    }

    fn ways_of(&self, places: &[usize]) -> Vec<Way> {
        let way = |is_typed, leaves_first| self.lowered(places, LevelRemoval { is_typed, leaves_first });
        let mut ways = vec![way(false, true), way(true, true)];
        if places.iter().any(|&place| self.has_no_size(&self.all[place])) {
            ways.push(way(false, false));
        }
        // Rules handle a declaration without other changes.
        ways.retain(|edits| edits.len() > 1);
        ways.dedup();
        ways.into_iter().map(Into::into).collect()
    }

    /// Returns whether a declaration of the place takes its size from a list of initial values.
    fn has_no_size(&self, place: &Storage) -> bool {
        let cx = self.cx;
        let members = |id: &NodeId| cx.tree.members(self.shapes.levels[id].whole).count();
        place.values.iter().any(|(value, _)| self.shapes.lists.contains(value))
            && place.declared.iter().any(|id| members(id) == 1)
    }

    /// Removes a level from each of the places.
    fn lowered(&self, places: &[usize], manner: LevelRemoval) -> Vec<Edit> {
        let mut edits = Vec::new();
        for &number in places {
            let place = &self.all[number];
            for id in place.declared.iter().chain(place.uses.iter().map(|one| &one.id)) {
                edits.extend(self.shapes.levels.get(id).into_iter().flat_map(|one| self.lost(one)));
            }
            for &(value, target) in &place.values {
                edits.extend(self.value(value, target, manner));
                edits.extend(self.content(value, place, places).filter(|_| manner.is_typed));
            }
            for one in place.uses.iter().filter(|_| manner.is_typed) {
                edits.extend(self.address(one, place, places));
            }
        }
        outermost(edits)
    }

    fn lost(&self, level: &Indirection) -> Vec<Edit> {
        let whole = self.cx.span(level.whole);
        match level.inner {
            Some(inner) => outside(whole, self.cx.span(inner)).into(),
            None => vec![Edit::replace(whole, level.text.as_bytes())],
        }
    }

    /// Returns the edits of a list or an address that is stored in a place.
    fn value(&self, value: NodeId, target: Option<NodeId>, manner: LevelRemoval) -> Vec<Edit> {
        let (cx, shapes) = (self.cx, self.shapes);
        let span = cx.span(value);
        if !shapes.lists.contains(&value) {
            let address = shapes.addresses.get(&value);
            return address.map_or(Vec::new(), |&of| outside(span, cx.span(of)).into());
        }
        let first = cx.tree.members(value).next().filter(|_| manner.leaves_first);
        match (first, target) {
            (Some(first), _) => outside(span, cx.span(first)).into(),
            (None, Some(target)) => vec![Edit::delete(Span::new(cx.span(target).end, span.end))],
            (None, None) => Vec::new(),
        }
    }

    /// Dereferences a value that is stored in one of these places but comes from a place that keeps its level.
    fn content(&self, value: NodeId, place: &Storage, places: &[usize]) -> Option<Edit> {
        self.at.get(&value).filter(|other| places.binary_search(other).is_err())?;
        self.before(value, place.declared.iter().find_map(|id| self.shapes.levels[id].content.as_deref())?)
    }

    /// Takes the address of a place at a use that still needs an address.
    fn address(&self, one: &Use, place: &Storage, places: &[usize]) -> Option<Edit> {
        let goes_along = self.into.get(&one.whole).is_some_and(|into| places.binary_search(into).is_ok());
        let shapes = self.shapes;
        let is_asked = shapes.levels.contains_key(&one.id) || shapes.sources.contains_key(&one.whole);
        if goes_along || is_asked || !one.is_plain {
            return None;
        }
        self.before(one.whole, place.declared.iter().find_map(|id| shapes.levels[id].address.as_deref())?)
    }

    fn before(&self, id: NodeId, text: &str) -> Option<Edit> {
        let start = self.cx.span(id).start;
        (!text.is_empty()).then(|| Edit::replace(Span::new(start, start), text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn a_level_goes_at_all_places() {
        let text = "int *a; int f(int *b) { return *b + *a; } int c() { a = &d; return f(a); }";
        assert_eq!(
            proposed("c", text, propose),
            [
                "int a; int f(int b) { return b + a; } int c() { a = d; return f(a); }",
                "int a; int f(int *b) { return *b + a; } int c() { a = d; return f(a); }",
                "int a; int f(int *b) { return *b + a; } int c() { a = d; return f(&a); }",
                "int *a; int f(int b) { return b + *a; } int c() { a = &d; return f(a); }",
                "int *a; int f(int b) { return b + *a; } int c() { a = &d; return f(*a); }"
            ]
        );
    }

    #[test]
    fn a_list_of_values_goes_or_leaves_its_first() {
        let text = "int a[] = {1, 2}; int f() { return a[0]; }";
        assert_eq!(
            proposed("c", text, propose),
            ["int a; int f() { return a; }", "int a = 1; int f() { return a; }"]
        );
    }
}
