//! Data that outlive a run: the journal, resuming, the history, and safety if something fails.

use crate::alive::{comes_to, wait_until};
use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox, seconds};
use rustix::process::Signal;
use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// Returns forty lines, three of which are needed.
fn input() -> String {
    let line = |n| format!("{} {n}\n", if n % 15 == 4 { "needle" } else { "straw" });
    (0..40).map(line).collect::<Vec<_>>().concat()
}

/// The shell command that decides whether the input is interesting.
const WANTED: &str = "test $(grep -c needle \"$1\") = 3";

/// Creates a sandbox whose oracle appends each candidate to `log`, followed by a NUL byte.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", input());
    oracle(&sandbox, WANTED);
    sandbox
}

fn oracle(sandbox: &Sandbox, body: &str) {
    let log = sandbox.path("log");
    // In a single write: it may be killed at any time.
    let write = format!("all=$(cat \"$1\"; echo x); printf '%s\\0' \"${{all%x}}\" >>'{}'", log.display());
    sandbox.oracle("oracle.sh", &format!("{write}\n{body}"));
}

/// Returns the candidates that the oracle has tested so far.
fn asked(sandbox: &Sandbox) -> Vec<String> {
    let log = fs::read_to_string(sandbox.path("log")).unwrap_or_default();
    log.split_terminator('\0').map(str::to_owned).collect()
}

