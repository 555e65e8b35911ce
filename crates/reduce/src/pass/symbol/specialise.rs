//! Keeps one specialization of a class template and removes the other definitions of the template.
//!
//! ```text
//! template<class T> struct A { T a; };  template<> struct A<int> { int b; };  A<int> c;
//! // ->
//! struct A { int b; };  A c;
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Reference, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of specializations of a template that are tried.
const FEW: usize = 4;

/// A specialization without parameters becomes an ordinary class.
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
    let special = || template.handed.iter().take(FEW);
    special().filter_map(way).chain(special().flat_map(|one| adapted(cx, symbol, template, one))).collect()
}

/// Turns a specialization into the template: the arguments of each use become the values of the parameters of
/// the specialization. One alternative removes all other definitions, the other keeps a declaration before it.
fn adapted(cx: &Context<'_>, symbol: &Symbol, template: &Symbol, special: &Reference) -> Vec<Way> {
    let head = cx.tree.children(special.whole).find(|&id| cx.tree.node(id).is_named());
    let Some((head, own)) = head.zip(special.arguments) else { return Vec::new() };
    let Some(mut edits) = uses_adapted(cx, template, special, head) else { return Vec::new() };
    edits.push(Edit::delete(cx.span(own)));
    let others = || symbol.definitions.iter().filter(|one| one.id != special.id);
    let without = |keep: Option<NodeId>| {
        let gone =
            others().filter(|one| Some(one.id) != keep).filter_map(|one| cx.definition_unit(one.whole));
        cx.removals.edits(gone.collect::<BTreeSet<_>>())
    };
    let alone = edits.iter().cloned().chain(without(None)).collect();
    let declared = others().find(|one| one.id < special.id && cx.symbols.class_body(one.id).is_none());
    let declared = declared.and_then(|one| {
        let list = template.definition(one.id)?.parameters?;
        let list = Edit::replace(cx.span(list), cx.text(head));
        Some(edits.iter().cloned().chain(without(Some(one.id))).chain([list]).collect())
    });
    declared.into_iter().chain([alone]).collect()
}

/// Changes the arguments of all uses of a template to the parameters of a specialization; `None` if the
/// parameters include a pack or there are none, or if a use does not determine them.
fn uses_adapted(cx: &Context<'_>, template: &Symbol, special: &Reference, head: NodeId) -> Option<Vec<Edit>> {
    let name = |member: NodeId| Some(cx.text(cx.symbols.definitions_in(member).next()?.0));
    let names: Vec<&[u8]> = cx.tree.members(head).map(name).collect::<Option<_>>()?;
    let patterns = cx.symbols.members(special.arguments);
    if names.is_empty() || cx.symbols.mark_in(head).is_some() {
        return None;
    }
    let mut edits = Vec::new();
    for one in &template.references {
        let given = cx.symbols.members(one.arguments);
        let mut bound = BTreeMap::new();
        for (&pattern, &value) in patterns.iter().zip(given) {
            bind(cx, pattern, value, &names, &mut bound);
        }
        let values: Vec<&[u8]> = names.iter().map(|name| bound.get(name).copied()).collect::<Option<_>>()?;
        let text = values.join(cx.syntax().separator());
        edits.push(Edit::replace(cx.content(one.arguments?)?, text));
    }
    Some(edits)
}

/// Finds the values of `names` by matching the argument of a specialization with the argument of a use. If the
/// two have different forms, the last name in the pattern stands for the whole argument.
fn bind<'c>(
    cx: &Context<'c>,
    pattern: NodeId,
    value: NodeId,
    names: &[&'c [u8]],
    bound: &mut BTreeMap<&'c [u8], &'c [u8]>,
) {
    let (tree, text) = (cx.tree, cx.text(pattern));
    if let Some(&name) = names.iter().find(|name| **name == text) {
        bound.entry(name).or_insert_with(|| cx.text(value));
        return;
    }
    let (inside, given): (Vec<_>, Vec<_>) = (tree.members(pattern).collect(), tree.members(value).collect());
    if inside.len() == given.len() && !inside.is_empty() && tree.node(pattern).kind == tree.node(value).kind {
        for (pattern, value) in inside.into_iter().zip(given) {
            bind(cx, pattern, value, names, bound);
        }
        return;
    }
    let inside = cx.symbols.references_in(pattern).map(|(id, _)| cx.text(id));
    let last = inside.filter_map(|text| names.iter().find(|name| **name == text)).last();
    bound.extend(last.map(|name| (*name, cx.text(value))));
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

    #[test]
    fn each_use_gives_what_the_parameters_of_a_specialisation_stand_for() {
        let text = "template<template<class> class, class> struct f; \
                    template<template<class> class F, template<class> class L, class T> struct f<F, L<T>> { F<T> t; }; \
                    f<h, e<i>> x;";
        let made = removed("cpp", text, "f", ways);
        let alone = "template<template<class> class F, template<class> class L, class T> struct f { F<T> t; }; \
                     f<h, e, i> x;";
        let declared = "template<template<class> class F, template<class> class L, class T> struct f; ";
        assert!(made.contains(&alone.to_owned()) && made.contains(&[declared, alone].concat()), "{made:#?}");
    }

    #[test]
    fn what_a_specialisation_is_for_goes_from_the_uses() {
        let text =
            "template<class...> struct j; template<class k> struct j<int, k> { k a; }; j<int, char> x;";
        let made = removed("cpp", text, "j", ways);
        assert!(made.contains(&"template<class k> struct j { k a; }; j<char> x;".to_owned()), "{made:#?}");
    }
}
