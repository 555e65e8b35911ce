//! Probes that wait behind others, with their directories made.

use super::{SOON, Scene, entries, wait_for};
use nubbin::Verdict;
use nubbin::oracle::{CommandOracle, Error, Oracle};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Runs while a file of the candidate's name is outside; it makes a file of the name, with `+`, when it begins.
const HELD: &str =
    "n=$(cat \"$1\"); echo $$ >\"$2/$n+\"; while test -e \"$2/$n\"; do sleep 0.01; done; exit 0";

fn hold(scene: &Scene, name: &str) {
    fs::write(scene.outside(name), "").expect("written");
}

fn let_go(scene: &Scene, name: &str) {
    fs::remove_file(scene.outside(name)).expect("it is held");
}

fn begun(scene: &Scene, name: &str) -> bool {
    scene.outside(&format!("{name}+")).exists()
}

#[track_caller]
fn assert_passes(oracle: &CommandOracle, name: &str) {
    assert_eq!(oracle.probe(name.as_bytes()).expect("it can be run"), Verdict::Interesting);
}

/// Waits until so many probes have their candidates in their directories.
#[track_caller]
fn wait_for_candidates(scene: &Scene, count: usize) {
    let start = Instant::now();
    let is_there = |seat: &std::path::PathBuf| {
        fs::metadata(seat.join("work/input.c")).is_ok_and(|found| found.len() > 0)
    };
    while entries(scene.work.path()).iter().filter(|seat| is_there(seat)).count() != count {
        assert!(start.elapsed() < SOON, "there are never {count}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn as_many_run_as_were_asked_for_and_the_next_ones_are_ready() {
    let scene = Scene::new();
    // A process leaves its mark while it runs, and counts the marks.
    let line = "mkdir \"$2/$$\" && ls \"$2\" | wc -l >>\"$2.log\"; sleep 0.02; rmdir \"$2/$$\"";
    for jobs in [1, 2, 3] {
        let oracle = scene.shell(line);
        assert_eq!(oracle.expect(jobs), 2 * jobs);
        thread::scope(|scope| {
            for _ in 0..3 * jobs {
                scope.spawn(|| (0..8).for_each(|_| assert_passes(&oracle, "x")));
            }
        });
        let log = scene.outside.path().with_extension("log");
        let counts: Vec<usize> = fs::read_to_string(&log)
            .expect("it is there")
            .lines()
            .map(|count| count.trim().parse().expect("a number"))
            .collect();
        fs::remove_file(log).expect("it is there");
        assert_eq!(counts.len(), 24 * jobs);
        assert_eq!(counts.iter().max(), Some(&jobs), "{counts:?}");
        assert_eq!(entries(scene.work.path()).len(), 2 * jobs, "two directories for each that runs");
        scene.assert_clean(oracle);
    }
}

#[test]
fn a_probe_that_waits_begins_when_the_other_one_ends() {
    let scene = Scene::new();
    let oracle = scene.shell(HELD);
    oracle.expect(1);
    hold(&scene, "first");
    thread::scope(|scope| {
        scope.spawn(|| assert_passes(&oracle, "first"));
        wait_for(&scene.outside("first+"));
        let second = scope.spawn(|| assert_passes(&oracle, "second"));
        wait_for_candidates(&scene, 2);
        thread::sleep(Duration::from_millis(50));
        assert!(!begun(&scene, "second"), "one runs at a time");
        let_go(&scene, "first");
        second.join().expect("no panic");
    });
    scene.assert_clean(oracle);
}

#[test]
fn nobody_waits_behind_a_long_probe_while_there_is_a_warden_with_nothing_to_do() {
    let scene = Scene::new();
    let oracle = scene.shell(HELD);
    oracle.expect(2);
    hold(&scene, "long");
    hold(&scene, "short");
    thread::scope(|scope| {
        scope.spawn(|| assert_passes(&oracle, "long"));
        scope.spawn(|| assert_passes(&oracle, "short"));
        for name in ["long+", "short+"] {
            wait_for(&scene.outside(name));
        }
        // One of them is behind the long one.
        let others = ["a", "b"].map(|name| {
            scope.spawn({
                let oracle = &oracle;
                move || assert_passes(oracle, name)
            })
        });
        wait_for_candidates(&scene, 4);
        let_go(&scene, "short");
        for other in others {
            other.join().expect("no panic");
        }
        assert!(begun(&scene, "long"));
        let_go(&scene, "long");
    });
    scene.assert_clean(oracle);
}

#[test]
fn a_probe_that_is_cancelled_while_it_waits_is_never_run() {
    let scene = Scene::new();
    let oracle = scene.shell(HELD);
    oracle.expect(1);
    hold(&scene, "first");
    let cancelled = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| assert_passes(&oracle, "first"));
        wait_for(&scene.outside("first+"));
        let second = scope.spawn(|| oracle.probe_unless(b"second", &cancelled));
        wait_for_candidates(&scene, 2);
        // There is no room for this one at all.
        let third = scope.spawn(|| oracle.probe_unless(b"third", &cancelled));
        cancelled.store(true, Ordering::Relaxed);
        for probe in [second, third] {
            assert!(matches!(probe.join().expect("no panic"), Err(Error::Interrupted)));
        }
        let_go(&scene, "first");
    });
    assert!(!begun(&scene, "second") && !begun(&scene, "third"));
    assert_passes(&oracle, "second");
    scene.assert_clean(oracle);
}

#[test]
fn when_a_warden_dies_who_waited_for_it_is_served_by_the_next_one() {
    let scene = Scene::new();
    let line = "n=$(cat \"$1\"); case $n in killer) mkdir \"$2/once\" 2>/dev/null || exit 0; echo >\"$2/killer+\"; \
                while ! test -e \"$2/now\"; do sleep 0.01; done; kill -9 $PPID; sleep 1000;; *) exit 0;; esac";
    let oracle = scene.shell(line);
    oracle.expect(1);
    thread::scope(|scope| {
        scope.spawn(|| assert_passes(&oracle, "killer"));
        wait_for(&scene.outside("killer+"));
        scope.spawn(|| assert_passes(&oracle, "other"));
        wait_for_candidates(&scene, 2);
        hold(&scene, "now");
    });
    assert_passes(&oracle, "other");
    scene.assert_clean(oracle);
}
