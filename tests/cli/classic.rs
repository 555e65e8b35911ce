//! The published algorithms by name: `--search`.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;

/// The worked example of TSE 2002: of eight changes, 1, 7 and 8 are needed together; with only some of them
/// the test is unresolved.
const NEEDS_1_7_8: &str = "t=$(cat \"$1\"); n=0
for c in 1 7 8; do case $t in *$c*) n=$((n + 1));; esac; done
case $n in 0) exit 1;; 3) exit 0;; esac; exit 125";

fn eight_changes() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.oracle("oracle.sh", NEEDS_1_7_8);
    sandbox.file("changes.txt", "12345678");
    sandbox
}

/// Returns the number of probes in the summary of a run.
#[track_caller]
fn probes(run: &Finished) -> usize {
    let line = run.stderr.lines().find_map(|line| line.strip_prefix("candidates "));
    let number = line.and_then(|line| line.split_whitespace().next()).map(|number| number.replace(',', ""));
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{run:?}"))
}

#[apply(test)]
fn ddmin_takes_the_19_tests_of_the_worked_example_with_any_number_of_jobs() {
    let sandbox = eight_changes();
    for jobs in ["-j1", "-j4"] {
        let run =
            sandbox.nubbin(&["--unit", "char", "--search", "ddmin", jobs, "./oracle.sh", "changes.txt"]);
        assert_eq!((run.code(), probes(&run)), (0, 19), "{run:?}");
        assert_eq!(sandbox.read("changes.reduced.txt"), "178");
        assert!(run.stderr.contains("proven     1-minimal over 3 chars"), "{run:?}");
        assert_eq!(sandbox.read("changes.txt"), "12345678");
    }
}

#[apply(test)]
fn each_algorithm_finds_the_needed_parts_and_reports_its_proof() {
    let sandbox = eight_changes();
    for (search, proof) in [("wdd", "1-minimal over 3 chars"), ("cdd", "nothing: cdd tries")] {
        let mut all = Vec::new();
        for jobs in ["-j1", "-j4"] {
            let run =
                sandbox.nubbin(&["--unit", "char", "--search", search, jobs, "./oracle.sh", "changes.txt"]);
            assert_eq!(run.code(), 0, "{run:?}");
            assert!(run.stderr.contains(proof), "{run:?}");
            let found = sandbox.read("changes.reduced.txt");
            assert!(["1", "7", "8"].iter().all(|needed| found.contains(needed)), "{found}");
            all.push((found, probes(&run)));
        }
        assert_eq!(all[0], all[1]);
    }
}

#[apply(test)]
fn ddmin_finds_one_of_many_in_twice_as_many_tests_as_halves() {
    let sandbox = Sandbox::new();
    sandbox.oracle("oracle.sh", "grep -q x \"$1\"");
    sandbox.file("a.txt", format!("{}x{}", "a".repeat(40), "a".repeat(23)));
    let run = sandbox.nubbin(&["--unit", "char", "--search", "ddmin", "./oracle.sh", "a.txt"]);
    assert_eq!((run.code(), sandbox.read("a.reduced.txt").as_str()), (0, "x"), "{run:?}");
    // TSE 2002, proposition 13, plus the whole and the empty text.
    assert!(probes(&run) <= 2 + 2 * 6, "{run:?}");
}

#[apply(test)]
fn several_units_are_reduced_one_after_the_other() {
    let sandbox = Sandbox::new();
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    sandbox.file("a.txt", "hay\nhay needle hay\nhay\n");
    let run = sandbox.nubbin(&["--unit", "line,char", "--search", "ddmin", "./oracle.sh", "a.txt"]);
    assert_eq!((run.code(), sandbox.read("a.reduced.txt").as_str()), (0, "needle"), "{run:?}");
}

#[apply(test)]
fn a_completed_search_is_resumed_without_a_probe() {
    let sandbox = eight_changes();
    let typed = ["--unit", "char", "--search", "ddmin", "-j1", "./oracle.sh", "changes.txt"];
    assert_eq!(sandbox.nubbin(&typed).code(), 0);
    let calls = sandbox.calls();
    std::fs::remove_file(sandbox.path("changes.reduced.txt")).expect("it is there");
    let run = sandbox.nubbin(&[&["--resume"][..], &typed[..]].concat());
    assert_eq!((run.code(), probes(&run), sandbox.calls()), (0, 19, calls), "{run:?}");
    assert_eq!(sandbox.read("changes.reduced.txt"), "178");
}

#[apply(test)]
fn dd_ddmax_and_ddmin_find_differences_and_largest_parts() {
    let sandbox = Sandbox::new();
    sandbox.oracle("mystery", "case $(cat \"$1\") in *\\?*) exit 125;; *'('*')'*) exit 0;; esac; exit 1");
    sandbox.file("bad.txt", "a(b)c");
    let run = |typed: &[&str]| {
        let all: Vec<(String, Option<String>, usize)> = ["-j1", "-j4"]
            .map(|jobs| {
                let run =
                    sandbox.nubbin(&[typed, &["--unit", "char", jobs, "./mystery", "bad.txt"]].concat());
                assert_eq!(run.code(), 0, "{run:?}");
                let failing = sandbox.has("bad.failing.txt").then(|| sandbox.read("bad.failing.txt"));
                (sandbox.read("bad.passing.txt"), failing, probes(&run))
            })
            .into();
        assert_eq!(all[0], all[1]);
        all.into_iter().next().expect("there are two")
    };
    let (passing, none, _) = run(&["maximize", "--search", "ddmax"]);
    assert_eq!((passing.len(), none), (4, None));
    let (passing, failing, tests) = run(&["isolate", "--search", "dd"]);
    assert_eq!((passing.as_str(), failing.as_deref()), ("b)c", Some("(b)c")));
    assert_eq!(run(&["isolate"]).2, tests);
    let (passing, failing, _) = run(&["isolate", "--search", "ddmin"]);
    assert_eq!((passing.as_str(), failing.as_deref()), ("", Some("()")));
}

