//! `nubbin.toml` with a file and its test: `nubbin` alone repeats the run.

use crate::sandbox::{Sandbox, with_needle};

/// Creates a sandbox with this settings file.
fn sandbox(settings: &str) -> Sandbox {
    let sandbox = with_needle();
    sandbox.file("nubbin.toml", settings);
    sandbox
}

#[apply(test)]
fn a_script_and_its_file_are_repeated_if_the_settings_are_trusted() {
    let sandbox = sandbox("file = \"bug.txt\"\nscript = \"./oracle.sh\"\nwritable = [\".\"]\n");
    let run = sandbox.nubbin(&[""; 0]);
    assert!(run.code() == 2 && run.stderr.contains("sets `file`, `script` and is not trusted"), "{run:?}");
    let trust = sandbox.nubbin(&["trust"]);
    assert!(trust.code() == 0 && trust.stdout.contains("the run nubbin ./oracle.sh "), "{trust:?}");
    for typed in [&[][..], &["-j2"], &["--jobs", "1", "--max-time", "60s"]] {
        let run = sandbox.nubbin(typed);
        assert_eq!(run.code(), 0, "{typed:?}: {run:?}");
        assert!(run.stderr.contains("note: the run of `nubbin.toml`: nubbin ./oracle.sh bug.txt"), "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    }
    sandbox.file("nubbin.toml", "file = \"bug.txt\"\nscript = \"./other.sh\"\n");
    let run = sandbox.nubbin(&["-j2"]);
    assert!(run.code() == 2 && run.stderr.contains("is not trusted"), "changed: {run:?}");
}

#[apply(test)]
fn a_command_is_a_string_or_a_list() {
    for command in ["\"grep -c needle {}\"", "[\"grep\", \"-c\", \"needle\", \"{}\"]"] {
        let sandbox = sandbox(&format!("file = \"bug.txt\"\ncommand = {command}\nstdout = \"1\"\n"));
        assert_eq!(sandbox.nubbin(&["trust"]).code(), 0);
        let run = sandbox.nubbin(&[""; 0]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("-- grep") || run.stderr.contains("-- 'grep"), "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    }
}

#[apply(test)]
fn several_files_can_be_repeated() {
    let sandbox =
        sandbox("file = [\"bug.txt\", \"more.txt\"]\ncommand = \"grep -q needle {1}\"\nexit-code = 0\n");
    sandbox.file("more.txt", "four\n");
    assert_eq!(sandbox.nubbin(&["trust"]).code(), 0);
    let run = sandbox.nubbin(&["-o", "out"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("out/bug.txt").trim(), "needle");
}

#[apply(test)]
fn the_run_is_used_only_if_nothing_else_is_typed() {
    let sandbox = sandbox("file = \"bug.txt\"\nscript = \"./missing.sh\"\n");
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    for typed in [&["--version"][..], &["-h"], &["languages"]] {
        assert_eq!(sandbox.nubbin(typed).code(), 0, "{typed:?}");
    }
    let run = sandbox.nubbin(&["--no-config"]);
    assert!(run.code() == 2 && run.stderr.contains("the file is missing"), "{run:?}");
}

#[apply(test)]
fn an_incomplete_run_is_an_error_that_names_the_place() {
    for (settings, told) in [
        ("jobs = 1\nfile = \"bug.txt\"\n", "`nubbin.toml:2:1`: `file` needs a `command` or a `script`"),
        ("command = \"cat\"\n", "`file` is missing"),
        (
            "file = \"bug.txt\"\ncommand = \"cat\"\nscript = \"./oracle.sh\"\n",
            "`nubbin.toml:3:1`: `command` and `script` exclude each other",
        ),
        ("file = 3\ncommand = \"cat\"\n", "`file` must be a string, or a list of strings"),
        ("file = \"bug.txt\"\ncommand = []\n", "`nubbin.toml:2:1`: `command` must be a string"),
        ("file = \"bug.txt\"\nscript\n", "nubbin.toml:2:"),
    ] {
        let run = sandbox(settings).nubbin(&[""; 0]);
        assert!(run.code() == 2 && run.stderr.contains(told), "{settings}: {run:?}");
    }
}
