//! Names on whole files and on odd ones: every delta applies, and leaves text.

use nubbin::Registry;
use nubbin::edit::Patch;
use nubbin::pass::{Filter, Snapshot, by_name};
use nubbin::syntax::Parser;
use proptest::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

const PASSES: [&str; 5] = ["unname", "argument", "inline", "level", "rename"];

/// What each delta of each pass over names makes of a text, by pass.
fn results(language: &str, source: &[u8]) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let language = Registry::built_in().get(language).expect("a built-in language");
    let parsed = Parser::new(language.grammar()).parse(source);
    let snapshot = Snapshot::new(source.into(), language, parsed);
    let of_pass = |name: &'static str| {
        let proposal = by_name(name).expect("a pass").propose(&snapshot);
        assert_eq!(proposal.filter, Filter::Syntax, "{name}: candidates fit the grammar");
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

#[test]
fn every_delta_on_the_corpus_applies_and_leaves_text() {
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

#[test]
fn names_in_the_scripts_of_a_page_are_names() {
    let page = b"<p>x</p><script>let value = 1; f(value);</script><script>let other = 2; g(other);</script>";
    let all = results("html", page);
    let of = |pass: &str| all.iter().find(|(name, _)| *name == pass).expect("a pass").1.clone();
    let holds = |pass: &str, text: &str| of(pass).iter().any(|result| result == text.as_bytes());
    assert!(holds("unname", "<p>x</p><script>f(1);</script><script>let other = 2; g(other);</script>"));
    assert!(holds("unname", "<p>x</p><script>let value = 1; f(value);</script><script>g(2);</script>"));
    assert!(holds(
        "rename",
        "<p>x</p><script>let a = 1; f(a);</script><script>let other = 2; g(other);</script>"
    ));
}

#[test]
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
    assert!(begin.elapsed() < Duration::from_secs(300), "quadratic time");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn odd_text_is_no_reason_to_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("int f(int a) { return a; }"), Just("f("), Just(")"), Just("f(1);"), Just("typedef struct s s;"),
                Just("#define M(x) x\n"), Just("M(2)"), Just("a = 1;"), Just("{"), Just("}"), Just("struct s { int a; };"),
                Just("p->a"), Just("def f(self, a=1):\n    return a\n"), Just("class C:\n  x = 1\n"), Just("f(a=2)\n"),
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
