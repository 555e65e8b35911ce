//! Inlined files: `--inline`, and directories.

use crate::sandbox::Sandbox;
use crate::tools;

/// Creates a C file whose failure needs the contents of three headers, one of them in a directory of `-I`.
fn headers(sandbox: &Sandbox) {
    std::fs::create_dir_all(sandbox.path("inc/sub")).unwrap();
    sandbox.file("bug.c", "#include \"own.h\"\n#include <inc.h>\nint f(void) { return BOOM(size); }\n");
    sandbox.file("own.h", "#ifndef OWN_H\n#define OWN_H\n#include <inc.h>\nextern int size;\n#endif\n");
    sandbox.file("inc/inc.h", "#pragma once\n#include \"sub/deep.h\"\n#include <stddef.h>\n");
    sandbox.file("inc/sub/deep.h", "#define BOOM(x) x + boom\n");
}

#[apply(test)]
fn headers_are_inlined_with_nested_ones_guards_and_include_directories() {
    tools::program("gcc");
    let sandbox = Sandbox::new();
    headers(&sandbox);
    let words = [
        "--inline",
        "--max-candidates",
        "5",
        "--preprocessor",
        "none",
        "bug.c",
        "--",
        "gcc",
        "-Iinc",
        "-c",
        "{}",
    ];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    // Three runs of the input, one of the empty candidate, and one of all headers.
    assert_eq!(
        sandbox.read("bug.reduced.c"),
        "#ifndef OWN_H\n#define OWN_H\n#define BOOM(x) x + boom\n#include <stddef.h>\nextern int size;\n#endif\nint f(void) { return BOOM(size); }\n"
    );
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.contains("inline-files"), "{history:?}");
}

#[apply(test)]
fn files_that_can_or_cannot_be_inlined_are_reported_once() {
    tools::program("gcc");
    let sandbox = Sandbox::new();
    headers(&sandbox);
    let words = ["--max-candidates", "5", "bug.c", "--", "gcc", "-Iinc", "-c", "{}"];
    let run = sandbox.nubbin(&words);
    let note = "note: `inc/inc.h`, `inc/sub/deep.h` and `own.h` are included but not reduced; to reduce included files, add `--inline`";
    assert_eq!(run.stderr.matches(note).count(), 1, "{run:?}");
    let run = sandbox.nubbin(&[&["--inline=never"], &words[..]].concat());
    assert!(!run.stderr.contains("included but not reduced"), "{run:?}");
    let run = sandbox.nubbin(&[&["--inline", "--unit", "line"], &words[..]].concat());
    assert!(run.stderr.contains("note: `--inline` has no effect with --unit"), "{run:?}");
    sandbox.file("alone.c", "int f(void) { return boom; }\n");
    let run = sandbox.nubbin(&["--inline", "alone.c", "--", "gcc", "-c", "{}"]);
    assert!(run.stderr.contains("note: `--inline` has no effect: no included file was found"), "{run:?}");
}

#[apply(test)]
fn a_header_that_hides_the_failure_is_not_inlined() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "#include \"a.h\"\n#include \"b.h\"\nint c;\n");
    sandbox.file("a.h", "int a;\n");
    sandbox.file("b.h", "int b;\n");
    sandbox.oracle(
        "oracle.sh",
        "grep -q '[\"]b.h' \"$1\" && grep -q 'int c' \"$1\" && ! grep -q 'int b' \"$1\"",
    );
    let run = sandbox.nubbin(&["--inline", "--max-candidates", "6", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), "int a;\n#include \"b.h\"\nint c;\n", "{run:?}");
}

/// Creates a package in which a call through several files fails.
fn package(sandbox: &Sandbox) {
    std::fs::create_dir_all(sandbox.path("p/shop/data")).unwrap();
    sandbox.file(
        "p/main.py",
        "from shop import line\nimport shop.stock as stock\nfrom shop.data.rate import *\n\ndef price():\n    return stock.price(\"lamp\")\n\nprint(line(price() / RATE))\n",
    );
    sandbox.file("p/shop/__init__.py", "from .report import line as line\n");
    sandbox.file(
        "p/shop/report.py",
        "from . import stock\n\ndef line(value):\n    return f\"{value} {stock.NAME}\"\n",
    );
    sandbox.file(
        "p/shop/stock.py",
        "NAME = \"shop\"\nPRICES = {\"lamp\": 10}\n\ndef price(name):\n    return PRICES[name]\n",
    );
    sandbox.file("p/shop/data/rate.py", "from ..stock import PRICES\nRATE = PRICES[\"lamp\"] - 10\n");
}

