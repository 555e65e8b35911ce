//! A custom grammar directory: compiled from the sources of a grammar, with custom rules, and with broken
//! ones.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the sources of a grammar that this project depends on, wherever cargo stores them.
fn json_grammar() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let cargo = |words: &[&str]| {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs").stdout
        };
        let version = String::from_utf8(cargo(&["-vV"])).expect("cargo writes text");
        let host =
            version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
        let words = ["metadata", "--format-version", "1", "--offline", "--filter-platform", host];
        let metadata: serde_json::Value = serde_json::from_slice(&cargo(&words)).expect("cargo writes JSON");
        let packages = metadata["packages"].as_array().expect("a list of packages");
        let json =
            packages.iter().find(|package| package["name"] == "tree-sitter-json").expect("a dependency");
        Path::new(json["manifest_path"].as_str().expect("a path")).parent().expect("a folder").to_owned()
    })
}

/// Creates a directory with the sources of that grammar and these additional files.
fn folder(files: &[(&str, &str)]) -> Sandbox {
    tools::program("cc");
    let folder = plain_folder(files);
    std::os::unix::fs::symlink(json_grammar().join("src"), folder.path("src")).expect("a link");
    folder
}

/// Creates a directory with these files and no grammar.
fn plain_folder(files: &[(&str, &str)]) -> Sandbox {
    let folder = Sandbox::new();
    for (name, text) in files {
        folder.file(name, text);
    }
    folder
}

fn nubbin(folder: &Sandbox, arguments: &[&str]) -> Finished {
    folder.run(env!("CARGO_BIN_EXE_nubbin"), &[&["--language", "./"], arguments].concat())
}

const MANIFEST: &str = "name = \"thing\"\ntitle = \"Thing\"\nextensions = [\"thing\"]\n";

#[apply(test)]
fn a_grammar_is_compiled_and_its_rules_are_used() {
    let rules = "((string) @replace\n  (#set! rule \"string-to-empty\")\n  (#set! text \"\\\"\\\"\"))\n";
    let folder = folder(&[
        ("language.toml", MANIFEST),
        ("value.scm", rules),
        ("a.thing", "[1, {\"some text\": [true, \"more text\"]}, 3]\n"),
    ]);
    let output = nubbin(&folder, &["debug", "deltas", "rewrite", "a.thing"]);
    let text = output.stdout;
    assert!(text.contains("\"\\\"more text\\\"\" -> \"\\\"\\\"\""), "{text}{}", output.stderr);
    let output = nubbin(&folder, &["-q", "-o", "-", "grep -q true", "a.thing"]);
    assert_eq!(output.stdout.trim(), "true");
}

#[apply(test)]
fn a_grammar_without_a_manifest_is_named_after_its_directory() {
    let folder = folder(&[("a.thing", "[1, [2, 3], {\"a\": 4}]\n")]);
    let output = nubbin(&folder, &["-q", "-o", "-", "grep -q 3", "a.thing"]);
    assert_eq!(output.stdout.trim(), "3", "{}", output.stderr);
}

