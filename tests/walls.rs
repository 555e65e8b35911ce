//! Enforces the walls between the modules: the allowed dependencies, and the words that are restricted to
//! some places.
//!
//! The sources are read as text, without comments and `#[cfg(test)]`. Macro expansions are not seen, and
//! values are not tracked: a module can receive values of types that it never names.

#[path = "walls/source.rs"]
mod source;

use source::{Kind, Mention, Source, Token};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The allowed dependencies between our crates.
const BELOW: &[(&str, &[&str])] = &[
    ("browser", &[]),
    ("search", &[]),
    ("archive", &[]),
    ("syntax", &[]),
    ("language", &["syntax"]),
    ("oracle", &["archive", "search"]),
    ("python", &["archive", "language", "oracle", "reduce", "search", "session", "syntax"]),
    ("reduce", &["archive", "language", "search", "syntax"]),
    ("remote", &[]),
    ("serve", &[]),
    (
        "session",
        &[
            "archive", "browser", "language", "oracle", "reduce", "remote", "search", "serve", "state",
            "syntax",
        ],
    ),
    ("state", &["oracle", "search"]),
];

/// Names of languages that have another meaning in some places, in lower case: an ABI and a compiler, the
/// format of the settings and its crate, the shell or interpreter of a test, the interpreter that loads the
/// module, and compilers whose messages are recognized.
const NOT_LANGUAGES: &[(&str, &[&str])] = &[
    ("crates/language/src/native.rs", &["c", "cc"]),
    ("crates/oracle/src/start.rs", &["c"]),
    ("", &["toml", "sh"]),
    ("crates/oracle/src/wait.rs", &["go"]),
    ("crates/python/src/", &["python"]),
    ("crates/session/src/command.rs", &["bash", "ksh"]),
    ("crates/session/src/check/script.rs", &["bash", "ksh"]),
    ("crates/session/src/baseline/faster.rs", &["java"]),
    ("crates/session/src/reduce/agreement.rs", &["java"]),
    ("crates/oracle/src/signature/", &["java", "rust", "llvm"]),
    ("crates/state/src/debugger/interpreter.rs", &["python"]),
    ("src/command/why.rs", &["svg"]),
    ("src/", &["json"]),
    ("src/args/", &["bash"]),
    ("src/command/shell.rs", &["cc"]),
    ("src/show/record/report/curve.rs", &["h"]),
    ("crates/reduce/src/offer.rs", &["json"]),
];

/// The places that write pages and JSON objects, whose formats are also names of languages; the text is a CSS
/// class.
const FORMATS: (&[&str], &[&str], &str) = (
    &["src/show/record/", "src/show/why", "src/command/why.rs", "crates/session/src/watch.rs"],
    &["json", "html"],
    "c",
);

/// The places that start processes, and the row of `docs/guide/safety.md` that describes them.
const STARTED: &[(&str, &str)] = &[
    // The supervisor of each run, which starts the command in the sandbox.
    ("crates/oracle/src/warden/client/lab.rs", "The supervisor"),
    ("crates/oracle/src/warden/guard.rs", "The supervisor"),
    ("crates/oracle/src/warden/serve.rs", "The oracle"),
    ("crates/oracle/src/start.rs", "The oracle"),
    // Without a helper program, for callers of the library.
    ("crates/oracle/src/command/run.rs", "The oracle"),
    // Already inside the sandbox: a process started by the supervisor executes or starts another program.
    ("crates/browser/src/chromium/mod.rs", "The browser, Debuggers, Test servers"),
    ("crates/browser/src/firefox/mod.rs", "The browser, Debuggers, Test servers"),
    ("crates/browser/src/process.rs", "The browser, Debuggers, Test servers"),
    ("crates/session/src/check/wrapper.rs", "The oracle"),
    ("crates/session/src/differ.rs", "The oracle"),
    ("crates/session/src/options.rs", "The oracle"),
    ("crates/session/src/slow.rs", "The oracle"),
    ("src/bin/nubbin-wait.rs", "The oracle"),
    ("crates/serve/src/python/program.py", "The browser, Debuggers, Test servers"),
    ("crates/serve/src/python/serve.py", "The browser, Debuggers, Test servers"),
    ("crates/state/src/debugger/python.py", "The browser, Debuggers, Test servers"),
    // They do not process any input.
    ("crates/language/src/native.rs", "The C compiler of `--language DIR/`"),
    ("crates/remote/src/credential.rs", "The credential helper"),
    // The user's own Python program: its tests, and `nubbin` as a library.
    ("crates/python/python/nubbin/_program.py", "The Python module"),
    ("crates/python/python/nubbin/_workers.py", "The Python module"),
    ("crates/python/python/nubbin/_testing/fresh.py", "The Python module"),
    ("crates/python/python/nubbin/_testing/server.py", "The Python module"),
];

