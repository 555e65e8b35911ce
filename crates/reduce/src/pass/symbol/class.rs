//! Replaces a variable that is called by the name of a class.
//!
//! ```text
//! def f(a): return a()
//! // ->
//! def f(): return A()
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Symbol};
use nubbin_syntax::NodeId;

/// Maximum number of classes tried in place of one called expression.
const CLASSES: usize = 3;

pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let is_called = subject.uses.iter().any(|one| one.arguments.is_some());
    if !subject.symbol.is(NameKind::Variable) || !is_called {
        return Vec::new();
    }
    let way = |class: &Symbol| subject.without_definitions(subject.renamed(cx, class));
    classes(cx, subject.first.id).map(way).collect()
}

/// Lists the classes of the outermost scope that are defined before a position, nearest first. A called
/// expression can be an object of any of them.
pub(super) fn classes<'c>(cx: &Context<'c>, before: NodeId) -> impl Iterator<Item = &'c Symbol> {
    let symbols = cx.symbols;
    let all = symbols.peers(0, NameKind::Class);
    let all = &all[..all.partition_point(|&(id, _)| id < before)];
    let all = all.iter().rev().map(|&(_, class)| &symbols[class]);
    all.filter(|class| class.references.iter().all(|one| one.object.is_none())).take(CLASSES)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_class_takes_the_place_of_what_is_called() {
        let text = "class A:\n    pass\ndef f(a):\n    return a()\n";
        assert_eq!(removed("python", text, "a", ways), ["class A:\n    pass\ndef f():\n    return A()\n"]);
    }
}
