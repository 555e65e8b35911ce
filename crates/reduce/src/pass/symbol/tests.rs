//! Functions that the tests of all rewrites share.

use super::Context;
use super::remove::Subject;
use super::room::Room;
use super::way::Way;
use crate::pass::{Proposal, Snapshot};
use nubbin_language::{Registry, Symbol, SymbolId};
use nubbin_syntax::Parser;
use nubbin_syntax::edit::{Patch, Seam};

/// Calls `look` with the context and the snapshot of a text.
pub(super) fn with_context<T>(
    language: &str,
    text: &str,
    look: impl FnOnce(&Context<'_>, &Snapshot<'_>) -> T,
) -> T {
    let language = Registry::built_in().get(language).expect("it is built in");
    let parsed = Parser::new(language.grammar()).parse(text.as_bytes());
    let snapshot = Snapshot::new(text.as_bytes().into(), language, parsed);
    let cx = Context::all(&snapshot).next().expect("the language has names");
    look(&cx, &snapshot)
}

/// Applies each way to the text.
pub(super) fn texts(cx: &Context<'_>, ways: Vec<Way>) -> Vec<String> {
    let text = |way: Way| {
        let text = Patch::new(way.into()).apply(cx.source, Seam::Apart);
        String::from_utf8(text).expect("it is text")
    };
    ways.into_iter().map(text).collect()
}

/// Returns the first symbol with this name that the text defines.
pub(super) fn find<'c>(cx: &Context<'c>, name: &str) -> (SymbolId, &'c Symbol) {
    let symbols = cx.symbols;
    let mut all = symbols.all().iter().enumerate();
    let is_it = |symbol: &Symbol| &*symbol.text == name.as_bytes() && !symbol.definitions.is_empty();
    all.find(|(_, symbol)| is_it(symbol)).expect("it is there")
}

/// Returns the results of a rewrite for the symbol with this name.
pub(super) fn rewritten(
    language: &str,
    text: &str,
    name: &str,
    rewrite: impl Fn(&Context<'_>, &Symbol) -> Vec<Way>,
) -> Vec<String> {
    with_context(language, text, |cx, _| texts(cx, rewrite(cx, find(cx, name).1)))
}

/// As `rewritten`, for a rewrite that removes the symbol.
pub(super) fn removed(
    language: &str,
    text: &str,
    name: &str,
    rewrite: fn(&Context<'_>, &Subject<'_>) -> Vec<Way>,
) -> Vec<String> {
    with_context(language, text, |cx, _| {
        let room = Room::new(cx);
        let subject = Subject::new(cx, find(cx, name).0, &room).expect("it can go");
        texts(cx, rewrite(cx, &subject))
    })
}

/// Returns the results of applying each delta of a pass alone.
pub(super) fn proposed(language: &str, text: &str, propose: fn(&Snapshot<'_>) -> Proposal) -> Vec<String> {
    with_context(language, text, |cx, snapshot| {
        let proposal = propose(snapshot);
        let deltas = 0..proposal.len() as u32;
        texts(cx, deltas.map(|delta| proposal.own_edits(delta).to_vec().into()).collect())
    })
}
