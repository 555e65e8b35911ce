//! What is assigned to a variable takes the place of what reads it.

use super::unname::outside;
use super::{Definition, Name, Names, Reference, lossy};
use nubbin_language::NameKind;
use nubbin_syntax::edit::Edit;

/// How many references to a name are too many to look through all of them for each.
const MANY: usize = 200;

impl Names<'_, '_> {
    /// What an assignment gives a variable takes the place of its only use in the next statement; the assignment goes.
    pub(super) fn forwarded(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        if !name.is(NameKind::Variable) {
            return Vec::new();
        }
        let tree = &self.layer.tree;
        let forward = |one: &Reference<'_>| {
            let (value, statement) = (one.rest?, tree.node(one.whole).parent);
            let next = tree.node(statement).after;
            let is_alone = self.is_target(one) && tree.members(statement).eq([one.whole]);
            if !is_alone || !self.statements.contains(&statement) || !self.statements.contains(&next) {
                return None;
            }
            let mut reads = name.references.iter().filter(|one| self.holds(next, one.id));
            let (Some(read), None) = (reads.next(), reads.next()) else { return None };
            let is_beside = tree.node(next).parent == tree.node(statement).parent;
            (is_beside && read.rest.is_none()).then(|| {
                let instead = Edit::replace(self.span(read.id), self.bracketed(value));
                self.removals.edits([statement]).into_iter().chain([instead]).collect()
            })
        };
        let few = name.references.get(..MANY).is_none();
        name.references.iter().filter(|_| few).filter_map(forward).collect()
    }

    /// What a variable is assigned once takes the place of its other uses; the assignment goes, or its value stays alone.
    pub(super) fn assigned(&self, name: &Name<'_>, uses: &[&Reference<'_>]) -> Option<Vec<Edit>> {
        if !name.is(NameKind::Variable) || name.definitions.len() != 1 || uses.len() < 2 {
            return None;
        }
        let mut assignments = uses.iter().filter_map(|one| Some((one, one.rest?)));
        let (Some((target, value)), None) = (assignments.next(), assignments.next()) else { return None };
        let (id, whole) = (target.id, target.whole);
        // What is assigned to a part of it says nothing of the rest.
        if !self.is_target(target) {
            return None;
        }
        let text = self.bracketed(value);
        let others = || uses.iter().filter(|one| one.id != id);
        let is_fit = |one: &Reference<'_>| !self.holds(value, one.id) && self.is_known_at(value, one.id);
        if text.len() * uses.len() > self.source.len().max(1 << 16) || !others().all(|one| is_fit(one)) {
            return None;
        }
        let mut edits: Vec<Edit> =
            others().map(|one| Edit::replace(self.span(one.id), text.clone())).collect();
        let around = self.layer.tree.node(whole).parent;
        if self.statements.contains(&around) && self.removals.may_go(around) {
            edits.extend(self.removals.edits([around]));
        } else {
            edits.extend(outside(self.span(whole), self.span(value)));
        }
        Some(edits)
    }

    /// What is assigned to a variable that nothing reads stays, as a value of its type.
    pub(super) fn converted(&self, name: &Name<'_>, uses: &[&Reference<'_>]) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let convert = |at: &&Reference<'_>| {
            let text = self.cast(one, &self.bracketed(at.rest?))?;
            self.is_target(at).then(|| Edit::replace(self.span(at.whole), text))
        };
        uses.iter().map(convert).collect()
    }

    /// A value as one of the type that a definition has, where that is known.
    pub(super) fn cast(&self, one: &Definition<'_>, value: &[u8]) -> Option<Vec<u8>> {
        let form = one.says.cast.as_ref()?;
        let text = form.replace("{type}", &lossy(self.text(one.type_of?)));
        Some(text.replace("{value}", &lossy(value)).into_bytes())
    }

    /// Whether a name is what is assigned to, and not a part of that.
    fn is_target(&self, one: &Reference<'_>) -> bool {
        self.layer.tree.node(one.id).parent == one.whole
    }
}
