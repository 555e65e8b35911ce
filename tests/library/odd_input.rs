//! Inputs that a parser does not expect: deep, long, binary, or with other line ends.

use crate::has;
use std::fmt::Write;

use nubbin::{Outcome, Proof, Reduction, Registry, Verdict};

/// Reduces to a text that still contains all `needles`.
fn reduce(language: &str, input: &[u8], needles: &[&[u8]]) -> Outcome {
    let oracle = |candidate: &[u8]| {
        if needles.iter().all(|needle| has(candidate, needle)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    };
    let outcome = Reduction::new(input)
        .language(Registry::built_in().get(language))
        .run(&oracle)
        .expect("the input is interesting");
    assert!(matches!(outcome.proof, Proof::OneMinimal { .. }));
    outcome
}

#[apply(test)]
fn a_hundred_thousand_nested_parentheses_do_not_overflow_the_stack() {
    let depth = 100_000;
    let nested = |inner: &str| format!("{}{inner}{}", "(".repeat(depth), ")".repeat(depth));
    let c = format!("int x = {};\n", nested("needle"));
    let outcome = reduce("c", c.as_bytes(), &[b"needle"]);
    assert!(outcome.after.tokens <= 4, "{}", String::from_utf8_lossy(&outcome.best));
    for language in ["python", "javascript"] {
        let text = format!("x = {}\n", nested("needle"));
        let outcome = reduce(language, text.as_bytes(), &[b"needle"]);
        assert!(outcome.after.tokens <= 1, "{}", outcome.after.tokens);
    }
    let json = format!("{}{}\n", "[".repeat(depth), "]".repeat(depth));
    let outcome = reduce("json", json.as_bytes(), &[b"["]);
    assert!(outcome.after.tokens <= 2, "{}", outcome.after.tokens);
}

#[apply(test)]
fn bytes_that_are_not_utf8_and_nul_bytes_are_kept() {
    let input = b"int a; /* \xff\xfe */\nchar *s = \"\x80 needle \0 \xc3\";\nint b;\n";
    let outcome = reduce("c", input, &[b"\x80", b"needle", b"\0"]);
    assert!(has(&outcome.best, b"\x80 needle \0"));
    assert!(outcome.after.bytes < 20, "{:?}", outcome.best);
}

#[apply(test)]
fn line_ends_and_byte_order_marks_are_kept_or_removed_as_a_whole() {
    let input = b"\xef\xbb\xbfimport os\r\n\r\nif x:\r\n    a = 1\r\n    needle = 2\r\n    tail(3)\r\n";
    let outcome = reduce("python", input, &[b"needle", b"tail"]);
    let text = String::from_utf8_lossy(&outcome.best).into_owned();
    assert!(text.matches('\n').count() == text.matches("\r\n").count(), "{text:?}");
    assert!(outcome.after.tokens <= 3, "{text:?}");
}

#[apply(test)]
fn a_missing_final_newline_is_supported() {
    let outcome = reduce("python", b"def f():\n    needle", &[b"needle"]);
    assert_eq!(outcome.best, b"needle");
}

#[apply(test)]
fn a_line_of_five_megabytes_is_reduced() {
    let mut input = String::from("x=[");
    for i in 0..400_000 {
        let _ = write!(input, "{i},");
        if i == 250_000 {
            input += "needle(7),";
        }
    }
    input.truncate(input.len() - 1);
    while input.len() < 5_000_000 {
        input += ",f(1,2,\"some text\",{a:1})";
    }
    input += "]";
    let outcome = reduce("javascript", input.as_bytes(), &[b"needle"]);
    assert_eq!(outcome.best, b"needle");
    assert!(outcome.counts.probes < 100, "{:?}", outcome.counts);
}

#[apply(test)]
fn unparsable_text_is_also_reduced() {
    let input = b"BEGIN_THING(x)\n  int a = 1;\n  if (a) { needle(; }\nEND_THING\n#define M(x) do { x\nint f() { M(b) } while (0) }\n";
    let outcome = reduce("c", input, &[b"needle("]);
    assert!(outcome.after.tokens <= 2, "{}", String::from_utf8_lossy(&outcome.best));
}

#[apply(test)]
fn scripts_and_styles_of_a_page_are_reduced_in_their_own_languages() {
    let input = b"<html><head><style>p { color: red; } .a, .b { margin: 1px 2px; needle: 3; }</style></head>\n<body><script>function f(a, b) { if (a) { return g(a, b + 1, needle2); } else { h(); } }\nf(1, 2);</script></body></html>\n";
    let outcome = reduce("html", input, &[b"<script", b"needle2", b"<style", b"needle:"]);
    let text = String::from_utf8_lossy(&outcome.best).into_owned();
    assert!(outcome.after.tokens <= 16, "{text}");
    assert!(outcome.passes.iter().any(|pass| pass.name == "delete-nodes" && pass.accepted > 3), "{text}");
}

#[apply(test)]
fn strings_that_span_lines_are_not_reindented() {
    let input = b"class A:\n    def f(self):\n        if x:\n            s = '''a\n   b\n            c'''\n            return s\n";
    let oracle = |candidate: &[u8]| {
        if has(candidate, b"s = '''a\n   b\n            c'''") {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    };
    let python = Registry::built_in().get("python");
    let outcome = Reduction::new(input.as_slice()).language(python).run(&oracle).unwrap();
    assert_eq!(outcome.best, b"s = '''a\n   b\n            c'''\n");
}

#[apply(test)]
fn an_unknown_language_is_reduced_by_lines_then_by_bytes() {
    let lines: String = (0..500).fold(String::new(), |text, i| text + &format!("line {i} of a log\n"));
    let oracle = |candidate: &[u8]| {
        if has(candidate, b"77") && has(candidate, b"log") {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    };
    let mut notes = Vec::new();
    let mut sink = |event: nubbin::event::Event<'_>| {
        if let nubbin::event::Event::Note { text } = event {
            notes.push(text.to_owned());
        }
    };
    let outcome = Reduction::new(lines).sink(&mut sink).run(&oracle).unwrap();
    assert_eq!(outcome.best, b"77log");
    let proven = Proof::OneMinimal {
        files: 0,
        nodes: 0,
        tokens: 0,
        lines: 1,
        characters: 0,
        bytes: 5,
        pairs: 0,
        options: 0,
        option_parts: 0,
    };
    assert_eq!(outcome.proof, proven);
    assert!(
        notes.iter().any(|note| note.contains("by blocks of lines, then by words and bytes")),
        "{notes:?}"
    );
}

#[apply(test)]
fn two_reductions_run_in_one_process() {
    let threads: Vec<_> = ["alpha", "beta"]
        .into_iter()
        .map(|needle| {
            std::thread::spawn(move || {
                let input = format!("int x;\nint f(void) {{ return {needle}(1, 2); }}\nint y;\n");
                reduce("c", input.as_bytes(), &[needle.as_bytes()]).best
            })
        })
        .collect();
    let results: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(has(&results[0], b"alpha") && has(&results[1], b"beta"));
}
