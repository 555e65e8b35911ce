//! Files on disk: the result never grows, files of others are not lost, and the reported outcome is correct.

use crate::sandbox::{Finished, Sandbox};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Returns forty lines, three of which are needed.
fn input() -> String {
    let line = |n| format!("{} {n}\n", if n % 15 == 4 { "needle" } else { "straw" });
    (0..40).map(line).collect::<Vec<_>>().concat()
}

/// Creates a sandbox with an input, and an oracle that counts the needles in it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", input());
    sandbox.oracle("oracle.sh", "test $(grep -c needle \"$1\") = 3");
    sandbox
}

#[track_caller]
fn assert_ends(run: &Finished, code: i32, texts: &[&str]) {
    assert_eq!(run.code(), code, "{run:?}");
    for text in texts {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
}

/// Returns the only journal in the sandbox.
fn journal(sandbox: &Sandbox) -> PathBuf {
    let entries = fs::read_dir(sandbox.path(".nubbin")).expect("there").flatten();
    let mut folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let journal = folders.next().expect("a journal").join("journal.jsonl");
    assert!(folders.next().is_none(), "one journal");
    journal
}

/// Removes the end of the run and its last steps from the journal, as if the run had been killed before it
/// recorded them.
fn forget_steps(sandbox: &Sandbox, steps: usize) {
    let path = journal(sandbox);
    let text = fs::read_to_string(&path).expect("there");
    let is_step = |line: &&str| line.starts_with("{\"step\"");
    let kept = text.lines().filter(is_step).count() - steps;
    let mut number = 0;
    let lines = text.lines().filter(|line| {
        number += usize::from(is_step(line));
        !(line.starts_with("{\"end\"") || is_step(line) && number > kept)
    });
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    fs::write(path, text).expect("written");
}

#[apply(test)]
fn a_saved_but_unrecorded_result_is_not_replaced_by_a_larger_one() {
    for (options, file) in [(&[][..], "bug.reduced.txt"), (&["--in-place"], "bug.txt")] {
        for steps in [1, 2] {
            let sandbox = sandbox();
            let words = [&["-j1"], options, &["./oracle.sh", "bug.txt"]].concat();
            let run = sandbox.nubbin(&[&["--max-candidates", "20"], &words[..]].concat());
            assert_eq!(run.code(), 0, "{run:?}");
            let before = sandbox.read(file);
            forget_steps(&sandbox, steps);
            let run = sandbox.nubbin(&[&["--resume", "--max-candidates", "1"], &words[..]].concat());
            assert_ends(&run, 0, &["stopped: --max-candidates 1", &format!(" → {} bytes", before.len())]);
            assert_eq!(sandbox.read(file), before);
            let run = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
            assert_eq!(run.code(), 0, "{run:?}");
            assert!(sandbox.read(file).len() < before.len(), "it goes on from there: {run:?}");
        }
    }
}

#[apply(test)]
fn a_recorded_but_unsaved_result_is_saved_on_resume() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-j1", "--max-candidates", "40", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let before = sandbox.read("bug.reduced.txt");
    let run = sandbox.nubbin(&["history", "bug.txt", "1", "-o", "-"]);
    assert!(run.stdout.len() > before.len(), "{run:?}");
    sandbox.file("bug.reduced.txt", &run.stdout);
    let run = sandbox.nubbin(&["-j1", "--resume", "--max-candidates", "1", "./oracle.sh", "bug.txt"]);
    assert_ends(&run, 0, &["stopped: --max-candidates 1"]);
    assert!(!run.stderr.contains("was not written by the earlier run"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), before);
}

#[apply(test)]
fn a_resumed_search_by_units_does_not_rewrite_old_results() {
    let sandbox = sandbox();
    let words = ["-j1", "--unit", "line", "--search", "ddmin", "./oracle.sh", "bug.txt"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    forget_steps(&sandbox, 0);
    let file = || fs::metadata(sandbox.path("bug.reduced.txt")).expect("there").ino();
    let before = file();
    let run = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(file(), before, "the file was never replaced: {run:?}");
}

/// Creates an oracle that performs an action once the file `best` contains the 20 bytes of the result, when
/// parts of it are tested individually.
fn meddling(sandbox: &Sandbox, best: &str, action: &str) {
    let (here, done) = (sandbox.path("").display().to_string(), sandbox.path("done").display().to_string());
    let body = format!(
        "test $(grep -c needle \"$1\") = 3 && exit 0\n\
         test $(wc -c <'{here}/{best}') = 20 && ! test -e '{done}' && {{ touch '{done}'; cd '{here}'; {action}; }}\nexit 1"
    );
    sandbox.oracle("oracle.sh", &body);
}

fn reduced() -> String {
    let sandbox = sandbox();
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "bug.txt"]).code(), 0);
    sandbox.read("bug.reduced.txt")
}

