//! Passes over names on whole files and on unusual ones: every delta can be applied, and the result is text.

use nubbin::edit::Patch;
use nubbin::pass::{CandidateFilter, Snapshot, by_name};
use nubbin::syntax::Parser;
use nubbin::{Reduction, Registry, Verdict};
use proptest::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

const PASSES: [&str; 7] = [
    "remove-symbol",
    "remove-parameter",
    "inline-function",
    "remove-indirection",
    "variable-to-literal",
    "local-to-global",
    "rename",
];

/// Returns the results of each delta of each pass over names, by pass.
fn results(language: &str, source: &[u8]) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let language = Registry::built_in().get(language).expect("a built-in language");
    let parsed = Parser::new(language.grammar()).parse(source);
    let snapshot = Snapshot::new(source.into(), language, parsed);
    let of_pass = |name: &'static str| {
        let proposal = by_name(name).expect("a pass").propose(&snapshot);
        assert_eq!(proposal.filter, CandidateFilter::Syntax, "{name}: candidates fit the grammar");
        let apply = |delta| {
            let edits = proposal.edits(&|_| false, &[delta]);
            assert!(!edits.is_empty(), "{name}: a delta changes something");
            for edit in &edits {
                assert!(edit.span.end as usize <= source.len(), "{name}: {edit:?} is in the text");
            }
            Patch::new(edits).apply(source, proposal.seam)
        };
        (name, (0..proposal.len() as u32).map(apply).collect())
    };
    PASSES.map(of_pass).into()
}

#[apply(test)]
fn every_delta_on_the_corpus_applies_and_yields_text() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut tried = 0;
    for case in std::fs::read_dir(corpus).expect("a readable folder") {
        let folder = case.expect("an entry").path();
        let Ok(files) = std::fs::read_dir(&folder) else { continue };
        for file in files.map(|file| file.expect("an entry").path()) {
            let Ok(content) = std::fs::read(&file) else { continue };
            let Some(language) = Registry::built_in().detect(&file, &content) else { continue };
            if file.file_stem().is_none_or(|stem| stem != "input") || content.len() > 100_000 {
                continue;
            }
            for (pass, results) in results(language.name(), &content) {
                tried += results.len();
                for text in results {
                    assert!(std::str::from_utf8(&text).is_ok(), "{pass} on {}", file.display());
                    assert_ne!(text, content, "{pass} on {} changes something", file.display());
                }
            }
        }
    }
    assert!(tried > 100, "only {tried} deltas");
}

#[apply(test)]
fn names_in_the_scripts_of_a_page_are_names() {
    let page = b"<p>x</p><script>let value = 1; f(value);</script><script>let other = 2; g(other);</script>";
    let all = results("html", page);
    let of = |pass: &str| all.iter().find(|(name, _)| *name == pass).expect("a pass").1.clone();
    let holds = |pass: &str, text: &str| of(pass).iter().any(|result| result == text.as_bytes());
    assert!(holds(
        "remove-symbol",
        "<p>x</p><script>f(1);</script><script>let other = 2; g(other);</script>"
    ));
    assert!(holds(
        "remove-symbol",
        "<p>x</p><script>let value = 1; f(value);</script><script>g(2);</script>"
    ));
    assert!(holds(
        "rename",
        "<p>x</p><script>let a = 1; f(a);</script><script>let other = 2; g(other);</script>"
    ));
}

/// Asserts that a pass leads from one text to each of the others in one step.
fn leads(language: &str, pass: &str, before: &str, after: &[&str]) {
    let all = results(language, before.as_bytes());
    let found = &all.iter().find(|(name, _)| *name == pass).expect("a pass").1;
    for wanted in after {
        let is_there = found.iter().any(|result| result == wanted.as_bytes());
        let found: Vec<_> = found.iter().map(|text| String::from_utf8_lossy(text)).collect();
        assert!(is_there, "no step to\n{wanted}\namong\n{}", found.join("---\n"));
    }
}

