//! What a function does takes the place of its calls.

use super::{Definition, Name, Names, Reference, lossy};
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use nubbin_syntax::{Layout, NodeId, indentation};

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

/// How many pairs of a method and a call are tried where several methods have the same name.
const GUESSES: usize = 9;

/// How a function is inlined.
#[derive(Clone, Copy)]
struct Manner {
    /// Parameters become variables; otherwise the arguments take their place.
    by_variable: bool,
    /// The body stays a block; otherwise its statements join those around the call.
    as_block: bool,
    /// Arguments and results are made values of the types that the function says.
    by_type: bool,
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

/// What a function is made of.
#[derive(Clone, Copy)]
enum Code {
    /// Statements.
    Body(NodeId),
    /// The one expression that it stands for.
    Value(NodeId),
}

impl Names<'_, '_> {
    /// The ways to put what a function does in place of its calls.
    fn inlined(&self, name: &Name<'_>) -> Vec<Vec<Edit>> {
        let code = |one: &Definition<'_>| match (one.body, one.value) {
            (Some(body), _) => Some(Code::Body(body)),
            (None, Some(value)) => {
                (one.parameters.is_some() || name.is(NameKind::Function)).then_some(Code::Value(value))
            }
            (None, None) => None,
        };
        let with_code: Vec<_> = name.definitions.iter().filter_map(|one| Some((one, code(one)?))).collect();
        let calls: Vec<&Reference<'_>> = name.references.iter().collect();
        let is_call = |one: &Reference<'_>, code: Code| {
            let (Code::Body(node) | Code::Value(node)) = code;
            one.arguments.is_some() && !self.holds(node, one.id)
        };
        let mut ways = Vec::new();
        match &with_code[..] {
            [(function, Code::Body(body))] if !name.handed.is_empty() => {
                ways.extend(self.inlined_constructor(name, function, *body));
            }
            [(function, code)] => {
                if !calls.is_empty()
                    && calls.iter().all(|one| is_call(one, *code))
                    && let Some(gone) = self.definition_parts(name)
                {
                    ways.extend(self.inlined_in(name, function, *code, &calls, gone));
                }
            }
            // Which of them is called where is not known.
            several
                if several.len() * calls.len() <= GUESSES && name.kind.is_some_and(NameKind::is_method) =>
            {
                for (function, code) in several {
                    let Some(gone) = self.definition_unit(function.whole) else { continue };
                    for &call in calls.iter().filter(|one| is_call(one, *code)) {
                        ways.extend(self.inlined_in(name, function, *code, &[call], vec![gone]));
                    }
                }
            }
            _ => {}
        }
        ways
    }

    /// The constructor of a class in place of the calls by which other classes hand theirs on to it.
    fn inlined_constructor(
        &self,
        name: &Name<'_>,
        function: &Definition<'_>,
        body: NodeId,
    ) -> Vec<Vec<Edit>> {
        let calls: Vec<&Reference<'_>> = name.handed.iter().collect();
        let is_called = name.references.iter().any(|one| one.arguments.is_some());
        if is_called || calls.iter().any(|one| one.object.is_none() || self.holds(body, one.id)) {
            return Vec::new();
        }
        let Some(gone) = self.unit(body) else { return Vec::new() };
        self.inlined_in(name, function, Code::Body(body), &calls, vec![gone])
    }

    /// The ways to put what a function does in place of these calls; the definition goes.
    fn inlined_in(
        &self,
        name: &Name<'_>,
        function: &Definition<'_>,
        code: Code,
        calls: &[&Reference<'_>],
        gone: Vec<NodeId>,
    ) -> Vec<Vec<Edit>> {
        let gone = self.removals.edits(gone);
        let manners = match code {
            Code::Body(_) => &[(false, false), (false, true), (true, false), (true, true)][..],
            Code::Value(_) => &[(false, false)],
        };
        let manners =
            manners.iter().map(|&(by_variable, as_block)| Manner { by_variable, as_block, by_type: false });
        let is_typed = function.says.cast.is_some() && function.type_of.is_some();
        let typed = Manner { by_variable: false, as_block: false, by_type: true };
        let way = |manner: Manner| {
            let inlined = self.inlined_calls(name, function, code, calls, manner, &gone)?;
            Some(inlined.into_iter().chain(gone.iter().cloned()).collect())
        };
        manners.chain(is_typed.then_some(typed)).filter_map(way).collect()
    }

    /// All calls with the function's code in their place, unless that is much more than what goes.
    fn inlined_calls(
        &self,
        name: &Name<'_>,
        function: &Definition<'_>,
        code: Code,
        calls: &[&Reference<'_>],
        manner: Manner,
        gone: &[Edit],
    ) -> Option<Vec<Edit>> {
        let mut room = 256 + 2 * gone.iter().map(|edit| i64::from(edit.span.len())).sum::<i64>();
        let mut edits = Vec::new();
        for call in calls {
            let edit = self.inlined_call(name, function, code, call, manner)?;
            room -= edit.text.len() as i64 - i64::from(edit.span.len());
            if room < 0 {
                return None;
            }
            edits.push(edit);
        }
        Some(edits)
    }

    /// What stands for parameter `place` in a call.
    pub(super) fn given(&self, name: &Name<'_>, call: &Reference<'_>, place: usize) -> Option<NodeId> {
        if place < name.skip {
            return call.object;
        }
        let argument = self.argument(name, call, place)?;
        let is_by_name = self.keywords.contains_key(&argument);
        if is_by_name { self.layer.tree.members(argument).last() } else { Some(argument) }
    }

    /// What takes the place of a parameter: its argument, and of two that stand for several, what is in it.
    fn handed_in(&self, parameter: NodeId, argument: NodeId) -> Vec<u8> {
        let inner = self.layer.tree.members(argument).last();
        let inner = inner.filter(|_| [parameter, argument].iter().all(|id| self.spreads.contains(id)));
        self.bracketed(inner.unwrap_or(argument))
    }

    /// One call with the expression that the function stands for in its place.
    fn inlined_value(
        &self,
        name: &Name<'_>,
        function: &Definition<'_>,
        value: NodeId,
        call: &Reference<'_>,
    ) -> Edit {
        let mut words: Vec<(&[u8], Vec<u8>)> = Vec::new();
        let mut inside = Vec::new();
        for (place, &parameter) in self.members(function.parameters).iter().enumerate() {
            let Some(argument) = self.given(name, call, place) else { continue };
            let argument = self.handed_in(parameter, argument);
            match self.defined_in(parameter) {
                Some(parameter) => inside.extend(self.places_of(parameter, &argument)),
                None => words.push((self.text(parameter), argument)),
            }
        }
        let text = if words.is_empty() {
            self.expression(value, &mut inside)
        } else {
            with_words(self.text(value).trim_ascii(), &words)
        };
        Edit::replace(self.span(call.whole), text)
    }

    /// Every reference to a name with this text in its place.
    fn places_of(&self, name: usize, text: &[u8]) -> impl Iterator<Item = (Span, Vec<u8>)> {
        self.all[name].references.iter().map(|one| (self.span(one.id), text.to_vec()))
    }

    /// An expression with what is inside replaced, in brackets unless it is a single token.
    fn expression(&self, id: NodeId, inside: &mut [(Span, Vec<u8>)]) -> Vec<u8> {
        inside.sort();
        let text = self.filled_in(self.span(id), inside);
        let is_plain = self.layer.tree.is_leaf(id) && inside.is_empty();
        if is_plain { text } else { self.grouped(&text) }
    }

    /// The places where a method's body names its object, with the object of the call.
    fn objects_in(&self, function: &Definition<'_>, call: &Reference<'_>) -> Vec<(Span, Vec<u8>)> {
        let (Some(word), Some(body), Some(object)) = (&function.says.this, function.body, call.object) else {
            return Vec::new();
        };
        let (tree, object) = (&self.layer.tree, self.bracketed(object));
        if object == word.as_bytes() {
            return Vec::new();
        }
        let inside = (body..tree.node(body).after).filter(|&id| tree.is_leaf(id));
        let objects = inside.filter(|&id| self.text(id) == word.as_bytes());
        objects.map(|id| (self.span(id), object.clone())).collect()
    }

    /// What the arguments of a call become: replacements inside the body, and variables before it.
    fn handed_over(
        &self,
        name: &Name<'_>,
        function: &Definition<'_>,
        call: &Reference<'_>,
        manner: Manner,
    ) -> Option<Parts> {
        let mut inside: Vec<(Span, Vec<u8>)> = Vec::new();
        inside.extend(self.objects_in(function, call));
        let mut locals: Vec<Vec<u8>> = Vec::new();
        for (place, &parameter) in self.members(function.parameters).iter().enumerate() {
            let Some(own) = self.defined_in(parameter) else { continue };
            match (manner.by_variable, self.given(name, call, place)) {
                (false, Some(argument)) => {
                    let mut value = self.handed_in(parameter, argument);
                    if let Some(one) = self.all[own].definitions.first().filter(|_| manner.by_type) {
                        value = self.cast(one, &value).unwrap_or(value);
                    }
                    inside.extend(self.places_of(own, &value));
                }
                (false, None) => {}
                (true, argument) => {
                    let form = if argument.is_some() { &function.says.local } else { &function.says.declare };
                    let argument = argument.map_or(String::new(), |id| lossy(self.text(id)));
                    let text = form.as_ref()?.replace("{parameter}", &lossy(self.text(parameter)));
                    let text = text.replace("{name}", &lossy(self.all[own].text));
                    locals.push(text.replace("{argument}", &argument).into_bytes());
                }
            }
        }
        Some(Parts { locals, inside, rest: None })
    }

    /// One call with the function's code in its place.
    fn inlined_call(
        &self,
        name: &Name<'_>,
        function: &Definition<'_>,
        code: Code,
        call: &Reference<'_>,
        manner: Manner,
    ) -> Option<Edit> {
        let tree = &self.layer.tree;
        let body = match code {
            Code::Body(body) => body,
            Code::Value(value) => return Some(self.inlined_value(name, function, value, call)),
        };
        let Parts { mut inside, locals, .. } = self.handed_over(name, function, call, manner)?;
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
            let mut text = self.expression(*result, &mut inside);
            if manner.by_type {
                text = self.cast(function, &text)?;
            }
            return Some(Edit::replace(self.span(call.whole), text));
        }
        if manner.by_type {
            return None;
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
                let value = if tree.is_leaf(result) { value } else { self.grouped(&value) };
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
        if self.is_opaque(content) {
            return None;
        }
        let start = self.line(self.span(statement).start);
        let target = Span::new(start, start + indentation(self.source, start)).of(self.source);
        if text.iter().all(u8::is_ascii_whitespace) && rest.is_some() {
            return Some(
                locals.into_iter().chain(rest).collect::<Vec<_>>().join(&[b"\n", target].concat()[..]),
            );
        }
        let lines = self.lines(&text, first.start);
        let lines: Vec<Vec<u8>> = locals.into_iter().chain(lines).chain(rest).collect();
        Some(lines.join(&[b"\n", target].concat()[..]))
    }

    /// Statements or members as text for another place, with what separates them from what stands there.
    pub(super) fn moved(&self, content: Span, place: u32) -> Option<Vec<u8>> {
        self.moved_text(content.of(self.source), content, place)
    }

    /// The same for what has become of the text of `content`.
    pub(super) fn moved_text(&self, text: &[u8], content: Span, place: u32) -> Option<Vec<u8>> {
        if self.layer.language.layout() == Layout::Free {
            return Some([text, b"\n"].concat());
        }
        let start = self.line(place);
        let target = Span::new(start, place).of(self.source);
        if self.is_opaque(content) || !target.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let end = [b"\n", target].concat();
        Some([&self.lines(text, content.start).join(&end[..])[..], &end].concat())
    }

    /// Where the line of a place begins.
    fn line(&self, at: u32) -> u32 {
        self.source[..at as usize].iter().rposition(|&b| b == b'\n').map_or(0, |i| i as u32 + 1)
    }

    /// Whether lines in a span must not be moved.
    fn is_opaque(&self, content: Span) -> bool {
        let is_multiline = |span: &&Span| span.of(self.source).contains(&b'\n');
        self.layer.opaque.iter().filter(is_multiline).any(|span| content.contains(*span))
    }

    /// The lines of a text that stood at a place, without the indentation that it had there.
    fn lines(&self, text: &[u8], place: u32) -> Vec<Vec<u8>> {
        let own = indentation(self.source, self.line(place)) as usize;
        let line = |(i, line): (usize, &[u8])| {
            let indent = line.iter().take(if i == 0 { 0 } else { own });
            line[indent.take_while(|b| b.is_ascii_whitespace()).count()..].to_vec()
        };
        text.trim_ascii_end().split(|&b| b == b'\n').enumerate().map(line).collect()
    }
}

/// A text with words of it replaced.
fn with_words(text: &[u8], words: &[(&[u8], Vec<u8>)]) -> Vec<u8> {
    let same_class = |left: &u8, right: &u8| is_word(*left) && is_word(*right);
    let parts = text.chunk_by(same_class);
    let instead = |part: &'_ [u8]| {
        let known = words.iter().find(|(word, _)| *word == part);
        known.map_or_else(|| part.to_vec(), |(_, text)| text.clone())
    };
    parts.flat_map(instead).collect()
}
