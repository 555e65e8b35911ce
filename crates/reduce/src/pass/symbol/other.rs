//! Replaces a symbol by another symbol of the same kind.
//!
//! ```text
//! char a;  int b;  char c;  int f() { return c; }
//! // ->
//! char a;  int b;  int f() { return a; }
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Symbol};
use nubbin_syntax::edit::Edit;

struct Tuning {
    /// Maximum number of symbols that are tried in place of each one. More cost probes and did not give smaller
    /// results.
    others: usize,
    /// Number of neighbouring symbols among which one of the same type is searched for.
    near_symbols: usize,
}

const TUNING: Tuning = Tuning { others: 1, near_symbols: 8 };

/// Replaces each use and removes the definitions. If the symbol is the only parameter of a template, a class
/// can also get the name of the parameter, because the expected message can quote that name.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let others = others(cx, subject).into_iter();
    let others = others.filter(|other| !other.definitions.iter().any(|one| subject.heirs.contains(&one.id)));
    let mut ways: Vec<Way> =
        others.map(|other| subject.without_definitions(subject.renamed(cx, other))).collect();
    if subject.symbol.is(NameKind::Type) && subject.is_only_parameter {
        let class = nearest(cx, subject, NameKind::Class).into_iter().next();
        let named = |id| Edit::replace(cx.symbols.name(id), &*subject.symbol.text);
        ways.extend(class.map(|class| subject.without_definitions(class.places().map(named))));
    }
    ways
}

/// Lists the symbols of the same kind that are known wherever this one is: first those of the same type, then
/// the nearest. If no other variable is known, the class of its value is listed, which also has members. For
/// the only parameter of a template, the nearest class is added.
fn others<'c>(cx: &Context<'c>, subject: &Subject<'_>) -> Vec<&'c Symbol> {
    let symbol = subject.symbol;
    if symbol.is(NameKind::Variable) && symbol.definitions.len() > 1 {
        // A variable that is assigned several times holds state.
        return Vec::new();
    }
    let Some(kind) = symbol.kind else { return Vec::new() };
    let mut near = nearest(cx, subject, kind);
    near.sort_by_key(|other| type_of(cx, other) != type_of(cx, symbol));
    near.truncate(TUNING.others);
    if near.is_empty() && kind == NameKind::Variable {
        near.extend(class_of_value(cx, subject));
    }
    if kind == NameKind::Type && subject.is_only_parameter {
        near.extend(nearest(cx, subject, NameKind::Class).first());
    }
    near
}

/// Returns the class that the value of a variable begins with, as in `a = A()` and `a = new A()`.
fn class_of_value<'c>(cx: &Context<'c>, subject: &Subject<'_>) -> Option<&'c Symbol> {
    let value = subject.first.value?;
    let (start, text) = (cx.span(value).start, cx.text(value));
    let begins = |id| {
        let span = cx.span(id);
        let before = span.start.checked_sub(start).and_then(|length| text.get(..length as usize));
        let is_word = |before: &[u8]| before.trim_ascii_end().iter().all(u8::is_ascii_alphabetic);
        before.is_some_and(is_word) && span.end < cx.span(value).end
    };
    let near = nearest(cx, subject, NameKind::Class);
    near.into_iter().find(|class| class.references.iter().any(|one| begins(one.id)))
}

/// Lists symbols of a kind that are known wherever a symbol is, in each scope the nearest first.
fn nearest<'c>(
    cx: &Context<'c>,
    Subject { id, symbol, first, .. }: &Subject<'_>,
    kind: NameKind,
) -> Vec<&'c Symbol> {
    let place = first.id;
    let mut near = Vec::new();
    for scope in cx.symbols.scopes(symbol.scope) {
        let peers = cx.symbols.peers(scope, kind);
        let (before, after) = peers.split_at(peers.partition_point(|&(other, _)| other < place));
        let mut before = before.iter().rev().peekable();
        let mut after = after.iter().filter(|&&(_, other)| other != *id).peekable();
        while near.len() < TUNING.near_symbols {
            let next = match (before.peek(), after.peek()) {
                (Some((left, _)), Some((right, _))) if place - left > right - place => after.next(),
                (None, _) => after.next(),
                _ => before.next(),
            };
            let Some(&(_, other)) = next else { break };
            near.push(&cx.symbols[other]);
        }
    }
    near
}

/// Returns the text of the type that a symbol is declared with.
fn type_of<'c>(cx: &Context<'c>, symbol: &Symbol) -> Option<&'c [u8]> {
    symbol.definitions.first().and_then(|one| one.type_of).map(|id| cx.text(id))
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_symbol_of_the_same_type_comes_before_a_nearer_one() {
        let text = "char a; int b; char c; int f() { return c; }";
        assert_eq!(removed("c", text, "c", ways), ["char a; int b; int f() { return a; }"]);
    }

    #[test]
    fn a_class_takes_the_place_of_the_only_parameter_of_a_template() {
        for name in ["f", "operator<<"] {
            let text = format!("struct A {{ template <class T> int {name}(T); }};");
            let plain = |class| format!("struct {class} {{ int {name}({class}); }};");
            assert_eq!(removed("cpp", &text, "T", ways), [plain("A"), plain("T")]);
        }
    }

    #[test]
    fn a_class_takes_the_place_of_its_object_where_there_is_no_other_variable() {
        let text = "class A:\n    pass\na = A()\na.b = 1\nf(a)\n";
        assert_eq!(removed("python", text, "a", ways), ["class A:\n    pass\nA.b = 1\nf(A)\n"]);
        let text = format!("c = 2\n{text}");
        assert_eq!(removed("python", &text, "a", ways), ["c = 2\nclass A:\n    pass\nc.b = 1\nf(c)\n"]);
    }

    #[test]
    fn a_variable_that_is_defined_again_stays() {
        let text = "a = 1\nb = 2\nb = 3\nprint(b)\n";
        assert_eq!(removed("python", text, "b", ways), [""; 0]);
    }
}
