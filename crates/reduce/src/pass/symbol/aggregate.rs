//! Replaces a variable of a structure type by the only member that is used, or by one variable for each member.
//!
//! ```text
//! struct { int a; char b; } x;  int f() { return x.a + x.b; }
//! // ->
//! int a; char b;  int f() { return a + b; }
//! ```
//!
//! `dissolve` handles a structure that has only one member.

use super::Context;
use super::text::{outermost, outside};
use super::way::Way;
use nubbin_language::{Definition, NameKind, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::HashMap;

/// Accesses to members, by the node of the object.
pub(super) type Accesses = HashMap<NodeId, Access>;

#[derive(Clone, Copy)]
pub(super) struct Access {
    member: SymbolId,
    /// The identifier of the member.
    id: NodeId,
    /// The whole expression, such as `x.a`.
    whole: NodeId,
}

/// Lists all accesses to members of objects, except accesses through a pointer.
pub(super) fn accesses(cx: &Context<'_>) -> Accesses {
    let mut accesses = Accesses::new();
    for (member, symbol) in cx.symbols.all().iter().enumerate() {
        let of_objects = symbol.references.iter().filter(|one| one.arguments.is_none());
        accesses.extend(of_objects.filter_map(|one| {
            let object = one.object.filter(|object| !cx.symbols.shapes().levels.contains_key(object))?;
            let whole = cx.tree.node(object).parent;
            Some((object, Access { member, id: one.id, whole }))
        }));
    }
    accesses
}

pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol, accesses: &Accesses) -> Vec<Way> {
    let [one] = &symbol.definitions[..] else { return Vec::new() };
    let Some(kind) =
        one.type_of.filter(|_| symbol.is(NameKind::Variable) && cx.symbols.parameter(one.id).is_none())
    else {
        return Vec::new();
    };
    let used: Option<Vec<Access>> =
        symbol.references.iter().map(|use_of| accesses.get(&use_of.id).copied()).collect();
    let Some(used) = used.filter(|used| !used.is_empty()) else { return Vec::new() };
    let only = only_member(cx, one, kind, &used);
    let apart = members_apart(cx, one, kind, &used);
    only.into_iter().chain(apart).map(|edits| outermost(edits).into()).collect()
}

/// Replaces the variable by the only member that is used.
fn only_member(cx: &Context<'_>, one: &Definition, kind: NodeId, used: &[Access]) -> Option<Vec<Edit>> {
    let member = used[0].member;
    if used.iter().any(|one| one.member != member) {
        return None;
    }
    let inside = aggregate(cx, kind).map(|(_, members)| members);
    let mut definitions = cx.symbols[member].definitions.iter();
    let defined = match inside {
        Some(inside) => definitions.find(|one| cx.symbols.holds(inside, one.id))?,
        None => definitions.next()?,
    };
    let shapes = cx.symbols.shapes();
    let declarator = cx.symbols.up(defined.id).find(|id| shapes.members.contains_key(id))?;
    let instead = (cx.span(defined.id), cx.text(one.id).to_vec());
    let declared = cx.filled_in(cx.span(declarator), &[instead]);
    let mut edits = vec![
        Edit::replace(cx.span(kind), cx.text(shapes.members[&declarator])),
        Edit::replace(cx.span(one.id), declared),
    ];
    edits.extend(without_list(cx, one));
    edits.extend(used.iter().map(|access| {
        let object = cx.tree.children(access.whole).next().unwrap_or(access.whole);
        Edit::delete(Span::new(cx.span(object).end, cx.span(access.whole).end))
    }));
    Some(edits)
}

/// Replaces the variable by one variable for each member. This requires that the variable is the only object of
/// its type.
fn members_apart(cx: &Context<'_>, one: &Definition, kind: NodeId, used: &[Access]) -> Option<Vec<Edit>> {
    let tree = cx.tree;
    let (specifier, members) = aggregate(cx, kind)?;
    let declaration = tree.node(kind).parent;
    let mut also = cx.symbols.definitions_among(tree.node(kind).after..tree.node(declaration).after);
    let is_declared_here = cx.symbols.holds(declaration, one.id) && cx.symbols.is_statement(declaration);
    if !is_declared_here || also.any(|(id, _)| id != one.id) {
        return None;
    }
    let content: Vec<NodeId> = tree.members(members).collect();
    if content.iter().any(|&id| cx.symbols.first_defined_in(id).is_none()) {
        return None;
    }
    let content = Span::new(cx.span(*content.first()?).start, cx.span(*content.last()?).end);
    let whole = cx.span(declaration);
    let mut edits: Vec<Edit> = if specifier == kind {
        outside(whole, content).into()
    } else {
        let others = &cx.symbols[type_name(cx, kind)?];
        let [tag] = &others.definitions[..] else { return None };
        if others.references.iter().any(|other| !cx.symbols.holds(kind, other.id)) {
            return None;
        }
        let unit = cx.definition_unit(tag.whole)?;
        let text = Edit::replace(whole, content.of(cx.source));
        cx.removals.edits([unit]).into_iter().chain([text]).collect()
    };
    edits.extend(
        used.iter()
            .map(|access| Edit::delete(Span::new(cx.span(access.whole).start, cx.span(access.id).start))),
    );
    Some(edits)
}

/// Returns the node that defines the structure of a type, and the node that holds its members. The type is the
/// structure itself or its name.
fn aggregate(cx: &Context<'_>, kind: NodeId) -> Option<(NodeId, NodeId)> {
    let known = |id: NodeId| Some((id, *cx.symbols.shapes().aggregates.get(&id)?));
    known(kind).or_else(|| {
        let definitions = &cx.symbols[type_name(cx, kind)?].definitions;
        definitions.iter().find_map(|one| known(one.value?))
    })
}

fn type_name(cx: &Context<'_>, kind: NodeId) -> Option<SymbolId> {
    cx.symbols.references_in(kind).next().map(|(_, symbol)| symbol)
}

/// Deletes the list of initial values of a definition, if it has one.
fn without_list(cx: &Context<'_>, one: &Definition) -> Option<Edit> {
    let value = *cx.symbols.shapes().sources.get(&one.id)?;
    let is_list = cx.symbols.shapes().lists.contains(&value);
    is_list.then(|| Edit::delete(Span::new(cx.span(one.id).end, cx.span(value).end)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::{accesses, ways};

    fn apart(text: &str) -> Vec<String> {
        rewritten("c", text, "x", |cx, symbol| ways(cx, symbol, &accesses(cx)))
    }

    #[test]
    fn a_variable_becomes_its_only_member_that_is_used_or_all_members() {
        let text = "struct { int a, b; } x; int f() { return x.a; }";
        assert_eq!(apart(text), ["int x; int f() { return x; }", "int a, b; int f() { return a; }"]);
    }

    #[test]
    fn several_members_become_variables() {
        let text = "struct { int a; char b; } x; int f() { return x.a + x.b; }";
        assert_eq!(apart(text), ["int a; char b; int f() { return a + b; }"]);
    }
}
