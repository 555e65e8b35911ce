//! Builds the texts that rewrites insert: expressions in brackets, moved members, nodes with replaced parts.

use super::Context;
use nubbin_language::{Definition, Reference, Symbol, SymbolId};
use nubbin_syntax::edit::{Edit, Patch, Seam, Span, is_word};
use nubbin_syntax::{Layout, NodeId, indentation};
use std::collections::BTreeSet;

impl Context<'_> {
    /// Replaces some spans inside a span. They are sorted by start; an outer one comes before those inside it,
    /// which are ignored.
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

    /// Returns the text of an expression, in brackets if it needs them.
    pub(super) fn bracketed(&self, id: NodeId) -> Vec<u8> {
        let text = self.text(id);
        if self.tree.is_leaf(id) || self.tree.node(id).is_named() && is_chain(text) {
            return text.to_vec();
        }
        self.grouped(text)
    }

    pub(super) fn grouped(&self, text: &[u8]) -> Vec<u8> {
        self.syntax().grouped(text)
    }

    /// Converts a value to the type of a definition, if the type is known.
    pub(super) fn cast(&self, one: &Definition, value: &[u8]) -> Option<Vec<u8>> {
        self.typed(one.says.forms.cast.as_ref()?, one, value)
    }

    /// Fills in a form with a value and the type of a definition, if the type is known.
    pub(super) fn typed(&self, form: &str, one: &Definition, value: &[u8]) -> Option<Vec<u8>> {
        let text = form.replace("{type}", &lossy(self.text(one.type_of?)));
        Some(text.replace("{value}", &lossy(value)).into_bytes())
    }

    /// Returns whether the language has a constant that is valid for any name of some kind, whatever its type.
    pub fn has_universal(&self) -> bool {
        self.symbols.all().iter().any(|symbol| universal(symbol).is_some())
    }

    /// Returns whether a node directly defines a name that such a constant can replace.
    pub fn defines_universal(&self, id: NodeId) -> bool {
        let own = |definition: NodeId| self.tree.node(definition).parent == id;
        let mut all = self.symbols.definitions_in(id).filter(|&(definition, _)| own(definition));
        all.any(|(_, symbol)| universal(&self.symbols[symbol]).is_some())
    }

    /// Replaces the symbols that a node defines by such a constant, outside the node.
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

    /// Returns the constant for a definition: that of its type, or else that of its kind.
    pub(super) fn constant<'c>(&self, one: &'c Definition) -> Option<&'c str>
    where
        Self: 'c,
    {
        let of_type = self
            .type_of(one)
            .and_then(|id| self.layer.language.constant(self.tree.node(id).kind, self.text(id)));
        of_type.or(one.says.forms.constant.as_deref()).filter(|text| !text.is_empty())
    }

    /// Returns the type of a definition: its declared type, or the result type of the function whose call is
    /// its value. If several names get their values from one call, it is the part of the result type at the
    /// position of the name.
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

    /// Replaces each use by a constant; of an assignment, the value stays.
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

    /// Returns the form of a value in place of a reference.
    pub(super) fn written(&self, one: &Reference, value: &[u8]) -> Vec<u8> {
        let Some(form) = &one.written else { return value.to_vec() };
        form.replace("{name}", &lossy(self.text(one.id))).replace("{value}", &lossy(value)).into_bytes()
    }

    /// Returns the text of a span with the edits that overlap it applied, and the other edits.
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

    /// Returns the span of a node including a terminator such as `;` after it.
    pub(super) fn with_end(&self, unit: NodeId) -> Span {
        let (tree, whole) = (self.tree, self.span(unit));
        let next = tree.node(unit).after;
        let is_end = (next as usize) < tree.len()
            && tree.node(next).parent == tree.node(unit).parent
            && !tree.node(next).is_named()
            && self.text(next) == self.syntax().terminator();
        if is_end { Span::new(whole.start, self.span(next).end) } else { whole }
    }

    /// Prepares changed text of the statements or members in `content` for another position: adjusts its
    /// indentation and adds a line break at the end.
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

    /// Returns the start of the line that contains a position.
    pub(super) fn line(&self, at: u32) -> u32 {
        self.source[..at as usize].iter().rposition(|&b| b == b'\n').map_or(0, |i| i as u32 + 1)
    }

    /// Returns whether a span has lines whose indentation must not change, such as those of a string.
    pub(super) fn is_opaque(&self, content: Span) -> bool {
        let is_multiline = |span: &&Span| span.of(self.source).contains(&b'\n');
        self.layer.opaque.iter().filter(is_multiline).any(|span| content.contains(*span))
    }

    /// Returns the lines of a text that begins at a position, without their indentation there.
    pub(super) fn lines(&self, text: &[u8], place: u32) -> Vec<Vec<u8>> {
        let own = indentation(self.source, self.line(place)) as usize;
        let line = |(i, line): (usize, &[u8])| {
            let indent = line.iter().take(if i == 0 { 0 } else { own });
            line[indent.take_while(|b| b.is_ascii_whitespace()).count()..].to_vec()
        };
        text.trim_ascii_end().split(|&b| b == b'\n').enumerate().map(line).collect()
    }
}

/// Returns the constant that is valid for every use of a symbol, if its kind has one.
fn universal(symbol: &Symbol) -> Option<&str> {
    let [one] = &symbol.definitions[..] else { return None };
    one.says.forms.constant.as_deref().filter(|_| one.says.forms.universal)
}

/// Deletes `whole` except for `rest`.
pub(super) fn outside(whole: Span, rest: Span) -> [Edit; 2] {
    [Edit::delete(Span::new(whole.start, rest.start)), Edit::delete(Span::new(rest.end, whole.end))]
}

/// Keeps the edits that are not inside another one.
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

/// Returns whether the character at a position joins the parts of a name: a dot, or a part of `->`, `::` or
/// `$a`.
fn is_joint(text: &[u8], at: usize) -> bool {
    match text[at] {
        b'.' | b'$' => true,
        b'-' => text[at..].starts_with(b"->"),
        b'>' => text[..at].ends_with(b"-"),
        b':' => text[at..].starts_with(b"::") || text[..at].ends_with(b":"),
        _ => false,
    }
}

/// Returns whether a text consists of words, brackets and quotes that are joined only by dots, arrows or double
/// colons: `a.b(c)[d]`, `$a->b`, `A::b`.
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

/// Converts a text to a string for the forms of `names.scm`.
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
