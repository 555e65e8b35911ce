//! Output for people: the report page and the bug report.

use super::sandbox::Sandbox;
use crate::tools;
use std::path::Path;
use std::process::Command;

/// Text that would end the page's own script if it were not escaped.
const INPUT: &str = "int one;\nint two; /* </script><script>document.title='broken'</script> ``` */\nint needle(int first) { return first; }\nint last;\n";
/// Without the needle, it prints the missing word.
const ORACLE: &str = "grep -q 'needle' \"$1\" || { echo \"$1:1:1: error: no needle & no <thread>\" >&2; exit 3; }\ngrep -q '</script>' \"$1\"";

/// Returns the page after its scripts have run, in Chromium.
fn rendered(sandbox: &Sandbox, page: &Path, hash: &str) -> String {
    tools::program("chromium");
    let profile = format!("--user-data-dir={}", sandbox.path(format!("profile{}", hash.len())).display());
    let url = format!("file://{}{hash}", page.canonicalize().expect("it is there").display());
    let options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-logging=stderr",
        "--virtual-time-budget=2000",
        "--dump-dom",
    ];
    let run = Command::new("timeout")
        .args(["300", "chromium", profile.as_str()])
        .args(options)
        .arg(url)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "the page has errors: {console:?}");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// Returns the text of the element with this start tag.
fn element<'p>(page: &'p str, start: &str) -> &'p str {
    let from = page.find(start).unwrap_or_else(|| panic!("there is no {start}")) + start.len();
    let name = start[1..].split([' ', '>']).next().expect("a name");
    let end = page[from..].find(&format!("</{name}>")).expect("it ends");
    &page[from..from + end]
}

#[apply(test)]
fn a_page_shows_the_run_in_a_browser_without_errors_and_without_a_network() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("bug.c", INPUT);
    let oracle = sandbox.oracle("oracle.sh", ORACLE);
    let run =
        sandbox.nubbin(&["--report".as_ref(), "r.html".as_ref(), oracle.as_os_str(), input.as_os_str()]);
    assert_eq!(run.code(), 0, "{run:?}");
    let page = sandbox.read("r.html");
    for outside in ["http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("</script>").count(), 2, "nothing of the input ends a script");
    assert_eq!(page.matches("<svg").count(), 2);
    let first = rendered(&sandbox, &sandbox.path("r.html"), "");
    assert!(first.contains("bug.c reduced</title>"), "{first}");
    assert!(element(&first, "<p id=\"told\" aria-live=\"polite\">").starts_with("Step 1 of "), "{first}");
    let diff = |page: &str| element(page, "<pre class=\"code\" id=\"diff\"").to_owned();
    assert!(diff(&first).contains("<del>"), "{}", diff(&first));
    let second = rendered(&sandbox, &sandbox.path("r.html"), "#step=2");
    assert!(element(&second, "<p id=\"told\" aria-live=\"polite\">").starts_with("Step 2 of "));
    assert_ne!(diff(&first), diff(&second));
    // The output of the oracle without a token.
    let tokens: Vec<&str> = first.split("data-why=\"").skip(1).collect();
    let why =
        tokens.iter().position(|why| why.starts_with("without `needle`")).expect("the needle is explained");
    let shown = rendered(&sandbox, &sandbox.path("r.html"), &format!("#token={}", why + 1));
    let why = element(&shown, "<output id=\"why\" aria-live=\"polite\">");
    assert!(
        why.contains(
            "exited with status 3, <code>bug.c:1:1: error: no needle &amp; no &lt;thread&gt;</code>"
        ),
        "{why}"
    );
}

#[apply(test)]
fn a_page_about_a_large_input_stays_small() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..60_000).map(|line| format!("line {line} of many\n")).collect();
    sandbox.file("big.txt", lines.concat());
    let words =
        ["--report", "r.html", "--unit", "line", "--max-candidates", "300", "grep -q 'line 777 '", "big.txt"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    let page = sandbox.read("r.html");
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert!(page.contains("Only the first "), "the page names the part that it shows");
}

