//! Units of any input: their costs, what they do not change, and what is proven about them.

use crate::has;
use nubbin::event::Event;
use nubbin::{Error, Outcome, Proof, Reduction, Registry, Unit, Verdict};
use proptest::prelude::*;
use std::cell::RefCell;

fn verdict(is_interesting: bool) -> Verdict {
    if is_interesting { Verdict::Interesting } else { Verdict::Uninteresting }
}

fn reduce(input: &[u8], units: &[Unit], wants: impl Fn(&[u8]) -> bool) -> Outcome {
    let oracle = |candidate: &[u8]| verdict(wants(candidate));
    Reduction::new(input).units(units.iter().copied()).run(&oracle).expect("the input is interesting")
}

/// Returns what a sweep over this number of units proves.
fn minimal_over(unit: Unit, count: usize) -> Proof {
    let of = |other| if unit == other { count } else { 0 };
    Proof::OneMinimal {
        files: 0,
        nodes: 0,
        tokens: of(Unit::Token),
        lines: of(Unit::Line),
        characters: of(Unit::Char),
        bytes: of(Unit::Byte),
        pairs: 0,
        options: 0,
        option_parts: 0,
    }
}

/// Returns a recorded list of user actions, one per line.
fn log(count: usize) -> Vec<String> {
    let kinds = ["move mouse to", "press key", "release key", "scroll to", "click at", "type text"];
    (0..count).map(|i| format!("{i:03} {} {}\n", kinds[i * 7 % 6], i * i * 31 % 997)).collect()
}

/// Returns pseudo-random bytes below 128.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8 & 0x7f
    };
    (0..count).map(|_| next()).collect()
}

#[apply(test)]
fn the_3_of_95_user_actions_that_matter_together_take_28_probes() {
    let actions = log(95);
    let needed = [22, 57, 58].map(|i| actions[i].as_bytes());
    let input = actions.concat();
    let outcome = reduce(input.as_bytes(), &[Unit::Line], |log| needed.iter().all(|action| has(log, action)));
    assert_eq!(outcome.best, needed.concat());
    assert_eq!(outcome.proof, minimal_over(Unit::Line, 3));
    // Five of them are of the input, the empty candidate and the result. The papers took 82 tests, later 39.
    assert_eq!(outcome.counts.probes, 28);
}

#[apply(test)]
fn any_3_of_95_user_actions_take_few_probes() {
    let actions = log(95);
    let input = actions.concat();
    let (mut most, mut sum, mut count) = (0, 0, 0);
    for first in (0..95).step_by(9) {
        for second in (first + 1..95).step_by(7) {
            for third in (second + 1..95).step_by(5) {
                let needed = [first, second, third].map(|i| actions[i].as_bytes());
                let wants = |log: &[u8]| needed.iter().all(|action| has(log, action));
                let outcome = reduce(input.as_bytes(), &[Unit::Line], wants);
                assert_eq!(outcome.best, needed.concat());
                most = most.max(outcome.counts.probes);
                sum += outcome.counts.probes;
                count += 1;
            }
        }
    }
    assert_eq!((most, sum / count), (39, 30), "{sum} probes for {count} lists");
}

#[apply(test)]
fn bytes_that_are_needed_are_found_in_the_known_number_of_probes() {
    let mut input = noise(10_000);
    assert!(input.contains(&0));
    (input[2_000], input[8_000]) = (0x80, 0x81);
    let run = input[2_000..4_121].to_vec();
    for (needles, probes) in [(vec![&[0x80][..]], 24), (vec![&[0x80], &[0x81]], 47), (vec![&run[..]], 6_385)]
    {
        let outcome = reduce(&input, &[Unit::Byte], |c| needles.iter().all(|needle| has(c, needle)));
        assert_eq!(outcome.best, needles.concat());
        assert_eq!(outcome.proof, minimal_over(Unit::Byte, outcome.best.len()));
        assert_eq!(outcome.counts.probes, probes);
    }
}

#[apply(test)]
fn as_many_equal_bytes_remain_as_are_needed() {
    let outcome = reduce(&[0; 10_000], &[Unit::Byte], |candidate| candidate.len() >= 2_121);
    assert_eq!(outcome.best, [0; 2_121]);
    assert_eq!(outcome.counts.probes, 49);
}

#[apply(test)]
fn lines_that_are_needed_in_one_place_are_tested_in_another() {
    const NEEDED: &[u8] = b"tick\ntock\ntick\ntock\ntick\ntock\nend\n";
    let ticks = |count: usize| "tick\ntock\n".repeat(count);
    let input = format!("start\n{}stop\n{}end\n", ticks(400), ticks(40));
    let outcome = reduce(input.as_bytes(), &[Unit::Line], |log| {
        log.starts_with(b"start\n") && has(log, b"stop\n") && log.ends_with(NEEDED)
    });
    assert_eq!(outcome.best, [b"start\nstop\n", NEEDED].concat());
    assert_eq!(outcome.counts.probes, 71);
}

#[apply(test)]
fn a_coarser_unit_is_repeated_after_a_finer_one() {
    // Whole lines only; the second can be removed only after the mark of the first.
    let wants = |text: &[u8]| {
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let other = b"the other line";
        lines.iter().all(|line| [&b"keep"[..], b"keep!", other].contains(line))
            && lines.iter().any(|line| line.starts_with(b"keep"))
            && (lines.contains(&&other[..]) || !lines.contains(&&b"keep!"[..]))
    };
    let input = b"keep!\nthe other line\n";
    let outcome = reduce(input, &[Unit::Line, Unit::Char], wants);
    assert_eq!(outcome.best, b"keep");
    assert_eq!(outcome.proof, minimal_over(Unit::Char, 4));
    assert_eq!(reduce(input, &[Unit::Line], wants).best, input);
    assert_eq!(reduce(input, &[Unit::Char], wants).best, b"keep\nthe other line");
}

