//! One specialisation of a class template stays, and the template's other definitions go.

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Reference};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::BTreeSet;

/// At most this many specialisations of a template are tried.
const FEW: usize = 4;

/// All other definitions go. A specialisation without parameters of its own is no template any more.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let symbol = subject.symbol;
    let template = cx.symbols.generic_of(subject.first.id);
    let Some(template) = template.filter(|_| symbol.is(NameKind::Class)) else { return Vec::new() };
    let tree = cx.tree;
    let way = |special: &Reference| {
        let head = tree.children(special.whole).find(|&id| tree.node(id).is_named())?;
        let others = symbol.definitions.iter().filter(|one| one.id != special.id);
        let units: BTreeSet<NodeId> = others.filter_map(|one| cx.definition_unit(one.whole)).collect();
        let mut edits = cx.removals.edits(units);
        edits.push(Edit::delete(cx.span(special.arguments?)));
        if tree.members(head).next().is_none() {
            let class = cx.span(tree.node(head).after).start;
            edits.push(Edit::delete(Span::new(cx.span(special.whole).start, class)));
            let given = template.references.iter().filter_map(|one| one.arguments);
            edits.extend(given.map(|list| Edit::delete(cx.span(list))));
        }
        Some(edits.into())
    };
    template.handed.iter().take(FEW).filter_map(way).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_specialisation_becomes_the_class() {
        let text = "template<class T> struct A { T a; }; template<> struct A<int> { int b; }; A<int> c;";
        assert_eq!(removed("cpp", text, "A", ways), ["struct A { int b; }; A c;"]);
    }
}
