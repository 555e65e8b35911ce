//! Members leave their class: a method becomes a function, an attribute a variable, and a class gives way to what
//! is in it.

use super::{Definition, Name, Names, Reference};
use crate::pass::Snapshot;
use crate::pass::hoist::hoist;
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Patch, Seam, Span};
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How many names a statement may define to go with a class.
const FEW: usize = 4;

/// How many references to a member are looked at for those inside of its class.
const OWN: usize = 1_000;

/// What becomes of the object that a method is called on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// It goes, and the parameter that stands for it does.
    Dropped,
    /// It becomes the first argument.
    Handed,
}

/// Edits of members that leave, as far as they are found.
#[derive(Default)]
struct Leaving {
    edits: Vec<Edit>,
    /// Text that comes before what stands at a place.
    before: BTreeMap<u32, Vec<u8>>,
    /// Objects that go.
    objects: HashSet<NodeId>,
}

impl Leaving {
    /// All edits; text before a place where one of them begins joins that one.
    fn close(mut self) -> Vec<Edit> {
        for edit in self.edits.iter_mut().filter(|edit| !edit.span.is_empty()) {
            if let Some(text) = self.before.remove(&edit.span.start) {
                edit.text = [&text[..], &edit.text].concat().into();
            }
        }
        let before = self.before.into_iter().map(|(at, text)| Edit::replace(Span::new(at, at), text));
        self.edits.into_iter().chain(before).collect()
    }
}

/// These edits, with text that comes before a place at which another one begins as a part of that one: of two edits, one
/// inside the other, only the outer one is made.
pub(super) fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let (inserts, edits): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|edit| edit.span.is_empty());
    let mut all = Leaving { edits, ..Leaving::default() };
    for insert in inserts {
        all.before.entry(insert.span.start).or_default().extend_from_slice(&insert.text);
    }
    all.close()
}

