//! A name goes, with everything that refers to it; or something else takes its place there.

use super::cluster::Room;
use super::member::joined;
use super::{Definition, Name, Names, Reference, lossy};
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_language::NameKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// How many other names each name is tried to become: more of them cost probes and brought nothing.
const OTHERS: usize = 1;

/// Among how many of those around it one of its type is looked for.
const NEAR: usize = 8;

/// How many classes what is called is tried to become.
const CLASSES: usize = 3;

/// Proposes for each name that is defined: it goes with all references; its value, a constant or another name
/// takes its place; a parameter becomes a local variable.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        let mut room = Room::new(&names);
        for (at, name) in names.all.iter().enumerate().filter(|(_, name)| !name.is_generic) {
            let mut ways = names.without(at, name, &mut room);
            ways.extend(names.left(snapshot, name));
            ways.extend(names.with_neighbour(name));
            builder.choice(&snapshot.source, ways);
        }
        for way in names.all.iter().flat_map(|name| names.forwarded(name)) {
            builder.single(way);
        }
        for &callee in &names.callees {
            builder.choice(&snapshot.source, names.known_callee(callee));
        }
    }
    builder.build()
}

impl Names<'_, '_> {
    /// The ways to do without a name.
    fn without(&self, at: usize, name: &Name<'_>, room: &mut Room) -> Vec<Vec<Edit>> {
        let Some(parts) = self.definition_parts(name) else { return Vec::new() };
        let Some(first) = name.definitions.first() else { return Vec::new() };
        let generic = self.generic_with_only(first.id);
        let gone = generic.map_or_else(
            || self.removals.edits(parts.iter().copied()),
            |generic| self.without_generic(generic),
        );
        let cover = self.cover(&parts);
        let uses: Vec<&Reference<'_>> =
            name.references.iter().filter(|one| !cover.holds(one.whole)).collect();
        let mut ways: Vec<Vec<Edit>> = self.without_alias(name).into_iter().collect();
        if uses.is_empty() && name.definitions.len() == 1 {
            // That is a plain deletion, but for a parameter.
            ways.extend(self.parameter(first.id).is_some().then_some(gone));
            return ways;
        }
        let also = |edits: Vec<Edit>| edits.into_iter().chain(gone.iter().cloned()).collect::<Vec<_>>();
        let units: Option<Vec<NodeId>> = uses.iter().map(|one| self.unit(one.whole)).collect();
        let all = units.map(|units| [units, parts.clone()].concat());
        // What lies in one part goes with it, as a plain deletion.
        let all = all.filter(|all| !self.cover(all).is_one());
        ways.extend(all.map(|all| self.removals.edits(all)));
        ways.extend(self.cluster(at, &parts, room));
        // What a class is derived from is a class, and another one.
        let heirs: Vec<NodeId> = uses.iter().filter_map(|one| self.heirs.get(&one.id).copied()).collect();
        if let Some(text) = first.says.constant.as_ref().filter(|_| heirs.is_empty()) {
            let constants = self.constants(&uses, text.as_bytes());
            if let Some(values) = self.spared(name) {
                ways.push(constants.iter().cloned().chain(values).collect());
            }
            ways.push(also(constants));
        }
        ways.extend(self.converted(name, &uses).map(also));
        ways.extend(self.values(name, &uses).map(also));
        ways.extend(self.assigned(name, &uses).map(also));
        ways.extend(self.instances(name, &uses, room).map(also));
        ways.extend(self.instantiated(name, &uses, room).into_iter().map(also).map(joined));
        ways.extend(self.as_one(name));
        ways.extend(self.as_special(name));
        ways.extend(self.without_object(name));
        let instead_of = |other: &Name<'_>| -> Vec<Edit> {
            uses.iter().map(|one| Edit::replace(self.span(one.id), other.text)).collect()
        };
        let others = self.others(at, name).into_iter();
        let others = others.filter(|other| !other.definitions.iter().any(|one| heirs.contains(&one.id)));
        ways.extend(others.map(|other| also(instead_of(other))));
        if name.is(NameKind::Variable) && uses.iter().any(|one| one.arguments.is_some()) {
            ways.extend(self.classes(first.id).map(|class| also(instead_of(class))));
        }
        ways.extend(self.local(name, &gone));
        ways.extend(self.dissolved(name));
        ways.extend(self.single(name, &gone));
        ways.extend(self.merged(name));
        ways.extend(self.unwrapped(name));
        ways
    }

    /// A constant takes the place of each use; of what assigns to the name, the value stays.
    pub(super) fn constants(&self, uses: &[&Reference<'_>], text: &[u8]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for one in uses {
            let whole = self.span(one.whole);
            match one.rest.map(|rest| self.span(rest)) {
                Some(rest) => edits.extend(outside(whole, rest)),
                None => edits.push(Edit::replace(whole, text)),
            }
        }
        edits
    }

    /// The definitions go, but for values that call something.
    fn spared(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let calls = |one: &Definition<'_>| one.value.filter(|&value| self.calls(value));
        if !name.is(NameKind::Variable) || !name.definitions.iter().any(|one| calls(one).is_some()) {
            return None;
        }
        let mut edits = Vec::new();
        for one in &name.definitions {
            let unit = self.definition_unit(one.whole).filter(|unit| self.statements.contains(unit))?;
            match calls(one) {
                Some(value) => {
                    edits.push(Edit::delete(Span::new(self.span(unit).start, self.span(value).start)));
                }
                None => edits.extend(self.removals.edits([unit])),
            }
        }
        Some(edits)
    }

    /// The value of a name that has one takes the place of each use.
    fn values(&self, name: &Name<'_>, uses: &[&Reference<'_>]) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let value = one.value.filter(|_| one.alias.is_none() && one.parameters.is_none())?;
        if self.generic_of(one.id).is_some() {
            return None;
        }
        let is_inside = |other: &Reference<'_>| self.holds(value, other.id);
        let is_scope = name.is(NameKind::Namespace);
        let is_type = name.kind.is_some_and(NameKind::is_type) && !self.holds(value, one.id);
        let is_assigned = |other: &Reference<'_>| other.rest.is_some() && !is_scope && !is_type;
        if name.references.iter().any(|other| is_assigned(other) || is_inside(other)) {
            return None;
        }
        // A value that has the definition in it can move to one place only.
        if uses.len() > 1 && self.holds(value, one.id) {
            return None;
        }
        let is_expression = name.kind.is_some_and(NameKind::is_value);
        let text = if is_expression { self.bracketed(value) } else { self.text(value).trim_ascii().to_vec() };
        let place = |other: &Reference<'_>| {
            let (id, whole) = (self.span(other.id), self.span(other.whole));
            match other.object {
                Some(_) if is_type => whole,
                Some(object) => Span::new(self.span(object).start, id.end),
                None if name.is(NameKind::Variable) || is_scope || other.arguments.is_some() => id,
                None if other.rest.is_some() => id,
                None => whole,
            }
        };
        let fits = text.len() * uses.len() <= self.source.len().max(1 << 16);
        let fits = fits && uses.iter().all(|one| self.is_known_at(value, one.id));
        fits.then(|| uses.iter().map(|one| Edit::replace(place(one), text.clone())).collect())
    }

    /// What a name is another name of takes its place everywhere; a block gives way to what is in it.
    fn without_alias(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let ways = name.definitions.iter().map(|one| self.without_block(one));
        let (ways, are_blocks): (Vec<_>, Vec<bool>) = ways.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let is_block = *are_blocks.first()?;
        if are_blocks.len() > 1 && !are_blocks.iter().all(|is_block| *is_block) {
            return None;
        }
        let mut edits = ways.concat();
        for other in &name.references {
            match (other.rest, name.definitions.first()?.value) {
                (Some(rest), _) => edits.extend(outside(self.span(other.whole), self.span(rest))),
                _ if is_block => edits.extend(self.removals.edits(self.unit(other.whole))),
                (None, value) => edits.push(Edit::replace(self.span(other.id), self.text(value?))),
            }
        }
        Some(edits)
    }

    /// What leaves the value of an alias in its place, or what is in the block that it is; and whether it is one.
    fn without_block(&self, one: &Definition<'_>) -> Option<(Vec<Edit>, bool)> {
        let (alias, value) = (self.span(one.alias?), one.value?);
        let children: Vec<NodeId> = self.layer.tree.children(value).collect();
        let is_bracket = |id: Option<&NodeId>| id.is_some_and(|&id| !self.layer.tree.node(id).is_named());
        let is_block = children.len() > 1 && is_bracket(children.first()) && is_bracket(children.last());
        let stays = match &children[..] {
            [open, .., close] if is_block => Span::new(self.span(*open).end, self.span(*close).start),
            _ => self.span(value),
        };
        let mut edits = outside(alias, stays).to_vec();
        let last = one.alias.and_then(|alias| self.layer.tree.children(alias).last());
        if last.is_some_and(|last| last != value && !self.layer.tree.node(last).is_named()) {
            // What ends it, such as a `;`, ends the value, too.
            edits.pop();
        }
        Some((edits, is_block))
    }

    /// The names of the same kind that are known wherever this one is: those of its type come first, then the nearest.
    fn others(&self, at: usize, name: &Name<'_>) -> Vec<&Name<'_>> {
        let Some(place) = name.definitions.first().map(|one| one.id) else { return Vec::new() };
        if name.is(NameKind::Variable) && name.definitions.len() > 1 {
            // What is assigned again and again is a state of its own.
            return Vec::new();
        }
        let mut near = Vec::new();
        for scope in self.scopes(name.scope) {
            let Some(peers) = name.kind.and_then(|kind| self.peers.get(&(scope, kind))) else { continue };
            let (before, after) = peers.split_at(peers.partition_point(|&(other, _)| other < place));
            let mut before = before.iter().rev().peekable();
            let mut after = after.iter().filter(|&&(_, other)| other != at).peekable();
            while near.len() < NEAR {
                let next = match (before.peek(), after.peek()) {
                    (Some((left, _)), Some((right, _))) if place - left > right - place => after.next(),
                    (None, _) => after.next(),
                    _ => before.next(),
                };
                let Some(&(_, other)) = next else { break };
                near.push(&self.all[other]);
            }
        }
        near.sort_by_key(|other| self.type_of(other) != self.type_of(name));
        near.truncate(OTHERS);
        near
    }

    /// The text of the type that a name is declared with; `None` where nothing is said of that.
    fn type_of(&self, name: &Name<'_>) -> Option<&[u8]> {
        name.definitions.first().and_then(|one| one.type_of).map(|id| self.text(id))
    }

    /// The classes that are known in the whole text and defined before a place, the nearest first: what is called may
    /// be any of them.
    fn classes(&self, before: NodeId) -> impl Iterator<Item = &Name<'_>> {
        let all = self.peers.get(&(0, NameKind::Class)).map_or(&[][..], Vec::as_slice);
        let all = &all[..all.partition_point(|&(id, _)| id < before)];
        let all = all.iter().rev().map(|&(_, name)| &self.all[name]);
        all.filter(|name| name.references.iter().all(|one| one.object.is_none())).take(CLASSES)
    }

    /// A class takes the place of what is called.
    fn known_callee(&self, callee: NodeId) -> Vec<Vec<Edit>> {
        self.classes(callee).map(|class| vec![Edit::replace(self.span(callee), class.text)]).collect()
    }

    /// A list becomes the only element that is put into it.
    fn single(&self, name: &Name<'_>, gone: &[Edit]) -> Option<Vec<Edit>> {
        let mut puts = name.references.iter().filter(|one| one.element.is_some());
        let (Some(_), None) = (puts.next(), puts.next()) else { return None };
        let mut edits = gone.to_vec();
        for one in &name.references {
            let Some(form) = one.single else { continue };
            let start = one.object.unwrap_or(one.id);
            let list = Span::new(self.span(start).start, self.span(one.id).end);
            let element = one.element.map_or(String::new(), |id| lossy(self.text(id)));
            let text = form.replace("{list}", &lossy(list.of(self.source))).replace("{element}", &element);
            edits.push(Edit::replace(self.span(one.whole), text.into_bytes()));
        }
        Some(edits)
    }

    /// A class becomes part of the only one that it is the base of.
    fn merged(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let mut heirs = name.references.iter().filter_map(|one| Some((one.id, *self.heirs.get(&one.id)?)));
        let (Some((base, heir)), None) = (heirs.next(), heirs.next()) else { return None };
        let (from, to) = (*self.class_members.get(&one.id)?, *self.class_members.get(&heir)?);
        let unit = self.definition_unit(one.whole)?;
        if self.holds(unit, heir) {
            return None;
        }
        let tree = &self.layer.tree;
        let members: Vec<NodeId> = tree.members(from).collect();
        let content = Span::new(self.span(*members.first()?).start, self.span(*members.last()?).end);
        let target = self.span(tree.members(to).next()?).start;
        let mut edits = self.removals.edits([unit]);
        edits.push(Edit::replace(Span::new(target, target), self.moved(content, target)?));
        let others = name.references.iter().filter(|one| one.id != base && !self.holds(unit, one.id));
        edits.extend(others.map(|other| Edit::replace(self.span(other.id), self.text(heir))));
        if let Some(&own_base) = self.bases.get(&one.id) {
            edits.push(Edit::replace(self.span(base), self.text(own_base)));
        } else {
            let is_only = tree.members(tree.node(base).parent).count() == 1;
            let mut around = self.up(base).skip(usize::from(is_only));
            edits.extend(self.removals.edits(around.find(|&id| self.removals.may_go(id))));
        }
        Some(edits)
    }

    /// A parameter becomes a variable of the function's body.
    fn local(&self, name: &Name<'_>, gone: &[Edit]) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let (function, place) = self.parameter(one.id)?;
        let definition = self.all[function].definitions.iter().find(|one| one.body.is_some())?;
        let form = definition.says.declare.as_ref()?;
        let parameter = *self.members(definition.parameters).get(place)?;
        let first = self.layer.tree.members(definition.body?).next()?;
        let text = form.replace("{parameter}", &lossy(self.text(parameter)));
        let text = text.replace("{name}", &lossy(name.text));
        let start = self.span(first).start;
        let insert = Edit::replace(Span::new(start, start), format!("{text} ").into_bytes());
        Some(gone.iter().cloned().chain([insert]).collect())
    }

    /// The ways to make an aggregate its only member: its type takes the aggregate's place, and the object that of
    /// an access to the member.
    fn dissolved(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return Vec::new() };
        let (Some(only), Some(value)) = (one.only, one.only_type) else { return Vec::new() };
        let Some(&member) = self.defined.get(&only) else { return Vec::new() };
        let Some(unit) = self.definition_unit(one.whole) else { return Vec::new() };
        let text = self.text(value);
        let members = self.all[member].references.iter();
        let mut accesses: Vec<(NodeId, NodeId)> =
            members.filter_map(|one| Some((one.whole, one.object?))).collect();
        accesses.sort_unstable();
        let types = name.references.iter().filter(|one| !self.holds(unit, one.id));
        let mut both: Vec<Edit> = types.map(|one| Edit::replace(self.span(one.whole), text)).collect();
        both.extend(self.removals.edits([unit]));
        // Nested accesses are sorted by their outermost nodes, so that one inside another comes later.
        let mut end = 0;
        let mut is_outer = Vec::new();
        for &(whole, _) in &accesses {
            is_outer.push(whole >= end);
            end = end.max(self.layer.tree.node(whole).after);
        }
        let is_inner =
            |i: usize| accesses.get(i + 1).is_none_or(|&(next, _)| !self.holds(accesses[i].0, next));
        let way = |fits: &dyn Fn(usize) -> bool| -> Vec<Edit> {
            let gone = accesses.iter().enumerate().filter(|(i, _)| fits(*i));
            let gone = gone.map(|(_, &(whole, object))| {
                Edit::delete(Span::new(self.span(object).end, self.span(whole).end))
            });
            both.iter().cloned().chain(gone).collect()
        };
        [way(&|_| true), way(&|i| is_outer[i]), way(&is_inner)].into()
    }
}

/// The edits that leave `rest` of `whole`.
pub(super) fn outside(whole: Span, rest: Span) -> [Edit; 2] {
    [Edit::delete(Span::new(whole.start, rest.start)), Edit::delete(Span::new(rest.end, whole.end))]
}
