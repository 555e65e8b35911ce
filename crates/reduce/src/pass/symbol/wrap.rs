//! Replaces the objects of a class that only stores one value by that value.
//!
//! ```text
//! class A:
//!     def __init__(self, b): self.c = b
//! print(A(1).c)
//! // ->
//! print(1)
//! ```

use super::Context;
use super::remove::Subject;
use super::text::{is_chain, outermost};
use super::way::Way;
use nubbin_language::{Definition, Reference, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// A class with more pairs of a call and an access than this is skipped.
const PAIRS: usize = 1 << 12;

/// The class must consist of one attribute and a constructor that sets it. Calls of the class become the value
/// of the attribute, and accesses to the attribute become the object.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    unwrapped(cx, subject.symbol).into_iter().map(Into::into).collect()
}

fn unwrapped(cx: &Context<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let [one] = &symbol.definitions[..] else { return None };
    if cx.symbols.base(one.id).is_some() || symbol.references.is_empty() {
        return None;
    }
    let attribute = only_attribute(cx, one)?;
    let (own, value) = cx.symbols[attribute]
        .definitions
        .iter()
        .find_map(|of| Some((of.id, of.value?)).filter(|(id, _)| is_kept_by(cx, one, *id)))?;
    let unit = cx.definition_unit(one.whole)?;
    let mut changes = accesses_of(cx, attribute, own)?;
    if symbol.references.len() * changes.len() > PAIRS {
        return None;
    }
    // The calls are processed from the last to the first, so that calls inside an argument are finished before
    // it is used.
    for call in symbol.references.iter().rev().filter(|call| !cx.symbols.holds(unit, call.id)) {
        let text = kept(cx, symbol, one, call, value, &changes)?;
        changes.push((cx.span(call.whole), text));
    }
    let changes = changes.into_iter().map(|(span, text)| Edit::replace(span, text));
    Some(outermost(cx.removals.edits([unit]).into_iter().chain(changes).collect()))
}

/// Returns whether a definition is inside the body of a class, or of the function that serves as its
/// constructor.
fn is_kept_by(cx: &Context<'_>, one: &Definition, id: NodeId) -> bool {
    let whole = cx.symbols.class_body(one.id).or(one.body);
    whole.is_some_and(|whole| cx.symbols.holds(whole, id))
}

/// Returns the attribute that a constructor sets with its only statement, if the class has nothing else.
fn only_attribute(cx: &Context<'_>, one: &Definition) -> Option<SymbolId> {
    let tree = cx.tree;
    let members = cx.symbols.class_body(one.id);
    let whole = members.or(one.body)?;
    let is_only = |id: NodeId| tree.members(tree.node(id).parent).count() == 1;
    if tree.members(whole).take(2).count() != 1 {
        return None;
    }
    let mut set = cx.symbols.definitions_in(whole).filter_map(|(id, symbol)| {
        let definition = cx.symbols[symbol].definition(id)?;
        Some((id, symbol, definition.object?, definition.value?))
    });
    let (Some((id, symbol, object, _)), None) = (set.next(), set.next()) else { return None };
    // A function must set an attribute of its own object, to which no symbol refers.
    let is_own = members.is_some() || cx.symbols.referred_at(object).is_none();
    (is_own && cx.symbols.statement(id).is_some_and(is_only)).then_some(symbol)
}

/// Deletes the dot and the name at each access to an attribute, except at the definition `own`; `None` if an
/// access has no object.
fn accesses_of(cx: &Context<'_>, attribute: SymbolId, own: NodeId) -> Option<Vec<(Span, Vec<u8>)>> {
    let attribute = &cx.symbols[attribute];
    let set = attribute.definitions.iter().filter(|one| one.id != own).map(|one| (one.object, one.id));
    let asked = attribute.references.iter().map(|one| (one.object, one.id));
    let access = |(object, id): (Option<NodeId>, NodeId)| {
        let (from, to) = (cx.span(object?).end, cx.span(id).end);
        (from <= to).then(|| (Span::new(from, to), Vec::new()))
    };
    set.chain(asked).map(access).collect()
}

/// Returns the text that replaces a call of the class, with these changes applied inside it.
fn kept(
    cx: &Context<'_>,
    symbol: &Symbol,
    one: &Definition,
    call: &Reference,
    value: NodeId,
    changes: &[(Span, Vec<u8>)],
) -> Option<Vec<u8>> {
    call.arguments?;
    let mut inside: Vec<(Span, Vec<u8>)> = Vec::new();
    for (place, &parameter) in cx.symbols.members(one.parameters).iter().enumerate() {
        let Some(own) = cx.symbols.first_defined_in(parameter).map(|own| &cx.symbols[own]) else { continue };
        let mut uses = own.references.iter().filter(|of| cx.symbols.holds(value, of.id)).peekable();
        if uses.peek().is_none() {
            continue;
        }
        let span = cx.span(cx.symbols.given(symbol, call, place)?);
        let mut inner: Vec<_> = changes.iter().filter(|(part, _)| span.contains(*part)).cloned().collect();
        inner.sort_by_key(|(part, _)| (part.start, std::cmp::Reverse(part.end)));
        let text = cx.filled_in(span, &inner);
        let text = if is_chain(&text) { text } else { cx.grouped(&text) };
        inside.extend(uses.map(|of| (cx.span(of.id), text.clone())));
    }
    inside.sort();
    let is_whole = matches!(&inside[..], [(span, _)] if *span == cx.span(value));
    if inside.is_empty() || is_whole {
        let text = inside.pop().map(|(_, text)| text);
        return Some(text.unwrap_or_else(|| cx.bracketed(value)));
    }
    let text = cx.filled_in(cx.span(value), &inside);
    Some(if is_chain(&text) { text } else { cx.grouped(&text) })
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_class_that_keeps_one_value_becomes_that_value() {
        let text = "class A:\n    def __init__(self, b):\n        self.c = b\nprint(A(1).c)\n";
        assert_eq!(removed("python", text, "A", ways), ["print(1)\n"]);
    }

    #[test]
    fn a_class_with_a_method_keeps_more() {
        let text = "class A:\n    def __init__(self, b):\n        self.c = b\n    def d(self):\n        pass\nprint(A(1).c)\n";
        assert_eq!(removed("python", text, "A", ways), [""; 0]);
    }
}
