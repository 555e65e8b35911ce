//! The message of a command as a part of its failure, other failures found on the way, and drifting messages.

use crate::alive::comes_to;
use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox, seconds};
use crate::tools;
use std::process::Command;

/// A tool that crashes like a compiler on `alpha` together with `again`, at another place on `alpha` alone,
/// and by a signal on `again` alone. Each run has other addresses and paths.
const TOOL: &str = "
say() { echo \"$1:$$:3: internal compiler error: in $2, at fold-const.cc:12\" >&2; echo \"0x7f$$ main\" >&2; exit 4; }
grep -q alpha \"$1\" && grep -q again \"$1\" && say \"$1\" fold_both
grep -q alpha \"$1\" && say \"$1\" fold_one
grep -q again \"$1\" && kill -SEGV $$
exit 0";
const INPUT: &str = "one\nalpha\ntwo\nagain\nthree\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("tool.sh", TOOL);
    sandbox
}

#[track_caller]
fn assert_reduced(sandbox: &Sandbox, run: &Finished, result: &str) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), result, "{run:?}");
}

/// Returns the only directory in `.nubbin` that contains samples.
fn samples(sandbox: &Sandbox) -> String {
    let home = std::fs::read_dir(sandbox.path(".nubbin")).expect("a journal");
    let folders =
        home.map(|entry| entry.expect("it can be read").path()).filter(|path| path.join("other").is_dir());
    let folders: Vec<_> = folders.collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders[0].join("other").display().to_string()
}

#[apply(test)]
fn the_crash_of_the_first_run_is_kept_and_others_are_counted_with_samples() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-j1", "--unit", "line", "bug.txt", "--", "./tool.sh", "{}"]);
    assert_reduced(&sandbox, &run, "alpha\nagain");
    let kept = "exits with status 4 and reports `gcc ICE: in fold_both, at fold-const.cc:12`";
    assert!(run.stderr.contains(kept), "{run:?}");
    assert!(run.stderr.contains("2 other failures seen (smallest samples in "), "{run:?}");
    assert!(run.stderr.contains("gcc ICE: in fold_one, at fold-const.cc"), "{run:?}");
    assert!(run.stderr.contains("killed by SIGSEGV"), "{run:?}");
    let folder = samples(&sandbox);
    let found: Vec<String> =
        ["1.txt", "2.txt"].iter().map(|name| sandbox.read(format!("{folder}/{name}"))).collect();
    assert!(found.iter().any(|sample| sample == "alpha\n"), "{found:?}");
    assert!(found.iter().any(|sample| sample == "again\n"), "{found:?}");
    let outputs = ["1.output", "2.output"].map(|name| sandbox.read(format!("{folder}/{name}")));
    assert!(outputs.concat().contains("internal compiler error: in fold_one"), "{outputs:?}");
}

#[apply(test)]
fn the_status_alone_is_kept_on_request_or_if_the_failure_is_specified() {
    for options in [&["--match", "status"][..], &["--exit-code", "4"]] {
        let sandbox = sandbox();
        let run =
            sandbox.nubbin(&[options, &["-j1", "--unit", "line", "bug.txt", "--", "./tool.sh"]].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(!run.stderr.contains("and reports"), "{run:?}");
        assert_reduced(&sandbox, &run, "alpha");
    }
    let sandbox = sandbox();
    let run = sandbox.nubbin(&[
        "--exit-code",
        "4",
        "--match",
        "message",
        "--unit",
        "line",
        "bug.txt",
        "--",
        "./tool.sh",
    ]);
    assert_reduced(&sandbox, &run, "alpha\nagain");
}

#[apply(test)]
fn any_last_line_is_a_message_on_request() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "x\nalpha\nbeta\n");
    sandbox.oracle(
        "tool.sh",
        "grep -q alpha \"$1\" && { echo \"$$: cannot go on at 0x$$\" >&2; exit 1; }; echo 'cannot begin' >&2; exit 1",
    );
    let run = sandbox.nubbin(&["bug.txt", "--", "./tool.sh"]);
    assert_eq!(run.code(), 4, "without it the empty file fails alike: {run:?}");
    let run = sandbox.nubbin(&["--match", "message", "bug.txt", "--", "./tool.sh"]);
    assert_reduced(&sandbox, &run, "alpha");
    assert!(
        run.stderr.contains("reports `…: cannot go on at 0x…`") || run.stderr.contains("cannot go on at 0x`"),
        "{run:?}"
    );
    let run = sandbox.nubbin(&["--match", "message", "bug.txt", "--", "false"]);
    assert!(run.code() == 3 && run.stderr.contains("prints no error message"), "{run:?}");
    assert!(run.stderr.contains("remove `message` from `--match`"), "{run:?}");
}

