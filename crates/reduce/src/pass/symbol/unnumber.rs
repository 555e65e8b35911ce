//! Replaces numbered names by letters, so that other names can be removed without renumbering.
//!
//! ```text
//!   br label %2
//! 2:
//!   %3 = phi i32 [ %0, %1 ]
//! // ->
//!   br label %b
//! b:
//!   %c = phi i32 [ %a, %0 ]
//! ```

use super::Context;
use super::rename::short_name;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::Symbol;
use nubbin_search::search::GroupKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, is_word};
use std::collections::{BTreeMap, HashSet};

/// The names of one scope that are numbers.
#[derive(Default)]
struct Row<'c> {
    defined: Vec<(usize, &'c Symbol)>,
    /// References to a number without a written definition, such as the first block of a function.
    implied: Vec<(usize, NodeId)>,
}

/// Proposes, for each scope, to replace all of its numbered names by short names. A number without a written
/// definition is adjusted.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        let rows = rows(&cx);
        if rows.is_empty() {
            continue;
        }
        let words: HashSet<&[u8]> = snapshot.source.split(|&b| !is_word(b)).collect();
        for row in rows.values() {
            builder.delta(row.edits(&cx, &words));
        }
        builder.close(GroupKind::Set, None);
    }
    builder.build()
}

/// Returns the numbered names by scope.
fn rows<'c>(cx: &Context<'c>) -> BTreeMap<NodeId, Row<'c>> {
    let mut rows: BTreeMap<NodeId, Row<'c>> = BTreeMap::new();
    let all = || cx.symbols.all().iter().filter_map(|symbol| Some((number(symbol)?, symbol)));
    for (number, symbol) in all().filter(|(_, symbol)| is_numbered(symbol)) {
        rows.entry(symbol.scope).or_default().defined.push((number, symbol));
    }
    for (number, symbol) in all().filter(|(_, symbol)| symbol.definitions.is_empty()) {
        for one in &symbol.references {
            let scope = cx.symbols.up(one.id).find(|scope| rows.contains_key(scope));
            if let Some(row) = scope.and_then(|scope| rows.get_mut(&scope)) {
                row.implied.push((number, one.id));
            }
        }
    }
    rows
}

impl Row<'_> {
    fn edits(&self, cx: &Context<'_>, words: &HashSet<&[u8]>) -> Vec<Edit> {
        let mut short = (0..).map(short_name).filter(|name| !words.contains(name.as_slice()));
        let mut edits = Vec::new();
        for (_, symbol) in &self.defined {
            let text = short.next().expect("there is always another one");
            edits.extend(symbol.places().map(|id| Edit::replace(cx.symbols.name(id), text.clone())));
        }
        for &(number, id) in &self.implied {
            let before = self.defined.iter().filter(|(other, _)| *other < number).count();
            edits.push(Edit::replace(cx.symbols.name(id), (number - before).to_string().into_bytes()));
        }
        edits
    }
}

/// Returns whether all definitions of a symbol are of a kind that can be numbered.
fn is_numbered(symbol: &Symbol) -> bool {
    !symbol.definitions.is_empty() && symbol.definitions.iter().all(|one| one.says.forms.numbered)
}

/// Returns the number that is the name of a symbol.
fn number(symbol: &Symbol) -> Option<usize> {
    let is_number = symbol.text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(&symbol.text).ok().filter(|_| is_number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn numbers_become_names_and_what_is_implied_keeps_a_number() {
        let text = "define i32 @f(i32 %0) {\n  br label %2\n2:\n  %3 = phi i32 [ %0, %1 ]\n  ret i32 %3\n}\n";
        let named =
            "define i32 @f(i32 %a) {\n  br label %b\nb:\n  %c = phi i32 [ %a, %0 ]\n  ret i32 %c\n}\n";
        assert_eq!(proposed("llvm", text, propose), [named]);
        assert_eq!(proposed("llvm", named, propose), [""; 0]);
    }
}
