//! Turns a variable into a parameter of the function that uses it, and its value into the argument of every
//! call.
//!
//! ```text
//! int f() { int a = 1; return a; }  int b = f();
//! // ->
//! int f(int a) { return a; }  int b = f(1);
//! ```

use super::text::lossy;
use super::way::Way;
use super::{Context, given};
use crate::pass::proposal::gain;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::{Definition, NameKind, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use std::collections::BTreeSet;

/// Proposes to turn each variable into a parameter, and to replace a parameter by the result of the only method
/// that is called on it.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        // The names in an argument must be known at the call, so their symbols must not become parameters
        // first.
        let mut needed = BTreeSet::new();
        for manner in [CallArgument::Given, CallArgument::Bare] {
            let all = cx.symbols.all().iter().enumerate();
            for (id, symbol) in all.filter(|(_, symbol)| symbol.is(NameKind::Variable)) {
                let way = if needed.contains(&id) { None } else { way(&cx, symbol, manner) };
                let Some(way) = way.filter(|way| gain(cx.source, way.edits()).0 > 0) else { continue };
                needed.extend(named_in(&cx, symbol.definitions.iter().filter_map(|one| one.value)));
                builder.single(Vec::from(way));
            }
        }
        for symbol in cx.symbols.all().iter().filter(|symbol| symbol.is(NameKind::Variable)) {
            let ways = given::ways(&cx, symbol).into_iter();
            ways.filter(|way| gain(cx.source, way.edits()).0 > 0)
                .for_each(|way| builder.single(Vec::from(way)));
        }
    }
    builder.build()
}

/// Lists the alternatives that make the text larger, each with its variable, for languages with a constant that
/// is valid for any variable. The removal of another variable with the same value can make up for the growth.
pub(super) fn detours<'c>(cx: &Context<'c>) -> impl Iterator<Item = (&'c Symbol, Vec<Edit>)> {
    let is_universal = |symbol: &&Symbol| symbol.definitions.iter().any(|one| one.says.forms.universal);
    let all = cx.symbols.all().iter().filter(|symbol| symbol.is(NameKind::Variable));
    let ways =
        all.filter(is_universal).filter_map(|symbol| Some((symbol, way(cx, symbol, CallArgument::Given)?)));
    let ways = ways.filter(|(_, way)| gain(cx.source, way.edits()).0 <= 0);
    ways.map(|(symbol, way)| (symbol, way.into()))
}

/// How the calls change when a variable becomes a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallArgument {
    /// Each call passes the value.
    Given,
    /// No call passes a value: the variable had none, or was global.
    Bare,
}

/// Turns a local variable into a parameter of the enclosing function, or another variable into a parameter of
/// the only function that uses it.
fn way(cx: &Context<'_>, symbol: &Symbol, manner: CallArgument) -> Option<Way> {
    let [one] = &symbol.definitions[..] else { return None };
    if cx.symbols.parameter(one.id).is_some() {
        return None;
    }
    let mut edits = cx.taken_away([cx.definition_unit(one.whole)?]);
    let saved: u32 = edits.iter().map(|edit| edit.span.len()).sum();
    let around = body_around(cx, one.id).or_else(|| function_around(cx, one));
    let is_local = around.is_some();
    if is_local && one.value.is_some() && manner == CallArgument::Bare {
        return None;
    }
    let (body, function) = around.or_else(|| body_of_uses(cx, symbol))?;
    let function = &cx.symbols[function];
    let is_given = manner == CallArgument::Given;
    let form = if is_given { &one.says.forms.parameter } else { &one.says.forms.bare };
    let parameter = as_parameter(cx, symbol, one, form.as_ref()?)?;
    for definition in &function.definitions {
        // A declaration without a body does not need a parameter that no call passes.
        let is_told = is_given || definition.body == Some(body);
        if let Some(list) = definition.parameters.filter(|_| is_told) {
            // In old C, parameters without types can only stand next to each other.
            if !is_given && !is_old(cx, list, is_local) {
                return None;
            }
            edits.push(appended(cx, list, &parameter)?);
        }
    }
    let lists = function.calls().filter_map(|call| Some((call.id, call.arguments?)));
    for (call, list) in lists.filter(|_| is_given) {
        // Each argument costs at least a byte, and there can be very many calls.
        if edits.len() > saved as usize {
            return None;
        }
        edits.push(appended(cx, list, &as_argument(cx, symbol, one, call)?)?);
    }
    Some(edits.into())
}

/// Lists the symbols that are used in some nodes.
fn named_in(cx: &Context<'_>, nodes: impl Iterator<Item = NodeId>) -> impl Iterator<Item = SymbolId> {
    nodes.flat_map(|id| cx.symbols.references_in(id)).map(|(_, symbol)| symbol)
}

/// A function, by the node of its body, or by its whole node if the language does not capture bodies.
type Around = (NodeId, SymbolId);

/// Returns the body of the innermost function around a node, if it has a parameter list.
fn body_around(cx: &Context<'_>, id: NodeId) -> Option<Around> {
    let mut around = cx.symbols.up(id).filter_map(|id| Some((id, cx.symbols.function_of(id)?)));
    let (body, function) = around.next()?;
    let mut definitions = cx.symbols[function].definitions.iter();
    let has_parameters = definitions.any(|one| one.body == Some(body) && one.parameters.is_some());
    has_parameters.then_some((body, function))
}

