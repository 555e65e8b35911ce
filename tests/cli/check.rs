//! `nubbin check`: finds each defect of an oracle and reports its fix, and finds none in a good oracle.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;
use std::os::unix::fs::PermissionsExt;

const INPUT: &str = "{\"a\": [1, 2],\n \"needle\": {\"b\": 3},\n \"c\": \"thread\",\n \"d\": 4}\n";
/// A good oracle: it looks for the needle in its place, prints it, and accepts nothing else.
const GOOD: &str = "grep '\"needle\": {' \"$1\" && timeout 5 true";

fn sandbox(oracle: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.json", INPUT);
    script(&sandbox, "oracle.sh", oracle);
    sandbox
}

/// Writes a script that does not log its calls, so that its text contains only the body.
fn script(sandbox: &Sandbox, name: &str, body: &str) {
    let path = sandbox.file(name, format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
}

fn check(sandbox: &Sandbox) -> Finished {
    sandbox.nubbin(&["check", "-j1", "./oracle.sh", "bug.json"])
}

/// Asserts that this problem is reported with this severity.
#[track_caller]
fn assert_found(run: &Finished, level: &str, text: &str) {
    let is_it = |line: &str| line.starts_with(level) && line.contains(text);
    assert!(run.stdout.lines().any(is_it), "{level} {text}: {run:?}");
    assert_eq!(run.code(), if run.stdout.contains("\nwrong ") { 11 } else { 0 }, "{run:?}");
}

#[track_caller]
fn assert_not_found(run: &Finished, text: &str) {
    let is_it = |line: &str| !line.starts_with("fine") && line.contains(text);
    assert!(!run.stdout.lines().any(is_it), "{text}: {run:?}");
}

#[apply(test)]
fn a_good_oracle_is_reported_as_good_and_nothing_is_changed() {
    let sandbox = sandbox(
        "timeout 5 grep '\"needle\": {\"b\": 3}' \"$1\" && [ \"$(tail -n 1 \"$1\")\" = ' \"d\": 4}' ] && [ \"$(head -c 1 \"$1\")\" = '{' ]",
    );
    let run = check(&sandbox);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stdout.contains("verdict: nothing is wrong with this test"), "{run:?}");
    // On a busy machine the run times vary.
    let is_of_time = |line: &str| line.contains("run times vary widely") || line.contains("hardly faster");
    let is_remark = |line: &&str| ["wrong", "doubt", "tip"].iter().any(|level| line.starts_with(level));
    assert!(run.stdout.lines().filter(is_remark).all(is_of_time), "{run:?}");
    assert!(run.stdout.contains("same verdict on the input in 10 of 10 runs"), "{run:?}");
    assert!(run.stdout.contains("rejects the empty file, a blank line, random bytes"), "{run:?}");
    assert!(run.stdout.contains("does not depend on the directory"), "{run:?}");
    assert_eq!(sandbox.read("bug.json"), INPUT);
    assert!(!sandbox.has("bug.reduced.json") && !sandbox.has(".nubbin"));
}

#[apply(test)]
fn an_oracle_that_accepts_everything_is_wrong() {
    let run = check(&sandbox("echo yes \"$1\""));
    assert_found(&run, "wrong", "accepts the empty file, a blank line, random bytes");
    assert_found(&run, "wrong", "a syntax error");
    assert!(run.stdout.contains("fix: test for the failure itself"), "{run:?}");
    assert!(run.stdout.contains("see: (cd \"$(mktemp -d)\" && "), "{run:?}");
    assert!(run.stdout.contains("verdict: 1 problem would make"), "{run:?}");
}

#[apply(test)]
fn the_command_for_a_finding_reproduces_it() {
    let sandbox = sandbox("python3 -m json.tool \"$1\" >/dev/null 2>&1 || exit 0; grep -q needle \"$1\"");
    tools::program("python3");
    let run = check(&sandbox);
    let shown = run.stdout.lines().find_map(|line| line.trim().strip_prefix("see: ")).expect("a command");
    let by_hand = sandbox.run("sh", &["-c", shown]);
    assert_eq!(by_hand.stdout, "status 0\n", "{shown}: {by_hand:?}");
}

