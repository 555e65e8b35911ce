//! Ordinary errors of real compilers and linters as the failure to keep, and ordinary errors together with a
//! crash.

use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox};
use std::process::Command;

/// Requires that this command prints this text for this file.
pub fn needs_shown(sandbox: &Sandbox, command: &[&str], file: &str, text: &str) {
    if !shows(sandbox, command, file, text) {
        ignore(format!("needs {}, in a version that says `{text}`", command[0]));
    }
}

/// Returns whether this command prints this text for this file.
pub fn shows(sandbox: &Sandbox, command: &[&str], file: &str, text: &str) -> bool {
    let words: Vec<String> = command.iter().map(|word| word.replace("{}", file)).collect();
    let run = Command::new(&words[0]).args(&words[1..]).current_dir(sandbox.path("")).output();
    run.is_ok_and(|run| {
        [run.stdout, run.stderr].iter().any(|said| String::from_utf8_lossy(said).contains(text))
    })
}

/// Reduces a file to the error that a command prints, without a script.
fn reduce(sandbox: &Sandbox, options: &[&str], file: &str, command: &[&str]) -> Finished {
    // Compilers are slow on a busy machine.
    let run = sandbox.nubbin(&[&["--timeout", "300"], options, &[file, "--"], command].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    run
}

#[apply(test)]
fn an_error_in_a_template_stays_that_error() {
    let sandbox = Sandbox::new();
    let source = "template <class T> struct Stack {\n  T items[4];\n  T largest() { return items[0] < items[1] ? items[1] : items[0]; }\n};\nstruct Point { int x, y; };\nint unused(int a) { return a + 1; }\nint main() { Stack<Point> points; return points.largest().x; }\n";
    sandbox.file("tmpl.cpp", source);
    let command = ["g++", "-c", "{}", "-o", "/dev/null"];
    needs_shown(&sandbox, &command, "tmpl.cpp", "no match for");
    let run = reduce(&sandbox, &[], "tmpl.cpp", &command);
    assert!(
        run.stderr.contains("reports `no match for") && run.stderr.contains("and no other error"),
        "{run:?}"
    );
    assert!(shows(&sandbox, &command, "tmpl.reduced.cpp", "no match for"), "{run:?}");
    let result = sandbox.read("tmpl.reduced.cpp");
    assert!(result.contains('<') && !result.contains("unused"), "{result}");
}

#[apply(test)]
fn the_first_error_of_javac_is_kept_among_others() {
    let sandbox = Sandbox::new();
    sandbox.file("Shop.java", "class Shop {\n  int total() {\n    int sum = \"none\";\n    return sum;\n  }\n  void other() { }\n}\n");
    let command = ["javac", "{}"];
    needs_shown(&sandbox, &command, "Shop.java", "String cannot be converted to int");
    // By lines, since each run takes a second.
    let run = reduce(&sandbox, &["--unit", "line"], "Shop.java", &command);
    assert!(
        run.stderr.contains("reports `incompatible types: String cannot be converted to int`"),
        "{run:?}"
    );
    let result = sandbox.read("Shop.reduced.java");
    assert!(result.contains("int sum = \"none\";") && !result.contains("other"), "{result}");
}

#[apply(test)]
fn a_type_error_of_typescript_is_kept_by_its_code() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "bad.ts",
        "interface User { age: number }\nconst other = 1;\nconst user: User = { age: \"old\" };\n",
    );
    let command = ["tsc", "--strict", "--noEmit", "{}"];
    needs_shown(&sandbox, &command, "bad.ts", "TS2322");
    let run = reduce(&sandbox, &["--unit", "line"], "bad.ts", &command);
    assert!(
        run.stderr.contains("reports `TS2322: Type 'string' is not assignable to type 'number'.`"),
        "{run:?}"
    );
    assert!(sandbox.read("bad.reduced.ts").contains("\"old\""), "{run:?}");
}

#[apply(test)]
fn a_formatters_parse_error_is_kept_in_otherwise_valid_text() {
    let sandbox = Sandbox::new();
    sandbox.file("old.py", "def greet(name):\n    if name:\n        print \"hello\", name\n    return name\n\ndef other(x):\n    return x + 1\n");
    let command = ["black", "{}"];
    needs_shown(&sandbox, &command, "old.py", "annot parse");
    let run = reduce(&sandbox, &[], "old.py", &command);
    assert!(run.stderr.to_lowercase().contains("reports `cannot parse"), "{run:?}");
    let result = sandbox.read("old.reduced.py");
    assert!(result.contains("print \"") && !result.contains("other"), "{result}");
}

#[apply(test)]
fn a_borrow_error_is_kept_without_syntax_errors() {
    let sandbox = Sandbox::new();
    let source = "use std::collections::HashMap;\nfn unused() -> u32 { 3 }\nfn main() {\n    println!(\"unused\");\n    let mut map: HashMap<u32, u32> = HashMap::new();\n    let first = map.get(&1);\n    map.insert(2, 3);\n    println!(\"{:?}\", first);\n}\n";
    sandbox.file("borrow.rs", source);
    let command = ["rustc", "--emit=metadata", "-o", "/dev/null", "{}"];
    needs_shown(&sandbox, &command, "borrow.rs", "E0502");
    let run = reduce(&sandbox, &["--unit", "line,token"], "borrow.rs", &command);
    assert!(run.stderr.contains("reports `E0502: cannot borrow `…` as mutable"), "{run:?}");
    let result = sandbox.read("borrow.reduced.rs");
    assert!(result.contains("use std::collections::HashMap;") && result.contains("map.get("), "{result}");
    assert!(!result.contains("unused"), "{result}");
}

