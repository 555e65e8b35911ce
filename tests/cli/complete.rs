//! Completion in real shells: bash and zsh on a terminal, and fish by `complete -C`.

use crate::sandbox::Sandbox;
use crate::tools;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What is typed, and words that the shell must and must not offer then.
const CASES: [(&str, &[&str], &[&str]); 22] = [
    ("nubbin ./ok.sh b", &["bug.c"], &["browser"]),
    ("nubbin b", &["browser", "bug.c"], &["check"]),
    ("nubbin ", &["check", "bug.c", "data"], &["--output"]),
    ("nubbin ./ok.sh --ti", &["--timeout"], &[]),
    ("nubbin --signal S", &["SEGV", "SYS"], &["ABRT"]),
    ("nubbin --signal=S", &["SEGV", "SYS"], &["ABRT"]),
    ("nubbin --language py", &["python"], &[]),
    ("nubbin browser --browser chr", &["chromium"], &["firefox"]),
    ("nubbin bug.c -- nubbin-too", &["nubbin-tool"], &["browser"]),
    ("nubbin bug.c -- nubbin-tool b", &["bug.c"], &["browser"]),
    ("nubbin options -- nubbin-too", &["nubbin-tool"], &[]),
    ("nubbin -q check ./", &["./bug.c", "./ok.sh", "./data"], &["options"]),
    ("nubbin check ./ok.sh b", &["bug.c"], &["browser"]),
    ("nubbin --limit mem", &["memory="], &[]),
    ("nubbin --limit memory=2G ./ok.sh b", &["bug.c"], &["browser"]),
    ("nubbin --output b", &["bug.c"], &["browser"]),
    ("nubbin --differs-from nubbin-too", &["nubbin-tool"], &[]),
    ("nubbin completions z", &["zsh"], &[]),
    ("nubbin debug t", &["tree"], &[]),
    ("nubbin debug deltas hois", &["hoist"], &[]),
    ("nubbin changes --good d", &["data"], &["debug"]),
    ("nubbin check --compa", &[], &["--compact"]),
];

/// Creates files to complete, and the completion script of a shell.
fn sandbox(shell: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["bug.c", "ok.sh"] {
        sandbox.file(name, "");
    }
    for folder in ["data", "bin"] {
        std::fs::create_dir(sandbox.path(folder)).unwrap();
    }
    for program in ["chromium", "nubbin-tool"] {
        let path = sandbox.file(format!("bin/{program}"), "");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let script = sandbox.nubbin(&["completions", shell]);
    assert_eq!(script.code(), 0, "{script:?}");
    sandbox.file("completions", &script.stdout);
    sandbox
}

/// Runs a command with the programs of the sandbox and the tested program in `PATH`.
fn run(sandbox: &Sandbox, words: &[&str]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_nubbin")).parent().unwrap();
    let paths = std::env::var("PATH").unwrap_or_default();
    let path = format!("PATH={}:{}:{paths}", sandbox.path("bin").display(), program.display());
    let run = sandbox.run("env", &[&[path.as_str()], words].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    run.stdout
}

/// Asserts that a shell offers what it must.
fn assert_offers(shell: &str, shown: impl Fn(usize, &str) -> String) {
    for (at, (typed, expected, unexpected)) in CASES.into_iter().enumerate() {
        let shown = shown(at, typed);
        for word in expected {
            assert!(shown.contains(word), "{shell}: `{word}` after `{typed}`: {shown}");
        }
        for word in unexpected {
            assert!(!shown.contains(word), "{shell}: no `{word}` after `{typed}`: {shown}");
        }
    }
}

/// Types each case into a shell on a terminal.
fn assert_terminal(shell: &str) {
    tools::program("python3");
    tools::program(shell);
    let sandbox = sandbox(shell);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/complete.py");
    let script = script.to_string_lossy();
    let lines = CASES.map(|(typed, ..)| typed);
    let shown = run(&sandbox, &[&["python3", &*script, shell, "completions"], &lines[..]].concat());
    let shown: Vec<String> = serde_json::from_str(&shown).unwrap();
    assert_offers(shell, |at, _| shown[at].clone());
}

#[apply(test)]
fn bash_completes_commands_files_programs_and_values() {
    assert_terminal("bash");
}

#[apply(test)]
fn zsh_completes_commands_files_programs_and_values() {
    assert_terminal("zsh");
}

#[apply(test)]
fn fish_completes_commands_files_programs_and_values() {
    tools::program("fish");
    let sandbox = sandbox("fish");
    assert_offers("fish", |_, typed| {
        run(&sandbox, &["fish", "--no-config", "-c", &format!("source completions; complete -C '{typed}'")])
    });
}

#[apply(test)]
fn other_shells_get_completion_scripts() {
    let sandbox = Sandbox::new();
    for shell in ["elvish", "powershell"] {
        let run = sandbox.nubbin(&["completions", shell]);
        assert!(run.code() == 0 && run.stdout.contains("COMPLETE"), "{shell}: {run:?}");
    }
    let run = sandbox.nubbin(&["completions", "tcsh"]);
    assert!(run.code() == 2 && run.stderr.contains("`zsh`"), "{run:?}");
}
