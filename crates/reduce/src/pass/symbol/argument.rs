//! Removes parameters together with the arguments for them in every call, and targets of patterns together with
//! the values at their position.
//!
//! ```text
//! int f(int a, int b) { return a; }  int c = f(1, 2);
//! // ->
//! int f(int a) { return a; }  int c = f(1);
//! ```

use super::template::{has_unused_parameters, without_template};
use super::way::Way;
use super::{Context, aligned, construct, settle, slot};
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::Symbol;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam};

/// Proposes to remove the targets of patterns; then, for each function, all of its parameters and each single
/// one.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        for ways in slot::ways(&cx) {
            cx.choice(&mut builder, ways);
        }
        for way in aligned::ways(&cx) {
            builder.single(Vec::from(cx.closed(way)));
        }
        for way in cx.symbols.all().iter().flat_map(|function| ways(&cx, function)) {
            builder.single(Vec::from(cx.closed(way)));
        }
    }
    builder.build()
}

/// Removes all parameters of a function; then each one together with the keyword arguments of the same name in
/// calls of unknown functions; then each one alone.
pub(super) fn ways(cx: &Context<'_>, function: &Symbol) -> Vec<Way> {
    let symbols = cx.symbols;
    let count = symbols.lists_of(function).map(<[_]>::len).max().unwrap_or(0);
    let parts = |place| symbols.parameter_places(function, place);
    let without = |nodes: &mut dyn Iterator<Item = NodeId>| Way::from(cx.removals.edits(nodes));
    let names = names_alone(cx, function);
    // Other alternatives handle the only parameter: a template becomes plain code without it, and a call whose
    // arguments have no own brackets becomes the bare name.
    let is_whole = count == 1 && (function.is_generic || !names.is_empty());
    let mut ways = Vec::new();
    if function.is_generic {
        if count > 0 && has_unused_parameters(cx, function) {
            ways.push(without_template(cx, function).into());
        }
    } else if count > 1 || is_whole {
        let given = function.calls().flat_map(|call| symbols.members(call.arguments));
        let parts = (0..count).flat_map(parts).map(|id| symbols.declaring(id)).chain(given.copied());
        ways.push(cx.removals.edits(parts).into_iter().chain(names).collect::<Vec<_>>().into());
    }
    for place in 0..count {
        let loose = symbols.loose_arguments(function, place);
        if !loose.is_empty() {
            ways.push(without(&mut parts(place).into_iter().chain(loose.iter().copied())));
        }
    }
    ways.extend(construct::ways(cx, function));
    for place in (0..count).filter(|_| !is_whole) {
        ways.push(without(&mut parts(place).into_iter()));
        ways.extend(settle::way(cx, function, place).filter(|_| function.is_generic));
    }
    ways.retain(|way| !way.edits().is_empty());
    ways
}

/// Replaces each call whose arguments have no own brackets, such as `(f 1)`, by the name of the function:
/// without arguments there are no brackets.
pub(super) fn names_alone(cx: &Context<'_>, function: &Symbol) -> Vec<Edit> {
    let bare = function.calls().filter(|call| call.arguments == Some(call.id));
    bare.map(|call| Edit::replace(cx.span(call.whole), cx.text(call.id))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn parameters_go_with_their_arguments() {
        let text = "int f(int a, int b) { return a; } int c = f(1, 2);";
        assert_eq!(
            rewritten("c", text, "f", ways),
            [
                "int f() { return a; } int c = f();",
                "int f(int b) { return a; } int c = f(2);",
                "int f(int a) { return a; } int c = f(1);"
            ]
        );
    }

    #[test]
    fn a_call_whose_arguments_have_no_brackets_becomes_the_name() {
        let text = "(declare-fun |f| (Int) Int)(assert (= (|f| 1) (|f| (|f| 2))))";
        assert_eq!(rewritten("smt2", text, "|f|", ways), ["(declare-fun |f| () Int)(assert (= |f| |f|))"]);
    }
}
