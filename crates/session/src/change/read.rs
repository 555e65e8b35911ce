//! Reads and applies a patch, as a whole or not at all.

use super::{FileNode, FileTree};
use nubbin_archive::Type;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The reasons why a patch cannot be applied.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The patch contains no changes.
    #[error("it contains no changes")]
    Empty,
    /// The patch is malformed.
    #[error("line {line}: {what}")]
    Malformed {
        /// The line of the patch, from 1.
        line: usize,
        /// The problem, as text.
        what: &'static str,
    },
    /// The file does not exist, or exists where it must not.
    #[error("line {line}: `{}` {what}", path.display())]
    File {
        /// The line of the patch, from 1.
        line: usize,
        /// The file.
        path: PathBuf,
        /// The problem, as text.
        what: &'static str,
    },
    /// The lines of a hunk are not in the file.
    #[error("line {line}: the hunk does not apply to `{}` at line {at}", path.display())]
    Hunk {
        /// The line of the patch, from 1.
        line: usize,
        /// The file.
        path: PathBuf,
        /// The line of the file that the hunk names.
        at: usize,
    },
}

/// Lines of a file and their replacement.
#[derive(Debug, Default)]
struct Hunk {
    line: usize,
    /// The first line in the file, from 1.
    at: usize,
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
}

/// The part of a patch for one file.
#[derive(Debug, Default)]
struct Section {
    line: usize,
    old: Option<PathBuf>,
    new: Option<PathBuf>,
    is_copy: bool,
    is_new: bool,
    is_deleted: bool,
    mode: Option<u32>,
    hunks: Vec<Hunk>,
}

/// Applies a patch in the format of git or `diff -u` to `tree`, and returns the new version.
///
/// # Errors
/// Returns an error when the patch is malformed or does not fit.
pub fn apply(tree: &FileTree, patch: &[u8]) -> Result<FileTree, PatchError> {
    let sections = Reader::new(patch).sections(tree)?;
    if sections.is_empty() {
        return Err(PatchError::Empty);
    }
    let mut result = tree.clone();
    // All sections refer to the files before the patch: two files can exchange names.
    let (mut gone, mut come): (Vec<PathBuf>, Vec<_>) = (Vec::new(), Vec::new());
    let mut done: BTreeMap<PathBuf, FileNode> = BTreeMap::new();
    for section in &sections {
        let place = |path: Option<&PathBuf>| path.cloned().unwrap_or_default();
        let (from, to) = (place(section.old.as_ref()), place(section.new.as_ref()));
        let error = |path: &Path, what| PatchError::File { line: section.line, path: path.to_owned(), what };
        let before = match (&section.old, done.get(&from).or_else(|| tree.files.get(&from))) {
            (None, _) => None,
            (Some(_), Some(node)) => Some(node.clone()),
            (Some(wanted), None) => return Err(error(wanted, "does not exist")),
        };
        let mut node = before.unwrap_or(FileNode { kind: Type::File, mode: 0o644, content: [].into() });
        if let Some(mode) = section.mode {
            node.kind = if mode & 0o170_000 == 0o120_000 { Type::Link } else { Type::File };
            node.mode = if mode & 0o111 != 0 { 0o755 } else { 0o644 };
        }
        node.content = changed(&node.content, section)?.into();
        if section.old.is_some() && !section.is_copy && section.old != section.new {
            gone.push(from);
        }
        if section.new.is_some() {
            done.insert(to.clone(), node.clone());
            come.push((section, to, node));
        } else if !node.content.is_empty() && !section.hunks.is_empty() {
            return Err(error(
                section.old.as_deref().unwrap_or(Path::new("")),
                "is deleted but has more lines",
            ));
        }
    }
    for path in gone {
        result.files.remove(&path);
    }
    for (section, path, node) in come {
        if section.old.as_ref() != Some(&path) && result.files.contains_key(&path) {
            return Err(PatchError::File { line: section.line, path, what: "already exists" });
        }
        result.files.insert(path, node);
    }
    Ok(result)
}

