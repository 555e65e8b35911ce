//! What is on disk: the best never grows, nothing that somebody else wrote is lost, and what is said of the end is true.

use crate::sandbox::{Finished, Sandbox};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Forty lines, of which three are needed.
fn input() -> String {
    let line = |n| format!("{} {n}\n", if n % 15 == 4 { "needle" } else { "straw" });
    (0..40).map(line).collect::<Vec<_>>().concat()
}

/// A sandbox with an input, and an oracle that counts the needles in it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", input());
    sandbox.oracle("oracle.sh", "test $(grep -c needle \"$1\") = 3");
    sandbox
}

#[track_caller]
fn assert_ends(run: &Finished, code: i32, texts: &[&str]) {
    assert_eq!(run.code(), code, "{run:?}");
    for text in texts {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
}

/// The only journal in the sandbox.
fn journal(sandbox: &Sandbox) -> PathBuf {
    let entries = fs::read_dir(sandbox.path(".nubbin")).expect("there").flatten();
    let mut folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let journal = folders.next().expect("a journal").join("journal.jsonl");
    assert!(folders.next().is_none(), "one journal");
    journal
}

/// Takes the end of the run and its last steps out of the journal, as if the run had been killed before it noted them.
fn forget_steps(sandbox: &Sandbox, steps: usize) {
    let path = journal(sandbox);
    let text = fs::read_to_string(&path).expect("there");
    let is_step = |line: &&str| line.starts_with("{\"step\"");
    let kept = text.lines().filter(is_step).count() - steps;
    let mut number = 0;
    let lines = text.lines().filter(|line| {
        number += usize::from(is_step(line));
        !line.starts_with("{\"end\"") && !(is_step(line) && number > kept)
    });
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    fs::write(path, text).expect("written");
}

#[apply(test)]
fn a_best_that_was_saved_and_not_noted_is_not_replaced_by_a_larger_one() {
    for (options, file) in [(&[][..], "bug.reduced.txt"), (&["--in-place"], "bug.txt")] {
        for steps in [1, 2] {
            let sandbox = sandbox();
            let words = [&["-j1"], options, &["./oracle.sh", "bug.txt"]].concat();
            let run = sandbox.nubbin(&[&["--max-probes", "20"], &words[..]].concat());
            assert_eq!(run.code(), 0, "{run:?}");
            let before = sandbox.read(file);
            forget_steps(&sandbox, steps);
            let run = sandbox.nubbin(&[&["--resume", "--max-probes", "1"], &words[..]].concat());
            assert_ends(&run, 0, &["stopped: --max-probes 1", &format!(" → {} bytes", before.len())]);
            assert_eq!(sandbox.read(file), before);
            let run = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
            assert_eq!(run.code(), 0, "{run:?}");
            assert!(sandbox.read(file).len() < before.len(), "it goes on from there: {run:?}");
        }
    }
}

#[apply(test)]
fn a_best_that_was_noted_and_not_saved_is_saved_when_the_run_goes_on() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-j1", "--max-probes", "40", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let before = sandbox.read("bug.reduced.txt");
    let run = sandbox.nubbin(&["history", "bug.txt", "1", "-o", "-"]);
    assert!(run.stdout.len() > before.len(), "{run:?}");
    sandbox.file("bug.reduced.txt", &run.stdout);
    let run = sandbox.nubbin(&["-j1", "--resume", "--max-probes", "1", "./oracle.sh", "bug.txt"]);
    assert_ends(&run, 0, &["stopped: --max-probes 1"]);
    assert!(!run.stderr.contains("is not what the earlier run has left"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), before);
}

#[apply(test)]
fn a_search_by_units_that_goes_on_does_not_write_its_old_bests_again() {
    let sandbox = sandbox();
    let words = ["-j1", "--unit", "line", "--search", "ddmin", "./oracle.sh", "bug.txt"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    forget_steps(&sandbox, 0);
    let file = || fs::metadata(sandbox.path("bug.reduced.txt")).expect("there").ino();
    let before = file();
    let run = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(file(), before, "the file was never replaced: {run:?}");
}
