//! `--propose`: programs that answer with edits, texts or hints; and manual edits of the result.

use super::sandbox::{Finished, Sandbox};
use crate::tools;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// Creates a directory with an input that fails on `boom(4` or `Z42`, and a program whose proposals are the
/// output of `body`.
fn sandbox(body: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.oracle("o.sh", "grep -q 'boom(4' \"$1\" || grep -q Z42 \"$1\"");
    sandbox
        .file("bug.c", "int f(int a) { return a + 1; }\nint main(void) { boom(4 + 2, f(1)); return 0; }\n");
    let path = sandbox
        .file("p.sh", format!("#!/bin/sh\necho called >>'{}'\n{body}\n", sandbox.path("asked").display()));
    fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    sandbox
}

fn asked(sandbox: &Sandbox) -> usize {
    if sandbox.has("asked") { sandbox.read("asked").lines().count() } else { 0 }
}

fn reduce(sandbox: &Sandbox, more: &[&str]) -> Finished {
    let run = sandbox.nubbin(&[&["--propose", "./p.sh"][..], more, &["./o.sh", "bug.c"]].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    run
}

#[apply(test)]
fn a_proposed_text_is_the_result_with_any_number_of_jobs() {
    let sandbox = sandbox("echo '{\"text\":\"Z42\"}'");
    let run = reduce(&sandbox, &["-v", "-j", "1"]);
    assert_eq!(sandbox.read("bug.reduced.c"), "Z42");
    let probes = |run: &Finished| {
        let line =
            run.stderr.lines().find(|line| line.starts_with("candidates")).expect("they are told").to_owned();
        line.split_whitespace().nth(1).map(str::to_owned)
    };
    let again = reduce(&sandbox, &["-v", "-j", "3"]);
    assert_eq!(probes(&run), probes(&again));
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.contains(" propose "), "{history:?}");
}

#[apply(test)]
fn the_hints_of_c_vise_are_supported() {
    let sandbox = sandbox(
        "at=$(grep -abo 'boom(4' \"$1\" | head -1 | cut -d: -f1); at=${at:-0}; all=$(wc -c <\"$1\")\n\
         echo '{\"format\":\"cvise_hints_v0\",\"pass_name\":\"cut\"}'; echo '[\"all\",\"Z\"]'\n\
         echo '{\"t\":0,\"p\":[{\"l\":0,\"r\":'$at',\"v\":1},{\"l\":'$((at+6))',\"r\":'$all'}]}'",
    );
    let run = reduce(&sandbox, &["--only", "propose"]);
    assert_eq!(sandbox.read("bug.reduced.c"), "Zboom(4");
    assert!(!run.stderr.contains("ignored"), "{run:?}");
}

#[apply(test)]
fn invalid_lines_are_reported_and_skipped() {
    let sandbox =
        sandbox("echo nonsense; echo '{\"edits\":[{\"start\":1,\"end\":5000}]}'; echo '{\"text\":\"Z42\"}'");
    let run = reduce(&sandbox, &[]);
    assert_eq!(sandbox.read("bug.reduced.c"), "Z42");
    assert!(run.stderr.contains("note: `./p.sh`: line 1 ignored: invalid JSON"), "{run:?}");
    assert!(run.stderr.contains("line 2 ignored: span 1 to 5000 is outside the current best"), "{run:?}");
}

#[apply(test)]
fn a_failing_proposer_is_reported_and_disabled_after_the_third_time() {
    let sandbox = sandbox("echo 'no idea' >&2; exit 3");
    let other = sandbox.file("q.sh", "#!/bin/sh\nprintf '{\"text\":\"boom(4%s\"}\\n' ''\n");
    fs::set_permissions(other, Permissions::from_mode(0o755)).expect("set");
    let run = reduce(&sandbox, &["--propose", "./q.sh"]);
    assert!(run.stderr.contains("`./p.sh` failed: it exited with status 3\n  | no idea"), "{run:?}");
    let times = run.stderr.matches("`./p.sh` failed: ").count();
    assert!((1..=3).contains(&times), "{run:?}");
    assert_eq!(times == 3, run.stderr.contains("it failed three times"), "{run:?}");
    assert_eq!(asked(&sandbox), times);
}

#[apply(test)]
fn a_proposer_that_takes_too_long_is_killed() {
    let sandbox = sandbox("sleep 100");
    let start = Instant::now();
    let run = reduce(&sandbox, &["--limit", "proposer=0.2"]);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(run.stderr.contains("failed: it took more than 200 ms"), "{run:?}");
}

