//! Removes a symbol together with all references to it, or replaces it at all references.
//!
//! ```text
//! int a = 1 + 2;  int b = a * 3;
//! // ->
//! int b = (1 + 2) * 3;
//! ```
//!
//! This module collects the facts about a symbol and calls the rewrites, such as [`value`], in a fixed order.

use super::argument::names_alone;
use super::room::Room;
use super::template::{with_only_parameter, without_head, without_template};
use super::way::Way;
use super::{
    Context, alias, assignment, callee, cast, class, classwide, cluster, constant, construct, deduced,
    dissolve, early, enter, everywhere, forward, instance, instantiate, leave, local, made, merge, neighbour,
    nest, object, other, pack, peel, pointer, single, sole, specialise, unname, value, variable, wrap,
};
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{Definition, Reference, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam};

/// A rewrite of one symbol.
type Rewrite = fn(&Context<'_>, &Subject<'_>) -> Vec<Way>;

/// The rewrites that remove a symbol that has uses, in the order in which they are tried.
const USED: [Rewrite; 23] = [
    everywhere::ways,
    cluster::ways,
    constant::ways,
    cast::ways,
    value::ways,
    made::ways,
    assignment::ways,
    instance::ways,
    peel::ways,
    instantiate::ways,
    deduced::ways,
    pack::ways,
    specialise::ways,
    object::ways,
    other::ways,
    class::ways,
    local::ways,
    dissolve::ways,
    unname::ways,
    single::ways,
    merge::ways,
    wrap::ways,
    pointer::ways,
];

/// A symbol to remove, with the facts about it that most rewrites need.
pub(super) struct Subject<'c> {
    pub id: SymbolId,
    pub symbol: &'c Symbol,
    /// Its first definition.
    pub first: &'c Definition,
    /// The nodes that are removed with its definitions.
    pub parts: Vec<NodeId>,
    /// The references outside these nodes.
    pub uses: Vec<&'c Reference>,
    /// The edits that remove its definitions.
    pub gone: Vec<Edit>,
    /// True for the only parameter of a template, which becomes plain code without it.
    pub is_only_parameter: bool,
    /// The classes that are derived from it. Only another class can replace it there.
    pub heirs: Vec<NodeId>,
    pub room: &'c Room,
}

impl<'c> Subject<'c> {
    /// Returns `None` if nothing defines the symbol, or if one of its definitions cannot be removed.
    pub fn new(cx: &Context<'c>, id: SymbolId, room: &'c Room) -> Option<Self> {
        let symbol = &cx.symbols[id];
        let parts = cx.definition_parts(symbol)?;
        let first = symbol.definitions.first()?;
        let head = || parts.iter().find_map(|&part| without_head(cx, symbol, part)).map(|head| vec![head]);
        let template = with_only_parameter(cx, first.id).map(|template| without_template(cx, template));
        let template = template.or_else(head);
        let is_only_parameter = template.is_some();
        let mut gone = template.unwrap_or_else(|| cx.taken_away(parts.iter().copied()));
        let function = cx.symbols.parameter(first.id).map(|(function, _)| &cx.symbols[function]);
        let function = function.filter(|function| cx.symbols.lists_of(function).all(|list| list.len() == 1));
        gone.extend(function.map(|function| names_alone(cx, function)).unwrap_or_default());
        gone.extend(construct::arguments(cx, first.id));
        let cover = cx.cover(&parts);
        let uses: Vec<&Reference> = symbol.references.iter().filter(|one| !cover.holds(one.whole)).collect();
        let heirs = uses.iter().filter_map(|one| cx.symbols.heir(one.id)).collect();
        Some(Self { id, symbol, first, parts, uses, gone, is_only_parameter, heirs, room })
    }

    /// Returns its only definition; `None` if it has several.
    pub fn only(&self) -> Option<&'c Definition> {
        (self.symbol.definitions.len() == 1).then_some(self.first)
    }

    /// Adds the edits that remove its definitions.
    pub fn without_definitions(&self, edits: impl IntoIterator<Item = Edit>) -> Way {
        edits.into_iter().chain(self.gone.iter().cloned()).collect()
    }

    /// Replaces each use by the name of another symbol.
    pub fn renamed(&self, cx: &Context<'_>, other: &Symbol) -> Vec<Edit> {
        self.uses.iter().map(|one| Edit::replace(cx.symbols.name(one.id), &*other.text)).collect()
    }
}

/// Proposes the alternatives of all rewrites for each symbol that is defined.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        let room = Room::new(&cx);
        for (id, symbol) in cx.symbols.all().iter().enumerate().filter(|(_, symbol)| !symbol.is_generic) {
            let mut ways = without(&cx, id, &room);
            ways.extend(leave::ways(&cx, snapshot, symbol));
            ways.extend(nest::ways(&cx, snapshot, symbol));
            ways.extend(early::ways(&cx, symbol));
            ways.extend(sole::ways(&cx, symbol));
            ways.extend(variable::ways(&cx, symbol));
            ways.extend(classwide::ways(&cx, symbol));
            ways.extend(neighbour::ways(&cx, symbol));
            cx.choice(&mut builder, ways);
        }
        for way in cx.symbols.all().iter().flat_map(|symbol| forward::ways(&cx, symbol)) {
            builder.single(Vec::from(way));
        }
        for way in sole::unnamed(&cx).into_iter().chain(enter::ways(&cx)) {
            builder.single(Vec::from(way));
        }
        for called in cx.symbols.callees() {
            cx.choice(&mut builder, callee::ways(&cx, called));
        }
    }
    builder.build()
}

/// Lists the alternatives that remove a symbol.
fn without(cx: &Context<'_>, id: SymbolId, room: &Room) -> Vec<Way> {
    let Some(subject) = Subject::new(cx, id, room) else { return Vec::new() };
    let mut ways = alias::ways(cx, subject.symbol);
    if subject.uses.is_empty() && subject.only().is_some() {
        // Without uses this is a plain deletion, except for a parameter.
        let is_parameter = cx.symbols.parameter(subject.first.id).is_some();
        ways.extend(is_parameter.then(|| subject.gone.into()));
        return ways;
    }
    ways.extend(USED.iter().flat_map(|rewrite| rewrite(cx, &subject)));
    ways
}
