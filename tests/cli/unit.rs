//! `--unit`: the removed units, the messages, and invalid combinations.

use crate::sandbox::{Finished, Sandbox};

const LOG: &str = "start\nopen a.txt\nscroll 3\nunplug\nsave\nclose\n";

/// Creates a sandbox with a log, and an oracle that needs a file to be open when the network is unplugged.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("events.log", LOG);
    sandbox.oracle("oracle.sh", "tr '\\n' ' ' <\"$1\" | grep -q 'open.*unplug'");
    sandbox
}

/// Asserts that the run ended with this result and printed these texts.
#[track_caller]
fn assert_left(sandbox: &Sandbox, run: &Finished, left: &str, texts: &[&str]) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("events.reduced.log"), left);
    for text in texts {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
    assert!(!run.stderr.contains("unknown language"), "{run:?}");
}

#[apply(test)]
fn each_unit_is_reduced_alone_and_named_in_the_proof() {
    for (unit, left, proven) in [
        ("line", "open a.txt\nunplug\n", "proven     1-minimal over 2 lines\n"),
        ("token", "open unplug\n", "proven     1-minimal over 2 tokens\n"),
        ("char", "openunplug", "proven     1-minimal over 10 characters\n"),
        ("byte", "openunplug", "proven     1-minimal over 10 bytes\n"),
        ("line,char", "openunplug", "proven     1-minimal over 10 characters\n"),
        ("line,token,char,byte", "openunplug", "proven     1-minimal over 10 bytes\n"),
    ] {
        let sandbox = sandbox();
        let run = sandbox.nubbin(&["--unit", unit, "./oracle.sh", "events.log"]);
        assert_left(&sandbox, &run, left, &[proven]);
    }
}

#[apply(test)]
fn a_file_in_a_known_language_can_be_reduced_by_units() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "int main(void) {\n  if (x) needle();\n  return 0;\n}\n");
    let run = sandbox.nubbin(&["--unit", "line", "grep -q needle", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), "  if (x) needle();\n");
    let run = sandbox.nubbin(&["--unit", "tree", "--language", "c", "-o", "-", "grep -q needle", "bug.c"]);
    assert_eq!((run.code(), run.stdout.as_str().trim_end()), (0, "needle"));
}

#[apply(test)]
fn nul_bytes_are_bytes() {
    let sandbox = Sandbox::new();
    let noise: Vec<u8> = (0..2_000u32).map(|i| (i * i % 251) as u8 & 0x7f).collect();
    sandbox.file("crash.bin", [&noise[..], b"\x80", &noise, b"\0\0\0\0\x81", &noise].concat());
    sandbox.oracle("oracle.sh", "LC_ALL=C grep -qaP '\\x80(.|\\n)*\\x00\\x00\\x81' \"$1\"");
    let run = sandbox.nubbin(&["--unit", "byte", "-o", "small.bin", "./oracle.sh", "crash.bin"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(std::fs::read(sandbox.path("small.bin")).expect("it is there"), b"\x80\0\0\x81");
}

#[apply(test)]
fn invalid_combinations_are_errors_with_a_hint() {
    let sandbox = sandbox();
    let units = "the values are `tree`, `line`, `token`, `char`, `byte`";
    let lists = "order the units from coarse to fine, each once: `line`, `token`, `char`, `byte`";
    for (options, texts) in [
        (&["--unit", "word"][..], &["`word` is not a valid value", units][..]),
        (&["--unit", ""], &["`--unit`", units]),
        (&["--unit", "line,"], &["`--unit`", units]),
        (&["--unit", "line,line"], &["`--unit` lists `line` twice", lists]),
        (&["--unit", "line", "--unit", "line"], &["`--unit` lists `line` twice", lists]),
        (&["--unit", "char,line"], &["`--unit` lists `line` after the finer `char`", lists]),
        (&["--unit", "tree,char"], &["`--unit tree` cannot be combined", lists]),
        (&["--unit", "line", "--language", "c"], &["`--language` has no effect", "leave out `--language`"]),
        (&["--unit", "line", "--language", "."], &["`--language` has no effect", "leave out `--language`"]),
        (&["--unit", "line", "--compact"], &["`--compact` has no effect with `--unit line`"]),
        (&["--unit", "line,byte", "--effort", "1"], &["`--effort` has no effect with `--unit byte`"]),
    ] {
        let run = sandbox.nubbin(&[options, &["./oracle.sh", "events.log"]].concat());
        assert_eq!(run.code(), 2, "{run:?}");
        for text in texts {
            assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
        }
        assert_eq!(sandbox.calls(), 0);
        assert!(!sandbox.has("events.reduced.log"));
    }
    let run = sandbox.nubbin(&["--unit", "line", "debug", "tree", "events.log"]);
    assert_eq!(run.code(), 2, "{run:?}");
}

#[apply(test)]
fn a_run_is_resumed_with_another_unit_and_its_verdicts() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--unit", "line", "./oracle.sh", "events.log"]);
    assert_left(&sandbox, &run, "open a.txt\nunplug\n", &[]);
    let calls = sandbox.calls();
    let run = sandbox.nubbin(&["--resume", "--unit", "line", "./oracle.sh", "events.log"]);
    assert_left(&sandbox, &run, "open a.txt\nunplug\n", &["nothing remains to be done"]);
    assert_eq!(sandbox.calls(), calls);
    let run = sandbox.nubbin(&["--resume", "--unit", "line,char", "./oracle.sh", "events.log"]);
    let note = "note: `--unit` was `line` and is now `line,char`; verdicts are reused, but steps can differ";
    assert_left(&sandbox, &run, "openunplug", &[note, "from the journal"]);
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "events.log"]);
    let note = "note: `--unit` was `line` and is not given now; verdicts are reused";
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains(note), "{run:?}");
    let run = sandbox.nubbin_confined(&["--resume", "--unit", "line"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("`--unit` cannot be changed when a run is resumed"), "{run:?}");
}
