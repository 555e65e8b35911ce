//! Replaces a parameter by the result of the only method that is called on it.
//!
//! ```text
//! fn f(a: A) { g(a.e()); }     // where A::e returns &B
//! // ->
//! fn f(a: &B) { g(a); }
//! ```

use super::Context;
use super::way::Way;
use nubbin_language::{Reference, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;

/// Returns nothing if the parameter has another use, or if its function is called.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    given(cx, symbol).map(Into::into).into_iter().collect()
}

fn given(cx: &Context<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let [one] = &symbol.definitions[..] else { return None };
    let own_type = one.type_of?;
    let (function, _) = cx.symbols.parameter(one.id)?;
    if cx.symbols[function].calls().next().is_some() {
        return None;
    }
    let calls: Vec<NodeId> = symbol.references.iter().map(|one| call_on(cx, one)).collect::<Option<_>>()?;
    let called = cx.symbols.called_by(*calls.first()?)?;
    if called == function || calls.iter().any(|&call| cx.symbols.called_by(call) != Some(called)) {
        return None;
    }
    let result = cx.symbols[called].definitions.iter().find_map(|one| one.type_of)?;
    let mut edits = vec![Edit::replace(cx.span(own_type), cx.text(result))];
    edits.extend(calls.iter().map(|&call| Edit::replace(cx.span(call), cx.text(one.id))));
    Some(edits)
}

/// Returns the call of a method whose object is this reference.
fn call_on(cx: &Context<'_>, object: &Reference) -> Option<NodeId> {
    let mut around = cx.symbols.up(object.id).skip(1);
    let call = around.find(|&id| cx.symbols.called_by(id).is_some())?;
    let called = &cx.symbols[cx.symbols.called_by(call)?];
    let is_on_it = |one: &Reference| one.whole == call && one.object == Some(object.id);
    called.references.iter().any(is_on_it).then_some(call)
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn what_a_method_gives_becomes_the_parameter() {
        let text = "impl A { fn e(&self) -> &B { loop {} } }\nfn f(a: A) { g(a.e()); }\n";
        let made = "impl A { fn e(&self) -> &B { loop {} } }\nfn f(a: &B) { g(a); }\n";
        assert_eq!(rewritten("rust", text, "a", ways), [made]);
    }

    #[test]
    fn a_parameter_with_another_use_stays() {
        let text = "impl A { fn e(&self) -> &B { loop {} } }\nfn f(a: A) { g(a.e()); h(a); }\n";
        assert_eq!(rewritten("rust", text, "a", ways), [""; 0]);
        let text = "impl A { fn e(&self) -> &B { loop {} } }\nfn f(a: A) { g(a.e()); }\nfn g() { f(A); }\n";
        assert_eq!(rewritten("rust", text, "a", ways), [""; 0]);
    }
}
