//! External proposals and manual edits in the library: the same result with any number of jobs.

use nubbin::edit::{Edit, Span};
use nubbin::event::Event;
use nubbin::offer::{Offer, Proposed, Proposer};
use nubbin::{Keeper, Outcome, Reduction, Registry, Step, Verdict};
use std::cell::{Cell, RefCell};
use std::io;

const PROGRAM: &str = "int f(int a) { return a + 1; }\nint g(int a) { return a - 1; }\n\
    int main(void) {\n  int x = 3;\n  call(x, 5 + 6, \"text\", f(g(x)));\n  return 0;\n}\n";

/// Fails on a call followed by a 5, or on `short` with a number.
fn fails(text: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(text);
    let calls = text.find("call(").is_some_and(|at| text[at..].contains('5'));
    if calls || text.trim().starts_with("short") { Verdict::Interesting } else { Verdict::Uninteresting }
}

/// The steps of a run, as the pass and the current best.
#[derive(Default)]
struct Steps {
    taken: Vec<(String, String)>,
    /// The manual edits, and the number of probes after which they are made.
    by_hand: Vec<(usize, &'static str)>,
    refused: Vec<(String, String)>,
}

impl Keeper for Steps {
    fn accepted(&mut self, step: &Step<'_>) -> io::Result<()> {
        self.taken.push((step.pass.to_owned(), String::from_utf8_lossy(step.best).into_owned()));
        Ok(())
    }

    fn offered(&mut self, probes: usize) -> Option<Vec<u8>> {
        let (at, text) = *self.by_hand.first()?;
        (at <= probes).then(|| {
            self.by_hand.remove(0);
            text.into()
        })
    }

