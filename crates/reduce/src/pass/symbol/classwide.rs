//! Makes a member static, so that its uses need no object.
//!
//! ```text
//! class A { int f() { } }  class B { int g(A a) { return a.f(); } }
//! // ->
//! class A { static int f() { } }  class B { int g(A a) { return A.f(); } }
//! ```

use super::Context;
use super::leave::joined;
use super::way::Way;
use nubbin_language::{Definition, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::BTreeSet;

/// Maximum number of members of a class that change together.
const MEMBERS: usize = 64;

/// Changes one member, or all members of a class.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    let [one] = &symbol.definitions[..] else { return Vec::new() };
    let members: BTreeSet<usize> = match cx.symbols.class_body(one.id) {
        Some(body) => cx.symbols.definitions_in(body).take(MEMBERS).map(|(_, symbol)| symbol).collect(),
        None => cx.symbols.defined_at(one.id).into_iter().collect(),
    };
    let members = members.into_iter().map(|member| &cx.symbols[member]);
    let class = cx.symbols.class_body(one.id).map(|_| one.id);
    changed(cx, class, members).into_iter().map(Into::into).collect()
}

/// Makes members static: those of the class `of`, or of any class if it is `None`. Returns `None` if no use
/// loses an object by that.
fn changed<'s>(
    cx: &Context<'_>,
    of: Option<NodeId>,
    members: impl Iterator<Item = &'s Symbol>,
) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut gains = false;
    for symbol in members {
        let [one] = &symbol.definitions[..] else { continue };
        let Some((class, member)) = cx.symbols.class_of(one.id) else { continue };
        let Some(word) = &one.says.forms.classwide else { continue };
        if of.is_some_and(|of| of != class) || has_word(cx, one, member, word.trim()) {
            continue;
        }
        let start = cx.span(member).start;
        edits.push(Edit::replace(Span::new(start, start), word.as_bytes()));
        let body = cx.symbols.class_body(class)?;
        for reference in &symbol.references {
            let Some(object) = reference.object else { continue };
            gains |= !one.says.forms.is_this(cx.text(object)) && cx.text(object) != cx.text(class);
            if cx.symbols.holds(body, reference.id) {
                edits.push(Edit::delete(Span::new(cx.span(object).start, cx.span(reference.id).start)));
            } else {
                edits.push(Edit::replace(cx.span(object), cx.text(class)));
            }
        }
    }
    gains.then(|| joined(edits))
}

/// Returns whether a definition already has the keyword before its name.
fn has_word(cx: &Context<'_>, one: &Definition, member: NodeId, word: &str) -> bool {
    (member..one.id).any(|id| cx.tree.is_leaf(id) && cx.text(id) == word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    const TEXT: &str =
        "class A { int a; int f() { return this.a; } static int g() { return new A().f(); } }\n";

    #[test]
    fn a_method_becomes_one_of_its_class() {
        let made = "class A { int a; static int f() { return this.a; } static int g() { return f(); } }\n";
        assert_eq!(rewritten("java", TEXT, "f", ways), [made]);
    }

    #[test]
    fn all_members_become_ones_of_their_class() {
        let made = "class A { static int a; static int f() { return a; } static int g() { return f(); } }\n";
        assert_eq!(rewritten("java", TEXT, "A", ways), [made]);
    }

    #[test]
    fn a_method_that_is_called_elsewhere_has_the_name_of_its_class_there() {
        let text = "class A { int f() { } }\nclass B { int g(A a) { return a.f(); } }\n";
        let made = "class A { static int f() { } }\nclass B { int g(A a) { return A.f(); } }\n";
        assert_eq!(rewritten("java", text, "f", ways), [made]);
    }

    #[test]
    fn a_method_that_needs_no_object_stays() {
        assert_eq!(rewritten("java", "class A { int f() { return f(); } }\n", "f", ways), [""; 0]);
    }
}
