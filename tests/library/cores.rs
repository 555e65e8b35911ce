//! Whole reductions of small programs: the results are as small as a person would make them.
//!
//! The oracle needs some words in this order, in a text that fits the grammar.

use nubbin::syntax::Parser;
use nubbin::{Reduction, Registry, Verdict};

/// Reduces a program in which these words must stay. Returns the result without line breaks.
fn core(language: &str, program: &str, wanted: &[&str]) -> String {
    core_where(language, program, wanted, |_| true)
}

/// As `core`, for a text that must also make sense.
fn core_where(language: &str, program: &str, wanted: &[&str], makes_sense: fn(&str) -> bool) -> String {
    let language = Registry::built_in().get(language).expect("a built-in language");
    let oracle = |candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        let mut rest = &*text;
        let all = wanted.iter().all(|word| {
            let found = rest.find(word);
            rest = &rest[found.map_or(0, |at| at + word.len())..];
            found.is_some()
        });
        let fits = Parser::new(language.grammar()).parse(candidate).errors() == 0;
        if all && fits && makes_sense(&text) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let outcome = Reduction::new(program.as_bytes()).language(language).run(&oracle).expect("interesting");
    String::from_utf8(outcome.best).expect("text stays text").trim_end().replace('\n', "⏎")
}

#[apply(test)]
fn conditions_and_their_branches_become_statements() {
    let c = "static int f(int a) {\n  if (check(a, 1) > 0) {\n    work(a);\n  } else {\n    return rest(a);\n  }\n  return 0;\n}\n";
    assert_eq!(core("c", c, &["check(", "work(", "rest("]), "check(); work();⏎    rest();");
    let python = "import os\n\nclass A:\n    def f(self, a):\n        for b in check(a):\n            if b:\n                work(b)\n            else:\n                raise rest(b) from None\n";
    assert_eq!(core("python", python, &["check(", "work(", "rest("]), "check()⏎    work()⏎    rest()");
    let javascript = "async function f(a) {\n  for (const b of check(a)) {\n    try { await work(b); } catch ({ c }) { rest(c); }\n  }\n}\n";
    assert_eq!(core("javascript", javascript, &["check(", "work(", "rest("]), "check()⏎    { work()} rest()");
}

#[apply(test)]
fn classes_and_templates_are_reduced_to_their_core() {
    let program = "namespace n {\ntemplate <class T = int> class A : public B<T>, private C {\npublic:\n  virtual auto f(int a = 1) const -> T { return this->work(a); }\nprivate:\n  int b : 3;\n  int c;\n};\n}\n";
    assert_eq!(core("cpp", program, &["work("]), "work();");
    assert_eq!(core("cpp", program, &["class", "B", "work("]), "class B⏎  f{ work()}⏎;");
    assert_eq!(core("cpp", program, &["int b", "c"]), "int b ;⏎  c;");
}

#[apply(test)]
fn methods_that_must_call_each_other_become_functions() {
    let python = "class Base:\n    count = 0\n\nclass Machine(Base):\n    def __init__(self, steps):\n        self.steps = steps\n\n    def run(self, depth):\n        return self.step(depth)\n\n    def step(self, depth):\n        return self.run(depth - 1)\n\nMachine(3).run(5)\n";
    let is_of_a_kind = |text: &str| {
        let is_method = text.contains("class Machine");
        let calls = text.matches(".run(").count() + text.matches(".step(").count();
        let parameters = text.matches("(self").count();
        if is_method { calls == 3 && parameters >= 2 } else { calls == 0 && parameters == 0 }
    };
    let wanted = ["def run(", "step(", "def step(", "run(", "run("];
    assert_eq!(
        core_where("python", python, &wanted, is_of_a_kind),
        "def run():⏎    step()⏎def step():⏎    run()⏎run()"
    );
}

#[apply(test)]
fn qualified_names_and_template_arguments_become_plain() {
    let program = "namespace n {\ntemplate <class T, int N> struct A { static T walk(int a); T data[N]; };\nstruct B { static int walk(int a); };\n}\nnamespace n { int B::walk(int a) { return B::walk(a - 1); } }\nint main() { n::A<int, 3> c; return n::B::walk(c.data[0]); }\n";
    let is_known = |text: &str| {
        let of_class = text.matches("B::walk(").count();
        let is_of_class = if text.contains("struct B") { of_class == 3 } else { of_class == 0 };
        is_of_class && text.contains("namespace n") == text.contains("n::B")
    };
    assert_eq!(
        core_where("cpp", program, &["walk(", "{", "walk(", "main", "walk("], is_known),
        "walk() { walk(); }⏎main() { walk(); }"
    );
}

#[apply(test)]
fn scripts_in_attributes_are_reduced_as_scripts() {
    let page = "<!DOCTYPE html>\n<ul class=\"a b\"><li onclick=\"if (a.b) { work(this, 1) } else c()\" style=\"color: red; margin: 1px\">d &amp; e</li><li>f</li></ul>\n";
    assert_eq!(core("html", page, &["<li onclick=\"", "work(", "</li>"]), "<li onclick=\"work(\" ></li>");
    assert_eq!(core("html", page, &["<li ", "style=\"", "margin", "</li>"]), "<li style=\"margin \"></li>");
}

#[apply(test)]
fn strings_and_comprehensions_are_reduced_to_their_core() {
    let program = "from a.b import c as d\n\ndef f(x: int = 1, *y: str) -> str:\n    '''text'''\n    z: str = f\"\"\"one {x!r:>{y}} two\"\"\" + \", \".join(str(i) for i in work(y) if i)\n    return z\n";
    assert_eq!(core("python", program, &["two", "work("]), "two(work() )");
    assert_eq!(core("python", program, &["join(", "work("]), "join(work() )");
}

#[apply(test)]
fn a_run_accepts_a_larger_text_if_a_smaller_one_follows() {
    let program = "a = [1]\na.append(boom)\nf = a.get\nf(7)\n";
    let test = |candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        let is_handed_on =
            ["a = [1]", "append(boom)", "f = a.get", "f(7)"].iter().all(|part| text.contains(part));
        let is_called = text.contains("boom(7)");
        Verdict::from(is_handed_on || is_called)
    };
    let python = Registry::built_in().get("python");
    for jobs in [1, 3] {
        let mut sizes = Vec::new();
        let mut sink = |event: nubbin::event::Event<'_>| {
            if let nubbin::event::Event::Accepted { size, .. } = event {
                sizes.push(size.tokens);
            }
        };
        let reduction = Reduction::new(program).language(python).sink(&mut sink);
        let outcome = reduction.run_parallel(&test, jobs).expect("it fails");
        assert_eq!(String::from_utf8_lossy(&outcome.best), "boom(7)\n");
        assert!(sizes.is_sorted_by(|before, after| before >= after), "{sizes:?}");
        assert!(outcome.passes.iter().any(|pass| pass.name == "detour" && pass.probes > 0));
    }
}