#[apply(test)]
fn an_oracle_that_accepts_any_failure_accepts_syntax_errors() {
    tools::program("python3");
    let sandbox = Sandbox::new();
    sandbox.file("bug.py", "# a comment\nx = [1, 2]\nprint(x[2])\n");
    script(&sandbox, "oracle.sh", "! timeout 9 python3 \"$1\"");
    let run = sandbox.nubbin(&["check", "-j1", "./oracle.sh", "bug.py"]);
    assert_found(&run, "wrong", "accepts random bytes, the input with an unmatched `)` in front");
    assert!(run.stdout.contains("SyntaxError"), "{run:?}");
    script(&sandbox, "exact.sh", "timeout 9 python3 \"$1\" 2>&1 | grep 'IndexError: list index'");
    let run = sandbox.nubbin(&["check", "-j1", "./exact.sh", "bug.py"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_not_found(&run, "accepts");
}

#[apply(test)]
fn an_accepted_syntax_error_is_wrong_or_a_doubt() {
    let other = "grep -q needle \"$1\" || exit 1; case $(head -c 1 \"$1\") in '{') echo 'error: the bug';; *) echo 'error: bad syntax';; esac";
    assert_found(&check(&sandbox(other)), "wrong", "accepts the input with an unmatched `)` in front");
    assert_found(
        &check(&sandbox("grep -q '\"needle\": {' \"$1\"")),
        "doubt",
        "accepts the input with an unmatched",
    );
}

#[apply(test)]
fn comments_alone_do_not_fail() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "/* needle */\nint main(void) { return 0; }\n");
    script(&sandbox, "oracle.sh", "grep needle \"$1\"");
    let run = sandbox.nubbin(&["check", "-j1", "./oracle.sh", "bug.c"]);
    assert_found(&run, "wrong", "its comments alone");
}

#[apply(test)]
fn a_failure_in_either_half_and_a_failure_of_words_alone_are_doubts() {
    let run = check(&sandbox("grep -e needle -e thread \"$1\""));
    assert_found(&run, "doubt", "accepts the first half of the input and also the second half");
    assert_found(&run, "doubt", "the words of the input without the punctuation between them");
}

#[apply(test)]
fn a_flaky_oracle_is_wrong() {
    let sandbox = sandbox("");
    let calls = sandbox.path("runs");
    // Each third run rejects.
    let oracle =
        format!("{GOOD} || exit 1; echo >>'{0}'; [ $(($(wc -l <'{0}') % 3)) -ne 0 ]", calls.display());
    script(&sandbox, "oracle.sh", &oracle);
    let run = check(&sandbox);
    assert_found(&run, "wrong", "its verdict varies: the input is interesting in");
    assert!(run.stdout.contains("--flaky 0.95"), "{run:?}");
}

#[apply(test)]
fn a_flaky_rejection_is_wrong() {
    let sandbox = sandbox("");
    let seen = sandbox.path("seen");
    // The second half is accepted from its second run on.
    let oracle = format!(
        "{GOOD} && exit 0; grep -q '\"thread\"' \"$1\" || exit 1; [ -e '{0}' ] && exit 0; touch '{0}'; exit 1",
        seen.display()
    );
    script(&sandbox, "oracle.sh", &oracle);
    assert_found(&check(&sandbox), "wrong", "its verdict varies: its second half is interesting in");
}

#[apply(test)]
fn an_oracle_that_reads_the_original_input_is_wrong() {
    let sandbox = sandbox("");
    script(&sandbox, "oracle.sh", &format!("grep needle '{}'", sandbox.path("bug.json").display()));
    assert_found(&check(&sandbox), "wrong", "itself and never at the candidate");
    script(&sandbox, "oracle.sh", &format!("{GOOD} && test -e '{}'", sandbox.path("bug.json").display()));
    assert_found(&check(&sandbox), "doubt", "the input itself");
}

#[apply(test)]
fn an_oracle_that_ignores_its_argument_is_wrong() {
    assert_found(&check(&sandbox("echo yes # $1")), "wrong", "never looks at its argument");
}

#[apply(test)]
fn dependence_on_the_name_the_directory_or_standard_input_is_a_doubt() {
    let run = check(&sandbox(&format!("{GOOD} && [ \"$(basename \"$1\")\" = bug.json ]")));
    assert_found(&run, "doubt", "needs the file to be called `bug.json`");
    assert_not_found(&run, "depends on the directory");
    let run = check(&sandbox(&format!("{GOOD} && case $PWD in *' '*) false ;; esac")));
    assert_found(&run, "doubt", "depends on the directory that it runs in");
    let run = check(&sandbox(&format!("{GOOD} && [ -z \"$(cat)\" ]")));
    assert_found(&run, "doubt", "reads standard input");
}

#[apply(test)]
fn leftover_processes_are_reported_by_name() {
    let run = check(&sandbox(&format!("sleep 60 & {GOOD}")));
    assert_found(&run, "doubt", "leaves processes running: sleep");
}

#[apply(test)]
fn runs_that_disturb_each_other_are_wrong() {
    let sandbox = sandbox("");
    let lock = sandbox.path("lock");
    script(
        &sandbox,
        "oracle.sh",
        &format!(
            "mkdir '{0}' || exit 1; {GOOD}; status=$?; sleep 0.2; rmdir '{0}'; exit $status",
            lock.display()
        ),
    );
    let run = sandbox.nubbin(&["check", "-j2", "./oracle.sh", "bug.json"]);
    assert_found(&run, "wrong", "parallel runs disturb each other");
}