#[apply(test)]
fn a_method_becomes_a_function_before_its_class_with_or_without_its_object() {
    let python =
        "class A:\n    x = 1\n    def f(self, a):\n        return self.f(a)\nb = A()\nb.f(2)\nA.f(b, 3)\n";
    leads(
        "python",
        "remove-symbol",
        python,
        &["def f(a):\n    return f(a)\nclass A:\n    x = 1\nb = A()\nf(2)\nf(3)\n"],
    );
    let with_object = "class A:\n    x = 1\n    def f(self):\n        return g(self)\nA().f()\nA().f().f()\n";
    leads(
        "python",
        "remove-symbol",
        with_object,
        &["def f(self):\n    return g(self)\nclass A:\n    x = 1\nf(A())\nf(f(A()))\n"],
    );
    let javascript = "class A { static async f(a) { return A.f(a); } g() {} }\nA.f(1);\n";
    leads(
        "javascript",
        "remove-symbol",
        javascript,
        &["async function f(a) { return f(a); }\nclass A { g() {} }\nf(1);\n"],
    );
    let cpp = "struct A { int x; static int f(int); };\nint A::f(int a) { return f(a); }\nint b = A::f(1) + A().f(2);\n";
    leads(
        "cpp",
        "remove-symbol",
        cpp,
        &["struct A { int x; };\nint f(int a) { return f(a); }\nint b = f(1) + f(2);\n"],
    );
}

#[apply(test)]
fn a_class_is_replaced_by_its_members_everywhere() {
    let python = "class A:\n    x = 1\n    @staticmethod\n    def s(a):\n        return A.x\n    def __init__(self, a):\n        self.y = A.s(a)\n    def f(self):\n        return self.f() + self.y\nA(2).f()\n";
    leads(
        "python",
        "remove-symbol",
        python,
        &[
            "x = 1\ndef s(a):\n    return x\ndef A(a):\n    y = s(a)\ndef f():\n    return f() + y\nf()\n",
            "x = 1\ndef s(a):\n    return x\ndef A(self, a):\n    y = s(a)\ndef f(self):\n    return f(self) + y\nf(A(2))\n",
        ],
    );
    let javascript =
        "class A { x = 1; constructor(a) { this.x = a; } f() { return this.x; } }\nnew A(2).f();\n";
    leads(
        "javascript",
        "remove-symbol",
        javascript,
        &["var x = 1; function A(a) { x = a; } function f() { return x; }\nf();\n"],
    );
    let cpp = "class A : B { public: A() {} virtual int f() const override { return this->x; } int x; };\nint g(A *a) { return a->f() + a->x; }\n";
    leads(
        "cpp",
        "remove-symbol",
        cpp,
        &["int x;\nint f() { return x; }\nint g(int *a) { return f() + x; }\n"],
    );
}

#[apply(test)]
fn an_object_used_only_for_calls_is_removed_with_its_class() {
    let python = "class A:\n    def f(self):\n        return 1\na = A()\na.f()\n";
    leads("python", "remove-symbol", python, &["def f():\n    return 1\nf()\n"]);
    let cpp = "struct A { A(int) {} int f() { return 1; } };\nint g() { A a(2), *b = &a; return a.f() + b->f(); }\n";
    leads(
        "cpp",
        "remove-symbol",
        cpp,
        &["int f() { return 1; }\nint g() { int a(2), *b = &a; return f() + f(); }\n"],
    );
    let alone = "struct A { A(int) {} int f() { return 1; } };\nint g() { A a(2); return a.f(); }\n";
    leads("cpp", "remove-symbol", alone, &["int f() { return 1; }\nint g() { return f(); }\n"]);
}

#[apply(test)]
fn a_class_is_removed_even_if_its_members_refer_to_it() {
    let cpp = "struct A { A(int) {} A *next; int f() { return next->f(); } };\nint main() { A a(1); return a.f(); }\n";
    leads("cpp", "remove-symbol", cpp, &["int *next; int f() { return f(); }\nint main() { return f(); }\n"]);
}

#[apply(test)]
fn a_namespace_that_is_opened_twice_is_removed_from_all_names_together() {
    let before = "namespace n { int f(); }\nnamespace n { int g(); }\nusing n::f;\nint a = n::f() + n::g();\nnamespace m = n;\nint b = m::g();\n";
    leads(
        "cpp",
        "remove-symbol",
        before,
        &[
            "namespace n { int f(); }\nnamespace n { int g(); }\nusing n::f;\nint a = n::f() + n::g();\nint b = n::g();\n",
        ],
    );
    let before =
        "namespace n { int f(); }\nnamespace n { int g(); }\nusing n::f;\nint a = n::f() + n::g();\n";
    leads("cpp", "remove-symbol", before, &[" int f(); \n int g(); \nint a = f() + g();\n"]);
}

