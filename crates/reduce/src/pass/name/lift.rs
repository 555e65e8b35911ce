//! A variable becomes a parameter of the function that uses it, and its value the argument in every call.

use super::{Definition, Name, Names, lossy};
use crate::pass::proposal::gain;
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_language::NameKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use std::collections::BTreeSet;

/// Proposes for each variable to become a parameter.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Nothing, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        // What an argument names has to be known in the call: it does not become a parameter before that.
        let mut needed = BTreeSet::new();
        for manner in [Manner::Given, Manner::Bare] {
            for (at, name) in names.all.iter().enumerate().filter(|(_, name)| name.is(NameKind::Variable)) {
                let way = if needed.contains(&at) { None } else { names.lifted(name, manner) };
                let Some(way) = way.filter(|way| gain(&snapshot.source, way).0 > 0) else { continue };
                needed.extend(names.named_in(name.definitions.iter().filter_map(|one| one.value)));
                builder.single(way);
            }
        }
    }
    builder.build()
}

/// How a variable becomes a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Each call gives its value.
    Given,
    /// No call gives anything: it had no value, or was known everywhere before.
    Bare,
}

impl Names<'_, '_> {
    /// What makes a variable a parameter: a local one of the function around it, any other of the only function that
    /// uses it.
    fn lifted(&self, name: &Name<'_>, manner: Manner) -> Option<Vec<Edit>> {
        let [one] = &name.definitions[..] else { return None };
        if self.parameter(one.id).is_some() {
            return None;
        }
        let mut edits = self.removals.edits([self.definition_unit(one.whole)?]);
        let saved: u32 = edits.iter().map(|edit| edit.span.len()).sum();
        let around = self.body_around(one.id);
        let is_local = around.is_some();
        if is_local && one.value.is_some() && manner == Manner::Bare {
            return None;
        }
        let body = around.or_else(|| self.body_of_uses(name))?;
        let function = &self.all[self.bodies[&body]];
        let is_given = manner == Manner::Given;
        let form = if is_given { &one.says.parameter } else { &one.says.bare };
        let parameter = self.as_parameter(one, form.as_ref()?)?;
        for definition in &function.definitions {
            // A declaration need not name what is not given.
            let is_told = is_given || definition.body == Some(body);
            if let Some(list) = definition.parameters.filter(|_| is_told) {
                // In old C, what has no type stands beside others without one.
                if !is_given && !self.is_old(list, is_local) {
                    return None;
                }
                edits.push(self.appended(list, &parameter)?);
            }
        }
        let lists = function.calls().filter_map(|call| Some((call.id, call.arguments?)));
        for (call, list) in lists.filter(|_| is_given) {
            // Each argument costs a byte at least: there may be very many calls.
            if edits.len() > saved as usize {
                return None;
            }
            edits.push(self.appended(list, &self.as_argument(one, call)?)?);
        }
        Some(edits)
    }

    /// The names that are used in some nodes.
    fn named_in(&self, nodes: impl Iterator<Item = NodeId>) -> impl Iterator<Item = usize> {
        nodes.flat_map(|id| self.referred.range(id..self.layer.tree.node(id).after)).map(|(_, &name)| name)
    }

    /// The body of the innermost function around a node, if that has a list of parameters.
    fn body_around(&self, id: NodeId) -> Option<NodeId> {
        let body = self.up(id).find(|id| self.bodies.contains_key(id))?;
        self.has_parameters(body).then_some(body)
    }

    /// The body of the only function that uses a name.
    fn body_of_uses(&self, name: &Name<'_>) -> Option<NodeId> {
        let body = self.body_around(name.references.first()?.id)?;
        name.references.iter().all(|one| self.holds(body, one.id)).then_some(body)
    }

    fn has_parameters(&self, body: NodeId) -> bool {
        let mut definitions = self.all[self.bodies[&body]].definitions.iter();
        definitions.any(|one| one.body == Some(body) && one.parameters.is_some())
    }

    /// Whether a list has parameters without types, or none where that is enough.
    fn is_old(&self, list: NodeId, has_some: bool) -> bool {
        match self.members(Some(list)) {
            [] => !has_some,
            [only] if self.syntax().is_no_parameter(self.text(*only)) => !has_some,
            all => all.iter().all(|&id| self.text(id).iter().all(|&byte| is_word(byte))),
        }
    }

    /// What declares a variable as a parameter.
    fn as_parameter(&self, one: &Definition<'_>, form: &str) -> Option<Vec<u8>> {
        let kind = one.type_of.map(|id| lossy(self.text(id)));
        if kind.is_none() && form.contains("{type}") {
            return None;
        }
        let text = form.replace("{type}", &kind.unwrap_or_default());
        Some(text.replace("{name}", &lossy(self.text(one.id))).into_bytes())
    }

    /// What stands for it in a call: its value, if all that it names is known there, or a constant where it has none.
    fn as_argument(&self, one: &Definition<'_>, call: NodeId) -> Option<Vec<u8>> {
        match one.value {
            Some(value) => self.is_known_at(value, call).then(|| self.text(value).to_vec()),
            None => Some(one.says.constant.as_ref()?.clone().into_bytes()),
        }
    }

    /// A list of parameters or arguments with one more at its end.
    fn appended(&self, list: NodeId, text: &[u8]) -> Option<Edit> {
        match self.members(Some(list)) {
            [] => {
                let open = self.layer.tree.children(list).next()?;
                let end = self.span(open).end;
                Some(Edit::replace(Span::new(end, end), text))
            }
            [only] if self.syntax().is_no_parameter(self.text(*only)) => {
                Some(Edit::replace(self.span(*only), text))
            }
            [.., end] if *end == list => None,
            [.., end] => {
                let at = self.span(*end).end;
                Some(Edit::replace(Span::new(at, at), [self.syntax().separator(), text].concat()))
            }
        }
    }
}