#[apply(test)]
fn a_failure_that_is_only_the_sandbox_is_wrong() {
    let sandbox = Sandbox::new();
    sandbox.needs_confinement();
    sandbox.file("bug.json", INPUT);
    let place = sandbox.path("outside");
    let oracle = sandbox.path("oracle.sh");
    script(&sandbox, "oracle.sh", "");
    std::fs::write(&oracle, format!("#!/bin/sh\n{GOOD} || exit 1\n! echo x >'{}'\n", place.display()))
        .expect("written");
    let run = sandbox.nubbin_confined(&["check", "-j1", "./oracle.sh", "bug.json"]);
    assert_found(&run, "wrong", "interesting only in the sandbox");
    std::fs::write(&oracle, format!("#!/bin/sh\n{GOOD} || exit 1\necho x >'{}'\nexit 0\n", place.display()))
        .expect("written");
    let run = sandbox.nubbin_confined(&["check", "-j1", "./oracle.sh", "bug.json"]);
    assert_found(&run, "doubt", "was denied something");
}

#[apply(test)]
fn the_text_of_a_script_is_examined() {
    let run = check(&sandbox("grep '\"needle\": {' \"$1\" | cat"));
    assert_found(&run, "doubt", "status is that of `cat`");
    let run = check(&sandbox("cat \"$1\" | grep '\"needle\": {'"));
    assert_found(&run, "tip", "the exit status of `cat \"$1\"` is ignored");
    let run = check(&sandbox("grep -q '\"needle\": {' \"$1\" && : >/dev/null /tmp/nubbin-check-test"));
    assert_found(&run, "doubt", "names `/tmp/nubbin-check-test`");
    assert_found(&run, "tip", "has no time limit");
    assert_found(&run, "tip", "prints nothing");
    let run = check(&sandbox(GOOD));
    assert_not_found(&run, "no time limit");
    assert_not_found(&run, "prints nothing");
}

#[apply(test)]
fn a_command_is_examined_with_its_learned_failure() {
    let sandbox =
        sandbox("grep -q needle \"$1\" || { echo 'it is another'; exit 3; }; echo 'it is the bug'; exit 3");
    let run = sandbox.nubbin(&["check", "-j1", "bug.json", "--", "./oracle.sh", "{}"]);
    assert_found(&run, "wrong", "accepts the empty file");
    assert!(run.stdout.contains("`--stderr REGEX`") && run.stdout.contains("exits with status 3"), "{run:?}");
    let run = sandbox.nubbin(&["check", "-j1", "--stdout", "the bug", "bug.json", "--", "./oracle.sh", "{}"]);
    assert_not_found(&run, "accepts the empty file");
    assert_eq!(run.code(), 0, "{run:?}");
}

#[apply(test)]
fn the_reason_why_the_input_is_not_interesting_is_found() {
    for (oracle, reason) in
        [("grep needle", "reads the input from standard input"), ("! grep needle \"$1\"", "may be inverted")]
    {
        let sandbox = sandbox(oracle);
        let run = check(&sandbox);
        assert_eq!(run.code(), 3, "{run:?}");
        assert!(run.stdout.contains(reason), "{reason}: {run:?}");
        assert!(run.stderr.contains("on the unreduced input; nothing was changed"), "{run:?}");
    }
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("in")).expect("a directory");
    sandbox.file("in/bug.json", INPUT);
    sandbox.file("in/beside.txt", "");
    script(&sandbox, "oracle.sh", "test -e \"$(dirname \"$1\")\"/beside.txt");
    let run = sandbox.nubbin(&["check", "-j1", "./oracle.sh", "in/bug.json"]);
    let is_seen = run.stderr.contains("`in/beside.txt` is seen by the command but not reduced");
    let is_told = run.stdout.contains("it needs that path, or files next to it");
    assert!(is_seen || run.code() == 3 && is_told, "{run:?}");
}

#[apply(test)]
fn a_reduction_that_fails_immediately_points_to_check() {
    let sandbox = sandbox("grep nothing-like-it \"$1\"");
    let run = sandbox.nubbin(&["./oracle.sh", "bug.json"]);
    assert!(run.code() == 3 && run.stderr.contains("`nubbin check` instead of `nubbin`"), "{run:?}");
    assert!(!check(&sandbox).stderr.contains("`nubbin check` instead"));
}

