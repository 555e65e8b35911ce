//! The options of a command.

use crate::harness::ignore;
use crate::sandbox::Sandbox;

/// Creates a program that fails with status 7 if its arguments contain all of these and not `--safe`.
fn program(sandbox: &Sandbox, needed: &[&str]) {
    let tests: Vec<String> =
        needed.iter().map(|word| format!("case \" $* \" in *' {word} '*) ;; *) exit 0;; esac")).collect();
    sandbox.oracle(
        "program",
        &format!("{}\ncase \" $* \" in *' --safe '*) exit 0;; esac\nexit 7", tests.join("\n")),
    );
}

#[apply(test)]
fn only_needed_options_remain_and_the_command_can_be_pasted() {
    let sandbox = Sandbox::new();
    program(&sandbox, &["-b", "-d", "in put.txt"]);
    sandbox.file("in put.txt", "");
    let typed =
        ["options", "-j1", "--", "./program", "-a", "-b", "-c", "-d", "-e", "x", "-f", "y", "in put.txt"];
    sandbox.oracle(
        "program",
        "for word; do case $word in -b|-d|*/'in put.txt') n=$((n+1));; esac; done; test \"$n\" = 3 && exit 7",
    );
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    let [program, input] = ["program", "in put.txt"].map(|name| sandbox.path(name).display().to_string());
    assert_eq!(run.stdout, format!("{program} -b -d '{input}'\n"), "{run:?}");
    assert!(run.stderr.contains("reduced    9 → 3 options"), "{run:?}");
    assert!(run.stderr.contains("1-minimal: each option is needed"), "{run:?}");
    let resumed = sandbox.nubbin(&["--resume"]);
    assert_eq!((resumed.code(), &resumed.stdout), (0, &run.stdout), "{resumed:?}");
    let again = sandbox.run("sh", &["-c", &run.stdout]);
    assert_eq!(again.code(), 7, "{again:?}");
}

#[apply(test)]
fn environment_variables_can_also_matter() {
    let sandbox = Sandbox::new();
    sandbox.oracle("program", "test \"$MODE\" = fast && test \"$1\" = -x && exit 7; exit 0");
    let line = format!("MODE=fast '{}' options --env -- ./program -x -y", env!("CARGO_BIN_EXE_nubbin"));
    let run = sandbox.run(
        "env",
        &["-i", "PATH=/usr/bin:/bin", "OTHER=1", "sh", "-c", &format!("NUBBIN_WRITABLE=. {line}")],
    );
    assert_eq!(run.code(), 0, "{run:?}");
    let program = sandbox.path("program").display().to_string();
    assert_eq!(run.stdout, format!("env -i MODE=fast {program} -x\n"), "{run:?}");
}

