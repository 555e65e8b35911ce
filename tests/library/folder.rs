//! Reductions of several files and directories, with closures as oracles.

use nubbin::archive::{self, ArchiveKind, Item, Type};
use nubbin::event::Event;
use nubbin::{Outcome, Proof, Reduction, Registry, Step, Verdict};
use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

fn item(path: &str, content: &str) -> Item {
    let kind = if content == "/" { Type::Directory } else { Type::File };
    let content = if content == "/" { Vec::new() } else { content.as_bytes().to_vec() };
    Item { path: path.into(), kind, mode: 0o644, content }
}

/// Returns the files of an archive, as `path:content`.
fn shown(text: &[u8]) -> Vec<String> {
    let entries = archive::entries(text);
    let show = |entry: &archive::Entry| {
        format!("{}:{}", entry.path.display(), String::from_utf8_lossy(entry.content_in(text)))
    };
    entries.iter().map(show).collect()
}

/// Returns the content of the file at `path` in an archive.
fn content<'t>(text: &'t [u8], path: &str) -> Option<&'t str> {
    let entries = archive::entries(text);
    let entry = entries.iter().find(|entry| entry.path == Path::new(path))?;
    std::str::from_utf8(&text[entry.content.0..entry.content.1]).ok()
}

fn reduce(
    kind: ArchiveKind,
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
    let outcome = reduction.run_parallel(&oracle, jobs).expect("it fails");
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

/// Included files must exist, as for a compiler.
fn fails(text: &[u8]) -> bool {
    let main = content(text, "main.c").unwrap_or_default();
    let includes_resolve = ["util.h", "other.h"]
        .iter()
        .all(|name| !main.contains(&format!("\"{name}\"")) || content(text, name).is_some());
    let needle = content(text, "src/lib/needle.py").unwrap_or_default();
    includes_resolve && main.contains("boom(") && needle.contains("crash(")
}

#[apply(test)]
fn whole_files_are_removed_first_and_then_the_others_alternate() {
    let (outcome, _) = reduce(ArchiveKind::Folder, &project(), &fails, 1);
    let left = shown(&outcome.best);
    assert_eq!(left, ["main.c:boom(\n", "src:", "src/lib:", "src/lib/needle.py:crash(\n"], "{left:?}");
    assert_eq!((outcome.before.tokens, outcome.after.tokens), (68, 4));
    let Proof::OneMinimal { files, tokens, .. } = outcome.proof else { panic!("{:?}", outcome.proof) };
    assert_eq!((files, tokens), (4, 4));
    assert_eq!(outcome.counts.probes, 82);
}

#[apply(test)]
fn any_number_of_jobs_gives_the_same_result() {
    let (serial, steps) = reduce(ArchiveKind::Folder, &project(), &fails, 1);
    for jobs in [2, 3, 8] {
        let (parallel, same) = reduce(ArchiveKind::Folder, &project(), &fails, jobs);
        assert_eq!((parallel.best, parallel.counts, same), (serial.best.clone(), serial.counts, steps));
    }
}

#[apply(test)]
fn named_files_stay_and_can_become_empty() {
    // The debugging book's two strings: the first must not be in the second.
    let items = [item("s1", "foo"), item("s2", "foobar")];
    let fails = |text: &[u8]| match (content(text, "s1"), content(text, "s2")) {
        (Some(s1), Some(s2)) => s2.contains(s1),
        _ => false,
    };
    let oracle = |text: &[u8]| if fails(text) { Verdict::Interesting } else { Verdict::Uninteresting };
    let run = |allow| {
        let text = archive::pack(ArchiveKind::Files, &items);
        Reduction::new(text).archive(Registry::built_in()).allow_empty(allow).run(&oracle)
    };
    assert!(matches!(run(false), Err(nubbin::Error::EmptyIsInteresting)));
    assert_eq!(shown(&run(true).expect("it fails").best), ["s1:", "s2:"]);
    let apart =
        |text: &[u8]| content(text, "s2").is_some_and(|s2| s2.contains('b')) && content(text, "s1").is_some();
    let (outcome, _) = reduce(ArchiveKind::Files, &items, &apart, 1);
    assert_eq!(shown(&outcome.best), ["s1:", "s2:b"]);
}

#[apply(test)]
fn a_directory_that_does_not_fail_is_an_error() {
    let oracle = |_: &[u8]| Verdict::Uninteresting;
    let run = Reduction::new(archive::pack(ArchiveKind::Folder, &project()))
        .archive(Registry::built_in())
        .run(&oracle);
    assert!(matches!(run, Err(nubbin::Error::NotInteresting(_))));
}

/// The known verdicts.
#[derive(Default)]
struct Known(Mutex<HashMap<nubbin::oracle::Name, Verdict>>);

impl nubbin::oracle::Record for Known {
    fn find(&self, name: &nubbin::oracle::Name) -> Option<Verdict> {
        self.0.lock().expect("no panic").get(name).copied()
    }

    fn add(&self, name: &nubbin::oracle::Name, verdict: Verdict) {
        self.0.lock().expect("no panic").insert(*name, verdict);
    }

    // A candidate that is tested again has the same verdict here.
    fn ask_again(&self, _: &nubbin::oracle::Name) {}
}

/// Returns a package of four modules, each with twelve functions of which one is needed.
fn package() -> Vec<Item> {
    let module = |name: &str| {
        let mut text = String::from("import os\n\n");
        for i in 0..12 {
            let value = if i == 5 { format!("needle_{name}()") } else { format!("{i}") };
            let lines = ["    total = 0\n", "    for item in items:\n", "        total += item\n"].concat();
            text.extend([
                "def ",
                name,
                "_",
                &i.to_string(),
                "(items):\n",
                &lines,
                "    return total + ",
                &value,
                "\n\n",
            ]);
        }
        item(&format!("{name}.py"), &text)
    };
    ["a", "b", "c", "d"].map(module).into()
}

/// Each module needs its needle, and its brackets must be balanced.
fn needles(text: &[u8]) -> bool {
    let balanced = |text: &str| text.matches('(').count() == text.matches(')').count();
    ["a", "b", "c", "d"].iter().all(|name| {
        let found = content(text, &format!("{name}.py")).unwrap_or_default();
        found.contains(&format!("needle_{name}(")) && balanced(found)
    })
}

#[apply(test)]
fn all_files_pass_the_coarse_levels_before_one_is_polished() {
    let items = package();
    let archive = archive::pack(ArchiveKind::Folder, &items);
    let oracle = |text: &[u8]| if needles(text) { Verdict::Interesting } else { Verdict::Uninteresting };
    let (mut best, mut probes, mut polished) = (archive.clone(), 0, None);
    let mut sink = |event: Event<'_>| match event {
        Event::Pass { name, .. } if name.contains(".py: ") && polished.is_none() => {
            polished = Some((best.clone(), probes));
        }
        Event::Accepted { best: now, .. } => best = now.to_vec(),
        Event::Probed { counts, .. } => probes = counts.probes,
        _ => {}
    };
    let outcome = Reduction::new(archive.clone()).archive(Registry::built_in()).sink(&mut sink).run(&oracle);
    assert!(outcome.expect("it fails").after.tokens <= 4 * 3);
    let (coarse, probes) = polished.expect("files are polished in the end");
    for name in ["a.py", "b.py", "c.py", "d.py"] {
        let length = |text: &[u8]| content(text, name).expect("it is there").len();
        assert!(4 * length(&coarse) <= length(&archive), "{name}: {}", String::from_utf8_lossy(&coarse));
    }
    assert_eq!(probes, 47, "{}", String::from_utf8_lossy(&coarse));
}

