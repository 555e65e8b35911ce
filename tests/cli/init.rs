//! `nubbin init`: the generated script finds the failure and nothing else; if it would not, this is reported.

use crate::alive::comes_to;
use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox, seconds};
use crate::tools;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::LazyLock;

/// Prints another place and line in each run, and crashes on `alpha`.
const TOOL: &str = "
grep -q alpha \"$1\" || exit 0
echo \"$1:$$:3: internal compiler error: in fold_it's, at fold-const.cc:$$\" >&2
exit 4";
const INPUT: &str = "one\nalpha\ntwo\n";

fn sandbox(tool: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("tool.sh", tool);
    sandbox
}

fn init(sandbox: &Sandbox, options: &[&str]) -> Finished {
    let typed = [&["init", "-o", "made.sh"][..], options, &["bug.txt", "--", "./tool.sh", "{}"]].concat();
    sandbox.nubbin(&typed)
}

/// Returns the exit statuses of the script on these texts.
fn statuses(sandbox: &Sandbox, texts: &[&str]) -> Vec<i32> {
    let status = |text: &&str| {
        sandbox.file("candidate.txt", text);
        sandbox.run("./made.sh", &["candidate.txt"]).code()
    };
    texts.iter().map(status).collect()
}

/// Whether shellcheck is installed; it then checks each generated script.
static HAS_SHELLCHECK: LazyLock<bool> = LazyLock::new(|| {
    Command::new("shellcheck").arg("--version").output().is_ok_and(|run| run.status.success())
});

#[track_caller]
fn assert_made(sandbox: &Sandbox, run: &Finished) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("wrote `made.sh`"), "{run:?}");
    let syntax = sandbox.run("sh", &["-n", "made.sh"]);
    assert_eq!(syntax.code(), 0, "{syntax:?}");
    if *HAS_SHELLCHECK {
        let checked = sandbox.run("shellcheck", &["made.sh"]);
        assert_eq!(checked.code(), 0, "{checked:?}\n{}", sandbox.read("made.sh"));
    }
}

#[apply(test)]
fn shellcheck_reports_faulty_scripts() {
    tools::program("shellcheck");
    let sandbox = Sandbox::new();
    sandbox.file("made.sh", "#!/bin/sh\necho $1\n");
    let checked = sandbox.run("shellcheck", &["made.sh"]);
    assert_eq!(checked.code(), 1, "{checked:?}");
}

#[apply(test)]
fn a_failure_becomes_a_script_that_finds_it_by_status_and_message() {
    let sandbox = sandbox(TOOL);
    let run = init(&sandbox, &[]);
    assert_made(&sandbox, &run);
    let script = sandbox.read("made.sh");
    assert!(
        script.contains(r"grep -qF -e 'in fold_it'\''s, at fold-const.cc' output.txt || exit 1"),
        "{script}"
    );
    assert!(
        script.contains("[ \"$status\" -eq 4 ] || exit 1") && script.contains("timeout \"$limit\""),
        "{script}"
    );
    assert_eq!(statuses(&sandbox, &[INPUT, "", "alpha", "beta"]), [0, 1, 0, 1]);
    let mode = sandbox.path("made.sh").metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o700, 0o700);
    let run = sandbox.nubbin(&["--unit", "line", "./made.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt").trim()), (0, "alpha"), "{run:?}");
}

#[apply(test)]
fn without_an_output_the_script_is_printed() {
    let sandbox = sandbox(TOOL);
    let run = sandbox.nubbin(&["init", "bug.txt", "--", "./tool.sh", "{}"]);
    assert!(
        run.code() == 0 && run.stdout.starts_with("#!/bin/sh\n# An interestingness test for `bug.txt`"),
        "{run:?}"
    );
}

#[apply(test)]
fn a_different_status_is_a_different_failure() {
    let sandbox = sandbox("grep -q alpha \"$1\" && exit 7; grep -q two \"$1\" && exit 8; exit 0");
    assert_made(&sandbox, &init(&sandbox, &[]));
    assert_eq!(statuses(&sandbox, &["alpha", "two", ""]), [0, 1, 1]);
    assert!(sandbox.read("made.sh").contains("# Only the status is tested."));
}