/// A tool that crashes if the input contains `boom`, and reports each line that does not end with a
/// semicolon.
const TOOL: &str = "
awk '!/;$/ { printf \"%s:%d:1: error: expected %c;%c\\n\", FILENAME, FNR, 39, 39 > \"/dev/stderr\" }' \"$1\"
grep -q boom \"$1\" && { echo \"$1:1:1: internal compiler error: in fold, at tree.cc:7\" >&2; exit 4; }
exit 0";

fn tool(input: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", input);
    let tool = sandbox.oracle("tool.sh", TOOL).display().to_string();
    (sandbox, tool)
}

#[apply(test)]
fn a_crash_on_a_valid_input_stays_one_on_a_valid_input() {
    let (sandbox, tool) = tool("one;\nboom;\ntwo;\n");
    let run = reduce(&sandbox, &["--unit", "line,char"], "bug.txt", &[&tool, "{}"]);
    assert!(run.stderr.contains("in fold, at tree.cc:7` and no other error"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom;", "{run:?}");
    assert!(!run.stderr.contains("other failure"), "{run:?}");
    let run = reduce(&sandbox, &["--match", "any-errors", "--unit", "line,char"], "bug.txt", &[&tool, "{}"]);
    assert!(!run.stderr.contains("no other error"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom", "{run:?}");
}

#[apply(test)]
fn a_specified_text_stays_the_only_error() {
    let (sandbox, tool) = tool("one;\nboom;\ntwo;\n");
    let options = ["--unit", "line,char", "--stderr", "in fold"];
    let run = reduce(&sandbox, &options, "bug.txt", &[&tool, "{}"]);
    assert!(run.stderr.contains("and shows no new errors"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom;", "{run:?}");
    let run =
        reduce(&sandbox, &[&["--match", "any-errors"][..], &options].concat(), "bug.txt", &[&tool, "{}"]);
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom", "{run:?}");
}

#[apply(test)]
fn an_error_of_the_original_input_may_stay() {
    let (sandbox, tool) = tool("one\nboom;\ntwo\n");
    let run = reduce(&sandbox, &["--unit", "line,char"], "bug.txt", &[&tool, "{}"]);
    assert!(run.stderr.contains("and no new errors"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom", "{run:?}");
}

#[apply(test)]
fn rejected_output_can_be_specified() {
    let (sandbox, tool) = tool("one;\nboom;\ntwo;\n");
    let options = ["--match", "any-errors", "--reject", "expected", "--unit", "line,char"];
    let run = reduce(&sandbox, &options, "bug.txt", &[&tool, "{}"]);
    assert!(run.stderr.contains("does not write `expected`"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom;", "{run:?}");
    let run = sandbox.nubbin(&["--reject", "internal", "bug.txt", "--", &tool, "{}"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(run.stderr.contains("does not write `internal`"), "{run:?}");
    // A script decides itself, also one that was written by `init`.
    let run = sandbox.nubbin(&["--reject", "x", "./tool.sh", "bug.txt"]);
    assert!(run.code() == 2 && run.stderr.contains("`--reject` needs a command"), "{run:?}");
    let run = sandbox.nubbin(&["init", "--reject", "x", "bug.txt", "--", &tool, "{}"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("--reject"), "{run:?}");
}

#[apply(test)]
fn a_resumed_run_remembers_the_rejected_output() {
    let (sandbox, tool) = tool("one;\nboom;\ntwo;\n");
    let words = ["--unit", "line,char", "bug.txt", "--", &tool, "{}"];
    let run = sandbox.nubbin(&[&["--max-candidates", "4"][..], &words].concat());
    assert!(run.stderr.contains("and no other error"), "{run:?}");
    let run = sandbox.nubbin(&[&["--resume"][..], &words].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "boom;", "{run:?}");
    let run = sandbox.nubbin(&[&["--resume", "--match", "any-errors"][..], &words].concat());
    assert!(run.stderr.contains("`--match any-errors` was not given"), "{run:?}");
}

#[apply(test)]
fn the_values_of_an_assertion_may_change_unless_the_message_is_kept() {
    let tool = "
sum=$(grep -c . \"$1\")
grep -q check \"$1\" || exit 0
printf 'Traceback (most recent call last):\\n  File \"/opt/shop.py\", line 3, in check\\nAssertionError: assert %d == 9\\n' \"$sum\" >&2
exit 1";
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\ncheck\ntwo\n");
    let tool = sandbox.oracle("tool.sh", tool).display().to_string();
    let run = reduce(&sandbox, &["--unit", "line"], "bug.txt", &[&tool, "{}"]);
    assert!(run.stderr.contains("reports `AssertionError: assert … == …, in check (shop.py:3)`"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "check", "{run:?}");
    reduce(&sandbox, &["--match", "message", "--unit", "line"], "bug.txt", &[&tool, "{}"]);
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "one\ncheck\ntwo");
}

#[apply(test)]
fn a_script_for_an_ordinary_error_reports_no_drift() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nboom\ntwo\n");
    let body = "cat \"$1\" | tr '\\n' ' '; echo \"bug.txt:$(wc -l <\"$1\"):1: error: $(head -1 \"$1\") is unknown\" >&2; grep -q boom \"$1\"";
    sandbox.oracle("oracle.sh", body);
    let run = sandbox.nubbin(&["--unit", "line", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stderr.contains("the message changed") && !run.stderr.contains("other failure"), "{run:?}");
}
