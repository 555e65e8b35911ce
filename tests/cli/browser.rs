//! Web pages as inputs, and a reused browser process as their test.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;

/// A page in which a later script fails.
const INVENTORY: &str = "<!DOCTYPE html>\n<title>Inventory</title>\n<p id=\"note\">Lamps</p>\n<script>\n  \
                         const note = document.getElementById(\"note\");\n  console.log(\"counting \" + note.textContent);\n  \
                         note.missing.trim();\n</script>\n";
/// A page with a menu that opens on a click, and a handler for a key.
const MENU: &str = "<!DOCTYPE html>\n<style>#menu { display: none; width: 120px } .open #menu { display: block }</style>\n\
                    <body>\n<p>Some text</p>\n<button id=\"show\" onclick=\"document.body.className = 'open'\">Menu</button>\n\
                    <ul id=\"menu\"><li>One</li></ul>\n<script>\n\
                    addEventListener(\"keydown\", event => { if (event.key == \"Enter\") console.error(\"pressed\") });\n</script>\n";

fn sandbox() -> Sandbox {
    tools::program("chromium");
    Sandbox::new()
}

/// Runs `nubbin browser` with few candidates.
fn run(sandbox: &Sandbox, words: &[&str]) -> Finished {
    let few = ["browser", "--no-journal", "-j1", "--max-candidates", "12"];
    sandbox.nubbin(&[&few, words].concat())
}