/// Returns the directories of the journals next to the input.
fn folders(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = fs::read_dir(sandbox.path(".nubbin")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// The number of occurrences of each name.
type Counts = HashMap<String, usize>;

fn counts(names: impl IntoIterator<Item = String>) -> Counts {
    let mut counts = Counts::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn name(candidate: &str) -> String {
    blake3::hash(candidate.as_bytes()).to_hex().to_string()
}

/// Returns the names of the candidates that have verdicts in the only journal, with their numbers.
fn judged(sandbox: &Sandbox) -> Counts {
    let [folder] = &folders(sandbox)[..] else { panic!("one journal, not {:?}", folders(sandbox)) };
    let text = fs::read_to_string(folder.join("journal.jsonl")).expect("it is there");
    let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    counts(lines.filter_map(|line| Some(line.get("verdict")?[0].as_str()?.to_owned())))
}

/// Starts a run, and kills it after this number of questions to the oracle.
fn killed(sandbox: &Sandbox, arguments: &[&str], questions: usize) {
    // The oracles write their log here.
    let (program, leave, work) = (env!("CARGO_BIN_EXE_nubbin"), sandbox.path(""), sandbox.path("work"));
    fs::create_dir_all(&work).expect("made");
    let options = format!("--writable '{}' --work-dir '{}'", leave.display(), work.display());
    let line = format!("exec '{program}' {options} {}", arguments.join(" "));
    let stdin = fs::File::open(sandbox.path("bug.txt")).expect("it is there");
    let mut run = sandbox.start("sh", &["-c", &line], stdin.into());
    run.wait_until(|sandbox| asked(sandbox).len() >= questions);
    run.signal(Signal::KILL);
    assert_eq!(run.wait().signal(), Some(9), "it was still running");
    // The remaining processes are killed by others, which then clean up.
    wait_until("a clean directory", || fs::read_dir(&work).expect("there").next().is_none());
}

/// Asserts that no candidate with a known verdict was tested again since `before`, when the journal contained
/// the `known` verdicts. The run has ended and had a single job. A candidate has no more verdicts than in an
/// undisturbed run; the input and some current bests are tested more than once.
#[track_caller]
fn assert_nothing_repeated(sandbox: &Sandbox, known: &Counts, before: usize) {
    let since = counts(asked(sandbox).split_off(before).iter().map(|candidate| name(candidate)));
    assert!(!since.is_empty());
    let (usual, now) = (&undisturbed().judged, judged(sandbox));
    for (name, often) in &now {
        let of = |counts: &Counts| counts.get(name).copied().unwrap_or_default();
        assert!(*often <= of(usual).max(1), "{often} verdicts on {name}, and {} usually", of(usual));
        assert_eq!(of(&since), often - of(known), "questions about {name}, and verdicts that were missing");
    }
    assert!(since.keys().all(|name| now.contains_key(name)), "a question without a verdict");
}

/// The result of an undisturbed run.
struct Undisturbed {
    result: String,
    judged: Counts,
    asked: Counts,
}

fn undisturbed() -> &'static Undisturbed {
    static RUN: OnceLock<Undisturbed> = OnceLock::new();
    RUN.get_or_init(|| {
        let sandbox = sandbox();
        let run = sandbox.nubbin(&["-j1", "./oracle.sh", "bug.txt"]);
        assert_eq!(run.code(), 0, "{run:?}");
        let asked = counts(asked(&sandbox).iter().map(|candidate| name(candidate)));
        Undisturbed { result: sandbox.read("bug.reduced.txt"), judged: judged(&sandbox), asked }
    })
}

/// Returns the result of an undisturbed run.
fn expected() -> String {
    undisturbed().result.clone()
}

#[track_caller]
fn assert_fails(run: &Finished, code: i32, texts: &[&str]) {
    assert_eq!(run.code(), code, "{run:?}");
    for text in texts {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
}

#[apply(test)]
fn a_killed_run_goes_on_without_repeating_a_probe_and_ends_with_the_same_bytes() {
    let expected = expected();
    // There are at most five first runs: at the sixth question there is a journal.
    for (jobs, questions) in [("-j1", 6), ("-j1", 20), ("-j2", 30)] {
        let sandbox = sandbox();
        killed(&sandbox, &[jobs, "./oracle.sh", "bug.txt"], questions);
        let (known, before) = (judged(&sandbox), asked(&sandbox).len());
        // One probe is running, and two of the first runs may only have measured the time. With more than one
        // job, probes are also cancelled.
        let least = if jobs == "-j1" { questions - 3 } else { questions / 2 };
        assert!(known.values().sum::<usize>() >= least, "{known:?}");
        let run = sandbox.nubbin(&["-j1", "--resume", "./oracle.sh", "bug.txt"]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains(" from the journal"), "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), expected);
        assert_nothing_repeated(&sandbox, &known, before);
    }
}

#[apply(test)]
fn resuming_alone_uses_the_arguments_of_the_unfinished_run() {
    let expected = expected();
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "-o", "small.txt", "./oracle.sh", "bug.txt"], 20);
    let run = sandbox.nubbin(&["--resume", "--compact"]);
    assert_fails(&run, 2, &["`--compact` cannot be changed when a run is resumed"]);
    let (known, before) = (judged(&sandbox), asked(&sandbox).len());
    let run = sandbox.nubbin(&["--resume", "-j1"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("small.txt"), expected);
    assert_nothing_repeated(&sandbox, &known, before);
    let before = asked(&sandbox).len();
    let run = sandbox.nubbin_confined(&["--resume", "--ui", "none"]);
    assert_fails(&run, 0, &["the earlier run finished; nothing remains to be done", "small.txt"]);
    assert_eq!(asked(&sandbox).len(), before);
}

#[apply(test)]
fn a_run_on_standard_input_can_be_resumed() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "-"], 20);
    let run = sandbox.nubbin(&["--resume", "-j1"]);
    assert_eq!((run.code(), run.stdout), (0, expected()));
}

