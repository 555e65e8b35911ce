//! Tests of name resolution for each language.
//!
//! In a test, `a#0` is a definition of symbol 0, and `a@0` a reference to it; a name that the text does not
//! define has no mark. The marks are removed to get the text.

use super::*;
use crate::{Language, NameKind, Registry};
use nubbin_syntax::Parser;
use regex::{Captures, Regex};
use std::collections::HashMap;

fn symbols(language: &str, text: &str) -> Symbols {
    symbols_in(Registry::built_in().get(language).expect("it is built in"), text)
}

/// Finds the symbols with only a grammar and the kinds of leaves that are names.
fn symbols_of_grammar(language: &str, words: &str, text: &str) -> Symbols {
    let parsers = crate::registry::parsers();
    let (_, grammar) = parsers.into_iter().find(|(name, _)| *name == language).expect("it is built in");
    let folder = crate::Folder::built_in(language, "name = \"x\"\ntitle = \"X\"", &[]);
    let folder = folder.with_sentences(&format!("words = {words}\n[kinds]")).expect("it is valid");
    symbols_in(&Language::new(grammar(), &folder).expect("it is valid"), text)
}

fn symbols_in(language: &Language, text: &str) -> Symbols {
    let parsed = Parser::new(language.grammar()).parse(text.as_bytes());
    assert_eq!(parsed.errors(), 0, "{text}");
    let whole = Span::new(0, text.len() as u32);
    let (tree, source) = (Tree::new(&parsed, 0).into(), text.as_bytes().into());
    Symbols::new(language, &parsed, &tree, &source, whole).expect("the language has names")
}

/// Writes a mark after each identifier; symbols are numbered by their first places.
fn marked(symbols: &Symbols) -> String {
    let defined = symbols.places.defined.iter().map(|(&id, &symbol)| (id, symbol, '#'));
    let referred = symbols.places.referred.iter().map(|(&id, &symbol)| (id, symbol, '@'));
    let is_known = |symbol: SymbolId| !symbols[symbol].definitions.is_empty();
    let mut places: Vec<(NodeId, SymbolId, char)> =
        defined.chain(referred).filter(|&(_, symbol, _)| is_known(symbol)).collect();
    places.sort_unstable();
    let (mut text, mut at) = (String::new(), 0);
    let mut numbers: HashMap<SymbolId, usize> = HashMap::new();
    let source = std::str::from_utf8(symbols.source()).expect("it is text");
    for (id, symbol, mark) in places {
        let (end, next) = (symbols.span(id).end as usize, numbers.len());
        let number = numbers.entry(symbol).or_insert(next);
        text += &source[at..end];
        text.push(mark);
        text += &number.to_string();
        at = end;
    }
    text + &source[at..]
}

fn check(language: &str, expected: &[&str]) {
    let mark = Regex::new(r"(\w)[#@]\d+").expect("it is one");
    for &expected in expected {
        let text = mark.replace_all(expected, |found: &Captures<'_>| found[1].to_owned());
        assert_eq!(marked(&symbols(language, &text)), expected);
    }
}

/// Returns the symbol with this name and kind.
fn find<'s>(symbols: &'s Symbols, name: &str, kind: NameKind) -> &'s Symbol {
    let mut all = symbols.all().iter();
    all.find(|symbol| &*symbol.text == name.as_bytes() && symbol.is(kind)).expect("it is there")
}

#[cfg(feature = "c")]
#[test]
fn names_of_c_are_those_of_the_innermost_scope_around_them() {
    check(
        "c",
        &[
            "int f#0(int a#1) { return a@1; } int b#2 = f@0(1);",
            "int a#0; int f#1(void) { int a#2; { int a#3; a@3 = 1; } return a@2; } int *b#4 = &a@0;",
            "struct a#0 { int b#1; } a#2; int f#3(void) { return a@2.b@1; }",
            "typedef struct s#0 { struct s@0 *n#1; } t#2; t@2 *x#3; int f#4(void) { return x@3->n@1 == 0; }",
            "enum e#0 { A#1, B#2 }; int f#3(enum e@0 x#4) { return x@4 == A@1; }",
            "#define M#0(x) (x + 1)\nint a#1 = M@0(2);",
            "int f#0(void) { goto end@1; end#1: return g(); }",
            "int f#0(int); int f#0(int a#1) { return f@0(a@1); }",
            "int f#0(void) { for (int i#1 = 0; i@1 < 1; i@1++) { i@1; } return i; }",
        ],
    );
}

