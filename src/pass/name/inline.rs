//! A function's body takes the place of its calls.

use super::{Definition, Name, Names, Reference};
use crate::edit::{Edit, Seam, Span};
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use crate::syntax::{Layout, NodeId, indentation};

/// Proposes to inline each function.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        for name in &names.all {
            builder.choice(&snapshot.source, names.inlined(name));
        }
    }
    builder.build()
}

/// How a function is inlined.
#[derive(Clone, Copy)]
struct Manner {
    /// Parameters become variables; otherwise the arguments take their place.
    by_variable: bool,
    /// The body stays a block; otherwise its statements join those around the call.
    as_block: bool,
}

/// What an inlined body is made of.
struct Parts {
    /// Variables before it.
    locals: Vec<Vec<u8>>,
    /// What is replaced inside of it.
    inside: Vec<(Span, Vec<u8>)>,
    /// What comes after it.
    rest: Option<Vec<u8>>,
}

impl Names<'_, '_> {
    /// The ways to put a function's body in place of its calls.
    fn inlined(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let mut with_body = name.definitions.iter().filter(|one| one.body.is_some());
        let (Some(function), None) = (with_body.next(), with_body.next()) else { return Vec::new() };
        let (Some(body), Some(_)) = (function.body, function.parameters) else { return Vec::new() };
        let is_inside = |one: &Reference| self.span(body).contains(self.span(one.id));
        if name.references.is_empty()
            || name.references.iter().any(|one| one.arguments.is_none() || is_inside(one))
        {
            return Vec::new();
        }
        let Some(gone) = self.definition_parts(name) else { return Vec::new() };
        let gone = self.removals.edits(gone);
        let mut ways = Vec::new();
        for (by_variable, as_block) in [(false, false), (false, true), (true, false), (true, true)] {
            let manner = Manner { by_variable, as_block };
            let calls: Option<Vec<Edit>> =
                name.references.iter().map(|call| self.inlined_call(function, body, call, manner)).collect();
            ways.extend(calls.map(|calls| calls.into_iter().chain(gone.iter().cloned()).collect()));
        }
        ways
    }