#[apply(test)]
fn with_units_the_language_whitespace_and_restarts_have_no_effect() {
    let input = "int main(void) {\n  if (needle())\n    return 1;\n  return 0;\n}\n";
    let oracle = |candidate: &[u8]| verdict(has(candidate, b"needle"));
    let c = Registry::built_in().get("c");
    let plain = Reduction::new(input).units([Unit::Line]).run(&oracle).expect("it is interesting");
    let told = Reduction::new(input).language(c).compact(true).effort(400).units([Unit::Line]);
    let told = told.run(&oracle).expect("it is interesting");
    assert_eq!(plain.best, b"  if (needle())\n");
    assert_eq!((told.best, told.counts), (plain.best, plain.counts));
}

#[apply(test)]
fn nothing_is_reported_about_an_unneeded_language() {
    let mut notes = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Note { text } = event {
            notes.push(text.to_owned());
        }
    };
    let oracle = |candidate: &[u8]| verdict(has(candidate, b"x"));
    let outcome = Reduction::new("x y z").units([Unit::Token]).sink(&mut sink).run(&oracle);
    assert_eq!(outcome.map(|outcome| outcome.best).ok(), Some(b"x ".to_vec()));
    assert_eq!(notes, [""; 0]);
}

#[apply(test)]
fn an_empty_input_that_is_interesting_is_an_error_or_the_result() {
    let all = |_: &[u8]| Verdict::Interesting;
    let input = "one\ntwo\n";
    let outcome = Reduction::new(input).units([Unit::Line]).run(&all);
    assert!(matches!(outcome, Err(Error::EmptyIsInteresting)));
    let outcome = Reduction::new(input).units([Unit::Line]).allow_empty(true).run(&all).expect("allowed");
    assert_eq!((outcome.best.len(), outcome.proof), (0, minimal_over(Unit::Line, 0)));
}

/// Returns whether `part` is a subsequence of `whole`.
fn is_left_of<T: PartialEq>(part: impl IntoIterator<Item = T>, whole: impl IntoIterator<Item = T>) -> bool {
    let mut whole = whole.into_iter();
    part.into_iter().all(|one| whole.any(|other| other == one))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

const TEXT: &str = "([a-cß€🦀é ,\\n\\r]|a\u{301}){1,40}";

/// Returns some lists, from coarse to fine.
fn lists() -> impl Strategy<Value = Vec<Unit>> {
    prop::sample::subsequence(Unit::ALL.to_vec(), 1..=4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[apply(test)]
    fn remaining_characters_are_utf8_and_remaining_lines_are_whole(text in TEXT, wanted in "[aß€🦀]{1,3}") {
        let wants = |text: &str| wanted.chars().all(|c| text.contains(c));
        prop_assume!(wants(&text));
        for unit in [Unit::Char, Unit::Line] {
            let odd = RefCell::new(Vec::new());
            let outcome = reduce(text.as_bytes(), &[unit], |candidate| {
                let whole = std::str::from_utf8(candidate).is_ok_and(|candidate| match unit {
                    Unit::Line => is_left_of(lines(candidate), lines(&text)),
                    _ => is_left_of(candidate.chars(), text.chars()),
                });
                if !whole {
                    odd.borrow_mut().push(candidate.to_vec());
                }
                wants(&String::from_utf8_lossy(candidate))
            });
            prop_assert_eq!(odd.into_inner(), Vec::<Vec<u8>>::new());
            prop_assert!(outcome.best.len() <= text.len());
        }
    }

    #[apply(test)]
    fn nothing_is_put_in_and_no_unit_of_the_finest_can_go(
        text in prop::collection::vec(prop_oneof![0u8..4, any::<u8>(), Just(b'\n'), Just(b' ')], 1..60),
        wanted in prop::collection::vec(0u8..4, 1..4),
        units in lists()
    ) {
        let wants = |text: &[u8]| is_left_of(&wanted, text);
        prop_assume!(wants(&text));
        let odd = RefCell::new(Vec::new());
        let outcome = reduce(&text, &units, |candidate| {
            if !is_left_of(candidate, &text) {
                odd.borrow_mut().push(candidate.to_vec());
            }
            wants(candidate)
        });
        prop_assert_eq!(odd.into_inner(), Vec::<Vec<u8>>::new());
        prop_assert!(wants(&outcome.best));
        let finest = *units.last().expect("at least one");
        if finest == Unit::Byte {
            prop_assert_eq!(&outcome.best, &wanted);
        }
        if finest == Unit::Line {
            let count = outcome.best.split_inclusive(|&byte| byte == b'\n').count();
            prop_assert_eq!(outcome.proof, minimal_over(Unit::Line, count));
        }
    }

    #[apply(test)]
    fn the_steps_are_the_same_with_any_number_of_jobs(text in "[ab\\n ]{1,60}", units in lists(), jobs in 2usize..5) {
        let oracle = |candidate: &[u8]| verdict(is_left_of(b"aba", candidate));
        prop_assume!(oracle(text.as_bytes()).is_interesting());
        let reduction = || Reduction::new(text.as_bytes()).units(units.iter().copied());
        let one = reduction().run(&oracle).expect("it is interesting");
        let many = reduction().run_parallel(&oracle, jobs).expect("it is interesting");
        prop_assert_eq!((one.best, one.counts, one.passes), (many.best, many.counts, many.passes));
    }
}
