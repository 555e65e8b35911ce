//! What is assigned to a variable takes the place of what reads it.

use super::{Definition, Name, Names, Reference, lossy};
use crate::edit::Edit;

impl Names<'_, '_> {
    /// What an assignment gives a variable takes the place of its only use in the next statement; the assignment goes.
    pub(super) fn forwarded(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        if name.kind != "variable" {
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
        // Looking for reads goes through all references each time.
        let few = name.references.get(..MANY).is_none();
        name.references.iter().filter(|_| few).filter_map(forward).collect()
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
    pub(super) fn is_target(&self, one: &Reference<'_>) -> bool {
        self.layer.tree.node(one.id).parent == one.whole
    }
}

/// How many references to a name are too many.
const MANY: usize = 200;