#[apply(test)]
fn a_template_parameter_is_removed_with_its_arguments_or_replaced_by_them() {
    let before = "template <class T, int N> T f(T a) { return f<T, N>(a); }\ntemplate <> int f<int, 4>(int);\nint x = f<int, 3>(1);\n";
    leads(
        "cpp",
        "remove-symbol",
        before,
        &[
            "template <int N> int f(int a) { return f<N>(a); }\ntemplate <> int f<4>(int);\nint x = f<3>(1);\n",
        ],
    );
    leads(
        "cpp",
        "remove-parameter",
        before,
        &[
            "template <class T> T f(T a) { return f<T>(a); }\ntemplate <> int f<int>(int);\nint x = f<int>(1);\n",
        ],
    );
    let only = "template <class T> struct A { T x; A<T> *y; };\ntemplate <class T> struct A<T *> { T z; };\nA<long> a;\n";
    leads("cpp", "remove-symbol", only, &["struct A { long x; A *y; };\nA a;\n"]);
    leads(
        "cpp",
        "remove-parameter",
        "template <class T, int N> struct A { int x; };\nA<int, 3> a;\n",
        &["struct A { int x; };\nA a;\n"],
    );
}

#[apply(test)]
fn a_specialisation_replaces_its_template() {
    let full = "template <class T> struct A;\ntemplate <> struct A<int> { int x; };\nA<int> a;\n";
    leads("cpp", "remove-symbol", full, &["struct A { int x; };\nA a;\n"]);
    let partial =
        "template <class T> struct A { };\ntemplate <class T> struct A<T *> { T x; };\nA<int *> a;\n";
    leads("cpp", "remove-symbol", partial, &["template <class T> struct A { T x; };\nA<int *> a;\n"]);
}

#[apply(test)]
fn a_pack_of_types_becomes_one_with_the_parameters_of_these_types() {
    let before = "template <class... T> void f(T... a) { g(a...); }\n";
    leads("cpp", "remove-symbol", before, &["template <class T> void f(T a) { g(a); }\n"]);
}

#[apply(test)]
fn a_class_is_replaced_by_its_inner_classes() {
    let before = "struct A { struct B { int x; }; typedef B C; };\nA::B a;\nA::C b;\n";
    leads("cpp", "remove-symbol", before, &["struct B { int x; }; typedef B C;\nB a;\nC b;\n"]);
}

#[apply(test)]
fn a_concept_no_longer_requires_anything() {
    let before = "template <class T> concept C = D<T>;\ntemplate <C T> void f(T);\n";
    leads("cpp", "remove-symbol", before, &["template <class T> void f(T);\n"]);
}

#[apply(test)]
fn a_template_is_replaced_by_its_instances() {
    leads(
        "cpp",
        "remove-symbol",
        "template <class T, class U = char> using A = B<U, T *>;\nA<A<int, long>> a;\n",
        &["B<char, B<long, int *> *> a;\n"],
    );
    leads(
        "cpp",
        "remove-symbol",
        "template <class... T> constexpr bool v = __is_same(T...);\ntemplate <class U, class... P> int f(B<v<U, P...>>);\n",
        &["template <class U, class... P> int f(B<__is_same(U, P...)>);\n"],
    );
    leads(
        "cpp",
        "remove-symbol",
        "template <class T> class A : public B<T, 1> {};\nstruct C : A<int> { int x; };\nint y = A<C>::z;\n",
        &["struct C : B<int, 1> { int x; };\nint y = B<C, 1> ::z;\n"],
    );
    leads(
        "cpp",
        "remove-symbol",
        "template <int N> int v = N + 1;\nint x = 2 * v<3>;\n",
        &["int x = 2 * (3 + 1);\n"],
    );
}

#[apply(test)]
fn a_member_of_a_template_is_replaced_by_its_value() {
    let types = "template <class T> struct A { typedef B<T> t; };\ntemplate <class U> struct C { typedef A<U> a; typedef typename a::t t; t x; typename A<t *>::t y; };\n";
    leads(
        "cpp",
        "remove-symbol",
        types,
        &[
            "template <class T> struct A { typedef B<T> t; };\ntemplate <class U> struct C { typedef typename A<U> ::t t; t x; typename A<t *>::t y; };\n",
            "template <class T> struct A { typedef B<T> t; };\ntemplate <class U> struct C { typedef A<U> a; typename a::t x; typename A<typename a::t *>::t y; };\n",
        ],
    );
    let of_template = "template <class T> struct A { typedef B<T> t; };\ntemplate <class U> struct C { typename A<U>::t x; typename A<typename A<U>::t *>::t y; };\n";
    leads(
        "cpp",
        "remove-symbol",
        of_template,
        &["template <class T> struct A { };\ntemplate <class U> struct C { B<U> x; B<B<U> *> y; };\n"],
    );
    let special = "template <bool, class> struct A;\ntemplate <class T> struct A<true, T> { typedef T t; };\ntypename A<x, int>::t y;\n";
    let other = "template <bool, class> struct A;\ntemplate <class T> struct A<true, T> { };\nint y;\n";
    leads("cpp", "remove-symbol", special, &[other]);
    leads(
        "cpp",
        "remove-symbol",
        "template <int N> struct A { static const int v = N; };\nint y = A<4>::v;\n",
        &["template <int N> struct A { };\nint y = 4;\n"],
    );
}

