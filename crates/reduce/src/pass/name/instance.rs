//! What a template stands for takes the place of its uses, and a member's value that of `A<int>::b`: with the arguments
//! of each use in place of the template's parameters.

use super::cluster::Room;
use super::{Definition, Name, Names, Reference};
use nubbin_language::NameKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::BTreeMap;

/// A parameter of a template, and where its argument stands.
struct Bound {
    name: usize,
    place: usize,
    takes_several: bool,
}

/// Text that takes the place of spans, by their starts; none of them lies in another one.
#[derive(Default)]
struct Made(BTreeMap<u32, (Span, Vec<u8>)>);

impl Made {
    /// Adds one, which holds all that lie in it.
    fn add(&mut self, span: Span, text: Vec<u8>) {
        let inside: Vec<u32> = self.0.range(span.start..span.end).map(|(&start, _)| start).collect();
        for start in inside {
            self.0.remove(&start);
        }
        self.0.insert(span.start, (span, text));
    }

    /// Those inside a span.
    fn inside(&self, span: Span) -> Vec<(Span, Vec<u8>)> {
        self.0.range(span.start..span.end).map(|(_, made)| made.clone()).collect()
    }
}

impl Names<'_, '_> {
    /// What the uses of a template, or of a member that has a value, become without the name.
    pub(super) fn instances(
        &self,
        name: &Name<'_>,
        uses: &[&Reference<'_>],
        room: &mut Room,
    ) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let value = one.value.filter(|_| one.alias.is_none() && one.parameters.is_none())?;
        if self.holds(value, one.id) || name.references.iter().any(|other| self.holds(value, other.id)) {
            return None;
        }
        let own = self.generic_of(one.id);
        let mut uses = uses.to_vec();
        // What lies in another use comes before that.
        uses.sort_by_key(|other| std::cmp::Reverse(other.whole));
        let mut made = Made::default();
        for other in uses {
            let (span, text) = match own {
                Some(template) => self.instance_of_template(template, one, value, other, &made, room)?,
                None => self.instance_of_member(name, one, value, other, &made, room)?,
            };
            made.add(span, text);
        }
        Some(made.0.into_values().map(|(span, text)| Edit::replace(span, text)).collect())
    }

