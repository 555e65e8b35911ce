//! Replaces the calls of a function by its code.
//!
//! ```text
//! void f(int a) { g(a); h(); }  void k() { f(2); }
//! // ->
//! void k() { g(2); h(); }
//! ```

use super::Context;
use super::text::lossy;
use super::way::Way;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{Definition, NameKind, Reference, Symbol, SymbolId};
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use nubbin_syntax::{Layout, NodeId, indentation};
use std::collections::BTreeSet;

struct Tuning {
    /// If several methods have the same name, maximum number of pairs of a method and a call that are tried.
    guesses: usize,
    /// Calls can grow by this many bytes plus twice the size of the definition.
    extra_bytes: i64,
}

const TUNING: Tuning = Tuning { guesses: 9, extra_bytes: 256 };

pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        for symbol in cx.symbols.all() {
            cx.choice(&mut builder, ways(&cx, symbol));
        }
    }
    builder.build()
}

/// How a call is replaced.
#[derive(Clone, Copy)]
struct InlineStyle {
    /// Parameters become variables; otherwise they are replaced by the arguments.
    by_variable: bool,
    /// The body stays a block; otherwise its statements are inserted next to the statement of the call.
    as_block: bool,
    /// Arguments and results are converted to the declared types.
    by_type: bool,
}

#[derive(Clone, Copy)]
enum Code {
    /// A body of statements.
    Body(NodeId),
    /// A single expression, such as that of a macro or a lambda.
    Value(NodeId),
}

impl Code {
    fn of(symbol: &Symbol, one: &Definition) -> Option<Self> {
        match (one.body, one.value) {
            (Some(body), _) => Some(Self::Body(body)),
            (None, Some(value)) => {
                (one.parameters.is_some() || symbol.is(NameKind::Function)).then_some(Self::Value(value))
            }
            (None, None) => None,
        }
    }

    fn node(self) -> NodeId {
        let (Self::Body(node) | Self::Value(node)) = self;
        node
    }
}

/// Replaces all calls by the code and removes the definition. If several methods have the name, replaces one
/// call by the code of one method.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    let with_code = symbol.definitions.iter();
    let with_code =
        with_code.filter_map(|one| Some(Function { cx, symbol, one, code: Code::of(symbol, one)? }));
    let with_code: Vec<Function<'_>> = with_code.collect();
    let calls: Vec<&Reference> = symbol.references.iter().collect();
    match &with_code[..] {
        [function] if matches!(function.code, Code::Body(_)) && !symbol.handed.is_empty() => {
            function.constructor_ways().unwrap_or_default()
        }
        [function] if !calls.is_empty() && calls.iter().all(|one| function.is_called(one)) => {
            let gone = cx.definition_parts(symbol);
            gone.map(|gone| function.ways(&calls, gone)).unwrap_or_default()
        }
        [_] => Vec::new(),
        // It is unknown which of the methods a call refers to.
        several
            if several.len() * calls.len() <= TUNING.guesses
                && symbol.kind.is_some_and(NameKind::is_method) =>
        {
            several.iter().flat_map(|function| function.ways_of_each(&calls)).collect()
        }
        _ => Vec::new(),
    }
}

/// A definition with code.
struct Function<'c> {
    cx: &'c Context<'c>,
    symbol: &'c Symbol,
    one: &'c Definition,
    code: Code,
}

/// The parts of an inlined body.
struct InlinedBody {
    /// Variables declared before it.
    locals: Vec<Vec<u8>>,
    /// Replacements inside it.
    inside: Vec<(Span, Vec<u8>)>,
    /// A statement after it.
    rest: Option<Vec<u8>>,
}

