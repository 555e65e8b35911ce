//! Removes the object from a reference to a member inside its class.
//!
//! ```text
//! struct A { int a; int f(A *b) { return b->a; } };
//! // ->
//! struct A { int a; int f(A *b) { return a; } };
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::Reference;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::BTreeSet;

struct Tuning {
    /// Maximum number of definitions to look at, and of uses that lose their objects one at a time.
    tried: usize,
    /// Maximum number of references to a member that are searched for those inside its class.
    references: usize,
}

const TUNING: Tuning = Tuning { tried: 8, references: 1_000 };

/// Removes the objects of all uses inside the class, or of one of them.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let symbol = subject.symbol;
    let class = |id: NodeId| Some(cx.symbols.class_of(id)?.0);
    let own = symbol.definitions.iter().filter(|one| one.says.forms.own).take(TUNING.tried);
    let classes: BTreeSet<NodeId> = own.filter_map(|one| class(one.id)).collect();
    if classes.is_empty() {
        return Vec::new();
    }
    let is_inside = |id: NodeId| class(id).is_some_and(|class| classes.contains(&class));
    let inside = symbol.references.iter().take(TUNING.references);
    let inside = inside.filter(|one| one.object.is_some() && is_inside(one.id));
    let edit =
        |one: &Reference| Some(Edit::delete(Span::new(cx.span(one.object?).start, cx.span(one.id).start)));
    let edits: Vec<Edit> = inside.filter_map(edit).collect();
    let each: Vec<Way> = edits.iter().take(TUNING.tried).map(|edit| vec![edit.clone()].into()).collect();
    let all = (edits.len() > 1).then(|| edits.into());
    all.into_iter().chain(each).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_member_needs_no_object_in_its_class() {
        let text = "struct A { int a; int f(A *b) { return b->a; } };";
        assert_eq!(removed("cpp", text, "a", ways), ["struct A { int a; int f(A *b) { return a; } };"]);
    }

    #[test]
    fn outside_of_its_class_it_does() {
        let text = "struct A { int a; }; int f(A *b) { return b->a; }";
        assert_eq!(removed("cpp", text, "a", ways), [""; 0]);
    }
}
