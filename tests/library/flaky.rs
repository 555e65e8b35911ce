//! Flaky oracles: they are reported to the user, or the reduction continues to a result that fails equally
//! often.

use crate::has;
use nubbin::event::Event;
use nubbin::oracle::Confidence;
use nubbin::{Error, Keeper, Proof, Reduction, Registry, Step, Verdict};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Inputs with a needle and three statements, or members, of noise.
const INPUTS: [(&str, &str); 3] = [
    (
        "c",
        "#include <stdio.h>\nstatic int twice(int a) { return a * 2; }\nstruct pair { int x, y; };\nint main(void) {\n  noise0(1);\n  noise1(2);\n  noise2(3);\n\
         \x20 for (int i = 0; i < 3; i++) { if (i > 1) needle(twice(i), 5); else printf(\"%d\", i); }\n  return 0;\n}\n",
    ),
    (
        "python",
        "import os, sys\n\nclass Thing:\n    def run(self, x):\n        noise0(x)\n        noise1(x)\n        noise2(x)\n        for y in range(x):\n            if y:\n                \
         needle(y, [1, 2])\n            else:\n                print(y)\n        return x\n",
    ),
    (
        "json",
        "{\"list\": [1, 2, {\"deep\": [true, null, 2.5]}], \"noise0\": 0, \"noise1\": 1, \"noise2\": 2, \"more\": {\"a\": [1, 2], \"b\": {\"needle\": [4, 5]}}, \"last\": \"x y\"}\n",
    ),
];