/// Returns a content with the hunks of a section applied.
fn changed(content: &[u8], section: &Section) -> Result<Vec<u8>, PatchError> {
    let lines: Vec<&[u8]> = super::compare::lines_of(content).collect();
    let (mut result, mut at, mut offset) = (Vec::new(), 0usize, 0isize);
    for hunk in &section.hunks {
        // An empty range is denoted by the line before it.
        let named = if hunk.old.is_empty() { hunk.at } else { hunk.at.saturating_sub(1) };
        let expected = named.saturating_add_signed(offset);
        let fits = |start: usize| {
            start >= at
                && lines.get(start..start + hunk.old.len()).is_some_and(|there| {
                    there.iter().zip(&hunk.old).all(|(one, other)| *one == other.as_slice())
                })
        };
        let nearest = (0..=lines.len())
            .flat_map(|distance| [expected.checked_add(distance), expected.checked_sub(distance)])
            .flatten()
            .find(|&start| fits(start));
        let Some(start) = nearest else {
            let path = section.old.as_ref().or(section.new.as_ref()).cloned().unwrap_or_default();
            return Err(PatchError::Hunk { line: hunk.line, path, at: hunk.at });
        };
        offset = start as isize - named as isize;
        result.extend(lines[at..start].concat());
        result.extend(hunk.new.concat());
        at = start + hunk.old.len();
    }
    result.extend(lines[at..].concat());
    Ok(result)
}

/// Parses a patch line by line.
struct Reader<'p> {
    lines: Vec<&'p [u8]>,
    at: usize,
}

impl<'p> Reader<'p> {
    fn new(patch: &'p [u8]) -> Self {
        Self { lines: patch.split_inclusive(|&byte| byte == b'\n').collect(), at: 0 }
    }

    fn line(&self) -> Option<&'p [u8]> {
        self.lines.get(self.at).map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }

    fn error(&self, what: &'static str) -> PatchError {
        PatchError::Malformed { line: self.at + 1, what }
    }

    fn sections(mut self, tree: &FileTree) -> Result<Vec<Section>, PatchError> {
        let mut sections = Vec::new();
        while let Some(line) = self.line() {
            let is_git = line.starts_with(b"diff --git ");
            let next = self.lines.get(self.at + 1);
            let is_plain = line.starts_with(b"--- ") && next.is_some_and(|next| next.starts_with(b"+++ "));
            if is_git || is_plain {
                sections.push(self.section(tree)?);
            } else if line.starts_with(b"@@ -") {
                return Err(self.error("a hunk precedes the name of its file"));
            } else {
                self.at += 1;
            }
        }
        Ok(sections)
    }

    fn section(&mut self, tree: &FileTree) -> Result<Section, PatchError> {
        let mut section = Section { line: self.at + 1, ..Section::default() };
        let mut named: Option<(PathBuf, PathBuf)> = None;
        if let Some(rest) = self.line().and_then(|line| line.strip_prefix(b"diff --git ")) {
            named = both_names(rest);
            self.at += 1;
            self.headers(&mut section)?;
        }
        let is_renamed = section.old.is_some() && section.new.is_some();
        if let (Some((old, new)), false) = (named, is_renamed) {
            section.old = (!section.is_new).then(|| strip(&old));
            section.new = (!section.is_deleted).then(|| strip(&new));
        }
        if let Some(old) = self.line().and_then(|line| line.strip_prefix(b"--- ")) {
            self.at += 1;
            let Some(new) = self.line().and_then(|line| line.strip_prefix(b"+++ ")) else {
                return Err(self.error("expected a line with `+++`"));
            };
            self.at += 1;
            if !is_renamed {
                (section.old, section.new) = places(&name(old), &name(new), tree);
            }
        }
        if section.old.is_none() && section.new.is_none() {
            return Err(PatchError::Malformed { line: section.line, what: "no file name" });
        }
        for path in [&section.old, &section.new].into_iter().flatten() {
            if !path.components().all(|part| matches!(part, Component::Normal(_))) {
                let path = path.clone();
                return Err(PatchError::File { line: section.line, path, what: "is outside the directory" });
            }
        }
        while self.line().is_some_and(|line| line.starts_with(b"@@ -")) {
            let hunk = self.hunk()?;
            section.hunks.push(hunk);
        }
        Ok(section)
    }

    /// Reads the lines between `diff --git` and `---`.
    fn headers(&mut self, section: &mut Section) -> Result<(), PatchError> {
        while let Some(line) = self.line() {
            let value = |key: &[u8]| line.strip_prefix(key);
            let mode = |text: &[u8]| u32::from_str_radix(&String::from_utf8_lossy(text), 8).ok();
            if let Some(path) = value(b"rename from ").or_else(|| value(b"copy from ")) {
                section.is_copy = line.starts_with(b"copy");
                section.old = Some(name(path));
            } else if let Some(path) = value(b"rename to ").or_else(|| value(b"copy to ")) {
                section.new = Some(name(path));
            } else if let Some(text) = value(b"new file mode ") {
                (section.is_new, section.mode) = (true, mode(text));
            } else if let Some(text) = value(b"new mode ") {
                section.mode = mode(text);
            } else if value(b"deleted file mode ").is_some() {
                section.is_deleted = true;
            } else if value(b"GIT binary patch").is_some() || value(b"Binary files ").is_some() {
                return Err(
                    self.error("changes of binary files are not supported in patches; use two directories")
                );
            } else if !(line.starts_with(b"old mode ")
                || line.starts_with(b"index ")
                || line.starts_with(b"similarity index ")
                || line.starts_with(b"dissimilarity index "))
            {
                break;
            }
            self.at += 1;
        }
        Ok(())
    }

    fn hunk(&mut self) -> Result<Hunk, PatchError> {
        let line = self.line().unwrap_or_default();
        let Some((at, old_count, new_count)) = range(line) else {
            return Err(self.error("malformed hunk header (expected `@@ -1,2 +1,3 @@`)"));
        };
        let mut hunk = Hunk { line: self.at + 1, at, ..Hunk::default() };
        self.at += 1;
        let is_full = |hunk: &Hunk| hunk.old.len() >= old_count && hunk.new.len() >= new_count;
        while !is_full(&hunk) {
            let Some(&line) = self.lines.get(self.at) else {
                return Err(self.error("the patch ends inside a hunk"));
            };
            let rest = || line[1..].to_vec();
            match line[0] {
                b'-' => hunk.old.push(rest()),
                b'+' => hunk.new.push(rest()),
                b' ' => {
                    hunk.old.push(rest());
                    hunk.new.push(rest());
                }
                // Some programs remove trailing whitespace.
                b'\n' => {
                    hunk.old.push(line.to_vec());
                    hunk.new.push(line.to_vec());
                }
                b'\\' => Self::unend(&mut hunk, self.lines[self.at - 1]),
                _ => return Err(self.error("a line of a hunk must start with a space, `-` or `+`")),
            }
            self.at += 1;
        }
        if self.line().is_some_and(|line| line.starts_with(b"\\")) {
            Self::unend(&mut hunk, self.lines[self.at - 1]);
            self.at += 1;
        }
        Ok(hunk)
    }

    /// Records that the last line that was read has no line end.
    fn unend(hunk: &mut Hunk, line: &[u8]) {
        let cut = |lines: &mut Vec<Vec<u8>>| {
            if let Some(last) = lines.last_mut()
                && last.last() == Some(&b'\n')
            {
                last.pop();
            }
        };
        if line.first() != Some(&b'+') {
            cut(&mut hunk.old);
        }
        if line.first() != Some(&b'-') {
            cut(&mut hunk.new);
        }
    }
}

