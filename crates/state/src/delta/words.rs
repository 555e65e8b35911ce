//! Descriptions of deltas.

use super::{Adjustment, Delta, Difference};
use crate::graph::Graph;
use crate::protocol::Kind;

/// The maximum number of parts in a description.
const PARTS: usize = 3;

impl Difference<'_> {
    /// Returns the values in the failing and in the passing state as text, or `None` for a delta that depends
    /// on another one.
    #[must_use]
    pub fn values(&self, number: usize) -> Option<[String; 2]> {
        match &self.deltas[number] {
            Delta::Value { passing, failing, .. } => {
                Some([self.shown(self.failing, *failing), self.shown(self.passing, *passing)])
            }
            Delta::Reference { .. } | Delta::New { .. } | Delta::Old { .. } => {
                let one = self.adjustment(number)?;
                let nothing = || self.debugger.nothing().to_owned();
                let is = one.failing.map_or_else(nothing, |f| self.shown(self.failing, f));
                Some([is, one.passing.map_or_else(nothing, |p| self.shown(self.passing, p))])
            }
            Delta::Longer { passing, failing, .. } => Some([
                format!("{} elements", self.failing.row(*failing).len()),
                format!("{} elements", self.passing.row(*passing).len()),
            ]),
            Delta::More { edge, .. } => Some([self.shown(self.failing, edge.to), String::new()]),
            Delta::Less { edge, .. } => Some([String::new(), self.shown(self.passing, edge.to)]),
        }
    }

    fn adjustment(&self, number: usize) -> Option<&Adjustment> {
        self.adjustments.iter().find(|one| one.owners.contains(&number))
    }

    /// Describes what the failing state has and the passing state does not have.
    #[must_use]
    pub fn words(&self, number: usize) -> String {
        let delta = &self.deltas[number];
        let name = &delta.place().text;
        let Some([is, was]) = self.values(number) else {
            return match delta {
                Delta::New { failing, .. } => {
                    format!("{name} = {}, which is new", self.shown(self.failing, *failing))
                }
                _ => format!("{name} changes with it"),
            };
        };
        let place = self.adjustment(number).map_or(name, |one| &one.place.text);
        match delta {
            Delta::Reference { .. } => {
                let target = self.adjustment(number).and_then(|one| self.failing.name(one.failing?));
                let target = target.map(|name| format!("{}, which is ", self.debugger.reference(&name.text)));
                format!("{place} = {}{is}, not {was}", target.unwrap_or_default())
            }
            Delta::More { .. } => format!("{name} = {is}, not missing"),
            Delta::Longer { .. } => format!("{name} has {is}, not {}", was.trim_end_matches(" elements")),
            Delta::Less { .. } => format!("{name} is missing, not {was}"),
            Delta::Value { .. } | Delta::New { .. } | Delta::Old { .. } => {
                format!("{place} = {is}, not {was}")
            }
        }
    }

    /// Returns the value of a vertex as text for people.
    fn shown(&self, graph: &Graph, number: u32) -> String {
        let vertex = graph.vertex(number);
        match vertex.kind {
            Kind::Atom | Kind::String | Kind::Invalid | Kind::Set => vertex.value.clone(),
            Kind::Null => self.debugger.nothing().to_owned(),
            Kind::Gone => "<optimised out>".to_owned(),
            Kind::Opaque => {
                format!("<{}>", if vertex.value.is_empty() { &vertex.type_name } else { &vertex.value })
            }
            Kind::Tuple => {
                let parts = graph.out(Some(number)).filter(|edge| edge.op.starts_with('['));
                let value = |part: u32| Some(&*graph.vertex(part).value).filter(|value| !value.is_empty());
                let mut parts: Vec<&str> =
                    parts.take(PARTS).map(|edge| value(edge.to).unwrap_or("…")).collect();
                if vertex.size > PARTS as u64 {
                    parts.push("…");
                }
                let class = if vertex.type_name == "tuple" { "" } else { &vertex.type_name };
                format!("{class}({})", parts.join(", "))
            }
            Kind::Pointer | Kind::Record | Kind::Array | Kind::Map => {
                let parts: Vec<String> = graph
                    .out(Some(number))
                    .filter(|edge| !graph.has_parts(edge.to) && graph.vertex(edge.to).kind != Kind::Pointer)
                    .take(PARTS)
                    .map(|edge| {
                        format!("{} = {}", edge.op.trim_start_matches('.'), graph.vertex(edge.to).value)
                    })
                    .collect();
                format!("{} {{{}}}", vertex.type_name, parts.join(", "))
            }
        }
    }
}