#[apply(test)]
fn arguments_that_are_the_same_in_every_use_of_a_template_are_inlined() {
    leads(
        "cpp",
        "remove-parameter",
        "template <bool, class> struct A;\ntemplate <class T> struct A<true, T> { typedef T t; };\ntypename A<x, int>::t y;\n",
        &[
            "template <bool> struct A;\ntemplate < > struct A<true> { typedef int t; };\ntypename A<x>::t y;\n",
        ],
    );
    leads(
        "cpp",
        "remove-symbol",
        "template <class T> struct A { T a; };\nstruct B { int x; };\nA<B> b;\n",
        &[
            "struct B { int x; };\nstruct A { B a; };\nA b;\n",
            "struct B;\nstruct A { B a; };\nstruct B { int x; };\nA b;\n",
        ],
    );
    leads(
        "cpp",
        "remove-symbol",
        "template <class... T> struct A { B<T...> f(T...); };\n",
        &["template <class T> struct A { B<T> f(T); };\n"],
    );
}

#[apply(test)]
fn neighbouring_classes_become_one_and_members_need_no_object_inside() {
    leads(
        "cpp",
        "remove-symbol",
        "struct A { int x; };\nclass B : C { B(A a) : y(a.x) {} int y; };\nB b;\n",
        &["struct A { int x;  A(A a) : y(a.x) {} int y; };\nA b;\n"],
    );
    leads(
        "cpp",
        "remove-symbol",
        "struct A { int x; A(A &a) : x(a.x + a.f()) {} int f(); };\nint y = A().x;\n",
        &["struct A { int x; A(A &a) : x(x + a.f()) {} int f(); };\nint y = A().x;\n"],
    );
}

#[apply(test)]
fn a_trait_is_removed_with_its_specialisations_its_alias_and_their_uses() {
    let before = "template <class T> struct A { };\ntemplate <> struct A<int> { };\ntemplate <class T> using B = typename A<T>::t;\ntemplate <class T> bool c = A<T>::v;\nint f(B<int> *a);\nint d = c<int>;\nint e;\n";
    leads("cpp", "remove-symbol", before, &["int f();\nint e;\n"]);
}

#[apply(test)]
fn a_name_beyond_any_depth_is_found_in_time() {
    let begin = Instant::now();
    let deep = format!("int x; int y = {}x{};", "(".repeat(20_000), ")".repeat(20_000));
    let nested = format!("void f() {{ int a; {}a; {} }}", "{ int b; a; ".repeat(3000), "}".repeat(3000));
    let fields = format!("struct s {{ int a; }}; int x = y{};", ".a".repeat(5000));
    let arguments = format!(
        "int f({}) {{ return 1; }} int x = f({});",
        "int, ".repeat(999) + "int a",
        "1, ".repeat(999) + "1"
    );
    for text in [deep, nested, fields, arguments] {
        results("c", text.as_bytes());
    }
    let classes = "class A:\n  def f(self):\n    return self.f()\n".repeat(500);
    results("python", classes.as_bytes());
    let chain = format!("class A:\n  def f(self):\n    pass\nA(){}\n", ".f()".repeat(1000));
    results("python", chain.as_bytes());
    let inner = format!("{}int x;{}", "struct A { int f(); ".repeat(300), "};".repeat(300));
    results("cpp", inner.as_bytes());
    let types =
        format!("template <class T> struct A {{ }}; {}x;", "A<".repeat(500) + "int" + &">".repeat(500));
    results("cpp", types.as_bytes());
    let chain: Vec<String> =
        (1..4000).map(|i| format!("template <class T> struct A{i} {{ A{}<T> a; }};", i - 1)).collect();
    results("cpp", chain.concat().as_bytes());
    let aliases: Vec<String> =
        (1..1000).map(|i| format!("template <class T> using A{i} = A{}<A{0}<T>>;", i - 1)).collect();
    results("cpp", aliases.concat().as_bytes());
    let uses = format!("template <class T> using A = T *; {}x;", "A<".repeat(500) + "int" + &">".repeat(500));
    results("cpp", uses.as_bytes());
    assert!(begin.elapsed() < Duration::from_secs(300), "quadratic time");
}

