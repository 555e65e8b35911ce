//! A chain of causes of a Python program, and the effect of a cause on a later moment.

use nubbin_oracle::CommandOracle;
use nubbin_state::causes;
use nubbin_state::effect::{Behind, Effect, Later};
use nubbin_state::failure::Failure;
use nubbin_state::lab::{Bounds, Lab, Program};
use nubbin_state::matching::Method;
use nubbin_state::protocol::{Point, Spot};
use nubbin_state::state::{Found, Isolated, Known, Pair, Wanted};
use std::path::Path;

const PROGRAM: &str = "\
import sys
n = int(sys.argv[1])
a = n
b = a * 10
c = b == 20
print('bad' if c else 'good')
";

/// Runs `look` with the passing run (argument 1) and the failing run (argument 2) of the program.
fn with_pair(bounds: Bounds, look: impl FnOnce(&Pair<'_>)) {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("tens.py"), PROGRAM).expect("it is written");
    let lab = |word: &str| {
        let program = Program {
            words: ["python3", "tens.py", word].map(Into::into).to_vec(),
            directory: folder.path().to_owned(),
            stdin: None,
            sources: Vec::new(),
        };
        let none: [&str; 0] = [];
        Lab::new(program, &CommandOracle::new("true", none, Lab::request_name()), bounds).expect("a lab")
    };
    let (passing, failing) = (lab("1"), lab("2"));
    let runs = [&passing, &failing].map(|lab| lab.plain().expect("a run"));
    let failure = Failure::of_both(&runs[0], &runs[1], b"2").expect("they differ");
    let known = Known::default();
    look(&Pair {
        passing: &passing,
        failing: &failing,
        failure: &failure,
        jobs: 1,
        method: Method::Parallel,
        known: &known,
    });
}

fn line(line: u32) -> Point {
    Point { place: Spot::Named { file: Path::new("tens.py").to_owned(), line }, count: 1 }
}

fn cause(pair: &Pair<'_>, at: &Point, wanted: &Wanted<'_>) -> Option<Isolated> {
    match pair.isolate([at, at], wanted).expect("states") {
        Found::Relevant(isolated) => Some(*isolated),
        Found::Nothing(_) => None,
    }
}

#[test]
fn the_effect_of_a_cause_is_the_later_one_or_another_value_or_nothing() {
    with_pair(Bounds::default(), |pair| {
        let (first, at) = (line(4), line(5));
        let behind = || Behind { first: &first, arrivals: vec![at.clone()] };
        let isolated = cause(pair, &at, &Wanted::default()).expect("a cause");
        assert_eq!(isolated.words, ["b = 20, not 10"]);
        let later = Later::new(behind(), [&at, &at], &isolated);
        let effect = |command: &str| pair.effect(&[command.to_owned()], &later).expect("runs");
        assert_eq!(effect("a = 2"), Some(Effect::Same));
        assert_eq!(effect("a = 7"), Some(Effect::Other));
        assert_eq!(effect("n = 2"), Some(Effect::Nothing));
        assert_eq!(effect("sys.exit()"), Some(Effect::Nothing), "the run does not come there");
        // A cause at the earlier moment that brings it about, and one at the later moment that another cause
        // brings about.
        let wanted = Wanted { later: Some(later), ..Wanted::default() };
        assert_eq!(cause(pair, &first, &wanted).expect("a cause").words, ["a = 2, not 1"]);
        for (command, comes_of_it) in [("a = 2", true), ("n = 2", false)] {
            let commands = [command.to_owned()];
            let wanted = Wanted { earlier: Some((&commands, behind())), ..Wanted::default() };
            assert_eq!(cause(pair, &at, &wanted).is_some(), comes_of_it, "{command}");
        }
    });
}

#[test]
fn the_chain_of_a_partially_recorded_run_covers_its_end() {
    let words = |events: usize| {
        let mut found = None;
        with_pair(Bounds { events, ..Bounds::default() }, |pair| {
            let chain = causes::chain(pair, &|| false, &mut |_, _| {}).expect("a chain");
            let words: Vec<String> = chain.links.iter().flat_map(|link| link.cause.words.clone()).collect();
            assert!(chain.transitions.iter().all(|one| one.effect == Some(Effect::Same)));
            found = Some((chain.is_cut, words));
        });
        found.expect("a chain")
    };
    let (is_cut, whole) = words(100);
    assert!(!is_cut && whole.contains(&"a = 2, not 1".to_owned()), "{whole:?}");
    assert_eq!(whole.last().map(String::as_str), Some("c = True, not False"));
    let (is_cut, end) = words(2);
    assert!(is_cut && !end.contains(&"a = 2, not 1".to_owned()), "{end:?}");
    assert_eq!(end.last(), whole.last(), "the failure is at the end");
}

#[test]
fn without_time_the_end_of_the_run_is_examined_and_gaps_are_reported() {
    with_pair(Bounds::default(), |pair| {
        // Runs are counted instead of seconds: both traces, and the states and changes of one moment.
        let is_over = || pair.passing.runs() + pair.failing.runs() > 8;
        let chain = causes::chain(pair, &is_over, &mut |_, _| {}).expect("a chain");
        let words: Vec<&str> =
            chain.links.iter().flat_map(|link| &link.cause.words).map(String::as_str).collect();
        assert_eq!(words, ["c = True, not False"]);
        assert!(chain.unseen.iter().map(|gap| gap.moments).sum::<usize>() > 0, "{:?}", chain.unseen);
    });
}