#[apply(test)]
fn a_message_that_changes_in_each_run_is_not_kept() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "x\nalpha\n");
    sandbox.oracle(
        "tool.sh",
        "grep -q alpha \"$1\" || exit 0
n=$(wc -l <'CALLS')
test $((n % 2)) = 0 && echo 'free(): invalid size' >&2 || echo 'malloc(): corrupted top size here' >&2
exit 7"
            .replace("CALLS", &sandbox.path("calls").display().to_string())
            .as_str(),
    );
    let run = sandbox.nubbin(&["-j1", "--sandbox", "off", "bug.txt", "--", "./tool.sh"]);
    assert_reduced(&sandbox, &run, "alpha");
    assert!(run.stderr.contains("the message differs from run to run"), "{run:?}");
    assert!(run.stderr.contains("exits with status 7\n"), "{run:?}");
}

#[apply(test)]
fn a_recognized_message_is_a_failure_even_if_the_command_succeeds() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nalpha\ntwo\n");
    let line =
        "bug.txt:$$:7: runtime error: signed integer overflow: $$ + 1 cannot be represented in type 'int'";
    sandbox.oracle("tool.sh", &format!("grep -q alpha \"$1\" && echo \"{line}\" >&2; exit 0"));
    let run = sandbox.nubbin(&["--unit", "line", "bug.txt", "--", "./tool.sh"]);
    assert_reduced(&sandbox, &run, "alpha");
    let kept = "exits with status 0 and reports `UndefinedBehaviorSanitizer: signed integer overflow: N + N";
    assert!(run.stderr.contains(kept), "{run:?}");
    let run = sandbox.nubbin(&["--match", "status", "bug.txt", "--", "./tool.sh"]);
    assert!(run.code() == 3 && run.stderr.contains("succeeds on the unreduced input"), "{run:?}");
}

#[apply(test)]
fn a_resumed_run_remembers_the_message_and_repeats_nothing() {
    let sandbox = sandbox();
    let words = ["-j1", "--unit", "line", "bug.txt", "--", "./tool.sh", "{}"];
    let run = sandbox.nubbin(&words);
    assert_reduced(&sandbox, &run, "alpha\nagain");
    // The journal is truncated as if the run had been killed before its last lines were written.
    let folder = samples(&sandbox).replace("/other", "");
    let path = format!("{folder}/journal.jsonl");
    let journal = sandbox.read(&path);
    let lines: Vec<&str> = journal.lines().collect();
    sandbox.file(&path, lines[..lines.len() * 2 / 3].join("\n") + "\n");
    let calls = sandbox.calls();
    let resumed = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
    assert_reduced(&sandbox, &resumed, "alpha\nagain");
    assert!(sandbox.calls() - calls < calls / 2, "{calls} and {}", sandbox.calls());
    assert!(resumed.stderr.contains("reports `gcc ICE: in fold_both"), "{resumed:?}");
    assert!(resumed.stderr.contains("2 other failures seen"), "{resumed:?}");
    let other = sandbox.nubbin(&[&["--resume", "--match", "status"], &words[..]].concat());
    assert!(other.code() != 0 && other.stderr.contains("`--match status` was not given"), "{other:?}");
}

#[apply(test)]
fn a_hang_can_be_specified_as_the_failure() {
    let sandbox = Sandbox::new();
    sandbox.oracle("tool.sh", "grep -q sleep \"$1\" && sleep 1000; exit 0");
    let hangs = |input, limit| {
        sandbox.file("bug.txt", input);
        let _ = std::fs::remove_file(sandbox.path("bug.reduced.txt"));
        let run = sandbox.nubbin(&[
            "--hang",
            "--timeout",
            &seconds(limit),
            "--unit",
            "line",
            "bug.txt",
            "--",
            "./tool.sh",
        ]);
        let result =
            sandbox.has("bug.reduced.txt").then(|| sandbox.read("bug.reduced.txt").trim().to_owned());
        (run.code(), result, run.stderr.contains("exceeds the time limit"))
    };
    comes_to(&(0, Some("sleep".to_owned()), true), |limit| hangs("one\nsleep\ntwo\n", limit));
    comes_to(&(3, None, true), |limit| hangs("one\n", limit));
    let run = sandbox.nubbin(&["--hang", "bug.txt", "--", "./tool.sh"]);
    assert!(run.code() == 2 && run.stderr.contains("--timeout"), "{run:?}");
}

