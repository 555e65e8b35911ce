//! Functions that several rewrites of templates share.

use super::Context;
use nubbin_language::{NameKind, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::BTreeSet;

/// Returns whether no parameter of a template is used.
pub(super) fn has_unused_parameters(cx: &Context<'_>, template: &Symbol) -> bool {
    let members = cx.symbols.lists_of(template).flatten();
    let mut parameters = members.filter_map(|&member| cx.symbols.first_defined_in(member));
    parameters.all(|parameter| cx.symbols[parameter].references.is_empty())
}

/// Makes a template plain code: removes its parameters, the arguments of its uses, and its specializations.
pub(super) fn without_template(cx: &Context<'_>, template: &Symbol) -> Vec<Edit> {
    let tree = cx.tree;
    let heads = template.definitions.iter().filter_map(|one| {
        let list = one.parameters?;
        let around = tree.node(list).parent;
        let next = tree.node(list).after;
        if next >= tree.node(around).after {
            return Some(Span::new(cx.span(around).start, cx.span(list).end));
        }
        // A parameter list inside the definition, as in `struct S<T>`, is removed alone; one before the
        // definition is removed with its keyword.
        let leads = next != one.id && cx.symbols.holds(next, one.id);
        Some(if leads { Span::new(cx.span(around).start, cx.span(next).start) } else { cx.span(list) })
    });
    let heads = heads.map(Edit::delete);
    let given = template.references.iter().filter_map(|one| one.arguments);
    let mut edits: Vec<Edit> = heads.chain(given.map(|list| Edit::delete(cx.span(list)))).collect();
    let special: BTreeSet<NodeId> =
        template.handed.iter().filter_map(|one| cx.definition_unit(one.whole)).collect();
    edits.extend(cx.removals.edits(special));
    edits
}

/// Returns the template whose only parameter this is.
pub(super) fn with_only_parameter<'c>(cx: &Context<'c>, parameter: NodeId) -> Option<&'c Symbol> {
    let symbols = cx.symbols;
    let (template, _) = symbols.parameter(parameter)?;
    let template = &symbols[template];
    let is_only = symbols.lists_of(template).all(|list| list.len() == 1);
    (template.is_generic && is_only).then_some(template)
}

/// Removes the head of a template that has no own symbol, such as an operator, if this is its only parameter.
pub(super) fn without_head(cx: &Context<'_>, symbol: &Symbol, parameter: NodeId) -> Option<Edit> {
    let tree = cx.tree;
    let mut around = tree.up(parameter).skip(1);
    let (list, around) = (around.next()?, around.next()?);
    if !symbol.is(NameKind::Type) || tree.members(list).count() != 1 {
        return None;
    }
    let parts: Vec<NodeId> = tree.members(around).take(3).collect();
    let [head, content] = parts[..] else { return None };
    (head == list).then(|| Edit::delete(Span::new(cx.span(around).start, cx.span(content).start)))
}

/// Returns the argument at a position if it is the same in all uses of a template. Uses with the argument `but`
/// are ignored: `A<T>` inside `A` passes on the parameter of `A`.
pub(super) fn same_given(cx: &Context<'_>, template: &Symbol, place: usize, but: &[u8]) -> Option<NodeId> {
    let given = template.references.iter().filter_map(|one| cx.symbols.given(template, one, place));
    let mut given = given.filter(|&id| cx.text(id) != but);
    let first = given.next()?;
    given.all(|id| cx.text(id) == cx.text(first)).then_some(first)
}

/// Returns whether an identifier defines a parameter pack.
pub(super) fn is_pack(cx: &Context<'_>, id: NodeId) -> bool {
    let mut around = cx.symbols.up(id).take(3);
    around.any(|id| cx.symbols.is_spread(id) && cx.symbols.mark_in(id).is_some())
}
