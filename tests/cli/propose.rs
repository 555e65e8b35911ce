//! `--propose`: programs that answer with edits, texts or hints; and edits of the result by hand.

use super::sandbox::{Finished, Sandbox};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// A directory with an input that fails where there is `boom(4` or `Z42`, and a program that proposes what `body` prints.
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

#[test]
fn a_text_that_a_program_proposes_is_the_result_at_every_number_of_jobs() {
    let sandbox = sandbox("echo '{\"text\":\"Z42\"}'");
    let run = reduce(&sandbox, &["-v", "-j", "1"]);
    assert_eq!(sandbox.read("bug.reduced.c"), "Z42");
    let probes = |run: &Finished| {
        let line =
            run.stderr.lines().find(|line| line.starts_with("probes")).expect("they are told").to_owned();
        line.split_whitespace().nth(1).map(str::to_owned)
    };
    let again = reduce(&sandbox, &["-v", "-j", "3"]);
    assert_eq!(probes(&run), probes(&again));
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.contains(" propose "), "{history:?}");
}

#[test]
fn the_hints_of_c_vise_are_taken() {
    let sandbox = sandbox(
        "at=$(grep -abo 'boom(4' \"$1\" | head -1 | cut -d: -f1); at=${at:-0}; all=$(wc -c <\"$1\")\n\
         echo '{\"format\":\"cvise_hints_v0\",\"pass_name\":\"cut\"}'; echo '[\"all\",\"Z\"]'\n\
         echo '{\"t\":0,\"p\":[{\"l\":0,\"r\":'$at',\"v\":1},{\"l\":'$((at+6))',\"r\":'$all'}]}'",
    );
    let run = reduce(&sandbox, &["--only", "propose"]);
    assert_eq!(sandbox.read("bug.reduced.c"), "Zboom(4");
    assert!(!run.stderr.contains("left out"), "{run:?}");
}

#[test]
fn lines_that_make_no_sense_are_told_and_left_out() {
    let sandbox =
        sandbox("echo nonsense; echo '{\"edits\":[{\"start\":1,\"end\":5000}]}'; echo '{\"text\":\"Z42\"}'");
    let run = reduce(&sandbox, &[]);
    assert_eq!(sandbox.read("bug.reduced.c"), "Z42");
    assert!(run.stderr.contains("note: `./p.sh`: line 1 is left out: it cannot be parsed"), "{run:?}");
    assert!(run.stderr.contains("line 2 is left out: 1 to 5000 is outside of the best"), "{run:?}");
}

#[test]
fn a_program_that_fails_is_told_with_its_standard_error_and_switched_off_the_third_time() {
    let sandbox = sandbox("echo 'no idea' >&2; exit 3");
    let other = sandbox.file("q.sh", "#!/bin/sh\nprintf '{\"text\":\"boom(4%s\"}\\n' ''\n");
    fs::set_permissions(other, Permissions::from_mode(0o755)).expect("set");
    let run = reduce(&sandbox, &["--propose", "./q.sh"]);
    assert!(
        run.stderr.contains("`./p.sh` proposes nothing: it ended with exit status 3\n  | no idea"),
        "{run:?}"
    );
    let times = run.stderr.matches("proposes nothing").count();
    assert!((1..=3).contains(&times), "{run:?}");
    assert_eq!(times == 3, run.stderr.contains("it has failed three times"), "{run:?}");
    assert_eq!(asked(&sandbox), times);
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    let sandbox = sandbox("sleep 100");
    let start = Instant::now();
    let run = reduce(&sandbox, &["--propose-timeout", "0.2"]);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(run.stderr.contains("proposes nothing: it took more than 200 ms"), "{run:?}");
}

#[test]
fn a_run_that_goes_on_is_told_the_same_without_asking_again() {
    // Each call says something else: an answer that was not kept would show.
    let sandbox = sandbox("echo '{\"text\":\"Z42 7 7 '$(wc -l <\"$(dirname \"$0\")/asked\")'\"}'");
    let options = ["-j", "1", "--only", "propose,byte", "--max-probes", "6"];
    let run = reduce(&sandbox, &options);
    assert!(run.stderr.contains("stopped"), "{run:?}");
    let (before, calls, best) = (asked(&sandbox), sandbox.calls(), sandbox.read("bug.reduced.c"));
    assert!(before > 0 && best.starts_with("Z42"), "{best}");
    let run = reduce(&sandbox, &[&options[..], &["--resume"]].concat());
    assert_eq!((asked(&sandbox), sandbox.calls()), (before, calls), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), best);
}

#[test]
fn a_program_that_is_not_there_and_inputs_it_cannot_be_told_are_errors() {
    let sandbox = sandbox("true");
    let run = sandbox.nubbin(&["--propose", "./nowhere.sh", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("there is no program") && run.stderr.contains("chmod +x"), "{run:?}");
    let run = sandbox.nubbin(&["--propose", "./p.sh", "--unit", "line", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("makes no sense with `--unit`"), "{run:?}");
    sandbox.file("b.c", "x");
    let run = sandbox.nubbin(&["--propose", "./p.sh", "./o.sh", "bug.c", "b.c"]);
    assert!(run.stderr.contains("makes no sense with several files"), "{run:?}");
    let run = sandbox.nubbin(&["options", "--propose", "./p.sh", "--", "./o.sh"]);
    assert!(run.stderr.contains("`--propose` "), "{run:?}");
    assert_eq!((run.code(), asked(&sandbox)), (2, 0));
}

/// A directory where the result is edited by hand: the oracle itself does it, when it is called for the 15th time. This
/// probe and the next find nothing, and take so long that there is a look at the result after each.
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

#[test]
fn an_edit_of_the_result_by_hand_is_tried_and_taken() {
    let sandbox = by_hand("boom(4, by_hand);");
    let run = sandbox.nubbin(&["-j", "1", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("an edit by hand is the best now"), "{run:?}");
    assert!(!sandbox.has("bug.reduced.rejected.c"));
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "boom(4");
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.contains(" hand "), "{history:?}");
}

#[test]
fn an_edit_by_hand_without_the_failure_is_kept_beside_the_result() {
    let sandbox = by_hand("mine");
    sandbox.file("bug.reduced.rejected.c", "older");
    let run = sandbox.nubbin(&["-j", "1", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let note =
        "an edit by hand is not used: the failure goes with it; it is kept as `bug.reduced.rejected.c.1`";
    assert!(run.stderr.contains(note), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.rejected.c.1"), "mine");
    assert_eq!(sandbox.read("bug.reduced.rejected.c"), "older");
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "boom(4");
}

#[test]
fn a_run_with_an_edit_by_hand_can_be_gone_on_with() {
    let sandbox = by_hand("boom(4, by_hand, other);");
    let run = sandbox.nubbin(&["-j", "1", "--max-probes", "22", "./o.sh", "bug.c"]);
    assert!(run.stderr.contains("an edit by hand is the best now"), "{run:?}");
    let (calls, before) = (sandbox.calls(), sandbox.nubbin(&["history", "bug.c"]).stdout);
    let run = sandbox.nubbin(&["-j", "1", "--max-probes", "22", "--resume", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.calls(), calls, "no probe is repeated: {run:?}");
    let after = sandbox.nubbin(&["history", "bug.c"]).stdout;
    let steps = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(steps(&before), steps(&after));
    let run = sandbox.nubbin(&["--resume", "./o.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "boom(4");
}
