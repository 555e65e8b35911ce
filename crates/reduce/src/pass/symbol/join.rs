//! Inlines a section that is entered from a single place, and bypasses a section that only jumps to another
//! one.
//!
//! ```text
//!   br i1 %x, label %a, label %b
//! a:
//!   br label %b
//! b:
//!   ret void
//! // ->
//!   br i1 %x, label %b, label %b
//! b:
//!   ret void
//! ```

use super::Context;
use super::section::{Jump, Sections};
use super::text::outermost;
use super::way::Way;
use nubbin_language::{Definition, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Proposes to inline the target of a jump, and to bypass the section of the jump.
pub(super) fn ways(cx: &Context<'_>, sections: &Sections<'_>, from: usize, jump: &Jump) -> Vec<Way> {
    let mut ways = Vec::new();
    if let [(_, to)] = jump.targets[..] {
        ways.extend(joined(cx, sections, (from, jump), to));
    }
    let own = &sections[from];
    if let ([_, _], [(_, to)]) = (&own.members[..], &jump.targets[..]) {
        ways.extend(passed_by(cx, sections, from, *to));
    }
    ways
}

/// Replaces a jump by the text of its target, if nothing else leads there.
fn joined(cx: &Context<'_>, sections: &Sections<'_>, (from, jump): (usize, &Jump), to: usize) -> Option<Way> {
    if from == to || sections.is_root(to) || sections.ways_to(to).count() != 1 {
        return None;
    }
    let own = &sections[to];
    let (&head, rest) = own.members.split_first()?;
    let name = sections.name_of(from);
    let mut edits = Vec::new();
    let mut begin = rest;
    for origins in &own.origins {
        // There is one entry, so the value of each `phi` is known.
        let (&member, after) = begin.split_first()?;
        let (one, symbol) = only_definition(cx, member)?;
        let value = one.value.filter(|_| origins.member == member && origins.entries.len() == 1)?;
        edits.extend(symbol.references.iter().map(|one| Edit::replace(cx.span(one.id), cx.text(value))));
        begin = after;
    }
    for &id in sections.origins_from(to) {
        edits.push(Edit::replace(cx.symbols.name(id), &*name));
    }
    let (first, last) = (begin.first()?, begin.last()?);
    let content = Span::new(cx.span(*first).start, cx.span(*last).end);
    if cx.span(jump.member).end <= cx.span(head).start
        && sections[from].members.last() == Some(&jump.member)
        && from + 1 == to
    {
        // Text between the two sections, such as a comment, belongs to neither.
        edits.push(Edit::delete(Span::new(cx.span(jump.member).start, content.start)));
        return Some(outermost(edits).into());
    }
    edits.sort_by_key(|edit| edit.span.start);
    let (inside, outside): (Vec<Edit>, Vec<Edit>) =
        edits.into_iter().partition(|edit| content.contains(edit.span));
    let inside: Vec<(Span, Vec<u8>)> = inside.into_iter().map(|edit| (edit.span, edit.text.into())).collect();
    let text = cx.filled_in(content, &inside);
    let moved = cx.removals.edits(own.members.iter().copied());
    let place = Edit::replace(cx.span(jump.member), text);
    Some(outermost(outside.into_iter().chain(moved).chain([place]).collect()).into())
}

/// Redirects all jumps to a section to the target of its only jump, and removes the section.
fn passed_by(cx: &Context<'_>, sections: &Sections<'_>, own: usize, to: usize) -> Option<Way> {
    if own == to || sections.is_root(own) {
        return None;
    }
    let own_name = sections[own].name?;
    let text = &cx.symbols[sections[to].name?].text;
    let mut edits = cx.removals.edits(sections[own].members.iter().copied());
    let mut ways = sections.ways_to(own);
    let first = ways.next()?;
    let is_told = sections[to].origins.iter().any(|origins| !origins.entries.is_empty());
    let origin = if is_told {
        // The section there has entries (`phi`). It can get only one new entry, and none from a section that
        // has one already.
        let is_double = sections.ways_to(to).any(|from| from == first);
        Some((ways.next().is_none() && !is_double).then(|| sections.name_of(first))?)
    } else {
        None
    };
    for one in &cx.symbols[own_name].references {
        match &origin {
            Some(name) if cx.symbols.is_origin(one.id) => {
                edits.push(Edit::replace(cx.symbols.name(one.id), &**name));
            }
            _ => edits.push(Edit::replace(cx.symbols.name(one.id), &**text)),
        }
    }
    Some(outermost(edits).into())
}

/// Returns the only definition in a member, if nothing else defines its symbol.
fn only_definition<'c>(cx: &Context<'c>, member: NodeId) -> Option<(&'c Definition, &'c Symbol)> {
    let mut defined = cx.symbols.definitions_in(member);
    let symbol = &cx.symbols[defined.next().filter(|_| defined.next().is_none())?.1];
    let [one] = &symbol.definitions[..] else { return None };
    Some((one, symbol))
}

#[cfg(test)]
mod tests {
    use super::super::section::Sections;
    use super::super::tests::{texts, with_context};
    use super::ways;

    fn all(text: &str) -> Vec<String> {
        with_context("llvm", text, |cx, _| {
            let mut found = Vec::new();
            for sections in Sections::all(cx) {
                found.extend(sections.jumps().flat_map(|(from, _, jump)| ways(cx, &sections, from, jump)));
            }
            texts(cx, found)
        })
    }

    #[test]
    fn a_section_takes_the_place_of_the_only_jump_to_it() {
        let text = "define i8 @f(i8 %x) {
  br label %b
a:
  %z = phi i8 [ %y, %b ]
  ret i8 %z
b:
  %y = phi i8 [ %x, %0 ]
  br label %a
}
";
        assert_eq!(
            all(text),
            [
                "define i8 @f(i8 %x) {
  br label %a
a:
  %z = phi i8 [ %x, %0 ]
  ret i8 %z
}
",
                "define i8 @f(i8 %x) {
  br label %b
b:
  %y = phi i8 [ %x, %0 ]
  ret i8 %y
}
"
            ]
        );
    }

    #[test]
    fn a_section_that_only_jumps_on_goes() {
        let text = "define void @f(i1 %x) {
  br i1 %x, label %a, label %b
a:
  br label %b
b:
  ret void
}
";
        let gone = "define void @f(i1 %x) {\n  br i1 %x, label %b, label %b\nb:\n  ret void\n}\n";
        assert_eq!(all(text), [gone]);
    }
}
