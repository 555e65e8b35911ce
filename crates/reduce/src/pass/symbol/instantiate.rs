//! Replaces a template parameter by its argument if every use of the template has the same argument.
//!
//! ```text
//! template<class T, class V> struct A { T a; V v; };  A<int, char> b;
//! // ->
//! template<class V> struct A { int a; V v; };  A<char> b;
//! ```

use super::Context;
use super::leave::joined;
use super::remove::Subject;
use super::room::Room;
use super::template::{is_pack, same_given};
use super::way::Way;
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Span};
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::BTreeSet;

/// If the argument names classes that are defined later, they are moved before the template or declared there.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let Some((first, text)) = given_everywhere(cx, subject) else { return Vec::new() };
    if text.len() * subject.uses.len() > cx.source.len().max(1 << 16) {
        return Vec::new();
    }
    let uses = subject.uses.iter();
    let edits: Vec<Edit> = uses.map(|one| Edit::replace(cx.span(one.id), text.clone())).collect();
    let before = defined_before(cx, first, subject.first.id, subject.room);
    let before = if before.is_empty() { vec![Vec::new()] } else { before };
    let way = |before: Vec<Edit>| {
        let edits = edits.iter().cloned().chain(before);
        joined(subject.without_definitions(edits).into()).into()
    };
    before.into_iter().map(way).collect()
}

/// Returns the argument that every use of the template has for the parameter, and its text.
fn given_everywhere(
    cx: &Context<'_>,
    Subject { symbol, first, .. }: &Subject<'_>,
) -> Option<(NodeId, Vec<u8>)> {
    let parameter = first.id;
    let (template, place) = cx.symbols.parameter(parameter)?;
    let template = Some(&cx.symbols[template]).filter(|one| one.is_generic)?;
    if is_pack(cx, parameter) {
        return None;
    }
    let first = same_given(cx, template, place, &symbol.text)?;
    let is_type = symbol.is(NameKind::Type);
    let text = if is_type { cx.text(first).to_vec() } else { cx.bracketed(first) };
    cx.symbols.is_known_at(first, parameter).then_some((first, text))
}

/// Makes the classes that an expression names known before a position, if they are defined after it. The
/// alternatives move the definitions there or add declarations. Returns nothing if no class is defined later.
fn defined_before(cx: &Context<'_>, expression: NodeId, before: NodeId, room: &Room) -> Vec<Vec<Edit>> {
    let tree = cx.tree;
    let inside = cx.symbols.references_in(expression).map(|(_, symbol)| symbol);
    let later: BTreeSet<usize> = inside
        .filter(|&symbol| cx.symbols[symbol].definitions.first().is_some_and(|one| one.id > before))
        .collect();
    let Some(part) = cx.symbols.up(before).find(|&id| tree.node(id).parent == 0) else { return Vec::new() };
    let start = cx.span(part).start;
    let (mut moved, mut declared) = (Vec::new(), Vec::new());
    let (mut definitions, mut declarations) = (Vec::new(), Vec::new());
    for symbol in later {
        let [one] = &cx.symbols[symbol].definitions[..] else { continue };
        let (Some(body), Some(unit)) = (cx.symbols.class_body(one.id), cx.definition_unit(one.whole)) else {
            continue;
        };
        let whole = cx.with_end(unit);
        if room.take(whole.len() as usize).is_none() {
            return Vec::new();
        }
        if !cx.symbols.holds(unit, body) || whole.start < cx.span(part).end {
            continue;
        }
        let head = Span::new(whole.start, cx.span(body).start).of(cx.source).trim_ascii_end();
        declarations.extend([head, cx.syntax().terminator(), b"\n"].concat());
        definitions.extend([whole.of(cx.source), b"\n"].concat());
        moved.push(Edit::delete(deletion_span(cx.source, whole)));
    }
    if declarations.is_empty() {
        return Vec::new();
    }
    let insert = |text: Vec<u8>| Edit::replace(Span::new(start, start), text);
    moved.push(insert(definitions));
    declared.push(insert(declarations));
    vec![moved, declared]
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn what_every_use_gives_takes_the_place_of_a_parameter() {
        let text = "template<class T, class V> struct A { T a; V v; }; A<int, char> b;";
        assert_eq!(
            removed("cpp", text, "T", ways),
            ["template<class V> struct A { int a; V v; }; A<char> b;"]
        );
    }

    #[test]
    fn different_arguments_take_no_place() {
        let text = "template<class T, class V> struct A { T a; }; A<int, char> b; A<char, char> c;";
        assert_eq!(removed("cpp", text, "T", ways), [""; 0]);
    }
}
