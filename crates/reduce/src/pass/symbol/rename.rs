//! Gives symbols the shortest possible names.
//!
//! ```text
//! int f(int second) { return second; }
//! // ->
//! int f(int a) { return a; }
//! ```

use super::Context;
use super::text::lossy;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::Symbol;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, is_word};
use std::collections::HashSet;

/// Proposes, for each symbol that is defined, the next short name that does not occur in the text. Local
/// symbols form one set, global ones another.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    let words: HashSet<&[u8]> = snapshot.source.split(|&b| !is_word(b)).collect();
    let mut short = (0..).map(short_name).filter(|name| !words.contains(name.as_slice()));
    for cx in Context::all(snapshot) {
        let mut next = short.next().expect("there is always another one");
        let all = cx.symbols.all().iter();
        let is_fixed = |symbol: &Symbol| {
            symbol.definitions.iter().any(|one| one.says.name.is_some() || one.says.after.is_some())
        };
        let defined =
            all.filter(|symbol| !symbol.definitions.is_empty() && !symbol.is_generic && !is_fixed(symbol));
        // The oracle can depend on a global name, so these are tried separately.
        let (public, local): (Vec<_>, Vec<_>) = defined.partition(|symbol| symbol.scope == 0);
        for group in [local, public] {
            for symbol in group {
                let text = written(symbol, &next);
                if text.len() >= symbol.text.len() {
                    continue;
                }
                builder.delta(symbol.places().map(|id| Edit::replace(cx.symbols.name(id), text.clone())));
                next = short.next().expect("there is always another one");
            }
            builder.close(GroupKind::Set, None);
        }
    }
    builder.build()
}

/// Returns a short name in the form that names of the symbol's kind have. It begins with the same signs as the
/// old name, unless they are quotes around it, which a short name does not need.
fn written(symbol: &Symbol, name: &[u8]) -> Vec<u8> {
    let form = symbol.definitions.first().and_then(|one| one.says.forms.short.as_deref());
    // A name that consists of signs is an operator.
    let has_word = symbol.text.iter().any(|&byte| is_word(byte));
    let is_quoted = has_word && symbol.text.last().is_some_and(|&byte| !is_word(byte));
    let signs = symbol.text.iter().take_while(|&&byte| !is_quoted && !is_word(byte));
    let plain = || signs.chain(name).copied().collect();
    form.map_or_else(plain, |form| form.replace("{name}", &lossy(name)).into_bytes())
}

/// Returns the short name with this number: a, b, …, z, a1, b1, ….
pub(super) fn short_name(number: usize) -> Vec<u8> {
    let letter = b'a' + (number % 26) as u8;
    let round = if number < 26 { String::new() } else { (number / 26).to_string() };
    [&[letter], round.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn names_that_are_known_everywhere_come_after_the_others() {
        let text = "int first; int f(int second) { return first + second; }";
        assert_eq!(
            proposed("c", text, propose),
            [
                "int first; int f(int a) { return first + a; }",
                "int b; int f(int second) { return b + second; }"
            ]
        );
    }

    #[test]
    fn a_name_in_quotes_loses_them() {
        let text = "(declare-const |x y| Int)(assert (= |x y| 1))";
        assert_eq!(proposed("smt2", text, propose), ["(declare-const a Int)(assert (= a 1))"]);
    }
}