/// Returns the innermost node around a definition that defines a function by its first name. This is for
/// languages that do not capture bodies and have a constant that is valid for any variable.
fn function_around(cx: &Context<'_>, one: &Definition) -> Option<Around> {
    let mut around = cx.symbols.up(one.id).skip(1).filter(|_| one.says.forms.universal);
    around.find_map(|id| {
        let first = cx.symbols.first_defined_in(id)?;
        let has_parameters = |one: &Definition| one.parameters.is_some() && cx.symbols.holds(id, one.id);
        cx.symbols[first].definitions.iter().any(has_parameters).then_some((id, first))
    })
}

/// Returns the body of the only function that uses a symbol.
fn body_of_uses(cx: &Context<'_>, symbol: &Symbol) -> Option<Around> {
    let around = body_around(cx, symbol.references.first()?.id)?;
    symbol.references.iter().all(|one| cx.symbols.holds(around.0, one.id)).then_some(around)
}

/// Returns whether all parameters of a list have no types. An empty list counts unless `has_some` is true.
fn is_old(cx: &Context<'_>, list: NodeId, has_some: bool) -> bool {
    match cx.symbols.members(Some(list)) {
        [] => !has_some,
        [only] if cx.syntax().is_no_parameter(cx.text(*only)) => !has_some,
        all => all.iter().all(|&id| cx.text(id).iter().all(|&byte| is_word(byte))),
    }
}

/// Returns the text that declares a variable as a parameter.
fn as_parameter(cx: &Context<'_>, symbol: &Symbol, one: &Definition, form: &str) -> Option<Vec<u8>> {
    let kind = type_of(cx, symbol, one).map(|id| lossy(cx.text(id)));
    if kind.is_none() && form.contains("{type}") {
        return None;
    }
    let text = form.replace("{type}", &kind.unwrap_or_default());
    Some(text.replace("{name}", &lossy(cx.text(one.id))).into_bytes())
}

/// Returns the type of a variable: that of its definition, or of one of its uses.
fn type_of(cx: &Context<'_>, symbol: &Symbol, one: &Definition) -> Option<NodeId> {
    cx.type_of(one).or_else(|| symbol.references.iter().find_map(|other| other.type_of))
}

/// Returns the argument for a variable in a call: its value, if all names in it are known there, or a constant
/// if it has no value. If uses include the type, so does the constant.
fn as_argument(cx: &Context<'_>, symbol: &Symbol, one: &Definition, call: NodeId) -> Option<Vec<u8>> {
    let said = symbol.references.iter().find_map(|other| other.type_of).filter(|_| one.says.forms.universal);
    if let Some(said) = said {
        return Some([cx.text(said), b" ", cx.constant(one)?.as_bytes()].concat());
    }
    match one.value {
        Some(value) => cx.symbols.is_known_at(value, call).then(|| cx.text(value).to_vec()),
        None => Some(cx.constant(one)?.as_bytes().to_vec()),
    }
}

/// Appends a text to a list of parameters or arguments.
fn appended(cx: &Context<'_>, list: NodeId, text: &[u8]) -> Option<Edit> {
    match cx.symbols.members(Some(list)) {
        [] => {
            let open = cx.tree.children(list).next()?;
            let end = cx.span(open).end;
            Some(Edit::replace(Span::new(end, end), text))
        }
        [only] if cx.syntax().is_no_parameter(cx.text(*only)) => Some(Edit::replace(cx.span(*only), text)),
        [.., end] if *end == list => None,
        [.., end] => {
            let at = cx.span(*end).end;
            Some(Edit::replace(Span::new(at, at), [cx.syntax().separator(), text].concat()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn a_value_becomes_an_argument() {
        let text = "int f() { int a = 1; return a; } int b = f();";
        assert_eq!(proposed("c", text, propose), ["int f(int a) { return a; } int b = f(1);"]);
    }

    #[test]
    fn the_type_is_that_of_the_function_that_gives_the_value() {
        let text = "fn g() -> u8 { 1 }\nfn f() {\n    let a = g();\n    h(a);\n}\n";
        let made = "fn g() -> u8 { 1 }\nfn f(a: u8) {\n    h(a);\n}\n";
        assert_eq!(proposed("rust", text, propose), [made]);
    }

    #[test]
    fn what_an_instruction_gives_becomes_a_parameter_with_the_type_of_its_use() {
        let text = "define void @f(ptr %a) {\n  %b = getelementptr i8, ptr %a, i64 1\n  store i8 0, ptr %b\n  ret void\n}\ndefine void @g() {\n  call void @f(ptr null)\n  ret void\n}\n";
        let made = "define void @f(ptr %a, ptr %b) {\n  store i8 0, ptr %b\n  ret void\n}\ndefine void @g() {\n  call void @f(ptr null, ptr poison)\n  ret void\n}\n";
        assert_eq!(proposed("llvm", text, propose), [made]);
    }

    #[test]
    fn in_python_too() {
        let text = "def f():\n    a = 1\n    return a\nf()\n";
        assert_eq!(proposed("python", text, propose), ["def f(a):\n    return a\nf(1)\n"]);
    }
}