#[apply(test)]
fn a_signal_is_recognized_by_the_shells_status() {
    let sandbox = sandbox("grep -q alpha \"$1\" && kill -SEGV $$; exit 0");
    assert_made(&sandbox, &init(&sandbox, &[]));
    let script = sandbox.read("made.sh");
    assert!(script.contains("[ \"$status\" -eq 139 ]") && script.contains("SIGSEGV"), "{script}");
    assert_eq!(statuses(&sandbox, &[INPUT, "beta"]), [0, 1]);
}

#[apply(test)]
fn a_hang_is_recognized_by_the_time_limit() {
    comes_to(&vec![0, 1], |limit| {
        let sandbox = sandbox("grep -q alpha \"$1\" && sleep 60; exit 0");
        let run = init(&sandbox, &["--hang", "--timeout", &seconds(limit)]);
        if run.code() != 0 {
            return vec![run.code()];
        }
        assert_made(&sandbox, &run);
        statuses(&sandbox, &["alpha", "beta"])
    });
}

#[apply(test)]
fn a_command_that_cannot_be_started_is_unresolved() {
    let sandbox = sandbox(TOOL);
    assert_made(&sandbox, &init(&sandbox, &[]));
    std::fs::remove_file(sandbox.path("tool.sh")).expect("it was there");
    assert_eq!(statuses(&sandbox, &[INPUT]), [125]);
}

#[apply(test)]
fn a_message_can_be_requested() {
    let sandbox = sandbox(TOOL);
    assert_made(&sandbox, &init(&sandbox, &["--stderr", "internal .* error: in [a-z]+"]));
    let script = sandbox.read("made.sh");
    assert!(script.contains("grep -qE -e 'internal .* error: in [a-z]+'"), "{script}");
    assert_eq!(statuses(&sandbox, &[INPUT, "beta"]), [0, 1]);
}

#[apply(test)]
fn two_commands_that_disagree_become_a_script() {
    let sandbox =
        sandbox("grep -q alpha \"$1\" && { echo 1; exit 0; }; grep -q two \"$1\" && exit 3; echo 0");
    sandbox.oracle("other.sh", "echo 0");
    assert_made(&sandbox, &init(&sandbox, &["--differs-from", "./other.sh {}"]));
    assert_eq!(statuses(&sandbox, &[INPUT, "", "two"]), [0, 1, 1]);
}

/// The output of tools on a failure and on a syntax error, with their status, and the texts that a script
/// must search for.
const TOOLS: [(&str, i32, &str, &str, &[&str]); 6] = [
    (
        "javac",
        1,
        "bug.py:4: error: incompatible types: String cannot be converted to int\n        int price = name;\n                    ^\n1 error",
        "bug.py:1: error: class, interface, enum, or record expected\n)\n^\n1 error",
        &["error: incompatible types: String cannot be converted to int"],
    ),
    (
        "black 22.1.0",
        123,
        "error: cannot format bug.py: Cannot parse: 4:5: type Total = int\n\nOh no! 💥 💔 💥\n1 file failed to reformat.",
        "error: cannot format bug.py: Cannot parse: 1:0: )\n\nOh no! 💥 💔 💥\n1 file failed to reformat.",
        &["error: cannot format", "Cannot parse", "type Total = int"],
    ),
    (
        "tsc",
        2,
        "bug.py(3,3): error TS2322: Type string[] is not assignable to type number.",
        "bug.py(1,1): error TS1128: Declaration or statement expected.",
        &["error TS2322: Type string[] is not assignable to type number."],
    ),
    (
        "mypy",
        1,
        "bug.py:4: error: Incompatible types in assignment (expression has type \"int\")  [assignment]\nFound 1 error in 1 file (checked 1 source file)",
        "bug.py:1: error: unmatched )  [syntax]\nFound 1 error in 1 file (errors prevented further checking)",
        &["error: Incompatible types in assignment (expression has type \"int\")  [assignment]"],
    ),
    (
        "pytest",
        1,
        "F   [100%]\n=== FAILURES ===\n>       check(3)\nE       assert 4 == 3\n\nbug.py:5: AssertionError\nFAILED bug.py::test_total - assert 4 == 3\n1 failed in 0.02s",
        "E   SyntaxError: unmatched )\nERROR bug.py\n1 error in 0.05s",
        &["assert 4 == 3"],
    ),
    (
        "make",
        2,
        "bug.py:2:39: error: ‘struct item’ has no member named ‘prices’\nmake: *** [Makefile:2: all] Error 1",
        "bug.py:1:1: error: expected identifier or ‘(’ before ‘)’ token\nmake: *** [Makefile:2: all] Error 1",
        &["error: ‘struct item’ has no member named ‘prices’"],
    ),
];

