//! A name goes, with everything that refers to it; or something else takes its place there.

use super::{Name, Names};
use crate::edit::{Edit, Seam, Span};
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use crate::syntax::NodeId;

/// How many other names each name is tried to become.
const OTHERS: usize = 3;

/// Proposes for each name that is defined: it goes with all references; its value, a constant or another name
/// takes its place; a parameter becomes a local variable; an aggregate becomes
/// its only member.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        for (at, name) in names.all.iter().enumerate() {
            builder.choice(&snapshot.source, names.without(at, name));
        }
    }
    builder.build()
}

impl Names<'_, '_> {
    /// The ways to do without a name.
    fn without(&self, at: usize, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let Some(parts) = self.definition_parts(name) else { return Vec::new() };
        let gone = self.removals.edits(parts.iter().copied());
        let is_gone = |id: NodeId| parts.iter().any(|&part| self.span(part).contains(self.span(id)));
        let uses: Vec<_> = name.references.iter().filter(|one| !is_gone(one.whole)).collect();
        let Some(first) = name.definitions.first() else { return Vec::new() };
        if uses.is_empty() && name.definitions.len() == 1 {
            // That is a plain deletion, but for a parameter.
            return if self.parameter(first.id).is_some() { vec![gone] } else { Vec::new() };
        }
        let instead = |text: &[u8], whole: bool| -> Vec<Edit> {
            let places = uses.iter().map(|one| if whole { one.whole } else { one.id });
            places.map(|id| Edit::replace(self.span(id), text)).chain(gone.iter().cloned()).collect()
        };
        let mut ways = Vec::new();
        let units: Option<Vec<NodeId>> = uses.iter().map(|one| self.unit(one.whole)).collect();
        ways.extend(units.map(|units| self.removals.edits(units.into_iter().chain(parts.iter().copied()))));
        if let Some(text) = &first.says.constant {
            ways.push(instead(text.as_bytes(), true));
        }
        if let [one] = &name.definitions[..]
            && let Some(value) = one.value
            && !name.references.iter().any(|other| self.span(value).contains(self.span(other.id)))
            // A value that has the definition in it can move to one place only.
            && (uses.len() == 1 || !self.span(value).contains(self.span(one.id)))
        {
            let text =
                if name.kind == "variable" { self.bracketed(value) } else { self.text(value).to_vec() };
            ways.push(instead(&text, true));
        }
        ways.extend(self.others(at, name).into_iter().map(|other| instead(other.text, false)));
        ways.extend(self.local(name, &gone));
        ways.extend(self.dissolved(name));
        ways
    }

    /// The names of the same kind that are known wherever this one is, the nearest first.
    fn others(&self, at: usize, name: &Name<'_>) -> Vec<&Name<'_>> {
        let scopes: Vec<NodeId> = self.layer.tree.up(name.scope).collect();
        let place = |name: &Name<'_>| name.definitions.first().map_or(0, |one| one.id);
        let fits = |(i, other): &(usize, &Name<'_>)| {
            *i != at
                && other.kind == name.kind
                && !other.definitions.is_empty()
                && scopes.contains(&other.scope)
        };
        let mut others: Vec<_> = self.all.iter().enumerate().filter(fits).map(|(_, other)| other).collect();
        others.sort_by_key(|other| {
            let steps = scopes.iter().position(|&scope| scope == other.scope);
            (steps, place(other).abs_diff(place(name)))
        });
        others.truncate(OTHERS);
        others
    }

    /// A parameter becomes a variable of the function's body.
    fn local(&self, name: &Name<'_>, gone: &[Edit]) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        let (function, place) = self.parameter(one.id)?;
        let mut with_body = self.all[function].definitions.iter().filter(|one| one.body.is_some());
        let definition = with_body.next()?;
        let form = definition.says.declare.as_ref()?;
        let parameter = self.layer.tree.members(definition.parameters?).nth(place)?;
        let first = self.layer.tree.members(definition.body?).next()?;
        let text = form.replace("{parameter}", &String::from_utf8_lossy(self.text(parameter)));
        let start = self.span(first).start;
        let insert = Edit::replace(Span::new(start, start), format!("{text} ").into_bytes());
        Some(gone.iter().cloned().chain([insert]).collect())
    }

    /// The ways to make an aggregate its only member: its type takes the aggregate's place, and the object that of
    /// an access to the member.
    fn dissolved(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return Vec::new() };
        let (Some(only), Some(value)) = (one.only, one.only_type) else { return Vec::new() };
        let Some(member) = self.all.iter().find(|name| name.definitions.iter().any(|d| d.id == only)) else {
            return Vec::new();
        };
        let Some(unit) = self.definition_unit(one.id) else { return Vec::new() };
        let text = self.text(value);
        let accesses: Vec<(NodeId, NodeId)> =
            member.references.iter().filter_map(|one| Some((one.whole, one.object?))).collect();
        let holds =
            |outer: NodeId, inner: NodeId| outer != inner && self.span(outer).contains(self.span(inner));
        let all = |_: NodeId| true;
        let outer = |whole: NodeId| !accesses.iter().any(|&(other, _)| holds(other, whole));
        let inner = |whole: NodeId| !accesses.iter().any(|&(other, _)| holds(whole, other));
        let kinds: [&dyn Fn(NodeId) -> bool; 3] = [&all, &outer, &inner];
        let way = |fits: &dyn Fn(NodeId) -> bool| -> Vec<Edit> {
            let mut edits = self.removals.edits([unit]);
            let types = name.references.iter().filter(|one| !self.span(unit).contains(self.span(one.id)));
            edits.extend(types.map(|one| Edit::replace(self.span(one.whole), text)));
            let gone = accesses.iter().filter(|(whole, _)| fits(*whole));
            edits.extend(gone.map(|&(whole, object)| {
                Edit::delete(Span::new(self.span(object).end, self.span(whole).end))
            }));
            edits
        };
        kinds.into_iter().map(way).collect()
    }
}
