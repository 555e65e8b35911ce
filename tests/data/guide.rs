//! Every command of the guide and its printed output, page by page.
//!
//! A page is executed from top to bottom in a separate directory. A block with `file=NAME` is written to that
//! file. In a `console` block, the text after `$ ` is run by `sh`, and must print the lines after it. `…`
//! matches any text in a line, and alone in a line any lines. If the command of `<!-- needs: COMMAND -->`
//! fails, the rest of the page is skipped, and its test is ignored. A `console python` block belongs to the
//! tests of the Python module.

use crate::harness::{ignore, trial};
use crate::tools;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A step of a page.
enum Item {
    Needs(String),
    File { name: String, text: String },
    Run { command: String, shows: Vec<String> },
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide")
}

/// Returns the items of a page, in order.
fn items(page: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(needed) = line.strip_prefix("<!-- needs: ").and_then(|rest| rest.strip_suffix(" -->")) {
            items.push(Item::Needs(needed.to_owned()));
        }
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some((_, name)) = info.split_once(" file=") {
            items.push(Item::File { name: name.to_owned(), text: block.join("\n") + "\n" });
        } else if info == "console" {
            for line in block {
                match (line.strip_prefix("$ "), items.last_mut()) {
                    (Some(command), _) => {
                        items.push(Item::Run { command: command.to_owned(), shows: Vec::new() });
                    }
                    (None, Some(Item::Run { shows, .. })) => shows.push(line.to_owned()),
                    (None, _) => panic!("a block of a console begins with `$ `, not with `{line}`"),
                }
            }
        }
    }
    items
}

/// Returns whether a line matches the expected one.
fn is_like(told: &str, line: &str) -> bool {
    let mut parts = told.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Returns whether all lines match the expected ones.
fn are_like(told: &[String], lines: &[&str]) -> bool {
    match told.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => (0..=lines.len()).any(|at| are_like(rest, &lines[at..])),
        Some((first, rest)) => {
            lines.first().is_some_and(|line| is_like(first, line)) && are_like(rest, &lines[1..])
        }
    }
}

/// Runs a command as in the guide, with combined output.
fn shell(command: &str, place: &Path) -> (bool, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_nubbin")).parent().expect("it is in a directory");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program.to_owned()).chain(std::env::split_paths(&path)));
    let run = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(place)
        .env("PATH", path.expect("no directory has a colon"))
        .env("XDG_CONFIG_HOME", place)
        .env("NUBBIN_FORMATTER", "none")
        .env("NUBBIN_PREPROCESSOR", "none")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("there is a shell");
    (run.status.success(), String::from_utf8_lossy(&run.stdout).into_owned())
}

/// Returns the tests: each page with at least one command.
pub fn tests() -> Vec<Trial> {
    let pages = pages()
        .into_iter()
        .filter(|(_, text)| items(text).iter().any(|item| matches!(item, Item::Run { .. })));
    pages.map(|(page, _)| trial(format!("guide::{page}"), move || follow(&page))).collect()
}

/// Returns the pages of the guide with their texts, without the table of contents.
fn pages() -> Vec<(String, String)> {
    let names = std::fs::read_dir(folder())
        .expect("the guide is there")
        .map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("names are ASCII"));
    let is_page = |name: &String| name != "SUMMARY.md" && Path::new(name).extension() == Some("md".as_ref());
    let pages = names.filter(is_page);
    pages
        .map(|name| (name.clone(), std::fs::read_to_string(folder().join(name)).expect("it can be read")))
        .collect()
}

/// The tools that the commands and scripts of the guide call by name.
const TOOLS: [&str; 7] = ["clang", "g++", "gcc", "git", "make", "node", "python3"];

/// Requires the tools that a page uses before it lists what the rest of it needs.
fn needs_tools(items: &[Item]) {
    for item in items {
        let told = match item {
            Item::Needs(_) => return,
            Item::File { text, .. } => text,
            Item::Run { command, .. } => command,
        };
        let words: Vec<&str> = told.split(|c: char| !c.is_alphanumeric() && c != '+').collect();
        TOOLS.iter().filter(|tool| words.contains(tool)).for_each(|tool| tools::program(tool));
    }
}

/// Executes a page.
fn follow(page: &str) {
    let text = std::fs::read_to_string(folder().join(page)).expect("the page is there");
    needs_tools(&items(&text));
    let place = tempfile::tempdir().expect("a directory can be made");
    let mut wrong = Vec::new();
    for item in items(&text) {
        match item {
            Item::Needs(needed) if !shell(&needed, place.path()).0 => {
                assert!(wrong.is_empty(), "{page}\n\n{}", wrong.join("\n"));
                ignore(format!("the rest of the page needs `{needed}`"));
            }
            Item::Needs(_) => {}
            Item::File { name, text } => {
                use std::os::unix::fs::PermissionsExt;
                let path = place.path().join(name);
                std::fs::write(&path, &text).expect("it can be written");
                if text.starts_with("#!") {
                    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("it is ours");
                }
            }
            Item::Run { command, shows } => {
                let (_, shown) = shell(&command, place.path());
                if !are_like(&shows, &shown.lines().collect::<Vec<_>>()) {
                    wrong.push(format!("$ {command}\nshows\n{shown}\nnot\n{}\n", shows.join("\n")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{page}\n\n{}", wrong.join("\n"));
}

#[apply(test)]
fn expected_lines_can_contain_ellipses() {
    assert!(is_like("a … c", "a b c") && is_like("a", "a") && is_like("…", "") && is_like("a…", "ab"));
    assert!(!is_like("a … c", "a b d") && !is_like("a", "ab") && !is_like("b…", "ab"));
    let told = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(are_like(&told(&["a", "…", "d"]), &["a", "b", "c", "d"]) && are_like(&[], &[]));
    assert!(!are_like(&told(&["a", "…", "d"]), &["a", "b"]) && !are_like(&[], &["a"]));
}

#[apply(test)]
fn every_page_is_in_the_table_of_contents() {
    let contents = std::fs::read_to_string(folder().join("SUMMARY.md")).expect("the book has a summary");
    for (name, _) in pages() {
        assert!(contents.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}

#[apply(test)]
fn the_page_of_options_has_every_option_of_the_long_help() {
    let (_, help) = shell("nubbin --help", &folder());
    let page = std::fs::read_to_string(folder().join("options.md")).expect("the page is there");
    let words =
        help.lines().filter(|line| line.trim_start().starts_with('-')).flat_map(str::split_whitespace);
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '-';
    let options = words.filter_map(|word| word.split(|c| !is_letter(c)).next());
    for option in options.filter(|option| option.len() > 2 && option.starts_with("--")) {
        assert!(page.contains(&format!("`{option}")), "{option} is not in docs/guide/options.md");
    }
}