#[apply(test)]
fn the_script_searches_the_line_with_the_failure_and_not_the_error_count() {
    for (name, status, failure, syntax, texts) in TOOLS {
        let sandbox = Sandbox::new();
        sandbox.file("bug.py", "one = 1\nalpha = 2\n");
        sandbox.file("failure.txt", failure);
        sandbox.file("syntax.txt", syntax);
        let place = sandbox.path("").display().to_string();
        sandbox.oracle(
            "tool.sh",
            &format!(
                "if ! head -n 1 \"$1\" | grep -aq '^[a-z]*$\\|='; then cat {place}/syntax.txt; exit {status}; fi\n\
                 grep -q alpha \"$1\" || exit 0\ncat {place}/failure.txt\nexit {status}"
            ),
        );
        let run = sandbox.nubbin(&["init", "-o", "made.sh", "bug.py", "--", "./tool.sh", "{}"]);
        assert_made(&sandbox, &run);
        assert!(run.stderr.contains("garbage, a syntax error"), "{name}: {run:?}");
        let script = sandbox.read("made.sh");
        let looked_for: Vec<&str> = script.lines().filter(|line| line.starts_with("grep ")).collect();
        assert_eq!(looked_for.len(), texts.len(), "{name}: {script}");
        for (line, text) in looked_for.iter().zip(texts) {
            let bare = text.trim_start_matches("error").trim_start_matches([':', ' ']);
            let bare = bare.split("  [").next().unwrap_or(bare);
            assert!(line.contains(bare), "{name}: {line}");
        }
    }
}

#[apply(test)]
fn a_compilers_error_is_distinguished_from_a_syntax_error() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "struct item { int price; };\nint total(struct item *i) { return i->prices; }\n");
    tools::program("gcc");
    let run = sandbox.nubbin(&["init", "-o", "made.sh", "bug.c", "--", "gcc", "-c", "{}"]);
    assert_made(&sandbox, &run);
    assert!(sandbox.read("made.sh").contains("has no member named"), "{run:?}");
}

#[apply(test)]
fn an_ambiguous_failure_is_reported_with_the_lines_to_choose_from() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("tool.sh", "[ -s \"$1\" ] || exit 0\necho 'error: bad input'\necho '1 error'\nexit 2");
    let run = init(&sandbox, &[]);
    assert!(run.code() == 11 && !sandbox.has("made.sh"), "{run:?}");
    for said in [
        "with the same message on a blank line",
        "  | error: bad input",
        "  | 1 error",
        "hint: choose one of these lines with `--stderr REGEX`",
    ] {
        assert!(run.stderr.contains(said), "{said}: {run:?}");
    }
    let run = init(&sandbox, &["--match", "status"]);
    assert_made(&sandbox, &run);
    assert!(run.stderr.contains("note: the script also accepts a blank line"), "{run:?}");
}