#[apply(test)]
fn a_result_removed_during_the_proof_is_rewritten() {
    let sandbox = sandbox();
    meddling(&sandbox, "bug.reduced.txt", "rm bug.reduced.txt");
    let run = sandbox.nubbin(&["-j1", "./oracle.sh", "bug.txt"]);
    assert_ends(&run, 0, &["result     bug.reduced.txt"]);
    assert!(sandbox.has("done"));
    assert_eq!(sandbox.read("bug.reduced.txt"), reduced());
}

#[apply(test)]
fn a_result_directory_removed_during_the_proof_is_recreated() {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path("out/deep")).expect("made");
    meddling(&sandbox, "out/deep/small.txt", "rm -r out");
    let run = sandbox.nubbin(&["-j1", "-o", "out/deep/small.txt", "./oracle.sh", "bug.txt"]);
    assert_ends(&run, 0, &["result     out/deep/small.txt"]);
    assert_eq!(sandbox.read("out/deep/small.txt"), reduced());
}

#[apply(test)]
fn a_result_whose_path_is_a_directory_is_written_elsewhere_with_a_note() {
    for (place, elsewhere) in [("bug.reduced.txt", "bug.reduced.txt.1"), ("small.txt", "small.txt.1")] {
        let sandbox = sandbox();
        meddling(&sandbox, place, &format!("rm {place}; mkdir {place}; touch {place}/theirs"));
        let run = sandbox.nubbin(&["-j1", "-o", place, "./oracle.sh", "bug.txt"]);
        let said = format!("the best result so far is in `{elsewhere}`");
        assert_ends(&run, 8, &[&format!("cannot write `{place}`"), &said]);
        assert!(!run.stderr.contains("result   "), "{run:?}");
        assert_eq!(sandbox.read(elsewhere), reduced());
        assert!(sandbox.has(format!("{place}/theirs")));
    }
}

#[apply(test)]
fn a_result_replaced_by_a_link_is_rewritten_without_following_it() {
    let sandbox = sandbox();
    sandbox.file("theirs", "theirs");
    meddling(&sandbox, "bug.reduced.txt", "rm bug.reduced.txt; ln -s theirs bug.reduced.txt");
    let run = sandbox.nubbin(&["-j1", "./oracle.sh", "bug.txt"]);
    assert_ends(&run, 0, &["result     bug.reduced.txt"]);
    assert_eq!((sandbox.read("bug.reduced.txt"), sandbox.read("theirs")), (reduced(), "theirs".to_owned()));
}

#[apply(test)]
fn an_in_place_input_replaced_during_the_proof_is_not_overwritten() {
    for (action, message) in [
        ("rm bug.txt", "was deleted during the run"),
        ("echo mine >bug.txt", "was changed by another program"),
    ] {
        let sandbox = sandbox();
        meddling(&sandbox, "bug.txt", action);
        let run = sandbox.nubbin(&["-j1", "--in-place", "./oracle.sh", "bug.txt"]);
        assert_ends(&run, 7, &[message, "the best result so far is in `bug.reduced.txt`"]);
        assert_eq!(sandbox.read("bug.reduced.txt"), reduced());
    }
}

#[apply(test)]
fn the_result_of_a_broken_oracle_is_where_the_run_reports() {
    let sandbox = sandbox();
    meddling(&sandbox, "bug.reduced.txt", "rm bug.reduced.txt; mkdir bug.reduced.txt; rm oracle.sh");
    let run = sandbox.nubbin(&["-j1", "./oracle.sh", "bug.txt"]);
    assert_ends(&run, 5, &["the best result so far is in `bug.reduced.txt.1`"]);
    assert_eq!(sandbox.read("bug.reduced.txt.1"), reduced());
}

/// Runs a shell command in which `nubbin` is the binary.
fn shell(sandbox: &Sandbox, line: &str) -> Finished {
    let program = env!("CARGO_BIN_EXE_nubbin");
    sandbox.run(
        "sh",
        &["-c", &format!("nubbin='{program}'; nubbin() {{ '{program}' --writable . \"$@\"; }}\n{line}")],
    )
}

