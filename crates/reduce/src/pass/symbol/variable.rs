//! Turns a function into a variable whose value is the result of the function.
//!
//! ```text
//! int e() { return d() + 1; }  int x = e();
//! // ->
//! int e = d() + 1;  int x = e;
//! ```

use super::leave::joined;
use super::text::lossy;
use super::way::Way;
use super::{Context, made};
use nubbin_language::{Reference, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Replaces the parameters and the body by the value, and removes the brackets of all calls. A single parameter
/// is replaced by a value that is constructed from its type. Returns nothing if the function has several
/// parameters, does more than evaluate one expression, or calls itself.
pub(super) fn ways(cx: &Context<'_>, function: &Symbol) -> Vec<Way> {
    variable(cx, function).into_iter().collect()
}

fn variable(cx: &Context<'_>, function: &Symbol) -> Option<Way> {
    let [one] = &function.definitions[..] else { return None };
    let form = one.says.forms.variable.as_deref()?;
    let (list, body) = (one.parameters?, one.body?);
    let name = cx.span(one.id);
    let follows = Span::new(name.end, cx.span(list).start).of(cx.source).trim_ascii().is_empty();
    let parameters = cx.symbols.members(one.parameters);
    if !follows
        || parameters.len() > 1
        || function.references.iter().any(|one| cx.symbols.holds(body, one.id))
    {
        return None;
    }
    let value = cx.span(only_value(cx, body)?);
    let (mut inside, mut edits) = (Vec::new(), Vec::new());
    if let Some(&parameter) = parameters.first() {
        let parameter = &cx.symbols[cx.symbols.first_defined_in(parameter)?];
        let [own] = &parameter.definitions[..] else { return None };
        let uses: Vec<&Reference> = parameter.references.iter().collect();
        inside = made::values(cx, own, &uses)?;
        edits = made::said(cx, own)?;
    }
    let text = lossy(&cx.changed(value, inside).0);
    let whole = Span::new(cx.span(list).start, cx.span(body).end);
    edits.push(Edit::replace(whole, form.replace("{value}", &text).into_bytes()));
    for call in &function.references {
        if cx.symbols.members(call.arguments).len() > parameters.len() {
            return None;
        }
        edits.extend(call.arguments.map(|list| Edit::delete(cx.span(list))));
    }
    Some(joined(edits).into())
}

/// Returns the only expression that the body of a function returns or evaluates.
fn only_value(cx: &Context<'_>, body: NodeId) -> Option<NodeId> {
    let mut members = cx.tree.members(body);
    let (only, None) = (members.next()?, members.next()) else { return None };
    let is_only = |id: NodeId| id == only || cx.tree.members(only).eq([id]);
    match cx.symbols.returns(body).collect::<Vec<_>>()[..] {
        [(id, Some(result))] if is_only(id) => Some(result),
        [] => {
            let mut inside = cx.tree.members(only);
            let (value, None) = (inside.next()?, inside.next()) else { return None };
            // A statement of one word, or a statement that begins with another one, is not an expression.
            let starts = cx.span(value).start == cx.span(only).start;
            (starts && !cx.symbols.is_statement(value)).then_some(value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn a_function_without_parameters_becomes_a_variable() {
        let text = "template <class T> int d() { new T; } int e() { return d<b>() + 1; } int x = e();";
        let made = "template <class T> int d = new T; int e() { return d<b> + 1; } int x = e();";
        assert_eq!(rewritten("cpp", text, "d", ways), [made]);
        let made = "template <class T> int d() { new T; } int e = d<b>() + 1; int x = e;";
        assert_eq!(rewritten("cpp", text, "e", ways), [made]);
    }

    #[test]
    fn the_only_parameter_becomes_a_value_of_its_type() {
        let text = "template <class a> int f(a b) { b < b; } template <class c> int g(c d) { f(d); } int x = g(K());";
        let made =
            "template <class a> int f = a() < a(); template <class c> int g(c d) { f<c>; } int x = g(K());";
        assert_eq!(rewritten("cpp", text, "f", ways), [made]);
    }

    #[test]
    fn what_does_more_than_to_give_a_value_stays() {
        for text in [
            "int d() { int a; }",
            "int d() { { a; } }",
            "int d() { return; }",
            "int d() { a; return b; }",
            "int d(int a) { return a; }",
            "int d() { return d(); }",
            "auto d = [](int) { return 1; };",
        ] {
            assert_eq!(rewritten("cpp", text, "d", ways), [""; 0], "{text}");
        }
    }
}
