//! The claims of a proof are true: every byte belongs to a part that was tested, however the grammar parses
//! the text.

use crate::has;
use nubbin::syntax::Parser;
use nubbin::{Error, Language, Outcome, Proof, Reduction, Registry, Verdict, dd, pass};
use proptest::prelude::*;
use std::cell::Cell;
use std::fmt::Write;

/// The word that the oracle needs.
const NEEDLE: &str = "NEEDLE";

/// A text of each built-in language.
const TEXTS: [(&str, &str); 33] = [
    (
        "bash",
        "f() {\n  if [ -n \"$1\" ]; then\n    echo \"a $(ls | wc -l)\" >&2 # b\n  fi\n}\ncat <<EOF\nx $HOME\nEOF\n",
    ),
    (
        "c",
        "#include <a.h>\n#define M(x) do { x; } while (0)\nint f(int a, char *b) {\n  return a ? b[0] : -1; /* c */\n}\n",
    ),
    (
        "cpp",
        "template <typename T> class A : public B {\n  T f(int a = 1) const { return [&](int b) { return a + b; }(2); }\n};\n",
    ),
    (
        "css",
        "@media screen { .a > b, #c { color: red; margin: 1px 2px; } }\nd:hover::after { content: \"e\"; }\n",
    ),
    (
        "glsl",
        "#version 450\nlayout(location = 0) in vec4 a;\nvoid main() {\n  vec2 b = a.xy * 2.0;\n  if (b.x > 1.0) discard;\n}\n",
    ),
    (
        "go",
        "package main\n\nimport \"fmt\"\n\nfunc f(a, b int) (c []int) {\n\tfor i := range a {\n\t\tfmt.Println(i, `b`)\n\t}\n\treturn\n}\n",
    ),
    (
        "haskell",
        "module A where\nimport B (c)\ndata D = E Int | F\nf :: Int -> D\nf x | x > 0 = E x\n    | otherwise = let y = F in y\n",
    ),
    (
        "hlsl",
        "cbuffer A : register(b0) { float4 b; };\nfloat4 main(float2 c : TEXCOORD0) : SV_Target {\n  return b * c.xyxy;\n}\n",
    ),
    (
        "html",
        "<!doctype html>\n<div class=\"a b\"><p>c d<br>e</p>\n<script>function f(a) { return a + 1; }</script>\n<style>p { color: red; }</style></div>\n",
    ),
    (
        "java",
        "package a;\nimport b.C;\n@D class E<T> extends C {\n  int f(String... a) throws G {\n    return switch (a.length) { case 0 -> 1; default -> 2; };\n  }\n}\n",
    ),
    (
        "javascript",
        "import {a} from 'b';\nclass C extends a {\n  async f(x, ...y) { return `c ${x?.d ?? /e+/g}`; }\n}\nfor (const g of h) i(() => g);\n",
    ),
    ("json", "{\"a\": [1, \"b\", {\"c\": null}],\n \"d\": {\"e\": \"f\\n\", \"g\": [true, 2.5e3]}}\n"),
    (
        "kotlin",
        "package a\nimport b.c\ndata class D(val e: Int, var f: String?) : G() {\n  fun h() = f?.let { \"x $it\" } ?: when (e) { 1 -> 2; else -> 3 }\n}\n",
    ),
    (
        "llvm",
        "define i32 @f(i32 %a) {\nentry:\n  %b = add nsw i32 %a, 1\n  %c = icmp eq i32 %b, 0\n  br i1 %c, label %d, label %entry\nd:\n  ret i32 %b\n}\n",
    ),
    (
        "lua",
        "local function f(a, ...)\n  for i = 1, #a do\n    if a[i] ~= nil then print('b' .. i) end -- c\n  end\n  return { d = [[e]], 1 }\nend\n",
    ),
    (
        "mlir",
        "func.func @f(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  %c = arith.constant 1 : i32\n  return %b : i32\n}\n",
    ),
    (
        "php",
        "<p>a</p>\n<?php\nnamespace B;\nfunction f(?int $a, string ...$b): array {\n  return ['c' => $a ?? 1, ...$b];\n}\necho \"x {$d['e']}\";\n",
    ),
    (
        "python",
        "import a\n\nclass B(c):\n    '''d'''\n    def e(self, x, y=1):\n        # f\n        if x:\n            return [g(i) for i in y if i]\n        with h as k:\n            k.l('m')\n",
    ),
    (
        "ruby",
        "module A\n  class B < C\n    attr_reader :d\n    def e(f, *g, h: 1)\n      f.each { |x| puts \"i #{x}\" } unless g.empty?\n    end\n  end\nend\n",
    ),
    (
        "rust",
        "use a::b;\n#[derive(Debug)]\npub struct C<'a, T> { d: &'a T }\nimpl<'a, T> C<'a, T> {\n    fn e(&self) -> Option<u8> { match self.d { f if g!(f) => Some(1), _ => None } }\n}\n",
    ),
    (
        "scala",
        "package a\nimport b.c\nobject D extends E {\n  def f[T <: G](x: T): Int = x match {\n    case h: I => 1\n    case _ => s\"j $x\".length\n  }\n}\n",
    ),
    (
        "smt2",
        "(set-logic QF_LIA)\n(declare-fun a () Int)\n(define-fun f ((x Int)) Bool (> x 0))\n(assert (and (f a) (= a 1)))\n(check-sat)\n",
    ),
    (
        "solidity",
        "pragma solidity ^0.8.0;\ncontract A is B {\n  mapping(address => uint) c;\n  function f(uint a) public view returns (uint) { return a + c[msg.sender]; }\n}\n",
    ),
    (
        "sql",
        "CREATE TABLE a (b INT PRIMARY KEY, c TEXT NOT NULL);\nSELECT a.b, COUNT(*) FROM a JOIN d ON a.b = d.e WHERE c LIKE 'f%' GROUP BY 1;\n",
    ),
    (
        "swift",
        "import A\nstruct B<T>: C {\n  let d: [String: Int]\n  func e(_ f: T?) throws -> Int {\n    guard let g = f else { return 0 }\n    return d[\"h \\(g)\"]!\n  }\n}\n",
    ),
    (
        "systemverilog",
        "module a #(parameter W = 8) (input logic clk, output logic [W-1:0] q);\n  always_ff @(posedge clk) begin\n    if (q == 0) q <= 1;\n    else q <= q + 1;\n  end\nendmodule\n",
    ),
    ("toml", "a = 1\nb = [\"c\", 'd']\n\n[e.f]\ng = { h = 2.5, i = true }\n\n[[j]]\nk = 1979-05-27\n"),
    (
        "tsx",
        "import A from 'b';\nexport const C = ({d}: {d?: string}) => (\n  <div className=\"e\">{d && <A f={1}>g</A>}</div>\n);\n",
    ),
    (
        "typescript",
        "interface A<T> { b?: T; c(d: number): void }\nexport abstract class E implements A<string> {\n  private f = <G,>(x: G) => x as unknown;\n}\n",
    ),
    (
        "wgsl",
        "struct A { @location(0) b: vec4<f32> };\n@fragment fn main(c: A) -> @location(0) vec4<f32> {\n  var d = c.b * 2.0;\n  return d;\n}\n",
    ),
    (
        "xml",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a d=\"e\">\n  <f/>&b;<!-- g --><![CDATA[h]]>\n</a>\n",
    ),
    ("yaml", "a: 1\nb:\n  - c\n  - {d: e, f: [g, h]}\ni: |\n  j\n  k\nl: &m \"n\"\no: *m\n"),
    (
        "zig",
        "const std = @import(\"std\");\npub fn f(comptime T: type, a: []const T) !usize {\n    for (a) |x| { if (x == 0) return error.B; }\n    return a.len;\n}\n",
    ),
];