#[apply(test)]
fn an_output_that_cannot_be_written_is_an_error() {
    let full = "cannot write standard output: No space left on device";
    for (line, message) in [
        ("nubbin --json ./oracle.sh bug.txt >/dev/full", full),
        ("nubbin -o - ./oracle.sh bug.txt >/dev/full", full),
        ("nubbin --report - ./oracle.sh bug.txt >/dev/full", full),
        ("nubbin --json-log - ./oracle.sh bug.txt >/dev/full", full),
        (
            "nubbin --bug-report /dev/full ./oracle.sh bug.txt",
            "cannot write `/dev/full`: No space left on device",
        ),
        ("nubbin -o /dev/full ./oracle.sh bug.txt", "cannot write `/dev/full`: No space left on device"),
        ("nubbin -o - ./oracle.sh bug.txt >&-", "standard output is closed"),
        ("nubbin --json ./oracle.sh bug.txt >&-", "standard output is closed"),
        ("$nubbin languages >&-", "standard output is closed"),
    ] {
        let sandbox = sandbox();
        assert_ends(&shell(&sandbox, line), 8, &[message]);
    }
    let sandbox = sandbox();
    for line in ["nubbin ./oracle.sh bug.txt >&-", "nubbin -o - ./oracle.sh bug.txt <>/dev/null >&0"] {
        assert_ends(&shell(&sandbox, line), 0, &[]);
    }
}

#[apply(test)]
fn a_result_that_standard_output_refuses_is_kept_in_a_file() {
    let sandbox = sandbox();
    let run = shell(&sandbox, "nubbin -o - ./oracle.sh bug.txt >/dev/full");
    assert_ends(&run, 8, &["the best result so far is in `bug.reduced.txt`"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), reduced());
}

#[apply(test)]
fn two_runs_with_the_same_output_are_detected_at_the_start() {
    let sandbox = sandbox();
    let wait = format!("while ! test -e '{}'; do sleep 0.01; done", sandbox.path("go").display());
    sandbox.oracle(
        "waits.sh",
        &format!("touch '{}'; {wait}; test $(grep -c needle \"$1\") = 3", sandbox.path("begun").display()),
    );
    sandbox.file("other.txt", input());
    let mut first = sandbox.start_nubbin(&["-j1", "-o", "small.txt", "./waits.sh", "bug.txt"]);
    first.wait_until(|sandbox| sandbox.has("begun"));
    let line = |line: &str| {
        let quiet = format!("{{ {line}; }} >second 2>&1");
        let code = shell(&sandbox, &quiet).code();
        (code, sandbox.read("second"))
    };
    let process = first.child.id();
    for words in [
        "-o small.txt ./oracle.sh other.txt",
        "-o ../$(basename \"$PWD\")/small.txt ./oracle.sh other.txt",
        "--no-journal -o small.txt ./oracle.sh bug.txt",
    ] {
        let (code, said) = line(&format!("nubbin {words}"));
        let message = format!("small.txt` is the output of another run, process {process}");
        assert!(code == 8 && said.contains(&message) && said.contains("hint: "), "{code}, {said}");
    }
    assert_eq!(line("nubbin -o free.txt ./oracle.sh other.txt").0, 0);
    sandbox.file("go", "");
    assert_eq!(first.wait().code(), 0);
    assert_eq!(line("nubbin -o small.txt ./oracle.sh other.txt").0, 0, "the lock is gone");
}

#[apply(test)]
fn a_pipe_is_read_like_standard_input_and_nothing_is_written_next_to_it() {
    for line in [
        "nubbin ./oracle.sh /dev/stdin <bug.txt",
        "nubbin ./oracle.sh /dev/fd/0 <bug.txt",
        "nubbin ./oracle.sh /proc/self/fd/0 <bug.txt",
        "nubbin ./oracle.sh /dev/fd/7 7<bug.txt",
        "cat bug.txt | nubbin ./oracle.sh /dev/stdin",
        "mkdir pipes; mkfifo pipes/in.txt; cat bug.txt >pipes/in.txt & nubbin ./oracle.sh pipes/in.txt",
        "nubbin --exit-code 0 /dev/stdin -- sh ./oracle.sh {} <bug.txt",
    ] {
        let sandbox = sandbox();
        let run = shell(&sandbox, line);
        assert_eq!((run.code(), run.stdout.as_str()), (0, reduced().as_str()), "{line}: {run:?}");
        let pipes = fs::read_dir(sandbox.path("pipes")).into_iter().flatten().count();
        assert!(pipes <= 1 && !sandbox.has("/dev/.nubbin"), "{line}");
        let run = shell(&sandbox, &line.replace("nubbin ", "nubbin -o small.txt "));
        assert_eq!((run.code(), sandbox.read("small.txt")), (0, reduced()), "{line}: {run:?}");
    }
    let run = shell(&sandbox(), "nubbin --in-place ./oracle.sh /dev/stdin <bug.txt");
    assert_ends(&run, 2, &["standard input cannot be reduced in place"]);
}