#[apply(test)]
fn without_a_check_the_only_uncaught_error_of_a_page_is_kept() {
    let sandbox = sandbox();
    sandbox.file("page.html", INVENTORY);
    let run = run(&sandbox, &["page.html"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let kept = "the failure to keep: in `chromium`, the console shows `Uncaught TypeError: Cannot read properties of undefined \
                (reading 'trim')`";
    assert!(run.stderr.contains(kept), "{run:?}");
    let result = sandbox.read("page.reduced.html");
    assert!(result.contains(".trim") && result.len() < INVENTORY.len(), "{result}");
}

#[apply(test)]
fn a_crash_of_the_pages_process_and_a_hang_are_kept() {
    let sandbox = sandbox();
    // The tree is too deep for recursive algorithms.
    sandbox.file(
        "crash.html",
        "<p>Deep</p><script>let place = document.body;\nfor (let n = 0; n < 200000; n++) place = place.appendChild(\
         document.createElement('div'));\nplace.getBoundingClientRect();</script>\n",
    );
    sandbox
        .file("hang.html", "<p>Counting</p><script>let left = 10; while (left != 0) left -= 3;</script>\n");
    let run = |words: &[&str]| {
        sandbox.nubbin(&[&["browser", "--no-journal", "-j1", "--max-candidates", "4"], words].concat())
    };
    let crashed = run(&["--crash", "crash.html"]);
    assert_eq!(crashed.code(), 0, "{crashed:?}");
    assert!(crashed.stderr.contains("the page's process crashes (signal "), "{crashed:?}");
    let hung = run(&["--unresponsive", "0.7", "hang.html"]);
    assert_eq!(hung.code(), 0, "{hung:?}");
    assert!(hung.stderr.contains("the page does not respond for "), "{hung:?}");
}

#[apply(test)]
fn events_happen_before_a_page_is_checked() {
    let sandbox = sandbox();
    sandbox.file("menu.html", MENU);
    sandbox.file("open.txt", "# opens it\nclick #show\nkey Enter\n");
    let width = "document.getElementById('menu').offsetWidth";
    for check in [&["--js", width][..], &["--looks-like-now", "#menu"], &["--console", "^pressed$"]] {
        let run = run(&sandbox, &[&["--actions", "open.txt", "menu.html"], check].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(sandbox.read("menu.reduced.html").len() < MENU.len(), "{run:?}");
    }
    let run = run(&sandbox, &["--console", "^pressed$", "menu.html"]);
    assert!(run.code() != 0 && run.stderr.contains("no console message matches `^pressed$`"), "{run:?}");
}

#[apply(test)]
fn files_next_to_a_page_are_found_and_reduced_with_it() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("saved_files")).unwrap();
    let page = "<!DOCTYPE html>\n<link rel=\"stylesheet\" href=\"saved_files/look.css\">\n<p>Text</p>\n\
                <script src=\"saved_files/run.js\"></script>\n";
    sandbox.file("saved.html", page);
    sandbox.file("saved_files/look.css", "@import 'more.css';\np { color: teal }\n");
    sandbox.file("saved_files/more.css", "p { margin: 0 }\n");
    sandbox.file("saved_files/run.js", "const text = 'some';\nconsole.log(text);\nlost.trim();\n");
    sandbox.file("saved_files/unused.js", "more.lost();\n");
    let run = run(&sandbox, &["--console", "lost is not defined", "saved.html"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let script = sandbox.read("saved.reduced/saved_files/run.js");
    assert!(script.contains("lost"), "{script}");
    assert!(sandbox.read("saved.reduced/saved.html").len() < page.len(), "{run:?}");
    assert!(sandbox.path("saved.reduced/saved_files/more.css").exists());
    assert!(!sandbox.path("saved.reduced/saved_files/unused.js").exists());
}

#[apply(test)]
fn data_stored_by_a_page_are_not_visible_to_the_next_one() {
    let sandbox = sandbox();
    // It fails only if no page was loaded before it.
    sandbox.file(
        "page.html",
        "<p>Visits</p>\n<script>\nif (localStorage.visits || document.cookie || window.name) throw Error('seen before');\n\
         localStorage.visits = 1;\ndocument.cookie = 'a=b';\nwindow.name = 'c';\nlost();\n</script>\n",
    );
    let run = run(&sandbox, &["--console", "lost is not defined", "page.html"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stderr.contains("new process"), "{run:?}");
}

#[apply(test)]
fn a_browser_run_is_resumed_without_repeating_a_probe() {
    let sandbox = sandbox();
    sandbox.file("page.html", INVENTORY);
    let words = ["browser", "-j1", "--max-candidates", "6", "page.html"];
    assert_eq!(sandbox.nubbin(&words).code(), 0);
    let run = sandbox.nubbin(&["browser", "-j1", "--max-candidates", "12", "--resume", "page.html"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("page.reduced.html").contains(".trim"), "{run:?}");
}

#[apply(test)]
fn mistakes_are_reported_with_a_hint() {
    let sandbox = Sandbox::new();
    sandbox.file("page.html", INVENTORY);
    sandbox.file("wrong.txt", "click #a\ndrag #b\n");
    for (words, code, part, hint) in [
        (
            &["browser", "--browser", "no-such-browser", "page.html"][..],
            5,
            "the browser `no-such-browser` of `--browser` was not found",
            "--browser COMMAND",
        ),
        (
            &["browser", "--console", "a(b", "--browser", "sh", "page.html"],
            2,
            "is not a regular expression",
            "escape literal brackets",
        ),
        (
            &["browser", "--actions", "wrong.txt", "--browser", "sh", "page.html"],
            2,
            "line 2: unknown action `drag`",
            "",
        ),
        (
            &["browser", "--actions", "none.txt", "--browser", "sh", "page.html"],
            7,
            "`none.txt` cannot be read",
            "",
        ),
        (
            &["browser", "--limit", "memory=1G", "--browser", "sh", "page.html"],
            2,
            "`--limit memory` cannot be used for a browser",
            "leave it out",
        ),
        (&["browser", "--crash", "--browser", "sh"], 2, "the page is missing", "nubbin browser PAGE"),
        (&["browser", "--crash", "--browser", "sh", "."], 2, "`.` is not a file", "name the page"),
        (&["browser", "--crash", "--browser", "false", "page.html"], 5, "the browser `", "--browser COMMAND"),
    ] {
        let run = sandbox.nubbin(words);
        assert!(run.code() == code && run.stderr.contains(part) && run.stderr.contains(hint), "{run:?}");
    }
}

#[apply(test)]
fn a_failure_that_the_page_does_not_show_is_reported_with_its_output() {
    let sandbox = sandbox();
    sandbox.file("page.html", INVENTORY);
    for (words, part) in [
        (&["--console", "RangeError"][..], "no console message matches `RangeError`"),
        (&["--crash"], "the process of the page does not crash"),
        (&["--js", "lost.title"], "`lost.title` has no value (Uncaught ReferenceError: lost is not defined)"),
        (&["--looks-like-now", "#lost"], "`#lost` is not visible"),
        (&["--unresponsive", "5"], "the page responds within"),
    ] {
        let run = run(&sandbox, &[words, &["page.html"]].concat());
        assert_eq!(run.code(), 3, "{run:?}");
        assert!(run.stderr.contains(part) && run.stderr.contains("counting Lamps"), "{run:?}");
    }
}