/// The functions by which Rust starts a process.
const STARTS: [&str; 9] = [
    "std::process::Command",
    "std::os::unix::process::CommandExt",
    "libc::SYS_clone",
    "libc::SYS_clone3",
    "libc::execve",
    "libc::fork",
    "libc::vfork",
    "libc::posix_spawn",
    "libc::system",
];

/// The functions by which other languages start a process.
const STARTS_ELSEWHERE: [&str; 12] = [
    "subprocess",
    "os.fork",
    "os.exec",
    "os.spawn",
    "os.posix_spawn",
    "os.system",
    "os.popen",
    "multiprocessing",
    "child_process",
    "fork()",
    "ProcessBuilder",
    "getRuntime().exec",
];

/// Keywords and symbols that are defined in the manifests; Rust code must look them up there.
const SAID_BY_MANIFESTS: [&str; 25] = [
    "void",
    "include",
    "require",
    "href",
    "elif",
    "elsif",
    "elseif",
    "except",
    "rescue",
    "ensure",
    "esac",
    "endif",
    "endfor",
    "endwhile",
    "endfunction",
    "endmacro",
    "endef",
    "endmodule",
    "endcase",
    "0x",
    "0b",
    "0o",
    "eEpP",
    "_'",
    "\\\n",
];

/// Words that are restricted to some places.
struct Ban {
    /// Paths, macros (`print!`) and keywords; a final `*` matches the rest of the word.
    words: &'static [&'static str],
    /// The places where they are forbidden, as prefixes of file paths.
    inside: &'static [&'static str],
    /// The exceptions, and the words allowed there: a part of the mention, or "" for all.
    except: &'static [(&'static str, &'static str)],
    wall: &'static str,
}

const COMMAND_LINE: Ban = Ban {
    words: &["clap", "anyhow", "indicatif", "ratatui", "signal_hook", "shell_words"],
    inside: &["src/lib.rs", "crates/"],
    // Arguments are quoted there for a shell.
    except: &[("crates/session/src/", "shell_words")],
    wall: "only the program may use the command line, the terminal and signals",
};

