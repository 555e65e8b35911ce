//! Several files, and directories.

use crate::harness::ignore;
use crate::sandbox::Sandbox;
use crate::tools;
use rustix::process::Signal;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

/// Creates a directory with needles in two files, unneeded files, a link, an empty directory and unusual
/// permissions.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("p/lib/deep")).expect("directories");
    fs::create_dir_all(sandbox.path("p/docs/empty")).expect("directories");
    sandbox.file(
        "p/main.c",
        "#include \"lib/a.h\"\n#include \"lib/b.h\"\nint main(void) { return boom(1, 2); }\n",
    );
    sandbox.file("p/lib/a.h", "int a;\n");
    sandbox.file("p/lib/b.h", "int b;\n");
    sandbox.file("p/lib/deep/x.py", "import os\ndef f(x):\n    return crash(x)\n");
    sandbox.file("p/docs/long.txt", "words\n".repeat(100));
    symlink("docs/long.txt", sandbox.path("p/README")).expect("a link");
    let mode = Permissions::from_mode(0o750);
    fs::set_permissions(sandbox.path("p/main.c"), mode).expect("permissions");
    sandbox
}

const WANTED: &str = "cd \"$1\" && grep -q boom main.c && grep -q crash lib/deep/x.py";

/// Lists everything in a directory by path, with type and contents.
fn listed(root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).expect("a directory").flatten() {
            let (path, found) = (entry.path(), entry.metadata().expect("it is there"));
            let content = if found.is_symlink() {
                format!("-> {}", fs::read_link(&path).expect("a link").display())
            } else if found.is_dir() {
                waiting.push(path.clone());
                "/".to_owned()
            } else {
                fs::read_to_string(&path).expect("a text")
            };
            let name = path.strip_prefix(root).expect("it is in it").display().to_string();
            lines.push(format!("{name} {:o} {content}", found.mode() & 0o777));
        }
    }
    lines.sort();
    lines
}

