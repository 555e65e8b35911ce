//! Keeps the walls between the modules: who may name whom, and which words stand where.
//!
//! It reads the sources as text, without comments and `#[cfg(test)]`. It does not see what a macro makes of
//! them, and it does not follow values: a module may be handed what it never names.

#[path = "walls/source.rs"]
mod source;

use source::{Kind, Mention, Source, Token};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each module of the library may name besides itself: modules, or single items of one.
const KNOWS: &[(&str, &[&str])] = &[
    ("edit", &[]),
    ("archive", &[]),
    // Of searches only the shape of groups.
    ("change", &["archive", "language", "syntax", "search::Outline"]),
    // Of passes only what an input is cut into.
    ("difference", &["language", "syntax", "edit", "pass::Unit"]),
    ("input", &["archive"]),
    ("event", &["verdict", "edit"]),
    ("signature", &[]),
    ("offer", &["edit"]),
    ("oracle", &["verdict", "archive", "signature"]),
    ("syntax", &["edit"]),
    ("language", &["syntax", "edit"]),
    // The shapes of groups only: a pass knows no search, and never a verdict; and of archives not those on disk.
    (
        "pass",
        &[
            "language",
            "syntax",
            "edit",
            "search::Group",
            "search::Groups",
            "search::Kind",
            "archive::Entry",
            "archive::Kind",
            "archive::Type",
            "archive::entries",
            "archive::kind",
            "offer::Offer",
        ],
    ),
    ("dump", &["language", "pass", "syntax", "search::Kind"]),
    (
        "reduce",
        &[
            "schedule", "pass", "input", "event", "language", "syntax", "edit", "search", "oracle",
            "verdict", "archive", "offer",
        ],
    ),
];

/// Modules of the crates below that this one hands on; what they may name, the compiler keeps.
const BELOW: [&str; 4] = ["dd", "parallel", "schedule", "search"];

/// What the program (`cli` and `main`) may name of the library.
const PROGRAM_KNOWS: &[&str] = &[
    "reduce",
    "dump",
    "event",
    "input",
    "language",
    "offer",
    "oracle",
    "pass",
    "verdict",
    "archive",
    "parallel",
    "edit::Edit",
    "edit::Span",
    "edit::count_tokens",
    "edit::count_lines",
    "edit::is_word",
    "signature",
    "change",
    "difference",
];

/// Words that are a language's name elsewhere, and here an ABI and a compiler.
const NOT_LANGUAGES: [(&str, &[&str]); 2] =
    [("src/language/native.rs", &["C", "CC", "cc"]), ("src/oracle/start.rs", &["C"])];

/// Where pages and objects are written, which are in formats that are languages' names as well; the text is a class of a
/// page.
const FORMATS: (&[&str], &[&str], &str) = (&["src/cli/record/", "src/cli/watch.rs"], &["json", "html"], "c");

/// Words that stand in some places only.
struct Ban {
    /// Paths, macros (`print!`) and keywords; a `*` at the end stands for the rest of the word.
    words: &'static [&'static str],
    /// Where they are forbidden: the beginnings of files' paths.
    inside: &'static [&'static str],
    /// Where they are allowed all the same, and which of them: a part of what is written, or "" for all.
    except: &'static [(&'static str, &'static str)],
    wall: &'static str,
}

const COMMAND_LINE: Ban = Ban {
    words: &["clap", "anyhow", "indicatif", "ratatui", "signal_hook", "shell_words"],
    inside: &["src/", "crates/"],
    except: &[("src/cli/", ""), ("src/main.rs", "")],
    wall: "only `cli` knows the command line, the terminal and signals",
};