#[apply(test)]
fn wrong_code_becomes_a_script_with_guards() {
    if !has_sanitizers() {
        ignore("needs gcc with sanitizers");
    }
    let sandbox = Sandbox::new();
    let differs = "int printf(const char *, ...);\nint main(void) {\n#ifdef __OPTIMIZE__\n  printf(\"1\\n\");\n#else\n  printf(\"2\\n\");\n#endif\n  return 0;\n}\n";
    sandbox.file("bug.c", differs);
    // Warnings are the guard, so `-w` must not silence them.
    let typed =
        ["init", "-o", "made.sh", "--wrong-code", "gcc -w -O0 {}", "bug.c", "--", "gcc", "-w", "-O2", "{}"];
    let run = sandbox.nubbin(&typed);
    assert_made(&sandbox, &run);
    assert!(
        run.stderr.contains("note: guarded by warnings of gcc") && run.stderr.contains("at -O0"),
        "{run:?}"
    );
    // The input behaves differently at -O2, and is reported by the sanitizers.
    assert!(
        run.stderr.contains("left out because the input does not pass: ")
            && run.stderr.contains("sanitizers of gcc at -O2 (all)"),
        "{run:?}"
    );
    let status = |text: &str| {
        sandbox.file("candidate.c", text);
        let run = sandbox.run("./made.sh", &["candidate.c"]);
        (run.code(), run.stderr)
    };
    assert_eq!(status(differs).0, 0);
    for (from, to, said) in [
        (
            "return 0;",
            "int a[2] = {0}; volatile int i = 2; return a[i] * 0;",
            "undefined behaviour was found (sanitizers of gcc at -O0)",
        ),
        ("return 0;", "int a; return a;", "a warning reports undefined behaviour"),
        ("(void)", "()", "a warning reports undefined behaviour"),
        ("2\\n", "%s\\n", "a warning reports undefined behaviour"),
        ("__OPTIMIZE__", "NEVER", "both programs behave in the same way"),
        ("return 0;", "__builtin_trap();", "the program is killed by a signal (the first command)"),
    ] {
        let (code, stderr) = status(&differs.replace(from, to));
        assert!(code == 1 && stderr.contains(said), "{to}: {code} {stderr}");
    }
    let (code, stderr) = status(&differs.replace("return 0;", "for (;;) ;"));
    assert!(code == 125 && stderr.contains("unresolved: status"), "{code} {stderr}");
}

#[apply(test)]
fn two_unguarded_commands_on_c_get_a_hint_about_guards() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "int alpha;\n");
    sandbox.file("bug.txt", "alpha\n");
    sandbox.oracle("tool.sh", "grep -c alpha \"$1\"; exit 0");
    sandbox.oracle("other.sh", "echo 0");
    for (file, other, hints) in [
        ("bug.c", "./other.sh {}", 1),
        ("bug.c", "./other.sh {} -fsanitize=undefined", 0),
        ("bug.txt", "./other.sh {}", 0),
    ] {
        let run = sandbox.nubbin(&[
            "-o",
            "small",
            "--no-journal",
            file,
            "--differs-from",
            other,
            "--",
            "./tool.sh",
            "{}",
        ]);
        let lines = run.stderr.lines().filter(|line| line.contains("nubbin init --wrong-code")).count();
        assert!(run.code() == 0 && lines == hints, "{file} {other}: {run:?}");
        std::fs::remove_file(sandbox.path("small")).expect("there is a result");
    }
}

/// Returns whether gcc is installed and supports sanitizers.
fn has_sanitizers() -> bool {
    let sandbox = Sandbox::new();
    sandbox.file("a.c", "int main(void) { return 0; }\n");
    let line = "gcc -fsanitize=address,undefined a.c -o a && ./a";
    sandbox.run("sh", &["-c", line]).status.success()
}

#[apply(test)]
fn arguments_with_spaces_quotes_and_line_ends_are_kept() {
    let sandbox =
        sandbox("[ \"$2\" = \"it's \\\"a\\\" \\$HOME\" ] || exit 9; grep -q alpha \"$1\" && exit 4; exit 0");
    sandbox.file("bug.txt", INPUT);
    let typed =
        ["init", "-o", "made.sh", "bug.txt", "--", "./tool.sh", "{}", "it's \"a\" $HOME", "two\nlines"];
    let run = sandbox.nubbin(&typed);
    assert_made(&sandbox, &run);
    assert_eq!(statuses(&sandbox, &[INPUT, ""]), [0, 1]);
}