#[apply(test)]
fn large_archives_have_the_same_result_with_any_number_of_jobs() {
    let (serial, steps) = reduce(ArchiveKind::Folder, &package(), &needles, 1);
    for jobs in [2, 8] {
        let (parallel, same) = reduce(ArchiveKind::Folder, &package(), &needles, jobs);
        assert_eq!((parallel.best, parallel.counts, same), (serial.best.clone(), serial.counts, steps));
    }
}

#[apply(test)]
fn a_name_is_removed_where_it_is_defined_and_used() {
    let items = [
        item("main.py", "from util import helper\nboom(helper(1))\n"),
        item("more.py", "from util import helper\nhelper(2)\nbang()\n"),
        item("util.py", "def helper(x):\n    return x\n\nfizz()\n"),
        item("words.txt", &"words\n".repeat(200)),
    ];
    // Either all or none of its places exist.
    let fails = |text: &[u8]| {
        let [main, more, util] =
            ["main.py", "more.py", "util.py"].map(|name| content(text, name).unwrap_or(""));
        let places = [
            main.contains("import helper"),
            main.contains("helper(1)"),
            more.contains("import helper"),
            more.contains("helper(2)"),
            util.contains("def helper(x):"),
        ];
        let is_one = places.iter().all(|place| *place) || places.iter().all(|place| !*place);
        is_one && main.contains("boom(") && more.contains("bang(") && util.contains("fizz(")
    };
    let (outcome, _) = reduce(ArchiveKind::Folder, &items, &fails, 1);
    assert!(!String::from_utf8_lossy(&outcome.best).contains("helper"), "{:?}", shown(&outcome.best));
}

#[apply(test)]
fn a_function_is_removed_with_its_declaration_and_its_calls_in_other_files() {
    let items = [
        item("main.c", "#include \"util.h\"\nint main(void) { boom(); return util(1); }\n"),
        item("util.c", "#include \"util.h\"\nint util(int a) { return a; }\nint fizz;\n"),
        item("util.h", "int util(int);\nint bang;\n"),
        item("words.txt", &"words\n".repeat(200)),
    ];
    let fails = |text: &[u8]| {
        let [main, source, header] =
            ["main.c", "util.c", "util.h"].map(|name| content(text, name).unwrap_or(""));
        let places = [main.contains("util("), source.contains("util("), header.contains("util(")];
        let is_one = places.iter().all(|place| *place) || places.iter().all(|place| !*place);
        is_one && main.contains("boom(") && source.contains("fizz") && header.contains("bang")
    };
    let (outcome, _) = reduce(ArchiveKind::Folder, &items, &fails, 1);
    assert!(!String::from_utf8_lossy(&outcome.best).contains("util("), "{:?}", shown(&outcome.best));
}

#[apply(test)]
fn an_interrupted_run_of_an_archive_repeats_its_steps_from_recorded_verdicts() {
    let (whole, _) = reduce(ArchiveKind::Folder, &package(), &needles, 1);
    let archive = archive::pack(ArchiveKind::Folder, &package());
    let ran = Cell::new(0);
    let oracle = |text: &[u8]| {
        ran.set(ran.get() + 1);
        if needles(text) { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let known = Known::default();
    let run = |most: Option<usize>| {
        let reduction = Reduction::new(archive.clone()).archive(Registry::built_in()).record(&known);
        reduction.max_probes(most).run(&oracle).expect("it fails")
    };
    let part = run(Some(whole.counts.probes / 2));
    assert!(part.proof.is_cut_short() && part.after.tokens > whole.after.tokens);
    let first = ran.replace(0);
    let all = run(None);
    assert_eq!((all.best, all.counts), (whole.best, whole.counts));
    assert!(
        all.recalled >= first / 2 && ran.get() + first <= all.counts.probes + 8,
        "{first}, {}",
        ran.get()
    );
}
