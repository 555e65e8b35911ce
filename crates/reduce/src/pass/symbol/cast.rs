//! Removes a variable that is never read; each assigned value stays, converted to the type of the variable.
//!
//! ```text
//! char a;  int f() { a = 2; }
//! // ->
//! int f() { (char)2; }
//! ```

use super::Context;
use super::assignment::is_target;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::Reference;
use nubbin_syntax::edit::Edit;

/// Returns nothing if a use is not an assignment.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let Some(one) = subject.only() else { return Vec::new() };
    let convert = |at: &&Reference| {
        let text = cx.cast(one, &cx.bracketed(at.rest?))?;
        is_target(cx, at).then(|| Edit::replace(cx.span(at.whole), text))
    };
    let converted: Option<Vec<Edit>> = subject.uses.iter().map(convert).collect();
    converted.map(|edits| subject.without_definitions(edits)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn an_assignment_becomes_a_value_of_its_type() {
        let text = "char a; int f() { a = 2; }";
        assert_eq!(removed("c", text, "a", ways), ["int f() { (char)2; }"]);
    }

    #[test]
    fn what_is_read_is_not_only_assigned() {
        let text = "char a; int f() { a = 2; return a; }";
        assert_eq!(removed("c", text, "a", ways), [""; 0]);
    }
}
