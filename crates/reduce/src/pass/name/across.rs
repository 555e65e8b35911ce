//! A name that is defined in one file and used in others goes in all of them.
//!
//! Files are told apart by their trees. It does not follow what imports what: a name counts that one file defines
//! and that others import, declare or do not know.

use super::{Name, Names, Reference};
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Seam};
use std::collections::BTreeMap;

/// Proposes for each name that one file defines and others use: it goes everywhere with all that refers to it, or a
/// constant takes the place of each use.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    let files: Vec<_> =
        snapshot.layers.iter().filter_map(|layer| Names::new(layer, &snapshot.source)).collect();
    let mut places: BTreeMap<&[u8], Vec<(&Names<'_, '_>, &Name<'_>)>> = BTreeMap::new();
    for names in &files {
        for name in names.all.iter().filter(|name| name.scope == 0 && !name.is_generic) {
            places.entry(name.text).or_default().push((names, name));
        }
    }
    for places in places.into_values().filter(|places| places.len() > 1 && are_one(places)) {
        builder.choice(&snapshot.source, ways(&places));
    }
    builder.build()
}

/// Whether one file defines the name, and all others import it, declare it or only use it.
fn are_one(places: &[(&Names<'_, '_>, &Name<'_>)]) -> bool {
    let defines = |name: &Name<'_>| !name.is(NameKind::Import) && !name.definitions.is_empty();
    let is_full =
        |name: &Name<'_>| name.definitions.iter().any(|one| one.body.is_some() || one.value.is_some());
    let definitions = || places.iter().filter(|(_, name)| defines(name));
    let is_one = definitions().count() == 1 || definitions().filter(|(_, name)| is_full(name)).count() == 1;
    definitions().next().is_some() && is_one
}

/// The ways to do without the name in all files.
fn ways(places: &[(&Names<'_, '_>, &Name<'_>)]) -> Vec<Vec<Edit>> {
    let mut says = places.iter().filter_map(|(_, name)| name.definitions.first());
    let constant = says.find_map(|one| one.says.constant.as_deref());
    let in_all = |way: &dyn Fn(&Names<'_, '_>, &Name<'_>) -> Option<Vec<Edit>>| {
        let edits: Option<Vec<_>> = places.iter().map(|(names, name)| way(names, name)).collect();
        edits.map(|edits| edits.concat())
    };
    let goes = in_all(&|names, name| names.without_uses(name));
    let replaced = constant.and_then(|text| in_all(&|names, name| names.with_constant(name, text)));
    goes.into_iter().chain(replaced).collect()
}

impl Names<'_, '_> {
    /// A name's uses that do not go with its definitions.
    fn uses_outside<'n, 'a>(&self, name: &'n Name<'a>) -> Option<Vec<&'n Reference<'a>>> {
        let cover = self.cover(&self.definition_parts(name)?);
        Some(name.references.iter().filter(|one| !cover.holds(one.whole)).collect())
    }

    /// A name goes with all that refers to it.
    fn without_uses(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let uses = self.uses_outside(name)?;
        let units: Option<Vec<_>> = uses.iter().map(|one| self.unit(one.whole)).collect();
        Some(self.removals.edits([units?, self.definition_parts(name)?].concat()))
    }

    /// A name goes, and a constant takes the place of each use.
    fn with_constant(&self, name: &Name<'_>, text: &str) -> Option<Vec<Edit>> {
        let mut edits = self.constants(&self.uses_outside(name)?, text.as_bytes());
        edits.extend(self.removals.edits(self.definition_parts(name)?));
        Some(edits)
    }
}