#[cfg(feature = "c")]
#[test]
fn an_unknown_name_hides_none_that_a_later_scope_defines() {
    check("c", &["int f#0() { return a + a; } int g#1() { int a#2; return a@2; } int h#3() { return a; }"]);
}

#[cfg(feature = "cpp")]
#[test]
fn names_of_cpp_may_be_members_and_parameters_of_templates() {
    check(
        "cpp",
        &[
            "struct A#0 { int b#1; int f#2() { return b@1; } }; int g#3(A@0 a#4) { return a@4.f@2() + a@4.b@1; }",
            "template<class T#0> struct A#1 { using U#2 = T@0; }; A@1<int>::U@2 x#3;",
            "template<class T#0, class... U#1> int f#2(T@0 a#3, U@1... b#4) { return g(a@3, b@4...); } int x#5 = f@2<int>(1);",
            "namespace n#0 { int a#1; } int b#2 = n@0::a@1; using namespace n@0; int c#3 = a@1;",
            "struct A#0 { A@0(int a#1) : b@2(a@1) {} int b#2; }; struct B#3 : A@0 { B@3() : A@0(1) {} }; B@3 x#4;",
            "int a#0; auto f#1 = [&](int b#2) { return a@0 + b@2; };",
            "class A#0 { static int b#1; }; int A@0::b@1 = 1;",
            "template<class T#0> concept C#1 = true; template<C@1 T#2> void f#3(T@2); enum class E#4 { A#5 }; E@4 e#6 = E@4::A@5;",
        ],
    );
}

#[cfg(feature = "python")]
#[test]
fn names_of_python_reach_the_function_around_them() {
    check(
        "python",
        &[
            "a#0 = 1\ndef f#1(a#2, b#3=2):\n    return a@2 + b@3\nf@1(a@0, b=3)\n",
            "def f#0():\n    global a@1\n    a#1 = 1\nprint(a@1)\n",
            "class A#0:\n    def __init__#1(self#2, b#3):\n        self@2.b#4 = b@3\n    def f#5(self#6):\n        return self@6.b@4\nA@0(1).f@5()\n",
            "import os.path as p#0, sys#1\nfrom a import b#2\nprint(p@0, sys@1, b@2)\n",
            "a#0 = [i@1 for i#1 in b if i@1]\nf#2 = lambda x#3, *y#4, **z#5: (x@3, y@4, z@5)\n",
            "class A#0(B):\n    c#1 = 1\n    def d#2(self#3):\n        return A@0.c@1 + c\n",
            "def f#0():\n    a#1 = 1\n    def g#2():\n        nonlocal a@1\n        a#1 = 2\n    return a@1\n",
            "for a#0, b#1 in c:\n    pass\nwith d as e#2, f as g#3:\n    e@2\ntry:\n    pass\nexcept X as h#4:\n    h@4\n(i#5 := 1)\n",
        ],
    );
}

#[cfg(feature = "javascript")]
#[test]
fn names_of_javascript_are_hoisted_or_of_a_block() {
    check(
        "javascript",
        &[
            "var a#0 = 1; function f#1(a#2, b#3 = 2) { return a@2 + b@3; } f@1(a@0);",
            "let a#0; { let a#1 = 1; a@1; } a@0; function f#2() { if (1) { var b#3; } return b@3; }",
            "class A#0 { constructor(b#1) { this.b#2 = b@1; } f#3() { return this.b@2; } } new A@0(1).f@3();",
            "const f#0 = (a#1) => a@1, g#2 = function h#3() { return h@3; }; g@2(f@0);",
            "const { a#0, b: c#1 } = d; import e#2, { x as y#3 } from 'z'; a@0 + c@1 + e@2 + y@3;",
            "for (const a#0 of b) a@0; try { c(); } catch (e#1) { e@1; } l#2: for (;;) break l@2;",
            "var o#0 = { p#1: 1, q#2() { return o@0.p@1; } }; o@0.q@2();",
        ],
    );
}

