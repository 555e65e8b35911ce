//! Parameters go with their arguments in every call, and targets with the values at their place.

use super::Names;
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_syntax::edit::{Edit, Seam};

/// Proposes for each function all of its parameters together, then each of them; before that, targets of patterns.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        for ways in names.slots() {
            builder.choice(&snapshot.source, ways);
        }
        for (function, name) in names.all.iter().enumerate() {
            let lists = name.definitions.iter().map(|one| names.members(one.parameters));
            let count = lists.map(<[_]>::len).max().unwrap_or(0);
            let parts = |place| names.parameter_parts(function, place);
            let loose = |place| names.loose_arguments(name, place).iter().copied();
            let mut add = |edits: Vec<Edit>| {
                if !edits.is_empty() {
                    builder.single(edits);
                }
            };
            if name.is_generic {
                if count > 0 && names.has_unused_parameters(name) {
                    add(names.without_generic(name));
                }
            } else if count > 1 {
                let given = name.calls().flat_map(|call| names.members(call.arguments));
                add(names.removals.edits((0..count).flat_map(parts).chain(given.copied())));
            }
            for place in (0..count).filter(|&place| loose(place).next().is_some()) {
                add(names.removals.edits(parts(place).into_iter().chain(loose(place))));
            }
            let is_whole = name.is_generic && count == 1;
            for place in (0..count).filter(|_| !is_whole) {
                add(names.removals.edits(parts(place)));
                if let Some(edits) = names.settled(function, place).filter(|_| name.is_generic) {
                    add(edits);
                }
            }
        }
    }
    builder.build()
}
