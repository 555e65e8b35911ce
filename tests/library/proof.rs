//! What a proof says is true: every byte belongs to a part that was tried, whatever the grammar makes of the text.

use crate::has;
use nubbin::syntax::Parser;
use nubbin::{Language, Outcome, Proof, Reduction, Registry, Verdict, pass};
use proptest::prelude::*;

/// The word that the oracle wants.
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

/// What makes a text one that its grammar does not understand.
const BREAKS: [&str; 10] = ["\t", "\"", "'", "(", "}", "\0", "<", "\\\n", "\r\n", "`"];

fn text_of(language: &str) -> &'static str {
    let found = TEXTS.iter().find(|(name, _)| *name == language);
    found.map_or_else(|| panic!("`{language}` has no text here"), |(_, text)| text)
}

/// Returns the language of this name; one that this program was built without is replaced by C.
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

/// Returns a text that is cut off at both ends, has another one in it, and does not fit its grammar in some places.
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
fn every_built_in_language_has_a_text_here() {
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
