//! A directory from an untrusted source: settings of tools, links in place of outputs, file names with
//! terminal control sequences. Nothing in it makes a program run outside of the sandbox, or changes a file
//! outside.
//!
//! Each attack is shown to work without protection.

use crate::harness::ignore;
use crate::hostile::{Outside, as_nobody_cares, control};
use crate::sandbox::{Finished, INPUT, Sandbox, with_needle};
use crate::tools;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Runs the program with the installed formatters and preprocessors.
fn nubbin(sandbox: &Sandbox, words: &[&str]) -> Finished {
    let plain = ["-u", "NUBBIN_FORMATTER", "-u", "NUBBIN_PREPROCESSOR", env!("CARGO_BIN_EXE_nubbin")];
    sandbox.run("env", &[&plain, words].concat())
}

/// Creates an executable script that writes to a file outside before it does its work.
fn evil(sandbox: &Sandbox, name: &str, outside: &Outside, work: &str) {
    let path = sandbox.path(name);
    fs::create_dir_all(path.parent().expect("it is in a directory")).expect("made");
    let file = outside.path("mine/bug.txt");
    sandbox.file(name, format!("#!/bin/sh\necho x >'{}'\n{work}\n", file.display()));
    fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
}

/// Creates a sandbox in which the oracle searches for `boom` in C code that needs preprocessing.
fn with_code() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "#define A 1\n#if A\nint a;\nint f(void) { boom; return 1; }\n#endif\n");
    sandbox.file("oracle.sh", "#!/bin/sh\ngrep -q boom \"$1\"\n");
    fs::set_permissions(sandbox.path("oracle.sh"), Permissions::from_mode(0o755)).expect("set");
    sandbox
}

#[apply(test)]
fn every_program_that_sees_the_input_runs_in_the_sandbox() {
    for (name, work, words) in [
        ("format.sh", "cat", &["--formatter", "./format.sh", "./oracle.sh", "bug.c"][..]),
        ("cpp.sh", "cat", &["--preprocessor", "./cpp.sh", "./oracle.sh", "bug.c"]),
        ("also.sh", "exit 0", &["--also", "./also.sh", "./oracle.sh", "bug.c"]),
        ("size.sh", "wc -c <\"$1\"", &["--metric", "./size.sh", "./oracle.sh", "bug.c"]),
        ("propose.sh", "exit 0", &["--propose", "./propose.sh", "./oracle.sh", "bug.c"]),
        ("other.sh", "exit 1", &["--differs-from", "./other.sh {}", "bug.c", "--", "./oracle.sh", "{}"]),
        ("oracle.sh", "grep -q boom \"$1\"", &["./oracle.sh", "bug.c"]),
    ] {
        for is_off in [false, true] {
            let (sandbox, outside) = (with_code(), Outside::new());
            evil(&sandbox, name, &outside, work);
            let before = outside.state();
            let off = if is_off { &["--sandbox", "off"][..] } else { &[] };
            let run = nubbin(&sandbox, &[off, words].concat());
            assert_eq!(outside.state() == before, !is_off, "{name}: {run:?}");
            // This one's verdict depends on whether it was prevented from writing.
            let is_refused = name == "other.sh" && !is_off;
            assert_eq!(run.code(), if is_refused { 5 } else { 0 }, "{name}: {run:?}");
        }
    }
}

#[apply(test)]
fn a_version_query_runs_in_the_sandbox() {
    for is_off in [false, true] {
        let (sandbox, outside) = (with_needle(), Outside::new());
        let file = outside.path("mine/bug.txt");
        let body = format!("[ \"$1\" = --version ] && echo x >'{}'\n! grep -q needle \"$1\"", file.display());
        sandbox.oracle("tool", &body);
        let before = outside.state();
        let off = if is_off { &["--sandbox", "off"][..] } else { &[] };
        let words = ["--bug-report", "report.md", "bug.txt", "--", "./tool", "{}"];
        let writable = ["--writable", sandbox.path("").to_str().expect("text")].map(str::to_owned);
        let words: Vec<&str> =
            off.iter().copied().chain(writable.iter().map(|w| &**w)).chain(words).collect();
        let run = nubbin(&sandbox, &words);
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(outside.state() == before, !is_off, "{run:?}");
    }
}

