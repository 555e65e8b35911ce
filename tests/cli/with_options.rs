//! A file and the options of the command that runs on it: `--options`.

use crate::harness::ignore;
use crate::sandbox::Sandbox;
use rustix::process::Signal;
use std::collections::HashMap;

const FILE: &str =
    "int a;\nint f(int x) {\n  if (x) boom(x);\n  return x + 1;\n}\nint g(void) { return 2; }\n";

/// Creates a file, and a tool that fails if its arguments contain `-fb` and the file contains `boom`. It
/// writes each call to `log`: its options, and a summary of the file.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", FILE);
    tool(&sandbox, "case \" $options \" in *' -fb '*) ;; *) exit 0;; esac");
    sandbox
}

fn tool(sandbox: &Sandbox, body: &str) {
    let log = sandbox.path("log").display().to_string();
    let read =
        "options=; for word; do case $word in *.c) file=$word;; *) options=\"$options $word\";; esac; done";
    let write = format!("echo \"$options, $(cksum <\"$file\")\" >>'{log}'");
    sandbox.oracle(
        "tool",
        &format!("{read}\n{write}\n{body}\ngrep -q boom \"$file\" || exit 0\necho 'tool: lost' >&2\nexit 7"),
    );
}

/// Returns the calls of the tool so far: its options, and the rest.
fn calls(sandbox: &Sandbox) -> Vec<String> {
    sandbox.read("log").lines().map(str::to_owned).collect()
}

#[apply(test)]
fn a_file_and_options_are_reduced_alternately_and_the_command_can_be_pasted() {
    let sandbox = sandbox();
    let typed = ["-j1", "--options", "bug.c", "--", "./tool", "-O2", "-fa", "-fb", "-o", "out", "-fc", "{}"];
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), "boom\n", "{run:?}");
    let command = format!("{} -fb bug.reduced.c", sandbox.path("tool").display());
    for line in [
        "options    5 → 1, only `-fb` is needed",
        "candidates 39 ",
        "proven     1-minimal over 1 node, 1 token, 1 option",
        &format!("command    {command}"),
    ] {
        assert!(run.stderr.contains(line), "`{line}` in {run:?}");
    }
    let options: Vec<String> =
        calls(&sandbox).iter().map(|call| call.split(',').next().unwrap_or_default().to_owned()).collect();
    // The value of an option is removed with it, and the file is reduced without unneeded options.
    assert!(options.iter().all(|options| options.contains("-o") == options.contains("out")), "{options:?}");
    let first = options.iter().position(|options| options == " -fb").expect("it was found");
    assert!(options[first..].iter().all(|options| options == " -fb" || options.is_empty()), "{options:?}");
    let resumed = sandbox.nubbin(&["--resume"]);
    assert!(
        resumed.stderr.ends_with(&format!("result     bug.reduced.c\ncommand    {command}\n")),
        "{resumed:?}"
    );
    let again = sandbox.run("sh", &["-c", &format!("cd '{}' && {command}", sandbox.path("").display())]);
    assert_eq!(again.code(), 7, "{again:?}");
}

#[apply(test)]
fn a_file_and_options_have_the_same_result_with_any_number_of_jobs() {
    let sandbox = sandbox();
    let words = ["--options", "--no-journal", "--json"];
    let found = ["1", "2", "8"].map(|jobs| {
        let options = ["-a", "-b", "-fb", "-c", "-d=x,y", "-e"];
        let all = [&["-j", jobs][..], &words, &["bug.c", "--", "./tool"], &options, &["{}"]].concat();
        let run = sandbox.nubbin(&all);
        let summary: serde_json::Value = serde_json::from_str(&run.stdout).expect("it is JSON");
        (sandbox.read("bug.reduced.c"), summary["options"].clone(), summary["probes"]["all"].clone())
    });
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
    assert_eq!(found[0].1["left"], serde_json::json!([["-fb"]]));
    assert_eq!(found[0].1["before"], 6);
}

#[apply(test)]
fn a_killed_run_on_both_is_resumed_without_repeating_a_probe() {
    let arguments = ["-j1", "--options", "bug.c", "--", "./tool", "-a", "-b", "-fb", "-c", "-d", "{}"];
    let counts = |calls: &[String]| {
        calls.iter().fold(HashMap::<String, usize>::new(), |mut counts, call| {
            *counts.entry(call.clone()).or_default() += 1;
            counts
        })
    };
    let undisturbed = sandbox();
    assert_eq!(undisturbed.nubbin(&arguments).code(), 0);
    let usual = counts(&calls(&undisturbed));
    for questions in [12, 24] {
        let sandbox = sandbox();
        let mut run = sandbox.start_nubbin(&arguments);
        run.wait_until(|sandbox| sandbox.has("log") && calls(sandbox).len() >= questions);
        run.signal(Signal::KILL);
        run.wait();
        let resumed = sandbox.nubbin(&["--resume"]);
        assert_eq!(resumed.code(), 0, "{resumed:?}");
        assert!(resumed.stderr.contains("options    5 → 1, only `-fb` is needed"), "{resumed:?}");
        assert_eq!(sandbox.read("bug.reduced.c"), undisturbed.read("bug.reduced.c"));
        let again = counts(&calls(&sandbox));
        // The initial number of runs of the unreduced input depends on how busy the machine is.
        let others = again.iter().filter(|(call, _)| **call != calls(&undisturbed)[0]);
        let more: usize = others.map(|(call, n)| n.saturating_sub(usual[call])).sum();
        // The run that was active when it was killed.
        assert!(more <= 1, "{more} of {again:?} and {usual:?}");
    }
}