const PRINTING: Ban = Ban {
    words: &["println!", "print!", "eprintln!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
    inside: &["src/lib.rs", "crates/"],
    // The result itself may be written to standard output, and a helper is a program.
    except: &[
        ("crates/session/src/input/", "io::stdout"),
        ("crates/session/src/helper.rs", "io::stderr"),
        ("crates/browser/src/server.rs", "io::stdout"),
    ],
    wall: "the library prints nothing: it sends events",
};

const EXIT: Ban = Ban {
    words: &["process::exit", "process::abort"],
    inside: &["src/lib.rs", "crates/"],
    except: &[],
    wall: "the library never ends the program: it returns an error",
};

const TREES: Ban = Ban {
    words: &["tree_sitter"],
    inside: &["src/", "crates/"],
    except: &[("crates/syntax/src/", "")],
    wall: "only `syntax` may use the parser library",
};

const GRAMMARS: Ban = Ban {
    words: &["tree_sitter_*"],
    inside: &["src/", "crates/"],
    except: &[
        ("crates/language/src/registry.rs", ""),
        ("crates/language/src/native.rs", "tree_sitter_language"),
    ],
    wall: "only `crates/language/src/registry.rs` may use the grammar crates",
};

const THREADS: Ban = Ban {
    words: &["std::thread", "crossbeam*", "rayon*", "tokio*"],
    inside: &["src/", "crates/"],
    // Waiting for a process sleeps, and waiting for signals needs a thread; neither reduces anything.
    except: &[
        ("crates/search/src/schedule/", ""),
        ("crates/oracle/src/process.rs", "std::thread"),
        // A failed start is retried after a pause, and a thread is started there for waiting callers.
        ("crates/oracle/src/shortage.rs", "std::thread"),
        ("crates/oracle/src/descent.rs", "std::thread"),
        // These also wait for a warden, and the first of its two threads waits for the second, which is
        // confined.
        ("crates/oracle/src/warden/", "std::thread"),
        // The queries of a language are compiled in parallel, since tree-sitter is slow for the larger ones.
        ("crates/language/src/lib.rs", "std::thread"),
        // Data are freed in the background after a stop.
        ("crates/syntax/src/stop.rs", "std::thread"),
        // A thread waits for the end of the run's time.
        ("crates/session/src/stop.rs", "std::thread"),
        ("crates/session/src/check/wrapper.rs", "std::thread"),
        // The communication with a cluster needs threads, which are independent of the reduction.
        ("crates/remote/src/", "tokio"),
        // The calling Python thread checks for interrupts while the schedule works in another one.
        ("crates/python/src/caller.rs", "std::thread"),
        ("src/signal.rs", "std::thread"),
        ("src/show/progress.rs", "std::thread"),
        ("src/show/record/fact.rs", "std::thread::sleep"),
        // The view draws in a separate thread, which reduces nothing.
        ("src/show/live/", "std::thread"),
    ],
    wall: "only `schedule` may use threads",
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
        "crates/oracle/src/signature",
        "crates/session/src/change/",
        "crates/reduce/src/difference",
        "crates/search/src/dd",
        "crates/search/src/verdict",
        "crates/reduce/src/pass",
        "crates/syntax/src",
    ],
    except: &[("crates/syntax/src/stop.rs", "std::thread")],
    wall: "searches, passes, trees and edits must not use a clock, files, processes or randomness",
};

const VERDICTS: Ban = Ban {
    words: &[
        "Verdict",
        "nubbin_search::Verdict",
        "nubbin_search::oracle",
        "nubbin_search::schedule",
        "nubbin_search::dd",
        "nubbin_search::parallel",
        "crate::reduction",
        "crate::event",
    ],
    inside: &["crates/reduce/src/pass/"],
    except: &[],
    wall: "a pass must not use verdicts, the oracle, the schedule or the engine",
};

const UNSAFE: Ban = Ban {
    words: &["unsafe"],
    inside: &["src/", "crates/"],
    except: &[
        ("crates/language/src/native.rs", ""),
        ("crates/oracle/src/start.rs", ""),
        ("crates/oracle/src/descent.rs", ""),
        ("crates/oracle/src/warden/", ""),
        ("src/stdout.rs", ""),
    ],
    wall: "only `crates/language/src/native.rs` (loads custom parsers), the kernel interface of `oracle`, and \
           `src/stdout.rs` (runs before `main`) may be unsafe",
};

#[test]
fn crates_depend_only_on_those_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut crates = entries(&root);
    crates.sort();
    let walled: BTreeSet<PathBuf> = BELOW.iter().map(|(name, _)| root.join(name)).collect();
    assert_eq!(crates.iter().cloned().collect::<BTreeSet<_>>(), walled, "each crate needs a line in BELOW");
    for (name, below) in BELOW {
        let manifest = fs::read_to_string(root.join(name).join("Cargo.toml")).expect("a manifest");
        assert_eq!(above(&manifest, below), Vec::<String>::new(), "forbidden dependencies of crates/{name}");
    }
}