/// Parses the first line and the lengths of `@@ -1,2 +1,3 @@`.
fn range(line: &[u8]) -> Option<(usize, usize, usize)> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.strip_prefix("@@ -")?.split(' ');
    let one = |word: &str| -> Option<(usize, usize)> {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (at, old) = one(words.next()?)?;
    let (_, new) = one(words.next()?.strip_prefix('+')?)?;
    (words.next()? == "@@").then_some((at, old, new))
}

/// Parses a file name, which can be quoted, and followed by a tab and a time.
fn name(text: &[u8]) -> PathBuf {
    if let Some(rest) = text.strip_prefix(b"\"") {
        return unquoted(rest).0;
    }
    let end = text.iter().position(|&byte| byte == b'\t').unwrap_or(text.len());
    PathBuf::from(OsStr::from_bytes(text[..end].strip_suffix(b"\r").unwrap_or(&text[..end])))
}

/// Returns the path up to the closing quote, and the length of the text including that quote.
fn unquoted(text: &[u8]) -> (PathBuf, usize) {
    let (mut path, mut at) = (Vec::new(), 0);
    while at < text.len() && text[at] != b'"' {
        if text[at] != b'\\' || at + 1 == text.len() {
            path.push(text[at]);
            at += 1;
            continue;
        }
        let digits = &text[at + 1..text.len().min(at + 4)];
        let octal = std::str::from_utf8(digits).ok().and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (octal.filter(|_| digits.len() == 3), text[at + 1]) {
            (Some(byte), _) => {
                path.push(byte);
                at += 2;
            }
            (None, b'n') => path.push(b'\n'),
            (None, b't') => path.push(b'\t'),
            (None, b'r') => path.push(b'\r'),
            (None, byte) => path.push(byte),
        }
        at += 2;
    }
    (PathBuf::from(OsStr::from_bytes(&path)), at + 1)
}