#[apply(test)]
fn a_broken_rule_is_reported_with_file_line_and_column() {
    let cases = [
        ("(string) @remove\n", "value.scm:1:10", "unknown capture `@remove`"),
        ("\n((string) @_a (#equals? @_a \"x\"))\n", "value.scm:2:16", "unknown operator `#equals?`"),
        ("((string) @delete (#set! name \"x\"))\n", "value.scm:1:26", "unknown property `name`"),
        ("((text) @delete (#set! rule \"x\"))\n", "value.scm:1:3", "no node `text`"),
        ("((string) @delete (#set! rule \"x\")\n", "value.scm:", "invalid query"),
        ("(string) @delete\n", "value.scm:1:1", "has no name"),
        ("((string) @replace (#set! rule \"x\"))\n", "value.scm:1:1", "requires either `@with` or"),
        (
            "((string) @replace (#set! rule \"x\") (#set! from \"(\") (#set! text \"y\"))\n",
            "value.scm:1:1",
            "`from`: regex parse error",
        ),
        (
            "((string) @delete (#set! rule \"x\") (#set! from \"a\"))\n",
            "value.scm:1:1",
            "`from` requires `@replace`",
        ),
        (
            "((array \"[\" @delete (_) @with) @replace (#set! rule \"x\"))\n",
            "value.scm:1:1",
            "`@with` cannot be combined with `@delete`",
        ),
        (
            "((array (_)? @also) @replace (#set! rule \"x\") (#set! text \"\") (#set! also \"\"))\n",
            "value.scm:1:1",
            "captured exactly once",
        ),
        (
            "((array \"[\" @also) @replace (#set! rule \"x\") (#set! text \"\"))\n",
            "value.scm:1:1",
            "`@also` requires `(#set! also",
        ),
        (
            "((array \"[\" @delete) (#set! rule \"x\") (#set! text \"\"))\n",
            "value.scm:1:1",
            "nothing is captured as `@replace`",
        ),
        ("((array) @outdent (#set! rule \"x\"))\n", "value.scm:1:1", "has no edit"),
    ];
    for (rules, place, message) in cases {
        let folder = folder(&[("language.toml", MANIFEST), ("value.scm", rules), ("a.thing", "[1]\n")]);
        let output = nubbin(&folder, &["debug", "tree", "a.thing"]);
        let text = &output.stderr;
        assert_eq!(output.code(), 6, "{text}");
        assert!(text.contains(place) && text.contains(message), "{rules}\n{text}");
    }
}

#[apply(test)]
fn a_directory_without_a_grammar_is_reported() {
    let empty = plain_folder(&[("a.thing", "[1]\n")]);
    let output = nubbin(&empty, &["debug", "tree", "a.thing"]);
    let text = &output.stderr;
    assert_eq!(output.code(), 6, "{text}");
    assert!(text.contains("no parser in") && text.contains("`inherits = "), "{text}");

    let broken = folder(&[("language.toml", "name = 3\n"), ("a.thing", "[1]\n")]);
    let output = nubbin(&broken, &["debug", "tree", "a.thing"]);
    let text = &output.stderr;
    assert!(text.contains("language.toml") && text.contains("line 1"), "{text}");
}

#[apply(test)]
fn a_directory_without_a_grammar_extends_its_base_language() {
    let manifest = "name = \"mine\"\ntitle = \"Mine\"\ninherits = \"c\"\nwithout = [\"literal-to-zero\"]\n";
    let rules = "((call_expression) @replace\n  (#set! rule \"call-to-seven\")\n  (#set! text \"7\"))\n";
    let folder = plain_folder(&[
        ("language.toml", manifest),
        ("expression.scm", rules),
        ("a.c", "int f() { return g(\"text\", 1024); }\n"),
    ]);
    let output = nubbin(&folder, &["debug", "deltas", "rewrite", "a.c"]);
    let text = output.stdout;
    let error = output.stderr;
    assert!(text.contains("1024)\" -> \"7\""), "its own rule: {text}{error}");
    assert!(text.contains("\"\\\"text\\\"\" -> \"\\\"\\\"\""), "a rule of the base: {text}{error}");
    assert!(!text.contains("\"1024\" -> \"0\""), "the rule that it is without: {text}{error}");
    let output = nubbin(&folder, &["-q", "-o", "-", "grep -q text", "a.c"]);
    assert!(output.stdout.contains("text"), "{output:?}");
}

#[apply(test)]
fn a_directory_with_a_grammar_inherits_the_names_of_its_base_language() {
    let manifest = format!("{MANIFEST}inherits = \"json\"\n");
    let text = "[{\"some text\": \"more text\"}]\n";
    let of_base = folder(&[("language.toml", &manifest), ("a.thing", text)]);
    let without = folder(&[("language.toml", MANIFEST), ("a.thing", text)]);
    let deltas = |folder: &Sandbox| nubbin(folder, &["debug", "deltas", "rename", "a.thing"]).stdout;
    assert_eq!(deltas(&without), "");
    let of_base = deltas(&of_base);
    assert!(of_base.contains("some text"), "{of_base}");
}