#[apply(test)]
fn an_in_place_run_is_resumed_from_its_original_input_with_one_backup() {
    let expected = expected();
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "--in-place", "./oracle.sh", "bug.txt"], 25);
    assert_ne!(sandbox.read("bug.txt"), input(), "something was reduced before");
    let (known, before) = (judged(&sandbox), asked(&sandbox).len());
    let run = sandbox.nubbin(&["-j1", "--resume", "--in-place", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!((sandbox.read("bug.txt"), sandbox.read("bug.txt.orig")), (expected, input()));
    assert!(!sandbox.has("bug.txt.orig.1"));
    assert_nothing_repeated(&sandbox, &known, before);
}

#[apply(test)]
fn changes_since_the_earlier_run_are_named() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 10);
    let resume = |words: &[&str]| sandbox.nubbin(&[&["--resume"], words].concat());
    let hint = "hint: to start a new run, omit `--resume`";

    let run = resume(&["./oracle.sh strict", "bug.txt"]);
    assert_fails(&run, 10, &["cannot be resumed: the test was `", "oracle.sh strict`", hint]);
    oracle(&sandbox, "grep -q needle \"$1\"");
    let run = resume(&["./oracle.sh", "bug.txt"]);
    assert_fails(&run, 10, &["oracle.sh` has changed", hint]);
    oracle(&sandbox, WANTED);
    sandbox.file("bug.txt", input() + "more\n");
    let run = resume(&["./oracle.sh", "bug.txt"]);
    assert_fails(&run, 10, &["`bug.txt` has changed since the earlier run started", hint]);
    sandbox.file("bug.txt", input());
    assert!(!sandbox.has("nothing"));
    let run = resume(&["--compact", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["note: `--compact` was not given and is now given; verdicts are reused"]);
}

#[apply(test)]
fn other_limits_make_another_run() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "--limit", "memory=1G", "./oracle.sh", "bug.txt"], 10);
    let resume =
        |limits: &[&str]| sandbox.nubbin(&[&["--resume"], limits, &["./oracle.sh", "bug.txt"]].concat());
    let limits = ["--limit", "memory=1G"];
    for (given, change) in [
        ([].as_slice(), "`--limit memory` was `1073741824` and is not given now"),
        (&["--limit", "memory=2G"], "`--limit memory` was `1073741824` and is now `2147483648`"),
        (&["--limit", "memory=none"], "`--limit memory` was `1073741824` and is now `none`"),
        (&[&limits, ["--limit", "cpu=9"].as_slice()].concat(), "`--limit cpu` was not given and is now `9`"),
        (
            &[&limits, ["--limit", "output=none"].as_slice()].concat(),
            "`--limit output` was not given and is now `none`",
        ),
        (
            &[&limits, ["--limit", "processes=50"].as_slice()].concat(),
            "`--limit processes` was not given and is now `50`",
        ),
    ] {
        assert_fails(&resume(given), 10, &["cannot be resumed: ", change]);
    }
    assert_fails(&resume(&limits), 0, &["from the journal"]);
}

#[apply(test)]
fn another_sandbox_makes_another_run() {
    fn options<'w>(words: &[&'w str]) -> Vec<&'w str> {
        [&["--resume"], words, &["./oracle.sh", "bug.txt"]].concat()
    }

    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 10);
    let here = sandbox.path("").canonicalize().expect("it is there").display().to_string();
    let refused = "cannot be resumed: ";
    let run = sandbox.nubbin(&options(&["--sandbox", "off"]));
    assert_fails(&run, 10, &[refused, "`--sandbox` was not given and is now `off`"]);
    let run = sandbox.nubbin_confined(&options(&[]));
    assert_fails(&run, 10, &[refused, "`--writable` (or `NUBBIN_WRITABLE`) was `", "and is not given now"]);
    std::fs::create_dir(sandbox.path("more")).expect("made");
    let run = sandbox.nubbin(&options(&["--writable", "more"]));
    assert_fails(&run, 10, &[refused, "`--writable` (or `NUBBIN_WRITABLE`) was `", &here, "more`"]);
    let same = ["--writable", ".", "--writable", &here];
    assert_fails(&sandbox.nubbin_confined(&options(&same)), 0, &["from the journal"]);
}

#[apply(test)]
fn another_failure_to_keep_is_another_run() {
    let sandbox = sandbox();
    let log = sandbox.path("log");
    let tool = |status: u8| {
        let body = format!("printf 'x\\0' >>'{}'; {WANTED} && exit {status}; exit 0", log.display());
        sandbox.oracle("tool.sh", &body);
    };
    tool(7);
    killed(&sandbox, &["-j1", "bug.txt", "--", "./tool.sh"], 10);
    let run = sandbox.nubbin(&["--resume", "--exit-code", "7", "bug.txt", "--", "./tool.sh"]);
    assert_fails(&run, 10, &["`--exit-code` was not given and is now `7`"]);
    let run = sandbox.nubbin(&["--resume", "bug.txt", "--", "./tool.sh"]);
    assert_fails(&run, 0, &["from the journal"]);
}

