//! Firefox as the test, alone and in comparison with Chromium.

use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox};
use crate::tools;

/// A page in which a later script fails.
const INVENTORY: &str = "<!DOCTYPE html>\n<title>Inventory</title>\n<p id=\"note\">Lamps</p>\n<script>\n  \
                         const note = document.getElementById(\"note\");\n  console.log(\"counting \" + note.textContent);\n  \
                         note.missing.trim();\n</script>\n";
/// A page with a menu that opens on a click, a field, and a handler for a key.
const MENU: &str = "<!DOCTYPE html>\n<style>#menu { display: none; width: 120px } .open #menu { display: block }</style>\n\
                    <body>\n<p>Some text</p>\n<button id=\"show\" onclick=\"document.body.className = 'open'\">Menu</button>\n\
                    <input id=\"field\"><ul id=\"menu\"><li>One</li></ul>\n<script>\n\
                    addEventListener(\"keydown\", event => { if (event.key == \"Enter\") console.error(\"pressed\") });\n</script>\n";
/// A page that inserts a tree of 200,000 elements into the document at once, which is too deep for recursive
/// algorithms.
const DEEP: &str = "<p>Deep</p>\n<script>\nfunction chain() {\n  const top = document.createElement('div');\n  let low = top;\n  \
                    for (let n = 1; n < 500; n++) low = low.appendChild(document.createElement('div'));\n  return [top, low];\n}\n\
                    let [root, low] = chain();\nfor (let n = 0; n < 400; n++) { const [a, b] = chain(); low.append(a); low = b; }\n\
                    document.body.append(root);\n</script>\n";

/// Creates a directory in which Firefox can be the test.
fn sandbox() -> Sandbox {
    tools::program("firefox-esr");
    if !std::process::Command::new("unshare")
        .args(["-rn", "true"])
        .status()
        .is_ok_and(|ended| ended.success())
    {
        ignore("needs network namespaces");
    }
    Sandbox::new()
}

/// Runs `nubbin browser` in Firefox with few candidates.
fn run(sandbox: &Sandbox, words: &[&str]) -> Finished {
    run_for(sandbox, "12", words)
}

/// Runs it with this number of candidates.
fn run_for(sandbox: &Sandbox, probes: &str, words: &[&str]) -> Finished {
    let few = ["browser", "--browser", "firefox-esr", "--no-journal", "-j1", "--max-candidates", probes];
    sandbox.nubbin(&[&few, words].concat())
}