#[apply(test)]
fn a_resumed_run_reuses_the_proposals() {
    // Each call gives another answer, so an answer that was not stored would be noticed.
    let sandbox = sandbox("echo '{\"text\":\"Z42 7 7 '$(wc -l <\"$(dirname \"$0\")/asked\")'\"}'");
    let options = ["-j", "1", "--only", "propose,delete-bytes", "--max-candidates", "6"];
    let run = reduce(&sandbox, &options);
    assert!(run.stderr.contains("stopped"), "{run:?}");
    let (before, calls, best) = (asked(&sandbox), sandbox.calls(), sandbox.read("bug.reduced.c"));
    assert!(before > 0 && best.starts_with("Z42"), "{best}");
    let run = reduce(&sandbox, &[&options[..], &["--resume"]].concat());
    assert_eq!((asked(&sandbox), sandbox.calls()), (before, calls), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), best);
}

#[apply(test)]
fn units_are_removed_and_proposals_are_also_tested() {
    let sandbox = sandbox(
        "grep -q 'boom(4 + 2, f(1))' \"$1\" && printf '%s\\n' '{\"text\":\"int x;\\nboom(4 + 2\\n\"}'; true",
    );
    let run = reduce(&sandbox, &["--unit", "line", "-v"]);
    assert_eq!(sandbox.read("bug.reduced.c"), "boom(4 + 2\n", "{run:?}");
    assert!(run.stderr.contains("1-minimal over 1 line"), "{run:?}");
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(
        history.stdout.contains(" propose ") && history.stdout.contains(" delete-lines/unit "),
        "{history:?}"
    );
    let run =
        sandbox.nubbin(&["--propose", "./p.sh", "--unit", "line", "--search", "ddmin", "./o.sh", "bug.c"]);
    assert!(run.code() == 2 && run.stderr.contains("cannot be used with `--search`"), "{run:?}");
}

/// Creates a directory of two files that fails if `a.txt` has the number of `n` lines given in `b.txt`, which
/// no change of a single file can preserve.
fn folder(body: &str) -> Sandbox {
    let sandbox = sandbox(body);
    fs::create_dir(sandbox.path("dir")).expect("made");
    sandbox.file("dir/a.txt", "x\nx\nx\n");
    sandbox.file("dir/b.txt", "3");
    sandbox.file("dir/c.txt", "");
    sandbox.oracle("o.sh", "cd \"$1\" && [ -s b.txt ] && [ \"$(grep -c x a.txt)\" = \"$(cat b.txt)\" ]");
    sandbox
}