#[apply(test)]
fn a_line_of_a_journal_with_absurd_numbers_is_skipped_whether_it_has_a_checksum_or_not() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-j1", "--max-candidates", "20", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let path = journal(&sandbox);
    // Without checksums, as written by earlier versions.
    let plain = |line: &str| format!("{}}}\n", &line[..line.find(",\"sum\":").expect("each line has one")]);
    let text: String = fs::read_to_string(&path).expect("there").lines().map(plain).collect();
    let line = text.lines().position(|line| line.starts_with("{\"step\"")).expect("a step") + 1;
    let step = text.lines().nth(line - 1).expect("it is there");
    let after = |name: &str, number: &str| {
        let (before, rest) = step.split_once(&format!("\"{name}\":")).expect(name);
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{before}\"{name}\":{number}{rest}")
    };
    let bounds = |start: &str, end: &str| {
        let (before, rest) = step.split_once("\"edits\":[[").expect("edits");
        let rest = rest.splitn(3, ',').nth(2).expect("three parts");
        format!("{before}\"edits\":[[{start},{end},{rest}")
    };
    let whole = "10000000000000";
    for wrong in [
        after("bytes", whole),
        after("bytes", "18446744073709551615"),
        after("number", "7"),
        bounds("0", "4000000000"),
        bounds("9", "3"),
        bounds(whole, whole),
    ] {
        let damaged = text.replacen(step, &wrong, 1);
        fs::write(&path, &damaged).expect("written");
        let run = sandbox.nubbin(&["history", "bug.txt"]);
        assert_ends(&run, 0, &[]);
        assert!(run.stdout.contains("bug.txt: 0 steps"), "{wrong}: {run:?}");
        assert_eq!(sandbox.nubbin(&["history", "bug.txt", "1"]).code(), 2, "{wrong}");
        let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.txt"]);
        assert_ends(&run, 0, &["of the journal in `"]);
        assert_eq!(sandbox.read("bug.reduced.txt"), reduced(), "{wrong}: {run:?}");
    }
    let ends = "{\"undone\":10000000000000}\n{\"undone\":0}\n{\"end\":\"failed\"}\n";
    fs::write(&path, format!("{text}{ends}")).expect("written");
    assert_ends(&sandbox.nubbin(&["history", "bug.txt"]), 0, &[]);
}

#[apply(test)]
fn nothing_that_the_run_reads_is_overwritten() {
    let sandbox = sandbox();
    sandbox.file("words", "needle\n");
    fs::hard_link(sandbox.path("oracle.sh"), sandbox.path("same.sh")).expect("a link");
    std::os::unix::fs::symlink("oracle.sh", sandbox.path("link.sh")).expect("a link");
    let before = sandbox.read("oracle.sh");
    for (option, place, what) in [
        ("-o", "./oracle.sh", "a file of the test"),
        ("-o", "same.sh", "a file of the test"),
        ("--report", "./oracle.sh", "a file of the test"),
        ("--json-log", "link.sh", "a file of the test"),
        ("--bug-report", "oracle.sh", "a file of the test"),
    ] {
        let run = sandbox.nubbin(&[option, place, "./oracle.sh", "bug.txt"]);
        let named = if option == "-o" { "--output" } else { option };
        assert_ends(&run, 2, &[&format!("`{named} {place}` would overwrite {what}"), "hint: "]);
        assert_eq!(sandbox.read("oracle.sh"), before);
    }
    for words in [
        &["-o", "words", "bug.txt", "--exit-code", "0", "--", "grep", "-f", "words", "{}"][..],
        &["-o", "words", "--needs", "words", "./oracle.sh", "bug.txt"],
        &["isolate", "-o", "oracle.sh", "./oracle.sh", "bug.txt"],
        &["maximize", "-o", "oracle.sh", "./oracle.sh", "bug.txt"],
        &["-o", "oracle.sh", "--unit", "line", "--search", "ddmin", "./oracle.sh", "bug.txt"],
    ] {
        assert_ends(&sandbox.nubbin(words), 2, &["would overwrite"]);
    }
    assert_eq!((sandbox.read("oracle.sh"), sandbox.read("words")), (before, "needle\n".to_owned()));
}

