//! A literal that stands elsewhere takes a variable's place.
//!
//! What a value is handed through on its way to where it matters goes then.

use super::{Name, Names, Reference};
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Seam};

/// How many different literals a text may have for them to be tried.
const LITERALS: usize = 4;

/// How long a literal may be.
const SHORT: usize = 40;

/// Proposes for each variable that a literal takes its place.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        let literals = names.known_literals();
        if literals.len() > LITERALS {
            continue;
        }
        for name in names.all.iter().filter(|name| name.is(NameKind::Variable)) {
            let ways = literals.iter().filter_map(|literal| names.with_literal(name, literal));
            builder.choice(&snapshot.source, ways.collect());
        }
    }
    builder.build()
}

impl<'a> Names<'a, '_> {
    /// The different literals of a text that say more than that there is one, such as `0` or `''`.
    fn known_literals(&self) -> Vec<&'a [u8]> {
        let mut all: Vec<&[u8]> = Vec::new();
        for &id in &self.literals {
            let text = self.text(id);
            let says_something = text.iter().any(|byte| !b"0'\"` ".contains(byte)) && text.len() <= SHORT;
            if says_something && !all.contains(&text) {
                all.push(text);
                if all.len() > LITERALS {
                    break;
                }
            }
        }
        all
    }

    fn with_literal(&self, name: &Name<'_>, literal: &[u8]) -> Option<Vec<Edit>> {
        let parts = self.definition_parts(name)?;
        let cover = self.cover(&parts);
        let uses: Vec<&Reference<'_>> =
            name.references.iter().filter(|one| !cover.holds(one.whole)).collect();
        // A literal is not called, not put into, and hardly ever asked for a member.
        if uses.is_empty() || uses.iter().any(|one| one.whole != one.id) {
            return None;
        }
        let uses = uses.iter().map(|one| Edit::replace(self.span(one.id), literal));
        Some(self.removals.edits(parts).into_iter().chain(uses).collect())
    }
}