#[apply(test)]
fn a_script_that_would_accept_anything_is_not_written() {
    let sandbox = sandbox("echo 'error: always'; exit 2");
    let run = init(&sandbox, &[]);
    assert!(run.code() == 4 && run.stderr.contains("on the empty file, so"), "{run:?}");
    assert!(run.stderr.contains("hint: ") && !sandbox.has("made.sh"), "{run:?}");
    assert_made(&sandbox, &init(&sandbox, &["--allow-empty"]));
}

#[apply(test)]
fn a_file_is_never_overwritten() {
    let sandbox = sandbox(TOOL);
    sandbox.file("made.sh", "mine");
    let run = init(&sandbox, &[]);
    assert!(run.code() == 8 && run.stderr.contains("`made.sh` already exists"), "{run:?}");
    assert_eq!((sandbox.read("made.sh").as_str(), sandbox.calls()), ("mine", 0));
}

#[apply(test)]
fn invalid_usage_is_reported_and_nothing_is_written() {
    let sandbox = sandbox("exit 0");
    sandbox.file("bug.c", "int main(void) { return 0; }\n");
    for (typed, code, message) in [
        (&["init", "-o", "made.sh", "bug.txt"][..], 2, "the command is missing"),
        (
            &["init", "-o", "made.sh", "bug.txt", "--", "./tool.sh", "{}"],
            3,
            "succeeds on the unreduced input",
        ),
        (
            &["init", "--in-place", "bug.txt", "--", "./tool.sh"],
            2,
            "`nubbin init` has no option `--in-place`",
        ),
        (&["init", "-o", "made.sh", "no.txt", "--", "./tool.sh"], 7, "cannot read `no.txt`"),
        (
            &["init", "-o", "made.sh", "--wrong-code", "./tool.sh {}", "bug.c", "--", "gcc", "{}"],
            2,
            "unsupported compiler `tool.sh`",
        ),
        (&["init", "-o", "made.sh", "--wrong-code", "gcc -c {}", "bug.c", "--", "gcc", "{}"], 2, "`-c`"),
        (
            &["--wrong-code", "gcc {}", "bug.c", "--", "gcc", "{}"],
            2,
            "`--wrong-code` is an option of `nubbin init`",
        ),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == code && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
    assert!(!sandbox.has("made.sh"));
    let run = sandbox.nubbin(&["init", "--help"]);
    assert!(run.code() == 0 && run.stdout.contains("--wrong-code <COMMAND2>"), "{run:?}");
    assert!(!sandbox.nubbin(&["--help"]).stdout.contains("--wrong-code <COMMAND2>"));
}

#[apply(test)]
fn a_directory_gets_a_script_and_several_files_get_none() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("p")).expect("a directory");
    sandbox.file("p/one.txt", "one\nalpha\n");
    sandbox.file("p/two.txt", "two\n");
    sandbox.oracle("tool.sh", "grep -rq alpha \"$1\" || exit 0\necho 'error: alpha is there' >&2\nexit 4");
    let run = sandbox.nubbin(&["init", "-o", "made.sh", "p", "--", "./tool.sh", "{}"]);
    assert_made(&sandbox, &run);
    assert!(
        run.stderr.contains("rejects the empty directory, ") && run.stderr.contains("made.sh p"),
        "{run:?}"
    );
    let run = sandbox.nubbin(&["--quiet", "./made.sh", "p"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("p.reduced/one.txt").trim(), "alpha");
    assert!(!sandbox.has("p.reduced/two.txt"));

    let run = sandbox.nubbin(&["init", "p/one.txt", "p/two.txt", "--", "./tool.sh", "{}"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("`nubbin init` supports only one input file"), "{run:?}");
    let run = sandbox.nubbin(&["init", "--wrong-code", "cc -O0", "p", "--", "cc", "-O2", "{}"]);
    assert!(run.code() == 2 && run.stderr.contains("name the file to compile"), "{run:?}");
}
