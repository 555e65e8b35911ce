//! Invalid input: each case has a clear message and its exit code, and changes nothing.

use crate::harness::ignore;
use crate::sandbox::{Finished, INPUT, Sandbox, with_needle as sandbox};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// Asserts that the run failed with this code and one message that contains these texts, and changed nothing.
#[track_caller]
fn assert_fails(sandbox: &Sandbox, run: &Finished, code: i32, texts: &[&str]) {
    assert_eq!(run.code(), code, "{run:?}");
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{run:?}");
    assert!(run.stdout.is_empty(), "{run:?}");
    for text in texts {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
    assert_eq!(sandbox.read("bug.txt"), INPUT);
    assert!(!sandbox.has("bug.reduced.txt") && !sandbox.has("bug.txt.orig"));
}

#[apply(test)]
fn a_missing_file() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["./oracle.sh", "none.c"]);
    assert_fails(&sandbox, &run, 7, &["cannot read `none.c`"]);
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn a_file_of_more_than_four_gigabytes_is_refused_before_it_is_read() {
    let sandbox = sandbox();
    sandbox.file("huge.txt", "");
    let huge = fs::OpenOptions::new().write(true).open(sandbox.path("huge.txt")).expect("it is there");
    huge.set_len(5 << 30).expect("a sparse file");
    let run = sandbox.nubbin(&["./oracle.sh", "huge.txt"]);
    assert_fails(&sandbox, &run, 7, &["`huge.txt` has 5368709120 bytes", "the limit is 4 GiB", "head -c"]);
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn an_unreadable_file() {
    let sandbox = sandbox();
    let path = sandbox.file("secret.c", "int x;");
    fs::set_permissions(&path, Permissions::from_mode(0o000)).expect("set");
    if fs::read(&path).is_ok() {
        ignore("needs a user who may not read every file");
    }
    let run = sandbox.nubbin(&["./oracle.sh", "secret.c"]);
    assert_fails(&sandbox, &run, 7, &["cannot read `secret.c`"]);
}

#[apply(test)]
fn an_oracle_that_does_not_exist() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["./no-oracle.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 5, &["the script `./no-oracle.sh` does not exist", "hint: "]);
    let run = sandbox.nubbin(&["no-such-program-anywhere", "bug.txt"]);
    assert_fails(&sandbox, &run, 2, &["`no-such-program-anywhere` is not a command of nubbin", "hint: "]);
}

#[apply(test)]
fn an_oracle_that_is_not_executable() {
    let sandbox = sandbox();
    let path = sandbox.path("oracle.sh");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("set");
    for typed in ["./oracle.sh", "oracle.sh"] {
        let run = sandbox.nubbin(&[typed, "bug.txt"]);
        assert_fails(&sandbox, &run, 5, &["is not executable", "hint: run `chmod +x "]);
    }
}

#[apply(test)]
fn an_oracle_that_is_a_directory() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["./", "bug.txt"]);
    assert_fails(&sandbox, &run, 5, &["is not executable", "it is a directory"]);
}

#[apply(test)]
fn an_oracle_without_a_shebang_is_run_by_the_shell() {
    let sandbox = sandbox();
    let path = sandbox.file("bare.sh", "grep -q needle \"$1\"\n");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("set");
    let run = sandbox.nubbin(&["./bare.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt").trim()), (0, "needle"), "{run:?}");
    let run = sandbox.nubbin(&["bug.txt", "--", "./bare.sh", "{}"]);
    assert!(run.stderr.contains("`./bare.sh {}` succeeds"), "{run:?}");
}

#[apply(test)]
fn an_oracle_whose_interpreter_is_missing() {
    let sandbox = sandbox();
    let path = sandbox.file("odd.sh", "#!/no/such/shell\n");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("set");
    let run = sandbox.nubbin(&["./odd.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 5, &["the interpreter", "odd.sh"]);
}

#[apply(test)]
fn an_oracle_that_accepts_everything() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["true", "bug.txt"]);
    assert_fails(&sandbox, &run, 4, &["empty input", "hint: ", "`--allow-empty`"]);
}

#[apply(test)]
fn a_command_that_fails_on_everything() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["bug.txt", "--", "false"]);
    assert_eq!(run.code(), 4, "{run:?}");
    assert!(run.stderr.contains("`--stderr REGEX`"), "{run:?}");
}