    /// One call with the function's body in its place.
    fn inlined_call(
        &self,
        function: &Definition<'_>,
        body: NodeId,
        call: &Reference,
        manner: Manner,
    ) -> Option<Edit> {
        let tree = &self.layer.tree;
        let parameters: Vec<NodeId> = tree.members(function.parameters?).collect();
        let arguments: Vec<NodeId> = tree.members(call.arguments?).collect();
        let mut inside: Vec<(Span, Vec<u8>)> = Vec::new();
        let mut locals: Vec<Vec<u8>> = Vec::new();
        for (i, &parameter) in parameters.iter().enumerate() {
            let of_parameter = |name: &&Name<'_>| {
                name.definitions.iter().any(|one| self.span(parameter).contains(self.span(one.id)))
            };
            let Some(name) = self.all.iter().find(of_parameter) else { continue };
            match (manner.by_variable, arguments.get(i)) {
                (false, Some(&argument)) => {
                    let text = self.bracketed(argument);
                    inside.extend(name.references.iter().map(|one| (self.span(one.id), text.clone())));
                }
                (false, None) => {}
                (true, argument) => {
                    let form = if argument.is_some() { &function.says.local } else { &function.says.declare };
                    let argument = argument.map_or(String::new(), |&id| lossy(self.text(id)));
                    let text = form.as_ref()?.replace("{parameter}", &lossy(self.text(parameter)));
                    locals.push(text.replace("{argument}", &argument).into_bytes());
                }
            }
        }
        if manner.by_variable && locals.is_empty() {
            return None;
        }
        let returns: Vec<_> = self.returns(body).collect();
        let members: Vec<NodeId> = tree.members(body).collect();
        let last = *members.last()?;
        // `return E;` alone: the call becomes E.
        if let ([(only, Some(result))], false) = (&returns[..], manner.by_variable)
            && members.len() == 1
            && *only == last
        {
            inside.sort();
            let text = self.filled_in(self.span(*result), &inside);
            let text = if tree.is_leaf(*result) && inside.is_empty() {
                text
            } else {
                [b"(", &text[..], b")"].concat()
            };
            return Some(Edit::replace(self.span(call.whole), text));
        }
        let statement = self.statement(call.whole)?;
        if !manner.as_block && !self.removals.is_member(statement) {
            return None;
        }
        let is_all = tree.members(statement).collect::<Vec<_>>() == [call.whole];
        let mut rest: Option<Vec<u8>> = None;
        for &(id, result) in &returns {
            let Some(result) = result else { continue };
            if is_all {
                // Its value is not used: what it computes stays.
                inside.push((Span::new(self.span(id).start, self.span(result).start), Vec::new()));
            } else if id == last && returns.len() == 1 {
                inside.push((self.span(id), Vec::new()));
                let mut values: Vec<_> = inside.clone();
                values.retain(|(span, _)| self.span(result).contains(*span));
                values.sort();
                let value = self.filled_in(self.span(result), &values);
                let value = if tree.is_leaf(result) { value } else { [b"(", &value[..], b")"].concat() };
                rest = Some(self.filled_in(self.span(statement), &[(self.span(call.whole), value)]));
            }
        }
        if !is_all && rest.is_none() {
            return None;
        }
        inside.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let parts = Parts { locals, inside, rest };
        Some(Edit::replace(
            self.span(statement),
            self.block(body, &members, parts, statement, manner.as_block)?,
        ))
    }

    /// A body at the place of `statement`.
    fn block(
        &self,
        body: NodeId,
        members: &[NodeId],
        Parts { locals, inside, rest }: Parts,
        statement: NodeId,
        as_block: bool,
    ) -> Option<Vec<u8>> {
        let (first, last) = (self.span(*members.first()?), self.span(*members.last()?));
        let content = Span::new(first.start, last.end);
        let text = self.filled_in(content, &inside);
        if self.layer.language.layout() == Layout::Free {
            let parts: Vec<Vec<u8>> = locals.into_iter().chain([text]).chain(rest).collect();
            let parts = parts
                .into_iter()
                .filter(|part| !part.iter().all(u8::is_ascii_whitespace))
                .collect::<Vec<_>>();
            if !as_block {
                return Some(parts.join(&b"\n"[..]));
            }
            let whole = self.span(body);
            let (open, close) = (Span::new(whole.start, first.start), Span::new(last.end, whole.end));
            return Some([open.of(self.source), &parts.join(&b"\n"[..]), close.of(self.source)].concat());
        }
        if as_block {
            return None;
        }
        if self
            .layer
            .opaque
            .iter()
            .any(|span| content.contains(*span) && span.of(self.source).contains(&b'\n'))
        {
            return None;
        }
        let line = |at: u32| {
            self.source[..at as usize].iter().rposition(|&b| b == b'\n').map_or(0, |i| i as u32 + 1)
        };
        let own = indentation(self.source, line(first.start)) as usize;
        let start = line(self.span(statement).start);
        let target = Span::new(start, start + indentation(self.source, start)).of(self.source);
        if text.iter().all(u8::is_ascii_whitespace) && rest.is_some() {
            return Some(
                locals.into_iter().chain(rest).collect::<Vec<_>>().join(&[b"\n", target].concat()[..]),
            );
        }
        let lines = text.split(|&b| b == b'\n').enumerate().map(|(i, line)| {
            let cut = line
                .iter()
                .take(if i == 0 { 0 } else { own })
                .take_while(|b| b.is_ascii_whitespace())
                .count();
            line[cut..].to_vec()
        });
        let lines: Vec<Vec<u8>> = locals.into_iter().chain(lines).chain(rest).collect();
        Some(lines.join(&[b"\n", target].concat()[..]))
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}