impl Function<'_> {
    /// Returns whether this is a call of the function from outside the function.
    fn is_called(&self, one: &Reference) -> bool {
        one.is_call && !self.cx.symbols.holds(self.code.node(), one.id)
    }

    /// Lists the alternatives that replace a single call.
    fn ways_of_each(&self, calls: &[&Reference]) -> Vec<Way> {
        let Some(gone) = self.cx.definition_unit(self.one.whole) else { return Vec::new() };
        let calls = calls.iter().filter(|one| self.is_called(one));
        calls.flat_map(|&call| self.ways(&[call], vec![gone])).collect()
    }

    /// Lists the alternatives that replace the calls of a constructor in derived classes.
    fn constructor_ways(&self) -> Option<Vec<Way>> {
        let (cx, body) = (self.cx, self.code.node());
        let calls: Vec<&Reference> = self.symbol.handed.iter().collect();
        let is_called = self.symbol.references.iter().any(|one| one.is_call);
        if is_called || calls.iter().any(|one| one.object.is_none() || cx.symbols.holds(body, one.id)) {
            return None;
        }
        Some(self.ways(&calls, vec![cx.unit(body)?]))
    }

    /// Lists the alternatives that replace these calls and remove the nodes `gone`.
    fn ways(&self, calls: &[&Reference], gone: Vec<NodeId>) -> Vec<Way> {
        let gone = self.cx.removals.edits(gone);
        let manners = match self.code {
            Code::Body(_) => &[(false, false), (false, true), (true, false), (true, true)][..],
            Code::Value(_) => &[(false, false)],
        };
        let manners = manners.iter().map(|&(by_variable, as_block)| InlineStyle {
            by_variable,
            as_block,
            by_type: false,
        });
        let is_typed = self.one.says.forms.cast.is_some() && self.one.type_of.is_some();
        let typed = InlineStyle { by_variable: false, as_block: false, by_type: true };
        let way = |manner: InlineStyle| {
            let calls = self.calls(calls, manner, &gone)?;
            Some(calls.into_iter().chain(gone.iter().cloned()).collect())
        };
        manners.chain(is_typed.then_some(typed)).filter_map(way).collect()
    }

    /// Replaces each call; `None` if that adds far more bytes than the removal of the definition saves.
    fn calls(&self, calls: &[&Reference], manner: InlineStyle, gone: &[Edit]) -> Option<Vec<Edit>> {
        let mut room =
            TUNING.extra_bytes + 2 * gone.iter().map(|edit| i64::from(edit.span.len())).sum::<i64>();
        let mut edits = Vec::new();
        for call in calls {
            let edit = self.call(call, manner)?;
            room -= edit.text.len() as i64 - i64::from(edit.span.len());
            if room < 0 {
                return None;
            }
            edits.push(edit);
        }
        Some(edits)
    }

    /// Replaces one call.
    fn call(&self, call: &Reference, manner: InlineStyle) -> Option<Edit> {
        let (cx, tree) = (self.cx, self.cx.tree);
        let body = match self.code {
            Code::Body(body) => body,
            Code::Value(value) => return Some(self.value(value, call)),
        };
        let InlinedBody { mut inside, locals, .. } = self.handed_over(call, manner)?;
        if manner.by_variable && locals.is_empty() {
            return None;
        }
        let returns: Vec<_> = cx.symbols.returns(body).collect();
        let members: Vec<NodeId> = tree.members(body).collect();
        let last = *members.last()?;
        let is_last = |id: NodeId| id == last || tree.members(last).eq([id]);
        // `return E;` alone: the call becomes `E`.
        if let ([(only, Some(result))], false) = (&returns[..], manner.by_variable)
            && members.len() == 1
            && is_last(*only)
        {
            let is_statement = cx.symbols.statement(call.whole).is_some_and(|id| self.is_all(id, call.whole));
            let mut text = expression(cx, *result, &mut inside, is_statement);
            if is_statement {
                text = [self.evaluated(*result), text].concat();
            }
            if manner.by_type {
                text = cx.cast(self.one, &text)?;
            }
            return Some(Edit::replace(cx.span(call.whole), text));
        }
        if manner.by_type {
            return None;
        }
        let statement = cx.symbols.statement(call.whole)?;
        if !manner.as_block && !cx.removals.is_member(statement) {
            return None;
        }
        let rest = Some(self.results(call, statement, &returns, last, &mut inside)?);
        let rest = rest.filter(|rest| !rest.is_empty());
        inside.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let parts = InlinedBody { locals, inside, rest };
        let text = self.block(body, &members, parts, statement, manner.as_block)?;
        Some(Edit::replace(cx.span(statement), text))
    }

    /// Adds the replacements of the results inside the body. Returns the statement of the call with the last
    /// result in place of the call, or an empty text if the result is not used; `None` if there is no such
    /// result.
    fn results(
        &self,
        call: &Reference,
        statement: NodeId,
        returns: &[(NodeId, Option<NodeId>)],
        last: NodeId,
        inside: &mut Vec<(Span, Vec<u8>)>,
    ) -> Option<Vec<u8>> {
        let (cx, tree) = (self.cx, self.cx.tree);
        let is_all = self.is_all(statement, call.whole);
        let is_last = |id: NodeId| id == last || tree.members(last).eq([id]);
        // If the statement only returns the value of the call, the `return` statements of the body stay.
        if is_all && cx.symbols.is_return(statement) {
            return Some(Vec::new());
        }
        let mut rest: Option<Vec<u8>> = None;
        for &(id, result) in returns {
            let Some(result) = result else {
                inside.extend(is_last(id).then(|| (cx.span(last), Vec::new())));
                continue;
            };
            if is_all {
                // The value of the call is not used, so the expression stays without its `return`.
                let word = Span::new(cx.span(id).start, cx.span(result).start);
                inside.push((word, self.evaluated(result)));
            } else if is_last(id) && returns.len() == 1 {
                let mut values: Vec<_> = inside.clone();
                values.retain(|(span, _)| cx.span(result).contains(*span));
                values.sort();
                inside.retain(|(span, _)| !cx.span(last).contains(*span));
                inside.push((cx.span(last), Vec::new()));
                let value = cx.filled_in(cx.span(result), &values);
                let value = match &self.one.says.forms.result {
                    Some(form) => cx.typed(form, self.one, &value)?,
                    None if tree.is_leaf(result) => value,
                    None => cx.grouped(&value),
                };
                rest = Some(cx.filled_in(cx.span(statement), &[(cx.span(call.whole), value)]));
            }
        }
        if is_all { Some(rest.unwrap_or_default()) } else { rest }
    }

    /// Returns the text that must precede a result to make it a statement.
    fn evaluated(&self, result: NodeId) -> Vec<u8> {
        let cx = self.cx;
        let is_call = |(id, symbol): (NodeId, SymbolId)| {
            let one = cx.symbols[symbol].reference(id);
            one.is_some_and(|one| one.is_call && one.whole == result)
        };
        let form = self.one.says.forms.evaluated.as_ref();
        let form = form.filter(|_| !cx.symbols.references_in(result).take(TUNING.guesses).any(is_call));
        form.map(|form| form.replace("{name}", &lossy(&self.symbol.text)).into_bytes()).unwrap_or_default()
    }

    /// Returns whether a statement is only this call, so that the value of the call is not used.
    fn is_all(&self, statement: NodeId, call: NodeId) -> bool {
        let tree = self.cx.tree;
        let mut around = tree.up(call).zip(tree.up(call).skip(1)).take_while(|&(id, _)| id != statement);
        around.all(|(id, outer)| {
            let is_return = outer != statement && self.cx.symbols.is_return(outer);
            tree.members(outer).eq([id]) && !is_return
        })
    }

    /// Replaces a call by the expression of the function.
    fn value(&self, value: NodeId, call: &Reference) -> Edit {
        let cx = self.cx;
        let mut words: Vec<(&[u8], Vec<u8>)> = Vec::new();
        let mut inside = Vec::new();
        for (place, &parameter) in cx.symbols.members(self.one.parameters).iter().enumerate() {
            let Some(argument) = cx.symbols.given(self.symbol, call, place) else { continue };
            let argument = handed_in(cx, parameter, argument);
            match cx.symbols.first_defined_in(parameter) {
                Some(parameter) => inside.extend(uses(cx, parameter, &argument)),
                None => words.push((cx.text(parameter), argument)),
            }
        }
        let text = if words.is_empty() {
            expression(cx, value, &mut inside, false)
        } else {
            with_words(cx.text(value).trim_ascii(), &words)
        };
        Edit::replace(cx.span(call.whole), text)
    }

    /// Converts the arguments of a call to replacements inside the body or to variables before it.
    fn handed_over(&self, call: &Reference, manner: InlineStyle) -> Option<InlinedBody> {
        let (cx, says) = (self.cx, &self.one.says);
        let mut inside = self.objects(call);
        inside.extend(self.implied_objects(call));
        let mut locals: Vec<Vec<u8>> = Vec::new();
        for (place, &parameter) in cx.symbols.members(self.one.parameters).iter().enumerate() {
            let Some(own) = cx.symbols.first_defined_in(parameter) else { continue };
            match (manner.by_variable, cx.symbols.given(self.symbol, call, place)) {
                (false, Some(argument)) => {
                    let mut value = handed_in(cx, parameter, argument);
                    if let Some(one) = cx.symbols[own].definitions.first().filter(|_| manner.by_type) {
                        value = cx.cast(one, &value).unwrap_or(value);
                    }
                    inside.extend(uses(cx, own, &value));
                }
                (false, None) => {}
                (true, argument) => {
                    let form = if argument.is_some() { &says.forms.local } else { &says.forms.declare };
                    let argument = argument.map_or(String::new(), |id| lossy(cx.text(id)));
                    let text = form.as_ref()?.replace("{parameter}", &lossy(cx.text(parameter)));
                    let text = text.replace("{name}", &lossy(&cx.symbols[own].text));
                    locals.push(text.replace("{argument}", &argument).into_bytes());
                }
            }
        }
        Some(InlinedBody { locals, inside, rest: None })
    }

    /// Replaces the words for the object (`self`, `this`) in the body of a method by the object of the call.
    fn objects(&self, call: &Reference) -> Vec<(Span, Vec<u8>)> {
        let (cx, forms) = (self.cx, &self.one.says.forms);
        let unbound = || forms.unbound.as_ref().map(|text| text.as_bytes().to_vec());
        let object = call.object.map(|object| cx.bracketed(object)).or_else(unbound);
        let (Some(body), Some(object)) = (self.one.body, object) else { return Vec::new() };
        if let Some(receiver) = self.one.object.and_then(|own| cx.symbols.first_defined_in(own)) {
            return uses(cx, receiver, &object).collect();
        }
        if forms.is_this(&object) {
            return Vec::new();
        }
        let inside = (body..cx.tree.node(body).after).filter(|&id| forms.is_this(cx.text(id)));
        let spans: BTreeSet<Span> = inside.map(|id| cx.span(id)).collect();
        spans.into_iter().map(|span| (span, object.clone())).collect()
    }

    /// Adds the object of the call to the members that the body of a method uses without an object.
    fn implied_objects(&self, call: &Reference) -> Vec<(Span, Vec<u8>)> {
        let cx = self.cx;
        let object = call.object.filter(|&object| !self.one.says.forms.is_this(cx.text(object)));
        let class = |id: NodeId| cx.symbols.class_of(id).map(|(class, _)| class);
        let (Some(object), Some(own)) = (object, class(self.one.id)) else { return Vec::new() };
        let is_own = |one: &Definition| one.says.forms.own && class(one.id) == Some(own);
        let is_member = |symbol: &Symbol| symbol.definitions.iter().take(TUNING.guesses).any(is_own);
        let before = Span::new(cx.span(object).start, cx.span(call.id).start).of(cx.source);
        let inside = cx.symbols.references_in(self.code.node());
        let members =
            inside.map(|(id, symbol)| (id, &cx.symbols[symbol])).filter(|(_, symbol)| is_member(symbol));
        let bare =
            members.filter(|(id, symbol)| symbol.reference(*id).is_some_and(|one| one.object.is_none()));
        bare.map(|(id, _)| (cx.span(id), [before, cx.text(id)].concat())).collect()
    }

    /// Returns the text of the body at the place of a statement.
    fn block(
        &self,
        body: NodeId,
        members: &[NodeId],
        InlinedBody { locals, inside, rest }: InlinedBody,
        statement: NodeId,
        as_block: bool,
    ) -> Option<Vec<u8>> {
        let cx = self.cx;
        let (first, last) = (cx.span(*members.first()?), cx.span(*members.last()?));
        let content = Span::new(first.start, last.end);
        let text = cx.filled_in(content, &inside);
        let is_blank = |text: &[u8]| text.iter().all(u8::is_ascii_whitespace);
        if cx.layer.language.layout() != Layout::Indentation {
            let parts = locals.into_iter().chain([text]).chain(rest);
            let parts: Vec<Vec<u8>> = parts.filter(|part| !is_blank(part)).collect();
            if !as_block {
                return Some(parts.join(&b"\n"[..]));
            }
            let whole = cx.span(body);
            let (open, close) = (Span::new(whole.start, first.start), Span::new(last.end, whole.end));
            return Some([open.of(cx.source), &parts.join(&b"\n"[..]), close.of(cx.source)].concat());
        }
        if as_block || cx.is_opaque(content) {
            return None;
        }
        let start = cx.line(cx.span(statement).start);
        let target = Span::new(start, start + indentation(cx.source, start)).of(cx.source);
        let lines = if is_blank(&text) && rest.is_some() { Vec::new() } else { cx.lines(&text, first.start) };
        let lines: Vec<Vec<u8>> = locals.into_iter().chain(lines).chain(rest).collect();
        Some(lines.join(&[b"\n", target].concat()[..]))
    }
}

