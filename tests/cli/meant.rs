//! Misplaced arguments: the intended command runs, or the correct command line is suggested.

use crate::harness::ignore;
use crate::sandbox::{Finished, INPUT, Sandbox, with_needle as sandbox};
use crate::tools;
use nubbin::Registry;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// Asserts that nothing was done, and that this command line is suggested.
#[track_caller]
fn assert_names(run: &Finished, line: &str) {
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains("\nhint: "), "{run:?}");
    assert!(run.stderr.lines().any(|shown| shown.trim() == line), "`{line}` in {}", run.stderr);
}

#[apply(test)]
fn an_oracle_after_the_file_is_recognized() {
    let sandbox = sandbox();
    for typed in
        [&["bug.txt", "./oracle.sh"][..], &["bug.txt", "oracle.sh"], &["bug.txt", "grep -q needle {}"]]
    {
        let run = sandbox.nubbin(typed);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("as the script; the usual order is `nubbin SCRIPT FILE`"), "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    }
    fs::set_permissions(sandbox.path("oracle.sh"), Permissions::from_mode(0o644)).expect("set");
    let run = sandbox.nubbin(&["bug.txt", "oracle.sh"]);
    assert!(run.code() == 5 && run.stderr.contains("hint: run `chmod +x "), "{run:?}");
}

#[apply(test)]
fn a_command_without_dashes_is_suggested_with_them() {
    let sandbox = sandbox();
    // Without `--writable`: the suggested line contains the arguments as typed.
    let nubbin = |typed: &[&str]| sandbox.nubbin_confined(typed);
    let line = "nubbin bug.txt -- grep -c 'a b' {}";
    assert_names(&nubbin(&["bug.txt", "grep", "-c", "a b", "bug.txt"]), line);
    assert_names(&nubbin(&["grep", "-c", "a b", "bug.txt"]), line);
    assert_names(&nubbin(&["--", "grep", "-c", "a b", "bug.txt"]), line);
    assert_names(&nubbin(&["bug.txt", "cat", "bug.txt"]), "nubbin bug.txt -- cat {}");
    let typed = ["--stderr", "a (b)", "bug.txt", "grep", "-c", "x", "bug.txt"];
    assert_names(&nubbin(&typed), "nubbin --stderr 'a (b)' bug.txt -- grep -c x {}");
    assert_names(
        &nubbin(&["check", "bug.txt", "grep", "-Q", "bug.txt"]),
        "nubbin check bug.txt -- grep -Q {}",
    );
    // An unknown option does not belong to the command.
    let run = nubbin(&["--no-such-option", "bug.txt", "grep"]);
    assert!(run.code() == 2 && run.stderr.contains("`nubbin` has no option `--no-such-option`"), "{run:?}");
}

#[apply(test)]
fn a_quoted_command_is_split() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["bug.txt", "--", "sh -c 'grep needle \"$0\" >&2 && exit 3' {}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    let shown = "`sh -c 'grep needle \"$0\" >&2 && exit 3' {}` exits with status 3";
    assert!(run.stderr.contains(shown), "with the quotes that it needs: {run:?}");
}

#[apply(test)]
fn a_command_in_one_string_is_run_by_a_shell_if_it_needs_one() {
    let sandbox = sandbox();
    for (command, words) in [
        ("cat {} | grep needle", "`sh -c 'cat {} | grep needle'`"),
        ("grep needle < {} && true", "`sh -c 'grep needle < {} && true'`"),
        ("echo $(grep needle {})", "`sh -c 'echo $(grep needle {})'`"),
        ("WORD=x grep needle {}", "`env WORD=x grep needle {}`"),
        ("grep needle @@", "`grep needle {}`"),
    ] {
        let run = sandbox.nubbin(&["--stdout", "needle", "bug.txt", "--", command]);
        assert!(run.code() == 0 && run.stderr.contains(words), "{words}: {run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    }
    for script in ["cat {} | grep -q needle", "WORD=needle grep -q needle {}"] {
        let run = sandbox.nubbin(&[script, "bug.txt"]);
        assert!(run.code() == 0 && sandbox.read("bug.reduced.txt").trim() == "needle", "{run:?}");
    }
    let nubbin = |typed: &[&str]| sandbox.nubbin_confined(typed);
    let run = nubbin(&["bug.txt", "--", "WORD=x", "grep", "-c", "x", "{}"]);
    assert_names(&run, "nubbin bug.txt -- env WORD=x grep -c x {}");
    let run = nubbin(&["bug.txt", "--", "grep 'x {}"]);
    assert!(
        run.code() == 2 && run.stderr.contains("a quote in the command `grep 'x {}` is not closed"),
        "{run:?}"
    );
    assert_names(&nubbin(&["bug.txt -- grep -c x {}"]), "nubbin bug.txt -- grep -c x {}");
}

#[apply(test)]
fn a_single_argument_is_an_error_that_names_the_missing_one() {
    let sandbox = sandbox();
    assert_names(&sandbox.nubbin_confined(&["bug.txt"]), "nubbin bug.txt -- COMMAND {}");
    assert_names(&sandbox.nubbin_confined(&["./oracle.sh"]), "nubbin ./oracle.sh FILE");
    sandbox.file("other.txt", "x");
    let run = sandbox.nubbin_confined(&["other.txt", "bug.txt"]);
    assert!(run.code() == 5 && run.stderr.contains("nubbin other.txt -- COMMAND {}"), "{run:?}");
}

#[apply(test)]
fn a_misspelt_command_is_reported_as_such() {
    let sandbox = sandbox();
    for typed in [
        &["chek"][..],
        &["chek", "./oracle.sh", "bug.txt"],
        &["-q", "chek", "./oracle.sh", "bug.txt"],
        &["chek", "bug.txt", "--", "cat", "{}"],
        &["help", "chek"],
    ] {
        let run = sandbox.nubbin_confined(typed);
        assert!(run.code() == 2 && run.stderr.contains("there is no command `chek`"), "{typed:?}: {run:?}");
        assert!(run.stderr.contains("did you mean `nubbin check`?"), "{typed:?}: {run:?}");
    }
    let run = sandbox.nubbin_confined(&["reduce", "bug.txt", "--", "cat", "{}"]);
    assert!(run.stderr.contains("there is no command `reduce`"), "{run:?}");
    assert_names(&run, "nubbin bug.txt -- cat {}");
    let run = sandbox.nubbin_confined(&["./oracle.sh", "bug.txt", "--", "cat", "{}"]);
    assert_names(&run, "nubbin ./oracle.sh bug.txt");
    assert_names(&run, "nubbin bug.txt -- cat {}");
}

#[apply(test)]
fn options_can_precede_the_command() {
    let sandbox = sandbox();
    let run = sandbox.nubbin_confined(&["-q", "-j", "2", "check", "./oracle.sh", "bug.txt"]);
    assert!(run.stdout.contains("verdict: "), "{run:?}");
    let run = sandbox.nubbin_confined(&["-j2", "options", "--exit-code=1", "--", "sh", "-c", "exit 1", "x"]);
    assert!(run.code() == 0 && run.stderr.contains("reduced "), "{run:?}");
    let run = sandbox.nubbin_confined(&["--help", "browser"]);
    assert!(run.code() == 0 && run.stdout.contains("nubbin browser [OPTIONS]"), "{run:?}");
}

#[apply(test)]
fn a_misspelt_option_or_value_costs_three_lines() {
    let sandbox = sandbox();
    for (typed, told) in [
        ("--complact", "`nubbin` has no option `--complact`\nhint: did you mean `--compact`?\n"),
        ("--std", "`nubbin` has no option `--std`\nhint: did you mean `--stderr` or `--stdout`?\n"),
        ("--zzzzz", "`nubbin` has no option `--zzzzz`\nhint: `nubbin --help` lists all options\n"),
        ("--list-passes", "`nubbin` has no option `--list-passes`\nhint: use `nubbin passes`\n"),
        ("--max-probes=3", "`nubbin` has no option `--max-probes`\nhint: use `--max-candidates N`\n"),
        (
            "--timeout=x",
            "`--timeout x`: not a number of seconds, or a time such as 90s or 10m\nhint: `--timeout",
        ),
        ("-jx", "`--jobs x`: not a number\n"),
        ("--exit-code=300", "`--exit-code 300`: must be at least 0 and at most 255\n"),
        ("--only=hoists", "hint: did you mean `hoist`? `nubbin passes` lists the passes\n"),
        ("--unit=word", "hint: the values are `tree`, `line`, "),
        ("--limit=disk=1", "`--limit disk=1`: unknown limit `disk`; the limits are memory, "),
    ] {
        let run = sandbox.nubbin_confined(&[typed, "bug.txt", "--", "cat", "{}"]);
        assert!(run.code() == 2 && run.stderr.contains(told), "{typed}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.lines().count() <= 3, "{run:?}");
    }
    let run = sandbox.nubbin_confined(&["--stderr", "(", "bug.txt", "--", "cat", "{}"]);
    assert!(
        run.stderr.contains("`--stderr (`: not a regular expression: unclosed group\n    (\n    ^\n"),
        "{run:?}"
    );
    let run = sandbox.nubbin_confined(&["-j", "-1", "bug.txt", "--", "cat", "{}"]);
    assert!(run.stderr.contains("unexpected negative number `-1`"), "{run:?}");
}

#[apply(test)]
fn messages_are_wrapped_and_coloured_on_a_terminal() {
    let sandbox = sandbox();
    let Some(run) = on_terminal(&sandbox, 60, &["--limit=memory=lots", "./oracle.sh", "bug.txt"]) else {
        ignore("needs python3")
    };
    let lines: Vec<&str> = run.lines().collect();
    assert!(lines[0].starts_with("\u{1b}[1m\u{1b}[91merror:\u{1b}[0m `--limit memory=lots`: "), "{lines:?}");
    assert!(lines[1].starts_with("       512M") && lines[2].contains("hint:\u{1b}[0m "), "{lines:?}");
    let plain = |line: &str| {
        line.split('\u{1b}')
            .map(|part| part.split_once('m').map_or(part, |(_, text)| text))
            .collect::<String>()
    };
    assert!(lines.iter().all(|line| plain(line).chars().count() <= 60), "{lines:?}");
}

/// Runs the binary on a terminal of this width, and returns its output.
fn on_terminal(sandbox: &Sandbox, columns: u16, typed: &[&str]) -> Option<String> {
    const SCRIPT: &str = "import fcntl, os, pty, struct, sys, termios\n\
        child, end = pty.fork()\n\
        if child == 0:\n    \
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, int(sys.argv[1]), 0, 0))\n    \
            os.environ.update(TERM='xterm'); os.environ.pop('NO_COLOR', None)\n    \
            os.execv(sys.argv[2], sys.argv[2:])\n\
        try:\n    \
            while data := os.read(end, 65536): sys.stdout.buffer.write(data)\n\
        except OSError: pass\n";
    let columns = columns.to_string();
    let words = [&["-c", SCRIPT, &columns, env!("CARGO_BIN_EXE_nubbin")], typed].concat();
    tools::program("python3");
    let run = sandbox.run("python3", &words);
    (run.code() == 0).then(|| run.stdout.replace('\r', ""))
}

#[apply(test)]
fn a_program_or_script_that_cannot_be_run_is_reported_with_a_hint() {
    let sandbox = sandbox();
    sandbox.file("plain.sh", "#!/bin/sh\n");
    std::fs::create_dir(sandbox.path("proj")).unwrap();
    sandbox.file("proj/build.sh", "x");
    for (typed, told) in [
        (
            &["bug.txt", "--", "greep", "x", "{}"][..],
            "the program `greep` was not found\nhint: did you mean `",
        ),
        (&["bug.txt", "--", "./no-such", "{}"], "the program `./no-such` does not exist\n"),
        (
            &["./oracel.sh", "bug.txt"],
            "the script `./oracel.sh` does not exist\nhint: did you mean `./oracle.sh`?",
        ),
        (&["./plain.sh", "bug.txt"], "`./plain.sh` is not executable\nhint: run `chmod +x ./plain.sh`"),
        (&["proj", "--", "./build.sh"], "cd proj && nubbin . -- ./build.sh"),
        (&["bug.txt", "--", "./oracle.sh", "{}"], "comes before the file:\n  nubbin ./oracle.sh bug.txt"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() != 0 && run.stderr.contains(told), "{typed:?}: {run:?}");
    }
}

#[apply(test)]
fn an_input_or_output_that_cannot_be_used_is_reported_before_the_first_run() {
    let sandbox = sandbox();
    sandbox.file("empty.txt", "");
    for (typed, code, told) in [
        (&["./oracle.sh", "empty.txt"][..], 7, "`empty.txt` is empty, so there is nothing to reduce"),
        (
            &["-o", "no/x.txt", "./oracle.sh", "bug.txt"],
            8,
            "the directory `no` does not exist\nhint: create it with `mkdir -p no`",
        ),
        (&["-o", "no/", "./oracle.sh", "bug.txt"], 8, "the directory `no/` does not exist"),
        (&["-o", "bug.txt", "./oracle.sh", "bug.txt"], 2, "the output `bug.txt` is the input"),
        (&["--stderr", "x", "./oracle.sh", "bug.txt"], 2, "`--stderr` needs a command after the file"),
    ] {
        let run = sandbox.nubbin_confined(typed);
        assert!(run.code() == code && run.stderr.contains(told), "{typed:?}: {run:?}");
    }
    assert_eq!(sandbox.calls(), 0);
    std::fs::create_dir(sandbox.path("out")).unwrap();
    let run = sandbox.nubbin(&["-o", "out", "./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("out/bug.reduced.txt").trim()), (0, "needle"), "{run:?}");
}

#[apply(test)]
fn a_language_is_found_by_its_other_names() {
    let sandbox = sandbox();
    for name in ["c++", "js", "py", "ts", "sh"] {
        let run = sandbox.nubbin(&["--language", name, "./oracle.sh", "bug.txt"]);
        assert_eq!(run.code(), 0, "{name}: {run:?}");
    }
}

#[apply(test)]
fn arguments_after_a_quoted_command_are_questioned() {
    let sandbox = sandbox();
    let run = sandbox.nubbin_confined(&["bug.txt", "--", "grep -c x {}", "--jobs", "2"]);
    assert_names(&run, "nubbin bug.txt --jobs 2 -- grep -c x {}");
    assert_names(&run, "nubbin bug.txt -- grep -c x {} --jobs 2");
    let run = sandbox.nubbin_confined(&["bug.txt", "grep -c x bug.txt", "-i"]);
    assert_names(&run, "nubbin bug.txt -- grep -c x {} -i");
    assert_names(&sandbox.nubbin_confined(&["grep -c x bug.txt"]), "nubbin bug.txt -- grep -c x {}");
    // If both are in their places, the status decides which of the two was meant.
    let run = sandbox.nubbin(&["grep -q nothing {}", "bug.txt"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(run.stderr.contains("put it after `--`: `nubbin bug.txt -- grep -q nothing {}`"), "{run:?}");
}

#[apply(test)]
fn a_missing_file_is_reported_with_a_similar_one() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["./oracle.sh", "bgu.txt"]);
    assert!(run.code() != 0 && run.stderr.ends_with("hint: did you mean `bug.txt`?\n"), "{run:?}");
    let run = sandbox.nubbin(&["./oracle.sh", "another.txt"]);
    assert!(run.code() != 0 && !run.stderr.contains("did you mean"), "{run:?}");
    let run = sandbox.nubbin(&["bug.txt", "--", "cat", "bgu.txt", "-o", "new.txt"]);
    assert!(run.stderr.contains("note: file `bgu.txt` does not exist; did you mean `bug.txt`?"), "{run:?}");
    assert!(!run.stderr.contains("new.txt` does not exist"), "an output need not exist: {run:?}");
}

#[apply(test)]
fn help_is_given_for_commands() {
    let sandbox = Sandbox::new();
    let nubbin = |typed: &[&str]| sandbox.nubbin_confined(typed);
    let (long, asked) = (nubbin(&["changes", "--help"]), nubbin(&["help", "changes"]));
    assert_eq!((asked.code(), &asked.stdout), (0, &long.stdout));
    assert!(
        long.stdout.contains("--good") && !nubbin(&["check", "-h"]).stdout.contains("--good"),
        "{long:?}"
    );
    let short = nubbin(&["-h"]);
    assert_eq!((short.code(), &nubbin(&["help"]).stdout), (0, &short.stdout));
    assert!(short.stdout.lines().count() <= 45 && short.stdout.contains("  changes "), "{short:?}");
    let nothing = nubbin(&[]);
    assert_eq!((nothing.code(), nothing.stderr.trim()), (2, short.stdout.trim()));
    let run = nubbin(&["help", "nothing"]);
    assert!(
        run.code() == 2 && run.stderr.contains("there is no command `nothing`\nhint: `nubbin --help`"),
        "{run:?}"
    );
}

#[apply(test)]
fn a_language_without_a_parser_is_reported_with_an_alternative() {
    let sandbox = sandbox();
    sandbox.file("bug.jl", INPUT);
    let run = sandbox.nubbin(&["./oracle.sh", "bug.jl"]);
    let told = "no parser for Julia is built in; for a better result, run `npm install --ignore-scripts tree-sitter-julia` \
                and use `--language node_modules/tree-sitter-julia`";
    assert!(run.code() == 0 && run.stderr.contains(told), "{run:?}");
    for typed in [&["--unit", "line", "./oracle.sh", "bug.jl"][..], &["./oracle.sh", "bug.txt"]] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == 0 && !run.stderr.contains("no parser"), "{run:?}");
    }
}

#[apply(test)]
fn a_language_whose_parser_was_not_built_in_is_reported_with_a_hint() {
    let Some(manifest) = Registry::built_in().left_out().next() else {
        ignore("needs a program without some parser")
    };
    let sandbox = sandbox();
    let file = format!("bug.{}", manifest.extensions[0]);
    sandbox.file(&file, INPUT);
    let run = sandbox.nubbin(&["./oracle.sh", file.as_str()]);
    let told =
        format!("build it with `--features {}`, or use a grammar with `--language DIR/`", manifest.name);
    assert!(run.code() == 0 && run.stderr.contains(&told), "{run:?}");
    let run = sandbox.nubbin(&["--language", manifest.name.as_str(), "./oracle.sh", file.as_str()]);
    assert!(run.code() != 0 && run.stderr.contains(&told), "{run:?}");
}

#[apply(test)]
fn a_command_that_names_a_file_of_the_input_directory_gets_a_hint() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("proj/src")).unwrap();
    sandbox.file("proj/src/main.txt", "needle\n");
    let run = sandbox.nubbin(&["proj", "--", "grep", "needle", "src/main.txt"]);
    let note = "note: `src/main.txt` is in `proj`, not in this directory, where the command runs; try: cd proj && nubbin . -- …";
    assert!(run.stderr.contains(note), "{run:?}");
}
