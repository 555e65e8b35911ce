//! Passes that are switched off or skipped, before a reduction and while it runs.

use nubbin::event::Event;
use nubbin::{Outcome, Proof, Reduction, Registry, Switches, Verdict};
use std::sync::Mutex;

const PROGRAM: &str = "\
/* one */
int alpha(int a, char *b) {
  return a ? b[0] : -a;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    if (i) boom(7); else zeta(\"eta theta\");
  }
  return alpha(1, \"iota\");
}
";

fn fails(text: &[u8]) -> Verdict {
    let has_boom = text.windows(4).any(|window| window == b"boom");
    if has_boom { Verdict::Interesting } else { Verdict::Uninteresting }
}

/// Returns the outcome of a run, and the started passes with the number of probes at their start; `at` is
/// called with each of them.
fn run(switches: &Switches, jobs: usize, at: impl Fn(&str)) -> (Outcome, Vec<(String, usize)>) {
    let mut passes = Vec::new();
    let mut probes = 0;
    let mut sink = |event: Event<'_>| match event {
        Event::Pass { name, .. } => {
            passes.push((name.to_owned(), probes));
            at(name);
        }
        Event::Probed { counts, .. } => probes = counts.probes,
        _ => {}
    };
    let c = Registry::built_in().get("c");
    let reduction = Reduction::new(PROGRAM).language(c).switches(switches).sink(&mut sink);
    let outcome = reduction.run_parallel(&fails, jobs).expect("it fails and can be reduced");
    (outcome, passes)
}

#[apply(test)]
fn a_disabled_pass_never_runs_with_any_number_of_jobs() {
    let run = |jobs| {
        let switches = Switches::default();
        assert!(switches.switch("delete-nodes", false) && switches.switch("delete-comments", false));
        let (outcome, passes) = run(&switches, jobs, |_| {});
        assert!(
            passes.iter().all(|(name, _)| name != "delete-nodes" && name != "delete-comments"),
            "{passes:?}"
        );
        assert_eq!(outcome.skipped, ["delete-comments", "delete-nodes"]);
        let Proof::OneMinimal { nodes: 0, tokens: 1.., .. } = outcome.proof else { panic!("{outcome:?}") };
        (outcome.best, outcome.counts, passes)
    };
    let alone = run(1);
    for jobs in [2, 3, 8] {
        assert_eq!(run(jobs), alone, "{jobs} jobs");
    }
}

#[apply(test)]
fn a_run_without_switches_skips_nothing() {
    let (outcome, _) = run(&Switches::default(), 2, |_| {});
    assert!(outcome.skipped.is_empty());
    assert!(matches!(outcome.proof, Proof::OneMinimal { .. }));
}

#[apply(test)]
fn a_pass_disabled_while_it_runs_proposes_nothing_afterwards() {
    for jobs in [1, 3] {
        let switches = Switches::default();
        let off = || switches.is_off("delete-nodes");
        let after = Mutex::new(Vec::new());
        let (outcome, _) = run(&switches, jobs, |name| {
            if off() {
                after.lock().unwrap().push(name.to_owned());
            }
            if name == "delete-nodes" {
                switches.switch("delete-nodes", false);
            }
        });
        assert!(off() && !after.lock().unwrap().iter().any(|name| name == "delete-nodes"));
        let report = outcome.passes.iter().find(|pass| pass.name == "delete-nodes").expect("it began");
        assert_eq!((report.runs, report.probes), (1, 0));
        assert_eq!(outcome.skipped, ["delete-nodes"]);
    }
}

#[apply(test)]
fn a_skipped_pass_runs_again_after_the_next_find() {
    let switches = Switches::default();
    let skipped = Mutex::new(false);
    let (outcome, passes) = run(&switches, 2, |name| {
        let mut skipped = skipped.lock().unwrap();
        if name == "delete-nodes" && !*skipped {
            *skipped = true;
            switches.skip("delete-nodes");
        }
    });
    assert!(passes.iter().filter(|(name, _)| name == "delete-nodes").count() > 1, "{passes:?}");
    assert!(outcome.skipped.is_empty(), "{:?}", outcome.skipped);
    assert!(outcome.after.tokens < 12 && matches!(outcome.proof, Proof::OneMinimal { .. }));
}

#[apply(test)]
fn disabling_a_pass_during_the_proof_removes_it_from_the_proof_until_enabled() {
    let switches = Switches::default();
    let (outcome, _) = run(&switches, 2, |name| {
        if name == "sweep" {
            switches.switch("delete-nodes", false);
        }
    });
    let Proof::OneMinimal { nodes: 0, tokens: 1.., .. } = outcome.proof else { panic!("{outcome:?}") };
    assert_eq!(outcome.skipped, ["delete-nodes"]);

    let sweeps = Mutex::new(0);
    let (outcome, _) = run(&switches, 2, |name| {
        let mut sweeps = sweeps.lock().unwrap();
        *sweeps += usize::from(name == "sweep");
        if *sweeps == 1 {
            switches.switch("delete-nodes", true);
        }
    });
    let Proof::OneMinimal { nodes: 1.., tokens: 1.., .. } = outcome.proof else { panic!("{outcome:?}") };
    assert!(outcome.skipped.is_empty());
}
