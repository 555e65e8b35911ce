//! The texts that rewrites write: expressions in brackets, members at another place, nodes with parts replaced.

use super::Context;
use nubbin_language::{Definition, Reference, Symbol, SymbolId};
use nubbin_syntax::edit::{Edit, Patch, Seam, Span, is_word};
use nubbin_syntax::{Layout, NodeId, indentation};
use std::collections::BTreeSet;

impl Context<'_> {
    /// Returns the text of a span with some spans inside of it replaced. They are sorted by their starts; an outer one
    /// comes before those inside of it, and only the outer one counts.
    pub(super) fn filled_in(&self, whole: Span, inside: &[(Span, Vec<u8>)]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut at = whole.start;
        for (span, instead) in inside.iter().filter(|(span, _)| whole.contains(*span)) {
            if span.start < at {
                continue;
            }
            text.extend_from_slice(Span::new(at, span.start).of(self.source));
            text.extend_from_slice(instead);
            at = span.end;
        }
        text.extend_from_slice(Span::new(at, whole.end).of(self.source));
        text
    }

    /// Returns the text of an expression, in brackets unless it needs none.
    pub(super) fn bracketed(&self, id: NodeId) -> Vec<u8> {
        let text = self.text(id);
        if self.tree.is_leaf(id) || self.tree.node(id).is_named() && is_chain(text) {
            return text.to_vec();
        }
        self.grouped(text)
    }

    /// Returns an expression in brackets.
    pub(super) fn grouped(&self, text: &[u8]) -> Vec<u8> {
        self.syntax().grouped(text)
    }

    /// Returns the text that converts a value to the type of a definition, if the type is known.
    pub(super) fn cast(&self, one: &Definition, value: &[u8]) -> Option<Vec<u8>> {
        self.typed(one.says.forms.cast.as_ref()?, one, value)
    }

    /// Returns a form with a value and the type of a definition filled in, if the type is known.
    pub(super) fn typed(&self, form: &str, one: &Definition, value: &[u8]) -> Option<Vec<u8>> {
        let text = form.replace("{type}", &lossy(self.text(one.type_of?)));
        Some(text.replace("{value}", &lossy(value)).into_bytes())
    }

    /// Tells whether a constant may stand for any name of some kind, whatever its type.
    pub fn has_universal(&self) -> bool {
        self.symbols.all().iter().any(|symbol| universal(symbol).is_some())
    }

    /// Tells whether a node, of which it is a direct part, defines a name for which such a constant may stand.
    pub fn defines_universal(&self, id: NodeId) -> bool {
        let own = |definition: NodeId| self.tree.node(definition).parent == id;
        let mut all = self.symbols.definitions_in(id).filter(|&(definition, _)| own(definition));
        all.any(|(_, symbol)| universal(&self.symbols[symbol]).is_some())
    }

    /// Returns the edits that put such a constant in place of what a node defines, outside of the node.
    pub fn constants_outside(&self, id: NodeId) -> Vec<Edit> {
        let own: BTreeSet<SymbolId> = self.symbols.definitions_in(id).map(|(_, symbol)| symbol).collect();
        let mut edits = Vec::new();
        for symbol in own.into_iter().map(|symbol| &self.symbols[symbol]) {
            if let Some(text) = universal(symbol) {
                let outside = symbol.references.iter().filter(|one| !self.symbols.holds(id, one.id));
                edits.extend(self.constants(&outside.collect::<Vec<_>>(), text.as_bytes()));
            }
        }
        edits
    }

    /// Returns the constant that may stand for what a definition defines: that of its type, or of its kind.
    pub(super) fn constant<'c>(&self, one: &'c Definition) -> Option<&'c str>
    where
        Self: 'c,
    {
        let of_type = self
            .type_of(one)
            .and_then(|id| self.layer.language.constant(self.tree.node(id).kind, self.text(id)));
        of_type.or(one.says.forms.constant.as_deref()).filter(|text| !text.is_empty())
    }

    /// Returns the type of what a definition defines: its own, or what the function gives whose call is its value. Of
    /// several names that get their values from one call, it is the one at the place of the name.
    pub(super) fn type_of(&self, one: &Definition) -> Option<NodeId> {
        let tree = self.tree;
        let given = |call: NodeId| {
            let called = self.symbols.called_by(call).map(|symbol| &self.symbols[symbol])?;
            let [function] = &called.definitions[..] else { return None };
            function.type_of
        };
        let of_place = || {
            let list = tree.node(one.id).parent;
            let place =
                tree.members(list).position(|id| id == one.id).filter(|_| one.says.blank.is_some())?;
            let values = tree.children(tree.node(list).parent).last()?;
            let mut calls = tree.members(values);
            let call = calls.next().filter(|_| calls.next().is_none()).unwrap_or(values);
            let member = tree.members(given(call)?).nth(place)?;
            Some(tree.children(member).last().unwrap_or(member))
        };
        one.type_of.or_else(|| given(one.value?)).or_else(of_place)
    }

    /// Returns the edits that put a constant in place of each use; of an assignment, the value stays.
    pub(super) fn constants(&self, uses: &[&Reference], text: &[u8]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for one in uses {
            let whole = self.span(one.whole);
            match one.rest.map(|rest| self.span(rest)) {
                Some(rest) => edits.extend(outside(whole, rest)),
                None => edits.push(Edit::replace(whole, self.written(one, text))),
            }
        }
        edits
    }

    /// Returns the text by which a value stands in place of a reference.
    pub(super) fn written(&self, one: &Reference, value: &[u8]) -> Vec<u8> {
        let Some(form) = &one.written else { return value.to_vec() };
        form.replace("{name}", &lossy(self.text(one.id))).replace("{value}", &lossy(value)).into_bytes()
    }

    /// Returns the text of a span, changed by those edits that lie in it or reach into it, and the other edits.
    pub(super) fn changed(&self, whole: Span, edits: Vec<Edit>) -> (Vec<u8>, Vec<Edit>) {
        let (inside, others): (Vec<Edit>, Vec<Edit>) =
            edits.into_iter().partition(|edit| edit.span.start < whole.end && edit.span.end > whole.start);
        let shifted = |edit: Edit| {
            let at = |at: u32| at.clamp(whole.start, whole.end) - whole.start;
            Edit { span: Span::new(at(edit.span.start), at(edit.span.end)), ..edit }
        };
        let patch = Patch::new(inside.into_iter().map(shifted).collect());
        (patch.apply(whole.of(self.source), Seam::Apart), others)
    }

    /// Returns the span of a node with the token that ends it, such as a `;`.
    pub(super) fn with_end(&self, unit: NodeId) -> Span {
        let (tree, whole) = (self.tree, self.span(unit));
        let next = tree.node(unit).after;
        let is_end = (next as usize) < tree.len()
            && tree.node(next).parent == tree.node(unit).parent
            && !tree.node(next).is_named()
            && self.text(next) == self.syntax().terminator();
        if is_end { Span::new(whole.start, self.span(next).end) } else { whole }
    }

    /// Returns `text`, which is the changed text of the statements or members in `content`, for another place, with the line
    /// end that separates it from the text there.
    pub(super) fn moved_text(&self, text: &[u8], content: Span, place: u32) -> Option<Vec<u8>> {
        if self.layer.language.layout() != Layout::Indentation {
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

    /// Returns the position at which the line of a place begins.
    pub(super) fn line(&self, at: u32) -> u32 {
        self.source[..at as usize].iter().rposition(|&b| b == b'\n').map_or(0, |i| i as u32 + 1)
    }

    /// Tells whether a span has lines that must not be indented differently, such as those of a string.
    pub(super) fn is_opaque(&self, content: Span) -> bool {
        let is_multiline = |span: &&Span| span.of(self.source).contains(&b'\n');
        self.layer.opaque.iter().filter(is_multiline).any(|span| content.contains(*span))
    }

    /// Returns the lines of a text from a place, without the indentation that they had there.
    pub(super) fn lines(&self, text: &[u8], place: u32) -> Vec<Vec<u8>> {
        let own = indentation(self.source, self.line(place)) as usize;
        let line = |(i, line): (usize, &[u8])| {
            let indent = line.iter().take(if i == 0 { 0 } else { own });
            line[indent.take_while(|b| b.is_ascii_whitespace()).count()..].to_vec()
        };
        text.trim_ascii_end().split(|&b| b == b'\n').enumerate().map(line).collect()
    }
}

/// Returns the constant that may stand for a symbol wherever it is used, if its kind has one.
fn universal(symbol: &Symbol) -> Option<&str> {
    let [one] = &symbol.definitions[..] else { return None };
    one.says.forms.constant.as_deref().filter(|_| one.says.forms.universal)
}

/// Returns the edits that delete `whole` except for `rest`.
pub(super) fn outside(whole: Span, rest: Span) -> [Edit; 2] {
    [Edit::delete(Span::new(whole.start, rest.start)), Edit::delete(Span::new(rest.end, whole.end))]
}

/// Keeps the edits that lie in no other one.
pub(super) fn outermost(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, std::cmp::Reverse(edit.span.end)));
    let mut end = 0;
    edits.retain(|edit| {
        let is_outer = edit.span.start >= end;
        end = end.max(edit.span.end);
        is_outer && !(edit.span.is_empty() && edit.text.is_empty())
    });
    edits
}