#[apply(test)]
fn a_page_supports_any_bytes_several_files_and_options() {
    let sandbox = Sandbox::new();
    sandbox.file("odd.bin", b"\xff\xfe\0needle\x1b[1m\r\n<b>\xc3");
    let run = sandbox.nubbin(&["--report", "odd.html", "grep -aq needle", "odd.bin"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("odd.html").contains("needle"));
    std::fs::create_dir(sandbox.path("project")).expect("made");
    sandbox.file("project/a.c", "int needle;\nint more;\n");
    sandbox.file("project/b.c", "int other;\n");
    let run =
        sandbox.nubbin(&["--report", "dir.html", "--bug-report", "dir.md", "grep -rq needle {}", "project"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let page = sandbox.read("dir.html");
    assert!(page.contains("<h4>a.c</h4>") && page.contains("<h4>b.c</h4>"), "{page}");
    assert!(sandbox.read("dir.md").contains("`a.c`:\n\n```c\nneedle"), "{}", sandbox.read("dir.md"));
    let words = "options --report o.html --bug-report o.md --stdout needle -- echo a needle b";
    let words: Vec<&str> = words.split(' ').collect();
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("o.html").contains("without `"), "{}", sandbox.read("o.html"));
    assert!(sandbox.read("o.md").contains("## Command\n\n```sh\necho"), "{}", sandbox.read("o.md"));
}

#[apply(test)]
fn a_resumed_run_is_reported_from_its_first_step() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", INPUT);
    let steps = |name: &str| {
        let page = sandbox.read(name);
        page.split("max=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next()?.parse::<usize>().ok())
            .expect("a number")
    };
    sandbox.nubbin(&["--max-candidates", "12", "--report", "one.html", "grep -q needle", "bug.c"]);
    let run = sandbox.nubbin_confined(&["--resume", "--report", "two.html", "--max-candidates", "10000"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(steps("one.html") > 0 && steps("two.html") > steps("one.html"));
    let journal = sandbox.nubbin(&["history", "bug.c"]).stdout;
    assert!(journal.contains(&format!(": {} steps, finished", steps("two.html"))), "{journal}");
}

#[apply(test)]
fn a_bug_report_can_be_pasted_unchanged() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.c", INPUT);
    let body = "case $1 in --version) echo 'tool 4.2'; exit;; esac\n\
                grep -q needle \"$1\" && grep -q '```' \"$1\" && { echo \"$PWD/bug.c:3: internal error in f\" >&2; kill -SEGV $$; }\nexit 0";
    let oracle = sandbox.oracle("tool.sh", body);
    let tool = oracle.to_str().expect("UTF-8");
    let run = sandbox.nubbin(&["--bug-report", "bug.md", "bug.c", "--", tool, "{}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let report = sandbox.read("bug.md");
    let has = |text: &str| assert!(report.contains(text), "{text}: {report}");
    has("## Minimal input\n\n`bug.c`:\n\n````c\n");
    has("The command was killed by SIGSEGV.\n\nStandard error:\n\n```\nbug.c:3: internal error in f\n```\n");
    has("- tool.sh: tool 4.2\n");
    has(concat!("- nubbin: ", env!("CARGO_PKG_VERSION"), "\n"));
    has("proven: 1-minimal over");
    assert!(report.contains(&format!("{tool} bug.c\n")) && report.contains("bug.c -- "), "{report}");
    assert!(!report.contains("--bug-report"), "{report}");
    let minimal = sandbox.read("bug.reduced.c");
    has(minimal.trim_end());
}

#[apply(test)]
fn a_bug_report_of_a_script_shows_the_script() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", "one\nneedle\n");
    let oracle = sandbox.oracle("oracle.sh", "grep needle \"$1\"");
    let run = sandbox.nubbin(&["--bug-report", "-", oracle.to_str().expect("UTF-8"), "hay.txt"]);
    for text in [
        "#!/bin/sh\n",
        "grep needle \"$1\"\n```",
        "Standard output:\n\n```\nneedle\n```",
        "The test exited with status 0.",
    ] {
        assert!(run.stdout.contains(text), "{text}: {run:?}");
    }
}

#[apply(test)]
fn an_unwritable_report_is_detected_before_the_run() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", "one\nneedle\n");
    let run = sandbox.nubbin(&["--report", "no/such.html", "grep -q needle", "hay.txt"]);
    assert_eq!((run.code(), sandbox.has("hay.reduced.txt")), (8, false), "{run:?}");
    assert!(run.stderr.contains("cannot write `no/such.html`"), "{run:?}");
    let run = sandbox.nubbin(&["isolate", "--report", "r.html", "grep -q needle", "hay.txt"]);
    assert_eq!(run.code(), 2);
    assert!(run.stderr.contains("`nubbin isolate` has no option `--report`"), "{run:?}");
}

#[apply(test)]
fn a_page_of_a_resumed_run_explains_as_much_as_one_of_a_whole_run() {
    let reasons = |page: String| -> Vec<String> {
        page.split("title=\"").skip(1).map(|why| why.split('"').next().unwrap_or("").to_owned()).collect()
    };
    let run = |options: &[&str]| {
        let sandbox = Sandbox::new();
        sandbox.file("bug.c", INPUT);
        sandbox.oracle("oracle.sh", ORACLE);
        let words = [&["-j", "1", "--report", "r.html", "./oracle.sh", "bug.c"], options].concat();
        let run = sandbox.nubbin(&words);
        assert_eq!(run.code(), 0, "{run:?}");
        (sandbox, run)
    };
    let (whole, told) = run(&[]);
    let expected = reasons(whole.read("r.html"));
    let is_explained = |why: &&String| why.contains("exited with status 3");
    assert!(expected.iter().any(|why| is_explained(&why)), "{expected:?}");
    let probes = told
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("candidates ").or_else(|| line.strip_prefix("probes ")));
    let probes: usize =
        probes.and_then(|rest| rest.trim().split(' ').next()?.parse().ok()).expect("a number");

    // All but one probe were made before.
    let (cut, _) = run(&["--max-candidates", &(probes - 1).to_string()]);
    let words = ["--resume", "-j", "1", "--report", "r.html", "./oracle.sh", "bug.c"];
    let resumed = cut.nubbin(&words);
    assert_eq!(resumed.code(), 0, "{resumed:?}");
    assert_eq!(reasons(cut.read("r.html")), expected, "{resumed:?}");

    // If no page was requested before, only the verdicts are known.
    let cut = Sandbox::new();
    cut.file("bug.c", INPUT);
    cut.oracle("oracle.sh", ORACLE);
    cut.nubbin(&["-j", "1", "--max-candidates", &(probes - 1).to_string(), "./oracle.sh", "bug.c"]);
    let resumed = cut.nubbin(&words);
    assert_eq!(resumed.code(), 0, "{resumed:?}");
    let found = reasons(cut.read("r.html"));
    let is_known = |why: &&String| !why.starts_with("not run:");
    assert_eq!(found.iter().filter(is_known).count(), expected.iter().filter(is_known).count(), "{found:?}");
    assert!(found.iter().any(|why| why.contains("before the run was resumed")), "{found:?}");
}