#[apply(test)]
fn what_prevents_the_failure_is_found() {
    let sandbox = Sandbox::new();
    program(&sandbox, &["file"]);
    let run = sandbox.nubbin(&["options", "--invert", "--", "./program", "-a", "--safe", "-b", "file", "-c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(run.stdout, "--safe\n", "{run:?}");
}

#[apply(test)]
fn invalid_usage_is_reported() {
    let sandbox = Sandbox::new();
    program(&sandbox, &[]);
    for (typed, code, message) in [
        (&["options"][..], 2, ""),
        (&["options", "--", "./program"], 2, "no options to reduce"),
        (&["options", "bug.c", "--", "./program", "-a"], 2, "unexpected `bug.c` before `--`"),
        (&["options", "-o", "x", "--", "./program", "-a"], 2, "`nubbin options` has no option `--output`"),
        (&["--invert", "./program", "bug.c"], 2, "is an option of `nubbin options"),
        (&["options", "--", "./program", "-a"], 4, "fails in this way even without options"),
        (&["options", "--", "./program", "--safe"], 3, "succeeds"),
        (&["options", "--invert", "--", "./program", "-a"], 4, "so no option prevents the failure"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == code && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
}

#[apply(test)]
fn the_options_that_a_crash_of_gcc_needs_are_found() {
    // gcc 12 crashes if a thread-local variable is accessed with indirect calls (`in extract_insn`).
    let needed = ["-fPIC", "-mforce-indirect-call"];
    let sandbox = Sandbox::new();
    let source = sandbox.file("tls.c", "_Thread_local int depth;\nint enter(void) { return ++depth; }\n");
    let crash = "internal compiler error: in extract_insn";
    let gcc =
        std::process::Command::new("gcc").args(needed).args(["-S", "-o", "/dev/null"]).arg(&source).output();
    if !gcc.is_ok_and(|run| String::from_utf8_lossy(&run.stderr).contains(crash)) {
        ignore(format!("needs gcc, in a version that crashes with {}", needed.join(" ")));
    }
    let others = ["-O2", "-g", "-Wall", "-fPIC", "-funroll-loops", "-fno-plt", "-fno-strict-aliasing"];
    let others = others.into_iter().chain([
        "-mforce-indirect-call",
        "-ftree-vectorize",
        "-S",
        "-o",
        "/dev/null",
        "tls.c",
    ]);
    let typed: Vec<&str> =
        ["options", "-j1", "--stderr", crash, "--", "gcc"].into_iter().chain(others).collect();
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(run.stdout, format!("gcc -fPIC -mforce-indirect-call {}\n", source.display()), "{run:?}");
    assert!(run.stderr.contains("reduced    12 → 3 options"), "{run:?}");
}

#[apply(test)]
fn a_missing_program_is_not_a_failure_to_keep() {
    let sandbox = Sandbox::new();
    for program in ["nosuch-program", "./nosuch"] {
        let run = sandbox.run(env!("CARGO_BIN_EXE_nubbin"), &["options", "--", program, "-a"]);
        assert_eq!(run.code(), 5, "{run:?}");
        assert!(run.stderr.contains("was not found"), "{run:?}");
    }
}

/// Creates a program that reads `limit.txt` in the current directory, and fails with status 7 if the file
/// contains `3` and the arguments contain this one.
fn configured(sandbox: &Sandbox, needed: &str) {
    sandbox.file("limit.txt", "3\n");
    let body = format!(
        "read -r limit <limit.txt || exit 9; test $limit = 3 || exit 9; case \" $* \" in *' {needed} '*) exit 7;; esac"
    );
    sandbox.oracle("program", &body);
}

#[apply(test)]
fn a_file_opened_by_a_relative_path_is_found() {
    let sandbox = Sandbox::new();
    configured(&sandbox, "-b");
    let run = sandbox.nubbin(&["options", "--", "./program", "-a", "-b", "-c"]);
    let program = sandbox.path("program").display().to_string();
    assert_eq!((run.code(), run.stdout), (0, format!("{program} -b\n")), "{}", run.stderr);
    assert!(run.stderr.contains("`limit.txt` is seen by the command but not reduced"), "{}", run.stderr);
    // Also in a subdirectory.
    std::fs::create_dir(sandbox.path("data")).expect("made");
    sandbox.file("data/names.txt", "x\n");
    sandbox
        .oracle("reader.sh", "grep -q x data/names.txt || exit 9; case \" $* \" in *' -b '*) exit 7;; esac");
    let run = sandbox.nubbin(&["options", "--", "./reader.sh", "-a", "-b", "-c"]);
    assert!(run.code() == 0 && run.stdout.ends_with("reader.sh -b\n"), "{run:?}");
    // Changes by the first run are undone.
    sandbox.oracle(
        "writer.sh",
        "echo more >>limit.txt; grep -q 3 limit.txt || exit 9; case \" $* \" in *' -b '*) exit 7;; esac",
    );
    let run = sandbox.nubbin_confined(&["options", "--", "./writer.sh", "-a", "-b"]);
    assert_eq!(sandbox.read("limit.txt"), "3\n", "{run:?}");
}

#[apply(test)]
fn needed_files_are_visible_as_in_a_reduction_of_a_file() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("here")).expect("made");
    configured(&sandbox, "-b");
    // No run opens it in the original directory, because it does not exist there.
    let run = |words: &str| {
        let program = env!("CARGO_BIN_EXE_nubbin");
        let line =
            format!("cd here && '{program}' options --writable .. --exit-code 7 {words} -- ../program -a -b");
        sandbox.run("sh", &["-c", &line])
    };
    let found = run("--needs ../limit.txt");
    assert!(found.code() == 0 && found.stdout.ends_with("program -b\n"), "{found:?}");
    let found = run("");
    assert_eq!(found.code(), 3, "without it nothing fails: {found:?}");
    let run = sandbox.nubbin(&["options", "--needs", "gone.txt", "--", "./program", "-b"]);
    assert_eq!(run.code(), 2, "{run:?}");
}

#[apply(test)]
fn an_option_can_be_held_fixed() {
    let sandbox = Sandbox::new();
    program(&sandbox, &["-b"]);
    let command = ["--", "./program", "-a", "-b", "--safe", "-c"];
    let run = sandbox.nubbin(&[&["options", "--invert"][..], &command].concat());
    assert_eq!(run.code(), 3, "without `-b` nothing fails: {run:?}");
    let run = sandbox.nubbin(&[&["options", "--invert", "--fixed=-b"][..], &command].concat());
    assert_eq!((run.code(), run.stdout.as_str()), (0, "--safe\n"), "{}", run.stderr);
    // Also in the place of options.
    let line = ["options", "--fixed", "-a", "--fixed=x", "--", "./program", "-a", "-b", "x", "-c"];
    let run = sandbox.nubbin(&line);
    assert!(run.code() == 0 && run.stdout.ends_with("program -a -b x\n"), "{run:?}");
    let run = sandbox.nubbin(&["options", "--fixed=-z", "--", "./program", "-b"]);
    assert!(
        run.code() == 2 && run.stderr.contains("`--fixed -z`: the command has no such argument"),
        "{run:?}"
    );
}
