//! Replaces a statement by a call inside it, such as a call in the condition of a loop.
//!
//! ```text
//! if g(h(1)) { i(); }
//! // ->
//! g(h(1));
//! ```

use super::Context;
use super::way::Way;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::Idle;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of calls that are tried for a statement.
const CALLS: usize = 3;

/// Proposes, for each statement, its outermost calls; calls in nested statements do not count.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot).filter(|cx| !cx.layer.language.is_idle(Idle::Evaluate)) {
        let ends = terminated(&cx);
        for (statement, calls) in calls(&cx) {
            let way = |&call: &NodeId| evaluated(&cx, &ends, statement, call);
            cx.choice(&mut builder, calls.iter().take(CALLS).filter_map(way).collect());
        }
    }
    builder.build()
}

/// Lists the kinds of nodes whose smallest sentence is a name and a terminator, with the terminator.
fn terminated<'c>(cx: &Context<'c>) -> Vec<(u16, &'c [u8])> {
    let of = |(kind, texts): (u16, &'c [String])| {
        let text = texts.first()?.as_bytes();
        let word = text.iter().take_while(|&&byte| is_word(byte)).count();
        let end = text[word..].trim_ascii();
        (word > 0 && end == b";").then_some((kind, end))
    };
    cx.layer.language.sentences().filter_map(of).collect()
}

/// Lists the outermost calls of each statement, except those in nested statements.
fn calls(cx: &Context<'_>) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
    let symbols = cx.symbols;
    let all = symbols.all().iter().flat_map(|symbol| &symbol.references);
    let all = all.filter(|one| one.is_call && one.arguments.is_some());
    let wholes: BTreeSet<NodeId> = all.map(|one| one.whole).collect();
    let mut found: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
    for &call in &wholes {
        let stands_in_list = |&id: &NodeId| cx.layer.slot(id).is_some_and(|slot| slot.multiple);
        let Some(statement) = symbols.statement(call).filter(stands_in_list) else { continue };
        let mut around = symbols.up(call).skip(1).take_while(|&id| id != statement);
        if call != statement && !around.any(|id| wholes.contains(&id)) {
            found.entry(statement).or_default().insert(call);
        }
    }
    found
}

/// Keeps only a call of a statement; `None` if the statement is that call already.
fn evaluated(cx: &Context<'_>, ends: &[(u16, &[u8])], statement: NodeId, call: NodeId) -> Option<Way> {
    let (whole, inner) = (cx.span(statement), cx.span(call));
    let slot = cx.layer.slot(statement)?;
    let end = ends.iter().find(|(kind, _)| slot.allows(*kind)).map_or(&b""[..], |(_, end)| end);
    let rest = Span::new(inner.end, whole.end);
    if inner.start == whole.start && rest.of(cx.source).trim_ascii() == end {
        return None;
    }
    let edits = [Edit::delete(Span::new(whole.start, inner.start)), Edit::replace(rest, end)];
    Some(edits.into_iter().filter(|edit| !edit.span.is_empty() || !edit.text.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn a_statement_becomes_the_call_in_its_head() {
        let text = "fn f() { if g(h(1)) { i(); } }\n";
        assert_eq!(proposed("rust", text, propose), ["fn f() { g(h(1)); }\n"]);
    }

    #[test]
    fn a_call_keeps_the_terminator_of_its_statement() {
        let text = "class A { void f() { for (int a : g(1)) { } return h(); } }\n";
        let first = "class A { void f() { g(1); return h(); } }\n";
        let second = "class A { void f() { for (int a : g(1)) { } h(); } }\n";
        assert_eq!(proposed("java", text, propose), [first, second]);
    }

    #[test]
    fn a_call_needs_no_terminator_where_statements_have_none() {
        let text = "package p\n\nfunc f() {\n\tfor range g(1) {\n\t}\n}\n";
        assert_eq!(proposed("go", text, propose), ["package p\n\nfunc f() {\n\tg(1)\n}\n"]);
    }
}
