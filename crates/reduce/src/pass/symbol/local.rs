//! Turns a parameter into a local variable of the function and removes its arguments.
//!
//! ```text
//! int f(int a, int b) { return a; }  int c = f(1, 2);
//! // ->
//! int f(int b) { int a; return a; }  int c = f(2);
//! ```

use super::Context;
use super::remove::Subject;
use super::text::lossy;
use super::way::Way;
use nubbin_syntax::edit::{Edit, Span};

pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let edit = declared(cx, subject);
    edit.map(|edit| subject.gone.iter().cloned().chain([edit]).collect()).into_iter().collect()
}

fn declared(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Edit> {
    let (function, place) = cx.symbols.parameter(subject.only()?.id)?;
    let definition = cx.symbols[function].definitions.iter().find(|one| one.body.is_some())?;
    let form = definition.says.forms.declare.as_ref()?;
    let parameter = *cx.symbols.members(definition.parameters).get(place)?;
    let first = cx.tree.members(definition.body?).next()?;
    let text = form.replace("{parameter}", &lossy(cx.text(parameter)));
    let text = text.replace("{name}", &lossy(&subject.symbol.text));
    let start = cx.span(first).start;
    Some(Edit::replace(Span::new(start, start), format!("{text} ").into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_parameter_becomes_a_variable() {
        let text = "int f(int a, int b) { return a; } int c = f(1, 2);";
        assert_eq!(removed("c", text, "a", ways), ["int f(int b) { int a; return a; } int c = f(2);"]);
    }
}
