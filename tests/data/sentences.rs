//! Every `sentences.toml` matches the current grammar of its crate.
//!
//! With `UPDATE=1` the files are rewritten, for every language whose grammar crate contains its
//! `grammar.json`.

use crate::harness::trial;
use libtest_mimic::Trial;
use nubbin::Registry;
use nubbin::syntax::Sentences;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the `grammar.json` of each grammar among the program's dependencies, by the name of the grammar
/// and by that of its crate.
fn grammars() -> BTreeMap<String, PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("a list") {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(of_crate) = name.strip_prefix("tree-sitter-") else { continue };
        let manifest = package["manifest_path"].as_str().expect("a path");
        let folder = Path::new(manifest).parent().expect("a folder");
        let inside = std::fs::read_dir(folder).expect("a readable folder").flatten();
        let folders = inside.map(|entry| entry.path()).chain([folder.to_owned()]);
        let files: Vec<PathBuf> =
            folders.map(|path| path.join("src/grammar.json")).filter(|path| path.exists()).collect();
        for path in &files {
            let text = std::fs::read_to_string(path).expect("a readable file");
            let grammar: Value = serde_json::from_str(&text).expect("it is JSON");
            found.insert(grammar["name"].as_str().expect("a name").to_owned(), path.clone());
        }
        if let [path] = &files[..] {
            found.entry(of_crate.to_owned()).or_insert(path.clone());
        }
    }
    found
}

/// Returns the text of `sentences.toml`, a line for each kind.
fn written(sentences: &Sentences) -> String {
    let mut text =
        "# Written by `UPDATE=1 cargo test --test data sentences` from the grammar's `grammar.json`.\n"
            .to_owned();
    let list = |texts: &[String]| toml::Value::from(texts.to_vec()).to_string();
    writeln!(text, "words = {}\n\n[kinds]", list(&sentences.words)).expect("to a string");
    for (kind, texts) in &sentences.kinds {
        let is_plain = kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let kind = if is_plain { kind.clone() } else { toml::Value::from(kind.as_str()).to_string() };
        writeln!(text, "{kind} = {}", list(texts)).expect("to a string");
    }
    text
}

fn is_as_the_grammar_says(language: &str, grammar: &Path) {
    let json = std::fs::read_to_string(grammar).expect("a readable file");
    let sentences =
        Sentences::of_grammar(&json).unwrap_or_else(|error| panic!("{}: {error}", grammar.display()));
    let text = written(&sentences);
    assert_eq!(toml::from_str::<Sentences>(&text).expect("it is read again"), sentences);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars").join(language).join("sentences.toml");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("a writable file");
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == text, "`{}` is out of date; write it with UPDATE=1", path.display());
}

pub fn tests() -> Vec<Trial> {
    let grammars = grammars();
    let of = |name: &str| {
        let own = grammars.get(name).or_else(|| grammars.get(&name.replace('-', "_")));
        // A crate can be one of several for a language, with a suffix after the language's name.
        let variant = || {
            grammars.iter().find(|(of, _)| of.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')))
        };
        own.or_else(|| variant().map(|(_, path)| path)).cloned()
    };
    let languages = Registry::built_in().manifests().map(|manifest| manifest.name.clone());
    let with_grammar = languages.filter_map(|name| Some((of(&name)?, name)));
    with_grammar
        .map(|(grammar, name)| {
            trial(format!("sentences::{name}"), move || is_as_the_grammar_says(&name, &grammar))
        })
        .collect()
}
