use super::*;
use nubbin_language::Registry;
use std::path::Path;

fn inliner(files: &[(&str, &str)]) -> Inliner<'static> {
    let file = |&(path, text): &(&str, &str)| {
        let language = Registry::built_in().detect(Path::new(path), text.as_bytes())?;
        Some(SourceFile { path: path.into(), text: text.into(), language, stays: false })
    };
    let mut given: Vec<PathBuf> =
        files.iter().filter_map(|(path, _)| Some(Path::new(path).parent()?.to_owned())).collect();
    given.dedup();
    Inliner::new(files.iter().filter_map(file).collect(), &given, &|_| None)
}

/// Inlines all files that can be inlined, and returns the remaining ones with their texts.
fn joined(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let inliner = inliner(files);
    let all: Vec<usize> = (0..inliner.count()).collect();
    let texts = inliner.texts(&all).expect("there is a text");
    let left = texts.into_iter().zip(files).filter_map(|(text, (path, _))| Some((path, text?)));
    left.map(|(path, text)| ((*path).to_owned(), String::from_utf8_lossy(&text).into_owned())).collect()
}

/// Returns the text of the only remaining file.
fn one(files: &[(&str, &str)]) -> String {
    let left = joined(files);
    assert_eq!(left.len(), 1, "{left:?}");
    left[0].1.clone()
}

#[test]
fn a_header_comes_in_once_and_brings_its_own_headers() {
    let files = [
        ("main.c", "#include \"a.h\"\n#include \"sub/b.h\"\n#include <stdio.h>\nint c;\n"),
        ("a.h", "#ifndef A\n#define A\n#include \"sub/b.h\"\nint a;\n#endif\n"),
        ("sub/b.h", "#pragma once\n#include \"../a.h\"\nint b;\n"),
    ];
    assert_eq!(one(&files), "#ifndef A\n#define A\nint b;\nint a;\n#endif\n#include <stdio.h>\nint c;\n");
}

#[test]
fn a_header_that_does_not_say_that_it_comes_in_once_comes_in_each_time() {
    let files =
        [("main.c", "#define X 1\n#include \"x.h\"\n#undef X\n#include \"x.h\"\n"), ("x.h", "int f();")];
    assert_eq!(one(&files), "#define X 1\nint f();\n#undef X\nint f();\n");
}

#[test]
fn a_module_becomes_one_in_braces_wherever_its_file_is() {
    let files = [
        ("src/main.rs", "pub mod a;\nmod c;\n#[path = \"odd.rs\"]\nmod d;\nfn main() { a::b::f(); }\n"),
        ("src/a.rs", "//! A.\npub mod b;\n"),
        ("src/a/b.rs", "pub fn f() {}\n"),
        ("src/c/mod.rs", "fn g() {}\n"),
        ("src/odd.rs", ""),
    ];
    assert_eq!(
        one(&files),
        "pub mod a {\n//! A.\npub mod b {\npub fn f() {}\n}\n}\nmod c {\nfn g() {}\n}\nmod d {\n}\nfn main() { a::b::f(); }\n"
    );
}

#[test]
fn members_of_a_module_become_names_and_names_that_clash_get_others() {
    let files = [
        (
            "main.py",
            "import m\nfrom m import size as length, other\n\ndef size():\n    return m.size() + length() + other\n",
        ),
        (
            "m.py",
            "import os\n\ndef size():\n    return os.sep\n\nother = size\n\nif __name__ == \"__main__\":\n    size()\n",
        ),
    ];
    assert_eq!(
        one(&files),
        "import os\n\ndef size_2():\n    return os.sep\n\nother = size_2\n\n\ndef size():\n    return size_2() + size_2() + other\n"
    );
}

#[test]
fn a_package_comes_in_before_what_is_in_it_and_a_circle_does_not_matter() {
    let files = [
        ("main.py", "import p.a as q\nfrom p import *\nprint(q.f(), g, p)\n"),
        (
            "p/__init__.py",
            "from __future__ import annotations\nfrom .a import f\nfrom . import b\n\ng = b.h\n",
        ),
        ("p/a.py", "def f():\n    from . import g\n    return g\n"),
        ("p/b.py", "from .a import f as k\nfrom . import a\nh = k, a.f\n"),
    ];
    assert_eq!(
        one(&files),
        "from __future__ import annotations\ndef f():\n    pass\n    return g\nh = f, f\n\ng = h\nprint(f(), g, p)\n"
    );
}

#[test]
fn a_module_that_is_used_as_an_object_is_the_whole() {
    let files = [("main.py", "import m\nfor n in dir(m): print(n, m.f)\n"), ("m.py", "f = 1\n")];
    assert_eq!(one(&files), "f = 1\nm = __import__('sys').modules[__name__]\nfor n in dir(m): print(n, f)\n");
}

#[test]
fn a_name_that_a_function_has_for_itself_is_not_replaced() {
    let files = [
        ("main.py", "from m import f as g\ndef h(f):\n    return g(f)\nx = open\n"),
        ("m.py", "def f(a): return a\ndef open(): return f\n"),
    ];
    assert_eq!(
        one(&files),
        "def f(a): return a\ndef open_2(): return f\ng = f\ndef h(f):\n    return g(f)\nx = open\n"
    );
}

#[test]
fn what_stays_outside_keeps_its_name_and_only_some_of_the_files_may_come_in() {
    let files = [
        ("main.py", "import json, a\nimport b\nfrom c import x, y\nprint(json, a.json, b.json, x, y)\n"),
        ("a.py", "import json\n"),
        ("b.py", "import simplejson as json\n"),
        ("c.py", "x = y = 1\n"),
    ];
    assert_eq!(
        one(&files),
        "import json\nimport json\nimport simplejson as json_2\nx = y = 1\nprint(json, json, json_2, x, y)\n"
    );
    let inliner = inliner(&files);
    let texts = inliner.texts(&[0]).expect("one comes in");
    assert_eq!(texts.iter().filter(|text| text.is_none()).count(), 1);
    let main = String::from_utf8_lossy(texts[0].as_deref().expect("it stays")).into_owned();
    assert_eq!(
        main,
        "import json\nimport json\nimport b\nfrom c import x, y\nprint(json, json, b.json, x, y)\n"
    );
}

#[test]
fn a_file_that_several_need_stays_where_it_would_come_in_twice() {
    let header = "int f(int a, int b, int c, int d, int e, int g, int h, int i, int j);\n";
    let files = [("a.c", "#include \"x.h\"\n"), ("b.c", "#include \"x.h\"\n"), ("x.h", header)];
    assert!(inliner(&files).texts(&[0]).is_none());
}
