//! How a run is controlled: passes, limits, objectives, parts to keep, the formatter, settings files.

use crate::alive::comes_to;
use crate::sandbox::{Finished, Sandbox, seconds};
use crate::tools;
use std::fs;

const PROGRAM: &str = "\
#include <stdio.h>
static int helper(int a) {
  int unused = 3;
  return a + 1;
}
int other(int b) { return b * 2; }
int main(void) {
  int x = helper(4);
  if (x > 3) {
    printf(\"boom %d\\n\", x);
  }
  return other(x);
}
";

/// Creates a program in which an oracle searches for words.
fn program() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", PROGRAM);
    sandbox.oracle("oracle.sh", "grep -q boom \"$1\" && grep -q return \"$1\"");
    sandbox
}

/// Returns the line of the summary that starts with this word.
#[track_caller]
fn line<'r>(run: &'r Finished, word: &str) -> &'r str {
    let line = run.stderr.lines().find_map(|line| line.strip_prefix(word));
    line.unwrap_or_else(|| panic!("no line `{word}`: {run:?}")).trim()
}

fn probes(run: &Finished) -> usize {
    let digits: String = line(run, "candidates").chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[apply(test)]
fn the_passes_are_listed_by_group_and_in_the_order_of_the_plan() {
    let run = Sandbox::new().nubbin(&["passes"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let places = [
        "      truncate  ",
        "   1  delete-unparsed  ",
        "      delete-nodes  ",
        "   2  edit-parallel-lists  ",
        "   8  replace-with-shortest  ",
        "  10  rename  ",
        "   1  delete-blocks  ",
        "      delete-files  ",
        "      delete-options  ",
        "\nOnly with an option:\n      propose  ",
        "\nStages for a file in a known language:\n  before  delete-chunks/large, ",
        "       2  edit-parallel-lists, remove-symbol, ",
        "   proof  delete-nodes, delete-tokens, trim-whitespace\n",
        "       1  delete-lines/unit\n",
    ];
    let at = places.map(|text| run.stdout.find(text).unwrap_or_else(|| panic!("{text}: {run:?}")));
    assert!(at.is_sorted(), "{at:?}");
}

#[apply(test)]
fn a_group_selects_its_variants() {
    let sandbox = program();
    let run = sandbox.nubbin(&["--only", "rewrite/late,delete-nodes", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    for skip in ["--skip=truncate", "--skip=rewrite/late"] {
        let run = sandbox.nubbin(&[skip, "--max-candidates", "9", "./oracle.sh", "bug.c"]);
        assert!(!run.stderr.contains("invalid value"), "{run:?}");
    }
    let run = sandbox.nubbin(&["--only", "delete-chunks", "./oracle.sh", "bug.c"]);
    assert!(run.stderr.contains("no pass remains for this input with `--only delete-chunks`"), "{run:?}");
}

#[apply(test)]
fn passes_are_selected_and_the_proof_reports_it() {
    let sandbox = program();
    let run = sandbox.nubbin(&[
        "--verbose",
        "--only",
        "delete-nodes,hoist",
        "--skip=hoist",
        "./oracle.sh",
        "bug.c",
    ]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(line(&run, "proven").ends_with(" nodes, with --only delete-nodes,hoist --skip hoist"), "{run:?}");
    assert!(!run.stderr.contains("hoist  "), "{run:?}");
    let run =
        sandbox.nubbin(&["--skip=delete-tokens", "--skip=delete-nodes,delete-lines", "./oracle.sh", "bug.c"]);
    assert_eq!(
        line(&run, "proven"),
        "nothing; --skip delete-tokens,delete-nodes,delete-lines excludes the passes that are needed for a proof"
    );
}

#[apply(test)]
fn an_unknown_pass_is_reported_with_the_nearest_name() {
    let sandbox = program();
    for option in ["--only", "--skip"] {
        let run = sandbox.nubbin(&[option, "delete-nodes,delete-tokns", "./oracle.sh", "bug.c"]);
        assert_eq!(run.code(), 2, "{run:?}");
        assert!(
            run.stderr.contains("`delete-tokns` is not a valid value")
                && run.stderr.contains("`delete-tokens`"),
            "{run:?}"
        );
    }
    let run = sandbox.nubbin(&["--only", "delete-blocks", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(
        run.stderr.contains("no pass remains for this input with `--only delete-blocks`")
            && run.stderr.contains("delete-nodes, "),
        "{run:?}"
    );
}

#[apply(test)]
fn a_stopped_run_has_saved_its_result_and_is_resumed_with_a_larger_limit() {
    let sandbox = program();
    let whole = sandbox.nubbin(&["--no-journal", "--output", "whole.c", "./oracle.sh", "bug.c"]);
    let needed = probes(&whole);
    let first = sandbox.nubbin(&["--max-candidates", "12", "./oracle.sh", "bug.c"]);
    assert_eq!((first.code(), probes(&first)), (0, 12), "{first:?}");
    assert_eq!(line(&first, "proven"), "nothing; stopped: --max-candidates 12");
    assert!(sandbox.read("bug.reduced.c").len() < PROGRAM.len());
    let second = sandbox.nubbin_confined(&["--resume", "--max-candidates", "20"]);
    assert_eq!(line(&second, "proven"), "nothing; stopped: --max-candidates 20", "{second:?}");
    assert!(line(&second, "candidates").contains("from the journal"), "{second:?}");
    let third = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.c"]);
    assert_eq!((third.code(), probes(&third)), (0, needed), "{third:?}");
    assert!(line(&third, "proven").starts_with("1-minimal"), "{third:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), sandbox.read("whole.c"));
    let other = sandbox.nubbin(&["--resume", "--objective", "bytes", "./oracle.sh", "bug.c"]);
    assert!(other.stderr.contains("note: `--objective` was not given and is now `bytes`"), "{other:?}");
}

#[apply(test)]
fn the_size_limit_can_be_in_any_unit() {
    let sandbox = program();
    for (bound, unit) in [("40", "tokens"), ("120B", "bytes"), ("6lines", "lines"), ("0.1kB", "bytes")] {
        let run = sandbox.nubbin(&["--stop-at", bound, "./oracle.sh", "bug.c"]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(line(&run, "proven"), format!("nothing; stopped: --stop-at {bound}"), "{unit}");
    }
    let run = sandbox.nubbin(&["--stop-at", "3", "--objective", "lines", "./oracle.sh", "bug.c"]);
    let lines = sandbox.read("bug.reduced.c").lines().filter(|line| !line.trim().is_empty()).count();
    assert!((1..=3).contains(&lines), "{run:?}");
    for wrong in
        ["--stop-at=many", "--stop-at=3 words", "--max-candidates=0", "--max-time=soon", "--objective=words"]
    {
        let run = sandbox.nubbin(&[wrong, "./oracle.sh", "bug.c"]);
        assert_eq!(run.code(), 2, "{run:?}");
    }
}

#[apply(test)]
fn the_time_limit_ends_a_run_and_its_probe() {
    let body = "grep -q unused \"$1\" && exit 0; test -e \"${0%/*}/go\" || sleep 60; grep -q boom \"$1\"";
    // The first runs also count.
    comes_to(&(0, true), |limit| {
        let sandbox = program();
        sandbox.oracle("slow.sh", body);
        let limit = seconds(limit);
        let run = sandbox.nubbin(&["--max-time", &limit, "--timeout", "100", "./slow.sh", "bug.c"]);
        if run.code() != 0 {
            return (run.code(), false);
        }
        assert_eq!(line(&run, "proven"), format!("nothing; stopped: --max-time {limit}"));
        sandbox.file("go", "");
        let run = sandbox.nubbin(&["--resume", "--max-time", "1h", "./slow.sh", "bug.c"]);
        (run.code(), line(&run, "proven").starts_with("1-minimal"))
    });
}

#[apply(test)]
fn kept_parts_stay_and_the_rest_is_removed() {
    let sandbox = program();
    let words = ["--keep", "int unused = \\d;", "--keep", "function:other", "./oracle.sh", "bug.c"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    let result = sandbox.read("bug.reduced.c");
    for text in ["int unused = 3;", "int other(int b) { return b * 2; }", "boom"] {
        assert!(result.contains(text), "{text}: {result}");
    }
    assert!(!result.contains("helper") && !result.contains("stdio"), "{result}");
    assert!(line(&run, "proven").ends_with(", except 49 bytes that must not change"), "{run:?}");
    let again = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.c"]);
    assert!(again.stderr.contains("note: `--keep function:` was `other` and is not given now"), "{again:?}");
}

#[apply(test)]
fn only_text_between_markers_is_reduced() {
    let sandbox = Sandbox::new();
    let text = "one\n// DDBEGIN\ntwo\nboom\nthree\n// DDEND\n\nfour  \n";
    sandbox.file("bug.txt", text);
    let oracle = "grep -q boom";
    for unit in ["tree", "line", "char", "byte"] {
        let run = sandbox.nubbin(&["--unit", unit, oracle, "bug.txt"]);
        assert_eq!(run.code(), 0, "{run:?}");
        let result = sandbox.read("bug.reduced.txt");
        assert_eq!(
            result, "one\n// DDBEGIN\nboom\n// DDEND\n\nfour  \n",
            "the marker begins a line, as before"
        );
    }
    sandbox.nubbin(&["--no-markers", oracle, "bug.txt"]);
    assert_eq!(sandbox.read("bug.reduced.txt"), "boom");
    sandbox.file("bug.txt", text.replace("DDEND", "DDENT"));
    let run = sandbox.nubbin(&[oracle, "bug.txt"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(
        run.stderr.contains("`bug.txt`, line 2: no DDEND") && run.stderr.contains("no-markers = true"),
        "{run:?}"
    );
}

#[apply(test)]
fn missing_parts_cannot_be_kept() {
    let sandbox = program();
    sandbox.file("data.json", "{\"boom\": 1}\n");
    for (options, file, texts) in [
        (["--keep", "no[pq]e"], "bug.c", ["`--keep 'no[pq]e'` matches nothing", "(?m)"]),
        (["--keep", "("], "bug.c", ["unclosed group", "--keep"]),
        (["--keep", "function:helpr"], "bug.c", ["no function `helpr`", "similar names: helper\n"]),
        (["--keep", "function:x"], "data.json", ["`data.json` is in JSON", "`--keep REGEX`"]),
    ] {
        let run = sandbox.nubbin(&[&options[..], &["grep -q boom", file]].concat());
        assert_eq!(run.code(), 2, "{run:?}");
        assert!(texts.iter().all(|text| run.stderr.contains(text)), "{run:?}");
        assert!(!sandbox.has(".nubbin"), "nothing has begun");
    }
}

#[apply(test)]
fn kept_parts_in_the_files_of_a_directory_stay() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("project")).expect("made");
    sandbox.file("project/a.c", "int one;\nint two;\nint boom;\n");
    sandbox.file("project/b.py", "def f(x):\n    return x\n\ndef g(x):\n    return x\n");
    sandbox.file("project/c.txt", "nothing\n");
    let words = ["--keep", "int two;", "--keep", "function:g", "grep -rq boom", "project"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("project.reduced/a.c").contains("int two;"));
    assert_eq!(sandbox.read("project.reduced/b.py").trim(), "def g(x):\n    return x");
    assert!(!sandbox.has("project.reduced/c.txt"));
}

/// Creates a formatter that writes each statement on its own line.
fn formatter(sandbox: &Sandbox, body: &str) {
    sandbox.oracle("format.sh", body);
    sandbox.file("bug.c", "int x; int boom; int y; int main(void) { return 1; }\n");
    sandbox.oracle("oracle.sh", "grep -q 'boom *;' \"$1\" && grep -q 'return 1 *;' \"$1\"");
}

#[apply(test)]
fn a_formatter_is_used_at_the_end_if_the_failure_stays() {
    let sandbox = Sandbox::new();
    formatter(&sandbox, "sed 's/;/ ;\\n/g'");
    let plain = sandbox.nubbin(&["--output", "plain.c", "./oracle.sh", "bug.c"]);
    let run = sandbox.nubbin(&["--formatter", "./format.sh", "./oracle.sh", "bug.c"]);
    assert_eq!((run.code(), probes(&run)), (0, probes(&plain) + 1), "{run:?}");
    assert_ne!(sandbox.read("bug.reduced.c"), sandbox.read("plain.c"));
    assert_eq!(
        sandbox.read("bug.reduced.c").split_whitespace().collect::<String>(),
        sandbox.read("plain.c").split_whitespace().collect::<String>()
    );
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.lines().last().is_some_and(|line| line.contains("formatter")), "{history:?}");
    let again = sandbox.nubbin(&["--resume", "--formatter", "./format.sh", "./oracle.sh", "bug.c"]);
    assert!(again.stderr.contains("nothing remains to be done"), "{again:?}");
    let file = sandbox.nubbin(&[
        "--formatter",
        "sh -c 'sed \"s/;/ ;\\n/g\" \"$0\"' {}",
        "--output",
        "file.c",
        "./oracle.sh",
        "bug.c",
    ]);
    assert_eq!(sandbox.read("file.c"), sandbox.read("bug.reduced.c"), "{file:?}");
}

#[apply(test)]
fn a_formatter_that_fails_or_changes_the_text_is_skipped_with_a_note() {
    let sandbox = Sandbox::new();
    for (body, note) in [
        ("exit 3", "it exited with status 3"),
        ("sed 's/boom/bang/'", "it changes more than whitespace"),
        ("cat; echo '// new'", "it changes more than whitespace"),
    ] {
        formatter(&sandbox, body);
        let run = sandbox.nubbin(&["--verbose", "--formatter", "./format.sh", "./oracle.sh", "bug.c"]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains(&format!("format.sh` is not used: {note}")), "{run:?}");
    }
    formatter(&sandbox, "sed 's/;/ ;\\n/g'");
    sandbox.oracle("picky.sh", "grep -q boom\\; \"$1\" && ! grep -q ' ;' \"$1\"");
    let run = sandbox.nubbin(&["--verbose", "--formatter", "./format.sh", "./picky.sh", "bug.c"]);
    assert!(run.stderr.contains("is not used: it makes the failure disappear"), "{run:?}");
    assert!(line(&run, "proven").starts_with("1-minimal"), "{run:?}");
    let run = sandbox.nubbin(&["--formatter", "no-such-program", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("no formatter `no-such-program`"), "{run:?}");
    let run = sandbox.nubbin(&["--formatter", "cat", "--compact", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
}

#[apply(test)]
fn a_formatter_with_too_much_output_is_replaced_by_the_built_in_layout() {
    let sandbox = Sandbox::new();
    formatter(&sandbox, "sed 's/;/ ;\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n/g'");
    sandbox.file(
        "bug.c",
        "int x; int boom; int y; int main(void) { int a, b\n; return 1; }\n".to_owned()
            + &"int z;\n".repeat(40),
    );
    let nubbin = env!("CARGO_BIN_EXE_nubbin");
    let words = ["NUBBIN_FORMATTER=./format.sh", nubbin, "--writable", ".", "-v", "./oracle.sh", "bug.c"];
    let run = sandbox.run("env", &words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("format.sh` is not used: it outputs "), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c"), "boom;\nreturn 1;\n", "{run:?}");
    // It leaves the result unchanged.
    let run = sandbox.nubbin(&["./oracle.sh", "bug.c"]);
    assert_ne!(sandbox.read("bug.reduced.c"), "boom;\nreturn 1;\n", "{run:?}");
}

#[apply(test)]
fn each_of_several_files_is_formatted_if_the_failure_stays() {
    let sandbox = Sandbox::new();
    sandbox.oracle("format.sh", "sed 's/;/ ;/g'");
    fs::create_dir(sandbox.path("project")).expect("made");
    for (file, text) in [("a.c", "int boom;\n"), ("b.c", "int bang;\n"), ("sub.txt", "fizz;\n")] {
        sandbox.file(format!("project/{file}"), text);
    }
    let has = |ends: &str| {
        format!("cd \"$1\" && grep -q 'boom *;' a.c && grep -q 'bang{ends}' b.c && grep -q 'fizz *;' sub.txt")
    };
    sandbox.oracle("oracle.sh", &has(" *;"));
    let words = ["--formatter", "./format.sh", "-v", "./oracle.sh", "project"];
    let read = |file: &str| sandbox.read(format!("project.reduced/{file}"));
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(read("a.c").contains("boom ;") && read("b.c").contains("bang ;"), "{run:?}");
    assert!(read("sub.txt").contains("fizz ;"), "{run:?}");
    let formatter = |run: &Finished| {
        let history = run.stdout.lines().filter(|line| line.contains("formatter")).count();
        assert!(history > 0, "{run:?}");
        history
    };
    assert_eq!(formatter(&sandbox.nubbin(&["history", "project"])), 1, "all together");
    // If one of the files must stay unchanged, the others are formatted individually.
    sandbox.oracle("oracle.sh", &has(";"));
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(read("a.c").contains("boom ;") && read("b.c").contains("bang;"), "{run:?}");
    assert_eq!(formatter(&sandbox.nubbin(&["history", "project"])), 2, "one by one");
    let again = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
    assert!(again.stderr.contains("nothing remains to be done"), "{again:?}");
    sandbox.oracle("format.sh", "exit 3");
    let run = sandbox.nubbin(&words);
    assert!(run.stderr.contains("format.sh` is not used for `"), "{run:?}");
}

/// Creates a file with macros and conditions, and a test that needs the preprocessed text.
fn conditional(sandbox: &Sandbox) {
    let text =
        "#define FOR_IT 1\n#include <stdio.h>\n#define A(x) x one\n#if B\nint c;\n#else\nA(int);\n#endif\n";
    sandbox.file("bug.c", text);
    let wants = "{ grep -q '^int one;$' \"$1\" || grep -q 'define A' \"$1\"; } && grep -q '^#include <stdio[.]h>$' \"$1\"";
    sandbox.oracle("oracle.sh", wants);
}

#[apply(test)]
fn a_preprocessor_runs_first_if_the_failure_stays_without_includes() {
    let sandbox = Sandbox::new();
    conditional(&sandbox);
    // It stores its input.
    sandbox.oracle(
        "cpp.sh",
        &format!("cat >'{}'; echo '#pragma nubbin 1'; echo 'int one;'", sandbox.path("seen").display()),
    );
    let words = ["--preprocessor", "./cpp.sh", "./oracle.sh", "bug.c"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("seen").starts_with("#pragma nubbin 0\n#pragma nubbin 1\n#define A(x)"), "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "#include <stdio.h>\nint one;");
    let history = sandbox.nubbin(&["history", "bug.c"]);
    assert!(history.stdout.contains("preprocessor"), "{history:?}");
    let again = sandbox.nubbin(&[&["--resume"], &words[..]].concat());
    assert!(again.stderr.contains("nothing remains to be done"), "{again:?}");
    let other = sandbox.nubbin(&["--preprocessor", "none", "--output", "other.c", "./oracle.sh", "bug.c"]);
    assert_eq!(other.code(), 0, "{other:?}");
    assert!(sandbox.read("other.c").contains("define"), "{other:?}");
}

#[apply(test)]
fn a_preprocessor_that_fails_or_loses_the_failure_is_skipped_with_a_note() {
    let sandbox = Sandbox::new();
    conditional(&sandbox);
    for (body, note) in [
        ("exit 3", "cpp.sh` is not used: it exited with status 3"),
        ("echo 'int two;'", "no preprocessor is used: it makes the failure disappear"),
    ] {
        sandbox.oracle("cpp.sh", body);
        let run = sandbox.nubbin(&["--verbose", "--preprocessor", "./cpp.sh", "./oracle.sh", "bug.c"]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains(note), "{run:?}");
    }
    let run = sandbox.nubbin(&["--preprocessor", "no-such-program", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("no preprocessor `no-such-program`"), "{run:?}");
    let run = sandbox.nubbin(&["--preprocessor", "./cpp.sh", "--unit", "line", "./oracle.sh", "bug.c"]);
    assert!(run.stderr.contains("note: no preprocessor is used with --unit"), "{run:?}");
}

#[apply(test)]
fn the_compiler_that_the_oracle_names_is_the_preprocessor() {
    tools::program("gcc");
    let sandbox = Sandbox::new();
    conditional(&sandbox);
    sandbox.oracle("odd-gcc", "printf '%s\\n' \"$*\" >\"$(dirname \"$0\")/words\"; exec gcc \"$@\"");
    let wants = "{ grep -q '^int one;$' \"$1\" || grep -q 'define A' \"$1\"; } && grep -q '^#include <stdio[.]h>$' \"$1\"";
    let compiler = sandbox.path("odd-gcc");
    sandbox.oracle("oracle.sh", &format!("# {} -std=c99 -Wall -DB=0 $1\n{wants}", compiler.display()));
    let words = [
        "-u",
        "NUBBIN_PREPROCESSOR",
        env!("CARGO_BIN_EXE_nubbin"),
        "--writable",
        ".",
        "./oracle.sh",
        "bug.c",
    ];
    let run = sandbox.run("env", &words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("words").trim(), "-std=c99 -DB=0 -E -P -x c -");
    assert_eq!(sandbox.read("bug.reduced.c").trim(), "#include <stdio.h>\nint one;");
}

#[apply(test)]
fn an_installed_formatter_is_found_by_the_language() {
    tools::program("clang-format");
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", "int x; int main(void) {  if (boom(1)) {   bang(2); } }\n");
    sandbox.oracle("oracle.sh", "tr -d ' \\n' <\"$1\" | grep -q 'main.*{if(boom(1)){bang(2);}}'");
    let words = |more: &[&str]| {
        let line = [
            &["-u", "NUBBIN_FORMATTER", env!("CARGO_BIN_EXE_nubbin"), "--writable", "."],
            more,
            &["./oracle.sh", "bug.c"],
        ];
        line.concat().iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    let run = sandbox.run("env", &words(&[]));
    assert_eq!(run.code(), 0, "{run:?}");
    let formatted = sandbox.read("bug.reduced.c");
    let run = sandbox.run("env", &words(&["--formatter", "none"]));
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(formatted.lines().count() > sandbox.read("bug.reduced.c").lines().count(), "{formatted}");
}

#[apply(test)]
fn settings_of_the_command_line_override_the_directory_and_then_the_user() {
    let sandbox = program();
    fs::create_dir_all(sandbox.path("config/nubbin")).expect("made");
    sandbox.file(
        "config/nubbin/nubbin.toml",
        "max-candidates = 5\nverbose = true\nwork-dir = \"w\"\njobs = 2\n",
    );
    fs::create_dir(sandbox.path("config/nubbin/w")).expect("made");
    sandbox.file(
        "nubbin.toml",
        "# of this project\nmax-candidates = 12\nskip = [\"delete-tokens\", \"rename\"]\nexit-code = 4\n",
    );
    let run = sandbox.nubbin(&["--jobs", "1", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(line(&run, "proven"), "nothing; stopped: --max-candidates 12");
    assert!(
        run.stderr.contains(
            "note: settings of `nubbin.toml`: --max-candidates=12 --skip=delete-tokens --skip=rename\n"
        ),
        "{run:?}"
    );
    let users = format!("nubbin.toml`: --verbose --work-dir={}\n", sandbox.path("config/nubbin/w").display());
    assert!(run.stderr.contains(&users), "a path is relative to its file: {run:?}");
    let run = sandbox.nubbin(&[
        "--quiet",
        "--max-candidates",
        "7",
        "--no-journal",
        "--output=-",
        "./oracle.sh",
        "bug.c",
    ]);
    assert_eq!((run.code(), run.stderr.as_str()), (0, ""), "`--quiet` overrides `--verbose`");
    let run =
        sandbox.nubbin(&["--no-config", "--max-candidates", "7", "--no-journal", "./oracle.sh", "bug.c"]);
    assert!(!run.stderr.contains("settings of"), "{run:?}");
    // The settings of the earlier run are in the journal, regardless of the current files.
    sandbox.file("nubbin.toml", "compact = true\n");
    let run = sandbox.nubbin_confined(&["--resume", "--max-candidates", "14"]);
    assert_eq!(line(&run, "proven"), "nothing; stopped: --max-candidates 14");
    assert!(!run.stderr.contains("compact") && !run.stderr.contains("note:"), "{run:?}");
}

#[apply(test)]
fn settings_that_conflict_with_the_command_line_are_ignored() {
    let sandbox = program();
    sandbox.file(
        "nubbin.toml",
        "compact = true\nlanguage = \"c\"\nin-place = true\nstderr = \"x\"\nkeep = [\"boom\"]\n",
    );
    let run = sandbox.nubbin(&["--unit", "line", "--output", "out.c", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("settings of `nubbin.toml`: --keep=boom\n"), "{run:?}");
    let run = sandbox.nubbin(&["options", "--", "grep", "-q", "-i", "BOOM", "bug.c"]);
    assert!(!run.stderr.contains("has no option"), "{run:?}");
    let run = sandbox.nubbin(&["passes"]);
    assert_eq!(run.code(), 0, "{run:?}");
}

#[apply(test)]
fn an_invalid_settings_file_is_reported_with_its_place() {
    let sandbox = program();
    for (text, texts) in [
        ("jobs = 1\njbos = 2\n", ["`nubbin.toml:2:1`: there is no setting `jbos`", "`jobs`"]),
        ("compact = 3\n", ["`nubbin.toml:1:11`", "`compact` must be `true` or `false`"]),
        ("jobs = true\n", ["`nubbin.toml:1:8`", "must be a number or a string"]),
        ("jobs = [1]\n", ["`nubbin.toml:1:8`", "not a list"]),
        ("keep = [\n  \"a\",\n  \"(\",\n]\n", ["`nubbin.toml:3:3`", "unclosed group"]),
        ("objective = \"words\"\n", ["`nubbin.toml:1:13`", "not a valid value"]),
        ("jobs = \n", ["`nubbin.toml:1:", "--no-config"]),
        ("resume = true\n", ["`nubbin.toml:1:1`", "no setting `resume`"]),
        ("[run]\njobs = 1\n", ["`nubbin.toml:1:2`", "no table `[run]`"]),
    ] {
        sandbox.file("nubbin.toml", text);
        let run = sandbox.nubbin(&["./oracle.sh", "bug.c"]);
        assert_eq!((run.code(), sandbox.calls()), (2, 0), "{run:?}");
        assert!(texts.iter().all(|text| run.stderr.contains(text)), "{text}: {run:?}");
    }
}

#[apply(test)]
fn the_time_counts_from_the_start() {
    let sandbox = program();
    sandbox.oracle("slow.sh", "sleep 60");
    let run = sandbox.nubbin(&["--max-time", "300ms", "--timeout", "100", "./slow.sh", "bug.c"]);
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(run.stderr.contains("`--max-time` ended before") && run.stderr.contains("hint: "), "{run:?}");
    assert!(!sandbox.has("bug.reduced.c"));
}

#[apply(test)]
fn a_run_without_progress_ends_with_the_current_best() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..400).map(|number| format!("line {number} keep\n")).collect();
    sandbox.file("bug.txt", lines.concat());
    // After half of the lines are removed, no more can be removed.
    sandbox.oracle("slow.sh", "sleep 0.05; test \"$(grep -c keep \"$1\")\" -ge 200");
    let typed = ["--unit", "line", "--stop-at", "5%/2s", "./slow.sh", "bug.txt"];
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(line(&run, "proven"), "nothing; stopped: --stop-at 5%/2s");
    assert!(sandbox.read("bug.reduced.txt").lines().count() < 400, "{run:?}");
    let run = sandbox.nubbin(&["--unit=line", "--stop-at=10%", "./slow.sh", "bug.txt"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("nor a rate, such as 10%/min"), "{run:?}");
}

#[apply(test)]
fn an_effort_can_be_a_multiple_of_the_time() {
    let sandbox = program();
    let run = sandbox.nubbin(&["--effort", "2x", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let whole = probes(&run);
    let run = sandbox.nubbin(&["--no-journal", "./oracle.sh", "bug.c"]);
    assert!(probes(&run) < whole && whole <= 2 * probes(&run) + 20, "{run:?}");
    let run = sandbox.nubbin(&["--effort", "twice", "./oracle.sh", "bug.c"]);
    assert!(run.code() == 2 && run.stderr.contains("such as 2x or 1.5x"), "{run:?}");
}

#[apply(test)]
fn objectives_decide_in_order() {
    let sandbox = program();
    let run = sandbox.nubbin(&["--objective", "lines,bytes", "./oracle.sh", "bug.c"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("bug.reduced.c").trim_end().lines().count() <= 2, "{run:?}");
    let run = sandbox.nubbin(&["--objective", "bytes,bytes", "./oracle.sh", "bug.c"]);
    assert!(run.code() == 2 && run.stderr.contains("two different ones"), "{run:?}");
}

#[apply(test)]
fn an_anonymous_result_lists_the_remaining_words() {
    let sandbox = Sandbox::new();
    let text = "# Acme billing\ndef invoice(customer, amount):\n    note = 'Acme internal'\n    \
                return amount / len(customer), 'owed by Wayne', note\n\ninvoice('', 9900)\n";
    sandbox.file("bug.py", text);
    sandbox.oracle(
        "oracle.sh",
        "grep -q 'owed.*by' \"$1\" && grep -q invoice \"$1\" && test $(wc -w <\"$1\") -gt 12",
    );
    let run = sandbox.nubbin(&["--anonymize", "--formatter", "none", "./oracle.sh", "bug.py"]);
    assert_eq!((run.code(), line(&run, "words")), (0, "2 words of the input left: invoice, owed"), "{run:?}");
    assert!(!sandbox.read("bug.reduced.py").contains("Acme"), "{run:?}");
    let run = sandbox.nubbin(&["--anonymize", "--json", "--no-journal", "grep -q 'a.*m.*e'", "bug.py"]);
    assert!(run.stdout.contains("\"words_left\": []"), "{run:?}");
}
