//! Removes a symbol that one file defines, together with its uses in all files, or replaces the uses by a
//! constant.
//!
//! ```text
//! int f(int a);  int g() { return f(1); }     // in a.c
//! int f(int a) { return a; }                  // in b.c
//! // ->
//! int g() { return 0; }                       // in a.c; b.c is empty
//! ```
//!
//! The files have separate syntax trees. This pass does not resolve imports: symbols with the same name in the
//! outermost scopes of several files are the same symbol if exactly one file defines it.

use super::Context;
use super::way::Way;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{NameKind, Reference, Symbol};
use nubbin_syntax::edit::{Edit, Seam};
use std::collections::BTreeMap;

/// A symbol, with the context of its file.
type SymbolOfFile<'c> = (&'c Context<'c>, &'c Symbol);

/// Proposes the removal of each shared symbol, and its replacement by a constant.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    let files: Vec<Context<'_>> = Context::all(snapshot).collect();
    let mut places: BTreeMap<&[u8], Vec<SymbolOfFile<'_>>> = BTreeMap::new();
    for cx in &files {
        for symbol in cx.symbols.all().iter().filter(|symbol| symbol.scope == 0 && !symbol.is_generic) {
            places.entry(&symbol.text).or_default().push((cx, symbol));
        }
    }
    for places in places.into_values().filter(|places| places.len() > 1 && are_one(places)) {
        builder.choice(&snapshot.source, ways(&places).into_iter().map(Into::into).collect());
    }
    builder.build()
}

/// Returns whether exactly one file defines the name, or exactly one defines it with a body or a value. The
/// other files can import, declare or use it.
fn are_one(places: &[SymbolOfFile<'_>]) -> bool {
    let defines = |symbol: &Symbol| !symbol.is(NameKind::Import) && !symbol.definitions.is_empty();
    let is_full =
        |symbol: &Symbol| symbol.definitions.iter().any(|one| one.body.is_some() || one.value.is_some());
    let definitions = || places.iter().filter(|(_, symbol)| defines(symbol));
    let is_one =
        definitions().count() == 1 || definitions().filter(|(_, symbol)| is_full(symbol)).count() == 1;
    definitions().next().is_some() && is_one
}

/// Returns the alternatives: the uses are removed, or they are replaced by a constant.
fn ways(places: &[SymbolOfFile<'_>]) -> Vec<Way> {
    let mut says = places.iter().filter_map(|(cx, symbol)| Some((cx, symbol.definitions.first()?)));
    let constant = says.find_map(|(cx, one)| cx.constant(one));
    let in_all = |way: &dyn Fn(&Context<'_>, &Symbol) -> Option<Vec<Edit>>| {
        let edits: Option<Vec<_>> = places.iter().map(|(cx, symbol)| way(cx, symbol)).collect();
        edits.map(|edits| edits.concat().into())
    };
    let goes = in_all(&without_uses);
    let replaced = constant.and_then(|text| in_all(&|cx, symbol| with_constant(cx, symbol, text)));
    goes.into_iter().chain(replaced).collect()
}

/// Lists the uses of a symbol outside its definitions; `None` if a definition cannot be removed.
fn uses_outside<'s>(cx: &Context<'_>, symbol: &'s Symbol) -> Option<Vec<&'s Reference>> {
    let cover = cx.cover(&cx.definition_parts(symbol)?);
    Some(symbol.references.iter().filter(|one| !cover.holds(one.whole)).collect())
}

fn without_uses(cx: &Context<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let uses = uses_outside(cx, symbol)?;
    let units: Option<Vec<_>> = uses.iter().map(|one| cx.unit(one.whole)).collect();
    Some(cx.removals.edits([units?, cx.definition_parts(symbol)?].concat()))
}

fn with_constant(cx: &Context<'_>, symbol: &Symbol, text: &str) -> Option<Vec<Edit>> {
    let mut edits = cx.constants(&uses_outside(cx, symbol)?, text.as_bytes());
    edits.extend(cx.removals.edits(cx.definition_parts(symbol)?));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::propose;
    use crate::pass::Snapshot;
    use nubbin_language::Registry;
    use nubbin_syntax::edit::{Patch, Seam, Span};

    #[test]
    fn a_name_of_one_file_goes_in_all_of_them() {
        let (one, other) = ("int f(int a);\nint g() { return f(1); }\n", "int f(int a) { return a; }\n");
        let c = Registry::built_in().get("c").expect("it is built in");
        let end = one.len() as u32;
        let files = [Span::new(0, end), Span::new(end, end + other.len() as u32)];
        let text = [one, other].concat();
        let proposal = propose(&Snapshot::files(text.as_bytes().into(), &files.map(|span| (span, c))));
        let all = (0..proposal.len() as u32).map(|delta| {
            let candidate =
                Patch::new(proposal.own_edits(delta).to_vec()).apply(text.as_bytes(), Seam::Apart);
            String::from_utf8(candidate).expect("it is text")
        });
        assert_eq!(all.collect::<Vec<_>>(), ["int g() { return ; }\n", "int g() { return 0; }\n"]);
    }
}