/// Texts that break the syntax.
const BREAKS: [&str; 10] = ["\t", "\"", "'", "(", "}", "\0", "<", "\\\n", "\r\n", "`"];

fn text_of(language: &str) -> &'static str {
    let found = TEXTS.iter().find(|(name, _)| *name == language);
    found.map_or_else(|| panic!("`{language}` has no text here"), |(_, text)| text)
}

/// Returns the language with this name, or C if this program was built without it.
fn language(name: &str) -> &'static Language {
    let built_in = Registry::built_in();
    built_in.get(name).or_else(|| built_in.get("c")).expect("a built-in language")
}

fn reduce(language: &'static Language, input: &[u8], wants: impl Fn(&[u8]) -> bool) -> Outcome {
    let oracle = |candidate: &[u8]| {
        if wants(candidate) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    Reduction::new(input).language(language).run(&oracle).expect("the input is interesting")
}

/// Returns a text that is cut off at both ends, contains parts of another one, and does not fit its grammar
/// in some places.
fn broken(one: &str, other: &str, cuts: [usize; 4], breaks: &[(usize, usize)], needle: usize) -> String {
    let part = |text: &str, from: usize, to: usize| {
        let (from, to) = (from % text.len(), to % text.len());
        text[from.min(to)..from.max(to)].to_owned()
    };
    let mut text = part(one, cuts[0], cuts[1]) + &part(other, cuts[2], cuts[3]);
    for &(at, which) in breaks {
        let at = at % (text.len() + 1);
        text.insert_str(at, BREAKS[which % BREAKS.len()]);
    }
    text.insert_str(needle % (text.len() + 1), &format!(" {NEEDLE} "));
    text
}

#[apply(test)]
fn every_built_in_language_has_a_test_text() {
    for manifest in Registry::built_in().manifests() {
        assert!(!text_of(&manifest.name).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[apply(test)]
    fn broken_truncated_and_mixed_texts_of_every_language_end_with_the_needle(
        which in 0..TEXTS.len(),
        other in 0..TEXTS.len(),
        cuts in any::<[usize; 4]>(),
        breaks in prop::collection::vec(any::<(usize, usize)>(), 0..4),
        needle: usize,
    ) {
        let text = broken(TEXTS[which].1, TEXTS[other].1, cuts, &breaks, needle);
        let outcome = reduce(language(TEXTS[which].0), text.as_bytes(), |candidate| has(candidate, NEEDLE));
        let is_proven = matches!(outcome.proof, Proof::OneMinimal { .. });
        prop_assert!(is_proven);
        let best = String::from_utf8_lossy(&outcome.best);
        prop_assert_eq!(best.trim(), NEEDLE, "{}: {:?}", TEXTS[which].0, text);
    }

    #[apply(test)]
    fn every_byte_that_is_not_whitespace_belongs_to_a_part_of_the_final_sweep(
        which in 0..TEXTS.len(),
        other in 0..TEXTS.len(),
        cuts in any::<[usize; 4]>(),
        breaks in prop::collection::vec(any::<(usize, usize)>(), 0..4),
    ) {
        let text = broken(TEXTS[which].1, TEXTS[other].1, cuts, &breaks, 0);
        let language = language(TEXTS[which].0);
        let parsed = Parser::new(language.grammar()).parse(text.as_bytes());
        let snapshot = pass::Snapshot::new(text.as_bytes().into(), language, parsed);
        let mut is_tried: Vec<bool> = text.bytes().map(|byte| byte.is_ascii_whitespace()).collect();
        for name in pass::Plan::new(true, false).sweeps() {
            let proposal = pass::by_name(name).expect("a pass").propose(&snapshot);
            for delta in 0..proposal.len() as u32 {
                for edit in proposal.edits(&|_| false, &[delta]) {
                    is_tried[edit.span.start as usize..edit.span.end as usize].fill(true);
                }
            }
        }
        let left = is_tried.iter().position(|tried| !tried);
        prop_assert_eq!(left, None, "{}: {:?}", TEXTS[which].0, text);
    }
}

/// Reduces a text without a known language.
fn reduce_plain(input: &[u8], wants: impl Fn(&[u8]) -> bool) -> Outcome {
    let oracle = |candidate: &[u8]| {
        if wants(candidate) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    Reduction::new(input).run(&oracle).expect("the input is interesting")
}

#[apply(test)]
fn a_text_whose_tree_ends_early_is_reduced_to_its_end() {
    let texts = [
        ("yaml", "a: 1\nb:\n\t- x\nc: 3\nNEEDLE: 2\nd: [1,2,3]\n"),
        ("yaml", "%YAML 1.2\n- {a: [1, 2\n]\n\tb: c\n- NEEDLE\n- d\n"),
        ("toml", "a = 1\n\u{0}\nb = [NEEDLE\nc = 2\n"),
    ];
    for (name, text) in texts {
        let outcome = reduce(language(name), text.as_bytes(), |candidate| has(candidate, NEEDLE));
        assert_eq!(outcome.best.trim_ascii(), NEEDLE.as_bytes(), "{text:?}");
    }
}

#[apply(test)]
fn an_input_that_no_longer_fails_is_not_called_proven() {
    let runs = Cell::new(0);
    // It fails in the first three runs; afterwards the oracle rejects everything.
    let oracle = |candidate: &[u8]| {
        runs.set(runs.get() + 1);
        if candidate == b"int a;\n" && runs.get() <= 3 {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    };
    let c = language("c");
    let outcome = Reduction::new("int a;\n").language(c).confirm(3).run(&oracle);
    assert!(matches!(outcome, Err(Error::Flaky { reduced: false, .. })), "{outcome:?}");
    let steady = |candidate: &[u8]| {
        if candidate == b"int a;\n" { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let outcome = Reduction::new("int a;\n").language(c).confirm(3).run(&steady).expect("it fails");
    assert_eq!(outcome.passes.iter().find(|pass| pass.name == "confirm").map(|pass| pass.probes), Some(1));
}

#[apply(test)]
fn mixed_line_ends_and_blank_lines_are_reduced_like_other_parts() {
    let texts = [
        "import os\r\n\n\r\n\ndef f():\r\n\n    return 1  # a\n\n\r\n\r\n\n",
        "# a\r\n\r\n\r\n\r\nx = [1,\r\n     2]\r\n",
        "x = 1 # a\n\n\r\n    \r\n\n\n\n",
    ];
    for text in texts {
        let python = language("python");
        let outcome =
            reduce(python, text.as_bytes(), |candidate| has(candidate, "\r") && has(candidate, "#"));
        assert!(
            [&b"#\r\n"[..], b"\r\n#\n", b"\r\n#"].contains(&&outcome.best[..]),
            "{text:?}: {:?}",
            outcome.best
        );
    }
}

#[apply(test)]
fn a_run_that_is_stopped_early_leaves_no_long_runs_of_blank_lines() {
    let text = (0..40).fold(String::new(), |text, i| text + &format!("int a{i};\n\n\n\n\n"));
    let oracle = |candidate: &[u8]| {
        if has(candidate, "int a7;") { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let reduction = Reduction::new(&text[..]).language(language("c")).confirm(1).max_probes(3);
    let outcome = reduction.run(&oracle).expect("the input is interesting");
    assert!(!has(&outcome.best, "\n\n"), "{:?}", String::from_utf8_lossy(&outcome.best));
}

#[apply(test)]
fn paired_words_are_removed_together() {
    let is_balanced = |text: &[u8], opening: &str, closing: &str| {
        let words = text.split(|byte| !byte.is_ascii_alphanumeric());
        let mut words = words.filter(|word| [opening, closing].iter().any(|own| own.as_bytes() == *word));
        let depth = words.try_fold(0u32, |depth, word| {
            if word == opening.as_bytes() { Some(depth + 1) } else { depth.checked_sub(1) }
        });
        depth == Some(0)
    };
    let texts = [
        ("outer begin if(c)begin needed;end end\n", "begin", "end"),
        ("outer auf if(c)auf needed; zu x zu\n", "auf", "zu"),
        ("do a do b needed done c done\n", "do", "done"),
    ];
    for (text, opening, closing) in texts {
        let wants = |text: &[u8]| has(text, "needed") && is_balanced(text, opening, closing);
        assert_eq!(reduce_plain(text.as_bytes(), wants).best.trim_ascii(), b"needed", "{text:?}");
    }
}

/// Returns random printable bytes with line ends, and with NUL if `byte` is 0.
fn noise(seed: u64, length: usize, byte: u8) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match (state >> 33) % 97 {
            95 => b'\n',
            96 => byte,
            other => 32 + other as u8,
        }
    });
    next.take(length).collect()
}

#[apply(test)]
fn text_without_structure_takes_hardly_more_probes_than_ddmin_over_bytes() {
    for (seed, byte) in [(8, 0), (9, 0), (10, b'(')] {
        let mut text = noise(seed, 20_000, byte);
        // Three markers far apart are needed, in order.
        for (at, sign) in [(3, &b"<AAAA"[..]), (9_000, b"B>{B>"), (17_500, b"}CCCC")] {
            text.splice(at..at, sign.iter().copied());
        }
        let wants = |text: &[u8]| {
            let at = |sign: &[u8]| memchr::memmem::find(text, sign);
            matches!((at(b"<AAAA"), at(b"B>{B>"), at(b"}CCCC")), (Some(a), Some(b), Some(c)) if a < b && b < c)
        };
        let outcome = reduce_plain(&text, wants);
        let probes = Cell::new(0);
        let (_, held) =
            dd::run(nubbin::search::Ddmin::new(text.len() as u32), text.len() as u32, |config: &[u32]| {
                probes.set(probes.get() + 1);
                let candidate: Vec<u8> = config.iter().map(|&i| text[i as usize]).collect();
                if wants(&candidate) { Verdict::Interesting } else { Verdict::Uninteresting }
            });
        assert!(outcome.after.bytes <= held.len(), "{} bytes, {}", outcome.after.bytes, held.len());
        let most = probes.get() * 12 / 10 + 50;
        assert!(outcome.counts.probes <= most, "{} probes, at most {most}", outcome.counts.probes);
    }
}

#[apply(test)]
fn a_number_of_rows_or_repeats_is_bisected() {
    let rows = (0..2_000).fold("id,name,value\n".to_owned(), |mut text, i| {
        let _ = writeln!(text, "{i},n{},{}", i * 7 % 100, i % 13);
        text
    });
    let lines = |text: &[u8]| text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    let outcome = reduce_plain(rows.as_bytes(), |text| lines(text) >= 500);
    assert_eq!((outcome.after.lines, outcome.after.bytes), (500, 999));
    assert!(outcome.is_thinned && outcome.counts.probes < 300, "{:?}", outcome.counts);
    let outcome = reduce_plain(rows.as_bytes(), |text| {
        text.starts_with(b"id") && lines(text) >= 500 && memchr::memchr_iter(b',', text).count() >= 500
    });
    assert_eq!(outcome.after.lines, 500);
    assert!(outcome.counts.probes < 600, "{:?}", outcome.counts);
    let repeats = format!("a{}b\n", "\\`".repeat(5_000));
    let count = |text: &[u8]| memchr::memmem::find_iter(text, "\\`").count();
    let outcome = reduce_plain(repeats.as_bytes(), |text| count(text) >= 1_234);
    assert_eq!(outcome.after.bytes, 2 * 1_234);
    assert!(outcome.counts.probes < 150, "{:?}", outcome.counts);
}

#[apply(test)]
fn large_parts_of_a_huge_text_are_removed_first() {
    let mut text = b"f(1, \"a\"), ".repeat(1_600_000);
    let at = text.len() / 3;
    text.splice(at..at, NEEDLE.bytes());
    for name in [None, Some("javascript")] {
        let smallest = Cell::new((0, usize::MAX));
        let oracle = |candidate: &[u8]| {
            let (probes, size) = smallest.get();
            let is_interesting = has(candidate, NEEDLE);
            let first = probes < 20 && is_interesting;
            smallest.set((probes + 1, if first { size.min(candidate.len()) } else { size }));
            if is_interesting { Verdict::Interesting } else { Verdict::Uninteresting }
        };
        let outcome = Reduction::new(&text[..]).language(name.map(language)).run(&oracle);
        assert_eq!(outcome.expect("the input is interesting").best, NEEDLE.as_bytes());
        assert!(smallest.get().1 < text.len() / 16, "{:?}", smallest.get());
    }
}
