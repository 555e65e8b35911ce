//! Limits of a reduction: probes, sizes, passes, objectives, and parts to keep.

use crate::has;
use nubbin::archive::{self, Item, Type};
use nubbin::edit::Span;
use nubbin::event::Event;
use nubbin::{Objective, Outcome, Proof, Reduction, Registry, StopReason, Verdict, pass};
use proptest::prelude::*;
use std::sync::Mutex;

const PROGRAM: &str = "\
#include <stdio.h>

static int alpha(int a, char *b) {
  return a ? b[0] : -a;
}

/* beta */
struct gamma { int x, y; };

int main(void) {
  for (int i = 0; i < 3; i++) {
    delta(i, 2 + 3);
    if (i) epsilon(); else zeta(\"eta theta\");
  }
  return alpha(1, \"iota\");
}
";

const WORDS: [&str; 9] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"];

/// Needs the words of `mask`.
fn wants(mask: u16) -> impl Fn(&[u8]) -> Verdict {
    move |candidate| {
        let mut wanted = WORDS.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        if wanted.all(|(_, word)| has(candidate, word)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }
}

fn c() -> Reduction<'static> {
    Reduction::new(PROGRAM).language(Registry::built_in().get("c"))
}

/// Returns the outcome of a run, with every current best.
fn steps(
    reduction: Reduction<'static>,
    jobs: usize,
    oracle: impl Fn(&[u8]) -> Verdict + Sync,
) -> (Outcome, Vec<Vec<u8>>) {
    // A reduction holds its sink as long as its language, which is static.
    let bests: &'static Mutex<Vec<Vec<u8>>> = Box::leak(Box::default());
    let sink = Box::leak(Box::new(|event: Event<'_>| {
        if let Event::Accepted { best, .. } = event {
            bests.lock().expect("no panic").push(best.to_vec());
        }
    }));
    let outcome = reduction.sink(sink).run_parallel(&oracle, jobs).expect("the input is interesting");
    (outcome, std::mem::take(&mut *bests.lock().expect("no panic")))
}

#[apply(test)]
fn a_limit_on_probes_is_exact_with_any_number_of_jobs() {
    let (whole, all) = steps(c(), 1, wants(0b1001));
    let needed = whole.counts.probes;
    for bound in [1, 2, 3, 4, 5, 17, 40, needed - 1] {
        let (alone, bests) = steps(c().max_probes(bound), 1, wants(0b1001));
        assert_eq!(alone.counts.probes, bound);
        assert_eq!(alone.proof, Proof::Stopped(StopReason::Probes), "after {bound} of {needed}");
        assert!(all.starts_with(&bests), "the same steps, as far as they go");
        for jobs in [2, 3, 8] {
            let (together, others) = steps(c().max_probes(bound), jobs, wants(0b1001));
            assert_eq!((together.counts, &together.best, others), (alone.counts, &alone.best, bests.clone()));
        }
    }
    // Restarts also end there; proofs made before them remain valid.
    let (whole, _) = steps(c().effort(400), 1, wants(0b1001));
    for bound in (needed + 1..whole.counts.probes).step_by(7) {
        let (alone, _) = steps(c().effort(400).max_probes(bound), 1, wants(0b1001));
        let (together, _) = steps(c().effort(400).max_probes(bound), 3, wants(0b1001));
        assert!(alone.counts.probes <= bound);
        assert_eq!((together.counts, together.best, together.proof), (alone.counts, alone.best, alone.proof));
    }
    let (whole, _) = steps(c(), 1, wants(0b1001));
    for bound in [needed, needed + 1] {
        let (outcome, _) = steps(c().max_probes(bound), 3, wants(0b1001));
        assert_eq!((outcome.proof, outcome.counts), (whole.proof, whole.counts), "as many as it takes");
    }
}

#[apply(test)]
fn no_run_is_started_beyond_a_limit_on_probes() {
    let calls = Mutex::new(0);
    let test = wants(0b1001);
    let oracle = |candidate: &[u8]| {
        *calls.lock().expect("no panic") += 1;
        test(candidate)
    };
    let outcome = c().max_probes(30).run(&oracle).expect("the input is interesting");
    assert_eq!((outcome.started, *calls.lock().expect("no panic")), (30, 30));
}

#[apply(test)]
fn a_size_limit_ends_the_run_after_the_step_that_reaches_it() {
    let (whole, all) = steps(c(), 1, wants(0b1001));
    let sizes = |best: &Vec<u8>| {
        let outcome = Reduction::new(best.clone()).max_probes(1).run(&wants(0)).expect("anything is");
        outcome.before
    };
    for unit in Objective::ALL {
        let most = usize::midpoint(unit.of(whole.before), unit.of(whole.after));
        let first = all.iter().position(|best| unit.of(sizes(best)) <= most).expect("it gets so small");
        for jobs in [1, 2, 8] {
            let (outcome, bests) = steps(c().stop_at((unit, most)), jobs, wants(0b1001));
            assert_eq!(outcome.proof, Proof::Stopped(StopReason::Size));
            assert_eq!(bests, all[..=first]);
            assert!(unit.of(outcome.after) <= most);
        }
    }
    let (outcome, bests) = steps(c().stop_at((Objective::Bytes, PROGRAM.len())), 2, wants(0b1001));
    assert_eq!(
        (outcome.proof, outcome.best, bests.len()),
        (Proof::Stopped(StopReason::Size), PROGRAM.into(), 0)
    );
    let (outcome, _) = steps(c().stop_at((Objective::Tokens, 0)), 1, wants(0b1001));
    assert_eq!(outcome.proof, whole.proof, "what is never reached ends nothing");
}

#[apply(test)]
fn only_selected_passes_run_and_prove() {
    let (all, _) = steps(c(), 1, wants(0b1001));
    let (outcome, _) = steps(c().passes(|name| name == "delete-nodes"), 1, wants(0b1001));
    let names: Vec<&str> = outcome.passes.iter().map(|pass| pass.name.as_str()).collect();
    assert!(names.iter().all(|name| ["delete-nodes", "sweep", "confirm"].contains(name)), "{names:?}");
    let Proof::OneMinimal { nodes, tokens, .. } = outcome.proof else { panic!("{:?}", outcome.proof) };
    assert!(nodes > 0 && tokens == 0 && outcome.after.tokens > all.after.tokens);
    let (outcome, _) = steps(
        c().passes(|name| !["delete-nodes", "delete-tokens"].contains(&name)).effort(25),
        1,
        wants(0b1001),
    );
    assert_eq!(outcome.proof, Proof::Dry, "without them nothing is proven");
    assert!(
        outcome
            .passes
            .iter()
            .all(|pass| !["delete-nodes", "delete-tokens", "sweep"].contains(&pass.name.as_str()))
    );
}

#[apply(test)]
fn the_plan_contains_every_selected_pass_once() {
    let plans = [
        pass::Plan::new(true, true),
        pass::Plan::new(false, false),
        pass::Plan::units(&nubbin::Unit::ALL),
        pass::Plan::files(),
        pass::Plan::names(),
        pass::Plan::unreached(),
        pass::Plan::options(),
        pass::Plan::new(true, false).with_proposals(),
        pass::Plan::new(false, false).anonymous(),
    ];
    // The first two are for inspection only; the third is for the coarse levels of directories, which are not
    // tiers, and the last one for the final sweep.
    for pass in pass::all().filter(|pass| {
        !["delete-token-ranges/all", "delete-token-ranges/cut", "delete-nodes/kind", "delete-pairs"]
            .contains(&pass.name)
    }) {
        let opening = plans.iter().flat_map(|plan| plan.opening(usize::MAX));
        let all = plans.iter().flat_map(|plan| plan.tiers().flatten().copied()).chain(opening);
        assert!(all.filter(|one| one.name == pass.name).count() > 0, "{} is in no plan", pass.name);
    }
    let small: Vec<&str> = pass::Plan::new(true, false).opening(1 << 10).map(|pass| pass.name).collect();
    assert_eq!(small, ["trim-whitespace/all", "flatten-nesting"]);
    let plan = pass::Plan::new(true, false).without(&["truncate/end"]);
    let opening: Vec<&str> = plan.opening(1 << 20).map(|pass| pass.name).collect();
    assert_eq!(opening, ["trim-whitespace/all", "delete-unparsed", "truncate/start", "flatten-nesting"]);
    let plan = pass::Plan::new(true, false).without(&["hoist", "trim-whitespace", "delete-tokens"]).turned();
    let names: Vec<&str> = plan.tiers().flatten().map(|pass| pass.name).collect();
    assert!(
        !names.iter().any(|name| ["hoist", "trim-whitespace", "delete-tokens"].contains(name)),
        "{names:?}"
    );
    assert_eq!(plan.sweeps(), ["delete-nodes"]);
}

/// Returns spans of `PROGRAM`, from numbers.
fn spans(pairs: &[(usize, usize)]) -> Vec<Span> {
    let span = |&(start, length): &(usize, usize)| {
        let start = start % PROGRAM.len();
        Span::new(start as u32, (start + length).min(PROGRAM.len()) as u32)
    };
    pairs.iter().map(span).collect()
}

/// Returns whether these texts are in `best` one after the other.
fn in_order<'t>(mut best: &[u8], texts: impl IntoIterator<Item = &'t [u8]>) -> bool {
    texts.into_iter().all(|text| {
        let found = best.windows(text.len()).position(|window| window == text);
        found.inspect(|at| best = &best[at + text.len()..]).is_some()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[apply(test)]
    fn what_has_to_stay_is_in_every_best_in_order_and_costs_no_probe(
        pairs in prop::collection::vec((0usize..1000, 1usize..60), 1..4), mask in 0u16..512,
        which in 0usize..4, effort in 0u32..2, objective in 0usize..3
    ) {
        let kept = spans(&pairs);
        let make = || match which {
            0 => Reduction::new(PROGRAM),
            1 => c().compact(true),
            2 => Reduction::new(PROGRAM).units([nubbin::Unit::Line, nubbin::Unit::Char]),
            _ => c(),
        };
        let make = || make().keep(kept.clone()).effort(effort * 100).objective(Objective::ALL[objective]).allow_empty(true);
        let seen = Mutex::new(Vec::new());
        let test = wants(mask);
        let oracle = |candidate: &[u8]| {
            seen.lock().expect("no panic").push(candidate.to_vec());
            test(candidate)
        };
        let (outcome, _) = steps(make(), 1, oracle);
        let mut united = kept.clone();
        united.sort_unstable();
        let texts: Vec<&[u8]> = outcome.kept.iter().map(|span| span.of(&outcome.best)).collect();
        for span in &united {
            prop_assert!(texts.iter().any(|text| has(text, span.of(PROGRAM.as_bytes()))));
        }
        for candidate in seen.into_inner().expect("no panic").iter().filter(|candidate| !candidate.is_empty()) {
            prop_assert!(in_order(candidate, texts.iter().copied()), "{}", String::from_utf8_lossy(candidate));
        }
        let (together, _) = steps(make(), 3, wants(mask));
        prop_assert_eq!((together.best, together.counts), (outcome.best, outcome.counts));
    }
}

#[apply(test)]
fn kept_parts_save_probes() {
    let (free, _) = steps(c(), 1, wants(0b1000));
    let start = PROGRAM.find("static").expect("it is there");
    let end = PROGRAM.find("/* beta").expect("it is there");
    let kept = [Span::new(start as u32, end as u32)];
    let all = wants(0b1000);
    let function = &PROGRAM[start..end];
    // The same requirement as part of the oracle, which must then run.
    let asked = |candidate: &[u8]| {
        if has(candidate, function) { all(candidate) } else { Verdict::Uninteresting }
    };
    let (told, _) = steps(c(), 1, asked);
    let (outcome, _) = steps(c().keep(kept), 1, wants(0b1000));
    assert_eq!(outcome.kept.len(), 1);
    assert!(outcome.after.tokens > free.after.tokens);
    assert!(outcome.after.tokens <= told.after.tokens, "{outcome:?}");
    assert!(
        2 * outcome.counts.probes < told.counts.probes,
        "{} of {}",
        outcome.counts.probes,
        told.counts.probes
    );
}

#[apply(test)]
fn kept_parts_of_the_files_of_an_archive_stay() {
    let file = |path: &str, content: &str| Item {
        path: path.into(),
        kind: Type::File,
        mode: 0o644,
        content: content.as_bytes().to_vec(),
    };
    let items = [
        file("a.c", "int one;\nint two;\nint three;\n"),
        file("b.txt", "first\nsecond\nthird\n"),
        file("c.txt", "nothing\n"),
    ];
    let text = archive::pack(archive::ArchiveKind::Folder, &items);
    let place = |word: &str| {
        let at = text.windows(word.len()).position(|window| window == word.as_bytes()).expect("it is there");
        Span::new(at as u32, (at + word.len()) as u32)
    };
    let oracle = |candidate: &[u8]| {
        if has(candidate, "three") { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let run = |jobs| {
        let reduction = Reduction::new(text.clone()).archive(Registry::built_in());
        reduction.keep([place("second\n"), place("int two;")]).run_parallel(&oracle, jobs).expect("it fails")
    };
    let outcome = run(1);
    let left: Vec<String> = archive::entries(&outcome.best)
        .iter()
        .map(|entry| {
            format!("{}: {}", entry.path.display(), String::from_utf8_lossy(entry.content_in(&outcome.best)))
        })
        .collect();
    assert_eq!(left, ["a.c: int two;\nthree\n", "b.txt: second\n"]);
    let kept: Vec<&[u8]> = outcome.kept.iter().map(|span| span.of(&outcome.best)).collect();
    assert_eq!(kept, [b"int two;".as_slice(), b"second\n"]);
    assert_eq!(run(3).best, outcome.best);
}

#[apply(test)]
fn limits_apply_to_all_files_of_an_archive_together() {
    let file = |path: &str| Item {
        path: path.into(),
        kind: Type::File,
        mode: 0o644,
        content: PROGRAM.replace("alpha", &format!("alpha{}", path.len())).into_bytes(),
    };
    let text = archive::pack(archive::ArchiveKind::Files, &[file("a.c"), file("bb.c")]);
    let oracle = |candidate: &[u8]| {
        let is_there = has(candidate, "alpha3") && has(candidate, "alpha4");
        if is_there { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let make = || Reduction::new(text.clone()).archive(Registry::built_in());
    let whole = make().run(&oracle).expect("it fails");
    for bound in [1, 4, 10, whole.counts.probes / 2, whole.counts.probes - 1] {
        let outcome = make().max_probes(bound).run(&oracle).expect("it fails");
        assert_eq!((outcome.counts.probes, outcome.proof), (bound, Proof::Stopped(StopReason::Probes)));
        let other = make().max_probes(bound).run_parallel(&oracle, 3).expect("it fails");
        assert_eq!((other.best, other.counts), (outcome.best, outcome.counts));
    }
    let most = usize::midpoint(whole.before.bytes, whole.after.bytes);
    let outcome = make().stop_at((Objective::Bytes, most)).run(&oracle).expect("it fails");
    assert_eq!(outcome.proof, Proof::Stopped(StopReason::Size));
    assert!(outcome.after.bytes <= most && outcome.after.bytes > whole.after.bytes);
}

/// `a` has a long value on a separate line, `b` one that spans two lines with other code.
const NAMES: &str = "int a = 1111111111;\nint main() { int b = (1 +\n2); f(a, a, a); f(b); f(b); }\n";

#[apply(test)]
fn each_objective_replaces_names_by_values_if_that_is_smaller() {
    let bare = |text: &[u8]| -> String {
        String::from_utf8_lossy(text).chars().filter(|c| !c.is_whitespace()).collect()
    };
    let without_a = |text: &str| {
        text.replace("inta=1111111111;", "").replace("f(a,a,a)", "f(1111111111,1111111111,1111111111)")
    };
    let without_b = |text: &str| text.replace("intb=(1+2);", "").replace("f(b)", "f((1+2))");
    let whole = bare(NAMES.as_bytes());
    let both = without_a(&without_b(&whole));
    let known = [whole.clone(), without_a(&whole), without_b(&whole), both.clone()];
    let oracle = |candidate: &[u8]| {
        if known.contains(&bare(candidate)) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let run = |objective, jobs| {
        let c = Registry::built_in().get("c");
        let reduction = Reduction::new(NAMES).language(c).objective(objective);
        reduction.run_parallel(&oracle, jobs).expect("the input is interesting")
    };
    let expected = [both, without_b(&whole), without_a(&whole)];
    let outcomes = Objective::ALL.map(|objective| run(objective, 1));
    for ((objective, expected), outcome) in Objective::ALL.into_iter().zip(expected).zip(&outcomes) {
        assert_eq!(bare(&outcome.best), expected, "{objective:?}");
        if objective != Objective::Tokens {
            assert!(objective.of(outcome.after) < objective.of(outcomes[0].after), "{objective:?}");
        }
        for jobs in [2, 8] {
            let together = run(objective, jobs);
            assert_eq!((&together.best, together.counts), (&outcome.best, outcome.counts), "{objective:?}");
        }
    }
    assert!(!outcomes[1].best.contains(&b'\n'), "of bytes the blanks are squeezed, too");
}

#[apply(test)]
fn the_reduction_starts_from_the_first_smaller_failing_preprocessed_text() {
    let text = "#define A alpha\n#if A\nint A;\n#endif\nint x;";
    let wants = |candidate: &[u8]| {
        let is_there = has(candidate, "alpha") && has(candidate, "int") && !has(candidate, "lost");
        if is_there { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let run = |texts: &[&str]| {
        let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let preprocess = |_: &[u8]| texts.clone();
        let reduction = Reduction::new(text).language(Registry::built_in().get("c"));
        reduction.preprocess(&preprocess as nubbin::Preprocess<'_>).run(&wants).expect("it fails")
    };
    let own = |outcome: &nubbin::Outcome| {
        let pass = outcome.passes.iter().find(|pass| pass.name == "preprocessor");
        pass.map(|pass| (pass.probes, pass.accepted))
    };
    let long = text.replace("x;", "x, y;");
    let outcome = run(&[&long, "lost alpha", "int alpha; int x;", "alpha int"]);
    assert_eq!(own(&outcome), Some((2, 1)), "what is not smaller costs nothing, and the third is taken");
    let refused = run(&["lost alpha"]);
    assert_eq!(own(&refused), Some((1, 0)));
    let plain = run(&[]);
    assert_eq!(own(&plain), None);
    assert_eq!((&refused.best, refused.counts.probes), (&plain.best, plain.counts.probes + 1));
    assert!(outcome.best.len() < plain.best.len(), "{outcome:?}");
    // If nothing at all is left, a preprocessor does not restore anything.
    let preprocess = |_: &[u8]| vec![b"int alpha;".to_vec()];
    let reduction = Reduction::new(text).allow_empty(true).preprocess(&preprocess as nubbin::Preprocess<'_>);
    let empty = reduction.run(&|_: &[u8]| Verdict::Interesting).expect("it fails");
    assert_eq!((own(&empty), empty.best.is_empty()), (None, true));
}

#[apply(test)]
fn a_formatter_is_the_last_step_if_the_failure_stays() {
    let seen = Mutex::new(Vec::new());
    let format = |text: &[u8]| {
        seen.lock().expect("no panic").push(text.to_vec());
        Some(
            text.iter().flat_map(|&byte| if byte == b';' { b";\n\n".to_vec() } else { vec![byte] }).collect(),
        )
    };
    let text = "int x; int alpha; int beta; int y;";
    let wants = |candidate: &[u8]| {
        let both = has(candidate, "alpha;") && has(candidate, "beta;");
        if both { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let c = || Registry::built_in().get("c");
    let plain = Reduction::new(text).language(c()).run(&wants).expect("it fails");
    let outcome = Reduction::new(text)
        .language(c())
        .format(&format as nubbin::Format<'_>)
        .run(&wants)
        .expect("it fails");
    assert_eq!(*seen.lock().expect("no panic"), std::slice::from_ref(&plain.best), "once, on the result");
    assert_eq!(outcome.best, String::from_utf8_lossy(&plain.best).replace(';', ";\n\n").into_bytes());
    assert_eq!((outcome.proof, outcome.counts.probes), (plain.proof, plain.counts.probes + 1));
    assert_eq!(outcome.passes.last().map(|pass| (pass.name.as_str(), pass.accepted)), Some(("formatter", 1)));
    // The failure disappears with two line ends; candidates with more tokens are not tested; a stopped run is
    // not complete.
    let picky = |candidate: &[u8]| {
        if has(candidate, "\n\n") { Verdict::Uninteresting } else { wants(candidate) }
    };
    let refused = Reduction::new(text)
        .language(c())
        .format(&format as nubbin::Format<'_>)
        .run(&picky)
        .expect("it fails");
    assert_eq!((refused.best, refused.counts.probes), (plain.best.clone(), plain.counts.probes + 1));
    let longer = |text: &[u8]| Some([text, b" ;"].concat());
    let untried = Reduction::new(text)
        .language(c())
        .format(&longer as nubbin::Format<'_>)
        .run(&wants)
        .expect("it fails");
    assert_eq!(untried.counts.probes, plain.counts.probes);
    let stopped = Reduction::new(text)
        .language(c())
        .format(&format as nubbin::Format<'_>)
        .max_probes(plain.counts.probes - 1);
    let stopped = stopped.run(&wants).expect("it fails");
    assert_eq!(stopped.proof, Proof::Stopped(StopReason::Probes));
    assert_eq!(seen.lock().expect("no panic").len(), 2, "it is not asked then");
}

#[apply(test)]
fn a_higher_effort_removes_pairs_and_the_proof_reports_it() {
    let source = "void first(void) {\n  xi();\n}\nint between;\nvoid second(void) {\n  upsilon = 1;\n}\n";
    let test = |candidate: &[u8]| {
        let of = |word| usize::from(has(candidate, word));
        Verdict::from(of("first") + of("second") + of("void first") == 3 && of("xi") == of("upsilon"))
    };
    let c = Registry::built_in().get("c");
    let reduction = || Reduction::new(source).language(c);
    let alone = reduction().run(&test).expect("it fails");
    assert!(
        has(&alone.best, "xi") && has(&alone.best, "upsilon"),
        "{}",
        String::from_utf8_lossy(&alone.best)
    );
    for jobs in [1, 3] {
        let outcome = reduction().effort(1).run_parallel(&test, jobs).expect("it fails");
        assert!(!has(&outcome.best, "xi"), "{}", String::from_utf8_lossy(&outcome.best));
        let Proof::OneMinimal { pairs: 1.., .. } = outcome.proof else { panic!("{:?}", outcome.proof) };
    }
    let Proof::OneMinimal { pairs: 0, .. } = alone.proof else { panic!("{:?}", alone.proof) };
}
