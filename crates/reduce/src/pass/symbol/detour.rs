//! Rewrites that make the text larger but can enable later removals: a called function is replaced by a name
//! that is only passed on, or a variable becomes a parameter.
//!
//! ```text
//! def f(a, b): a(b)
//! def g(c): f(c, 1)
//! g(print)
//! // ->
//! def f(a, b): a(b)
//! def g(c): print(c, 1)
//! g(print)
//! ```
//!
//! For example, an error handler can be passed from one function to the next and called in the end; a direct
//! call needs none of these functions. A detour is only kept if the removals after it make the text smaller
//! than before.

use super::{Context, local_to_parameter};
use crate::pass::Snapshot;
use nubbin_language::{Reference, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::HashSet;

struct Tuning {
    /// Maximum number of detours of a text.
    detours: usize,
}

const TUNING: Tuning = Tuning { detours: 16 };

/// A rewrite that makes the text larger.
#[derive(Debug)]
pub struct Detour {
    /// The edits that make the larger text.
    pub edits: Vec<Edit>,
    /// The names that it involves: the removals to try afterwards are on lines with one of them.
    pub words: Vec<Box<[u8]>>,
}

/// Lists the detours of a text, those nearest to its end first, because a passed value is used there.
#[must_use]
pub fn detours(snapshot: &Snapshot<'_>) -> Vec<Detour> {
    let mut all: Vec<Detour> = Context::all(snapshot).flat_map(|cx| of_layer(&cx)).collect();
    all.sort_by_key(|detour| detour.edits.first().map(|edit| std::cmp::Reverse(edit.span.start)));
    all.truncate(TUNING.detours);
    all
}

fn of_layer(cx: &Context<'_>) -> Vec<Detour> {
    let symbols = cx.symbols.all();
    let calls = symbols.iter().flat_map(|symbol| &symbol.references).filter(|one| one.arguments.is_some());
    let arguments: HashSet<NodeId> =
        calls.flat_map(|one| cx.symbols.members(one.arguments)).copied().collect();
    let handed = |symbol: &&Symbol| {
        symbol.definitions.is_empty() && symbol.references.iter().any(|one| arguments.contains(&one.id))
    };
    let handed: Vec<&Symbol> = symbols.iter().filter(|symbol| !symbol.is_generic).filter(handed).collect();
    let defined = symbols.iter().filter(|symbol| !symbol.is_generic && !symbol.definitions.is_empty());
    let calls = defined.flat_map(|symbol| symbol.references.iter().map(move |one| (symbol, one)));
    let calls = calls.filter(|(_, one)| one.arguments.is_some());
    let called =
        calls.flat_map(|(symbol, call)| handed.iter().map(move |other| called(cx, symbol, call, other)));
    let parameter = |(symbol, edits): (&Symbol, _)| Detour { edits, words: vec![(*symbol.text).into()] };
    called.chain(local_to_parameter::detours(cx).map(parameter)).collect()
}

/// Replaces a called function by another one.
fn called(cx: &Context<'_>, symbol: &Symbol, call: &Reference, other: &Symbol) -> Detour {
    let id = cx.span(call.id);
    let start = call.object.map_or(id.start, |object| cx.span(object).start.min(id.start));
    let edits = vec![Edit::replace(Span::new(start, id.end), &*other.text)];
    Detour { edits, words: vec![(*symbol.text).into(), (*other.text).into()] }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_context;
    use super::*;
    use nubbin_syntax::edit::{Patch, Seam};

    #[test]
    fn what_is_called_becomes_a_name_that_is_handed_on() {
        let text = "def f(a, b):\n    a(b)\ndef g(c):\n    f(c, 1)\ng(print)\n";
        let all = with_context("python", text, |_, snapshot| detours(snapshot));
        let texts: Vec<String> = all
            .into_iter()
            .map(|detour| Patch::new(detour.edits).apply(text.as_bytes(), Seam::Apart))
            .map(|text| String::from_utf8(text).expect("text stays text"))
            .collect();
        assert_eq!(
            texts,
            [
                "def f(a, b):\n    a(b)\ndef g(c):\n    f(c, 1)\nprint(print)\n",
                "def f(a, b):\n    a(b)\ndef g(c):\n    print(c, 1)\ng(print)\n",
                "def f(a, b):\n    print(b)\ndef g(c):\n    f(c, 1)\ng(print)\n",
            ]
        );
    }
}
