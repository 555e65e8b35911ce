//! What is removed for a question: nothing that is still used, and also what becomes unused.

use nubbin::Registry;
use nubbin::pass::{Proposal, Snapshot, by_name};
use nubbin::syntax::Parser;

/// Returns the deltas of the pass `delete-unused` on a text.
fn proposal(language: &str, source: &str) -> Proposal {
    let language = Registry::built_in().get(language).expect("a built-in language");
    let parsed = Parser::new(language.grammar()).parse(source.as_bytes());
    by_name("delete-unused").expect("a pass").propose(&Snapshot::new(
        source.as_bytes().into(),
        language,
        parsed,
    ))
}

/// Returns what is removed from a text together with the parts `asked`, after the parts `gone` were removed.
fn fall_after(language: &str, source: &str, gone: &[&str], asked: &[&str]) -> Vec<String> {
    let proposal = proposal(language, source);
    let text = |delta: u32| {
        let edits = proposal.own_edits(delta).iter();
        edits.map(|edit| source[edit.span.start as usize..edit.span.end as usize].trim()).collect::<String>()
    };
    let find = |part: &&str| {
        let found = (0..proposal.len() as u32).find(|&delta| text(delta) == *part);
        found.unwrap_or_else(|| {
            panic!("no delta {part:?} in {:?}", (0..proposal.len() as u32).map(text).collect::<Vec<_>>())
        })
    };
    let mut made = vec![false; proposal.len()];
    for part in gone {
        made[find(part) as usize] = true;
    }
    let mut asked: Vec<u32> = asked.iter().map(find).collect();
    asked.sort_unstable();
    proposal.fall(&made, &asked).iter().map(|&delta| text(delta)).collect()
}

fn fall(language: &str, source: &str, asked: &[&str]) -> Vec<String> {
    fall_after(language, source, &[], asked)
}

const CHAIN: &str = "int a;\nint *b = &a;\nint **c = &b;\nint d;\n";
const A: &str = "int a;";
const B: &str = "int *b = &a;";
const C: &str = "int **c = &b;";

#[apply(test)]
fn definitions_used_from_outside_stay() {
    assert_eq!(fall("c", CHAIN, &[A]), [""; 0]);
    assert_eq!(fall("c", CHAIN, &[A, B, "int d;"]), ["int d;"]);
    assert_eq!(fall("c", CHAIN, &[A, B, C]), [A, B, C]);
}

#[apply(test)]
fn a_definition_is_removed_with_its_last_use() {
    assert_eq!(fall("c", CHAIN, &[C]), [A, B, C]);
    assert_eq!(fall("c", "int a;\nvoid f(void) { a; }\n", &["a;"]), [A, "a;"]);
    assert_eq!(fall("c", "int a;\nint b = a;\nint c = a;\n", &["int b = a;"]), ["int b = a;"]);
}

#[apply(test)]
fn removed_parts_use_nothing() {
    assert_eq!(fall_after("c", CHAIN, &[C], &[B]), [A, B]);
    let two = "int a;\nint b = a;\nint c = a;\n";
    assert_eq!(fall_after("c", two, &["int b = a;"], &["int c = a;"]), [A, "int c = a;"]);
}

#[apply(test)]
fn a_definition_used_only_by_itself_is_unused() {
    let both = ["void f(void) { g(); }", "void g(void) { f(); }"];
    let source = format!("void g(void);\n{}\n{}\n", both[0], both[1]);
    assert_eq!(fall("c", "int f(void) { return f(); }\n", &["int f(void) { return f(); }"]).len(), 1);
    assert_eq!(fall("c", &source, &["void g(void);", both[0], both[1]]).len(), 3);
    assert_eq!(fall("c", &source, &["void g(void);", both[1]]), [""; 0]);
}

/// Two functions that call each other, and one call from outside.
const CIRCLE: &str = "def f():\n    g()\ndef g():\n    f()\nf()\nh = 1\n";

#[apply(test)]
fn mutually_recursive_definitions_are_removed_with_their_last_outside_use() {
    assert_eq!(fall("python", CIRCLE, &["f()"]).len(), 3);
    assert_eq!(fall("python", CIRCLE, &["h = 1"]), ["h = 1"]);
    assert_eq!(fall("python", CIRCLE, &["def f():\n    g()"]), [""; 0]);
    let used_inside = "def f():\n    g()\n    f()\ndef g():\n    f()\nh = 1\n";
    assert_eq!(fall("python", used_inside, &["h = 1"]), ["h = 1"]);
}