#[apply(test)]
fn timeouts_are_tested_again_with_a_longer_limit() {
    comes_to(&true, is_asked_again_beyond);
}

/// Returns whether a run with this time limit per probe gets far enough to be resumed with a longer limit.
fn is_asked_again_beyond(limit: Duration) -> bool {
    let sandbox = sandbox();
    let (limit, more) = (seconds(limit), seconds(limit * 2));
    oracle(&sandbox, &format!("{WANTED} || exit 1\ntest $(wc -l <\"$1\") -gt 4 || sleep {more}"));
    let run = sandbox.nubbin(&["-j1", "--timeout", &limit, "./oracle.sh", "bug.txt"]);
    if run.code() != 0 {
        return false;
    }
    assert_ne!(sandbox.read("bug.reduced.txt"), expected());
    let run = sandbox.nubbin(&["-j1", "--resume", "--timeout", &limit, "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["nothing remains to be done"]);
    let run = sandbox.nubbin(&["-j1", "--resume", "--timeout", "600", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["from the journal"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), expected());
    true
}

#[apply(test)]
fn a_lost_or_changed_result_is_reported_and_a_lost_one_restored() {
    let expected = expected();
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 25);
    fs::remove_file(sandbox.path("bug.reduced.txt")).expect("it was there");
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt")), (0, expected.clone()));
    fs::remove_file(sandbox.path("bug.reduced.txt")).expect("it was there");
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["nothing remains to be done"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), expected);
    sandbox.file("bug.reduced.txt", "mine");
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["`bug.reduced.txt` was not written by the earlier run"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), "mine");
}

#[apply(test)]
fn a_new_run_mentions_the_resumable_run_and_keeps_its_journal() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 25);
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["did not finish; `--resume` would have continued it"]);
    assert!(!run.stderr.contains("from the journal"), "{run:?}");
    assert!(folders(&sandbox)[0].join("journal.old.jsonl").exists());
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert!(!run.stderr.contains("not finished"), "{run:?}");
}

#[apply(test)]
fn resuming_without_an_earlier_run_starts_a_run_or_is_an_error() {
    let sandbox = sandbox();
    assert_fails(&sandbox.nubbin(&["--resume"]), 10, &["no journal of an earlier run"]);
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["no earlier run to resume; starting a new run"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), expected());
}

#[apply(test)]
fn without_a_journal_only_the_result_is_left() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--no-journal", "./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt")), (0, expected()));
    assert!(!sandbox.has(".nubbin"));
    let run = sandbox.nubbin(&["--no-journal", "--resume", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 2);
}

#[apply(test)]
fn if_no_journal_can_be_kept_the_run_continues_without_one() {
    let sandbox = sandbox();
    sandbox.file(".nubbin", "in the way");
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["note: cannot write a journal, so this run cannot be resumed: cannot use `"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), expected());
}

#[apply(test)]
fn an_input_in_a_directory_that_is_read_only_is_reduced_without_a_journal() {
    let sandbox = sandbox();
    let directory = sandbox.path("locked");
    fs::create_dir(&directory).expect("made");
    sandbox.file("locked/bug.txt", input());
    fs::set_permissions(&directory, Permissions::from_mode(0o555)).expect("set");
    if fs::write(directory.join("probe"), "").is_ok() {
        ignore("needs a user who may not write everywhere");
    }
    let run = sandbox.nubbin(&["./oracle.sh", "locked/bug.txt"]);
    assert_fails(&run, 8, &["cannot write `locked/bug.reduced.txt`"]);
    let run = sandbox.nubbin(&["-o", "small.txt", "./oracle.sh", "locked/bug.txt"]);
    assert_fails(&run, 0, &["note: cannot write a journal"]);
    assert_eq!(sandbox.read("small.txt"), expected());
}

