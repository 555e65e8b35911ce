//! A class takes the place of an expression that is called.

use super::Context;
use super::class::classes;
use super::way::Way;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;

/// The name of a class takes the place of the expression.
pub(super) fn ways(cx: &Context<'_>, callee: NodeId) -> Vec<Way> {
    classes(cx, callee).map(|class| vec![Edit::replace(cx.span(callee), &*class.text)].into()).collect()
}