/// Reduces a program in which these words and the calls with arguments must stay, and in which the text
/// before and after a name is the same at all of its places. Each form includes one that declares the name.
fn core(program: &str, words: &[&str], name: &str, forms: &[(&str, &str, &str)]) -> String {
    let language = Registry::built_in().get("c").expect("a built-in language");
    let oracle = |candidate: &[u8]| {
        let text: String =
            String::from_utf8_lossy(candidate).split_whitespace().collect::<Vec<_>>().join(" ");
        let fits = Parser::new(language.grammar()).parse(candidate).errors() == 0;
        let is_used = |(declared, before, after): &(&str, &str, &str)| {
            let is_declared = text.matches(declared).count() == 1;
            let call = |word: &&str| text.contains(&format!("{word}({before}{name}{after}"));
            is_declared && words.iter().all(call)
        };
        let structure = "struct s { int a; int b; };";
        let fits =
            fits && text.contains("int f() {") && (text.contains(structure) || !text.contains("struct s"));
        if fits && forms.iter().any(is_used) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let outcome = Reduction::new(program.as_bytes()).language(language).run(&oracle).expect("interesting");
    String::from_utf8(outcome.best).expect("text stays text").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[apply(test)]
fn an_array_and_a_pointer_become_plain_variables() {
    let forms = [("int v[2];", "", "[1]);"), ("int v;", "", ");")];
    let array = "int v[2];\nint b;\nint f() {\n  while (b) g(v[1]);\n  return h(v[1]);\n}\n";
    assert_eq!(core(array, &["g", "h"], "v", &forms), "int v; int f() { g(v); h(v); }");
    let forms = [("int *v;", "*", ");"), ("int v;", "", ");")];
    let pointer = "int *v;\nint b;\nint f() {\n  v = &b;\n  while (b) g(*v);\n  return h(*v);\n}\n";
    assert_eq!(core(pointer, &["g", "h"], "v", &forms), "int v; int f() { g(v); h(v); }");
}

#[apply(test)]
fn a_structure_becomes_the_used_member() {
    let forms = [("struct s v;", "", ".a);"), ("int v;", "", ");")];
    let program =
        "struct s { int a; int b; };\nstruct s v;\nint b;\nint f() {\n  g(v.a);\n  return h(v.a);\n}\n";
    assert_eq!(core(program, &["g", "h"], "v", &forms), "int v; int f() { g(v); h(v); }");
}

#[apply(test)]
fn indirections_in_long_texts_are_removed_in_time() {
    let begin = Instant::now();
    let chain: Vec<String> = (1..1000).map(|i| format!("int *p{i} = p{}; g(*p{i});", i - 1)).collect();
    let nested = format!("int a[1]; int x = {}0{};", "a[".repeat(3000), "]".repeat(3000));
    let many = format!("int f(int *a) {{ return *a; }} int x = {};", "f(&x) + ".repeat(3000) + "1");
    let declared = "int f(int *a);".repeat(3000) + "int *a;" + &"extern int *a;".repeat(3000);
    let members: Vec<String> =
        (0..1000).map(|i| format!("struct s{i} {{ int a; int *b; }} v{i}; int x{i} = v{i}.a;")).collect();
    for text in [format!("int *p0; {}", chain.concat()), nested, many, declared, members.concat()] {
        let all = results("c", text.as_bytes());
        assert!(all.iter().any(|(pass, _)| *pass == "remove-indirection"));
    }
    assert!(begin.elapsed() < Duration::from_secs(300), "quadratic time");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[apply(test)]
    fn odd_text_is_no_reason_to_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("int f(int a) { return a; }"), Just("f("), Just(")"), Just("f(1);"), Just("typedef struct s s;"),
                Just("#define M(x) x\n"), Just("M(2)"), Just("a = 1;"), Just("{"), Just("}"), Just("struct s { int a; };"),
                Just("p->a"), Just("int *p = &a;"), Just("int b[2] = {1, 2};"), Just("*p = b[1];"), Just("int g(int *, int *c);"), Just("def f(self, a=1):\n    return a\n"), Just("class C:\n  x = 1\n"), Just("f(a=2)\n"),
                Just("const g = x => x;"), Just("import a as b\n"), Just("f(a, b) int a; { }"), Just("(x := y)"), Just(","),
                Just("template <class T> struct S { T t; };"), Just("S<int> s;"), Just("namespace n { int v; }"), Just("n::v"),
            ],
            0..12,
        ),
        language in prop_oneof![Just("c"), Just("cpp"), Just("python"), Just("javascript")],
    ) {
        results(language, parts.concat().as_bytes());
    }
}
