//! Replaces a variable by a pointer to the other operand of its only use.
//!
//! ```text
//! int **a, *b;  int f() { return a != b; }
//! // ->
//! int *b;  int f() { return &b != b; }
//! ```
//!
//! The new text is longer than the name, so only the removal of the definition makes the candidate smaller.

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Symbol};
use nubbin_syntax::edit::Edit;

/// Returns nothing unless the variable has one use, next to another variable.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let [one] = subject.uses[..] else { return Vec::new() };
    if !subject.symbol.is(NameKind::Variable) || subject.only().is_none() || one.whole != one.id {
        return Vec::new();
    }
    let parent = cx.tree.node(one.id).parent;
    let operands: Vec<_> = cx.tree.children(parent).filter(|&child| cx.tree.node(child).is_named()).collect();
    let [left, right] = operands[..] else { return Vec::new() };
    let neighbour = if left == one.id { right } else { left };
    let is_it = |symbol: &&Symbol| symbol.references.iter().any(|other| other.id == neighbour);
    let Some(other) = cx.symbols.all().iter().find(is_it) else { return Vec::new() };
    let form = other.definitions.first().and_then(|one| one.says.forms.pointer.as_deref());
    let Some(form) = form.filter(|_| !std::ptr::eq(other, subject.symbol)) else { return Vec::new() };
    let text = form.replace("{name}", &String::from_utf8_lossy(&other.text));
    vec![subject.without_definitions([Edit::replace(cx.span(one.id), text.into_bytes())])]
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_pointer_to_the_other_operand_takes_the_place_of_a_name_that_is_used_once() {
        let text = "int **a, *b; int f() { return a != b; }";
        assert_eq!(removed("c", text, "a", ways), ["int *b; int f() { return &b != b; }"]);
        assert_eq!(removed("c", text, "b", ways), ["int **a; int f() { return a != &a; }"]);
    }

    #[test]
    fn what_is_used_twice_or_beside_no_name_stays() {
        for text in ["int a, b; int f() { return a + b + a; }", "int a; int f() { return a + 1; }"] {
            assert_eq!(removed("c", text, "a", ways), [""; 0], "{text}");
        }
        assert_eq!(removed("python", "a = 1\nb = 2\nprint(a + b)\n", "a", ways), [""; 0]);
    }
}