#[apply(test)]
fn an_input_that_is_not_interesting_at_first_can_be_tried_by_hand() {
    let sandbox = sandbox();
    let body = "seq 1 20 >&2; ls -A; printf '\\033[1m%s\\n' \"$(cat \"$1\" | head -n 1)\"; exit 3";
    sandbox.oracle("no.sh", body);
    let run = sandbox.nubbin(&["./no.sh", "bug.txt"]);
    let status = "`./no.sh` exited with status 3 on the unreduced input; nothing was changed";
    assert_fails(&sandbox, &run, 3, &[status, "  | 20\n", "status 0"]);
    let shown = run.stderr.lines().filter(|line| line.starts_with("  | ")).count();
    assert_eq!(shown, 10);

    let by_hand = run.stderr.lines().last().expect("a command").trim();
    let again = sandbox.run("sh", &["-c", by_hand]);
    assert_eq!(
        again.stdout.lines().collect::<Vec<_>>(),
        ["bug.txt", "\u{1b}[1mone", "status 3"],
        "{again:?}"
    );
}

#[apply(test)]
fn an_oracle_that_crashes_or_is_unresolved_at_first() {
    let sandbox = sandbox();
    sandbox.oracle("crash.sh", "kill -SEGV $$");
    let run = sandbox.nubbin(&["./crash.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 3, &["`./crash.sh` was killed by SIGSEGV on the unreduced input"]);
    let run = sandbox.nubbin(&["sh -c 'exit 125' {}", "bug.txt"]);
    assert_fails(&sandbox, &run, 3, &["exited with status 125 (unresolved)"]);
}

#[apply(test)]
fn an_oracle_that_hangs() {
    let sandbox = sandbox();
    sandbox.oracle("hang.sh", "sleep 1000");
    let run = sandbox.nubbin(&["--timeout", "0.3", "./hang.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 5, &["did not finish within 300 ms", "hint: ", "`--timeout SECONDS`"]);
}

#[apply(test)]
fn an_unknown_language() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--language", "klingon", "./oracle.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 6, &["`klingon`", "python", "json"]);
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn a_grammar_folder_that_cannot_be_used() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--language", "no-such-folder/", "./oracle.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 6, &["no-such-folder/"]);
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn an_output_that_cannot_be_written_is_found_before_the_first_probe() {
    let sandbox = sandbox();
    for output in ["no/such/folder/out.txt"] {
        let run = sandbox.nubbin(&["-o", output, "./oracle.sh", "bug.txt"]);
        assert_fails(&sandbox, &run, 8, &["the directory `no/such/folder` does not exist", "mkdir -p"]);
    }
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn the_input_as_output_is_refused() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-o", "./bug.txt", "./oracle.sh", "bug.txt"]);
    assert_fails(&sandbox, &run, 2, &["is the input", "`--in-place`"]);
}

#[apply(test)]
fn an_invalid_command_line() {
    let sandbox = sandbox();
    for arguments in [
        ["./oracle.sh"].as_slice(),
        &["--in-place", "./oracle.sh", "-"],
        &["./oracle.sh", "bug.txt", "--", "false"],
        &["--stderr", "x", "./oracle.sh", "bug.txt"],
        &["--stderr", "(", "bug.txt", "--", "false"],
        &["--signal", "NOPE", "bug.txt", "--", "false"],
        &["-j", "0", "./oracle.sh", "bug.txt"],
        &["--timeout", "-1", "./oracle.sh", "bug.txt"],
        &["--in-place", "-o", "x", "./oracle.sh", "bug.txt"],
        &["grep 'open", "bug.txt"],
        &["", "bug.txt"],
    ] {
        let run = sandbox.nubbin(arguments);
        assert_eq!(run.code(), 2, "{arguments:?}: {run:?}");
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {run:?}");
    }
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn several_files_that_all_fail_leave_no_result() {
    let sandbox = Sandbox::new();
    sandbox.file("a.txt", "x\n");
    sandbox.file("b.txt", "y\n");
    let run = sandbox.nubbin(&["a.txt", "b.txt", "--", "false"]);
    assert_eq!(run.code(), 4, "{run:?}");
    assert!(!sandbox.has("a.reduced.txt") && !sandbox.has("b.reduced.txt"), "{run:?}");
}
