//! Checks the links of every Markdown file, and the table of contents of the book.
//!
//! A relative link must lead to a file of the repository, and its anchor to a heading of that file. Links to other
//! sites are not followed.

use crate::harness::{ignore, trial};
use libtest_mimic::Trial;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Directories that contain no documentation of the project.
const SKIPPED: [&str; 5] = [".git", ".nubbin", "node_modules", "runs", "target"];

/// A link in a Markdown file.
#[derive(Debug, PartialEq, Eq)]
struct Link {
    line: usize,
    target: String,
}

/// The parts of a Markdown file that the checks need.
struct Page {
    links: Vec<Link>,
    anchors: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The tests: one for each Markdown file.
pub fn tests() -> Vec<Trial> {
    let mut files = Vec::new();
    collect(root(), &mut files);
    let relative = files.iter().filter_map(|file| file.strip_prefix(root()).ok());
    relative
        .map(|file| {
            let file = file.to_owned();
            trial(format!("links::{}", file.display()), move || links_resolve(&file))
        })
        .collect()
}

/// Collects the Markdown files below a directory. Symbolic links are not followed.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a readable directory") {
        let entry = entry.expect("an entry");
        let (path, kind) = (entry.path(), entry.file_type().expect("a type"));
        if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
            collect(&path, files);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            files.push(path);
        }
    }
}

fn page(path: &Path) -> Page {
    parse(&std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn parse(text: &str) -> Page {
    let mut page = Page { links: Vec::new(), anchors: BTreeSet::new() };
    let mut headings: BTreeMap<String, usize> = BTreeMap::new();
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && start.trim_end() == ticks => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => {
                let line = without_code(line);
                page.links.extend(targets(&line).map(|target| Link { line: number + 1, target }));
                page.anchors.extend(explicit_anchors(&line));
                if let Some(title) = heading(start) {
                    let slug = slug(title);
                    let count = headings.entry(slug.clone()).or_default();
                    page.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                    *count += 1;
                }
            }
        }
    }
    page
}

/// Returns the text of a heading.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
}

/// Returns the anchor of a heading, as forges and mdbook make it.
fn slug(title: &str) -> String {
    // The target of a link is not part of the heading's text.
    let text = title.split("](").map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
    let text: String = if title.contains("](") { text.collect() } else { title.to_owned() };
    let kept = text.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns a line without its inline code. A line with an unpaired backtick is returned as it is.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return line.to_owned();
    }
    parts.iter().step_by(2).copied().collect::<Vec<_>>().join("`")
}

/// Returns the targets of the links in a line: inline links, images, and definitions of references.
fn targets(line: &str) -> impl Iterator<Item = String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    inline.chain(definition).filter_map(|target| Some(target.split_whitespace().next()?.to_owned()))
}

/// Returns the anchors that HTML in a line defines.
fn explicit_anchors(line: &str) -> impl Iterator<Item = String> {
    let values = ["<a id=\"", "<a name=\""].map(|start| line.split(start).skip(1));
    values.into_iter().flatten().filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
}

fn is_external(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// Resolves `.` and `..` in a relative path. `None` if the path leads out of the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::CurDir => {}
            Component::ParentDir if normal.pop() => {}
            _ => return None,
        }
    }
    Some(normal)
}

/// Returns what is wrong with a link of a file. `boundary` is the directory that the link must not leave.
fn fault(file: &Path, target: &str, boundary: &Path) -> Option<String> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let parent = file.parent().expect("a file is in a directory");
    let joined = if path.is_empty() { file.to_owned() } else { parent.join(path) };
    let Some(found) = normal(&joined).filter(|found| found.starts_with(boundary)) else {
        return Some(format!("leads out of `./{}`", boundary.display()));
    };
    if !root().join(&found).exists() {
        return Some(format!("`{}` does not exist", found.display()));
    }
    let anchor = anchor?;
    let is_missing = !page(&root().join(&found)).anchors.contains(anchor);
    is_missing.then(|| format!("`{}` has no heading `#{anchor}`", found.display()))
}

/// Returns the directory that the links of a file must not leave: the sources of the book, a package, or the repository.
fn boundary(file: &Path) -> PathBuf {
    let depth = match file.iter().next().and_then(|first| first.to_str()) {
        Some("crates") => 2,
        // The package of the languages has this directory.
        Some("grammars") => 1,
        Some("docs") if file.starts_with("docs/guide") => 2,
        _ => 0,
    };
    file.iter().take(depth).collect()
}

fn links_resolve(file: &Path) {
    if !root().join("crates").is_dir() {
        ignore("needs a checkout of the repository: a package contains only a part of the files");
    }
    let links = page(&root().join(file)).links;
    let links = links.iter().filter(|link| !is_external(&link.target));
    let faults = links.filter_map(|link| {
        let fault = fault(file, &link.target, &boundary(file))?;
        Some(format!("{}:{}: `{}`: {fault}", file.display(), link.line, link.target))
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "broken links:\n{}", faults.join("\n"));
}

#[apply(test)]
fn the_table_of_contents_lists_every_page_of_the_guide_once() {
    let folder = root().join("docs/guide");
    let mut listed: Vec<String> =
        page(&folder.join("SUMMARY.md")).links.into_iter().map(|link| link.target).collect();
    listed.sort();
    let mut files = Vec::new();
    collect(&folder, &mut files);
    let names = files.iter().map(|file| file.strip_prefix(&folder).expect("a page of the guide"));
    let mut names: Vec<String> = names.map(|name| name.display().to_string()).collect();
    names.retain(|name| name != "SUMMARY.md");
    names.sort();
    assert_eq!(listed, names, "docs/guide/SUMMARY.md and the files in docs/guide differ");
}

#[apply(test)]
fn code_contains_neither_links_nor_headings() {
    let text = "# One\n```\n[a](b)\n# Two\n```\n`[a](c)` and [d](e.md#f \"title\") ![g](h)\n\n[i]: j\n";
    let page = parse(text);
    let targets: Vec<&str> = page.links.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(targets, ["e.md#f", "h", "j"]);
    assert_eq!(page.links[0].line, 6);
    assert_eq!(page.anchors, BTreeSet::from(["one".to_owned()]));
}

#[apply(test)]
fn anchors_are_those_of_forges_and_mdbook() {
    assert_eq!(slug("Files, and `--inline` (C)"), "files-and---inline-c");
    let page = parse("## Same\n## Same\n<a id=\"mine\"></a>\n#hash\n");
    let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
    assert_eq!(anchors, ["mine", "same", "same-1"]);
}

#[apply(test)]
fn broken_links_are_found() {
    if !root().join("docs/guide").is_dir() {
        ignore("needs the guide");
    }
    let (file, book) = (Path::new("docs/guide/README.md"), Path::new("docs/guide"));
    let of = |target: &str| fault(file, target, book);
    assert_eq!(of("install.md"), None);
    assert!(of("none.md").is_some_and(|fault| fault.contains("does not exist")));
    assert!(of("install.md#none").is_some_and(|fault| fault.contains("no heading")));
    assert!(of("../propose.md").is_some_and(|fault| fault.contains("leads out of")));
    assert!(fault(file, "../../../x", Path::new("")).is_some_and(|fault| fault.contains("leads out of")));
}