#[apply(test)]
fn proposals_can_change_several_files_with_any_number_of_jobs() {
    let sandbox = folder(
        "cd \"$1\" && n=$(cat b.txt) && [ \"$n\" -gt 1 ] || exit 0\necho '{\"edits\":[{\"file\":\"b.txt\",\"start\":0,\"end\":1,\
         \"text\":\"'$((n-1))'\"},{\"file\":\"a.txt\",\"start\":0,\"end\":2}]}'",
    );
    let mut first = None;
    for jobs in ["1", "3"] {
        let run = sandbox.nubbin(&["-j", jobs, "--propose", "./p.sh", "./o.sh", "dir"]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(sandbox.read("dir.reduced/a.txt").trim(), "x", "{run:?}");
        assert_eq!(sandbox.read("dir.reduced/b.txt"), "1");
        assert!(
            !sandbox.has("dir.reduced/c.txt") && run.stderr.contains("1-minimal over 2 files"),
            "{run:?}"
        );
        let history = sandbox.nubbin(&["history", "dir"]).stdout;
        let steps = history.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(*first.get_or_insert_with(|| steps.clone()), steps);
    }
    let without = sandbox.nubbin(&["./o.sh", "dir"]);
    assert_eq!((without.code(), sandbox.read("dir.reduced/b.txt")), (0, "3".to_owned()), "{without:?}");
}

#[apply(test)]
fn the_hints_of_c_vise_for_a_directory_are_supported() {
    // As stored by C-Vise: a preamble, the vocabulary, and hints that refer to operations and files by index.
    let sandbox = folder(
        "cd \"$1\" && [ \"$(cat b.txt)\" = 3 ] || exit 0\n\
         echo '{\"format\":\"cvise_hints_v0\",\"pass_name\":\"p::x\",\"pass_user_visible_name\":\"x\"}'\n\
         echo '[\"a.txt\",\"b.txt\",\"1\",\"rm\",\"@fileref\",\"nowhere\"]'\n\
         echo '{\"t\":4,\"p\":[{\"p\":0,\"l\":0,\"r\":1}],\"e\":1}'\n\
         echo '{\"p\":[{\"p\":5,\"l\":0,\"r\":1}]}'\n\
         echo '{\"p\":[{\"p\":0,\"l\":1,\"r\":5},{\"p\":1,\"l\":0,\"r\":1,\"v\":2}]}'",
    );
    let run = sandbox.nubbin(&["--propose", "./p.sh", "./o.sh", "dir"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("dir.reduced/b.txt"), "1", "{run:?}");
    assert_eq!(run.stderr.matches("ignored").count(), 1, "{run:?}");
    assert!(run.stderr.contains("line 4 ignored: no such file: `nowhere`"), "{run:?}");
    assert!(!run.stderr.contains("unknown language"), "that is told of single files: {run:?}");
}

/// Returns the program in the page about proposals that communicates with shrinkray's reducers.
fn asker() -> String {
    let page = include_str!("../../docs/propose.md");
    let (_, after) = page.split_once("```python file=ask.py\n").expect("the page has it");
    after.split_once("```").expect("it ends").0.to_owned()
}

#[apply(test)]
fn the_candidates_of_a_shrinkray_reducer_are_tested() {
    tools::program("python3");
    let sandbox = sandbox("");
    sandbox.file("ask.py", asker());
    // It continues while it is told that nothing fails, and stays alive after it is idle.
    sandbox.file(
        "reducer.py",
        "import base64, json, sys\n\
         def hear():\n    return json.loads(sys.stdin.readline())\n\
         def say(what):\n    print(json.dumps(what), flush=True)\n\
         hear()\n\
         for text in [b'int', b'Z42 \\xff', b'Z42']:\n\
         \x20   say({'content': base64.b64encode(text).decode()})\n\
         \x20   assert hear()['interesting'] is False\n\
         say({'idle': True})\nhear()\n",
    );
    let propose = format!("python3 {0}/ask.py python3 {0}/reducer.py", sandbox.path("").display());
    let run = sandbox.nubbin(&["--propose", &propose, "--only", "propose", "./o.sh", "bug.c"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.c")), (0, "Z42".to_owned()), "{run:?}");
    assert!(!run.stderr.contains("ignored") && !run.stderr.contains("` failed: "), "{run:?}");
}

#[apply(test)]
fn a_missing_program_is_an_error() {
    let sandbox = sandbox("true");
    let run = sandbox.nubbin(&["--propose", "./nowhere.sh", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("no program `") && run.stderr.contains("chmod +x"), "{run:?}");
    let run = sandbox.nubbin(&["options", "--propose", "./p.sh", "--", "./o.sh"]);
    assert!(run.stderr.contains("has no option `--propose`"), "{run:?}");
    assert_eq!((run.code(), asked(&sandbox)), (2, 0));
}

/// Creates a directory in which the oracle edits the result itself, when it is called for the 15th time. This
/// probe and the next find nothing, and take long enough for a check of the result after each.
fn by_hand(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let functions: Vec<String> =
        (0..24).map(|i| format!("int f{i}(int a) {{ return a + {i}; }}\n")).collect();
    sandbox.file("bug.c", functions.concat() + "int main(void) { boom(4 + 2); return 0; }\n");
    let calls = sandbox.path("calls");
    let result = sandbox.path("bug.reduced.c");
    sandbox.oracle(
        "o.sh",
        &format!(
            "n=$(wc -l <'{0}')\n[ $n = 15 ] && printf '%s' '{text}' >'{1}'\n[ $n = 15 ] || [ $n = 16 ] && sleep 0.6\n\
             grep -q 'boom(4' \"$1\"",
            calls.display(),
            result.display()
        ),
    );
    sandbox
}

#[apply(test)]
fn a_manual_edit_of_the_result_is_tested_and_accepted() {
    let sandbox = by_hand("boom(4, by_hand);");
    let run = sandbox.nubbin(&["-j", "1", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("the text edited by hand is the new current best"), "{run:?}");
    assert!(!sandbox.has("bug.reduced.rejected.c"));
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "boom(4");
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.contains(" hand "), "{history:?}");
}

#[apply(test)]
fn a_rejected_manual_edit_is_kept_next_to_the_result() {
    let sandbox = by_hand("mine");
    sandbox.file("bug.reduced.rejected.c", "older");
    let run = sandbox.nubbin(&["-j", "1", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let note =
        "the manual edit is not used: the failure disappears; it was saved as `bug.reduced.rejected.c.1`";
    assert!(run.stderr.contains(note), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.rejected.c.1"), "mine");
    assert_eq!(sandbox.read("bug.reduced.rejected.c"), "older");
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "boom(4");
}

#[apply(test)]
fn a_run_with_a_manual_edit_can_be_resumed() {
    let sandbox = by_hand("boom(4, by_hand, other);");
    let run = sandbox.nubbin(&["-j", "1", "--max-candidates", "22", "./o.sh", "bug.c"]);
    assert!(run.stderr.contains("the text edited by hand is the new current best"), "{run:?}");
    let (calls, before) = (sandbox.calls(), sandbox.nubbin(&["history", "bug.c"]).stdout);
    let run = sandbox.nubbin(&["-j", "1", "--max-candidates", "22", "--resume", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.calls(), calls, "no probe is repeated: {run:?}");
    let after = sandbox.nubbin(&["history", "bug.c"]).stdout;
    let steps = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(steps(&before), steps(&after));
    let run = sandbox.nubbin(&["--resume", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "boom(4");
}
