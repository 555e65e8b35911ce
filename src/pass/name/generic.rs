//! Templates: their parameters go with the arguments of all uses, or become what every use gives for them.

use super::{Name, Names, Reference};
use crate::edit::{Edit, Span};
use crate::syntax::NodeId;
use std::collections::BTreeSet;

impl Names<'_, '_> {
    /// Whether none of a template's parameters is used.
    pub(super) fn has_unused_parameters(&self, generic: &Name<'_>) -> bool {
        let lists = generic.definitions.iter().map(|one| self.members(one.parameters));
        let mut parameters = lists.flatten().filter_map(|&member| self.defined_in(member));
        parameters.all(|name| self.all[name].references.is_empty())
    }

    /// What makes a template none: all of its parameters go with the lists of arguments, and its specialisations do.
    pub(super) fn without_generic(&self, generic: &Name<'_>) -> Vec<Edit> {
        let tree = &self.layer.tree;
        let lists = generic.definitions.iter().filter_map(|one| one.parameters);
        let heads = lists.map(|list| {
            let around = tree.node(list).parent;
            let next = tree.node(list).after;
            let has_next = next < tree.node(around).after;
            let end = if has_next { self.span(next).start } else { self.span(list).end };
            Edit::delete(Span::new(self.span(around).start, end))
        });
        let given = generic.references.iter().filter_map(|one| one.arguments);
        let mut edits: Vec<Edit> = heads.chain(given.map(|list| Edit::delete(self.span(list)))).collect();
        let special: BTreeSet<NodeId> =
            generic.handed.iter().filter_map(|one| self.definition_unit(one.whole)).collect();
        edits.extend(self.removals.edits(special));
        edits
    }

    /// The template that has this as its only parameter.
    pub(super) fn generic_with_only(&self, parameter: NodeId) -> Option<&Name<'_>> {
        let (generic, _) = self.parameter(parameter)?;
        let generic = &self.all[generic];
        let is_only = generic.definitions.iter().all(|one| self.members(one.parameters).len() == 1);
        (generic.is_generic && is_only).then_some(generic)
    }

    /// What every use of a template gives for a parameter, in place of that.
    pub(super) fn instantiated(&self, name: &Name<'_>, uses: &[&Reference<'_>]) -> Option<Vec<Edit>> {
        let (generic, place) = self.parameter(name.definitions.first()?.id)?;
        let generic = Some(&self.all[generic]).filter(|one| one.is_generic)?;
        let given = generic.references.iter().filter_map(|one| self.argument(generic, one, place));
        // `A<T>` inside of A gives on what A has been given.
        let mut given = given.filter(|&id| self.text(id) != name.text);
        let first = given.next()?;
        let is_same = |id: NodeId| self.text(id) == self.text(first);
        if !given.all(is_same) || !self.is_known_at(first, name.definitions.first()?.id) {
            return None;
        }
        let text = if name.kind == "type" { self.text(first).to_vec() } else { self.bracketed(first) };
        if text.len() * uses.len() > self.source.len().max(1 << 16) {
            return None;
        }
        Some(uses.iter().map(|one| Edit::replace(self.span(one.id), text.clone())).collect())
    }
}