#[apply(test)]
fn a_directory_is_reduced_and_the_original_is_unchanged() {
    let sandbox = project();
    let before = listed(&sandbox.path("p"));
    // The candidate has its own name in the current directory, which contains nothing else.
    sandbox.oracle("oracle.sh", &format!("test \"$(ls -A)\" = p && test \"$1\" -ef p && {WANTED}"));
    let run = sandbox.nubbin(&["-j1", "./oracle.sh", "p/"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let left = ["lib 755 /", "lib/deep 755 /", "lib/deep/x.py 644 crash\n", "main.c 750 boom\n"];
    let found = listed(&sandbox.path("p.reduced"));
    assert_eq!(
        found.iter().map(|line| line.replace("775", "755").replace("664", "644")).collect::<Vec<_>>(),
        left
    );
    assert_eq!(listed(&sandbox.path("p")), before);
    assert!(run.stderr.contains("1-minimal over 4 files, "), "{run:?}");
    assert!(sandbox.has(".nubbin") && !sandbox.has("p/.nubbin"));
    let run = sandbox.nubbin(&["history", "p", "0"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(listed(&sandbox.path("p.step0")), before);
}

#[apply(test)]
fn kept_files_keep_their_type_and_permissions() {
    let sandbox = project();
    sandbox.oracle("oracle.sh", "test -L p/README && test -d p/docs/empty && test -x p/main.c");
    let run = sandbox.nubbin(&["./oracle.sh", "p"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let left = listed(&sandbox.path("p.reduced"));
    let names: Vec<&str> = left.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["README", "docs", "docs/empty", "main.c"]);
    assert!(left[0].ends_with("-> docs/long.txt") && left[3].starts_with("main.c 750 "), "{left:?}");
}

#[apply(test)]
fn a_directory_in_place_becomes_its_own_backup() {
    let sandbox = project();
    let before = listed(&sandbox.path("p"));
    sandbox.oracle("oracle.sh", WANTED);
    let run = sandbox.nubbin(&["--in-place", "./oracle.sh", "p"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(listed(&sandbox.path("p.orig")), before);
    assert_eq!(listed(&sandbox.path("p")).len(), 4);
    assert!(run.stderr.contains("the original is "), "{run:?}");
    // Files that others have changed in the meantime are not overwritten.
    let sandbox = project();
    let own = sandbox.path("p/main.c");
    sandbox.oracle("oracle.sh", &format!("echo changed >>'{}'; {WANTED}", own.display()));
    let run = sandbox.nubbin(&["--sandbox=off", "--in-place", "./oracle.sh", "p"]);
    assert_ne!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("was changed by another program"), "{run:?}");
    assert!(sandbox.read("p/main.c").contains("changed") && !sandbox.has("p.orig"));
}

#[apply(test)]
fn several_files_are_reduced_next_to_the_originals_and_none_is_removed() {
    let sandbox = Sandbox::new();
    sandbox.file("a.c", "int unused;\nint main(void) { return boom(1); }\n");
    sandbox.file("b.py", "import os\ncrash(os)\n");
    sandbox.file("c.txt", "nothing\n");
    let all =
        "test $# = 3 && test -e c.txt && test \"$2\" -ef b.py && grep -q boom a.c && grep -q crash \"$2\"";
    sandbox.oracle("oracle.sh", all);
    let run = sandbox.nubbin(&["./oracle.sh", "a.c", "b.py", "c.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let left = ["a.reduced.c", "b.reduced.py", "c.reduced.txt"].map(|name| sandbox.read(name));
    assert_eq!(left, ["boom\n", "crash\n", ""]);
    // A command names them directly.
    let run = sandbox.nubbin(&["--output", "out", "a.c", "b.py", "--", "grep", "-q", "boom", "b.py", "a.c"]);
    assert_eq!(run.code(), 3, "it succeeds: {run:?}");
    let run =
        sandbox.nubbin(&["--output", "out", "a.c", "b.py", "--", "sh", "-c", "! grep -q boom $0", "{1}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!((sandbox.read("out/a.c").trim(), sandbox.read("out/b.py").as_str()), ("boom", ""));
}

#[apply(test)]
fn each_file_that_is_changed_in_place_has_a_backup() {
    let sandbox = Sandbox::new();
    sandbox.file("a.txt", "needle\nstraw\n");
    sandbox.file("b.txt", "b");
    sandbox.oracle("oracle.sh", "grep -q needle a.txt && grep -q b b.txt");
    let run = sandbox.nubbin(&["--in-place", "./oracle.sh", "a.txt", "b.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(
        (sandbox.read("a.txt").trim(), sandbox.read("a.txt.orig").as_str()),
        ("needle", "needle\nstraw\n")
    );
    assert!(!sandbox.has("b.txt.orig"));
}

#[apply(test)]
fn a_killed_run_on_a_directory_is_resumed_with_the_same_result() {
    let whole = project();
    whole.oracle("oracle.sh", WANTED);
    assert_eq!(whole.nubbin(&["-j1", "./oracle.sh", "p"]).code(), 0);
    let expected = listed(&whole.path("p.reduced"));
    let all = whole.calls();

    let sandbox = project();
    sandbox.oracle("oracle.sh", &format!("sleep 0.02; {WANTED}"));
    let mut running = sandbox.start_nubbin(&["-j1", "./oracle.sh", "p"]);
    running.wait_until(|sandbox| sandbox.calls() > all / 2);
    running.signal(Signal::KILL);
    assert_eq!(running.wait().signal(), Some(Signal::KILL.as_raw()));
    let left = listed(&sandbox.path("p.reduced"));
    assert!(left.iter().any(|line| line.contains("crash")), "it is whole: {left:?}");
    let run = sandbox.nubbin(&["--resume"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(listed(&sandbox.path("p.reduced")), expected);
    assert!(sandbox.calls() <= all + 8, "{} runs instead of {all}", sandbox.calls());
    let hidden = fs::read_dir(sandbox.path("")).expect("a directory").flatten();
    let hidden: Vec<_> = hidden.filter(|e| e.file_name().to_string_lossy().starts_with(".p.")).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}

#[apply(test)]
fn an_interrupt_ends_all_rounds_and_keeps_the_current_best() {
    let sandbox = project();
    sandbox.oracle("oracle.sh", &format!("sleep 0.02; {WANTED}"));
    let mut running = sandbox.start_nubbin(&["-j1", "./oracle.sh", "p"]);
    running.wait_until(|sandbox| sandbox.calls() > 12);
    running.signal(Signal::INT);
    let run = running.wait();
    assert_eq!(run.signal(), Some(Signal::INT.as_raw()), "{run:?}");
    assert!(run.stderr.contains("nothing: interrupted"), "{run:?}");
    let left = listed(&sandbox.path("p.reduced"));
    assert!(left.len() < listed(&sandbox.path("p")).len(), "{left:?}");
    assert!(left.iter().any(|line| line.contains("boom")) && left.iter().any(|line| line.contains("crash")));
}

#[apply(test)]
fn a_directory_that_nubbin_has_not_written_is_not_replaced() {
    let sandbox = project();
    sandbox.oracle("oracle.sh", WANTED);
    fs::create_dir(sandbox.path("p.reduced")).expect("a directory");
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "p"]).code(), 0, "an empty one is");
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "p"]).code(), 0, "so is a result");
    sandbox.file("p.reduced/mine.txt", "precious\n");
    let run = sandbox.nubbin(&["./oracle.sh", "p"]);
    assert_eq!(run.code(), 8, "{run:?}");
    assert!(run.stderr.contains("`p.reduced` already exists and was not written by nubbin"), "{run:?}");
    assert_eq!(sandbox.read("p.reduced/mine.txt"), "precious\n");
}

#[apply(test)]
fn invalid_usage_is_reported_before_anything_runs() {
    let sandbox = project();
    sandbox.oracle("oracle.sh", WANTED);
    sandbox.file("a.c", "");
    for (typed, message) in [
        (&["./oracle.sh", "a.c", "a.c"][..], "it is given twice"),
        (&["./oracle.sh", "a.c", "p"], "`p` cannot be combined with other inputs"),
        (&["./oracle.sh", "a.c", "-"], "`-` cannot be combined with other inputs"),
        (&["./oracle.sh", "a.c", "no.c"], "cannot read `no.c`"),
        (&["--output=p/out", "./oracle.sh", "p"], "is in the input"),
        (&["--output=-", "./oracle.sh", "p"], "cannot be written to standard output"),
        (&["--output=a.c", "./oracle.sh", "p"], "cannot write"),
        (&["--language=c", "./oracle.sh", "p"], "`--language c` needs a single file"),
        (
            &["./oracle.sh", "a.c", "a.c", "--", "true"],
            "a script and a command after `--` exclude each other",
        ),
        (&["p"], "no command or script given for `p`"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(![0, 1].contains(&run.code()) && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
    assert_eq!(sandbox.calls(), 0);
}

#[apply(test)]
fn blocks_that_a_failing_run_does_not_reach_are_removed_together() {
    tools::program("python3");
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("p")).expect("a directory");
    let function = |number| {
        let what = if number == 7 { "raise KeyError(a)" } else { "return b" };
        format!("def f{number}(a):\n    b = a + {number}\n    if b:\n        {what}\n    return a\n")
    };
    let all: Vec<String> = (0..80).map(|number| format!("f{number}")).collect();
    let library: String = (0..80).map(function).collect();
    sandbox.file("p/library.py", format!("{library}ALL = [{}]\n", all.join(", ")));
    sandbox.file("p/data.txt", "nobody reads it\n".repeat(20));
    sandbox.file("p/main.py", "import library\nassert len(library.ALL) == 80\nlibrary.ALL[7](1)\n");
    let tokens = |small: &str, more: &str| {
        let options = format!("-j1 -o ../{small} --quiet --json --max-candidates 8 {more}");
        let run = sandbox.nubbin_in("p", &format!("{options} . -- python3 -B main.py"));
        let summary: serde_json::Value = serde_json::from_str(&run.stdout).expect("a summary");
        summary["after"]["tokens"].as_u64().expect("a number")
    };
    let without = tokens("other", "--skip propose/unreached");
    if sandbox.nubbin(&["p/data.txt", "--", "cat"]).stderr.contains("was not run in this directory") {
        ignore("needs a kernel with seccomp notifications");
    }
    let with = tokens("small", "");
    assert!(without > 1_500 && with < 900, "{without} and {with}");
    let library = sandbox.read("small/library.py");
    assert!(library.contains("def f6(a):\n    pass\n") && library.contains("raise KeyError(a)"), "{library}");
    assert!(!sandbox.has("small/data.txt"), "no run opens it");
}

#[apply(test)]
fn empty_files_in_the_result_are_listed() {
    let sandbox = project();
    sandbox.oracle("oracle.sh", "cd \"$1\" && [ -e lib/a.h ] && grep -q boom main.c");
    let run = sandbox.nubbin(&["./oracle.sh", "p"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let note = "note: empty files that the failure needs: lib/a.h\n";
    assert!(run.stderr.contains(note), "{run:?}");
    assert_eq!(listed(&sandbox.path("p.reduced")), ["lib 755 /", "lib/a.h 644 ", "main.c 750 boom\n"]);
    // Files that were named individually are kept.
    sandbox.file("one.c", "int a;\n");
    sandbox.file("two.c", "boom();\n");
    sandbox.oracle("both.sh", "grep -q boom \"$2\"");
    let run = sandbox.nubbin(&["./both.sh", "one.c", "two.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("kept because the command names them: one.c\n"), "{run:?}");
}