    fn refused(&mut self, text: &[u8], why: &str) -> io::Result<Option<String>> {
        self.refused.push((String::from_utf8_lossy(text).into_owned(), why.to_owned()));
        Ok(None)
    }
}

/// Runs with a proposer and manual edits, with this number of jobs.
fn run(
    proposer: Option<&dyn Proposer>,
    by_hand: &[(usize, &'static str)],
    jobs: usize,
) -> (Outcome, Steps, Vec<String>) {
    let mut steps = Steps { by_hand: by_hand.to_vec(), ..Steps::default() };
    let mut notes = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Note { text } = event {
            notes.push(text.to_owned());
        }
    };
    let outcome = Reduction::new(PROGRAM)
        .language(Registry::built_in().get("c"))
        .proposer(proposer)
        .keeper(&mut steps)
        .sink(&mut sink)
        .run_parallel(&fails, jobs)
        .expect("it reduces");
    (outcome, steps, notes)
}

/// Proposes a short program for any text with a call, and the removal of each digit.
fn shorten(asked: &RefCell<Vec<Vec<u8>>>) -> impl Fn(&[u8]) -> Vec<Offer> {
    |best| {
        asked.borrow_mut().push(best.to_vec());
        let digits = (0..best.len() as u32).filter(|at| best[*at as usize].is_ascii_digit());
        let edits = digits.map(|at| Offer::Edits {
            kind: "number".into(),
            edits: vec![Edit::delete(Span::new(at, at + 1))],
        });
        let text = Offer::Text((*b"short 7").into());
        edits.chain(best.starts_with(b"call").then_some(text)).collect()
    }
}

#[apply(test)]
fn proposals_are_requested_and_accepted_alike_with_any_number_of_jobs() {
    let mut first = None;
    for jobs in [1, 2, 3, 8] {
        let asked = RefCell::default();
        let proposer = shorten(&asked);
        let (outcome, steps, _) = run(Some(&proposer), &[], jobs);
        assert!(String::from_utf8_lossy(&outcome.best).starts_with("short"), "{jobs}");
        assert!(steps.taken.iter().any(|(pass, _)| pass == "propose"), "{:?}", steps.taken);
        drop(proposer);
        let found = (steps.taken, asked.into_inner(), outcome.counts.probes);
        assert!(found.1.len() > 1, "it is asked again after a find");
        assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{jobs} jobs");
    }
}

#[apply(test)]
fn without_a_proposer_the_pass_never_runs() {
    let (outcome, ..) = run(None, &[], 1);
    assert!(outcome.passes.iter().all(|pass| pass.name != "propose"));
}

#[apply(test)]
fn a_set_of_edits_is_bisected() {
    // Sixty-four blocks of digits, one of which is needed: halving takes far fewer probes than one for each.
    let input: String = (0..64).flat_map(|i| [format!("{i:04}"), ";".to_owned()]).collect();
    let fails = |text: &[u8]| {
        let is_there = String::from_utf8_lossy(text).contains("0041;");
        if is_there { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let blocks = |best: &[u8]| -> Vec<Offer> {
        let edit = |at: usize| Edit::delete(Span::new(5 * at as u32, 5 * at as u32 + 5));
        let offer = |at| Offer::Edits { kind: "".into(), edits: vec![edit(at)] };
        (0..best.len() / 5).map(offer).collect()
    };
    let reduction = Reduction::new(input).passes(|name| name == "propose");
    let outcome = reduction.proposer(&blocks as &dyn Proposer).run(&fails).expect("it reduces");
    assert_eq!(outcome.best, b"0041;");
    assert!(outcome.counts.probes < 30, "{:?}", outcome.counts);
}

/// Proposes nothing, and reports a message.
struct Silent(Cell<usize>);

impl Proposer for Silent {
    fn propose(&self, _: &[u8]) -> Proposed {
        self.0.set(self.0.get() + 1);
        Proposed { offers: Vec::new(), notes: vec!["nothing comes to mind".to_owned()] }
    }
}

#[apply(test)]
fn notes_are_reported_and_an_answer_without_offers_changes_nothing() {
    let silent = Silent(Cell::new(0));
    let (outcome, _, notes) = run(Some(&silent), &[], 2);
    let (without, ..) = run(None, &[], 2);
    assert_eq!(outcome.best, without.best);
    assert_eq!(outcome.counts.probes, without.counts.probes);
    assert_eq!(notes, vec!["nothing comes to mind"; silent.0.get()]);
    assert!(silent.0.get() > 0);
}

#[apply(test)]
fn a_manual_edit_is_the_same_step_with_any_number_of_jobs() {
    let mut first = None;
    for jobs in [1, 2, 3, 8] {
        let by_hand = [(9, "nothing"), (14, "short 1 2 3")];
        let (outcome, steps, _) = run(None, &by_hand, jobs);
        assert_eq!(steps.refused, [("nothing".to_owned(), "the failure disappears".to_owned())]);
        let hand: Vec<_> = steps.taken.iter().filter(|(pass, _)| pass == "hand").collect();
        assert_eq!(hand, [&("hand".to_owned(), "short 1 2 3".to_owned())]);
        assert_eq!(outcome.best, b"short", "{jobs}");
        let found = (steps.taken, outcome.counts.probes, outcome.counts.interesting);
        assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{jobs} jobs");
    }
}

#[apply(test)]
fn a_manual_edit_that_is_larger_or_changes_kept_parts_costs_no_probe() {
    let larger = "short 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 \
                  36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66";
    let mut steps = Steps { by_hand: vec![(5, larger), (5, "short")], ..Steps::default() };
    let at = PROGRAM.find("call").expect("it is there") as u32;
    let reduction = Reduction::new(PROGRAM).keep([Span::new(at, at + 5)]).keeper(&mut steps);
    let outcome = reduction.run(&fails).expect("it reduces");
    let why: Vec<&str> = steps.refused.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(why, ["it is larger than the current best", "it changes text that must stay"]);
    assert!(outcome.best.windows(5).any(|text| text == b"call("));
    assert!(outcome.passes.iter().filter(|pass| pass.name == "hand").all(|pass| pass.probes == 0));
}