#[apply(test)]
fn parts_of_lists_in_an_option_are_removed_with_and_without_a_file() {
    let sandbox = sandbox();
    tool(&sandbox, "case \"$options\" in *-passes=*gvn*) ;; *) exit 0;; esac");
    let typed = ["./tool", "-passes=module(function<eager>(sroa,gvn<a;b>),dce),verify", "-Wl,a,b", "bug.c"];
    let run = sandbox.nubbin(&[&["-j1", "--options", "bug.c", "--"], &typed[..]].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("options    2 → 1, only `-passes=gvn` is needed"), "{run:?}");
    let alone = sandbox.nubbin(&[&["options", "-j1", "--"], &typed[..]].concat());
    let [program, file] = ["tool", "bug.c"].map(|name| sandbox.path(name).display().to_string());
    assert_eq!(alone.stdout, format!("{program} -passes=gvn {file}\n"), "{alone:?}");
    // The needed parts of a list are kept and proven.
    tool(&sandbox, "case \"$options\" in *-passes=*sroa*dce*) ;; *) exit 0;; esac");
    let run = sandbox.nubbin(&[&["-j1", "--options", "bug.c", "--"], &typed[..]].concat());
    assert!(run.stderr.contains("only `-passes=sroa,dce` is needed"), "{run:?}");
    assert!(run.stderr.contains("1 option, 2 parts of options"), "{run:?}");
}

#[apply(test)]
fn needed_options_are_reported_if_all_or_none_are_needed() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--options", "bug.c", "--", "./tool", "-fb"]);
    assert!(run.stderr.contains("options    1 → 1, all are needed"), "{run:?}");
    tool(&sandbox, "");
    let run = sandbox.nubbin(&["--options", "bug.c", "--", "./tool", "-fb", "-o", "x", "{}"]);
    assert!(run.stderr.contains("options    2 → 0, none is needed"), "{run:?}");
    let stopped =
        sandbox.nubbin(&["--options", "--max-candidates", "6", "bug.c", "--", "./tool", "-x", "-fb", "{}"]);
    assert!(stopped.stderr.contains("proven     nothing; stopped: --max-candidates 6"), "{stopped:?}");
}

#[apply(test)]
fn conditions_matchers_and_earlier_steps_apply_to_the_file_alone() {
    let sandbox = sandbox();
    let typed = [
        "-j1",
        "--options",
        "--stderr",
        "tool: lost",
        "--also",
        "grep -q 'int a' {}",
        "bug.c",
        "--",
        "./tool",
        "-x",
        "-fb",
        "{}",
    ];
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    let left = sandbox.read("bug.reduced.c");
    assert!(left.starts_with("int a") && left.contains("boom"), "{left}");
    let step = sandbox.nubbin(&["history", "bug.c", "1"]);
    assert!(step.stdout.ends_with("bug.step1.c\noptions left: -fb\n"), "{step:?}");
    assert_eq!(sandbox.read("bug.step1.c"), FILE);
}

#[apply(test)]
fn invalid_options_together_with_a_file_are_refused() {
    let sandbox = sandbox();
    sandbox.file("other.c", "");
    for (typed, code, message) in [
        (&["--options", "./tool", "bug.c"][..], 2, "`--options` needs a command instead of a script"),
        (&["--options", "bug.c", "--", "./tool", "{}"], 2, "no options to reduce"),
        (
            &["--options", "bug.c", "--", "sh", "-c", "./tool -fb $1", "{}"],
            2,
            "cannot change the options in the shell command",
        ),
        (&["--options", "bug.c", "other.c", "--", "./tool", "-fb"], 2, "`--options` supports one file only"),
        (
            &["--options", "--in-place", "bug.c", "--", "./tool", "-fb"],
            2,
            "`--in-place` cannot be combined with",
        ),
        (&["--options", "--here", "bug.c", "--", "./tool", "-fb"], 2, "`--here` cannot be combined with"),
        (&["--options", "bug.c", "--", "./nosuch", "-fb"], 5, "does not exist"),
        (&["--options", "bug.c", "--", "./tool", "-x", "{}"], 3, "succeeds on the unreduced input"),
        (&["options", "--options", "--", "./tool", "-x"], 2, "has no option"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == code && run.stderr.contains(message), "{typed:?}: {run:?}");
        assert!(!sandbox.has("bug.reduced.c"), "{typed:?}");
    }
    sandbox.oracle("tool", "exit 7");
    let run = sandbox.nubbin(&["--options", "bug.c", "--", "./tool", "-x", "{}"]);
    assert!(run.code() == 4 && run.stderr.contains("also fails in this way on the empty input"), "{run:?}");
}

#[apply(test)]
fn the_passes_that_a_crash_of_opt_needs_are_found() {
    let sandbox = Sandbox::new();
    let input = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/llvm-loop-split/input.ll");
    sandbox.file("bug.ll", std::fs::read(input).expect("it is there"));
    let passes = "-passes=module(function(early-cse<memssa>,loop(loop-bound-split)),globalopt),globaldce";
    let words = [passes, "-disable-symbolication", "-S", "-o", "/dev/null"];
    let opt = std::process::Command::new("opt").args(words).arg(sandbox.path("bug.ll")).output();
    if !opt.is_ok_and(|run| std::os::unix::process::ExitStatusExt::signal(&run.status) == Some(11)) {
        ignore("needs opt, in a version that crashes in loop-bound-split");
    }
    let first = ["--options", "--max-candidates", "60", "--signal", "SEGV", "bug.ll", "--", "opt"];
    let run = sandbox.nubbin(&[&first[..], &words, &["{}"]].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("so far: `-passes=loop-bound-split`"), "{run:?}");
}
