//! A list becomes the only element that is put into it.

use super::Context;
use super::remove::Subject;
use super::text::lossy;
use super::way::Way;
use nubbin_syntax::edit::{Edit, Span};

/// The element takes the place of the list; no way if several are put into it.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let references = &subject.symbol.references;
    if references.iter().filter(|one| one.element.is_some()).count() != 1 {
        return Vec::new();
    }
    let mut edits = subject.gone.clone();
    for one in references {
        let Some(form) = &one.single else { continue };
        let start = one.object.unwrap_or(one.id);
        let list = Span::new(cx.span(start).start, cx.span(one.id).end);
        let element = one.element.map_or(String::new(), |id| lossy(cx.text(id)));
        let text = form.replace("{list}", &lossy(list.of(cx.source))).replace("{element}", &element);
        edits.push(Edit::replace(cx.span(one.whole), text.into_bytes()));
    }
    vec![edits.into()]
}
