//! Tests of the passes over options.

use super::*;
use nubbin_syntax::edit::Patch;

/// Returns the text after each delta of a pass alone.
fn after(pass: fn(&Snapshot<'_>) -> Proposal, source: &str) -> Vec<String> {
    let proposal = pass(&Snapshot::plain(source.as_bytes().into()));
    (0..proposal.len() as u32).map(|delta| made(&proposal, source, &[delta])).collect()
}

/// Returns the text after some deltas.
fn made(proposal: &Proposal, source: &str, deltas: &[u32]) -> String {
    let patch = Patch::new(proposal.edits(&|_| false, deltas));
    String::from_utf8(patch.apply(source.as_bytes(), Seam::Touch)).expect("it is text")
}

#[test]
fn words_go_by_lines_and_an_option_with_the_word_behind_it() {
    let text = "$0 A=x,y\n1 -O2\n2 file\n3 -o\tout\n4 -g\n6 last\n";
    assert_eq!(after(words, text).len(), 6);
    assert_eq!(after(pairs, text), ["$0 A=x,y\n3 -o\tout\n4 -g\n6 last\n"]);
    assert_eq!(after(parts, text), Vec::<String>::new());
}

#[test]
fn parts_go_with_a_separator_the_outer_ones_first() {
    let text = "1 -passes=function(a,b<x;y>),c\n";
    let left = [
        "1 -passes=c\n",
        "1 -passes=function(a,b<x;y>)\n",
        "1 -passes=function(b<x;y>),c\n",
        "1 -passes=function(a),c\n",
        "1 -passes=function(a,b<y>),c\n",
        "1 -passes=function(a,b<x>),c\n",
    ];
    assert_eq!(after(parts, text), left);
    assert_eq!(after(parts, "1 -Wl,-a,-b\n"), ["1 -Wl,-b\n", "1 -Wl,-a\n"]);
    assert_eq!(after(parts, "1 -mllvm\tx=1,2\n2 -fsanitize=a,b\n").len(), 4);
}

#[test]
fn what_is_left_empty_goes_as_a_whole() {
    for (text, deltas, left) in [
        ("1 -p=x,f(a,b),y\n", &[3, 4][..], "1 -p=x,y\n"),
        ("1 -p=f(a,b),y\n", &[2, 3], "1 -p=y\n"),
        ("1 -p=x,f(g(a,b))\n", &[2, 3], "1 -p=x\n"),
        ("1 -O2\n2 -p=f(g(a,b))\n", &[0, 1], "1 -O2\n"),
        ("1 -p=g<a;b>,x\n", &[2, 3], "1 -p=g,x\n"),
        ("1 -p=a,b\n", &[0, 1], ""),
    ] {
        let proposal = parts(&Snapshot::plain(text.as_bytes().into()));
        assert_eq!(made(&proposal, text, deltas), left, "{text:?}");
    }
}

#[test]
fn the_content_of_a_nest_takes_its_place_and_parameters_go() {
    assert_eq!(
        after(nests, "1 -p=x,module(f<k>(a,b)),y\n"),
        ["1 -p=x,f<k>(a,b),y\n", "1 -p=x,module(f(a,b)),y\n", "1 -p=x,module(a,b),y\n"]
    );
    assert_eq!(after(nests, "1 -p=f()\n"), Vec::<String>::new());
}

#[test]
fn a_word_that_is_no_list_has_no_parts() {
    for text in ["1 -DX=f(a\n", "1 a->b\n", "1 -c=print(1, 2)\n", "1 a\\nb,c\n", "1 -O2\n"] {
        assert_eq!(after(parts, text), Vec::<String>::new(), "{text}");
        assert_eq!(after(nests, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_word_is_escaped_and_comes_back() {
    for word in [&b"a\tb\nc\\d\\n"[..], b"", b"\\", b"\xff"] {
        let escaped = escape(word);
        assert!(!escaped.contains(&b'\n') && !escaped.contains(&b'\t'));
        assert_eq!(unescape(&escaped), word);
    }
}
