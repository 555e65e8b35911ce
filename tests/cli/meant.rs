//! Misplaced arguments: the intended command runs, or the correct command line is suggested.

use crate::harness::ignore;
use crate::sandbox::{Finished, INPUT, Sandbox, with_needle as sandbox};
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
        assert!(run.stderr.contains("is taken for the oracle, which comes first"), "{run:?}");
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
    assert!(run.code() == 2 && run.stderr.contains("unexpected argument '--no-such-option'"), "{run:?}");
}

#[apply(test)]
fn a_quoted_command_is_split() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["bug.txt", "--", "sh -c 'grep needle \"$0\" >&2 && exit 3' {}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    let shown = "`sh -c 'grep needle \"$0\" >&2 && exit 3' {}` exits with status 3";
    assert!(run.stderr.contains(shown), "with the quotes that it needs: {run:?}");
    let run = sandbox.nubbin_confined(&["bug.txt", "--", "cat {} | grep -v x"]);
    assert_names(&run, "nubbin bug.txt -- sh -c 'cat {} | grep -v x'");
}

#[apply(test)]
fn a_single_argument_is_an_error_that_names_the_missing_one() {
    let sandbox = sandbox();
    assert_names(&sandbox.nubbin_confined(&["bug.txt"]), "nubbin bug.txt -- COMMAND {}");
    assert_names(&sandbox.nubbin_confined(&["./oracle.sh"]), "nubbin ./oracle.sh FILE");
    let run = sandbox.nubbin_confined(&["chek", "./oracle.sh", "bug.txt"]);
    assert!(run.code() == 5 && run.stderr.contains("`nubbin check` is a command"), "{run:?}");
    sandbox.file("other.txt", "x");
    let run = sandbox.nubbin_confined(&["other.txt", "bug.txt"]);
    assert!(run.code() == 5 && run.stderr.contains("nubbin other.txt -- COMMAND {}"), "{run:?}");
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
    assert!(run.code() != 0 && run.stderr.ends_with("hint: there is `bug.txt`\n"), "{run:?}");
    let run = sandbox.nubbin(&["./oracle.sh", "another.txt"]);
    assert!(run.code() != 0 && !run.stderr.contains("there is"), "{run:?}");
    let run = sandbox.nubbin(&["bug.txt", "--", "cat", "bgu.txt", "-o", "new.txt"]);
    assert!(run.stderr.contains("note: `bgu.txt` is no file here; there is `bug.txt`"), "{run:?}");
    assert!(!run.stderr.contains("new.txt` is no file"), "what is written need not be there: {run:?}");
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
    assert!(short.stdout.lines().count() <= 50 && short.stdout.contains("  changes "), "{short:?}");
    let nothing = nubbin(&[]);
    assert_eq!((nothing.code(), nothing.stderr.trim()), (2, short.stdout.trim()));
    let run = nubbin(&["help", "nothing"]);
    assert!(run.code() == 2 && run.stderr.contains("the commands are `options`, "), "{run:?}");
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
    let note = "note: `src/main.txt` is in `proj` and not here; a command runs where it is typed, so: cd proj && nubbin . -- …";
    assert!(run.stderr.contains(note), "{run:?}");
}
