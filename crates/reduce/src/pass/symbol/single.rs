//! Replaces a list by the only element that is added to it.
//!
//! ```text
//! a = []
//! a.append(1)
//! for b in a: c(b)
//! // ->
//! a = 1
//! for b in [a]: c(b)
//! ```

use super::Context;
use super::remove::Subject;
use super::text::lossy;
use super::way::Way;
use nubbin_syntax::edit::{Edit, Span};

/// Returns nothing unless exactly one element is added to the list.
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

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn the_only_element_takes_the_place_of_a_list() {
        let text = "a = []\na.append(1)\nfor b in a:\n    c(b)\n";
        assert_eq!(removed("python", text, "a", ways), ["a = 1\nfor b in [a]:\n    c(b)\n"]);
    }

    #[test]
    fn several_elements_need_the_list() {
        let text = "a = []\na.append(1)\na.append(2)\nprint(a)\n";
        assert_eq!(removed("python", text, "a", ways), [""; 0]);
    }
}