#[apply(test)]
fn a_second_run_at_the_same_time_has_no_journal() {
    let sandbox = sandbox();
    oracle(&sandbox, &format!("test -e '{}' && {WANTED}", sandbox.path("go").display()));
    sandbox.file("go", "");
    let waits = format!(
        "test $(wc -l <\"$1\") = 40 || while ! test -e '{}'; do sleep 0.01; done; {WANTED}",
        sandbox.path("end").display()
    );
    sandbox.oracle("waits.sh", &format!("printf 'x\\0' >>'{}'; {waits}", sandbox.path("log").display()));
    let mut first = sandbox.start_nubbin(&["-j1", "./waits.sh", "bug.txt"]);
    first.wait_until(|sandbox| asked(sandbox).len() >= 2);
    let script = format!(
        "exec '{}' --writable . -o other.txt ./oracle.sh bug.txt 2>second",
        env!("CARGO_BIN_EXE_nubbin")
    );
    let second = sandbox.run("sh", &["-c", &script]);
    assert_eq!(second.code(), 0);
    let said = sandbox.read("second");
    assert!(said.contains("another run on this input is in progress; this run has no journal"), "{said}");
    let third = sandbox.nubbin(&["--resume", "./waits.sh", "bug.txt"]);
    assert_fails(&third, 10, &["is in use by another run"]);
    sandbox.file("end", "");
    first.wait();
    assert_eq!((sandbox.read("bug.reduced.txt"), sandbox.read("other.txt")), (expected(), expected()));
}

#[apply(test)]
fn an_invalid_line_of_a_journal_is_skipped_and_reported() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 10);
    let journal = folders(&sandbox)[0].join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("there").replacen("{\"verdict", "{\"verdikt", 1);
    fs::write(&journal, text).expect("written");
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["note: 1 line of the journal in `", "could not be read and is skipped"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), expected());
    assert_eq!(sandbox.nubbin(&["history"]).code(), 0);
}

#[apply(test)]
fn the_history_lists_the_steps_and_restores_each_of_them() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\ntwo\nneedle\nthree\n");
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "bug.txt"]).code(), 0);
    let listed = "bug.txt: 3 steps, finished\n\n\
                  step  pass                 tokens  bytes  removed\n   \
                  0  (input)                         21\n   \
                  1  delete-blocks             3     15  three\n   \
                  2  delete-blocks             1      7  one two\n   \
                  3  delete-bytes/inside       1      6  (whitespace)\n";
    for words in [["history"].as_slice(), &["history", "bug.txt"]] {
        let run = sandbox.nubbin(words);
        assert_eq!((run.code(), run.stdout.as_str()), (0, listed), "{run:?}");
    }
    for (step, best) in [("0", "one\ntwo\nneedle\nthree\n"), ("1", "one\ntwo\nneedle\n"), ("3", "needle")] {
        let run = sandbox.nubbin(&["history", "bug.txt", step, "-o", "-"]);
        assert_eq!((run.code(), run.stdout.as_str()), (0, best), "{run:?}");
        assert_eq!(sandbox.nubbin(&["history", step]).code(), 0);
        assert_eq!(sandbox.read(format!("bug.step{step}.txt")), best);
    }
    sandbox.file("bug.step1.txt", "mine");
    let run = sandbox.nubbin(&["history", "bug.txt", "1"]);
    assert_fails(&run, 8, &["`bug.step1.txt` already exists with other content"]);
    assert_eq!(sandbox.read("bug.step1.txt"), "mine");
    assert_fails(&sandbox.nubbin(&["history", "bug.txt", "4"]), 2, &["no step 4: the run has 3 steps"]);
    assert_fails(&sandbox.nubbin(&["history", "none.txt"]), 10, &["no journal of a run on `none.txt`"]);
    assert!(sandbox.nubbin(&["history", "--help"]).stdout.contains("nubbin history [OPTIONS] [FILE] [STEP]"));
}

#[apply(test)]
fn an_oracle_named_history_is_given_by_its_path() {
    let sandbox = sandbox();
    sandbox.oracle("history", WANTED);
    let run = sandbox.nubbin(&["./history", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt")), (0, expected()), "{run:?}");
    fs::rename(sandbox.path("bug.txt"), sandbox.path("history.txt")).expect("renamed");
    fs::copy(sandbox.path("history.txt"), sandbox.path("history")).expect("copied");
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "history"]).code(), 0, "and so may be a file");
}