#[apply(test)]
fn git_runs_no_program_of_a_repository_outside_of_the_sandbox() {
    tools::program("git");
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    evil(&sandbox, "monitor.sh", &outside, "exit 1");
    sandbox.file("a.txt", "one\n");
    let setup = "git init -q . && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm one && \
                 git config core.fsmonitor \"$PWD/monitor.sh\" && echo needle >>a.txt";
    assert_eq!(sandbox.run("sh", &["-c", setup]).code(), 0);
    let before = outside.state();
    let run = nubbin(
        &sandbox,
        &["changes", "--good", "HEAD", "--bad", ".", "--", "sh", "-c", "! grep -q needle a.txt"],
    );
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.run("git", &["status", "--porcelain"]).code(), 0);
    assert_ne!(outside.state(), before, "git by itself runs it");
}

#[apply(test)]
fn a_formatter_does_not_see_files_next_to_the_input() {
    tools::program("prettier");
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    let file = outside.path("mine/bug.txt");
    let script =
        format!("import fs from 'fs'; fs.writeFileSync('{}', 'x'); export default {{}};", file.display());
    sandbox.file("prettier.config.mjs", script);
    sandbox.file("page.css", "a { color: red }\n.keep { margin: 0; color: blue }\n");
    let before = outside.state();
    let run = nubbin(&sandbox, &["grep -q 'keep.*margin: 0'", "page.css"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    let shell = "prettier --parser css <page.css";
    assert_eq!(sandbox.run("sh", &["-c", shell]).code(), 0);
    assert_ne!(outside.state(), before, "prettier by itself runs it");
}

#[apply(test)]
fn a_toolchain_of_the_directory_formats_nothing() {
    tools::program("rustfmt");
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    for program in ["rustfmt", "rustc", "cargo"] {
        evil(&sandbox, &format!("evil/bin/{program}"), &outside, "cat");
    }
    let path = sandbox.path("evil");
    sandbox.file("rust-toolchain.toml", format!("[toolchain]\npath = '{}'\n", path.display()));
    sandbox.file("bug.rs", "fn other() {}\nfn keep() { let a = 1; }\n");
    let before = outside.state();
    let run = nubbin(&sandbox, &["grep -q 'keep.*let'", "bug.rs"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    sandbox.run("sh", &["-c", "rustfmt --edition 2024 <bug.rs"]);
    if outside.state() == before {
        ignore("needs rustfmt by rustup, which reads rust-toolchain.toml");
    }
}

#[apply(test)]
fn python_code_of_the_directory_formats_nothing() {
    tools::program("black");
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    let file = outside.path("mine/bug.txt");
    sandbox.file("sitecustomize.py", format!("open({:?}, 'w').write('x')\n", file.to_str().expect("text")));
    sandbox.file("pyproject.toml", "[tool.black]\nrequired-version = \"0.1\"\n");
    sandbox.file("bug.py", "import os\ndef keep( ):\n    return  [ 1,2 ]\n");
    let before = outside.state();
    let path = format!("PYTHONPATH=. '{}' \"$@\"", env!("CARGO_BIN_EXE_nubbin"));
    let script = format!("unset NUBBIN_FORMATTER; {path}");
    let run = sandbox.run("sh", &["-c", &script, "sh", "grep -q 'return .*1'", "bug.py", "--verbose"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stderr.contains("formatter `black` is not used"), "{run:?}");
    assert_ne!(
        sandbox.run("sh", &["-c", "black -q - <bug.py"]).code(),
        0,
        "black by itself reads pyproject.toml"
    );
    sandbox.run("sh", &["-c", "PYTHONPATH=. black -q - <bug.py"]);
    assert_ne!(outside.state(), before, "Python by itself runs it");
}

#[apply(test)]
fn a_style_file_of_the_directory_does_not_affect_the_result() {
    tools::program("clang-format");
    let sandbox = Sandbox::new();
    sandbox.file(".clang-format", "no such style\n");
    sandbox.file("bug.c", "int other;\nint keep(void) { return   1; }\n");
    let run = nubbin(&sandbox, &["grep -q 'keep.*return'", "bug.c", "--verbose"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stderr.contains("is not used"), "{run:?}");
    assert_ne!(
        sandbox.run("sh", &["-c", "clang-format <bug.c"]).code(),
        0,
        "clang-format by itself reads it"
    );
}

#[apply(test)]
fn a_debugger_runs_no_commands_of_the_directory() {
    tools::program("gdb");
    tools::program("gcc");
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    let command = format!("shell echo x >'{}'\n", outside.path("mine/bug.txt").display());
    sandbox.file(".gdbinit", &command);
    sandbox.file("a.c", "#include <stdlib.h>\nint main(int n, char **v) {\n  int x = atoi(v[1]);\n  if (x == 7) abort();\n  return 0;\n}\n");
    assert_eq!(sandbox.run("gcc", &["-g", "-O0", "-o", "a.out", "a.c"]).code(), 0);
    // The file that gdb loads with a program of this name.
    sandbox.file("a.out-gdb.gdb", &command);
    let before = outside.state();
    let run = nubbin(&sandbox, &["causes", "--passing", "1", "--failing", "7", "--", "./a.out", "{}"]);
    assert_eq!(outside.state(), before, "{run:?}");
    let trusting = ["-q", "-batch", "-iex", "set auto-load safe-path /", "./a.out"];
    sandbox.run("gdb", &trusting);
    assert_ne!(outside.state(), before, "gdb by itself runs them");
}

#[apply(test)]
fn a_plugin_of_the_directory_formats_nothing() {
    tools::program("prettier");
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    fs::create_dir_all(sandbox.path("node_modules/prettier-plugin-evil")).expect("made");
    let script = format!("require('fs').writeFileSync('{}', 'x');\n", outside.path("mine/bug.txt").display());
    sandbox.file("node_modules/prettier-plugin-evil/index.js", script);
    sandbox.file(".prettierrc", "plugins: [prettier-plugin-evil]\n");
    sandbox.file("page.css", "a { color: red }\n.keep { margin: 0; color: blue }\n");
    let before = outside.state();
    let run = nubbin(&sandbox, &["grep -q 'keep.*margin: 0'", "page.css"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    let by_itself = sandbox.run("sh", &["-c", "prettier page.css"]);
    assert_ne!(outside.state(), before, "prettier by itself runs it: {by_itself:?}");
}

#[apply(test)]
fn a_linter_that_runs_code_of_the_directory_is_sandboxed() {
    tools::program("eslint");
    for is_off in [false, true] {
        let (sandbox, outside) = (Sandbox::new(), Outside::new());
        fs::create_dir_all(sandbox.path("node_modules/eslint-plugin-evil")).expect("made");
        let script = format!(
            "try {{ require('fs').writeFileSync('{}', 'x'); }} catch {{}}\nmodule.exports = {{}};\n",
            outside.path("mine/bug.txt").display()
        );
        sandbox.file("node_modules/eslint-plugin-evil/index.js", script);
        let config = "const evil = require('eslint-plugin-evil');\n\
                      module.exports = [{ plugins: { evil }, rules: { 'no-debugger': 'error' } }];\n";
        sandbox.file("eslint.config.cjs", config);
        sandbox.file("page.js", "let other = 1;\nfunction keep() { debugger; }\n");
        let before = outside.state();
        let off = if is_off { &["--sandbox", "off"][..] } else { &[] };
        let words = ["page.js", "--max-candidates", "1", "--", "eslint", "{}"];
        let run = nubbin(&sandbox, &[off, &words].concat());
        assert_eq!(outside.state() == before, !is_off, "{run:?}");
        assert!(run.stderr.contains("no-debugger"), "it has run: {run:?}");
    }
}

#[apply(test)]
fn a_project_whose_settings_run_programs_is_built_in_the_sandbox() {
    tools::program("cargo");
    for is_off in [false, true] {
        let (sandbox, outside) = (Sandbox::new(), Outside::new());
        evil(&sandbox, "wrapper.sh", &outside, "exec \"$@\"");
        for folder in ["crate/src", "crate/.cargo"] {
            fs::create_dir_all(sandbox.path(folder)).expect("made");
        }
        sandbox
            .file("crate/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        sandbox.file("crate/src/lib.rs", "pub fn f() -> u8 {\n    missing\n}\n");
        let wrapper = sandbox.path("wrapper.sh");
        sandbox
            .file("crate/.cargo/config.toml", format!("[build]\nrustc-wrapper = '{}'\n", wrapper.display()));
        let before = outside.state();
        let off = if is_off { &["--sandbox", "off"][..] } else { &[] };
        let words = ["crate", "--max-candidates", "1", "--", "sh", "-c", "cd {} && cargo check --offline"];
        let run = nubbin(&sandbox, &[off, &words].concat());
        assert_eq!(outside.state() == before, !is_off, "{run:?}");
    }
}

#[apply(test)]
fn a_link_in_place_of_a_result_is_replaced() {
    for (link, words) in [
        ("bug.reduced.txt", &["./oracle.sh", "bug.txt"][..]),
        ("other.txt", &["-o", "other.txt", "./oracle.sh", "bug.txt"]),
        ("report.html", &["--report", "report.html", "./oracle.sh", "bug.txt"]),
        ("report.md", &["--bug-report", "report.md", "./oracle.sh", "bug.txt"]),
    ] {
        let (sandbox, outside) = (with_needle(), Outside::new());
        let file = outside.path("mine/bug.txt");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("set");
        symlink(&file, sandbox.path(link)).expect("linked");
        let before = outside.state();
        let run = sandbox.nubbin(words);
        assert_eq!(outside.state(), before, "{link}: {run:?}");
        let is_replaced = !fs::symlink_metadata(sandbox.path(link)).expect("it is there").is_symlink();
        assert!(is_replaced && run.code() == 0 || run.code() == 8, "{link}: {run:?}");
        fs::remove_file(sandbox.path(link)).expect("removed");
        symlink(&file, sandbox.path(link)).expect("linked");
        fs::write(sandbox.path(link), "x").expect("written");
        assert_ne!(outside.state(), before, "a link is followed by others");
    }
}

#[apply(test)]
fn a_pipe_or_a_device_in_place_of_a_file_is_neither_read_nor_written() {
    let make = |sandbox: &Sandbox, name: &str| assert_eq!(sandbox.run("mkfifo", &[name]).code(), 0);
    for is_pipe in [true, false] {
        let sandbox = with_needle();
        if is_pipe {
            make(&sandbox, "nubbin.toml");
        } else {
            symlink("/dev/zero", sandbox.path("nubbin.toml")).expect("linked");
        }
        let run = sandbox.run(env!("CARGO_BIN_EXE_nubbin"), &["grep -q needle", "bug.txt"]);
        assert_eq!(run.code(), 2, "{run:?}");
        assert!(run.stderr.contains("`nubbin.toml` cannot be read: not a regular file"), "{run:?}");
    }
    let sandbox = with_needle();
    make(&sandbox, "bug.reduced.txt");
    let run = sandbox.nubbin(&["grep -q needle", "bug.txt"]);
    assert_eq!(run.code(), 8, "{run:?}");
    assert!(run.stderr.contains("cannot write `bug.reduced.txt`: not a regular file"), "{run:?}");
}

#[apply(test)]
fn an_input_that_is_a_link_is_replaced_and_its_target_is_unchanged() {
    let (sandbox, outside) = (with_needle(), Outside::new());
    let file = outside.path("mine/bug.txt");
    fs::write(&file, INPUT).expect("written");
    symlink(&file, sandbox.path("link.txt")).expect("linked");
    let before = outside.state();
    let run = sandbox.nubbin(&["--in-place", "./oracle.sh", "link.txt"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!((run.code(), &*sandbox.read("link.txt")), (0, "needle"), "{run:?}");
    assert_eq!(sandbox.read("link.txt.orig"), INPUT);
}

#[apply(test)]
fn a_directory_is_not_written_through_a_link() {
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    fs::create_dir(sandbox.path("in")).expect("made");
    sandbox.file("in/a.txt", "needle\n");
    sandbox.file("in/b.txt", "other\n");
    symlink(outside.path("mine"), sandbox.path("in.reduced")).expect("linked");
    let before = outside.state();
    let run = sandbox.nubbin(&["grep -rq needle", "in"]);
    assert_eq!(outside.state(), before, "{run:?}");
    if run.code() == 0 {
        assert_eq!(sandbox.read("in.reduced/a.txt").trim_end(), "needle");
    }
}

#[apply(test)]
fn a_journal_is_not_written_through_a_link() {
    let (sandbox, outside) = (with_needle(), Outside::new());
    symlink(outside.path("mine"), sandbox.path(".nubbin")).expect("linked");
    let before = outside.state();
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains(".nubbin` is a symbolic link"), "{run:?}");

    fs::remove_file(sandbox.path(".nubbin")).expect("removed");
    sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    let folders = fs::read_dir(sandbox.path(".nubbin")).expect("a journal").flatten();
    let folder = folders.map(|entry| entry.path()).find(|path| path.is_dir()).expect("a folder");
    let names: Vec<_> =
        fs::read_dir(&folder).expect("it is there").flatten().map(|entry| entry.path()).collect();
    assert!(names.len() > 1, "{names:?}");
    for name in &names {
        let _ = fs::remove_dir_all(name).or_else(|_| fs::remove_file(name));
        symlink(outside.path("mine/bug.txt"), name).expect("linked");
    }
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!(outside.state(), before, "{run:?}");
    assert_eq!(run.code(), 0, "{run:?}");
    fs::write(folder.join("any"), "x").expect("written");
    for name in fs::read_dir(&folder).expect("it is there").flatten() {
        assert!(!name.file_type().expect("a type").is_symlink(), "{name:?}");
    }
}

#[apply(test)]
fn file_names_do_not_control_the_terminal() {
    let evil = "evil\x1b]0;X\x07\u{202e}.txt";
    let sandbox = with_needle();
    sandbox.file(evil, INPUT);
    fs::create_dir(sandbox.path("in")).expect("made");
    sandbox.file(format!("in/{evil}"), "needle\n");
    sandbox.file("in/b.txt", "other\n");
    sandbox.file("in/deep.txt", "\x1b[31mneedle\n");
    let gone = format!("gone-{evil}");
    for words in [
        &["./oracle.sh", evil][..],
        &["--verbose", "./oracle.sh", evil],
        &["grep -rq needle", "in"],
        &["./oracle.sh", &gone],
        &["-o", &gone, "grep -q nothing", evil],
        &["--in-place", "./oracle.sh", evil],
        &["check", "./oracle.sh", evil],
        &["history", evil],
    ] {
        let run = sandbox.nubbin(words);
        for text in [&run.stdout, &run.stderr] {
            let is_order = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
            // Without a terminal, the requested data are printed unchanged.
            let is_shown = words[0] != "history" && words[0] != "check" || text == &run.stderr;
            assert!(!is_shown || !text.contains(is_order), "{words:?}: {text:?}");
        }
    }
    let run = sandbox.nubbin(&["./oracle.sh", &gone]);
    assert!(run.stderr.contains("evil\\u{1b}]0;X\\u{7}\\u{202e}.txt"), "{run:?}");
}

/// The settings that a file in the directory cannot make without trust.
const UNTRUSTED: [&str; 20] = [
    "sandbox = [\"off\"]",
    "formatter = \"sh -c 'cat'\"",
    "preprocessor = \"sh -c 'cat'\"",
    "also = [\"true\"]",
    "metric = \"true\"",
    "propose = [\"true\"]",
    "writable = [\"/\"]",
    "needs = [\"/etc\"]",
    "here = true",
    "in-place = true",
    "output = \"x\"",
    "report = \"x\"",
    "bug-report = \"x\"",
    "json-log = \"x\"",
    "language = \"x/\"",
    "work-dir = \"/\"",
    "limit = [\"memory=none\"]",
    "limit = [\"output=none\"]",
    "limit = [\"processes=1000000\"]",
    "remote = \"grpc://localhost:1\"",
];

#[apply(test)]
fn dangerous_settings_of_a_directory_need_trust() {
    let sandbox = with_needle();
    for line in UNTRUSTED {
        let key = line.split(' ').next().expect("a key");
        sandbox.file("nubbin.toml", format!("{line}\njobs = 1\n"));
        let run = sandbox.nubbin_confined(&["grep -q needle", "bug.txt"]);
        assert_eq!(run.code(), 2, "{line}: {run:?}");
        assert!(run.stderr.contains(&format!("`nubbin.toml` sets `{key}` and is not trusted")), "{run:?}");
        assert!(run.stderr.contains("`nubbin trust`") && run.stderr.contains("`--no-config`"), "{run:?}");
        assert!(!sandbox.has("bug.reduced.txt") && sandbox.read("bug.txt") == INPUT, "{line}");
    }
}

#[apply(test)]
fn trust_applies_to_one_version_of_one_file() {
    let sandbox = with_needle();
    sandbox.file("nubbin.toml", "sandbox = [\"off\"]\n");
    let code = |sandbox: &Sandbox| sandbox.nubbin(&["./oracle.sh", "bug.txt"]).code();
    assert_eq!(code(&sandbox), 2);
    let run = sandbox.nubbin(&["trust"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(
        run.stdout.contains("`nubbin.toml` is trusted until it changes; it sets\n  --sandbox=off\n"),
        "{run:?}"
    );
    assert_eq!(code(&sandbox), 0);
    sandbox.file("nubbin.toml", "sandbox = [\"off\"]\njobs = 1\n");
    assert_eq!(code(&sandbox), 2);
    assert_eq!(sandbox.nubbin(&["trust", "nubbin.toml"]).code(), 0);
    assert_eq!(code(&sandbox), 0);
    assert_eq!(sandbox.nubbin(&["trust", "--revoke"]).code(), 0);
    assert_eq!(code(&sandbox), 2);
    assert_eq!(sandbox.nubbin(&["--no-config", "./oracle.sh", "bug.txt"]).code(), 0);
    sandbox.file("nubbin.toml", "jobs = 1\nskip = [\"rename\"]\nsandbox = [\"no-network\"]\n");
    assert_eq!(code(&sandbox), 0, "harmless settings need no trust");
    sandbox.file("nubbin.toml", "sandbox = 3\n");
    assert_eq!(sandbox.nubbin(&["trust"]).code(), 2, "an invalid file is not trusted");
    assert_eq!(sandbox.nubbin(&["trust", "gone.toml"]).code(), 2);
}

#[apply(test)]
fn a_crowd_of_threads_is_stopped_by_the_default_limit() {
    let outside = Outside::new();
    let body = "python3 - <<'P'\nimport os, threading\nthreading.stack_size(65536)\nevent = threading.Event()\n\
                def start(count):\n    try:\n        for _ in range(count): threading.Thread(target=event.wait, daemon=True).start()\n\
                \x20   except RuntimeError: os._exit(1)\nstart(5000)\nopen(os.environ[\"DONE\"] + \"/crowd\", \"w\")\nos._exit(0)\nP\n";
    let Some(done) = control(body, &outside, &[]) else { ignore("needs root, and namespaces") };
    assert!(done.contains("marks: ") && done.contains("/crowd"), "{done}");
    let (sandbox, run) = as_nobody_cares(body, &outside);
    assert!(!outside.path("done/crowd").exists(), "{run:?}");
    assert!(run.code() == 0 || run.stderr.contains("process limit"), "{run:?}");
    drop(sandbox);
    outside.assert_alone("a crowd");
}

#[apply(test)]
fn only_appended_data_reach_a_log() {
    let tamper = "python3 - <<'P'\nimport ctypes, os\nlog = os.environ[\"LOG\"]\n\
        number = os.open(log, os.O_RDWR)\nos.pwrite(number, b\"x\" * 4, 0)\n\
        ctypes.CDLL(None).fallocate(number, 8, ctypes.c_long(0), ctypes.c_long(4096))\n\
        os.ftruncate(number, 1)\nos.fchmod(number, 0o777)\nos.utime(log, (0, 0))\nos.chown(log, 1, 1)\nP\n";
    let outside = Outside::new();
    let log = outside.path("mine/log");
    let begin = format!("{}\n", "first ".repeat(2000));
    fs::write(&log, &begin).expect("written");
    fs::set_permissions(&log, Permissions::from_mode(0o640)).expect("set");
    let path = log.to_str().expect("text");
    let Some(done) = control(tamper, &outside, &["LOG", path]) else { ignore("needs root, and namespaces") };
    assert!(done.contains("outside: ") && done.contains("/log"), "{done}");
    let sandbox = Sandbox::new();
    sandbox.needs_confinement();
    sandbox.file("bug.txt", "one\nN\n");
    let script = format!("#!/bin/sh\necho run >>'{path}'\nexport LOG='{path}'\n{tamper}grep -q N \"$1\"\n");
    sandbox.file("oracle.sh", script);
    fs::set_permissions(sandbox.path("oracle.sh"), Permissions::from_mode(0o755)).expect("set");
    let run = sandbox.nubbin_confined(&["-j", "2", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let found = fs::read_to_string(&log).expect("it is there");
    // Data that a probe appends and then overwrites are its own; the existing contents stay.
    assert!(found.starts_with(&begin), "{}", &found[..found.len().min(80)]);
    assert!(found[begin.len()..].lines().all(|line| line == "run"), "{}", &found[begin.len()..]);
    let state = fs::metadata(&log).expect("it is there");
    assert_eq!(state.permissions().mode() & 0o777, 0o640);
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&state), rustix::process::geteuid().as_raw());
}

#[apply(test)]
fn a_log_contains_a_line_for_each_run_and_a_script_can_read_it() {
    let (sandbox, outside) = (Sandbox::new(), Outside::new());
    sandbox.needs_confinement();
    let log = outside.path("mine/log");
    fs::write(&log, "first\n").expect("written");
    sandbox.file("bug.txt", "one\nN\ntwo\n");
    let path = log.display();
    sandbox.file(
        "oracle.sh",
        format!("#!/bin/sh\necho run >>'{path}'\ngrep -q first '{path}' && grep -q N \"$1\"\n"),
    );
    fs::set_permissions(sandbox.path("oracle.sh"), Permissions::from_mode(0o755)).expect("set");
    let run = sandbox.nubbin_confined(&["-j", "2", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let text = fs::read_to_string(Path::new(&log)).expect("it is there");
    assert!(text.lines().count() > 5 && text.lines().skip(1).all(|line| line == "run"), "{text}");
}