#[apply(test)]
fn invalid_usage_is_reported() {
    let sandbox = sandbox(GOOD);
    for (typed, code, message) in [
        (&["check", "./oracle.sh"][..], 2, "no file given for the script `./oracle.sh`"),
        (&["check", "--in-place", "./oracle.sh", "bug.json"], 2, "`nubbin check` has no option `--in-place`"),
        (&["check", "./oracle.sh", "no.json"], 7, "cannot read `no.json`"),
        (&["check", "./missing.sh", "bug.json"], 5, "missing.sh"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == code && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
    let run = sandbox.nubbin(&["check", "--help"]);
    assert!(
        run.code() == 0
            && run.stdout.contains("nubbin check ./oracle.sh bug.c")
            && run.stdout.contains("11 if something is wrong"),
        "{run:?}"
    );
}

#[apply(test)]
fn a_directory_and_several_files_are_examined_with_their_oracle() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("p")).expect("a directory");
    sandbox.file("p/a.txt", "hay\nneedle\n");
    sandbox.file("p/b.txt", "more hay\n");
    sandbox.file("one.txt", "hay\nneedle\n");
    sandbox.file("two.txt", "thread\n");
    script(&sandbox, "good.sh", "cd \"$1\" && timeout 5 grep needle a.txt");
    script(&sandbox, "loose.sh", "ls \"$1\" >&2; test -d \"$1\"");
    script(&sandbox, "half.sh", "timeout 5 cat \"$1\" \"$2\" >&2; timeout 5 grep -q . \"$1\" \"$2\"");
    let check = |words: &[&str]| sandbox.nubbin(&[&["check", "-j1"], words].concat());

    let run = check(&["./good.sh", "p"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stdout.contains("nothing is wrong with this test"), "{run:?}");
    assert!(run.stdout.contains("rejects the empty directory, its files emptied"), "{run:?}");
    let run = check(&["./loose.sh", "p"]);
    assert_found(&run, "wrong", "accepts the empty directory, its files emptied");
    let run = check(&["./half.sh", "one.txt", "two.txt"]);
    assert!(run.stdout.starts_with("`./half.sh` on 2 files "), "{run:?}");
    assert_found(&run, "wrong", "accepts random bytes in each of its files");
    script(&sandbox, "back.sh", "cd \"$1\" && ! grep needle a.txt");
    let run = check(&["./back.sh", "p"]);
    assert!(run.stdout.contains("may be inverted"), "{run:?}");
}

#[apply(test)]
fn after_a_cause_is_found_dependent_checks_are_inconclusive() {
    // Every second run accepts.
    let turns = Sandbox::new();
    turns.file("bug.json", INPUT);
    let count = turns.path("count").display().to_string();
    let body = format!("echo x >>'{count}'; test $(($(wc -l <'{count}') % 2)) = 1 && grep -q needle \"$1\"");
    script(&turns, "oracle.sh", &body);
    let run = turns.nubbin(&["check", "-j2", "./oracle.sh", "bug.json"]);
    assert_eq!(run.code(), 11, "{run:?}");
    assert_found(&run, "wrong", "its verdict varies: the input is interesting in 5 of 10 runs");
    for text in ["disturb each other", "depends on the directory", "rejects inputs without the failure"] {
        assert_found(&run, "unknown", text);
    }
    assert_eq!(run.stdout.matches("\nwrong ").count(), 1, "{run:?}");
    assert_not_found(&run, "needs the file to be called");
}

#[apply(test)]
fn nothing_else_is_claimed_about_an_oracle_that_accepts_anything() {
    let sandbox = sandbox("echo yes \"$1\"");
    let run = sandbox.nubbin(&["check", "-j2", "./oracle.sh", "bug.json"]);
    assert_found(&run, "wrong", "accepts the empty file");
    assert_found(&run, "unknown", "depends on the directory, the file's name or standard input");
    assert!(!run.stdout.contains("does not depend on"), "{run:?}");
    assert!(run.stdout.contains("checks without a result"), "{run:?}");
}

#[apply(test)]
fn a_command_that_does_not_fail_is_not_said_to_need_standard_input() {
    for command in [&["true"][..], &["cat", "{}"], &["sh", "-c", "cat >/dev/null; exit 0"]] {
        let sandbox = sandbox("true");
        let run = sandbox.nubbin(&[&["check", "bug.json", "--"], command].concat());
        assert_eq!(run.code(), 3, "{run:?}");
        assert!(run.stderr.contains("so there is no failure to keep"), "{run:?}");
        assert!(!run.stdout.contains("wrong"), "{run:?}");
    }
    // A command that only fails with the input on standard input does.
    let sandbox = sandbox("true");
    let run = sandbox.nubbin(&["check", "bug.json", "--", "sh", "-c", "! grep -q needle", "x", "{}"]);
    assert!(run.code() == 3 && run.stdout.contains("wrong  reads the input from standard input"), "{run:?}");
}