#[apply(test)]
fn line_endings_are_kept() {
    let sandbox = sandbox();
    sandbox.file("bug.txt", input().replace('\n', "\r\n"));
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "bug.txt"]).code(), 0);
    let text = sandbox.read("bug.reduced.txt");
    assert_eq!((text.matches('\n').count(), text.matches("\r\n").count()), (2, 2), "{text:?}");
    assert_eq!(text.matches('\r').count(), 2, "{text:?}");

    sandbox.file(
        "data.json",
        "[\r\n  1,\r\n  [\r\n    \"needle\",\r\n    \"needle\",\r\n    \"needle\"\r\n  ],\r\n  2\r\n]\r\n",
    );
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "data.json"]).code(), 0);
    let text = sandbox.read("data.reduced.json");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    assert!(text.contains("\r\n"), "{text:?}");
}

#[apply(test)]
fn an_input_can_be_removed_during_the_run() {
    let sandbox = sandbox();
    oracle(&sandbox, &format!("rm -f '{}'; {WANTED}", sandbox.path("bug.txt").display()));
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt")), (0, expected()), "{run:?}");
}

#[apply(test)]
fn an_input_in_place_that_somebody_changes_or_removes_meanwhile_is_left_alone_and_the_best_kept() {
    for (action, message, left) in [
        ("echo mine >", "was changed by another program during the run", Some("mine\n")),
        ("rm -f", "was deleted during the run", None),
    ] {
        let sandbox = sandbox();
        let file = sandbox.path("bug.txt");
        let meddle = format!("test $(wc -l <'{0}') = 40 || {action} '{0}'; {WANTED}", file.display());
        oracle(&sandbox, &meddle);
        let run = sandbox.nubbin(&["-j1", "--in-place", "./oracle.sh", "bug.txt"]);
        assert_fails(&run, 7, &[message, "the best result so far is in `bug.reduced.txt`"]);
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), left);
        assert_eq!(sandbox.read("bug.txt.orig"), input());
        let best = sandbox.read("bug.reduced.txt");
        assert!(best.matches("needle").count() == 3 && best.len() < input().len(), "{best}");
    }
}

/// Runs a shell script in a sandbox with a small file system on `small`; the test is ignored if that is not
/// permitted.
fn on_a_small_disk(sandbox: &Sandbox, script: &str) -> Finished {
    fs::create_dir(sandbox.path("small")).expect("made");
    let prepared = "mount -t tmpfs -o size=64k none small || exit 99";
    let script = format!(
        "{prepared}\nnubbin() {{ '{}' --writable . \"$@\"; }}\n{script}",
        env!("CARGO_BIN_EXE_nubbin")
    );
    let run = sandbox.run("unshare", &["-rm", "sh", "-c", &script]);
    if run.status.code().is_none_or(|code| code == 99) || run.stderr.contains("unshare: ") {
        ignore(format!("needs a user who may mount a file system: {}", run.stderr.trim()));
    }
    run
}

/// Returns shell commands that fill the small disk once this file is on it, while the file `fill` exists.
fn fills(sandbox: &Sandbox, once: &str) -> String {
    let (small, fill) = (sandbox.path("small").display().to_string(), sandbox.file("fill", ""));
    let fill = fill.display();
    format!(
        "test -e '{fill}' && test -e '{small}/{once}' && cat /dev/zero >'{small}/filler' 2>/dev/null; {WANTED}"
    )
}

