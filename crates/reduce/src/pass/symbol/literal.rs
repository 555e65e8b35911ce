//! Replaces a variable by a literal from elsewhere in the text, and a parameter by the argument that all calls
//! have.
//!
//! ```text
//! a = b
//! print(a)
//! c("x")
//! // ->
//! print("x")
//! c("x")
//! ```
//!
//! This removes variables that only pass a value on.

use super::way::Way;
use super::{Context, known};
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{NameKind, Reference, Symbol};
use nubbin_syntax::edit::{Edit, Seam};

struct Tuning {
    /// A text with more different literals than this is skipped.
    literals: usize,
    /// Maximum length of a literal, in bytes.
    literal_bytes: usize,
}

const TUNING: Tuning = Tuning { literals: 4, literal_bytes: 40 };

/// Proposes to replace each parameter by the common argument of all calls, and each variable by a literal.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        for way in cx.symbols.all().iter().flat_map(|function| known::ways(&cx, function)) {
            builder.single(Vec::from(cx.closed(way)));
        }
        let literals = literals(&cx);
        if literals.len() > TUNING.literals {
            continue;
        }
        for symbol in cx.symbols.all().iter().filter(|symbol| symbol.is(NameKind::Variable)) {
            let ways = literals.iter().filter_map(|literal| way(&cx, symbol, literal));
            cx.choice(&mut builder, ways.collect());
        }
    }
    builder.build()
}

/// Lists the different literals of a text, except trivial ones such as `0` or `''`.
fn literals<'c>(cx: &Context<'c>) -> Vec<&'c [u8]> {
    let mut all: Vec<&[u8]> = Vec::new();
    for id in cx.symbols.literals() {
        let text = cx.text(id);
        let says_something =
            text.iter().any(|byte| !b"0'\"` ".contains(byte)) && text.len() <= TUNING.literal_bytes;
        if says_something && !all.contains(&text) {
            all.push(text);
            if all.len() > TUNING.literals {
                break;
            }
        }
    }
    all
}

fn way(cx: &Context<'_>, symbol: &Symbol, literal: &[u8]) -> Option<Way> {
    let parts = cx.definition_parts(symbol)?;
    let cover = cx.cover(&parts);
    let uses: Vec<&Reference> = symbol.references.iter().filter(|one| !cover.holds(one.whole)).collect();
    // A literal cannot be called or assigned to, and its members are hardly ever used.
    if uses.is_empty() || uses.iter().any(|one| one.whole != one.id) {
        return None;
    }
    let uses = uses.iter().map(|one| Edit::replace(cx.span(one.id), literal));
    Some(cx.removals.edits(parts).into_iter().chain(uses).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn a_literal_takes_the_place_of_a_variable() {
        let text = "a = b\nprint(a)\nc(\"x\")\n";
        assert_eq!(proposed("python", text, propose), ["print(\"x\")\nc(\"x\")\n"]);
    }
}