#[test]
fn an_upward_dependency_is_found() {
    let manifest = "[dependencies]\nnubbin-search.workspace = true\nnubbin-oracle = { workspace = true }\n";
    assert_eq!(above(manifest, &["search"]), ["oracle"]);
}

#[test]
fn passes_do_not_use_verdicts_the_schedule_or_the_engine() {
    stands(|_, source| banned(source, &VERDICTS));
}

#[test]
fn the_library_does_not_use_the_command_line() {
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
fn keywords_and_symbols_are_defined_in_the_manifests_only() {
    stands(signs);
}

#[test]
fn threads_are_in_the_schedule_only() {
    stands(|_, source| banned(source, &THREADS));
}

#[test]
fn searches_and_passes_do_not_access_the_outside_world() {
    stands(|_, source| banned(source, &OUTSIDE_WORLD));
}

#[test]
fn unsafe_code_only_loads_user_parsers_or_starts_tests() {
    stands(|_, source| banned(source, &UNSAFE));
}

#[test]
fn processes_are_started_in_the_places_that_the_page_on_safety_lists_only() {
    let house = House::read();
    let mut found: BTreeSet<String> =
        house.sources.iter().filter(|source| starts(source)).map(|s| s.path.clone()).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting: Vec<PathBuf> =
        entries(&root.join("crates")).into_iter().map(|one| one.join("src")).collect();
    waiting.push(root.join("crates/python/python"));
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(entries(&path));
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !["py", "js", "mjs", "c", "java"].contains(&ending) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source can be read");
        if STARTS_ELSEWHERE.iter().any(|word| text.contains(word)) {
            found.insert(path.strip_prefix(root).expect("it is below").to_string_lossy().into_owned());
        }
    }
    let listed: BTreeSet<String> = STARTED.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(
        found, listed,
        "programs that process an input or a candidate must be started by `nubbin_session::tool`"
    );
    let page = fs::read_to_string(root.join("docs/guide/safety.md")).expect("the page is there");
    for (path, row) in STARTED {
        assert!(page.contains(&format!("| {row}")), "{path}: `{row}` in docs/guide/safety.md");
    }
}

#[test]
fn the_start_of_a_process_is_found_for_any_import() {
    for (text, is_start) in [
        ("use std::process::{self, Command};", true),
        ("fn f() { std::process::Command::new(\"x\"); }", true),
        ("use std::process; fn f() { process::Command::new(\"x\"); }", true),
        ("use std::process as p;", true),
        ("fn f() { unsafe { libc::fork() }; }", true),
        ("use std::process::ExitCode; use clap::Command;", false),
        ("#[cfg(test)] mod tests { use std::process::Command; }", false),
    ] {
        assert_eq!(starts(&Source::new("src/a.rs", text)), is_start, "{text}");
    }
}

#[test]
fn a_breach_is_reported_with_its_line_word_and_wall() {
    let breaches = all_breaches(
        &House::read(),
        "crates/reduce/src/pass/rule.rs",
        "//! Rules.\n\nuse nubbin_search::oracle::Oracle;\n",
    );
    let [breach] = &breaches[..] else { panic!("one breach, not {breaches:?}") };
    for part in ["crates/reduce/src/pass/rule.rs:3", "`nubbin_search::oracle::Oracle`", "a pass must not use"]
    {
        assert!(breach.contains(part), "`{part}` in `{breach}`");
    }
}