#[cfg(feature = "lua")]
#[test]
fn what_lua_assigns_is_known_everywhere_unless_it_is_declared_around_it() {
    check(
        "lua",
        &[
            "a#0 = 1 do local a#1 = 2 a@1 = 3 end print(a@0)",
            "function f#0() a#1 = 1 end local b#2 b@2 = a@1",
        ],
    );
}

/// Returns the text of the argument for each parameter of a function in its first call.
fn arguments(symbols: &Symbols, function: &Symbol) -> Vec<Option<String>> {
    let call = function.calls().find(|call| call.arguments.is_some()).expect("it is called");
    let count = symbols.lists_of(function).map(<[_]>::len).max().unwrap_or(0);
    let given = (0..count).map(|place| symbols.argument(function, call, place));
    given.map(|id| id.map(|id| String::from_utf8_lossy(symbols.text(id)).into_owned())).collect()
}

#[cfg(feature = "python")]
#[test]
fn arguments_are_told_by_their_names_and_places() {
    let of = |text: &str| {
        let symbols = symbols("python", text);
        let function = find(&symbols, "f", NameKind::Function);
        arguments(&symbols, function).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    assert_eq!(of("def f(a, b, c):\n    pass\nf(1, c=3, b=2)\n"), ["1", "b=2", "c=3"]);
    assert_eq!(of("def f(a, b=0):\n    pass\nf(1)\n"), ["1", ""]);
    assert_eq!(of("def f(a, b):\n    pass\nf(*x)\n"), ["", ""]);
    assert_eq!(of("def f(*a):\n    pass\nf(*x)\n"), ["*x"]);
    let symbols = symbols("python", "def f(a):\n    pass\nf(a=1)\n");
    assert_eq!(find(&symbols, "a", NameKind::Variable).references.len(), 1);
}

#[cfg(feature = "zig")]
#[test]
fn arguments_behind_a_bracket_are_told_without_their_commas() {
    let symbols = symbols("zig", "fn f(a: u8, b: u8) void {}\nconst c = f(1, g(2));\n");
    let function = find(&symbols, "f", NameKind::Function);
    assert_eq!(arguments(&symbols, function), [Some("1".to_owned()), Some("g(2)".to_owned())]);
}

#[cfg(feature = "python")]
#[test]
fn an_object_is_the_argument_for_the_parameter_that_a_call_leaves_out() {
    let symbols = symbols("python", "class A:\n    def f(self, b):\n        pass\na.f(1)\n");
    let method = find(&symbols, "f", NameKind::Method);
    assert_eq!(arguments(&symbols, method), [None, Some("1".to_owned())]);
    let object = symbols.given(method, &method.references[0], 0).expect("it is called on one");
    assert_eq!(symbols.text(object), b"a");
}

#[cfg(feature = "python")]
#[test]
fn a_class_hands_its_arguments_to_the_constructor_of_its_base() {
    let text = "class A:\n    def __init__(self, b):\n        pass\nclass B(A):\n    pass\nB(1)\n";
    let symbols = symbols("python", text);
    let base = find(&symbols, "A", NameKind::Class);
    let handed: Vec<&[u8]> = base.handed.iter().map(|call| symbols.text(call.whole)).collect();
    assert_eq!(handed, [b"B(1)"]);
    let class = find(&symbols, "B", NameKind::Class).definitions[0].id;
    let of_base = symbols.base(class).expect("it has one");
    assert_eq!((symbols.text(of_base), symbols.heir(of_base)), (&b"A"[..], Some(class)));
}

#[cfg(feature = "cpp")]
#[test]
fn a_template_has_a_symbol_for_its_parameters_and_arguments() {
    let symbols = symbols(
        "cpp",
        "template<class T, class U> struct A {}; A<int, char> x; template<> struct A<int, int> {};",
    );
    let class = find(&symbols, "A", NameKind::Class);
    let template = symbols.generic_of(class.definitions[0].id).expect("it is one");
    assert!(template.is_generic && template.handed.len() == 1);
    assert_eq!(arguments(&symbols, template), [Some("int".to_owned()), Some("char".to_owned())]);
    let places = symbols.parameter_places(template, 0);
    let places: Vec<_> = places.into_iter().map(|id| String::from_utf8_lossy(symbols.text(id))).collect();
    assert_eq!(places, ["class T", "int", "int"]);
}

#[cfg(feature = "cpp")]
#[test]
fn a_member_is_known_by_its_class() {
    let symbols = symbols("cpp", "struct A { int b; }; struct C { int d; };");
    let member = find(&symbols, "d", NameKind::Field).definitions[0].id;
    let (class, member) = symbols.class_of(member).expect("it is a member");
    assert_eq!((symbols.text(class), symbols.text(member)), (&b"C"[..], &b"int d;"[..]));
    let before: Vec<&[u8]> = symbols.classes_before(class).map(|(id, _)| symbols.text(id)).collect();
    assert_eq!(before, [b"A"]);
}

#[cfg(feature = "c")]
#[test]
fn a_value_is_known_at_another_place_if_all_of_its_names_are() {
    let symbols = symbols("c", "int a; int f(int b) { int c = a + b; } int g(int b) { 1; } int h() { 1; }");
    let value = find(&symbols, "c", NameKind::Variable).definitions[0].value.expect("it has one");
    let body = |name: &str| find(&symbols, name, NameKind::Function).definitions[0].body.expect("it has one");
    let is_known_in = |name: &str| symbols.is_known_at(value, body(name) + 1);
    assert!(is_known_in("f") && is_known_in("g") && !is_known_in("h"));
}

#[cfg(feature = "c")]
#[test]
fn fields_tell_functions_calls_and_values_of_c() {
    let text = "int f(int a, b c) { int d = a; { g(d); } return d; } int h(int a) { return f(a, 1); }";
    let symbols = symbols_of_grammar("c", r#"["identifier", "type_identifier"]"#, text);
    assert_eq!(
        marked(&symbols),
        "int f#0(int a#1, b#2 c#3) { int d#4 = a@1; { g#5(d@4); } return d@4; } \
         int h#6(int a#7) { return f@0(a@7, 1); }"
    );
    let function = find(&symbols, "f", NameKind::Function);
    assert_eq!(arguments(&symbols, function), [Some("a".to_owned()), Some("1".to_owned())]);
    let body = function.definitions[0].body.expect("it has one");
    let result = symbols.returns(body).map(|(_, result)| symbols.text(result.expect("it has one")));
    assert_eq!(result.collect::<Vec<_>>(), [b"d"]);
    let call = find(&symbols, "g", NameKind::Variable).definitions[0].id;
    assert_eq!(symbols.statement(call).map(|id| symbols.text(id)), Some(&b"g(d);"[..]));
}

#[cfg(feature = "javascript")]
#[test]
fn fields_tell_methods_and_functions_that_are_values() {
    let text = "f = (a) => a + b; class c { m(a) { return a } } new c().m(f(b)); for (a of b) { a }";
    let words = r#"["identifier", "property_identifier"]"#;
    let symbols = symbols_of_grammar("javascript", words, text);
    assert_eq!(
        marked(&symbols),
        "f#0 = (a#1) => a@1 + b#2; class c#3 { m#4(a#5) { return a@5 } } \
         new c@3().m@4(f@0(b@2)); for (a#6 of b@2) { a@6 }"
    );
    let method = find(&symbols, "m", NameKind::Function);
    assert!(method.definitions[0].body.is_some());
    let call = &method.references[0];
    let object = call.object.map(|id| symbols.text(id));
    assert_eq!((object, symbols.text(call.whole)), (Some(&b"new c()"[..]), &b"new c().m(f(b))"[..]));
    let value = find(&symbols, "f", NameKind::Variable).definitions[0].value;
    assert_eq!(value.map(|id| symbols.text(id)), Some(&b"(a) => a + b"[..]));
}