#[apply(test)]
fn calls_are_replaced_by_bodies_through_a_grammar_alone() {
    let folder = plain_folder(&[("a.js", "function f(a) { g(a, 1); }\nfunction h() { f(2); }\nh();\n")]);
    let nubbin = env!("CARGO_BIN_EXE_nubbin");
    let deltas = |pass| {
        folder
            .run("env", &["NUBBIN_RULES=none", nubbin, "debug", "deltas", pass, "a.js"])
            .stdout
            .replace('\\', "")
    };
    let inlined = deltas("inline-function");
    assert!(inlined.contains(r#""f(2);" -> "g(2, 1);""#), "{inlined}");
    let fewer = deltas("remove-parameter");
    assert!(fewer.contains(r#"11..12 "a" -> "" 44..45 "2" -> """#), "{fewer}");
}

#[apply(test)]
fn a_file_of_rules_can_be_omitted_for_measurements() {
    let folder = plain_folder(&[("a.c", "int f() { return g(1024); }\n")]);
    let nubbin = env!("CARGO_BIN_EXE_nubbin");
    let deltas = |rules: &str| {
        let rules = format!("NUBBIN_RULES={rules}");
        folder.run("env", &[&rules, nubbin, "debug", "deltas", "rewrite", "a.c"])
    };
    let to_zero = "\"1024\" -> \"0\"";
    assert!(deltas("").stdout.contains(to_zero));
    let without = deltas("-python/late.scm,-c/expression.scm").stdout;
    assert!(!without.contains(to_zero) && without.contains("return"), "{without}");
    let slip = deltas("c/expression.scm");
    assert!(!slip.status.success() && slip.stderr.contains("not `c/expression.scm`"), "{slip:?}");
    let unknown = deltas("-c/expresion.scm");
    assert!(!unknown.status.success() && unknown.stderr.contains("no file `c/expresion.scm`"), "{unknown:?}");
}

#[apply(test)]
fn an_unsuitable_base_language_is_reported_with_a_hint() {
    let cases = [
        ("inherits = \"d\"\n", "", "unknown base language `d`", "the languages are c, cpp, "),
        ("without = [\"x\"]\n", "", "`without` lists `x`, but the language has no base", ""),
        ("inherits = \"c\"\nwithout = [\"x\"]\n", "", "`without` lists `x`", "file or key of `c`"),
        (
            "inherits = \"css\"\n",
            "",
            "the grammar has no node",
            "`thing` inherits this pattern from `css`; add `without = [\"",
        ),
        ("inherits = \"json\"\n", "(a", "value.scm:1:1", "is not closed"),
        (
            "inherits = \"python\"\nwithout = [\"opaque\"]\n",
            "",
            "which `empty` of `python` lists",
            "add `without = [\"empty\"]` to leave `empty` out",
        ),
    ];
    for (keys, rules, message, remedy) in cases {
        let manifest = format!("{MANIFEST}{keys}");
        let folder = folder(&[("language.toml", &manifest), ("value.scm", rules), ("a.thing", "[1]\n")]);
        let output = nubbin(&folder, &["debug", "tree", "a.thing"]);
        let text = &output.stderr;
        assert_eq!(output.code(), 6, "{keys}: {text}");
        assert!(text.contains(message) && text.contains(remedy), "{keys}: {text}");
    }
}

#[apply(test)]
fn the_only_grammar_of_a_package_is_used_and_several_are_listed() {
    tools::program("cc");
    let package = plain_folder(&[("a.thing", "[1, 2]\n")]);
    let grammar = |name: &str| {
        let folder = package.path("grammars").join(name);
        std::fs::create_dir_all(&folder).expect("a writable folder");
        std::os::unix::fs::symlink(json_grammar().join("src"), folder.join("src")).expect("a link");
    };
    grammar("json");
    let output = nubbin(&package, &["debug", "tree", "a.thing"]);
    assert!(output.stdout.contains("array"), "{output:?}");
    grammar("other");
    let output = nubbin(&package, &["debug", "tree", "a.thing"]);
    let text = &output.stderr;
    assert_eq!(output.code(), 6, "{text}");
    for part in ["contains several grammars", "\nhint: ", "/grammars/json/\n", "/grammars/other/\n"] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
}