#[test]
fn every_wall_detects_a_breach() {
    let house = House::read();
    for (path, line, word) in [
        ("crates/search/src/dd.rs", "fn f() { std::thread::yield_now(); }", "std::thread::yield_now"),
        ("crates/reduce/src/pass/token.rs", "use nubbin_search::Verdict;", "nubbin_search::Verdict"),
        ("crates/oracle/src/lib.rs", "fn f() -> anyhow::Result<()> { Ok(()) }", "anyhow::Result"),
        ("crates/oracle/src/lib.rs", "fn f() { g(anyhow!(1)); }", "anyhow!"),
        ("crates/reduce/src/reduction.rs", "fn f() { println!(\"done\"); }", "println!"),
        ("crates/reduce/src/event.rs", "use std::io::{self, stderr};", "std::io::stderr"),
        ("crates/reduce/src/reduction.rs", "fn f() { std::process::exit(1); }", "std::process::exit"),
        (
            "crates/syntax/src/edit.rs",
            "static SEEN: std::sync::Mutex<u32> = std::sync::Mutex::new(0);",
            "static SEEN",
        ),
        ("crates/syntax/src/edit.rs", "static mut SEEN: u32 = 0;", "static mut"),
        (
            "crates/reduce/src/pass/token.rs",
            "fn f(n: tree_sitter::Node<'_>) { let q = '\"'; }",
            "tree_sitter::Node",
        ),
        (
            "crates/language/src/lib.rs",
            "use tree_sitter_language::LanguageFn;",
            "tree_sitter_language::LanguageFn",
        ),
        ("crates/language/src/native.rs", "use tree_sitter_python as py;", "tree_sitter_python"),
        ("crates/reduce/src/pass/rule.rs", "fn f(l: &str) -> bool { l == \"python\" }", "\"python\""),
        ("crates/reduce/src/pass/rule.rs", "const X: &[u8] = br#\"C++\"#;", "\"C++\""),
        ("crates/reduce/src/pass/rule.rs", "fn reindent_python() {}", "reindent_python"),
        ("crates/reduce/src/pass/rule.rs", "enum Kind { HtmlElement }", "HtmlElement"),
        (
            "crates/reduce/src/pass/rule.rs",
            "const X: &str = \"not in html, please\";",
            "\"not in html, please\"",
        ),
        ("crates/oracle/src/command.rs", "use std::{io, thread::JoinHandle};", "std::thread::JoinHandle"),
        (
            "crates/search/src/search/dd.rs",
            "fn f() { let now = std::time::Instant::now(); }",
            "std::time::Instant::now",
        ),
        ("crates/syntax/src/edit.rs", "fn f(x: *const u8) -> u8 { unsafe { *x } }", "unsafe"),
        ("crates/reduce/src/pass/rule.rs", "fn f(l: &[u8]) -> bool { l == b\"void\" }", "\"void\""),
        (
            "crates/reduce/src/pass/rule.rs",
            "fn f(l: &str) -> bool { l == \"call_expression\" }",
            "call_expression",
        ),
    ] {
        let breaches = all_breaches(&house, path, line);
        let told = breaches.iter().any(|breach| breach.contains(path) && breach.contains(word));
        assert!(told, "`{word}` in {path} is told: {breaches:?}");
    }
}

