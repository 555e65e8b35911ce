//! Properties of every reduction, for any language and oracle.

use crate::has;
use nubbin::edit::{Patch, Seam};
use nubbin::event::Event;
use nubbin::syntax::{Grammar, Parser};
use nubbin::{Cause, Proof, Reduction, Registry, Step, Verdict, pass};
use proptest::prelude::*;
use std::cell::RefCell;

/// A small program of each language, with words that an oracle can need.
const PROGRAMS: [(&str, &str); 7] = [
    (
        "c",
        "#include <stdio.h>\nstatic int alpha(int a, char *b) { return a ? b[0] : -a; }\n/* beta */\nstruct gamma { int x, y; };\n\
         int main(void) {\n  for (int i = 0; i < 3; i++) { delta(i, 2 + 3); if (i) epsilon(); else zeta(\"eta theta\"); }\n  return 0;\n}\n",
    ),
    (
        "cpp",
        "namespace alpha { template <typename T> class beta : public gamma { public: T delta(int a = 1) const { return a; } }; }\n\
         int main() { auto epsilon = [](int zeta) { return zeta + 1; }; try { epsilon(2); } catch (eta &e) { throw theta(e); } }\n",
    ),
    (
        "python",
        "import alpha\n\nclass Beta(gamma):\n    '''eta theta'''\n    def delta(self, a, b=1):\n        # note\n        if a:\n            return [epsilon(x) for x in b if x]\n        \
         else:\n            with zeta(a) as f:\n                f.write('x')\n        return {'a': 1}\n",
    ),
    (
        "html",
        "<!doctype html>\n<div class=\"alpha beta\"><p>gamma delta</p><ul><li>epsilon<li>zeta</ul></div>\n<script>function eta(a) { return theta(a + 1); }</script>\n",
    ),
    (
        "javascript",
        "import {alpha} from 'beta';\nclass Gamma extends alpha { delta(a, ...b) { return a?.epsilon ?? `x${b}`; } }\nfor (const x of zeta) { try { eta(x, y => y + 1); } catch { theta(); } }\n",
    ),
    (
        "css",
        "@media screen { .alpha > beta, #gamma { color: delta; margin: 1px 2px epsilon; } }\nzeta:hover { eta: url(theta.png); }\n",
    ),
    (
        "json",
        "{\"alpha\": [1, \"beta\", {\"gamma\": null}], \"delta\": {\"epsilon\": \"zeta eta\", \"theta\": [true, 2.5e3]}}\n",
    ),
];

const WORDS: [&str; 8] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];

/// Needs the words of `mask`; unresolved on candidates of some lengths.
fn oracle(mask: u8, odd: usize) -> impl Fn(&[u8]) -> Verdict {
    move |candidate| {
        if odd > 0 && candidate.len() % (odd + 3) == 1 && candidate.len() < 100 {
            return Verdict::Unresolved(Cause::Test);
        }
        let wanted = WORDS.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        if wanted.into_iter().all(|(_, word)| has(candidate, word)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }
}

/// Returns words and single other characters, without whitespace.
fn words(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, byte) in text.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()) {
        match words.last_mut() {
            Some(last)
                if last.end == at && byte.is_ascii_alphanumeric() && text[at - 1].is_ascii_alphanumeric() =>
            {
                last.end = at + 1;
            }
            _ => words.push(at..at + 1),
        }
    }
    words
}

