//! Removes the name of the only member of a structure.
//!
//! ```text
//! struct A { b: u8 }  fn f(a: A) -> u8 { a.b }
//! // ->
//! struct A(u8);  fn f(a: A) -> u8 { a.0 }
//! ```

use super::Context;
use super::remove::Subject;
use super::text::lossy;
use super::way::Way;
use nubbin_language::Reference;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// The first member of a structure without member names.
const FIRST: &[u8] = b"0";

pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    unnamed(cx, subject).map(Into::into).into_iter().collect()
}

fn unnamed(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Vec<Edit>> {
    let one = subject.only()?;
    let (form, only, value) = (one.says.unnamed.as_ref()?, one.only?, one.only_type?);
    let member = &cx.symbols[cx.symbols.defined_at(only)?];
    if member.definitions.len() != 1 {
        return None;
    }
    let list = cx.tree.node(cx.tree.node(only).parent).parent;
    if cx.tree.members(list).count() != 1 {
        return None;
    }
    let declared = form.replace("{type}", &lossy(cx.text(value))).into_bytes();
    let mut edits = vec![Edit::replace(cx.span(list), declared)];
    for other in &member.references {
        edits.extend(at(cx, other)?);
    }
    Some(edits)
}

/// Returns the edits at a reference to the member: an access, or the only value in a literal or a pattern.
fn at(cx: &Context<'_>, other: &Reference) -> Option<Vec<Edit>> {
    if other.object.is_some() {
        return Some(vec![Edit::replace(cx.span(other.id), FIRST)]);
    }
    let entry = cx.tree.node(other.id).parent;
    let list = cx.tree.node(entry).parent;
    let value = cx.tree.members(entry).last().filter(|&value| value != other.id)?;
    let close: Vec<NodeId> = cx.tree.children(list).skip_while(|&id| id <= entry).collect();
    let open = cx.tree.children(list).take_while(|&id| id < entry).last()?;
    let is_bracket = |id: NodeId, text: &[u8]| cx.text(id) == text;
    let is_only = is_bracket(open, b"{") && close.last().is_some_and(|&id| is_bracket(id, b"}"));
    if !is_only || !close[..close.len() - 1].iter().all(|&id| cx.text(id) == b",") {
        return None;
    }
    let (before, after) = (Span::new(cx.span(open).start, cx.span(value).start), cx.span(list).end);
    // Whitespace before the bracket is removed.
    let name = cx.source[..before.start as usize].trim_ascii_end().len() as u32;
    let before = Span::new(name, before.end);
    Some(vec![
        Edit::replace(before, &b"("[..]),
        Edit::replace(Span::new(cx.span(value).end, after), &b")"[..]),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_member_loses_its_name_where_it_is_declared_given_and_read() {
        let text = "struct A { b: u8 } fn f(A { b: c }: A) -> u8 { A { b: A { b: c }.b }.b }";
        let all = removed("rust", text, "A", ways);
        assert_eq!(all, ["struct A (u8); fn f(A(c): A) -> u8 { A(A(c).0).0 }"]);
    }

    #[test]
    fn several_members_keep_their_names() {
        let text = "struct A { b: u8, c: u8 } fn f(a: A) -> u8 { a.b }";
        assert_eq!(removed("rust", text, "A", ways), [""; 0]);
    }
}