#[apply(test)]
fn a_package_becomes_one_file_if_its_failure_stays() {
    tools::program("python3");
    let sandbox = Sandbox::new();
    package(&sandbox);
    let words = ["p", "--", "python3", "p/main.py"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("p.reduced/main.py").trim(), "0 / 0");
    assert!(!sandbox.path("p.reduced/shop").exists(), "{run:?}");
    // Both tables of passes would contain it.
    let few = ["--verbose", "--max-candidates", "40", "-o", "q"];
    let with = sandbox.nubbin(&[&few[..], &words[..]].concat());
    assert!(with.stderr.contains("inline-files"), "{with:?}");
    let without = sandbox.nubbin(&[&["--inline=never", "-o", "r"], &few[..3], &words[..]].concat());
    assert!(without.stderr.contains("candidates") && !without.stderr.contains("inline-files"), "{without:?}");
}

#[apply(test)]
fn a_single_file_in_python_gets_the_modules_that_it_imports() {
    tools::program("python3");
    let sandbox = Sandbox::new();
    package(&sandbox);
    let words = ["--inline", "--max-candidates", "5", "p/main.py", "--", "python3", "p/main.py"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(
        sandbox.read("p/main.reduced.py"),
        "NAME = \"shop\"\nPRICES = {\"lamp\": 10}\ndef price_2(name):\n    return PRICES[name]\ndef line(value):\n    return f\"{value} {NAME}\"\nRATE = PRICES[\"lamp\"] - 10\ndef price():\n    return price_2(\"lamp\")\nprint(line(price() / RATE))\n"
    );
}

#[apply(test)]
fn a_crate_becomes_one_file_if_rustc_still_reports_the_same() {
    tools::program("rustc");
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("p/src/shop")).unwrap();
    sandbox.file("p/src/main.rs", "mod shop;\nmod unused;\n#[path = \"odd/place.rs\"]\nmod place;\nfn main() { println!(\"{}\", shop::stock::price(place::NAME)); }\n");
    sandbox.file("p/src/unused.rs", "pub fn unused() {}\n");
    sandbox.file("p/src/shop/mod.rs", "//! A shop.\npub mod stock;\n");
    sandbox.file("p/src/shop/stock.rs", "pub fn price(name: &str) -> u32 { name }\n");
    std::fs::create_dir_all(sandbox.path("p/src/odd")).unwrap();
    sandbox.file("p/src/odd/place.rs", "pub const NAME: &str = \"lamp\";\n");
    let words = ["p", "--", "rustc", "--emit=metadata", "-o", "out", "p/src/main.rs"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    let files: Vec<_> = std::fs::read_dir(sandbox.path("p.reduced/src")).unwrap().flatten().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(!sandbox.read("p.reduced/src/main.rs").contains("mod "), "{run:?}");
}

#[apply(test)]
fn an_interrupted_run_with_inlined_files_is_resumed_without_repeating_a_probe() {
    tools::program("python3");
    let sandbox = Sandbox::new();
    package(&sandbox);
    sandbox.oracle(
        "oracle.sh",
        "echo run >>\"$LOG\"; python3 -B \"$1/main.py\" 2>&1 | grep -q ZeroDivisionError",
    );
    let log = sandbox.path("log");
    let run = |more: &[&str]| {
        let words = [more, &["--writable", ".", "./oracle.sh", "p"]].concat();
        let log = format!("LOG={}", log.display());
        sandbox.run("env", &[&[log.as_str(), env!("CARGO_BIN_EXE_nubbin")], &words[..]].concat())
    };
    let first = run(&["--max-candidates", "30"]);
    assert_eq!(first.code(), 0, "{first:?}");
    let rest = run(&["--resume"]);
    assert_eq!(rest.code(), 0, "{rest:?}");
    let (reduced, runs) = (sandbox.read("p.reduced/main.py"), sandbox.read("log").lines().count());
    std::fs::remove_file(sandbox.path("log")).unwrap();
    std::fs::remove_dir_all(sandbox.path("p.reduced")).unwrap();
    let whole = run(&["--no-journal"]);
    assert_eq!(whole.code(), 0, "{whole:?}");
    assert_eq!(sandbox.read("p.reduced/main.py"), reduced);
    let all = sandbox.read("log").lines().count();
    assert!(runs <= all + 8, "{runs} runs instead of {all}");
}