#[apply(test)]
fn commands_keep_differing_and_a_candidate_that_one_refuses_is_unresolved() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nhead\nwrong\ntwo\n");
    // Both reject an input without `head`; the second one prints something else on `wrong`.
    sandbox.oracle("right.sh", "grep -q head \"$1\" || exit 1; echo 1");
    sandbox.oracle("fast.sh", "grep -q head \"$1\" || exit 3; grep -q wrong \"$1\" && echo 2 || echo 1");
    let words = ["--differs-from", "./right.sh {}", "--unit", "line", "bug.txt", "--", "./fast.sh", "{}"];
    let run = sandbox.nubbin(&words);
    assert_reduced(&sandbox, &run, "head\nwrong");
    assert!(
        run.stderr.contains("`./fast.sh {}` and `./right.sh {}` differ in their output, and both succeed"),
        "{run:?}"
    );
    sandbox.file("bug.txt", "head\n");
    let run = sandbox.nubbin(&words);
    assert!(
        run.code() == 3 && run.stderr.contains("behave in the same way on the unreduced input"),
        "{run:?}"
    );
    sandbox.oracle("right.sh", "kill -SEGV $$");
    let run = sandbox.nubbin(&words);
    assert!(run.code() == 3 && run.stderr.contains("cannot be compared"), "{run:?}");
    assert!(run.stderr.contains("SIGSEGV"), "{run:?}");
}