#[apply(test)]
fn a_full_disk_keeps_the_best_before_and_the_run_can_be_resumed() {
    let sandbox = sandbox();
    oracle(&sandbox, &fills(&sandbox, "out.txt"));
    let script = "nubbin -j1 -o small/out.txt ./oracle.sh bug.txt; echo $?; cp small/out.txt kept; ls -A small >left\n\
                  rm small/filler fill; nubbin -j1 -o small/out.txt --resume ./oracle.sh bug.txt; echo $?\n\
                  cp small/out.txt final";
    let run = on_a_small_disk(&sandbox, script);
    assert_eq!(run.stdout, "8\n0\n", "{run:?}");
    let hint = "hint: free some space and continue with `--resume`, or start again";
    for text in ["cannot write `", "small/out.txt`", hint, "the best result so far is in `small/out.txt`"] {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
    let kept = sandbox.read("kept");
    assert!(kept.matches("needle").count() == 3 && kept.len() < input().len(), "{kept}");
    assert_eq!(sandbox.read("left"), "filler\nout.txt\n", "and no temporary file");
    assert_eq!(sandbox.read("final"), expected());
    assert_eq!(judged(&sandbox), undisturbed().judged);
    let mut asked = counts(asked(&sandbox).iter().map(|candidate| name(candidate)));
    let mut usual = undisturbed().asked.clone();
    // The number of runs that measure the time is left to chance.
    let first = [&mut asked, &mut usual].map(|counts| counts.remove(&name(&input())));
    assert!(first.iter().all(|often| (3..=5).contains(&often.unwrap_or_default())), "{first:?}");
    assert_eq!(asked, usual, "nothing is repeated");
}

#[apply(test)]
fn a_journal_on_a_full_disk_is_abandoned_and_the_run_continues() {
    let sandbox = sandbox();
    oracle(&sandbox, &fills(&sandbox, ".nubbin"));
    let script = "cp bug.txt small/bug.txt; nubbin -j1 -o out.txt ./oracle.sh small/bug.txt";
    let run = on_a_small_disk(&sandbox, script);
    assert_fails(&run, 0, &["note: writing the journal failed"]);
    assert_eq!(sandbox.read("out.txt"), expected());
    assert!(!Path::new(&sandbox.path("small/bug.txt")).exists(), "the small disk is gone");
}

#[apply(test)]
fn a_run_of_another_command_on_the_same_input_is_not_resumed() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 25);
    let run = sandbox.nubbin(&["grep -q needle", "bug.txt"]);
    assert!(run.code() == 0 && !run.stderr.contains("not finished"), "{run:?}");
}

/// Returns 300 bytes of garbage, with or without newlines.
fn garbage(has_lines: bool) -> Vec<u8> {
    let byte = |number: u32| (number.wrapping_mul(2_654_435_761) >> 24) as u8;
    (0..).map(byte).filter(|byte| has_lines || *byte != b'\n').take(300).collect()
}

#[apply(test)]
fn a_run_is_resumed_from_a_journal_with_garbage_to_the_same_bytes() {
    let sandbox = sandbox();
    killed(&sandbox, &["-j1", "./oracle.sh", "bug.txt"], 20);
    let [folder] = &folders(&sandbox)[..] else { panic!("one journal") };
    let (journal, best) = (folder.join("journal.jsonl"), sandbox.path("bug.reduced.txt"));
    let (whole, result) = (fs::read(&journal).expect("there"), fs::read(&best).expect("there"));
    let known = judged(&sandbox).values().sum::<usize>();
    let first = whole.iter().position(|&byte| byte == b'\n').expect("a header") + 1;
    let places = (0..9).map(|part| first + part * (whole.len() - first) / 8);
    for (at, has_lines) in places.flat_map(|at| [(at, true), (at, false)]) {
        fs::write(&journal, [&whole[..at], &garbage(has_lines), &whole[at..]].concat()).expect("written");
        fs::write(&best, &result).expect("written");
        let before = asked(&sandbox).len();
        let run = sandbox.nubbin(&["-j1", "--resume", "./oracle.sh", "bug.txt"]);
        assert_eq!(run.code(), 0, "garbage at {at}: {run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), expected(), "garbage at {at}: {run:?}");
        let lost =
            (asked(&sandbox).len() - before + known).saturating_sub(undisturbed().judged.values().sum());
        assert!(lost <= 8, "{lost} runs were made again: {run:?}");
    }
    // A journal without its first line is unusable, which is reported.
    fs::write(&journal, [&garbage(true), &whole[40..]].concat()).expect("written");
    let run = sandbox.nubbin(&["-j1", "--resume", "./oracle.sh", "bug.txt"]);
    assert_fails(&run, 0, &["has no readable header; starting a new run"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), expected());
}