const PRINTING: Ban = Ban {
    words: &["println!", "print!", "eprintln!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
    inside: &["src/", "crates/"],
    // The result itself may go to standard output.
    except: &[("src/cli/", ""), ("src/main.rs", ""), ("src/input/", "io::stdout")],
    wall: "the library prints nothing: it sends events",
};

const EXIT: Ban = Ban {
    words: &["process::exit", "process::abort"],
    inside: &["src/", "crates/"],
    except: &[("src/cli/", ""), ("src/main.rs", "")],
    wall: "the library never ends the program: it returns an error",
};

const TREES: Ban = Ban {
    words: &["tree_sitter"],
    inside: &["src/", "crates/"],
    except: &[("src/syntax/", "")],
    wall: "only `syntax` knows the parser library",
};

const GRAMMARS: Ban = Ban {
    words: &["tree_sitter_*"],
    inside: &["src/", "crates/"],
    except: &[("src/language/registry.rs", ""), ("src/language/native.rs", "tree_sitter_language")],
    wall: "only `src/language/registry.rs` knows the grammars' crates",
};

const THREADS: Ban = Ban {
    words: &["std::thread", "crossbeam*", "rayon*", "tokio*"],
    inside: &["src/", "crates/"],
    // Waiting for a process sleeps, and waiting for signals takes a thread; neither of them reduces anything.
    except: &[
        ("crates/search/src/schedule/", ""),
        ("src/oracle/process.rs", "std::thread"),
        ("src/oracle/descent.rs", "std::thread"),
        // Waiting for a warden, too; and of its two threads the first waits for the second, which is confined.
        ("src/oracle/warden/", "std::thread"),
        // A language's queries are compiled side by side: tree-sitter takes long for the larger ones.
        ("src/language/mod.rs", "std::thread"),
        ("src/cli/limits.rs", "std::thread::available_parallelism"),
        ("src/cli/signal.rs", "std::thread"),
        ("src/cli/progress.rs", "std::thread"),
        ("src/cli/check/wrapper.rs", "std::thread"),
        ("src/cli/record/fact.rs", "std::thread::sleep"),
        // The view draws in a thread of its own, and reduces nothing there.
        ("src/cli/live/", "std::thread"),
    ],
    wall: "only `schedule` knows threads",
};

const OUTSIDE_WORLD: Ban = Ban {
    words: &[
        "std::time",
        "std::thread",
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "std::io",
        "rand*",
        "fastrand*",
        "getrandom*",
    ],
    inside: &[
        "crates/search/src/search",
        "src/signature",
        "src/change",
        "src/difference",
        "crates/search/src/dd",
        "crates/search/src/verdict",
        "src/pass",
        "src/syntax",
        "src/edit",
    ],
    except: &[],
    wall: "searches, passes, trees and edits know no clock, file, process or randomness",
};

const UNSAFE: Ban = Ban {
    words: &["unsafe"],
    inside: &["src/", "crates/"],
    except: &[
        ("src/language/native.rs", ""),
        ("src/oracle/start.rs", ""),
        ("src/oracle/warden/namespace.rs", ""),
        ("src/oracle/warden/notify.rs", ""),
    ],
    wall: "only `src/language/native.rs`, which loads a user's parser, `src/oracle/start.rs`, and of the \
           wardens what speaks with the kernel are unsafe",
};

#[test]
fn modules_name_only_what_they_may_know() {
    stands(knowledge);
}

#[test]
fn the_library_knows_no_command_line() {
    stands(|_, source| banned(source, &COMMAND_LINE));
}

#[test]
fn the_library_neither_prints_nor_exits() {
    stands(|_, source| [banned(source, &PRINTING), banned(source, &EXIT)].concat());
}

#[test]
fn the_library_has_no_mutable_global() {
    stands(|_, source| globals(source));
}

#[test]
fn the_parser_library_is_named_in_syntax_only() {
    stands(|_, source| banned(source, &TREES));
}

#[test]
fn grammars_are_named_in_the_registry_only() {
    stands(|_, source| banned(source, &GRAMMARS));
}

#[test]
fn languages_are_named_in_the_registry_only() {
    stands(languages);
}

#[test]
fn threads_are_in_the_schedule_only() {
    stands(|_, source| banned(source, &THREADS));
}

#[test]
fn searches_and_passes_know_nothing_of_the_outside_world() {
    stands(|_, source| banned(source, &OUTSIDE_WORLD));
}

#[test]
fn unsafe_code_is_where_a_users_parser_is_loaded_or_a_test_is_started_only() {
    stands(|_, source| banned(source, &UNSAFE));
}

#[test]
fn every_module_has_walls() {
    let house = House::read();
    let walled: BTreeSet<String> = KNOWS.iter().map(|(module, _)| (*module).to_owned()).collect();
    assert_eq!(
        house.modules, walled,
        "the modules of src/lib.rs, and those that tests/walls.rs has walls for"
    );
}

#[test]
fn a_breach_is_found_and_told_with_its_line_word_and_wall() {
    let breaches =
        all_breaches(&House::read(), "src/pass/rule.rs", "//! Rules.\n\nuse crate::oracle::Oracle;\n");
    let [breach] = &breaches[..] else { panic!("one breach, not {breaches:?}") };
    for part in ["src/pass/rule.rs:3", "`crate::oracle::Oracle`", "`pass` may name"] {
        assert!(breach.contains(part), "`{part}` in `{breach}`");
    }
}

#[test]
fn every_wall_can_be_breached() {
    let house = House::read();
    for (path, line, word) in [
        ("crates/search/src/dd.rs", "fn f() { std::thread::yield_now(); }", "std::thread::yield_now"),
        ("src/pass/token.rs", "use crate::search::Search;", "crate::search::Search"),
        ("src/pass/token.rs", "use crate::Verdict;", "crate::Verdict"),
        ("src/edit.rs", "pub(in crate::pass) fn f() {}", "crate::pass"),
        ("src/edit.rs", "use super::*;", "super::*"),
        ("src/reduce/stage.rs", "use crate::cli::Args;", "crate::cli::Args"),
        ("src/cellar.rs", "use crate::edit::Edit;", "crate::edit::Edit"),
        ("src/cli/args.rs", "use nubbin::search::Ddmin;", "nubbin::search::Ddmin"),
        ("src/oracle/mod.rs", "fn f() -> anyhow::Result<()> { Ok(()) }", "anyhow::Result"),
        ("src/oracle/mod.rs", "fn f() { g(anyhow!(1)); }", "anyhow!"),
        ("src/reduce.rs", "fn f() { println!(\"done\"); }", "println!"),
        ("src/event.rs", "use std::io::{self, stderr};", "std::io::stderr"),
        ("src/reduce.rs", "fn f() { std::process::exit(1); }", "std::process::exit"),
        ("src/edit.rs", "static SEEN: std::sync::Mutex<u32> = std::sync::Mutex::new(0);", "static SEEN"),
        ("src/edit.rs", "static mut SEEN: u32 = 0;", "static mut"),
        ("src/pass/token.rs", "fn f(n: tree_sitter::Node<'_>) { let q = '\"'; }", "tree_sitter::Node"),
        ("src/language/mod.rs", "use tree_sitter_language::LanguageFn;", "tree_sitter_language::LanguageFn"),
        ("src/language/native.rs", "use tree_sitter_python as py;", "tree_sitter_python"),
        ("src/pass/rule.rs", "fn f(l: &str) -> bool { l == \"python\" }", "\"python\""),
        ("src/pass/rule.rs", "const X: &[u8] = br#\"C++\"#;", "\"C++\""),
        ("src/pass/rule.rs", "fn reindent_python() {}", "reindent_python"),
        ("src/pass/rule.rs", "enum Kind { HtmlElement }", "HtmlElement"),
        ("src/pass/rule.rs", "const X: &str = \"not in html, please\";", "\"not in html, please\""),
        ("src/oracle/command.rs", "use std::{io, thread::JoinHandle};", "std::thread::JoinHandle"),
        (
            "crates/search/src/search/dd.rs",
            "fn f() { let now = std::time::Instant::now(); }",
            "std::time::Instant::now",
        ),
        ("src/edit.rs", "fn f(x: *const u8) -> u8 { unsafe { *x } }", "unsafe"),
    ] {
        let breaches = all_breaches(&house, path, line);
        let told = breaches.iter().any(|breach| breach.contains(path) && breach.contains(word));
        assert!(told, "`{word}` in {path} is told: {breaches:?}");
    }
}

#[test]
fn what_is_allowed_is_no_breach() {
    let house = House::read();
    for (path, line) in [
        ("src/edit.rs", "// use crate::oracle::Oracle;\n/* unsafe /* println!() */ python */"),
        ("src/edit.rs", "/// ```\n/// use nubbin::Registry; // \"python\"\n/// ```\nfn f() {}"),
        (
            "src/edit.rs",
            "#[cfg(test)]\nmod tests { use crate::oracle::Oracle; fn f() { println!(\"}\"); } }\n",
        ),
        ("src/edit.rs", "fn f(s: &str) -> bool { s == \"crate::oracle::run(); unsafe\" && 'x' != '\\'' }"),
        ("src/pass/rule.rs", "use super::{Layer, hoist::hoist};\nuse crate::search::{Group, Kind};"),
        ("src/pass/rule.rs", "fn f<'l>(a: &'l str) -> impl Iterator<Item = u8> + use<'l> { a.bytes() }"),
        ("src/syntax/grammar.rs", "type Error = serde_json::Error; const FILE: &str = \"node-types.json\";"),
        ("src/cli/args.rs", "use clap::Parser; use nubbin::{Outcome, event::Event}; use crate::cli::Task;"),
        ("src/cli/args.rs", "const EXAMPLE: &str = \"nubbin 'python check.py {}' page.html\";"),
        ("src/input/best.rs", "fn f() { std::io::stdout().lock(); }"),
        ("src/reduce.rs", "use crate::{oracle, pass::{self, Pass}, Verdict};"),
    ] {
        assert_eq!(all_breaches(&house, path, line), Vec::<String>::new(), "{path}: {line}");
    }
}

/// Asserts that no source breaches a wall.
fn stands(check: impl Fn(&House, &Source) -> Vec<String>) {
    let house = House::read();
    assert!(house.sources.len() > 20, "the sources are found");
    let breaches: Vec<String> = house.sources.iter().flat_map(|source| check(&house, source)).collect();
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

/// The breaches of every wall in a source that is made up.
fn all_breaches(house: &House, path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let bans = [&COMMAND_LINE, &PRINTING, &EXIT, &TREES, &GRAMMARS, &THREADS, &OUTSIDE_WORLD, &UNSAFE];
    let mut breaches: Vec<String> = bans.iter().flat_map(|ban| banned(&source, ban)).collect();
    breaches.extend([knowledge(house, &source), languages(house, &source), globals(&source)].concat());
    breaches
}

/// Paths into modules that the source's own module may not know.
fn knowledge(house: &House, source: &Source) -> Vec<String> {
    let program = is_program(&source.path);
    if source.path == "src/lib.rs" || source.path.starts_with("crates/") {
        return Vec::new();
    }
    let own = source.module.first().map_or("", String::as_str);
    let table = KNOWS.iter().find(|(module, _)| *module == own).map(|(_, allowed)| *allowed);
    let (own, allowed) = if program { ("cli", Some(PROGRAM_KNOWS)) } else { (own, table) };
    let mut breaches = Vec::new();
    for mention in &source.mentions {
        let Some(path) = house.resolve(mention, program) else { continue };
        let first = path.first().cloned().unwrap_or_else(|| "everything".to_owned());
        let path = path.join("::");
        let known = |entry: &&str| path == **entry || path.starts_with(&format!("{entry}::"));
        if first == own || allowed.is_some_and(|allowed| allowed.iter().any(known)) {
            continue;
        }
        let wall = match allowed {
            None => format!("the module `{own}` has no walls yet; add it to tests/walls.rs"),
            Some([]) => format!("`{own}` may name no other module, and not `{first}`"),
            Some(allowed) => {
                format!("`{own}` may name `{}`, and not `{path}`", allowed.join("`, `"))
            }
        };
        breaches.push(source.breach(mention.line, &mention.text(), &wall));
    }
    breaches
}

/// Words of a ban outside of their places.
fn banned(source: &Source, ban: &Ban) -> Vec<String> {
    if !ban.inside.iter().any(|place| source.path.starts_with(place)) {
        return Vec::new();
    }
    let excepted = |text: &str| {
        ban.except.iter().any(|(place, what)| source.path.starts_with(place) && text.contains(what))
    };
    let breaks =
        |mention: &&Mention| ban.words.iter().any(|word| mention.is(word)) && !excepted(&mention.text());
    source.mentions.iter().filter(breaks).map(|m| source.breach(m.line, &m.text(), ban.wall)).collect()
}

/// Globals that can change.
fn globals(source: &Source) -> Vec<String> {
    let wall = "two reductions can run in one process: no global changes";
    if is_program(&source.path) {
        return Vec::new();
    }
    let changes = |word: &str| {
        word.starts_with("Atomic") || ["Mutex", "RwLock", "Cell", "RefCell", "OnceCell"].contains(&word)
    };
    let mut breaches = Vec::new();
    for (i, token) in source.tokens.iter().enumerate() {
        let (Some("static"), Some(name)) = (token.word(), source.tokens.get(i + 1).and_then(Token::word))
        else {
            continue;
        };
        let declared = source.tokens[i..].iter().take_while(|t| !t.is('=') && !t.is(';'));
        if name == "mut" || declared.filter_map(Token::word).any(changes) {
            breaches.push(source.breach(token.line, &format!("static {name}"), wall));
        }
    }
    let thread_locals = source.mentions.iter().filter(|mention| mention.is("thread_local!"));
    breaches.extend(thread_locals.map(|mention| source.breach(mention.line, &mention.text(), wall)));
    breaches
}

/// Built-in languages named in identifiers or string literals.
fn languages(house: &House, source: &Source) -> Vec<String> {
    let wall = "only `src/language/registry.rs` names a language; ask the manifest";
    if source.path == "src/language/registry.rs" {
        return Vec::new();
    }
    let writes = FORMATS.0.iter().any(|place| source.path.starts_with(place));
    let is_format = |part: &str| writes && FORMATS.1.contains(&part.to_lowercase().as_str());
    let mut breaches = Vec::new();
    for token in &source.tokens {
        let found = match &token.kind {
            Kind::Text(text) if writes && text == FORMATS.2 => None,
            Kind::Word(word) if word != "serde_json" => {
                let names = words_of(word).iter().any(|part| house.is_long_name(part) && !is_format(part));
                names.then(|| word.clone())
            }
            Kind::Text(text) => {
                let is_no_language =
                    |(path, words): &(&str, &[&str])| source.path == *path && words.contains(&text.as_str());
                let other = NOT_LANGUAGES.iter().any(is_no_language);
                let whole = !other && house.names.contains(&text.trim().to_lowercase());
                let inside = !is_program(&source.path) && text_names(text, house);
                (whole || inside).then(|| format!("\"{text}\""))
            }
            _ => None,
        };
        breaches.extend(found.map(|word| source.breach(token.line, &word, wall)));
    }
    breaches
}

/// Whether a text names a language in one of its words; a file's ending is no such word.
fn text_names(text: &str, house: &House) -> bool {
    let lower = text.to_lowercase();
    let ending = |word: &str| lower.contains(&format!(".{word}"));
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| house.is_long_name(word) && !ending(word))
}

/// The words of an identifier, in lower case: `HtmlElement` and `html_element` have the same two.
fn words_of(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in identifier.chars() {
        if letter == '_' || letter.is_uppercase() && after_lower {
            words.push(String::new());
        }
        after_lower = letter.is_lowercase() || letter.is_numeric();
        if letter != '_' {
            words.last_mut().expect("there is one from the start").extend(letter.to_lowercase());
        }
    }
    words
}

fn is_program(path: &str) -> bool {
    path.starts_with("src/cli/") || path == "src/cli.rs" || path == "src/main.rs"
}

/// The sources, and what they are checked against.
struct House {
    sources: Vec<Source>,
    /// The modules that `src/lib.rs` declares.
    modules: BTreeSet<String>,
    /// What `src/lib.rs` exports again, and the module that it is of.
    exports: BTreeMap<String, String>,
    /// Names, titles and file endings of the built-in languages, in lower case.
    names: BTreeSet<String>,
}

impl House {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = Vec::new();
        let mut waiting = vec![root.join("src")];
        waiting.extend(entries(&root.join("crates")).into_iter().map(|one| one.join("src")));
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                waiting.extend(entries(&path));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root).expect("it is below").to_string_lossy().into_owned();
                sources.push(Source::new(&name, &fs::read_to_string(&path).expect("a source can be read")));
            }
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        let tests: BTreeSet<Vec<String>> = sources.iter().flat_map(|source| source.tests.clone()).collect();
        sources.retain(|source| !tests.contains(&source.module));
        let top = sources.iter().find(|source| source.path == "src/lib.rs").expect("the library has a root");
        let module = |pair: &[Token]| match pair {
            [first, second] if first.word() == Some("mod") => second.word().map(str::to_owned),
            _ => None,
        };
        let modules: BTreeSet<String> = top.tokens.windows(2).filter_map(module).collect();
        let exports = top.mentions.iter().filter(|mention| mention.path.len() > 1);
        let export = |mention: &Mention| {
            let name = mention.path[mention.path.len() - 1].clone();
            let module = match mention.path[0].as_str() {
                "nubbin_search" if BELOW.contains(&name.as_str()) => name.clone(),
                "nubbin_search" => "verdict".to_owned(),
                module => module.to_owned(),
            };
            (name, module)
        };
        let exports = exports.map(export).collect();
        Self { modules, exports, names: names(root), sources }
    }

    /// Where a path leads in the library, or `None` if it leads elsewhere.
    fn resolve(&self, mention: &Mention, program: bool) -> Option<Vec<String>> {
        let mut path = if program {
            (mention.path[0] == "nubbin").then(|| mention.path[1..].to_vec())?
        } else {
            mention.in_crate()?
        };
        path.retain(|part| part != "self");
        let first = path.first_mut()?;
        if let Some(module) = self.exports.get(first).filter(|_| !self.modules.contains(first)) {
            module.clone_into(first);
        }
        Some(path)
    }

    /// Whether a word names a language and can hardly mean anything else.
    fn is_long_name(&self, word: &str) -> bool {
        word.len() > 2 && self.names.contains(word)
    }
}

/// What a directory holds.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}

/// Names, titles and file endings from the manifests.
fn names(root: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in entries(&root.join("grammars")) {
        let Ok(manifest) = fs::read_to_string(folder.join("language.toml")) else { continue };
        for line in manifest.lines() {
            if ["name ", "title ", "extensions "].iter().any(|key| line.starts_with(key)) {
                names.extend(line.split('"').skip(1).step_by(2).map(str::to_lowercase));
            }
        }
    }
    assert!(names.len() > 7, "the manifests are found");
    names
}
