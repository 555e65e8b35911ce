//! Replays published runs of the delta-debugging algorithms, test by test if they are printed, and checks the
//! published bounds against an adversary.
//!
//! Sources:
//! - TSE 2002: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2).
//! - Book: Zeller, *The Debugging Book*, chapter "Reducing Failure-Inducing Inputs" (`DeltaDebugger.ipynb`,
//!   as rendered in `docs/notebooks` of uds-se/debuggingbook at 35dfb6c).
//! - WPF: the code that comes with Zeller, *Why Programs Fail*: `dd.py`, version 2.4 of 2005.
//! - CDD: Zhang and others, ICSE 2025, and the code that comes with it.

use nubbin::Verdict::{Interesting, Uninteresting, Unresolved};
use nubbin::search::{Cdd, Dd, Ddmax, Ddmin, Search};
use nubbin::{Cause, Verdict, dd};
use std::collections::HashSet;

/// The input of the book's runs.
const MYSTERY: &str = "V\"/+!aF-(V4EOz*+s/Q,7)2@0_";

/// The book's function `mystery`: fails if an opening parenthesis precedes a closing one.
fn mystery(text: &str) -> Verdict {
    fails_if(text.find('(').is_some_and(|open| text.find(')').is_some_and(|close| open < close)))
}

/// The book's function `remove_html_markup` (chapter "Assertions"): fails if an angle bracket remains. Its
/// defect is that quotes also count outside of tags.
fn remove_html_markup(text: &str) -> Verdict {
    let (mut in_tag, mut in_quotes, mut out) = (false, false, String::new());
    for c in text.chars() {
        match c {
            '<' if !in_quotes => in_tag = true,
            '>' if !in_quotes => in_tag = false,
            '"' => in_quotes = !in_quotes,
            '\'' if in_tag => in_quotes = !in_quotes,
            _ if !in_tag => out.push(c),
            _ => {}
        }
    }
    fails_if(out.contains(['<', '>']))
}

fn fails_if(fails: bool) -> Verdict {
    if fails { Interesting } else { Uninteresting }
}

/// Returns the characters at these indices.
fn pick(text: &str, config: &[u32]) -> String {
    let chars: Vec<char> = text.chars().collect();
    config.iter().map(|&i| chars[i as usize]).collect()
}

/// Returns the characters at all other indices.
fn leave_out(text: &str, omitted: &[u32]) -> String {
    let rest: Vec<u32> = (0..text.len() as u32).filter(|i| !omitted.contains(i)).collect();
    pick(text, &rest)
}

/// Runs a search over the characters of `text`. Returns the search, what it holds, and the tests with their
/// verdicts, as printed in the book.
fn replay<S: Search>(
    search: S,
    text: &str,
    part: fn(&str, &[u32]) -> String,
    oracle: fn(&str) -> Verdict,
) -> (S, String, Vec<String>) {
    let mut tests = Vec::new();
    let (search, held) = dd::run(search, text.len() as u32, |config: &[u32]| {
        let candidate = part(text, config);
        let verdict = oracle(&candidate);
        tests.push(format!("{candidate}: {}", if verdict.is_interesting() { "FAIL" } else { "PASS" }));
        verdict
    });
    (search, part(text, &held), tests)
}

/// Returns the order in which the book's code splits a difference: that of a Python set, which is a table of
/// numbers by their value modulo its size.
///
/// The difference is a copy of the failing set from which the passing one is removed or, if the passing set is not
/// much smaller than the failing one, is built element by element (`setobject.c` of `CPython` 3.11). No two numbers
/// collide here.
fn python_set(passing: &[u32], failing: &[u32]) -> Vec<u32> {
    let mut difference: Vec<u32> = failing.iter().copied().filter(|i| !passing.contains(i)).collect();
    let above = |least: usize| (least + 1).next_power_of_two().max(8);
    let is_copy = failing.len() / 4 > passing.len();
    let size = match (is_copy, if is_copy { failing.len() } else { difference.len() }) {
        (_, 0..=4) => 8,
        (true, n) => above(2 * n),
        (false, 5..=18) => 32,
        (false, _) => 128,
    };
    difference.sort_by_key(|&i| i as usize % size);
    difference
}

fn lines(text: &str) -> Vec<String> {
    text.trim().lines().map(|line| line.trim().to_owned()).collect()
}

