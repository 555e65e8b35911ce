//! Turns the word for the object of a method into a parameter when the method leaves its class.
//!
//! ```text
//! impl A { fn f(&self) -> u8 { self.b } }
//! // ->
//! fn f(this: &A) -> u8 { this.b }
//! ```

use super::Context;
use super::text::lossy;
use nubbin_language::Definition;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// The name of the parameter; `rename` shortens it.
pub(super) const RECEIVER: &[u8] = b"this";

/// The changes to the method.
pub(super) struct Received {
    pub edits: Vec<Edit>,
    /// The generic parameters of the class, which the method needs now.
    pub inserts: Vec<(u32, Vec<u8>)>,
}

impl Received {
    /// Handles a method whose first parameter is a word, as in `fn f(&self)`. Returns `None` if the language
    /// does not define how such a parameter is declared.
    pub fn new(cx: &Context<'_>, one: &Definition, parameter: NodeId) -> Option<Self> {
        let (forms, body) = (&one.says.forms, one.body?);
        let (class, member) = cx.symbols.class_of(one.id)?;
        let name = whole_name(cx, class);
        let form = forms.receiver.as_ref()?.replace("{name}", &lossy(RECEIVER));
        let declared = form.replace("{class}", &lossy(name)).into_bytes();
        let mut edits = vec![Edit::replace(cx.span(parameter), declared)];
        let leaves = |from: NodeId, to: NodeId| (from..to).filter(|&id| cx.tree.is_leaf(id));
        let (after, end) = (cx.tree.node(parameter).after, cx.tree.node(member).after);
        let objects = leaves(body, end).filter(|&id| forms.is_this(cx.text(id)));
        edits.extend(objects.map(|id| Edit::replace(cx.span(id), RECEIVER)));
        let is_class =
            |id: &NodeId| forms.itself.as_ref().is_some_and(|word| cx.text(*id) == word.as_bytes());
        edits.extend(leaves(after, end).filter(is_class).map(|id| Edit::replace(cx.span(id), name)));
        Some(Self { edits, inserts: generics(cx, one.id, class).into_iter().collect() })
    }
}

/// Returns the name of a class with its type arguments.
fn whole_name<'c>(cx: &Context<'c>, class: NodeId) -> &'c [u8] {
    let members = cx.symbols.class_body(class).map_or(u32::MAX, |body| cx.span(body).start);
    let (start, mut whole) = (cx.span(class).start, class);
    for id in cx.symbols.up(class).skip(1) {
        let span = cx.span(id);
        if span.start < start || span.end > members {
            break;
        }
        whole = id;
    }
    cx.text(whole)
}

/// Returns the text that adds the generic parameters of a class to a function, and its position.
fn generics(cx: &Context<'_>, name: NodeId, class: NodeId) -> Option<(u32, Vec<u8>)> {
    let list = cx.span(cx.symbols.class_generics(class)?);
    let (at, text) = (cx.span(name).end, list.of(cx.source));
    if cx.source.get(at as usize) != text.first() {
        return Some((at, text.to_vec()));
    }
    let inner = Span::new(list.start + 1, list.end - 1).of(cx.source);
    Some((at + 1, [inner, cx.syntax().separator()].concat()))
}
