//! Typical user commands with real tools that need more than the input: headers, a package, a project.

use crate::diagnostic::{needs_shown, shows};
use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox};
use crate::tools;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// The crash of GCC with `-mforce-indirect-call`.
const CRASH: &str = "in extract_insn";
const SOURCE: &str = "#include \"x.h\"\nint other(int a) { return a * 2; }\n_Thread_local NUMBER depth;\nint enter(int by) { depth += other(by); return depth; }\n";

fn assert_keeps_the_crash(folder: &str, options: &[&str]) {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path(folder)).expect("a directory");
    sandbox.file(format!("{folder}/x.h"), "typedef int NUMBER;\n");
    sandbox.file("bug2.c", SOURCE);
    let fixed = ["gcc", "-O2", "-w", "-fPIC", "-mforce-indirect-call", "-S", "-o", "/dev/null"];
    let command = [&fixed[..], options, &["{}"]].concat();
    needs_shown(&sandbox, &command, "bug2.c", CRASH);
    let run = sandbox.nubbin(&[&["--timeout", "300", "bug2.c", "--"][..], &command].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("reports `gcc ICE: in extract_insn"), "{run:?}");
    assert!(shows(&sandbox, &command, "bug2.reduced.c", CRASH), "{run:?}");
}

#[apply(test)]
fn a_header_next_to_the_input_is_found() {
    assert_keeps_the_crash(".", &[]);
}

#[apply(test)]
fn a_header_in_a_directory_of_includes_is_found() {
    assert_keeps_the_crash("inc", &["-I", "inc"]);
}

#[apply(test)]
fn an_input_in_another_directory_fails_there_as_in_a_probe() {
    tools::program("python3");
    let sandbox = Sandbox::new();
    for folder in ["here", "there"] {
        fs::create_dir(sandbox.path(folder)).expect("a directory");
    }
    let file = sandbox.file("there/bug.py", "import os\ndef f(x):\n    return 1 / x\nprint(os.name)\nf(0)\n");
    for path in [file.to_str().expect("a path"), "../there/bug.py"] {
        let run = sandbox.nubbin_in("here", &format!("--no-journal {path} -- python3 {{}}"));
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("reports `ZeroDivisionError: division by zero`"), "{run:?}");
        assert_eq!(sandbox.read("there/bug.reduced.py").trim(), "1 / 0");
    }
}

/// Creates a package with a failing test.
fn package() -> Sandbox {
    tools::succeeds(&["python3", "-c", "import pytest"], "pytest");
    let sandbox = Sandbox::new();
    for folder in ["p/mypkg", "p/tests"] {
        fs::create_dir_all(sandbox.path(folder)).expect("a directory");
    }
    sandbox.file("p/mypkg/__init__.py", "from .add import add\n");
    sandbox.file("p/mypkg/add.py", "def add(a, b):\n    return a - b\n\ndef other(a):\n    return a\n");
    sandbox.file(
        "p/tests/test_add.py",
        "from mypkg import add\n\ndef test_other():\n    assert add(1, 0) == 1\n\ndef test_add():\n    assert add(2, 1) == 3, \"the sum is wrong\"\n",
    );
    sandbox
}

fn in_project(sandbox: &Sandbox, words: &str) -> Finished {
    let run = sandbox.nubbin_in("p", &format!("-o ../small --timeout 300 {words}"));
    assert_eq!(run.code(), 0, "{run:?}");
    run
}

#[apply(test)]
fn a_test_of_a_package_still_fails() {
    let sandbox = package();
    let run = in_project(&sandbox, "tests/test_add.py -- python3 -m pytest -q -p no:cacheprovider {}");
    assert!(run.stderr.contains("the sum is wrong"), "{run:?}");
    let result = sandbox.read("small");
    assert!(result.contains("the sum is wrong") && !result.contains("test_other"), "{result}");
    assert!(run.stderr.contains("`mypkg/` is seen by the command but not reduced"), "{run:?}");
}

#[apply(test)]
fn the_tests_of_a_directory_run_in_it() {
    let sandbox = package();
    let run = in_project(&sandbox, "--unit line . -- python3 -m pytest -q -p no:cacheprovider");
    assert!(run.stderr.contains("the sum is wrong"), "{run:?}");
    let result = sandbox.read("small/mypkg/add.py");
    assert!(result.contains("def add") && !result.contains("other"), "{result}");
    assert!(sandbox.read("small/tests/test_add.py").contains("the sum is wrong"), "{run:?}");
}

#[apply(test)]
fn a_program_of_the_project_is_found() {
    let sandbox = Sandbox::new();
    let modules = Command::new("npm").args(["root", "-g"]).output();
    let typescript =
        modules.ok().map(|run| format!("{}/typescript", String::from_utf8_lossy(&run.stdout).trim()));
    let Some(typescript) = typescript.filter(|path| fs::metadata(path).is_ok()) else {
        ignore("needs typescript, where `npm root -g` says");
    };
    fs::create_dir_all(sandbox.path("p/node_modules/.bin")).expect("directories");
    symlink(&typescript, sandbox.path("p/node_modules/typescript")).expect("a link");
    symlink("../typescript/bin/tsc", sandbox.path("p/node_modules/.bin/tsc")).expect("a link");
    sandbox.file("p/package.json", "{ \"name\": \"p\", \"version\": \"1.0.0\" }\n");
    sandbox.file("p/bad.ts", "const other = 1;\nconst age: number = \"old\";\n");
    let run = in_project(&sandbox, "--unit line bad.ts -- npx --offline tsc --strict --noEmit {}");
    assert!(run.stderr.contains("TS2322"), "{run:?}");
    assert_eq!(sandbox.read("small").trim(), "const age: number = \"old\";");
}
