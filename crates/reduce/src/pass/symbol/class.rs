//! A class takes the place of a variable that is called.

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Symbol};
use nubbin_syntax::NodeId;

/// At most this many classes are tried in place of an expression that is called.
const CLASSES: usize = 3;

/// The name of a class takes the place of each use of the variable, and its definitions go.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let is_called = subject.uses.iter().any(|one| one.arguments.is_some());
    if !subject.symbol.is(NameKind::Variable) || !is_called {
        return Vec::new();
    }
    let way = |class: &Symbol| subject.without_definitions(subject.renamed(cx, class));
    classes(cx, subject.first.id).map(way).collect()
}

/// Lists the nearest classes that are known in the whole text and defined before a place, the nearest one first: an
/// expression that is called may be any of them.
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
