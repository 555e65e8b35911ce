//! A user's own grammar folder: compiled from a grammar's sources, with rules of its own, and with broken ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The sources of a grammar that this project depends on, wherever cargo keeps them.
fn json_grammar() -> PathBuf {
    let version = Command::new(env!("CARGO")).arg("-vV").output().expect("cargo runs").stdout;
    let version = String::from_utf8(version).expect("cargo writes text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let json = packages.iter().find(|package| package["name"] == "tree-sitter-json").expect("a dependency");
    Path::new(json["manifest_path"].as_str().expect("a path")).parent().expect("a folder").to_owned()
}

/// A folder with that grammar's sources and these files of its own.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = plain_folder(files);
    std::os::unix::fs::symlink(json_grammar().join("src"), folder.path().join("src")).expect("a link");
    folder
}

/// A folder with these files and no grammar.
fn plain_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a writable folder");
    }
    folder
}

fn nubbin(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nubbin"))
        .arg("--grammar")
        .arg(folder)
        .args(arguments)
        .env("NUBBIN_FORMATTER", "none")
        .env("NUBBIN_PREPROCESSOR", "none")
        .env("XDG_CONFIG_HOME", folder)
        .current_dir(folder)
        .output()
        .expect("the program runs")
}

const MANIFEST: &str = "name = \"thing\"\ntitle = \"Thing\"\nextensions = [\"thing\"]\n";

