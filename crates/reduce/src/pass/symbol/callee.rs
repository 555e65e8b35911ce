//! Replaces the called expression of a call by the name of a class.
//!
//! ```text
//! def f(b): return b[0]()
//! // ->
//! def f(b): return A()
//! ```

use super::Context;
use super::class::classes;
use super::way::Way;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;

pub(super) fn ways(cx: &Context<'_>, callee: NodeId) -> Vec<Way> {
    classes(cx, callee).map(|class| vec![Edit::replace(cx.span(callee), &*class.text)].into()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{texts, with_context};
    use super::ways;

    #[test]
    fn a_class_takes_the_place_of_what_is_called() {
        let text = "class A:\n    pass\ndef f(b):\n    return b[0]()\n";
        let all = with_context("python", text, |cx, _| {
            texts(cx, cx.symbols.callees().flat_map(|callee| ways(cx, callee)).collect())
        });
        assert_eq!(all, ["class A:\n    pass\ndef f(b):\n    return A()\n"]);
    }
}