/// Returns a number from 0 to 1 that depends on nothing else.
fn random(seed: u64, call: u64) -> f64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ call.wrapping_mul(0xd1b5_4a32_d192_ed03);
    for multiplier in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        x = (x ^ x >> 30).wrapping_mul(multiplier);
    }
    ((x ^ x >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Creates an oracle that fails as often as `rate` specifies for the candidate.
fn oracle(seed: u64, rate: impl Fn(&[u8]) -> f64 + Sync) -> impl Fn(&[u8]) -> Verdict + Sync {
    let calls = AtomicU64::new(0);
    move |candidate| {
        let hit = random(seed, calls.fetch_add(1, Ordering::Relaxed)) < rate(candidate);
        if hit { Verdict::Interesting } else { Verdict::Uninteresting }
    }
}

/// Fails at a rate of 0.7 with the needle, and never without.
fn of_needle(text: &[u8]) -> f64 {
    if has(text, "needle") { 0.7 } else { 0.0 }
}

fn confidence(share: f64) -> Confidence {
    Confidence::new(share).expect("between a half and one")
}

fn reduction<'a>(language: &str, input: &str) -> Reduction<'a> {
    Reduction::new(input).language(Registry::built_in().get(language)).flaky(confidence(0.95))
}

fn measured(candidate: &[u8], oracle: &dyn Fn(&[u8]) -> Verdict) -> f64 {
    let runs = 2000;
    (0..runs).filter(|_| oracle(candidate).is_interesting()).count() as f64 / f64::from(runs)
}

#[apply(test)]
fn a_test_that_fails_seven_times_in_ten_ends_with_a_result_that_does() {
    for (language, input) in INPUTS {
        for seed in 0..20 {
            for jobs in [1, 4] {
                let oracle = oracle(seed, of_needle);
                let outcome = reduction(language, input).run_parallel(&oracle, jobs).expect("it is reduced");
                let shown = String::from_utf8_lossy(&outcome.best).into_owned();
                assert!(has(&outcome.best, "needle"), "{language}, {seed}, -j {jobs}: {shown}");
                assert!(outcome.after.tokens < 12, "{language}, {seed}, -j {jobs}: {shown}");
                let rate = measured(&outcome.best, &oracle);
                assert!((0.6..0.8).contains(&rate), "{language}, {seed}, -j {jobs}: {rate}");
                assert!(matches!(outcome.proof, Proof::OneMinimal { .. }));
                let flaky = outcome.flaky.expect("the rate was measured");
                assert!((0.5..0.9).contains(&flaky.input.share()), "{flaky:?}");
                assert!((0.45..=1.0).contains(&flaky.best.share()), "{flaky:?}");
                assert!(
                    outcome.runs > 3 * outcome.counts.probes,
                    "{} runs, {:?}",
                    outcome.runs,
                    outcome.counts
                );
            }
        }
    }
}

#[apply(test)]
fn a_rate_that_deletions_lower_is_kept() {
    for (language, input) in INPUTS {
        for seed in 0..10 {
            // One statement halves the rate; or each of three lowers the rate from 0.7 to 0.5, 0.35, 0.25.
            for (noises, factor) in [(1, 0.5), (3, 0.7)] {
                let rate = |text: &[u8]| {
                    let lost = (0..noises).filter(|i| !has(text, format!("noise{i}"))).count();
                    of_needle(text) * f64::powi(factor, lost as i32)
                };
                let outcome = reduction(language, input).run(&oracle(seed, rate)).expect("it is reduced");
                let shown = String::from_utf8_lossy(&outcome.best).into_owned();
                assert!(rate(&outcome.best) > 0.69, "{language}, {seed}, {noises}: {shown}");
            }
        }
    }
}

#[apply(test)]
fn small_losses_do_not_accumulate() {
    let (language, input) = INPUTS[0];
    for seed in 0..5 {
        let rate = |text: &[u8]| {
            let lost = (0..3).filter(|i| !has(text, format!("noise{i}"))).count();
            of_needle(text) * f64::powi(0.85, lost as i32)
        };
        let outcome = reduction(language, input).run(&oracle(seed, rate)).expect("it is reduced");
        // All three would be 0.43.
        assert!(rate(&outcome.best) > 0.5, "{seed}: {}", String::from_utf8_lossy(&outcome.best));
    }
}

/// Records events.
#[derive(Default)]
struct Diary {
    bests: Vec<Vec<u8>>,
    undone: Vec<(usize, Vec<u8>)>,
}

impl Keeper for Diary {
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()> {
        self.bests.push(step.best.to_vec());
        Ok(())
    }

    fn undone(&mut self, steps: usize, best: &[u8]) -> std::io::Result<()> {
        self.undone.push((steps, best.to_vec()));
        self.bests.truncate(self.bests.len() - steps);
        Ok(())
    }
}

/// Lies about each candidate that `lie` selects, the first 16 times: long enough for it to be accepted, but
/// not to be confirmed.
struct Liar<F> {
    lie: F,
    lies: Mutex<HashMap<Vec<u8>, usize>>,
}

impl<F: Fn(&[u8]) -> bool> Liar<F> {
    fn new(lie: F) -> Self {
        Self { lie, lies: Mutex::default() }
    }

    fn lies(&self, candidate: &[u8]) -> bool {
        let mut lies = self.lies.lock().expect("no panic");
        let lies = lies.entry(candidate.to_vec()).or_default();
        *lies += 1;
        (self.lie)(candidate) && *lies <= 16
    }
}

#[apply(test)]
fn false_accepts_are_undone_and_the_final_best_is_confirmed() {
    let needed = |text: &[u8]| ["one", "two", "three"].iter().all(|word| has(text, word));
    let one = |text: &[u8]| text == b"one\nthree\n";
    let several = |text: &[u8]| has(text, "one") && !has(text, "two");
    assert_eq!(undone(&needed, &Liar::new(one)), [1]);
    assert!(undone(&needed, &Liar::new(several)).iter().any(|&steps| steps > 1));
}

/// Reduces four lines with a lying oracle, and returns how many steps were undone each time.
fn undone(needed: &dyn Fn(&[u8]) -> bool, liar: &Liar<impl Fn(&[u8]) -> bool>) -> Vec<usize> {
    let oracle = |candidate: &[u8]| {
        if liar.lies(candidate) || needed(candidate) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let mut diary = Diary::default();
    let mut events = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Undone { steps, size, best } = event {
            events.push((steps, size.bytes, best.to_vec()));
        }
    };
    let outcome = Reduction::new("one\ntwo\nthree\nfour\n")
        .flaky(confidence(0.95))
        .keeper(&mut diary)
        .sink(&mut sink)
        .run(&oracle)
        .expect("it is reduced");
    assert!(needed(&outcome.best), "{:?}", String::from_utf8_lossy(&outcome.best));
    assert_eq!(diary.bests.last(), Some(&outcome.best));
    assert!(!diary.undone.is_empty());
    assert_eq!(events.len(), diary.undone.len());
    for ((steps, bytes, best), undone) in events.iter().zip(&diary.undone) {
        assert_eq!((steps, best), (&undone.0, &undone.1));
        assert!(*steps > 0 && *bytes == best.len() && needed(best));
    }
    let flaky = outcome.flaky.expect("the rate was measured");
    assert_eq!(flaky.best.interesting, flaky.best.runs);
    diary.undone.iter().map(|(steps, _)| *steps).collect()
}

#[apply(test)]
fn a_flaky_oracle_is_reported_with_its_rate() {
    // Either the first run misses the failure, or a later one.
    for missing in 0..3 {
        let calls = AtomicUsize::new(0);
        let oracle = |_: &[u8]| match calls.fetch_add(1, Ordering::Relaxed) % 3 {
            call if call == missing => Verdict::Uninteresting,
            _ => Verdict::Interesting,
        };
        let result = Reduction::new("some text").run(&oracle);
        let Err(Error::Flaky { rate, reduced: false }) = result else { panic!("{missing}: {result:?}") };
        assert_eq!((rate.interesting, rate.runs, calls.into_inner()), ([13, 13, 14][missing], 20, 20));
    }
}

#[apply(test)]
fn an_oracle_that_is_flaky_on_the_result_is_reported_and_the_result_kept() {
    let (language, input) = INPUTS[0];
    for jobs in [1, 4] {
        let asked: Mutex<HashMap<Vec<u8>, usize>> = Mutex::default();
        // A failure that was found once is found again only every third time, except for the input.
        let oracle = |candidate: &[u8]| {
            let mut asked = asked.lock().expect("no panic");
            let times = asked.entry(candidate.to_vec()).or_default();
            *times += 1;
            let finds = candidate == input.as_bytes() || *times % 3 == 1;
            if finds && has(candidate, "needle") { Verdict::Interesting } else { Verdict::Uninteresting }
        };
        let mut diary = Diary::default();
        let reduction = Reduction::new(input).language(Registry::built_in().get(language)).keeper(&mut diary);
        let result = reduction.run_parallel(&oracle, jobs);
        let Err(Error::Flaky { rate, reduced: true }) = result else { panic!("-j {jobs}: {result:?}") };
        assert_eq!((rate.interesting, rate.runs), (6, 20));
        assert!(has(diary.bests.last().expect("there is a best"), "needle"));
    }
}

#[apply(test)]
fn an_input_that_never_fails_is_not_interesting_rather_than_flaky() {
    for flaky in [None, Some(confidence(0.9))] {
        let calls = AtomicUsize::new(0);
        let never = |_: &[u8]| {
            calls.fetch_add(1, Ordering::Relaxed);
            Verdict::Uninteresting
        };
        let result = Reduction::new("x").flaky(flaky).run(&never);
        assert!(matches!(result, Err(Error::NotInteresting(Verdict::Uninteresting))), "{result:?}");
        assert_eq!(calls.into_inner(), if flaky.is_some() { 45 } else { 3 });
    }
}

#[apply(test)]
fn a_deterministic_oracle_costs_two_more_probes_at_the_start_and_one_at_the_end() {
    for (language, input) in INPUTS {
        let language = Registry::built_in().get(language);
        let needle = |text: &[u8]| {
            if has(text, "needle") { Verdict::Interesting } else { Verdict::Uninteresting }
        };
        let run = |confirm: usize| {
            let outcome = Reduction::new(input).language(language).confirm(confirm).run(&needle);
            outcome.expect("it is reduced")
        };
        let (trusting, wary) = (run(1), run(3));
        assert_eq!(wary.counts.probes, trusting.counts.probes + 3);
        assert_eq!(wary.best, trusting.best);
        assert_eq!((wary.runs, trusting.runs), (wary.counts.probes, trusting.counts.probes));
        assert!(wary.flaky.is_none());
        let confirm = wary.passes.iter().find(|pass| pass.name == "confirm").expect("the best was confirmed");
        assert_eq!((confirm.runs, confirm.probes), (1, 1));
    }
}

#[apply(test)]
fn in_a_long_run_the_current_best_is_retested_occasionally() {
    // Many lines that can be removed one by one, and as many that must stay.
    let lines: Vec<String> = (0..400).map(|i| format!("line {} {i}\n", ["keep", "drop"][i % 2])).collect();
    let input = lines.concat();
    let keeps = |text: &[u8]| {
        let kept =
            String::from_utf8_lossy(text).lines().filter(|line| line.starts_with("line keep ")).count();
        if kept == 200 { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let outcome = Reduction::new(input).run(&keeps).expect("it is reduced");
    let confirm = outcome.passes.iter().find(|pass| pass.name == "confirm").expect("bests were confirmed");
    assert_eq!(confirm.probes, confirm.runs);
    assert!(confirm.runs >= 2, "{:?}", outcome.passes);
    assert!(confirm.runs <= 1 + outcome.counts.probes / 200, "{:?}", outcome.passes);
}

#[apply(test)]
fn a_deterministic_oracle_takes_the_same_steps_in_flaky_mode_with_any_number_of_jobs() {
    for (language, input) in INPUTS {
        let needle = |text: &[u8]| {
            if has(text, "needle") { Verdict::Interesting } else { Verdict::Uninteresting }
        };
        let run = |jobs| {
            let mut diary = Diary::default();
            let outcome = reduction(language, input).keeper(&mut diary).run_parallel(&needle, jobs);
            let outcome = outcome.expect("it is reduced");
            (outcome.counts, outcome.passes, diary.bests)
        };
        let alone = run(1);
        assert_eq!(alone, run(4));
    }
}