// The book's printed runs.

#[apply(test)]
fn the_books_ddmin_takes_its_printed_steps() {
    // Printed after the test of the whole input.
    let printed = lines(
        r#"
        z*+s/Q,7)2@0_: PASS
        V"/+!aF-(V4EO: PASS
        F-(V4EOz*+s/Q,7)2@0_: FAIL
        Oz*+s/Q,7)2@0_: PASS
        F-(V4EQ,7)2@0_: FAIL
        ,7)2@0_: PASS
        F-(V4EQ: PASS
        V4EQ,7)2@0_: PASS
        F-(Q,7)2@0_: FAIL
        Q,7)2@0_: PASS
        F-()2@0_: FAIL
        2@0_: PASS
        F-(): FAIL
        (): FAIL
        ): PASS
        (: PASS
        "#,
    );
    let (_, found, tests) = replay(Ddmin::complements(26), MYSTERY, pick, mystery);
    assert_eq!(tests, printed);
    assert_eq!(found, "()");
}

#[apply(test)]
fn the_books_delta_debugger_minimizes_in_its_printed_steps() {
    // Tests 3 to 24; before them come the whole and the empty input.
    let printed = lines(
        r#"
        V"/+!aF-(V4EO: PASS
        z*+s/Q,7)2@0_: PASS
        -(V4EOz*+s/Q,7)2@0_: FAIL
        *+s/Q,7)2@0_: PASS
        -(V4EOz7)2@0_: FAIL
        7)2@0_: PASS
        -(V4EOz: PASS
        -(V47)2@0_: FAIL
        -(V4@0_: PASS
        -(V47)2: FAIL
        -7)2: PASS
        (V4: PASS
        -47)2: PASS
        -(V7)2: FAIL
        -(V2: PASS
        (V7): FAIL
        7): PASS
        (V: PASS
        (7): FAIL
        (): FAIL
        ): PASS
        (: PASS
        "#,
    );
    let search = Dd::book_minimizing(26).arranged(python_set);
    let (_, found, tests) = replay(search, MYSTERY, pick, mystery);
    assert_eq!(tests, printed);
    assert_eq!(found, "()");
}

#[apply(test)]
fn the_books_markup_run_takes_its_printed_steps() {
    // Tests 3 to 10.
    let printed = [
        "\"x >: FAIL",
        "\"x: PASS",
        " >: PASS",
        "x >: PASS",
        "\" >: FAIL",
        "\">: FAIL",
        ">: PASS",
        "\": PASS",
    ];
    for search in [Dd::book_minimizing(7), Dd::book_minimizing(7).arranged(python_set)] {
        let (_, found, tests) = replay(search, "\"x > y\"", pick, remove_html_markup);
        assert_eq!(tests, printed);
        assert_eq!(found, "\">");
    }
}

#[apply(test)]
fn the_books_ddmax_takes_its_printed_steps() {
    // Tests 3 to 8.
    let printed = lines(
        r#"
        z*+s/Q,7)2@0_: PASS
        -(V4EOz*+s/Q,7)2@0_: FAIL
        V"/+!aFz*+s/Q,7)2@0_: PASS
        V"/+!aF4EOz*+s/Q,7)2@0_: PASS
        V"/+!aF-4EOz*+s/Q,7)2@0_: PASS
        V"/+!aF-V4EOz*+s/Q,7)2@0_: PASS
        "#,
    );
    // The omitted set becomes smaller, so the passing set of the mirrored search is its complement.
    let arrange = |_: &[u32], omitted: &[u32]| {
        let passing: Vec<u32> = (0..26).filter(|i| !omitted.contains(i)).collect();
        python_set(&passing, &(0..26).collect::<Vec<u32>>())
    };
    let search = Ddmax::mirrored(Dd::book_minimizing(26).arranged(arrange));
    let (_, found, tests) = replay(search, MYSTERY, leave_out, mystery);
    assert_eq!(tests, printed);
    assert_eq!(found, "V\"/+!aF-V4EOz*+s/Q,7)2@0_");
}

