//! A class that only keeps one value gives way to that value.

use super::level::outermost;
use super::{Definition, Name, Names, Reference, is_chain};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// How many pairs of a call and an access are looked at.
const PAIRS: usize = 1 << 12;

impl Names<'_, '_> {
    /// A class whose only attribute is set by its constructor, and that has nothing else, goes: its calls become what
    /// the attribute is set to, and its objects need not be asked for the attribute.
    pub(super) fn unwrapped(&self, name: &Name<'_>) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        if self.bases.contains_key(&one.id) || name.references.is_empty() {
            return None;
        }
        let attribute = self.only_attribute(one)?;
        let (own, value) = self.all[attribute]
            .definitions
            .iter()
            .find_map(|of| Some((of.id, of.value?)).filter(|(id, _)| self.is_kept_by(one, *id)))?;
        let unit = self.definition_unit(one.whole)?;
        let mut changes = self.accesses_of(attribute, own)?;
        if name.references.len() * changes.len() > PAIRS {
            return None;
        }
        // From the last one on, so that what an argument has in it is known.
        for call in name.references.iter().rev().filter(|call| !self.holds(unit, call.id)) {
            let text = self.kept(name, one, call, value, &changes)?;
            changes.push((self.span(call.whole), text));
        }
        let changes = changes.into_iter().map(|(span, text)| Edit::replace(span, text));
        Some(outermost(self.removals.edits([unit]).into_iter().chain(changes).collect()))
    }

    /// Whether a definition stands in the constructor that a class or a function is.
    fn is_kept_by(&self, one: &Definition<'_>, id: NodeId) -> bool {
        let whole = self.class_members.get(&one.id).copied().or(one.body);
        whole.is_some_and(|whole| self.holds(whole, id))
    }

    /// The attribute that a constructor sets with its only statement, if the class has nothing else.
    fn only_attribute(&self, one: &Definition<'_>) -> Option<usize> {
        let tree = &self.layer.tree;
        let members = self.class_members.get(&one.id).copied();
        let whole = members.or(one.body)?;
        let is_only = |id: NodeId| tree.members(tree.node(id).parent).count() == 1;
        if tree.members(whole).take(2).count() != 1 {
            return None;
        }
        let mut set = self.defined.range(whole..tree.node(whole).after).filter_map(|(&id, &name)| {
            let at = self.all[name].definitions.binary_search_by_key(&id, |one| one.id).ok()?;
            let definition = &self.all[name].definitions[at];
            Some((id, name, definition.object?, definition.value?))
        });
        let (Some((id, name, object, _)), None) = (set.next(), set.next()) else { return None };
        // Of a function, what it sets has to be its own object: no name stands for that.
        let is_own = members.is_some() || !self.referred.contains_key(&object);
        (is_own && self.statement(id).is_some_and(is_only)).then_some(name)
    }

    /// What becomes of an attribute where it is asked for or set, but for the definition `own`: the dot and its name go.
    fn accesses_of(&self, attribute: usize, own: NodeId) -> Option<Vec<(Span, Vec<u8>)>> {
        let attribute = &self.all[attribute];
        let set = attribute.definitions.iter().filter(|one| one.id != own).map(|one| (one.object, one.id));
        let asked = attribute.references.iter().map(|one| (one.object, one.id));
        let access = |(object, id): (Option<NodeId>, NodeId)| {
            let (from, to) = (self.span(object?).end, self.span(id).end);
            (from <= to).then(|| (Span::new(from, to), Vec::new()))
        };
        set.chain(asked).map(access).collect()
    }

    /// What a call of the class becomes, with what has changed inside of it.
    fn kept(
        &self,
        name: &Name<'_>,
        one: &Definition<'_>,
        call: &Reference<'_>,
        value: NodeId,
        changes: &[(Span, Vec<u8>)],
    ) -> Option<Vec<u8>> {
        call.arguments?;
        let mut inside: Vec<(Span, Vec<u8>)> = Vec::new();
        for (place, &parameter) in self.members(one.parameters).iter().enumerate() {
            let Some(own) = self.defined_in(parameter).map(|own| &self.all[own]) else { continue };
            let mut uses = own.references.iter().filter(|of| self.holds(value, of.id)).peekable();
            if uses.peek().is_none() {
                continue;
            }
            let span = self.span(self.given(name, call, place)?);
            let mut inner: Vec<_> =
                changes.iter().filter(|(part, _)| span.contains(*part)).cloned().collect();
            inner.sort_by_key(|(part, _)| (part.start, std::cmp::Reverse(part.end)));
            let text = self.filled_in(span, &inner);
            let text = if is_chain(&text) { text } else { self.grouped(&text) };
            inside.extend(uses.map(|of| (self.span(of.id), text.clone())));
        }
        inside.sort();
        let is_whole = matches!(&inside[..], [(span, _)] if *span == self.span(value));
        if inside.is_empty() || is_whole {
            let text = inside.pop().map(|(_, text)| text);
            return Some(text.unwrap_or_else(|| self.bracketed(value)));
        }
        let text = self.filled_in(self.span(value), &inside);
        Some(if is_chain(&text) { text } else { self.grouped(&text) })
    }
}
