//! The real binary with real shell oracles, each run with an outer time limit.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[macro_use]
extern crate macro_rules_attribute;

#[path = "../support/alive.rs"]
mod alive;
#[path = "../support/buildbox.rs"]
mod buildbox;
#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
#[path = "../support/tools.rs"]
mod tools;

mod bad_input;
mod beside;
mod browser;
mod changes;
mod check;
mod classic;
mod command;
mod complete;
mod control;
mod diagnostic;
mod durable;
mod firefox;
mod flaky;
mod folder;
mod grammar_folder;
mod hostile;
mod init;
mod inline;
mod interrupt;
mod isolate;
mod java;
mod journal;
mod limits;
mod live;
mod machine;
mod meant;
mod needs;
mod node;
mod options;
mod prestart;
mod propose;
mod remote;
mod repeat;
mod report;
mod result;
mod robust;
mod sandbox;
mod server;
mod signature;
mod slow;
mod stranger;
mod triage;
mod typed;
mod unit;
mod why;
mod with_options;

use nubbin::Registry;
use sandbox::Sandbox;

fn main() {
    harness::main(Vec::new())
}

#[apply(test)]
fn without_arguments_the_short_help_is_shown() {
    let run = Sandbox::new().nubbin(&[""; 0]);
    assert_eq!(run.code(), 2);
    assert!(run.stderr.contains("nubbin [OPTIONS] <SCRIPT> <FILE>"), "{run:?}");
}

#[apply(test)]
fn the_long_help_has_examples_and_the_exit_codes() {
    let run = Sandbox::new().nubbin(&["--help"]);
    assert_eq!(run.code(), 0);
    for text in ["nubbin ./oracle.sh bug.c", "Exit codes:", "the empty input fails as well", "128+n"] {
        assert!(run.stdout.contains(text), "{text}: {run:?}");
    }
}

#[apply(test)]
fn the_version_is_one_line() {
    for typed in ["--version", "-V"] {
        let run = Sandbox::new().nubbin(&[typed]);
        assert_eq!(
            (run.code(), run.stdout.as_str()),
            (0, concat!("nubbin ", env!("CARGO_PKG_VERSION"), "\n"))
        );
    }
}

/// Returns the names and descriptions of the commands in the short help.
fn commands() -> Vec<(String, String)> {
    let help = Sandbox::new().nubbin(&["-h"]).stdout;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let command = |line: &str| {
        let (name, about) = line.trim().split_once(' ').expect("a description");
        (name.to_owned(), about.trim().to_owned())
    };
    list.lines().map(command).collect()
}

#[apply(test)]
fn the_manual_has_a_page_for_each_command() {
    let sandbox = Sandbox::new();
    let page = sandbox.nubbin(&["manual"]).stdout;
    assert!(
        page.starts_with('.') && page.contains(".SH SYNOPSIS") && page.contains("max\\-candidates"),
        "{page}"
    );
    let run = sandbox.nubbin(&["manual", "--output", "man"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let plain = |page: String| page.replace("\\-", "-").replace("\\&", "").replace("\\*(Aq", "'");
    let whole = plain(sandbox.read("man/nubbin.1"));
    for (name, about) in commands() {
        assert!(whole.contains(&about), "{name}: {about}");
        let page = plain(sandbox.read(format!("man/nubbin-{name}.1")));
        assert!(page.contains(&format!("nubbin-{name} - {about}")), "{page}");
        for section in ["OPTIONS", "EXAMPLES", "\"EXIT STATUS\"", "ENVIRONMENT"] {
            assert!(page.contains(&format!(".SH {section}\n")), "{name}, {section}: {page}");
        }
    }
    let page = |name: &str| plain(sandbox.read(format!("man/nubbin-{name}.1")));
    assert!(page("isolate").contains("NAME.passing.EXT") && page("trust").contains("trusted"));
    assert!(page("browser").contains("NUBBIN_FORMATTER") && !page("languages").contains("FILES"));
    assert!(sandbox.has("man/nubbin-debug-tree.1"));
}

#[apply(test)]
fn man_shows_all_pages_without_warnings() {
    tools::program("man");
    let sandbox = Sandbox::new();
    sandbox.nubbin(&["manual", "--output", "man"]);
    for (name, _) in commands() {
        let path = format!("man/nubbin-{name}.1");
        let run = sandbox.run("man", &["--warnings", "-l", &path]);
        assert_eq!((run.code(), run.stderr.as_str()), (0, ""), "{name}");
    }
    sandbox.file("page", sandbox.nubbin(&["manual"]).stdout);
    let run = sandbox.run("man", &["--warnings", "-l", "page"]);
    assert_eq!((run.code(), run.stderr.as_str()), (0, ""));
    let page: String = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        page.contains("cache=on allow cached") && page.contains("EXAMPLES nubbin bug.c -- gcc"),
        "{page}"
    );
}

#[apply(test)]
fn the_long_help_and_the_short_help_list_the_same_commands() {
    let long = Sandbox::new().nubbin(&["--help"]).stdout;
    let all = commands();
    assert!(all.len() > 15, "{all:?}");
    for (name, about) in all {
        assert!(long.lines().any(|line| line.trim().starts_with(&name) && line.ends_with(&about)), "{name}");
    }
}

#[apply(test)]
fn languages_are_listed_with_their_features() {
    let run = Sandbox::new().nubbin(&["languages"]);
    assert_eq!(run.code(), 0);
    let line = run.stdout.lines().find(|line| line.starts_with("python ")).expect("Python is listed");
    for part in ["Python", "yes", "black", ".py"] {
        assert!(line.contains(part), "`{part}` in `{line}`");
    }
    let left_out = run.stdout.lines().filter(|line| line.contains("--features")).count();
    assert_eq!(left_out, Registry::built_in().left_out().count(), "{}", run.stdout);
}

#[apply(test)]
fn a_tree_and_the_deltas_of_a_pass_are_shown_without_an_oracle() {
    let sandbox = Sandbox::new();
    sandbox.file("data.json", "[1, 2]\n");
    let run = sandbox.nubbin_confined(&["debug", "tree", "data.json"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stdout.is_empty());
    let run = sandbox.nubbin_confined(&["debug", "deltas", "no-such-pass", "data.json"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("no-such-pass"), "{run:?}");
}

#[apply(test)]
fn a_closed_pipe_does_not_cause_a_panic() {
    let sandbox = Sandbox::new();
    let line = format!("'{}' languages | true; '{0}' --help | true", env!("CARGO_BIN_EXE_nubbin"));
    let run = sandbox.run("sh", &["-c", &line]);
    assert_eq!((run.code(), run.stderr.as_str()), (0, ""));
}
