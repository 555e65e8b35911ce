//! Reductions of several files and directories, with closures as oracles.

use nubbin::archive::{self, Item, Kind, Type};
use nubbin::{Outcome, Proof, Reduction, Registry, Step, Verdict};
use std::path::Path;

fn item(path: &str, content: &str) -> Item {
    let kind = if content == "/" { Type::Directory } else { Type::File };
    let content = if content == "/" { Vec::new() } else { content.as_bytes().to_vec() };
    Item { path: path.into(), kind, mode: 0o644, content }
}

/// The files of an archive, as `path:content`.
fn shown(text: &[u8]) -> Vec<String> {
    let entries = archive::entries(text);
    let show = |entry: &archive::Entry| {
        format!("{}:{}", entry.path.display(), String::from_utf8_lossy(entry.content_in(text)))
    };
    entries.iter().map(show).collect()
}

/// What an archive has in the file at `path`.
fn content<'t>(text: &'t [u8], path: &str) -> Option<&'t str> {
    let entries = archive::entries(text);
    let entry = entries.iter().find(|entry| entry.path == Path::new(path))?;
    std::str::from_utf8(&text[entry.content.0..entry.content.1]).ok()
}

fn reduce(
    kind: Kind,
    items: &[Item],
    fails: &(dyn Fn(&[u8]) -> bool + Sync),
    jobs: usize,
) -> (Outcome, usize) {
    let oracle = |text: &[u8]| if fails(text) { Verdict::Interesting } else { Verdict::Uninteresting };
    let (mut last, mut steps) = (archive::pack(kind, items), 0);
    let mut keeper = |step: &Step<'_>| {
        let again = nubbin::edit::Patch::new(step.edits.to_vec()).apply(&last, nubbin::edit::Seam::Touch);
        assert_eq!(again, step.best, "the edits of a step make its best");
        last = again;
        steps += 1;
        Ok(())
    };
    let reduction =
        Reduction::new(archive::pack(kind, items)).archive(Registry::built_in()).keeper(&mut keeper);
    let outcome = reduction.run_parallel(&oracle, Some(jobs)).expect("it fails");
    assert!(fails(&outcome.best));
    assert_eq!(outcome.best, last, "the last step is the result");
    (outcome, steps)
}

fn project() -> Vec<Item> {
    let mut items = vec![
        item("doc", "/"),
        item("doc/a.md", "words\nwords\n"),
        item("doc/b.md", "more words\n"),
        item(
            "main.c",
            "#include \"util.h\"\n#include \"other.h\"\nint main(void) { int x = 1; return boom(x); }\n",
        ),
        item("other.h", "int other;\n"),
        item("src", "/"),
        item("src/big.py", "import os\ndef f(x):\n    return x\n"),
        item("src/lib", "/"),
        item("src/lib/needle.py", "def g():\n    y = 2\n    return crash(y)\n"),
        item("util.h", "int util(int);\n"),
    ];
    items.sort_by(|one, other| one.path.cmp(&other.path));
    items
}

/// Includes have to be there, as a compiler wants it.
fn fails(text: &[u8]) -> bool {
    let main = content(text, "main.c").unwrap_or_default();
    let includes_resolve = ["util.h", "other.h"]
        .iter()
        .all(|name| !main.contains(&format!("\"{name}\"")) || content(text, name).is_some());
    let needle = content(text, "src/lib/needle.py").unwrap_or_default();
    includes_resolve && main.contains("boom(") && needle.contains("crash(")
}

#[test]
fn whole_files_go_first_and_then_the_others_take_turns() {
    let (outcome, _) = reduce(Kind::Folder, &project(), &fails, 1);
    let left = shown(&outcome.best);
    assert_eq!(left, ["main.c:boom(\n", "src:", "src/lib:", "src/lib/needle.py:crash(\n"], "{left:?}");
    assert_eq!((outcome.before.tokens, outcome.after.tokens), (68, 4));
    let Proof::OneMinimal { files, tokens, .. } = outcome.proof else { panic!("{:?}", outcome.proof) };
    assert_eq!((files, tokens), (4, 4));
    assert_eq!(outcome.counts.probes, 84);
}

#[test]
fn any_number_of_jobs_gives_the_same() {
    let (serial, steps) = reduce(Kind::Folder, &project(), &fails, 1);
    for jobs in [2, 3, 8] {
        let (parallel, same) = reduce(Kind::Folder, &project(), &fails, jobs);
        assert_eq!((parallel.best, parallel.counts, same), (serial.best.clone(), serial.counts, steps));
    }
}

#[test]
fn files_that_were_named_stay_and_may_become_empty() {
    // The debugging book's two strings: the first must not be in the second.
    let items = [item("s1", "foo"), item("s2", "foobar")];
    let fails = |text: &[u8]| match (content(text, "s1"), content(text, "s2")) {
        (Some(s1), Some(s2)) => s2.contains(s1),
        _ => false,
    };
    let oracle = |text: &[u8]| if fails(text) { Verdict::Interesting } else { Verdict::Uninteresting };
    let run = |allow| {
        let text = archive::pack(Kind::Files, &items);
        Reduction::new(text).archive(Registry::built_in()).allow_empty(allow).run(&oracle)
    };
    assert!(matches!(run(false), Err(nubbin::Error::EmptyIsInteresting)));
    assert_eq!(shown(&run(true).expect("it fails").best), ["s1:", "s2:"]);
    let apart =
        |text: &[u8]| content(text, "s2").is_some_and(|s2| s2.contains('b')) && content(text, "s1").is_some();
    let (outcome, _) = reduce(Kind::Files, &items, &apart, 1);
    assert_eq!(shown(&outcome.best), ["s1:", "s2:b"]);
}

#[test]
fn a_directory_that_does_not_fail_is_an_error() {
    let oracle = |_: &[u8]| Verdict::Uninteresting;
    let run =
        Reduction::new(archive::pack(Kind::Folder, &project())).archive(Registry::built_in()).run(&oracle);
    assert!(matches!(run, Err(nubbin::Error::NotInteresting(_))));
}