#[test]
fn allowed_code_is_not_a_breach() {
    let house = House::read();
    for (path, line) in [
        ("crates/syntax/src/edit.rs", "// use crate::oracle::Oracle;\n/* unsafe /* println!() */ python */"),
        ("crates/syntax/src/edit.rs", "/// ```\n/// use nubbin::Registry; // \"python\"\n/// ```\nfn f() {}"),
        (
            "crates/syntax/src/edit.rs",
            "#[cfg(test)]\nmod tests { use crate::oracle::Oracle; fn f() { println!(\"}\"); } }\n",
        ),
        (
            "crates/syntax/src/edit.rs",
            "fn f(s: &str) -> bool { s == \"crate::oracle::run(); unsafe\" && 'x' != '\\'' }",
        ),
        (
            "crates/reduce/src/pass/rule.rs",
            "use super::{Layer, hoist::hoist};\nuse nubbin_search::search::{Group, Kind};",
        ),
        (
            "crates/reduce/src/pass/rule.rs",
            "fn f<'l>(a: &'l str) -> impl Iterator<Item = u8> + use<'l> { a.bytes() }",
        ),
        (
            "crates/syntax/src/grammar.rs",
            "type Error = serde_json::Error; const FILE: &str = \"node-types.json\";",
        ),
        ("src/args/mod.rs", "use clap::Parser; use nubbin::{Outcome, event::Event}; use crate::cli::Task;"),
        ("src/args/mod.rs", "const EXAMPLE: &str = \"nubbin 'python check.py {}' page.html\";"),
        ("crates/session/src/input/best.rs", "fn f() { std::io::stdout().lock(); }"),
        ("crates/reduce/src/reduction.rs", "use crate::{oracle, pass::{self, Pass}, Verdict};"),
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

/// Returns the breaches of every wall in an invented source.
fn all_breaches(house: &House, path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let bans =
        [&COMMAND_LINE, &PRINTING, &EXIT, &TREES, &GRAMMARS, &THREADS, &OUTSIDE_WORLD, &UNSAFE, &VERDICTS];
    let mut breaches: Vec<String> = bans.iter().flat_map(|ban| banned(&source, ban)).collect();
    breaches.extend([languages(house, &source), globals(&source), signs(house, &source)].concat());
    breaches
}

/// Returns our crates that a manifest names and that are not `below`.
fn above(manifest: &str, below: &[&str]) -> Vec<String> {
    let names = manifest.lines().filter_map(|line| line.strip_prefix("nubbin-"));
    let names = names.map(|line| line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
    names.filter(|name| !below.contains(&name.as_str())).collect()
}

/// Returns whether a source starts processes. Importing the whole module, or importing it under another name,
/// counts.
fn starts(source: &Source) -> bool {
    source.mentions.iter().any(|mention| {
        let is_whole = mention.path == ["std", "process"] || mention.is("process::Command");
        is_whole || STARTS.iter().any(|start| mention.is(start))
    })
}

/// Returns the words of a ban outside of their places.
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

/// Returns mutable globals.
fn globals(source: &Source) -> Vec<String> {
    let wall = "globals must not be mutable, because two reductions can run in one process";
    if is_program(&source.path) {
        return Vec::new();
    }
    let changes = |word: &str| {
        word.starts_with("Atomic") || ["Mutex", "RwLock", "Cell", "RefCell", "OnceCell"].contains(&word)
    };
    // A thread-local flag for the duration of one reduction: another reduction on the same thread has its
    // own.
    if source.path == "crates/syntax/src/stop.rs" {
        return Vec::new();
    }
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

/// Returns keywords and symbols of languages, and node kinds of their grammars, in string literals.
fn signs(house: &House, source: &Source) -> Vec<String> {
    let wall = "syntax is defined in `language.toml`, `common.toml` and the queries";
    let inside = ["crates/language/src/", "crates/reduce/src/", "crates/syntax/src/"];
    if !inside.iter().any(|place| source.path.starts_with(place))
        || source.path == "crates/language/src/registry.rs"
    {
        return Vec::new();
    }
    let is_said = |text: &String| SAID_BY_MANIFESTS.contains(&text.as_str()) || house.nodes.contains(text);
    let found = source.tokens.iter().filter_map(|token| match &token.kind {
        Kind::Text(text) if is_said(text) => Some(source.breach(token.line, &format!("\"{text}\""), wall)),
        _ => None,
    });
    found.collect()
}

/// Returns built-in languages that are named in identifiers or string literals.
fn languages(house: &House, source: &Source) -> Vec<String> {
    let wall = "only `crates/language/src/registry.rs` names a language; ask the manifest";
    if ["crates/serve/src/", "crates/browser/src/"].iter().any(|place| source.path.starts_with(place)) {
        // They name programs that run a test and types of files, and not languages of inputs.
        return Vec::new();
    }
    if source.path == "crates/language/src/registry.rs" {
        return Vec::new();
    }
    let writes = FORMATS.0.iter().any(|place| source.path.starts_with(place));
    let is_format = |part: &str| writes && FORMATS.1.contains(&part.to_lowercase().as_str());
    let is_other = |word: &str| {
        NOT_LANGUAGES.iter().any(|(place, words)| source.path.starts_with(place) && words.contains(&word))
    };
    let mut breaches = Vec::new();
    for token in &source.tokens {
        let found = match &token.kind {
            Kind::Text(text) if writes && text == FORMATS.2 => None,
            Kind::Word(word) if word != "serde_json" => {
                let is_name = |part: &String| house.is_long_name(part) && !is_format(part) && !is_other(part);
                let names = words_of(word).iter().any(is_name);
                names.then(|| word.clone())
            }
            Kind::Text(text) => {
                let lower = text.trim().to_lowercase();
                let whole =
                    !is_other(&lower) && (house.names.contains(&lower) || house.endings.contains(&lower));
                let inside = !is_program(&source.path) && text_names(text, house, is_other);
                (whole || inside).then(|| format!("\"{text}\""))
            }
            _ => None,
        };
        breaches.extend(found.map(|word| source.breach(token.line, &word, wall)));
    }
    breaches
}

/// Returns whether a text contains the name of a language as a word; file extensions do not count.
fn text_names(text: &str, house: &House, is_other: impl Fn(&str) -> bool) -> bool {
    let lower = text.to_lowercase();
    let ending = |word: &str| lower.contains(&format!(".{word}"));
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| house.is_long_name(word) && !ending(word) && !is_other(word))
}

/// Returns the words of an identifier in lower case: `HtmlElement` and `html_element` have the same two.
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
    path.starts_with("src/") && path != "src/lib.rs"
}

/// The sources, and the names against which they are checked.
struct House {
    sources: Vec<Source>,
    /// Names and titles of the built-in languages, in lower case.
    names: BTreeSet<String>,
    /// Their file extensions; many of these have another meaning inside a longer text.
    endings: BTreeSet<String>,
    /// Node kinds of two words or more in the queries, such as `call_expression`.
    nodes: BTreeSet<String>,
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
        let names = said(root, &["name ", "title "]);
        Self { names, endings: said(root, &["extensions "]), nodes: nodes(root), sources }
    }

    /// Returns whether a word names a language and can hardly mean anything else.
    fn is_long_name(&self, word: &str) -> bool {
        word.len() > 2 && self.names.contains(word)
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}

/// Returns the node kinds of two words or more in the queries.
fn nodes(root: &Path) -> BTreeSet<String> {
    let folders = entries(&root.join("grammars"));
    let files = folders.iter().filter(|path| path.is_dir()).flat_map(|path| entries(path));
    let queries = files.filter(|path| path.extension().is_some_and(|ending| ending == "scm"));
    let mut nodes = BTreeSet::new();
    for file in queries {
        let text = fs::read_to_string(file).expect("a query can be read");
        let words =
            text.split('(').skip(1).map(|rest| rest.split(|c: char| c != '_' && !c.is_alphanumeric()).next());
        nodes.extend(words.flatten().filter(|word| word.trim_matches('_').contains('_')).map(str::to_owned));
    }
    assert!(nodes.contains("call_expression"), "the queries are found");
    nodes
}

/// Returns the values of some keys of the manifests, in lower case.
fn said(root: &Path, keys: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in entries(&root.join("grammars")) {
        let Ok(manifest) = fs::read_to_string(folder.join("language.toml")) else { continue };
        for line in manifest.lines() {
            if keys.iter().any(|key| line.starts_with(key)) {
                names.extend(line.split('"').skip(1).step_by(2).map(str::to_lowercase));
            }
        }
    }
    assert!(names.len() > 7, "the manifests are found");
    names
}