#[test]
fn a_grammar_is_compiled_and_its_rules_are_used() {
    let rules = "((string) @replace\n  (#set! rule \"string-to-empty\")\n  (#set! text \"\\\"\\\"\"))\n";
    let folder = folder(&[
        ("language.toml", MANIFEST),
        ("value.scm", rules),
        ("a.thing", "[1, {\"some text\": [true, \"more text\"]}, 3]\n"),
    ]);
    let output = nubbin(folder.path(), &["--dump-deltas", "rule", "a.thing"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("\"\\\"more text\\\"\" -> \"\\\"\\\"\""),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = nubbin(folder.path(), &["-q", "-o", "-", "grep -q true", "a.thing"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "true");
}

#[test]
fn a_grammar_without_a_manifest_is_named_after_its_folder() {
    let folder = folder(&[("a.thing", "[1, [2, 3], {\"a\": 4}]\n")]);
    let output = nubbin(folder.path(), &["-q", "-o", "-", "grep -q 3", "a.thing"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "3",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_broken_rule_is_reported_with_file_line_and_column() {
    let cases = [
        ("(string) @remove\n", "value.scm:1:10", "unknown capture `@remove`"),
        ("\n((string) @_a (#equals? @_a \"x\"))\n", "value.scm:2:16", "unknown operator `#equals?`"),
        ("((string) @delete (#set! name \"x\"))\n", "value.scm:1:26", "unknown property `name`"),
        ("((text) @delete (#set! rule \"x\"))\n", "value.scm:1:3", "no node `text`"),
        ("((string) @delete (#set! rule \"x\")\n", "value.scm:", "not a query"),
        ("(string) @delete\n", "value.scm:1:1", "has no name"),
        ("((string) @replace (#set! rule \"x\"))\n", "value.scm:1:1", "needs either `@with` or"),
        (
            "((array \"[\" @delete (_) @with) @replace (#set! rule \"x\"))\n",
            "value.scm:1:1",
            "no `@delete`, `@also` or `@outdent` beside it",
        ),
        (
            "((array (_)? @also) @replace (#set! rule \"x\") (#set! text \"\") (#set! also \"\"))\n",
            "value.scm:1:1",
            "captured exactly once",
        ),
        (
            "((array \"[\" @also) @replace (#set! rule \"x\") (#set! text \"\"))\n",
            "value.scm:1:1",
            "`@also` needs `(#set! also",
        ),
        (
            "((array \"[\" @delete) (#set! rule \"x\") (#set! text \"\"))\n",
            "value.scm:1:1",
            "nothing is captured as `@replace`",
        ),
        ("((array) @outdent (#set! rule \"x\"))\n", "value.scm:1:1", "asks for nothing"),
    ];
    for (rules, place, message) in cases {
        let folder = folder(&[("language.toml", MANIFEST), ("value.scm", rules), ("a.thing", "[1]\n")]);
        let output = nubbin(folder.path(), &["--dump-tree", "a.thing"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(6), "{text}");
        assert!(text.contains(place) && text.contains(message), "{rules}\n{text}");
    }
}

#[test]
fn a_folder_that_is_no_grammar_is_reported() {
    let empty = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(empty.path().join("a.thing"), "[1]\n").expect("a writable folder");
    let output = nubbin(empty.path(), &["--dump-tree", "a.thing"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(6), "{text}");
    assert!(text.contains("holds no parser") && text.contains("`inherits = "), "{text}");

    let broken = folder(&[("language.toml", "name = 3\n"), ("a.thing", "[1]\n")]);
    let output = nubbin(broken.path(), &["--dump-tree", "a.thing"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("language.toml") && text.contains("line 1"), "{text}");
}

#[test]
fn a_folder_without_a_grammar_adds_to_the_language_that_it_builds_on() {
    let manifest = "name = \"mine\"\ntitle = \"Mine\"\ninherits = \"c\"\nwithout = [\"literal-to-zero\"]\n";
    let rules = "((call_expression) @replace\n  (#set! rule \"call-to-seven\")\n  (#set! text \"7\"))\n";
    let folder = plain_folder(&[
        ("language.toml", manifest),
        ("expression.scm", rules),
        ("a.c", "int f() { return g(\"text\", 1024); }\n"),
    ]);
    let output = nubbin(folder.path(), &["--dump-deltas", "rule", "a.c"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("1024)\" -> \"7\""), "its own rule: {text}{error}");
    assert!(text.contains("\"\\\"text\\\"\" -> \"\\\"\\\"\""), "a rule of the base: {text}{error}");
    assert!(!text.contains("\"1024\" -> \"0\""), "the rule that it is without: {text}{error}");
    let output = nubbin(folder.path(), &["-q", "-o", "-", "grep -q text", "a.c"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("text"), "{output:?}");
}

#[test]
fn a_folder_with_a_grammar_has_the_rules_of_the_language_that_it_builds_on() {
    let manifest = format!("{MANIFEST}inherits = \"json\"\n");
    let text = "[{\"some text\": \"more text\"}]\n";
    let of_base = folder(&[("language.toml", &manifest), ("a.thing", text)]);
    let without = folder(&[("language.toml", MANIFEST), ("a.thing", text)]);
    let deltas = |folder: &Path| nubbin(folder, &["--dump-deltas", "rule", "a.thing"]).stdout;
    assert_eq!(deltas(without.path()), b"");
    let of_base = String::from_utf8(deltas(of_base.path())).expect("text");
    assert!(of_base.contains("more text"), "{of_base}");
}

#[test]
fn a_base_that_does_not_fit_is_reported_with_what_to_do() {
    let cases = [
        ("inherits = \"d\"\n", "", "there is no language `d` to inherit from", "the languages are c, cpp, "),
        ("without = [\"x\"]\n", "", "`without` names `x`, but the language builds on no other", ""),
        ("inherits = \"c\"\nwithout = [\"x\"]\n", "", "`without` names `x`", "that comes from `c`"),
        ("inherits = \"css\"\n", "", "the grammar has no node", "`thing` has it from `css`; `without = [\""),
        ("inherits = \"json\"\n", "(a", "value.scm:1:1", "is left open"),
        (
            "inherits = \"python\"\nwithout = [\"opaque\"]\n",
            "",
            "which `empty` of `python` names",
            "`without = [\"empty\"]` leaves it out",
        ),
    ];
    for (keys, rules, message, remedy) in cases {
        let manifest = format!("{MANIFEST}{keys}");
        let folder = folder(&[("language.toml", &manifest), ("value.scm", rules), ("a.thing", "[1]\n")]);
        let output = nubbin(folder.path(), &["--dump-tree", "a.thing"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(6), "{keys}: {text}");
        assert!(text.contains(message) && text.contains(remedy), "{keys}: {text}");
    }
}

#[test]
fn of_a_package_the_only_grammar_is_taken_and_of_several_the_choice_is_shown() {
    let package = plain_folder(&[("a.thing", "[1, 2]\n")]);
    let grammar = |name: &str| {
        let folder = package.path().join("grammars").join(name);
        std::fs::create_dir_all(&folder).expect("a writable folder");
        std::os::unix::fs::symlink(json_grammar().join("src"), folder.join("src")).expect("a link");
    };
    grammar("json");
    let output = nubbin(package.path(), &["--dump-tree", "a.thing"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("array"), "{output:?}");
    grammar("other");
    let output = nubbin(package.path(), &["--dump-tree", "a.thing"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(6), "{text}");
    for part in ["holds several grammars", "\nhint: ", "/grammars/json\n", "/grammars/other\n"] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
}