#[apply(test)]
fn an_unsuitable_algorithm_is_reported_with_suitable_ones() {
    let sandbox = eight_changes();
    for (typed, message) in [
        (&["--search", "ddmin", "./oracle.sh", "changes.txt"][..], "`--search ddmin` needs `--unit`"),
        (&["--search", "dd", "--unit", "char", "./oracle.sh", "changes.txt"], "nubbin isolate"),
        (&["--search", "ddmax", "--unit", "char", "./oracle.sh", "changes.txt"], "nubbin maximize"),
        (&["isolate", "--search", "ddmax", "./oracle.sh", "changes.txt"], "nubbin maximize"),
        (&["maximize", "--search", "ddmin", "./oracle.sh", "changes.txt"], "supports `ddmax` only"),
        (&["--search", "cdd", "--unit", "char", "--keep", "1", "./oracle.sh", "changes.txt"], "`--keep`"),
        (&["--search", "bisect", "--unit", "char", "./oracle.sh", "changes.txt"], "the values are `ddmin`"),
        (&["options", "--search", "ddmin", "--", "gcc", "-c"], "`nubbin options` has no option `--search`"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == 2 && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
    assert!(!sandbox.has("changes.reduced.txt"));
    sandbox.oracle("all.sh", "exit 0");
    let run = sandbox.nubbin(&["--search", "ddmin", "--unit", "char", "./all.sh", "changes.txt"]);
    assert!(run.code() == 4 && run.stderr.contains("empty input"), "{run:?}");
}

#[apply(test)]
fn an_algorithm_can_reach_the_empty_input_if_allowed() {
    let sandbox = eight_changes();
    sandbox.oracle("all.sh", "exit 0");
    for search in ["ddmin", "wdd", "cdd"] {
        let typed = ["--search", search, "--unit", "char", "--allow-empty", "./all.sh", "changes.txt"];
        let run = sandbox.nubbin(&typed);
        assert_eq!((run.code(), sandbox.read("changes.reduced.txt").as_str()), (0, ""), "{run:?}");
        assert!(run.stderr.contains("8 → 0 bytes"), "{run:?}");
    }
    let typed = ["--search", "ddmin", "--unit", "char", "--allow-empty", "./oracle.sh", "changes.txt"];
    let run = sandbox.nubbin(&typed);
    assert_eq!((run.code(), sandbox.read("changes.reduced.txt").as_str()), (0, "178"), "{run:?}");
}

/// Creates a sandbox with a Python tool that fails on a text with these characters, and counts its starts.
fn in_python(body: &str) -> Sandbox {
    tools::succeeds(&["python3", "-c", "import os; os.memfd_create"], "Python 3.8 on Linux");
    let sandbox = Sandbox::new();
    sandbox.file("changes.txt", "1234567812345678");
    let tool = format!(
        "import sys\nopen('{}', 'a').write('x\\n')\n\ndef look(path):\n    text = open(path).read()\n{body}\n\nlook(sys.argv[1])\n",
        sandbox.path("calls").display()
    );
    sandbox.file("tool.py", tool);
    sandbox
}

#[apply(test)]
fn a_tool_in_python_is_loaded_once_and_gives_the_same_result() {
    let body = "    if all(c in text for c in '178'):\n        raise ValueError('boom')";
    let mut all = Vec::new();
    for options in
        [&["-j1", "--verbose"][..], &["-j2", "--verbose"], &["-j1", "--verbose", "--server", "none"]]
    {
        let sandbox = in_python(body);
        let words = ["--search", "ddmin", "--unit", "char", "changes.txt", "--", "python3", "tool.py", "{}"];
        let run = sandbox.nubbin(&[options, &words].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        let is_served = run.stderr.contains("the command is loaded once");
        assert_eq!(is_served, !options.contains(&"none"), "{run:?}");
        all.push((sandbox.read("changes.reduced.txt"), probes(&run)));
    }
    assert!(all.iter().all(|one| *one == all[0]) && all[0].0.len() == 3, "{all:?}");
}

#[apply(test)]
fn a_tool_that_remembers_candidates_is_detected_and_run_separately() {
    // Files written by the forks of a server persist: after ten of them the tool fails on any input.
    let sandbox = in_python("    PLACEHOLDER");
    let kept = sandbox.path("kept").display().to_string();
    let body = format!(
        "    import os\n    parent = os.getppid()\n    name = '{kept}' + str(parent)\n    \
             if open(f'/proc/{{parent}}/comm').read().startswith('python'):\n        open(name, 'a').write('x')\n    \
             if '1' in text and '8' in text or os.path.exists(name) and os.path.getsize(name) > 10:\n        \
             raise ValueError('boom')"
    );
    let tool = sandbox.read("tool.py").replace("    PLACEHOLDER", &body);
    sandbox.file("tool.py", tool);
    let words =
        ["-j1", "--search", "ddmin", "--unit", "char", "changes.txt", "--", "python3", "tool.py", "{}"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(
        run.stderr.contains("earlier candidates left state in the server that changes the result"),
        "{run:?}"
    );
    let result = sandbox.read("changes.reduced.txt");
    assert!(result.len() == 2 && result.contains('1') && result.contains('8'), "{result}: {run:?}");
}