fn errors(grammar: &Grammar, text: &[u8]) -> u32 {
    Parser::new(grammar).parse(text).errors()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[apply(test)]
    fn a_result_is_interesting_smaller_and_one_minimal_and_the_run_repeatable(
        which in 0usize..PROGRAMS.len(), mask in 1u8..=255, odd in 0usize..3
    ) {
        let (language, program) = PROGRAMS[which];
        let language = Registry::built_in().get(language).expect("a built-in language");
        let test = oracle(mask, odd);
        prop_assume!(test(program.as_bytes()).is_interesting());
        let run = || {
            let mut steps = vec![program.as_bytes().to_vec()];
            let mut keeper = |step: &Step<'_>| {
                let last = steps.last().expect("the input");
                assert_eq!(Patch::new(step.edits.to_vec()).apply(last, Seam::Touch), step.best, "by {}", step.pass);
                steps.push(step.best.to_vec());
                Ok(())
            };
            let reduction = Reduction::new(program).language(language).keeper(&mut keeper);
            let outcome = reduction.run(&test).expect("the input is interesting");
            assert_eq!(steps.last(), Some(&outcome.best));
            outcome
        };
        let (outcome, again) = (run(), run());
        prop_assert!(test(&outcome.best).is_interesting());
        prop_assert!(outcome.after.tokens <= outcome.before.tokens);
        prop_assert_eq!(&outcome.best, &again.best);
        prop_assert_eq!(outcome.counts, again.counts);
        let one_minimal = matches!(outcome.proof, Proof::OneMinimal { .. });
        prop_assert!(one_minimal);
        // Checked independently: no word and no other character can be removed from the result.
        for word in words(&outcome.best).into_iter().filter(|_| odd == 0) {
            let without = [&outcome.best[..word.start], &outcome.best[word.end..]].concat();
            prop_assert!(
                !test(&without).is_interesting(),
                "{word:?} can go from {:?}", String::from_utf8_lossy(&outcome.best)
            );
        }
    }

    #[apply(test)]
    fn passes_over_trees_probe_nothing_that_fits_the_grammar_worse_than_the_best(
        which in 0usize..PROGRAMS.len(), mask in 1u8..=255
    ) {
        let (language, program) = PROGRAMS[which];
        let language = Registry::built_in().get(language).expect("a built-in language");
        let now: RefCell<(String, u32)> = RefCell::new((String::new(), errors(language.grammar(), program.as_bytes())));
        let wanted = oracle(mask, 0);
        prop_assume!(wanted(program.as_bytes()).is_interesting());
        let worse = RefCell::new(Vec::new());
        let test = |candidate: &[u8]| {
            let errors = errors(language.grammar(), candidate);
            let (pass, best) = now.borrow().clone();
            let free = ["", "delete-tokens", "delete-lines", "delete-bytes", "sweep"].contains(&pass.as_str());
            if !free && errors > best {
                worse.borrow_mut().push(format!("{pass}: {}", String::from_utf8_lossy(candidate)));
            }
            wanted(candidate)
        };
        let mut sink = |event: Event<'_>| match event {
            Event::Pass { name, .. } => name.clone_into(&mut now.borrow_mut().0),
            Event::Accepted { best, .. } => now.borrow_mut().1 = errors(language.grammar(), best),
            _ => {}
        };
        let outcome = Reduction::new(program).language(language).sink(&mut sink).run(&test);
        prop_assert!(outcome.is_ok());
        let worse = worse.into_inner();
        prop_assert!(worse.is_empty(), "{worse:?}");
    }
}

/// Returns a description of a run: its result, its counts, and every current best.
fn steps(run: impl FnOnce(&mut dyn nubbin::event::Sink) -> Result<nubbin::Outcome, nubbin::Error>) -> String {
    let mut accepted = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Accepted { best, .. } = event {
            accepted.push(String::from_utf8_lossy(best).into_owned());
        }
    };
    let outcome = run(&mut sink).expect("the input is interesting");
    format!("{:?} {:?} {:?}", outcome.counts, outcome.passes, accepted)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[apply(test)]
    fn a_run_takes_the_same_steps_at_every_number_of_jobs_and_however_long_probes_take(
        which in 0usize..PROGRAMS.len(), mask in 1u8..=255, odd in 0usize..3, effort in 0u32..3, seed: u64
    ) {
        let (language, program) = PROGRAMS[which];
        let language = Registry::built_in().get(language).expect("a built-in language");
        let test = oracle(mask, odd);
        prop_assume!(test(program.as_bytes()).is_interesting());
        let alone = steps(|sink| Reduction::new(program).language(language).effort(effort * 100).sink(sink).run(&test));
        let slow = |candidate: &[u8]| {
            let hash = candidate.iter().fold(seed, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            std::thread::sleep(std::time::Duration::from_micros(hash >> 32 & 511));
            test(candidate)
        };
        for jobs in [1, 2, 3, 8, 16] {
            let together = steps(|sink| Reduction::new(program).language(language).effort(effort * 100).sink(sink).run_parallel(&slow, jobs));
            prop_assert_eq!(&alone, &together);
        }
    }
}