/// Returns the text that replaces a parameter: its argument, or the inner expression of the argument if both
/// stand for several values.
fn handed_in(cx: &Context<'_>, parameter: NodeId, argument: NodeId) -> Vec<u8> {
    let inner = cx.tree.members(argument).last();
    // If a call gives the type of each argument, the argument has the same form as the parameter.
    let is_written_alike = || {
        let kind = |id: NodeId| cx.tree.node(id).kind;
        kind(parameter) == kind(argument) && cx.tree.members(argument).count() > 1
    };
    let inner = inner
        .filter(|_| [parameter, argument].iter().all(|&id| cx.symbols.is_spread(id)) || is_written_alike());
    cx.bracketed(inner.unwrap_or(argument))
}

/// Replaces every reference to a symbol.
fn uses(cx: &Context<'_>, symbol: SymbolId, text: &[u8]) -> impl Iterator<Item = (Span, Vec<u8>)> {
    cx.symbols[symbol].references.iter().map(|one| (cx.span(one.id), cx.written(one, text)))
}

/// Applies replacements to an expression and adds brackets, unless it is a single token or a whole statement.
fn expression(cx: &Context<'_>, id: NodeId, inside: &mut [(Span, Vec<u8>)], is_statement: bool) -> Vec<u8> {
    inside.sort();
    let text = cx.filled_in(cx.span(id), inside);
    let is_plain = cx.tree.is_leaf(id) && inside.is_empty();
    if is_plain || is_statement { text } else { cx.grouped(&text) }
}