/// Parses the two names after `diff --git`, which are equal except for their first component.
fn both_names(text: &[u8]) -> Option<(PathBuf, PathBuf)> {
    if let Some(rest) = text.strip_prefix(b"\"") {
        let (old, length) = unquoted(rest);
        return Some((old, name(rest.get(length + 1..)?)));
    }
    if let Some(at) = memchr::memmem::find(text, b" \"") {
        return Some((name(&text[..at]), name(&text[at + 1..])));
    }
    let cut = text.len() / 2;
    (text.get(cut) == Some(&b' ')).then(|| (name(&text[..cut]), name(&text[cut + 1..])))
}

/// Removes the first component of a path.
fn strip(path: &Path) -> PathBuf {
    let rest: PathBuf = path.components().skip(1).collect();
    if rest.as_os_str().is_empty() { path.to_owned() } else { rest }
}

/// Returns the files meant by `---` and `+++`. Names usually have an additional first component.
fn places(old: &Path, new: &Path, tree: &FileTree) -> (Option<PathBuf>, Option<PathBuf>) {
    let is_none = |path: &Path| path == Path::new("/dev/null");
    let is_there = |path: &PathBuf| tree.files.contains_key(path);
    if is_none(old) {
        let is_marked = ["a", "b"].iter().any(|first| new.starts_with(first));
        let is_short = new.components().count() == 1;
        return (None, Some(if is_marked || !is_short { strip(new) } else { new.to_owned() }));
    }
    let given = [old, new].into_iter().filter(|path| !is_none(path));
    let options: Vec<PathBuf> = given.flat_map(|path| [strip(path), path.to_owned()]).collect();
    let found = options.iter().find(|path| is_there(path)).unwrap_or(&options[0]).clone();
    (Some(found.clone()), (!is_none(new)).then_some(found))
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::super::{Changes, What};
    use super::*;

    #[test]
    fn a_patch_leads_from_one_version_to_the_other() {
        let old = tree(&[
            ("a", "1\n2\n3\n4\n5\n6\n7\n8\n9"),
            ("d/b c", "x\n"),
            ("e", "l1\nl2\nl3\n"),
            ("q\n", "1\n"),
        ]);
        let new =
            tree(&[("a", "0\n2\n3\n4\n5\n6\n7\n9\n"), ("e2", "l1\nl2\nl4\n"), ("n", "new"), ("q\n", "2\n")]);
        let changes = Changes::between(&old, &new);
        let all: Vec<u32> = (0..changes.len() as u32).collect();
        assert_eq!(apply(&old, &changes.patch(&all)), Ok(new));
        assert!(changes.all().iter().any(|change| change.what == What::Rename));
    }

    #[test]
    fn hunks_may_have_moved_but_have_to_fit() {
        let patch = b"--- x.orig\t2020-01-01\n+++ x\t2020-01-01\n@@ -1,2 +1,2 @@ f()\n a\n-b\n+c\n";
        let moved = apply(&tree(&[("x", "0\n0\na\nb\n")]), patch).expect("it fits");
        assert_eq!(moved, tree(&[("x", "0\n0\na\nc\n")]));
        let error = apply(&tree(&[("x", "a\n")]), patch).expect_err("it does not fit").to_string();
        assert_eq!(error, "line 3: the hunk does not apply to `x` at line 1");
    }

    #[test]
    fn what_is_no_patch_is_told_with_its_line() {
        let tree = tree(&[("x", "a\n")]);
        for (patch, told) in [
            ("", "it contains no changes"),
            ("hello\n", "it contains no changes"),
            ("@@ -1 +1 @@\n-a\n+b\n", "line 1: a hunk precedes the name of its file"),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n", "line 5: the patch ends inside a hunk"),
            (
                "--- a/x\n+++ b/x\n@@ -1 +1\n-a\n",
                "line 3: malformed hunk header (expected `@@ -1,2 +1,3 @@`)",
            ),
            (
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n*\n",
                "line 4: a line of a hunk must start with a space, `-` or `+`",
            ),
            ("--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "line 1: `y` does not exist"),
            ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", "line 1: `x` already exists"),
            ("--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+b\n", "line 1: `../x` is outside the directory"),
            (
                "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
                "line 2: changes of binary files are not supported in patches; use two directories",
            ),
        ] {
            let error = apply(&tree, patch.as_bytes()).map(|_| ());
            assert_eq!(error.map_err(|error| error.to_string()), Err(told.to_owned()), "{patch}");
        }
    }
}