#[apply(test)]
fn every_pass_proposes_only_deltas_that_make_every_program_smaller() {
    use nubbin::edit::{Patch, count_tokens};
    for (name, program) in PROGRAMS {
        let language = Registry::built_in().get(name).expect("a built-in language");
        let parsed = Parser::new(language.grammar()).parse(program.as_bytes());
        let snapshot = pass::Snapshot::new(program.as_bytes().into(), language, parsed);
        for pass in pass::all() {
            let proposal = pass.propose(&snapshot);
            for delta in 0..proposal.len() as u32 {
                let edits = proposal.edits(&|_| false, &[delta]);
                let result = Patch::new(edits).apply(program.as_bytes(), proposal.seam);
                let size = |text: &[u8]| (count_tokens(text), text.len());
                let shown = String::from_utf8_lossy(&result).into_owned();
                assert!(size(&result) < size(program.as_bytes()), "{name}, {}: {shown}", pass.name);
            }
        }
    }
}

/// Verdicts of an earlier run and of this one; a candidate that is tested again has several, in order.
#[derive(Default)]
struct Verdicts {
    known: std::sync::Mutex<std::collections::HashMap<nubbin::oracle::Name, Vec<Verdict>>>,
    again: std::sync::Mutex<std::collections::HashMap<nubbin::oracle::Name, usize>>,
}

impl Verdicts {
    /// Resets the state for a new run.
    fn rewound(&self) -> &Self {
        self.again.lock().expect("no panic").clear();
        self
    }
}

impl nubbin::oracle::Record for Verdicts {
    fn find(&self, name: &nubbin::oracle::Name) -> Option<Verdict> {
        let at = self.again.lock().expect("no panic").get(name).copied().unwrap_or_default();
        self.known.lock().expect("no panic").get(name).and_then(|verdicts| verdicts.get(at).copied())
    }

    fn add(&self, name: &nubbin::oracle::Name, verdict: Verdict) {
        assert_eq!(self.find(name), None, "asked twice");
        self.known.lock().expect("no panic").entry(*name).or_default().push(verdict);
    }

    fn ask_again(&self, name: &nubbin::oracle::Name) {
        if self.find(name).is_some() {
            *self.again.lock().expect("no panic").entry(*name).or_default() += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[apply(test)]
    fn a_run_that_was_cut_short_anywhere_takes_the_same_steps_with_the_record_of_its_verdicts_and_repeats_no_probe(
        which in 0usize..PROGRAMS.len(), mask in 1u8..=255, odd in 0usize..3, cut in 1usize..200, jobs in 1usize..4
    ) {
        use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
        let (language, program) = PROGRAMS[which];
        let language = Registry::built_in().get(language).expect("a built-in language");
        let test = oracle(mask, odd);
        prop_assume!(test(program.as_bytes()).is_interesting());
        let whole = steps(|sink| Reduction::new(program).language(language).sink(sink).run(&test));

        let (verdicts, runs, stop) = (Verdicts::default(), AtomicUsize::new(0), std::sync::Arc::new(AtomicBool::new(false)));
        let counted = |candidate: &[u8]| {
            if runs.fetch_add(1, Ordering::Relaxed) + 1 == cut {
                stop.store(true, Ordering::Relaxed);
            }
            test(candidate)
        };
        let reduction = Reduction::new(program).language(language).record(verdicts.rewound()).stop(std::sync::Arc::clone(&stop));
        prop_assert!(reduction.run_parallel(&counted, jobs).is_ok());

        let resumed = |jobs| steps(|sink| {
            let reduction = Reduction::new(program).language(language).record(verdicts.rewound()).sink(sink);
            let outcome = reduction.run_parallel(&test, jobs)?;
            assert!(outcome.recalled + outcome.started >= outcome.counts.probes);
            Ok(outcome)
        });
        prop_assert_eq!(&whole, &resumed(jobs));
        prop_assert_eq!(&whole, &resumed(1));
        let reduction = Reduction::new(program).language(language).record(verdicts.rewound());
        let outcome = reduction.run(&|_: &[u8]| panic!("everything is known")).expect("it can be reduced");
        prop_assert_eq!((outcome.started, outcome.recalled), (0, outcome.counts.probes));
    }
}