/// Tells whether the sign at a place joins the parts of a name: it is a dot, or belongs to `->`, to `::` or to `$a`.
fn is_joint(text: &[u8], at: usize) -> bool {
    match text[at] {
        b'.' | b'$' => true,
        b'-' => text[at..].starts_with(b"->"),
        b'>' => text[..at].ends_with(b"-"),
        b':' => text[at..].starts_with(b"::") || text[..at].ends_with(b":"),
        _ => false,
    }
}

/// Tells whether a text consists of words, brackets and quotes with only dots, arrows or double colons between them:
/// `a.b(c)[d]`, `$a->b`, `A::b`.
pub(super) fn is_chain(text: &[u8]) -> bool {
    let mut open: Vec<u8> = Vec::new();
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        let quote = open.last().copied().filter(|quote| b"\"'`".contains(quote));
        if let Some(quote) = quote {
            if byte == quote && !escaped {
                open.pop();
            }
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b'"' | b'\'' | b'`' => open.push(byte),
            b')' | b']' | b'}' if open.pop() != Some(byte) => return false,
            b')' | b']' | b'}' => {}
            _ if open.is_empty() && !is_word(byte) && !is_joint(text, at) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// Returns a text as a string, for the forms of `names.scm`.
pub(super) fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_holds_together_without_brackets() {
        for text in ["a", "a.b(c)[d]", "f(\"a b\", ')')", "{1 + 2}"] {
            assert!(is_chain(text.as_bytes()), "{text}");
        }
        for text in ["a + b", "-a", "(a]", "f(", "a) + (b"] {
            assert!(!is_chain(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn of_edits_the_outermost_are_kept() {
        let edit = |from, to| Edit::delete(Span::new(from, to));
        let kept = outermost(vec![edit(4, 5), edit(2, 7), edit(0, 1), edit(8, 8), edit(7, 9)]);
        assert_eq!(kept, [edit(0, 1), edit(2, 7), edit(7, 9)]);
    }
}