#[apply(test)]
fn a_delta_weighs_everything_removed_with_it() {
    let weights = |language: &str, source: &str, parts: &[&str]| -> Vec<u32> {
        let proposal = proposal(language, source);
        let text = |delta: u32| {
            let span = proposal.own_edits(delta)[0].span;
            source[span.start as usize..span.end as usize].trim()
        };
        let find =
            |part: &&str| (0..proposal.len() as u32).find(|&delta| text(delta) == *part).expect("a delta");
        parts.iter().map(|part| proposal.groups().weights()[find(part) as usize]).collect()
    };
    let len = |text: &str| text.len() as u32 + 1;
    assert_eq!(weights("c", CHAIN, &[A, B, C]), [len(A), len(B), len(A) + len(B) + len(C)]);
    let all = CIRCLE.len() as u32 - len("h = 1");
    assert_eq!(weights("python", CIRCLE, &["f()", "h = 1"]), [all, len("h = 1")]);
    let shared = "int a;\nint b = a;\nint c = a;\n";
    assert_eq!(weights("c", shared, &["int b = a;", "int c = a;"]), [len("int b = a;"); 2]);
}

#[apply(test)]
fn a_part_that_contains_a_needed_definition_is_needed() {
    let source = "struct s { int m; int n; };\nint f(struct s *p) { return p->m; }\n";
    assert_eq!(fall("c", source, &["struct s { int m; int n; }"]), [""; 0]);
    assert_eq!(fall("c", source, &["int n;"]), ["int n;"]);
    assert_eq!(fall("c", source, &["int m;"]), [""; 0]);
    assert_eq!(fall("c", source, &["int f(struct s *p) { return p->m; }"]).len(), 2);
}

#[apply(test)]
fn names_of_templates_and_members_are_recognized_everywhere() {
    let first = "template <class T> struct A { typedef T type; };";
    let source = format!("{first}\ntemplate <class T> struct B {{ typename A<T>::type x; }};\nB<int> b;\n");
    assert_eq!(fall("cpp", &source, &[first]), [""; 0]);
    assert_eq!(fall("cpp", &source, &["typedef T type;"]), [""; 0]);
    let all = [first, "template <class T> struct B { typename A<T>::type x; };", "B<int> b;"];
    assert_eq!(fall("cpp", &source, &["B<int> b;"])[..3], all);
}

#[apply(test)]
fn python_behaves_the_same() {
    let source = "import os\ndef f():\n    return os.sep\nx = f()\ny = 1\n";
    assert_eq!(fall("python", source, &["import os"]), [""; 0]);
    assert_eq!(fall("python", source, &["y = 1"]), ["y = 1"]);
    assert_eq!(fall("python", source, &["x = f()"]), ["import os", "def f():\n    return os.sep", "x = f()"]);
}

#[apply(test)]
fn unparsed_noise_is_removed_as_one_part() {
    let deltas = |source: &str| {
        let language = Registry::built_in().get("cpp").expect("a built-in language");
        let parsed = Parser::new(language.grammar()).parse(source.as_bytes());
        let snapshot = Snapshot::new(source.as_bytes().into(), language, parsed);
        let proposal = by_name("delete-unparsed").expect("a pass").propose(&snapshot);
        let all: Vec<u32> = (0..proposal.len() as u32).collect();
        assert!(proposal.groups().groups().len() <= 1);
        let patch = nubbin::edit::Patch::new(proposal.edits(&|_| false, &all));
        (all.len(), String::from_utf8(patch.apply(source.as_bytes(), proposal.seam)).expect("text"))
    };
    let odd =
        "namespace std __attribute__((__visibility__(\"default\"))) {\n__extension__ typedef int t;\n}\n";
    assert_eq!(deltas(odd), (2, "namespace std {\ntypedef int t;\n}\n".to_owned()));
    let even = "__attribute__((unused)) int a;\n";
    assert_eq!(deltas(even), (0, even.to_owned()));
}

#[apply(test)]
fn a_stopped_parse_yields_only_the_root() {
    let language = Registry::built_in().get("c").expect("a built-in language");
    let source = "int x;\n".repeat(3000);
    let parsed = Parser::new(language.grammar()).parse(source.as_bytes());
    let flag = nubbin::syntax::stop::StopFlag::default();
    nubbin::syntax::stop::until(Some(std::sync::Arc::clone(&flag)), || {
        assert!(nubbin::syntax::Tree::new(&parsed, 0).len() > 9000);
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        let tree = nubbin::syntax::Tree::new(&parsed, 0);
        assert_eq!((tree.len(), tree.node(0).after, tree.node(0).span.len()), (1, 1, 21000));
        assert_eq!(nubbin::syntax::stop::all([1, 2, 3]).count(), 0);
    });
    assert!(nubbin::syntax::Tree::new(&parsed, 0).len() > 9000);
}
