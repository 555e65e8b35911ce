//! Commands that run in a Java virtual machine, which starts faster for the probes.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;

/// A script that replaces a Java virtual machine: it creates an archive, and uses it. Without it, it is slow.
const MACHINE: &str = r#"
quick=no
for word; do
    case $word in
        -XX:TieredStopAtLevel=1) quick=yes ;;
        -XX:ArchiveClassesAtExit=*) echo classes >"${word#*=}" ;;
        -XX:SharedArchiveFile=*) grep -q classes "${word#*=}" || exit 77; echo "${word#*=}" >>LOG ;;
    esac
    last=$word
done
[ $quick = yes ] || sleep 0.2
"#;

const INPUT: &str = "one\ntwo\nneedle\nthree\nfour\nfive\nsix\nseven\n";

/// Creates a sandbox with an input, and a program called `java` that ends with these lines.
fn sandbox(lines: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.file("log", "");
    let machine = MACHINE.replace("LOG", &format!("'{}'", sandbox.path("log").display()));
    sandbox.oracle("java", &format!("{machine}{lines}"));
    sandbox
}

fn run(sandbox: &Sandbox, more: &[&str]) -> Finished {
    let words = ["--unit", "line", "--verbose", "bug.txt", "--", "./java", "-jar", "tool.jar", "{}"];
    let run = sandbox.nubbin(&[more, &words].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
    run
}

#[apply(test)]
fn an_archive_is_created_by_the_first_run_and_removed_after_the_last() {
    let sandbox = sandbox("grep -q needle \"$last\" && exit 3\nexit 0");
    for jobs in ["-j1", "-j2"] {
        sandbox.file("log", "");
        let faster = run(&sandbox, &[jobs]);
        assert!(faster.stderr.contains("is started with an archive of its classes"), "{faster:?}");
        let log = sandbox.read("log");
        let archive = std::path::Path::new(log.lines().next().expect("it was used"));
        assert!(!archive.exists() && !archive.parent().expect("it was in one").exists(), "{log}");
        sandbox.file("log", "");
        let plain = run(&sandbox, &[jobs, "--server", "none"]);
        assert!(!plain.stderr.contains("archive") && sandbox.read("log").is_empty(), "{plain:?}");
    }
}

#[apply(test)]
fn a_virtual_machine_that_behaves_differently_or_slower_runs_unchanged() {
    for lines in [
        "[ $quick = yes ] && { echo 'Unrecognized VM option'; exit 1; }\ngrep -q needle \"$last\" && exit 3\nexit 0",
        "[ $quick = yes ] && exit 0\ngrep -q needle \"$last\" && exit 3\nexit 0",
        "[ $quick = yes ] && sleep 1\ngrep -q needle \"$last\" && exit 3\nexit 0",
    ] {
        let sandbox = sandbox(lines);
        let run = run(&sandbox, &["-j1"]);
        assert!(!run.stderr.contains("archive") && !run.stderr.contains("cannot"), "{run:?}");
    }
}

#[apply(test)]
fn a_virtual_machine_that_is_wrong_about_a_candidate_is_detected() {
    // It passes on small candidates.
    let sandbox = sandbox(
        "[ $quick = yes ] && [ $(wc -l <\"$last\") -lt 100 ] && exit 0\ngrep -q needle \"$last\" && exit 3\nexit 0",
    );
    let lines = (0..200).fold(String::new(), |lines, n| lines + &format!("line {n}\n"));
    sandbox.file("bug.txt", format!("{lines}needle\n"));
    let run = run(&sandbox, &["-j1"]);
    assert!(run.stderr.contains("judged a candidate uninteresting"), "{run:?}");
}

#[apply(test)]
fn javac_reports_the_same_with_and_without_the_archive() {
    tools::program("javac");
    let sandbox = Sandbox::new();
    sandbox.file(
        "Bug.java",
        "class Bug {\n  int one() { return 1; }\n  int two() { return \"two\"; }\n  int three = 3;\n}\n",
    );
    let mut results = Vec::new();
    for more in [&["--server", "none"][..], &[]] {
        let words = ["--unit", "line", "--verbose", "Bug.java", "--", "javac", "{}"];
        let run = sandbox.nubbin(&[more, &words].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("incompatible types"), "{run:?}");
        assert_eq!(run.stderr.contains("the Java compiler stays loaded"), more.is_empty(), "{run:?}");
        results.push(sandbox.read("Bug.reduced.java"));
    }
    assert_eq!(results[0], results[1]);
}