impl Names<'_, '_> {
    /// The ways to name a member inside of its class without an object.
    pub(super) fn without_object(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let class = |id: NodeId| Some(self.class_of(id)?.0);
        let classes: BTreeSet<NodeId> = name
            .definitions
            .iter()
            .filter(|one| one.says.own)
            .take(super::ALIKE)
            .filter_map(|one| class(one.id))
            .collect();
        if classes.is_empty() {
            return Vec::new();
        }
        let inside = name.references.iter().take(OWN).filter(|one| {
            one.object.is_some() && class(one.id).is_some_and(|class| classes.contains(&class))
        });
        let edit = |one: &Reference<'_>| {
            Some(Edit::delete(Span::new(self.span(one.object?).start, self.span(one.id).start)))
        };
        let edits: Vec<Edit> = inside.filter_map(edit).collect();
        let each = edits.iter().take(super::ALIKE).map(|edit| vec![edit.clone()]);
        let each: Vec<Vec<Edit>> = each.collect();
        if edits.len() > 1 { [vec![edits], each].concat() } else { each }
    }

    /// What makes one class of this one and the one before it, under the name of that.
    pub(super) fn with_neighbour(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let tree = &self.layer.tree;
        let specifier = |class: NodeId| tree.node(class).parent;
        let own = specifier(one.id);
        let body = *self.class_members.get(&one.id)?;
        let mut before = self.class_members.range(..one.id).rev().take(super::ALIKE);
        let (&other, &other_body) =
            before.find(|&(&class, _)| tree.node(specifier(class)).parent == tree.node(own).parent)?;
        let between = Span::new(self.span(specifier(other)).end, self.span(own).start);
        let open = tree.children(body).next().filter(|&open| !tree.node(open).is_named())?;
        let close = tree.children(other_body).last().filter(|&close| !tree.node(close).is_named())?;
        if between.start > between.end || between.of(self.source).trim_ascii() != self.syntax().terminator() {
            return None;
        }
        let gone = Edit::delete(Span::new(self.span(close).start, self.span(open).end));
        let uses = name.references.iter().map(|one| Edit::replace(self.span(one.id), self.text(other)));
        Some(uses.chain([gone]).collect())
    }

    /// The ways in which a name that is known as a member becomes one of its own, or a class gives way to its members.
    pub(super) fn left(&self, snapshot: &Snapshot<'_>, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let manners = [Manner::Dropped, Manner::Handed];
        if name.definitions.iter().any(|one| self.class_members.contains_key(&one.id)) {
            return manners
                .iter()
                .filter_map(|&manner| self.class_as_content(snapshot, name, manner))
                .collect();
        }
        if name.definitions.iter().all(|one| one.says.free.is_none()) {
            return Vec::new();
        }
        manners.iter().filter_map(|&manner| self.freed(name, manner)).collect()
    }

    /// The class whose member a definition is, by its name's identifier, and the member.
    pub(super) fn class_of(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let around = self.up(id).skip(1);
        let mut members = self.up(id).zip(around);
        members.find_map(|(member, around)| Some((*self.class_bodies.get(&around)?, member)))
    }

    /// A method as a function before its class, or an attribute as a variable.
    fn freed(&self, name: &Name<'_>, manner: Manner) -> Option<Vec<Edit>> {
        let is_bodied = |one: &&Definition<'_>| one.body.is_some();
        if name.definitions.iter().filter(is_bodied).count() > 1
            || manner == Manner::Handed && !self.hands_over(name)
        {
            return None;
        }
        let mut all = Leaving::default();
        self.leave_references(name, &mut name.references.iter(), manner, &mut all)?;
        let mut moved = None;
        for one in &name.definitions {
            match (one.object, one.body, self.class_of(one.id)) {
                (Some(_), ..) => self.leave_definition(one, name.text, one.id, manner, &mut all)?,
                (None, Some(_), Some((class, member))) => {
                    self.leave_definition(one, name.text, one.id, manner, &mut all)?;
                    moved = Some((class, member));
                }
                (None, None, Some((_, member))) if one.parameters.is_some() => {
                    all.edits.extend(self.removals.edits([member]));
                }
                _ => return None,
            }
        }
        let edits = all.close();
        let Some((class, member)) = moved else { return Some(edits) };
        self.moved_before(class, member, edits)
    }

    /// Whether a method has a parameter for its object.
    fn hands_over(&self, name: &Name<'_>) -> bool {
        let has_one = |one: &Definition<'_>| one.says.skip.is_some_and(|skip| skip > 0);
        name.definitions.iter().any(|one| has_one(one) && !self.class_members.contains_key(&one.id))
    }

    /// These edits, and the member, with what they make of it, before its class.
    fn moved_before(&self, class: NodeId, member: NodeId, edits: Vec<Edit>) -> Option<Vec<Edit>> {
        let whole = self.span(member);
        let (inside, mut edits): (Vec<Edit>, Vec<Edit>) =
            edits.into_iter().partition(|edit| edit.span.start < whole.end && edit.span.end > whole.start);
        let shifted = |edit: Edit| {
            let at = |at: u32| at.clamp(whole.start, whole.end) - whole.start;
            Edit { span: Span::new(at(edit.span.start), at(edit.span.end)), ..edit }
        };
        let text =
            Patch::new(inside.into_iter().map(shifted).collect()).apply(whole.of(self.source), Seam::Apart);
        let unit = self.definition_unit(class).filter(|&unit| self.holds(unit, member))?;
        let place = self.span(unit).start;
        let text = self.moved_text(text.trim_ascii_start(), whole, place)?;
        edits.extend(self.removals.edits([member]));
        edits.push(Edit::replace(Span::new(place, place), text));
        Some(edits)
    }

    /// A class without its head and its ends; its members are what they are called.
    fn class_as_content(
        &self,
        snapshot: &Snapshot<'_>,
        name: &Name<'_>,
        manner: Manner,
    ) -> Option<Vec<Edit>> {
        let mut with_members =
            name.definitions.iter().filter_map(|one| Some((one, *self.class_members.get(&one.id)?)));
        let ((class, body), None) = (with_members.next()?, with_members.next()) else { return None };
        if name.references.iter().any(|one| self.heirs.contains_key(&one.id)) {
            return None;
        }
        let tree = &self.layer.tree;
        let members: Vec<NodeId> = tree.members(body).collect();
        let content = Span::new(self.span(*members.first()?).start, self.span(*members.last()?).end);
        let unit = self.definition_unit(class.whole).filter(|&unit| self.holds(unit, body))?;
        let mut all = Leaving::default();
        let own = self.members_of(class.id, body);
        if manner == Manner::Handed && !own.iter().any(|&name| self.hands_over(&self.all[name])) {
            return None;
        }
        let is_own = |one: &&Definition<'_>| self.class_of(one.id).is_some_and(|(of, _)| of == class.id);
        let mut leaving = Vec::new();
        for &member in &own {
            let member = &self.all[member];
            let all_own = member.definitions.iter().all(|one| is_own(&one) || one.object.is_some());
            let mut own_references;
            let references: &mut dyn Iterator<Item = &Reference<'_>> = if all_own {
                own_references = Box::new(member.references.iter()) as Box<dyn Iterator<Item = _>>;
                &mut own_references
            } else {
                let from = member.references.partition_point(|one| one.id < body);
                let rest = member.references[from..].iter();
                own_references = Box::new(rest.take_while(move |one| self.holds(body, one.id)));
                &mut own_references
            };
            self.leave_references(member, references, manner, &mut all)?;
            leaving.push((member, all_own));
        }
        for (member, all_own) in leaving {
            let leaves = |one: &&Definition<'_>| one.says.free.is_some() && (all_own || is_own(one));
            for one in member.definitions.iter().filter(leaves) {
                self.leave_definition(one, member.text, one.id, manner, &mut all)?;
            }
        }
        self.leave_inner(class.id, body, &own, &mut all);
        let sheds = self.sheds.range(body..tree.node(body).after).copied();
        let sheds: Vec<NodeId> =
            sheds.filter(|&id| self.class_of(id).is_some_and(|(of, _)| of == class.id)).collect();
        all.edits.extend(sheds.iter().flat_map(|&id| self.shed(id)));
        if let Some(constructor) = class.constructor {
            self.leave_definition(class, name.text, constructor, manner, &mut all)?;
        } else {
            self.leave_class(name, class, &sheds, &mut all)?;
        }
        for other in name.definitions.iter().filter(|one| one.id != class.id) {
            all.edits.extend(self.removals.edits(self.definition_unit(other.whole)));
        }
        let mut edits = all.close();
        edits.extend(hoist(snapshot, self.layer, self.with_end(unit), content));
        Some(edits)
    }

    /// The places that refer to a class or another type in a class no longer say of what it is.
    fn leave_inner(&self, class: NodeId, body: NodeId, own: &[usize], all: &mut Leaving) {
        let inside = self.defined.range(body..self.layer.tree.node(body).after);
        let types = inside.filter(|&(&id, name)| {
            own.binary_search(name).is_err()
                && self.all[*name].kind.is_some_and(NameKind::is_type)
                && self.class_of(id).is_some_and(|(of, _)| of == class)
        });
        let types: BTreeSet<usize> = types.map(|(_, &name)| name).collect();
        for one in types.iter().flat_map(|&name| &self.all[name].references) {
            let Some(object) = one.object else { continue };
            all.objects.insert(object);
            all.edits.push(Edit::delete(Span::new(self.span(one.whole).start, self.span(one.id).start)));
        }
    }

    /// The places that refer to a class, which gives way to its members, refer to it no more.
    fn leave_class(
        &self,
        name: &Name<'_>,
        class: &Definition<'_>,
        sheds: &[NodeId],
        all: &mut Leaving,
    ) -> Option<()> {
        let cover = self.cover(sheds);
        let uses = name.references.iter().filter(|one| !all.objects.contains(&one.id));
        let uses: Vec<&Reference<'_>> = uses.filter(|one| !cover.holds(one.id)).collect();
        let (needless, uses): (Vec<_>, Vec<_>) =
            uses.into_iter().partition(|one| self.needless_around(one.whole, &all.objects).is_some());
        all.edits.extend(self.constants(&uses, class.says.constant.as_ref()?.as_bytes()));
        let needless: BTreeSet<NodeId> =
            needless.iter().filter_map(|one| self.needless_around(one.whole, &all.objects)).collect();
        all.edits.extend(self.removals.edits(needless));
        Some(())
    }

    /// The statement around a node, if all that it defines is used for nothing but the objects that go.
    fn needless_around(&self, id: NodeId, objects: &HashSet<NodeId>) -> Option<NodeId> {
        let statement = self.statement(id).filter(|&statement| self.removals.is_member(statement))?;
        let mut defined = self.defined.range(statement..self.layer.tree.node(statement).after);
        let (first, others) = (defined.next()?, defined.take(FEW));
        let goes = |(_, &name): (&NodeId, &usize)| {
            let name = &self.all[name];
            name.definitions.len() == 1 && name.references.iter().all(|one| objects.contains(&one.id))
        };
        let mut count = 0;
        let all_go = std::iter::once(first).chain(others).inspect(|_| count += 1).all(goes);
        (all_go && count <= FEW).then_some(statement)
    }

    /// The names that members of a class have, in order.
    fn members_of(&self, class: NodeId, body: NodeId) -> Vec<usize> {
        let inside = self.defined.range(body..self.layer.tree.node(body).after);
        let is_free = |id: NodeId, name: usize| {
            let at = self.all[name].definitions.binary_search_by_key(&id, |one| one.id);
            at.is_ok_and(|at| self.all[name].definitions[at].says.free.is_some())
        };
        let of_class = inside.filter(|&(&id, &name)| {
            is_free(id, name) && self.class_of(id).is_some_and(|(of, _)| of == class)
        });
        let mut names: Vec<usize> =
            of_class.map(|(_, &name)| name).filter(|&name| self.all[name].scope == 0).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A node with the token that ends it, such as a `;`.
    pub(super) fn with_end(&self, unit: NodeId) -> Span {
        let (tree, whole) = (&self.layer.tree, self.span(unit));
        let next = tree.node(unit).after;
        let is_end = (next as usize) < tree.len()
            && tree.node(next).parent == tree.node(unit).parent
            && !tree.node(next).is_named()
            && self.text(next) == self.syntax().terminator();
        if is_end { Span::new(whole.start, self.span(next).end) } else { whole }
    }

    /// What takes away something that has a meaning in a class alone.
    fn shed(&self, id: NodeId) -> Vec<Edit> {
        if self.removals.may_go(id) {
            return self.removals.edits([id]);
        }
        vec![Edit::delete(deletion_span(self.source, self.span(id)))]
    }

    /// The places that refer to a member no longer say of what.
    fn leave_references<'r>(
        &self,
        name: &Name<'_>,
        references: &mut dyn Iterator<Item = &'r Reference<'r>>,
        manner: Manner,
        all: &mut Leaving,
    ) -> Option<()> {
        let skip = if self.hands_over(name) { name.skip } else { 0 };
        for one in references {
            let Some(object) = one.object else { continue };
            let (object_span, id) = (self.span(object), self.span(one.id));
            if object_span.end > id.start {
                return None;
            }
            let given = self.members(one.arguments);
            // `A.f(a)` gives the object as an argument.
            let is_given = skip > 0
                && self.is_class(object)
                && name.definitions.iter().all(|of| given.len() >= self.members(of.parameters).len());
            if manner == Manner::Handed && skip > 0 && !is_given {
                let arguments = self.layer.tree.children(one.arguments?).next()?;
                let first =
                    given.first().map_or(self.span(one.arguments?).end - 1, |&id| self.span(id).start);
                if self.span(arguments).end > first || id.end > self.span(arguments).start {
                    return None;
                }
                let call = Span::new(id.start, self.span(arguments).end).of(self.source);
                let before = all.before.entry(object_span.start).or_default();
                *before = [call, &before[..]].concat();
                let between: &[u8] = if given.is_empty() { b"" } else { self.syntax().separator() };
                all.edits.push(Edit::replace(Span::new(object_span.end, first), between));
                continue;
            }
            all.objects.insert(object);
            all.edits.push(Edit::delete(Span::new(object_span.start, id.start)));
            if manner == Manner::Dropped && is_given {
                all.edits.extend(self.removals.edits(given.first().copied()));
            }
        }
        Some(())
    }

    /// Whether a node is the name of a class.
    fn is_class(&self, id: NodeId) -> bool {
        self.referred.get(&id).is_some_and(|&name| self.all[name].is(NameKind::Class))
    }

    /// A definition as one that is no member: with the name at `id`, and without the parameter for the object.
    fn leave_definition(
        &self,
        one: &Definition<'_>,
        name: &[u8],
        id: NodeId,
        manner: Manner,
        all: &mut Leaving,
    ) -> Option<()> {
        if let Some(object) = one.object {
            all.objects.insert(object);
            all.edits.push(Edit::delete(Span::new(self.span(object).start, self.span(one.id).start)));
        }
        let text = one.says.free.as_ref()?.replace("{name}", &super::lossy(name)).into_bytes();
        if text != self.text(id) {
            all.edits.push(Edit::replace(self.span(id), text));
        }
        let from = self.class_of(id).filter(|_| one.object.is_none()).map_or(id, |(_, member)| member);
        let to = one.body.unwrap_or(from);
        all.edits.extend(self.sheds.range(from..to.max(from)).flat_map(|&id| self.shed(id)));
        let is_class = self.class_members.contains_key(&id);
        let skipped = if is_class { 0 } else { one.says.skip.unwrap_or(0) };
        for &parameter in self.members(one.parameters).iter().take(skipped) {
            if manner == Manner::Handed {
                break;
            }
            all.edits.extend(self.removals.edits([parameter]));
            let Some(own) = self.defined_in(parameter).map(|own| &self.all[own]) else { continue };
            if !own.references.iter().all(|one| all.objects.contains(&one.id)) {
                return None;
            }
        }
        Some(())
    }
}
