//! Templates: their parameters go with the arguments of all uses, or become what every use gives for them.

use super::cluster::Room;
use super::{Name, Names, Reference};
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Span};
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::BTreeSet;

/// How many levels up the part is looked for that a parameter for several is handed on in.
const NEAR_SPREAD: usize = 8;

/// How many specialisations of a template are tried to be all of it.
const FEW: usize = 4;

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

    /// What makes one parameter of several: it loses what says so, at all of its places.
    pub(super) fn as_one(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let mut marks = BTreeSet::new();
        let mut waiting = vec![name];
        let mut seen = BTreeSet::new();
        while let Some(next) = waiting.pop() {
            let definitions = next.definitions.iter().map(|one| one.id);
            for id in definitions.chain(next.references.iter().map(|one| one.id)) {
                let spread = self.up(id).take(NEAR_SPREAD).find(|id| self.spreads.contains(id));
                let Some(spread) = spread else { continue };
                let range = spread..self.layer.tree.node(spread).after;
                marks.extend(self.marks.range(range.clone()).next());
                // Parameters of several types are several, too.
                let defined = self.defined.range(range).filter(|&(&id, _)| self.is_pack(id));
                waiting.extend(
                    defined.filter(|(_, name)| seen.insert(**name)).map(|(_, &name)| &self.all[name]),
                );
            }
        }
        (!marks.is_empty() && name.definitions.iter().all(|one| self.is_pack(one.id)))
            .then(|| marks.into_iter().map(|&id| Edit::delete(self.span(id))).collect())
    }

    /// Whether an identifier defines several parameters in one.
    fn is_pack(&self, id: NodeId) -> bool {
        let has_mark = |id: NodeId| self.marks.range(id..self.layer.tree.node(id).after).next().is_some();
        self.up(id).take(3).any(|id| self.spreads.contains(&id) && has_mark(id))
    }

    /// The ways to make one specialisation of a class template all that there is of it: where it has no parameters of
    /// its own, no template.
    pub(super) fn as_special(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let generic = name.definitions.first().and_then(|one| self.generic_of(one.id));
        let Some(generic) = generic.filter(|_| name.is(NameKind::Class)) else { return Vec::new() };
        let tree = &self.layer.tree;
        let way = |special: &Reference<'_>| {
            let head = tree.children(special.whole).find(|&id| tree.node(id).is_named())?;
            let others = name.definitions.iter().filter(|one| one.id != special.id);
            let units: BTreeSet<NodeId> = others.filter_map(|one| self.definition_unit(one.whole)).collect();
            let mut edits = self.removals.edits(units);
            edits.push(Edit::delete(self.span(special.arguments?)));
            if tree.members(head).next().is_none() {
                let class = self.span(tree.node(head).after).start;
                edits.push(Edit::delete(Span::new(self.span(special.whole).start, class)));
                let given = generic.references.iter().filter_map(|one| one.arguments);
                edits.extend(given.map(|list| Edit::delete(self.span(list))));
            }
            Some(edits)
        };
        generic.handed.iter().take(FEW).filter_map(way).collect()
    }

    /// What every use of a template gives for a parameter, in place of that; what it names may have to be defined before.
    pub(super) fn instantiated(
        &self,
        name: &Name<'_>,
        uses: &[&Reference<'_>],
        room: &mut Room,
    ) -> Vec<Vec<Edit>> {
        let Some((first, text)) = self.given_everywhere(name) else { return Vec::new() };
        if text.len() * uses.len() > self.source.len().max(1 << 16) {
            return Vec::new();
        }
        let edits: Vec<Edit> =
            uses.iter().map(|one| Edit::replace(self.span(one.id), text.clone())).collect();
        let parameter = name.definitions.first().map_or(first, |one| one.id);
        let before = self.defined_before(first, parameter, room).into_iter();
        let with_before = before.map(|before| edits.iter().cloned().chain(before).collect());
        let with_before: Vec<Vec<Edit>> = with_before.collect();
        if with_before.is_empty() { vec![edits] } else { with_before }
    }

    /// What every use of a template gives for the parameter of this name, and its text.
    fn given_everywhere(&self, name: &Name<'_>) -> Option<(NodeId, Vec<u8>)> {
        let parameter = name.definitions.first()?.id;
        let (generic, place) = self.parameter(parameter)?;
        let generic = Some(&self.all[generic]).filter(|one| one.is_generic)?;
        if self.is_pack(parameter) {
            return None;
        }
        let first = self.same_given(generic, place, name.text)?;
        let is_type = name.is(NameKind::Type);
        let text = if is_type { self.text(first).to_vec() } else { self.bracketed(first) };
        self.is_known_at(first, parameter).then_some((first, text))
    }

    /// The argument that all uses of a template give at a place; `A<T>` inside of A gives on what A has been given.
    fn same_given(&self, generic: &Name<'_>, place: usize, but: &[u8]) -> Option<NodeId> {
        let given = generic.references.iter().filter_map(|one| self.argument(generic, one, place));
        let mut given = given.filter(|&id| self.text(id) != but);
        let first = given.next()?;
        given.all(|id| self.text(id) == self.text(first)).then_some(first)
    }

    /// The ways to have the classes known before a place that an expression names and that are defined after it: they move
    /// there, or are declared there. None where nothing has to be.
    fn defined_before(&self, expression: NodeId, before: NodeId, room: &mut Room) -> Vec<Vec<Edit>> {
        let tree = &self.layer.tree;
        let inside = self.referred.range(expression..tree.node(expression).after).map(|(_, &name)| name);
        let later: BTreeSet<usize> = inside
            .filter(|&name| self.all[name].definitions.first().is_some_and(|one| one.id > before))
            .collect();
        let Some(part) = self.up(before).find(|&id| tree.node(id).parent == 0) else { return Vec::new() };
        let start = self.span(part).start;
        let (mut moved, mut declared) = (Vec::new(), Vec::new());
        let (mut definitions, mut declarations) = (Vec::new(), Vec::new());
        for name in later {
            let [one] = &self.all[name].definitions[..] else { continue };
            let (Some(&body), Some(unit)) =
                (self.class_members.get(&one.id), self.definition_unit(one.whole))
            else {
                continue;
            };
            let whole = self.with_end(unit);
            if room.take(whole.len() as usize).is_none() {
                return Vec::new();
            }
            if !self.holds(unit, body) || whole.start < self.span(part).end {
                continue;
            }
            let head = Span::new(whole.start, self.span(body).start).of(self.source).trim_ascii_end();
            declarations.extend([head, self.syntax().terminator(), b"\n"].concat());
            definitions.extend([whole.of(self.source), b"\n"].concat());
            moved.push(Edit::delete(deletion_span(self.source, whole)));
        }
        if declarations.is_empty() {
            return Vec::new();
        }
        let insert = |text: Vec<u8>| Edit::replace(Span::new(start, start), text);
        moved.push(insert(definitions));
        declared.push(insert(declarations));
        vec![moved, declared]
    }

    /// What takes a parameter from a template of which every use gives the same for it, with that in place of what its
    /// specialisations call it.
    pub(super) fn settled(&self, generic: usize, place: usize) -> Option<Vec<Edit>> {
        let template = &self.all[generic];
        let first = self.same_given(template, place, b"").filter(|_| !template.handed.is_empty())?;
        let mut edits = self.removals.edits(self.parameter_parts(generic, place));
        let mut replace = |name: &Name<'_>, gone: Option<NodeId>| {
            let uses = name.references.iter().filter(|one| gone.is_none_or(|gone| !self.holds(gone, one.id)));
            edits.extend(uses.map(|one| Edit::replace(self.span(one.id), self.text(first))));
        };
        let mut special = Vec::new();
        for one in &template.definitions {
            let member = *self.members(one.parameters).get(place)?;
            if !self.is_known_at(first, one.id) || self.spreads.contains(&member) {
                return None;
            }
            if let Some(name) = self.defined_in(member) {
                replace(&self.all[name], None);
            }
        }
        for one in &template.handed {
            let argument = *self.members(one.arguments).get(place)?;
            if self.text(argument) == self.text(first) {
                continue;
            }
            let inside = self.referred.range(argument..self.layer.tree.node(argument).after).next();
            let name = &self.all[*inside.filter(|&(&id, _)| self.span(id) == self.span(argument))?.1];
            let [parameter] = &name.definitions[..] else { return None };
            if !self.up(one.id).any(|id| id == name.scope) || name.scope == 0 {
                return None;
            }
            replace(name, Some(argument));
            special.push(self.unit(self.layer.tree.node(parameter.id).parent)?);
        }
        edits.extend(self.removals.edits(special));
        Some(edits)
    }
}