#[apply(test)]
fn the_books_dd_takes_its_printed_steps() {
    // Tests 3 to 9.
    let printed = lines(
        r#"
        V"/+!aF-(V4EO: PASS
        z*+s/Q,7)2@0_: PASS
        V"/+!aFz*+s/Q,7)2@0_: PASS
        -(V4EOz*+s/Q,7)2@0_: FAIL
        -(Vz*+s/Q,7)2@0_: FAIL
        (Vz*+s/Q,7)2@0_: FAIL
        (z*+s/Q,7)2@0_: FAIL
        "#,
    );
    let (search, found, tests) = replay(Dd::book(26).arranged(python_set), MYSTERY, pick, mystery);
    assert_eq!(tests, printed);
    assert_eq!(found, "(z*+s/Q,7)2@0_");
    assert_eq!(pick(MYSTERY, search.passing()), "z*+s/Q,7)2@0_");
    assert_eq!(pick(MYSTERY, &search.difference()), "(");
}

#[apply(test)]
fn the_functions_find_the_same_as_the_book() {
    let input: Vec<char> = MYSTERY.chars().collect();
    let test = |chars: &[char]| mystery(&String::from_iter(chars));
    assert_eq!(dd::ddmin(&input, test).map(String::from_iter), Ok("()".to_owned()));
    assert_eq!(dd::cdd(&input, test).map(String::from_iter), Ok("()".to_owned()));
    let found = dd::dd(&input, test).expect("it fails, and the empty one passes");
    assert_eq!(String::from_iter(found.difference), "(");
    assert_eq!(String::from_iter(found.passing), "V4EOz*+s/Q,7)2@0_");
    let largest = String::from_iter(dd::ddmax(&input, test).expect("the empty one passes"));
    assert_eq!(largest, "V\"/+!aF-V4EOz*+s/Q,7)2@0_");

    let markup: Vec<char> = "\"x > y\"".chars().collect();
    let test = |chars: &[char]| remove_html_markup(&String::from_iter(chars));
    assert_eq!(dd::ddmin(&markup, test).map(String::from_iter), Ok("\">".to_owned()));
}

// The papers' examples.

/// The worked example of TSE 2002: of eight changes, 1, 7 and 8 are needed together. With only some of them
/// the test is unresolved, and with none of them it passes.
fn needs_1_7_8(config: &[u32]) -> Verdict {
    match [1, 7, 8].iter().filter(|i| config.contains(i)).count() {
        0 => Uninteresting,
        3 => Interesting,
        _ => Unresolved(Cause::Test),
    }
}

#[apply(test)]
fn ddmin_finds_the_three_of_eight_changes_in_19_different_tests() {
    let mut tests = Vec::new();
    let found = dd::ddmin(&[1, 2, 3, 4, 5, 6, 7, 8], |config: &[u32]| {
        tests.push(config.iter().map(u32::to_string).collect::<String>());
        needs_1_7_8(config)
    });
    assert_eq!(found, Ok(vec![1, 7, 8]));
    let expected = "12345678  1234 5678 12 34 56 78 345678 125678 1278 1 2 7 8 278 178 18 17";
    assert_eq!(tests.join(" "), expected);
    assert_eq!(tests.iter().collect::<HashSet<_>>().len(), 19);
}

#[apply(test)]
fn dd_isolates_the_first_character_of_a_tag_by_halving() {
    // The input and the test are those of WPF; the whole input and the empty one come before these.
    let text = "<SELECT NAME=\"priority\" MULTIPLE SIZE=7>";
    let oracle = |page: &str| fails_if(page.starts_with("<SELECT") && page.contains('>'));
    let (search, found, tests) = replay(Dd::new(40), text, pick, oracle);
    assert_eq!(
        tests,
        [
            "ty\" MULTIPLE SIZE=7>: PASS",
            "ME=\"priority\" MULTIPLE SIZE=7>: PASS",
            "CT NAME=\"priority\" MULTIPLE SIZE=7>: PASS",
            "ELECT NAME=\"priority\" MULTIPLE SIZE=7>: PASS",
            "SELECT NAME=\"priority\" MULTIPLE SIZE=7>: PASS",
        ]
    );
    assert_eq!(found, text);
    assert_eq!(pick(text, &search.difference()), "<");
}