#[apply(test)]
fn options_about_the_failure_need_a_command_and_must_be_consistent() {
    let sandbox = sandbox();
    for (typed, message) in [
        (&["--hang", "--timeout", "1", "./tool.sh", "bug.txt"][..], "`--hang` needs a command"),
        (&["--match", "message", "./tool.sh", "bug.txt"], "`--match` needs a command"),
        (&["--differs-from", "true", "./tool.sh", "bug.txt"], "`--differs-from` needs a command"),
        (&["--differs-from", "'", "bug.txt", "--", "./tool.sh"], "cannot parse the"),
        (&["--differs-from", "true", "--exit-code", "1", "bug.txt", "--", "./tool.sh"], "exclude each other"),
        (
            &["options", "--differs-from", "true", "--", "./tool.sh", "-x"],
            "`nubbin options` has no option `--differs-from`",
        ),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == 2 && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
}

#[apply(test)]
fn a_script_that_drifts_to_another_message_is_reported_with_the_step() {
    let sandbox = sandbox();
    // It accepts any failure, and prints which.
    sandbox.oracle("oracle.sh", &format!("'{}' \"$1\"; test $? = 4", sandbox.path("tool.sh").display()));
    let run = sandbox.nubbin(&["-j1", "--unit", "line", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let result = sandbox.read("bug.reduced.txt");
    let told = run.stderr.lines().find(|line| line.starts_with("warning: the message changed at step "));
    if result.contains("again") {
        assert_eq!(told, None, "{run:?}");
        panic!("the run no longer drifts: {run:?}");
    }
    let told = told.unwrap_or_else(|| panic!("{run:?}"));
    assert!(
        told.contains("from `gcc ICE: in fold_both, at fold-const.cc:12` to `gcc ICE: in fold_one"),
        "{told}"
    );
    let back = told.split('`').find(|part| part.starts_with("nubbin history bug.txt ")).expect("a command");
    let words: Vec<&str> = back.split(' ').skip(1).collect();
    let brought = sandbox.nubbin(&words);
    assert_eq!(brought.code(), 0, "{brought:?}");
    let before = sandbox.read(format!("bug.step{}.txt", words[2]));
    assert!(before.contains("again"), "{before}");
}

#[apply(test)]
fn a_script_that_keeps_its_message_is_not_reported() {
    let sandbox = sandbox();
    sandbox.oracle(
        "oracle.sh",
        &format!("'{}' \"$1\" 2>&1 | tee log; grep -q fold_both log", sandbox.path("tool.sh").display()),
    );
    let run = sandbox.nubbin(&["--unit", "line", "./oracle.sh", "bug.txt"]);
    assert_reduced(&sandbox, &run, "alpha\nagain");
    assert!(!run.stderr.contains("the message changed") && !run.stderr.contains("other failure"), "{run:?}");
}

#[apply(test)]
fn a_script_that_hides_its_message_gets_a_note_about_drift() {
    let unseen = "a drift to another failure cannot be detected";
    for (hidden, is_told) in
        [(">/dev/null 2>&1; test $? = 4", true), (">log 2>&1; cat log >&2; grep -q fold_both log", false)]
    {
        let sandbox = sandbox();
        let tool = sandbox.path("tool.sh");
        sandbox.oracle("oracle.sh", &format!("'{}' \"$1\" {hidden}", tool.display()));
        let run = sandbox.nubbin(&["--unit", "line", "./oracle.sh", "bug.txt"]);
        assert_eq!((run.code(), run.stderr.contains(unseen)), (0, is_told), "{hidden} {run:?}");
        // With the requested verbosity.
        let run = sandbox.nubbin(&["--quiet", "--unit", "line", "./oracle.sh", "bug.txt"]);
        assert!(!run.stderr.contains(unseen), "{run:?}");
    }
    // If nothing is hidden, nothing is reported.
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "grep -q alpha \"$1\"");
    let run = sandbox.nubbin(&["--unit", "line", "./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), run.stderr.contains(unseen)), (0, false), "{run:?}");
}

#[apply(test)]
fn a_crash_of_gcc_is_kept_by_its_message() {
    let crash = "in extract_insn";
    let sandbox = Sandbox::new();
    let source = "#include <stddef.h>\nint other(int a) { return a * 2; }\n_Thread_local int depth;\nint enter(int by) { depth += other(by); return depth; }\n";
    let path = sandbox.file("tls.c", source);
    let options = ["-fPIC", "-mforce-indirect-call", "-S", "-o", "/dev/null"];
    let gcc = Command::new("gcc").args(options).arg(&path).output();
    if !gcc.is_ok_and(|run| String::from_utf8_lossy(&run.stderr).contains(crash)) {
        ignore(format!("needs gcc, in a version that crashes with {}", options.join(" ")));
    }
    let typed: Vec<&str> = ["tls.c", "--", "gcc"].into_iter().chain(options).chain(["{}"]).collect();
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(
        run.stderr.contains("reports `gcc ICE: in extract_insn, at recog.cc:2791 (pass vregs)`"),
        "{run:?}"
    );
    let result = sandbox.read("tls.reduced.c");
    assert!(result.contains("_Thread_local") && !result.contains("other"), "{result}");
}

#[apply(test)]
fn a_failing_test_keeps_its_assertion_and_message_among_a_thousand_lines() {
    let sandbox = Sandbox::new();
    tools::succeeds(&["python3", "-c", "import pytest"], "pytest");
    let other = |n: usize| {
        format!(
            "def helper_{n}(x):\n    return x + {n}\n\ndef test_{n}():\n    assert helper_{n}(1) == {}\n\n",
            n + 1
        )
    };
    let others = (0..200).map(other).collect::<Vec<_>>().concat();
    let failing = "def total(xs):\n    return sum(xs) + len(xs)\n\ndef test_total():\n    assert total([1, 2]) == 3, \"the total is wrong\"\n\n";
    sandbox.file("test_x.py", format!("import sys\n\n{others}{failing}"));
    // By lines, since each run takes half a second.
    let command = ["python3", "-m", "pytest", "-p", "no:cacheprovider", "{}"];
    let run = sandbox.nubbin(&[&["--unit", "line", "test_x.py", "--"][..], &command].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    let kept = "reports `test test_total: AssertionError: the total is wrong: assert … == …`";
    assert!(run.stderr.contains(kept), "{run:?}");
    let result = sandbox.read("test_x.reduced.py");
    assert!(result.contains("def test_total") && result.contains("the total is wrong"), "{result}");
    assert!(result.lines().count() < 12, "{result}");
}

/// Reduces `bug.txt` by lines with a tool, and returns the result.
#[track_caller]
fn result_of(tool: &str, input: &str, more: &[&str]) -> String {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", input);
    sandbox.oracle("tool.sh", tool);
    let run =
        sandbox.nubbin(&[&["-j1", "--unit", "line"], more, &["bug.txt", "--", "./tool.sh", "{}"]].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    sandbox.read("bug.reduced.txt").trim().to_owned()
}

#[apply(test)]
fn another_assertion_of_the_same_program_is_another_failure() {
    // In Yosys, GNAT, BFD, SpiderMonkey, and in unknown programs.
    for (kept, other) in [
        (
            "ERROR: Assert `count_id(cell->name) == 0' failed in kernel/rtlil.cc:2152.",
            "ERROR: Assert `wire->width == 1' failed in kernel/rtlil.cc:2152.",
        ),
        (
            "+===========================GNAT BUG DETECTED==============================+\n\
             | 12.2.0 (x86_64-linux-gnu) Assert_Failure sinfo.adb:2152                  |",
            "+===========================GNAT BUG DETECTED==============================+\n\
             | 12.2.0 (x86_64-linux-gnu) Assert_Failure atree.adb:803                   |",
        ),
        (
            "ld: BFD (GNU Binutils) 2.40 assertion fail ../../bfd/elflink.c:8051",
            "ld: BFD (GNU Binutils) 2.40 assertion fail ../../bfd/elflink.c:3051",
        ),
        (
            "Assertion failure: slot < 5, at /src/vm/Scope.cpp:41",
            "Assertion failure: slot < 7, at /src/vm/Scope.cpp:41",
        ),
        (
            "frob: invariant violated: depth(node) < 5, in walk.frob:12",
            "frob: invariant violated: depth(node) < 7, in walk.frob:12",
        ),
        ("frob: fatal: assertion failed: rows > 3", "frob: fatal: assertion failed: rows > 4"),
    ] {
        let tool = format!(
            "grep -q alpha \"$1\" || exit 0\ngrep -q again \"$1\" && cat <<'.' >&2 || cat <<'..' >&2\n{kept}\n.\n{other}\n..\nexit 1"
        );
        assert_eq!(result_of(&tool, INPUT, &[]), "alpha\nagain", "{kept}");
    }
}

#[apply(test)]
fn an_endless_recursion_is_recognized_by_its_functions() {
    // The end of the stack depends on the number of lines, and so does the innermost call.
    let python = "
grep -q deep \"$1\" || exit 0
lines=$(wc -l <\"$1\")
echo 'Traceback (most recent call last):' >&2
for n in 1 2 3 4 5 6 7 8; do
  echo '  File \"/opt/p/reader.py\", line 11, in statement' >&2
  echo '  File \"/opt/p/reader.py\", line 22, in expression' >&2
  echo '  File \"/opt/p/reader.py\", line 33, in atom' >&2
done
test $((lines % 3)) = 0 || echo '  File \"/opt/p/reader.py\", line 11, in statement' >&2
test $((lines % 3)) != 2 || echo '  File \"/usr/lib/python3/re.py\", line 7, in match' >&2
echo \"RecursionError: maximum recursion depth exceeded$(test $((lines % 2)) = 0 || echo ' in comparison')\" >&2
exit 1";
    let node = "
grep -q deep \"$1\" || exit 0
lines=$(wc -l <\"$1\")
echo 'RangeError: Maximum call stack size exceeded' >&2
test $((lines % 2)) = 0 || echo '    at peek (/opt/p/lexer.js:3:4)' >&2
for n in 1 2 3 4; do
  echo '    at statement (/opt/p/parser.js:11:2)' >&2
  echo '    at expression (/opt/p/parser.js:22:2)' >&2
done
exit 1";
    let native = "
grep -q deep \"$1\" || exit 0
lines=$(wc -l <\"$1\")
echo '==84==ERROR: AddressSanitizer: stack-overflow on address 0x7ffd (pc 0x55d1 bp 0x7ffd sp 0x7ffd T0)' >&2
test $((lines % 2)) = 0 || echo '    #0 0x55d1 in hash /src/table.cc:7' >&2
for n in 1 2 3 4 5 6 7; do
  echo \"    #$n 0x55d2 in Parser::statement(int) /src/parser.cc:1$n\" >&2
  echo \"    #$n 0x55d3 in Parser::expression(int) /src/parser.cc:2$n\" >&2
done
exit 1";
    let input = "one\ntwo\ndeep\nthree\nfour\nfive\n";
    for tool in [python, node, native] {
        assert_eq!(result_of(tool, input, &[]), "deep", "{tool}");
    }
}

#[apply(test)]
fn a_message_is_found_anywhere_in_a_long_output() {
    let long = "yes 'a line of the log that says nothing' | head -c 300000 >&2";
    let said = "echo \"tool: internal compiler error: in $what, at fold.cc:7\" >&2";
    let what = "what=fold_one; grep -q again \"$1\" && what=fold_both";
    for order in [format!("{said}\n{long}"), format!("{long}\n{said}\n{long}"), format!("{long}\n{said}")] {
        let tool = format!("grep -q alpha \"$1\" || exit 0\n{what}\n{order}\nexit 1");
        assert_eq!(result_of(&tool, INPUT, &[]), "alpha\nagain", "{order}");
    }
}

#[apply(test)]
fn the_errors_printed_before_a_hang_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nhead\ntwo\nsleep\n");
    let tool = "grep -q head \"$1\" || echo \"$1:1:1: error: the head is missing\" >&2\ngrep -q sleep \"$1\" && sleep 1000; exit 0";
    sandbox.oracle("tool.sh", tool);
    for (more, result) in [(&[][..], "head\nsleep"), (&["--match", "any-errors"], "sleep")] {
        comes_to(&(0, Some(result.to_owned())), |limit| {
            let _ = std::fs::remove_file(sandbox.path("bug.reduced.txt"));
            let limit = seconds(limit);
            let hang = ["--hang", "--timeout", &limit, "--unit", "line"];
            let run = sandbox.nubbin(&[&hang[..], more, &["bug.txt", "--", "./tool.sh", "{}"]].concat());
            let found =
                sandbox.has("bug.reduced.txt").then(|| sandbox.read("bug.reduced.txt").trim().to_owned());
            (run.code(), found)
        });
    }
}

#[apply(test)]
fn names_that_differ_in_each_run_do_not_reject_candidates() {
    // A temporary name, a name that does not look like one, and a number in a warning that is an error.
    for varies in
        ["$(basename \"$(mktemp)\")", "table_q$(od -An -N4 -tu4 /dev/urandom | tr -d ' ' | tr 0-9 a-j)", "$$"]
    {
        let tool = format!(
            "n={varies}\necho \"$1:1:1: error: cannot read $n twice\" >&2\ngrep -q alpha \"$1\" || exit 0\n\
             echo 'tool: internal compiler error: in fold, at fold.cc:7' >&2\nexit 1"
        );
        assert_eq!(result_of(&tool, INPUT, &["--sandbox", "off"]), "alpha", "{varies}");
    }
}

#[apply(test)]
fn an_input_that_no_longer_fails_is_not_proven() {
    let sandbox = sandbox();
    let seen = sandbox.path("seen").display().to_string();
    // It fails until a smaller candidate has been tested.
    let tool = format!(
        "grep -q alpha \"$1\" && grep -q again \"$1\" || exit 0\ntest $(wc -l <\"$1\") = 5 || {{ touch '{seen}'; exit 0; }}\n\
         test -e '{seen}' && exit 0\necho 'tool: internal compiler error: in fold, at fold.cc:7' >&2\nexit 1"
    );
    sandbox.oracle("tool.sh", &tool);
    let run =
        sandbox.nubbin(&["-j1", "--sandbox", "off", "--unit", "line", "bug.txt", "--", "./tool.sh", "{}"]);
    assert_eq!(run.code(), 9, "{run:?}");
    assert!(!run.stderr.contains("proven"), "{run:?}");
}

#[apply(test)]
fn a_custom_signature_distinguishes_failures() {
    let tool = "
grep -q alpha \"$1\" || exit 0
what=walk; grep -q again \"$1\" && what=fold
echo \"frobc says: tree $$ is odd in $what\" >&2
exit 1";
    let form = r"{ kind = 'compiler', pattern = 'frobc says: (?<said>tree \d+ is odd) in (?<word>\w+)$', title = '{said}, {word}' }";
    assert_eq!(result_of(tool, INPUT, &[]), "alpha", "nothing is known of it");
    assert_eq!(result_of(tool, INPUT, &["--signature", form]), "alpha\nagain");
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("tool.sh", tool);
    let table = "[[signature]]\nkind = 'compiler'\npattern = 'frobc says: (?<said>tree \\d+ is odd) in (?<word>\\w+)$'\n\
                 title = '{said}, {word}'\n";
    sandbox.file("nubbin.toml", table);
    let words = ["--unit", "line", "bug.txt", "--", "./tool.sh", "{}"];
    let run = sandbox.nubbin(&words);
    assert_reduced(&sandbox, &run, "alpha\nagain");
    assert!(run.stderr.contains("reports `tree N is odd, fold`"), "{run:?}");
    sandbox.file("nubbin.toml", table.replace("(?<word>", "(?<word"));
    let run = sandbox.nubbin(&words);
    assert!(run.code() == 2 && run.stderr.contains("is not valid"), "{run:?}");
}