/// Replaces some words of a text.
fn with_words(text: &[u8], words: &[(&[u8], Vec<u8>)]) -> Vec<u8> {
    let same_class = |left: &u8, right: &u8| is_word(*left) && is_word(*right);
    let parts = text.chunk_by(same_class);
    let instead = |part: &'_ [u8]| {
        let known = words.iter().find(|(word, _)| *word == part);
        known.map_or_else(|| part.to_vec(), |(_, text)| text.clone())
    };
    parts.flat_map(instead).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn an_expression_takes_the_place_of_a_call() {
        let text = "int f(int a) { return a + 1; } int b = f(2);";
        assert_eq!(
            rewritten("c", text, "f", ways),
            [
                "int b = (2 + 1);",
                "int b = (2 + 1);",
                "int a = 2;\nint b = (a + 1);",
                "{ int a = 2;\nint b = (a + 1); }",
                "int b = (int)((int)2 + 1);"
            ]
        );
    }

    #[test]
    fn statements_take_the_place_of_a_call() {
        let text = "void f(int a) { g(a); h(); } void k() { f(2); }";
        assert_eq!(
            rewritten("c", text, "f", ways),
            [
                "void k() { g(2); h(); }",
                "void k() { { g(2); h(); } }",
                "void k() { int a = 2;\ng(a); h(); }",
                "void k() { { int a = 2;\ng(a); h(); } }"
            ]
        );
    }

    #[test]
    fn statements_are_indented_anew() {
        let text = "def f(a):\n    g(a)\n    return a\ndef h():\n    b = f(1)\n";
        assert_eq!(
            rewritten("python", text, "f", ways),
            ["def h():\n    g(1)\n    b = 1\n", "def h():\n    a = 1\n    g(a)\n    b = a\n"]
        );
    }

    #[test]
    fn a_macro_is_a_text() {
        let text = "#define M(x) x + 1\nint b = M(2);";
        assert_eq!(rewritten("c", text, "M", ways), ["int b = 2 + 1;"]);
    }
}