#[apply(test)]
fn the_only_uncaught_error_of_a_page_is_kept_in_firefox() {
    let sandbox = sandbox();
    sandbox.file("page.html", INVENTORY);
    let run = run(&sandbox, &["page.html"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let kept = "the failure to keep: in `firefox-esr`, the console shows `Uncaught TypeError: can't access property \"trim\", \
                note.missing is undefined`";
    assert!(run.stderr.contains(kept), "{run:?}");
    let result = sandbox.read("page.reduced.html");
    assert!(result.contains(".trim") && result.len() < INVENTORY.len(), "{result}");
}

#[apply(test)]
fn a_crash_of_the_pages_process_and_a_hang_are_kept_in_firefox() {
    let sandbox = sandbox();
    sandbox.file("crash.html", DEEP);
    sandbox
        .file("hang.html", "<p>Counting</p><script>let left = 10; while (left != 0) left -= 3;</script>\n");
    let crashed = run_for(&sandbox, "3", &["--crash", "crash.html"]);
    assert_eq!(crashed.code(), 0, "{crashed:?}");
    assert!(crashed.stderr.contains("the page's process crashes (signal "), "{crashed:?}");
    let hung = run_for(&sandbox, "3", &["--unresponsive", "0.7", "hang.html"]);
    assert_eq!(hung.code(), 0, "{hung:?}");
    assert!(hung.stderr.contains("the page does not respond for "), "{hung:?}");
}

#[apply(test)]
fn events_happen_before_a_page_is_checked_in_firefox() {
    let sandbox = sandbox();
    sandbox.file("menu.html", MENU);
    sandbox.file("open.txt", "click #show\nkey Enter\nclick #field\ntype two Words\n");
    let state = "[document.getElementById('menu').offsetWidth, document.getElementById('field').value]";
    let valued = run(&sandbox, &["--actions", "open.txt", "--js", state, "menu.html"]);
    assert_eq!(valued.code(), 0, "{valued:?}");
    assert!(valued.stderr.contains("is [160,\"two Words\"]"), "{valued:?}");
    for check in [&["--looks-like-now", "#menu"], &["--console", "^pressed$"]] {
        let run = run(&sandbox, &[&["--actions", "open.txt", "menu.html"], &check[..]].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(sandbox.read("menu.reduced.html").len() < MENU.len(), "{run:?}");
    }
}

#[apply(test)]
fn data_stored_by_a_page_are_not_visible_to_the_next_one_in_firefox() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("saved_files")).unwrap();
    // Its files have different contents under the same name in each candidate, and it fails only if no page
    // was loaded before it.
    let page = "<!DOCTYPE html>\n<link rel=\"stylesheet\" href=\"saved_files/look.css\">\n<p>Text</p>\n\
                <script src=\"saved_files/run.js\"></script>\n";
    sandbox.file("saved.html", page);
    sandbox.file("saved_files/look.css", "body { margin: 0 }\np { color: teal }\np { width: 50px }\n");
    let script = "if (localStorage.visits || document.cookie || window.name) throw Error('seen before');\n\
                  const text = 'some';\nlocalStorage.visits = 1;\ndocument.cookie = 'a=b';\nwindow.name = 'c';\n\
                  if (document.querySelector('p').offsetWidth == 50) lost.trim();\n";
    sandbox.file("saved_files/run.js", script);
    let saved = run_for(&sandbox, "30", &["--console", "lost is not defined", "saved.html"]);
    assert_eq!(saved.code(), 0, "{saved:?}");
    assert!(!saved.stderr.contains("new process"), "{saved:?}");
    let left = sandbox.read("saved.reduced/saved_files/run.js");
    assert!(left.contains("lost") && left.len() < script.len(), "{left}");
    // The profile exists as long as the browser runs.
    sandbox.file("store.html", "<!DOCTYPE html>\n<title>Store</title>\n<p>One</p>\n<p>Two</p>\n");
    let stored =
        run(&sandbox, &["--js", "localStorage.a = document.querySelectorAll('p').length", "store.html"]);
    assert_eq!(stored.code(), 0, "{stored:?}");
    let left = sandbox.read("store.reduced.html");
    assert!(!left.contains("Store"), "{left}");
}

#[apply(test)]
fn a_page_that_looks_different_in_chromium_and_in_firefox_is_kept() {
    let sandbox = sandbox();
    tools::program("chromium");
    // The two browsers draw letters and lists differently, which does not count as a difference.
    let text = "<!DOCTYPE html>\n<h1>Some text</h1>\n<p>Letters are drawn by each one in its own way.</p>\n\
                <ul><li>One</li></ul>\n<p><button>And</button> <input value=\"fields\"></p>\n";
    let look = "<style>\n.box { width: 200px; height: 100px; background: teal }\n\
                @supports (-moz-appearance: none) { .box { background: orange } }\n</style>\n<div class=\"box\"></div>\n";
    sandbox.file("same.html", text);
    sandbox.file("other.html", format!("{text}{look}"));
    let same = run(&sandbox, &["--looks-different-from", "chromium", "same.html"]);
    assert_eq!(same.code(), 3, "{same:?}");
    assert!(same.stderr.contains("`firefox-esr` and `chromium` show the same picture"), "{same:?}");
    for (browser, other) in [("firefox-esr", "chromium"), ("chromium", "firefox-esr")] {
        let words = ["browser", "--browser", browser, "--looks-different-from", other];
        let few = ["--no-journal", "-j1", "--max-candidates", "20", "other.html"];
        let run = sandbox.nubbin(&[&words[..], &few].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        let result = sandbox.read("other.reduced.html");
        assert!(result.contains("-moz-appearance") && result.len() < look.len() + 40, "{result}");
    }
}

#[apply(test)]
fn without_a_separate_network_firefox_is_not_started() {
    let sandbox = sandbox();
    sandbox.file("page.html", INVENTORY);
    let line =
        "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$0\" browser --browser firefox-esr page.html";
    let words = ["-Ur", "sh", "-c", line, env!("CARGO_BIN_EXE_nubbin")];
    let run = sandbox.run("unshare", &words);
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(run.stderr.contains("Firefox needs a network namespace"), "{run:?}");
    assert!(run.stderr.contains("--browser chromium"), "{run:?}");
}