#[apply(test)]
fn cdd_takes_the_sizes_of_the_published_schedule() {
    // First about -1 / ln(1 - 0.1), and then the previous one times 1 - 1/e, rounded down.
    let mut sizes = vec![(-1.0 / (1.0f64 - 0.1).ln()).round()];
    while sizes[sizes.len() - 1] > 1.0 {
        sizes.push((sizes[sizes.len() - 1] * (1.0 - (-1.0f64).exp())).floor());
    }
    let mut asked = Vec::new();
    let mut search = Cdd::new(45);
    while let Some(without) = search.next() {
        asked.push(without.len() as f64);
        search.advance(Uninteresting);
    }
    asked.dedup();
    assert_eq!(asked, sizes);
}

// The published bounds.

/// Runs a search against an adversary: every test is unresolved, until the last one, which returns `found`.
fn worst<S: Search>(mut search: S, found: Verdict) -> usize {
    let mut tests = 0;
    while search.next().is_some() {
        let mut next = search.clone();
        next.advance(Unresolved(Cause::Test));
        if next.next().is_none() {
            search.advance(found);
        } else {
            search = next;
        }
        tests += 1;
    }
    tests
}

#[apply(test)]
fn an_adversary_forces_no_more_tests_of_ddmin_and_ddmax_than_published() {
    // TSE 2002, proposition 12: n² + 3n. No test is repeated here, which leaves half of the second phase.
    for n in 1..=64u32 {
        let d = n as usize;
        let known = [
            worst(Ddmin::new(n), Interesting),
            worst(Ddmin::weighted(vec![1; d]), Interesting),
            worst(Ddmin::weighted((0..n).map(|i| i % 7).collect()), Interesting),
            worst(Ddmax::new(n), Uninteresting),
            worst(Dd::book_minimizing(n), Interesting),
        ];
        for tests in known {
            assert!(tests <= d * d + 3 * d && 2 * tests <= d * d + 7 * d, "{tests} tests for {n}");
        }
    }
}

#[apply(test)]
fn an_adversary_forces_half_of_that_if_only_complements_are_tested() {
    // 2 + 4 + ... + n tests at first, then n - 1, n - 2, ... 2: (n² + 3n) / 2, less a few that were made
    // before. If n is not a power of two, the part for the remainder costs a few more.
    for n in 1..=64usize {
        let tests = worst(Ddmin::complements(n as u32), Interesting);
        let more = if n.is_power_of_two() { 0 } else { n };
        assert!(2 * tests <= n * n + 3 * n + more, "{tests} tests for {n}");
    }
    // The formula gives 8384.
    assert_eq!(worst(Ddmin::complements(128), Interesting), 8375);
}

#[apply(test)]
fn an_adversary_forces_no_more_tests_of_dd_than_published() {
    for n in 1..=64u32 {
        let d = n as usize;
        for search in [Dd::new(n), Dd::book(n), Dd::above(&(0..n / 3).collect::<Vec<_>>(), n)] {
            let d = d.min(search.difference().len());
            for found in [Interesting, Uninteresting] {
                let tests = worst(search.clone(), found);
                assert!(tests <= d * d + 7 * d, "{tests} tests for {d}");
            }
        }
    }
}

#[apply(test)]
fn ddmin_needs_two_log_n_tests_if_a_single_circumstance_is_needed() {
    // TSE 2002, proposition 13.
    for n in [2u32, 4, 8, 64, 1024, 1 << 16] {
        for needed in [0, 1, n / 2, n - 1] {
            let mut tests = 0;
            let (_, found) = dd::run(Ddmin::new(n), n, |config: &[u32]| {
                tests += 1;
                fails_if(config.contains(&needed))
            });
            assert_eq!(found, [needed]);
            assert!(tests <= 2 * n.ilog2(), "{tests} tests for {n}");
        }
    }
}

#[apply(test)]
fn dd_needs_log_d_resolved_tests_and_the_books_order_twice_that() {
    for d in [2u32, 3, 8, 26, 64, 1000, 1 << 16] {
        for needed in [vec![0], vec![d - 1], vec![0, d / 2, d - 1], vec![d / 3]] {
            for (search, each) in [(Dd::new(d), 1), (Dd::book(d), 2)] {
                let mut tests = 0;
                let (search, _) = dd::run(search, d, |config: &[u32]| {
                    tests += 1;
                    fails_if(needed.iter().all(|i| config.contains(i)))
                });
                assert_eq!(search.difference().len(), 1);
                assert!(tests <= each * d.next_power_of_two().ilog2(), "{tests} tests for {d}");
            }
        }
    }
}