    /// What stands for the parameters and arguments of the template that an identifier defines.
    pub(super) fn generic_of(&self, id: NodeId) -> Option<&Name<'_>> {
        Some(&self.all[*self.generics.get(self.defined.get(&id)?)?])
    }

    /// A use of an alias, a variable or a class that is no more than its base.
    fn instance_of_template(
        &self,
        template: &Name<'_>,
        one: &Definition<'_>,
        value: NodeId,
        other: &Reference<'_>,
        made: &Made,
        room: &mut Room,
    ) -> Option<(Span, Vec<u8>)> {
        let at = template.references.partition_point(|use_of| use_of.id < other.id);
        let list = template.references.get(at).filter(|use_of| use_of.id == other.id)?.arguments?;
        let bound = self.bound(template, one.id)?;
        let text = self.instance(value, &bound, list, other.id, made, room)?;
        let span = Span::new(self.span(other.id).start, self.span(list).end);
        Some((span, self.held_together(text, one, span)))
    }

    /// A use of a member, inside of its class or as `A<int>::b`.
    fn instance_of_member(
        &self,
        name: &Name<'_>,
        one: &Definition<'_>,
        value: NodeId,
        other: &Reference<'_>,
        made: &Made,
        room: &mut Room,
    ) -> Option<(Span, Vec<u8>)> {
        let (class, _) = self.class_of(one.id)?;
        let Some(object) = other.object else {
            let span = self.span(other.id);
            let is_inside = self.is_known_at(value, other.id) && !self.qualified.contains(&other.id);
            let text = self.text(value).to_vec();
            return is_inside.then(|| (span, self.held_together(text, one, span)));
        };
        let template = self.generic_of(class)?;
        let use_of = self.use_at(template, object)?;
        let bound = self.bound(template, class)?;
        let text = self.instance(value, &bound, use_of.arguments?, other.id, made, room)?;
        let span = match name.kind? {
            NameKind::Type => self.span(other.whole),
            _ => Span::new(self.span(object).start, self.span(other.id).end),
        };
        Some((span, self.held_together(text, one, span)))
    }

    /// The use of a template that a node begins with.
    fn use_at<'n>(&self, template: &'n Name<'_>, node: NodeId) -> Option<&'n Reference<'n>> {
        let at = template.references.partition_point(|use_of| use_of.id < node);
        let start = self.span(node).start;
        template.references.get(at).filter(|use_of| self.span(use_of.id).start == start)
    }

    /// The parameters of a template, or of the specialisation that an identifier defines.
    fn bound(&self, template: &Name<'_>, id: NodeId) -> Option<Vec<Bound>> {
        if let Some(special) = template.handed.iter().find(|special| special.id == id) {
            let given = self.members(special.arguments).iter().enumerate();
            let parameter = |(place, &argument): (usize, &NodeId)| {
                let (&inner, &name) =
                    self.referred.range(argument..self.layer.tree.node(argument).after).next()?;
                let is_whole = self.span(inner) == self.span(argument);
                is_whole.then_some(Bound { name, place, takes_several: false })
            };
            return Some(given.filter_map(parameter).collect());
        }
        let list = template.definitions.iter().find(|one| one.id == id)?.parameters;
        let members = self.members(list).iter().enumerate();
        let parameter = |(place, &member): (usize, &NodeId)| {
            let takes_several = self.spreads.contains(&member);
            Some(Bound { name: self.defined_in(member)?, place, takes_several })
        };
        Some(members.filter_map(parameter).collect())
    }

    /// A value with the arguments of a use in place of the parameters; `None` where the use does not say all that it is made of.
    fn instance(
        &self,
        value: NodeId,
        bound: &[Bound],
        list: NodeId,
        at: NodeId,
        made: &Made,
        room: &mut Room,
    ) -> Option<Vec<u8>> {
        if !self.is_known_but(value, at, &|name| bound.iter().any(|one| one.name == name)) {
            return None;
        }
        let given = self.members(Some(list));
        let mut inside: Vec<(Span, Vec<u8>)> = Vec::new();
        for one in bound {
            let references = &self.all[one.name].references;
            let from = references.partition_point(|other| other.id < value);
            let used = references[from..].iter().take_while(|other| self.holds(value, other.id));
            for other in used {
                let given = given.get(one.place..).unwrap_or_default();
                let (span, text) = self.given_for(one, other.id, given, value, made)?;
                room.take(text.len() + 1)?;
                inside.push((span, text));
            }
        }
        inside.sort();
        let text = self.filled_in(self.span(value), &inside);
        room.take(text.len())?;
        Some(text.trim_ascii().to_vec())
    }

    /// What takes the place of a parameter where it is used.
    fn given_for(
        &self,
        one: &Bound,
        id: NodeId,
        given: &[NodeId],
        value: NodeId,
        made: &Made,
    ) -> Option<(Span, Vec<u8>)> {
        let text = |id: NodeId| {
            let span = self.span(id);
            self.filled_in(span, &made.inside(span))
        };
        let parameter = &self.all[one.name];
        let is_type = parameter.is(NameKind::Type);
        let span = self.span(id);
        if !one.takes_several {
            let Some(&argument) = given.first() else {
                // Its default, where that names nothing that is not known everywhere.
                let default = parameter.definitions.first()?.value?;
                let inside = self.referred.range(default..self.layer.tree.node(default).after);
                let is_known = inside.into_iter().all(|(_, &name)| self.all[name].scope == 0);
                return is_known.then(|| (span, self.text(default).to_vec()));
            };
            let text = text(argument);
            let is_safe = is_type || self.spreads.contains(&argument) || self.stands_alone(&text, span);
            return Some((span, if is_safe { text } else { self.grouped(&text) }));
        }
        // `T...` becomes all that is left; in `f<T>...`, one `U...` can take the place of T.
        let spread = self.up(id).take_while(|&id| id >= value).find(|id| self.spreads.contains(id))?;
        let has_more = self.referred.range(spread..self.layer.tree.node(spread).after).count() > 1;
        match given {
            [] => None,
            _ if !has_more && self.span(spread).start == span.start => {
                let all: Vec<Vec<u8>> = given.iter().map(|&id| text(id)).collect();
                Some((self.span(spread), all.join(self.syntax().separator())))
            }
            [only] if self.spreads.contains(only) => {
                Some((span, text(self.layer.tree.members(*only).next()?)))
            }
            _ => None,
        }
    }

    /// A value in brackets, unless it is a type or holds together at a place without them.
    fn held_together(&self, text: Vec<u8>, one: &Definition<'_>, place: Span) -> Vec<u8> {
        let is_type = one.says.kind.is_some_and(NameKind::is_type);
        if is_type || self.stands_alone(&text, place) { text } else { self.grouped(&text) }
    }

    /// Whether an expression needs no brackets at a place, for what it is or for what stands around it.
    fn stands_alone(&self, text: &[u8], place: Span) -> bool {
        let before = self.source[..place.start as usize].trim_ascii_end().last();
        let after = self.source[place.end as usize..].trim_ascii_start().first();
        let is_member = before.is_none_or(|byte| b"(<,={[;".contains(byte))
            && after.is_none_or(|byte| b")>,;}]".contains(byte));
        is_member || super::is_chain(text)
    }
}
