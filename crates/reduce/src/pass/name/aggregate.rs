//! A variable of an aggregate's type becomes the only member that is used of it, or a variable for each member.
//!
//! An aggregate that has one member alone is that everywhere by `unname`.

use super::level::outermost;
use super::unname::outside;
use super::{Definition, Name, Names};
use nubbin_language::NameKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::HashMap;

/// Members that are used of objects, by the object's node.
pub(super) type Accesses = HashMap<NodeId, Access>;

/// A member of an object.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// The member's name.
    member: usize,
    /// Its identifier.
    id: NodeId,
    /// The whole expression.
    whole: NodeId,
}

impl Names<'_, '_> {
    /// All members that are used of objects, not of what points to them.
    pub(super) fn accesses(&self) -> Accesses {
        let mut accesses = Accesses::new();
        for (member, name) in self.all.iter().enumerate() {
            let of_objects = name.references.iter().filter(|one| one.arguments.is_none());
            accesses.extend(of_objects.filter_map(|one| {
                let object = one.object.filter(|object| !self.shapes.levels.contains_key(object))?;
                let whole = self.layer.tree.node(object).parent;
                Some((object, Access { member, id: one.id, whole }))
            }));
        }
        accesses
    }

    /// The ways to do without an aggregate for one variable.
    pub(super) fn without_aggregate(&self, name: &Name<'_>, accesses: &Accesses) -> Vec<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return Vec::new() };
        let Some(kind) =
            one.type_of.filter(|_| name.is(NameKind::Variable) && self.parameter(one.id).is_none())
        else {
            return Vec::new();
        };
        let used: Option<Vec<Access>> =
            name.references.iter().map(|use_of| accesses.get(&use_of.id).copied()).collect();
        let Some(used) = used.filter(|used| !used.is_empty()) else { return Vec::new() };
        let only = self.only_member(one, kind, &used);
        let apart = self.members_apart(one, kind, &used);
        only.into_iter().chain(apart).map(outermost).collect()
    }

    /// The variable becomes the only member that is used of it.
    fn only_member(&self, one: &Definition<'_>, kind: NodeId, used: &[Access]) -> Option<Vec<Edit>> {
        let member = used[0].member;
        if used.iter().any(|one| one.member != member) {
            return None;
        }
        let inside = self.aggregate(kind).map(|(_, members)| members);
        let mut definitions = self.all[member].definitions.iter();
        let defined = match inside {
            Some(inside) => definitions.find(|one| self.holds(inside, one.id))?,
            None => definitions.next()?,
        };
        let declarator = self.up(defined.id).find(|id| self.shapes.members.contains_key(id))?;
        let instead = (self.span(defined.id), self.text(one.id).to_vec());
        let declared = self.filled_in(self.span(declarator), &[instead]);
        let mut edits = vec![
            Edit::replace(self.span(kind), self.text(self.shapes.members[&declarator])),
            Edit::replace(self.span(one.id), declared),
        ];
        edits.extend(self.without_list(one));
        edits.extend(used.iter().map(|access| {
            let object = self.layer.tree.children(access.whole).next().unwrap_or(access.whole);
            Edit::delete(Span::new(self.span(object).end, self.span(access.whole).end))
        }));
        Some(edits)
    }

    /// The members of an aggregate that nothing else is of become variables.
    fn members_apart(&self, one: &Definition<'_>, kind: NodeId, used: &[Access]) -> Option<Vec<Edit>> {
        let tree = &self.layer.tree;
        let (specifier, members) = self.aggregate(kind)?;
        let declaration = tree.node(kind).parent;
        let also = self.defined.range(tree.node(kind).after..tree.node(declaration).after);
        let is_declared_here = self.holds(declaration, one.id) && self.statements.contains(&declaration);
        if !is_declared_here || also.into_iter().any(|(&id, _)| id != one.id) {
            return None;
        }
        let content: Vec<NodeId> = tree.members(members).collect();
        if content.iter().any(|&id| self.defined_in(id).is_none()) {
            return None;
        }
        let content = Span::new(self.span(*content.first()?).start, self.span(*content.last()?).end);
        let whole = self.span(declaration);
        let mut edits: Vec<Edit> = if specifier == kind {
            outside(whole, content).into()
        } else {
            let others = self.type_name(kind).map(|name| &self.all[name])?;
            let [tag] = &others.definitions[..] else { return None };
            if others.references.iter().any(|other| !self.holds(kind, other.id)) {
                return None;
            }
            let unit = self.definition_unit(tag.whole)?;
            let text = Edit::replace(whole, content.of(self.source));
            self.removals.edits([unit]).into_iter().chain([text]).collect()
        };
        edits.extend(used.iter().map(|access| {
            Edit::delete(Span::new(self.span(access.whole).start, self.span(access.id).start))
        }));
        Some(edits)
    }

    /// The aggregate that a type is, and the node that its members are in.
    fn aggregate(&self, kind: NodeId) -> Option<(NodeId, NodeId)> {
        let known = |id: NodeId| Some((id, *self.shapes.aggregates.get(&id)?));
        known(kind).or_else(|| {
            let definitions = &self.all[self.type_name(kind)?].definitions;
            definitions.iter().find_map(|one| known(one.value?))
        })
    }

    /// The name that a type is of.
    fn type_name(&self, kind: NodeId) -> Option<usize> {
        self.referred.range(kind..self.layer.tree.node(kind).after).next().map(|(_, &name)| name)
    }

    /// A list of initial values goes.
    fn without_list(&self, one: &Definition<'_>) -> Option<Edit> {
        let value = *self.shapes.sources.get(&one.id)?;
        let is_list = self.shapes.lists.contains(&value);
        is_list.then(|| Edit::delete(Span::new(self.span(one.id).end, self.span(value).end)))
    }
}