/// Returns whether this file system supports the attributes by which a run's own files are recognized.
fn keeps_marks(sandbox: &Sandbox) -> bool {
    let file = fs::File::open(sandbox.file("marked", "x")).expect("there");
    rustix::fs::fsetxattr(&file, "user.nubbin.hash", b"x", rustix::fs::XattrFlags::empty()).is_ok()
}

#[apply(test)]
fn a_file_of_the_user_is_backed_up_when_it_is_overwritten() {
    for words in [
        &["-o", "mine.txt", "./oracle.sh", "bug.txt"][..],
        &["--report", "mine.txt", "./oracle.sh", "bug.txt"],
        &["--json-log", "mine.txt", "./oracle.sh", "bug.txt"],
        &["--bug-report", "mine.txt", "./oracle.sh", "bug.txt"],
        &["isolate", "-o", "mine.txt", "./oracle.sh", "bug.txt"],
        &["maximize", "-o", "mine.txt", "./oracle.sh", "bug.txt"],
        &["-o", "mine.txt", "--unit", "line", "--search", "ddmin", "./oracle.sh", "bug.txt"],
    ] {
        let sandbox = sandbox();
        sandbox.file("mine.txt", "mine");
        let run = sandbox.nubbin(words);
        assert_ends(&run, 0, &["mine.txt.orig`"]);
        assert_eq!(sandbox.read("mine.txt.orig"), "mine");
        assert_ne!(sandbox.read("mine.txt"), "mine");
        if keeps_marks(&sandbox) {
            let run = sandbox.nubbin(words);
            assert!(run.code() == 0 && !sandbox.has("mine.txt.orig.1"), "it was a run's own: {run:?}");
            sandbox.file("mine.txt", "edited");
            assert_ends(&sandbox.nubbin(words), 0, &["mine.txt.orig.1`"]);
            assert_eq!(sandbox.read("mine.txt.orig.1"), "edited");
        }
    }
}

#[apply(test)]
fn a_result_of_an_earlier_run_with_a_journal_needs_no_backup() {
    let sandbox = sandbox();
    assert_eq!(sandbox.nubbin(&["./oracle.sh", "bug.txt"]).code(), 0);
    // A copy has no attributes.
    let result = sandbox.read("bug.reduced.txt");
    fs::remove_file(sandbox.path("bug.reduced.txt")).expect("there");
    sandbox.file("bug.reduced.txt", result);
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert!(run.code() == 0 && !sandbox.has("bug.reduced.txt.orig"), "{run:?}");
    sandbox.file("bug.reduced.txt", "mine");
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_ends(&run, 0, &["bug.reduced.txt.orig` before it is replaced"]);
    assert_eq!(sandbox.read("bug.reduced.txt.orig"), "mine");
}

#[apply(test)]
fn files_with_names_of_the_maximum_length_are_reduced() {
    for length in 240..=255 {
        let sandbox = sandbox();
        let name = format!("{}.txt", "n".repeat(length - 4));
        sandbox.file(&name, input());
        for words in [&["-o", "small.txt"][..], &[], &["--in-place"]] {
            let run = sandbox.nubbin(&[words, &["--unit", "line", "./oracle.sh", &name]].concat());
            assert_eq!(run.code(), 0, "{length} bytes: {run:?}");
        }
        assert!(sandbox.read(&name).len() < input().len(), "{length} bytes");
        let entries = || fs::read_dir(sandbox.path("")).expect("there").flatten().map(|entry| entry.path());
        let count = |content: &str| {
            entries().filter(|path| fs::read(path).is_ok_and(|found| found == content.as_bytes())).count()
        };
        assert_eq!((count(&input()), count(&sandbox.read("small.txt"))), (2, 3), "{length} bytes");
    }
}

#[apply(test)]
fn the_time_limit_ends_a_run_on_a_deeply_nested_text() {
    let sandbox = Sandbox::new();
    let nested = |open: &str, close: &str, levels: usize| {
        format!("{}needle{}", open.repeat(levels), close.repeat(levels))
    };
    sandbox.file("deep.html", nested("<div>", "</div>", 64_000));
    sandbox.file("deep.json", nested("[", "]", 1_000_000).replace("needle", "\"needle\""));
    for file in ["deep.html", "deep.json"] {
        let start = std::time::Instant::now();
        let slow = "sh -c 'sleep 1; grep -q needle \"$0\"'";
        let run = sandbox.nubbin(&["-j1", "--max-time", "4s", slow, file]);
        assert_ends(&run, 0, &["stopped: --max-time 4s"]);
        // It ends within a second, but a busy machine may take longer.
        assert!(start.elapsed().as_secs() < 15, "{file}: {:?}", start.elapsed());
    }
}
