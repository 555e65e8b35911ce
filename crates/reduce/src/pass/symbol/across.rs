//! A symbol that is defined in one file and used in others goes in all of them.
//!
//! Each file has a tree of its own. This pass does not follow which file imports which: it looks at each name that one
//! file defines and that the others import, declare or do not know.

use super::Context;
use super::way::Way;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{NameKind, Reference, Symbol};
use nubbin_syntax::edit::{Edit, Seam};
use std::collections::BTreeMap;

/// A symbol, with the context of the file that it belongs to.
type SymbolOfFile<'c> = (&'c Context<'c>, &'c Symbol);

/// Proposes two ways for each name that one file defines and others use: it goes everywhere with all references to it,
/// or a constant takes the place of each use.
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

/// Tells whether one file defines the name, and all others import it, declare it or only use it.
fn are_one(places: &[SymbolOfFile<'_>]) -> bool {
    let defines = |symbol: &Symbol| !symbol.is(NameKind::Import) && !symbol.definitions.is_empty();
    let is_full =
        |symbol: &Symbol| symbol.definitions.iter().any(|one| one.body.is_some() || one.value.is_some());
    let definitions = || places.iter().filter(|(_, symbol)| defines(symbol));
    let is_one =
        definitions().count() == 1 || definitions().filter(|(_, symbol)| is_full(symbol)).count() == 1;
    definitions().next().is_some() && is_one
}

/// The name goes in all files with all references to it, or a constant takes the place of each use.
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

/// Lists the uses of a symbol that do not go with its definitions; `None` if a definition cannot go.
fn uses_outside<'s>(cx: &Context<'_>, symbol: &'s Symbol) -> Option<Vec<&'s Reference>> {
    let cover = cx.cover(&cx.definition_parts(symbol)?);
    Some(symbol.references.iter().filter(|one| !cover.holds(one.whole)).collect())
}

/// Returns the edits by which the symbol goes with all references to it.
fn without_uses(cx: &Context<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let uses = uses_outside(cx, symbol)?;
    let units: Option<Vec<_>> = uses.iter().map(|one| cx.unit(one.whole)).collect();
    Some(cx.removals.edits([units?, cx.definition_parts(symbol)?].concat()))
}

/// Returns the edits by which the symbol goes and a constant takes the place of each use.
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
