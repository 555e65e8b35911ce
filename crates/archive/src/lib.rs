//! A directory, or several files, as one text, so that a reduction can work on several files at once.
//!
//! - [`pack`] and [`entries`] convert between the text and its entries; [`allows`] checks whether edits leave
//!   a valid archive.
//! - [`disk`] reads and writes the entries on disk, and reports errors with their paths. The rest of the
//!   crate accesses no files and has no errors: a text that is not an archive has no entries.
//!
//! The text begins with a line that identifies the format. Each entry has a line with its type, permissions
//! and path, followed by its content up to the next such line. The marker at the start of these lines is
//! chosen so that it occurs in no content; an edit within a content therefore leaves a valid archive.

pub mod disk;

use memchr::memmem;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The prefix of the marker at the beginning of each entry.
const WORD: &[u8] = b"=nubbin";

/// The kind of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveKind {
    /// A directory, whose entries can be removed.
    Folder,
    /// Individually named files, which can become empty but are not removed.
    Files,
}

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A regular file.
    File,
    /// A directory; its contents follow.
    Directory,
    /// A symbolic link; its content is the target.
    Link,
    /// The list of a command's options, which is not a file.
    Options,
}

/// An entry to be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The path, relative to the directory.
    pub path: PathBuf,
    /// The type of the entry.
    pub kind: Type,
    /// The permissions, as the lower bits of a Unix mode.
    pub mode: u32,
    /// The bytes of a file, or the target of a link; empty for a directory.
    pub content: Vec<u8>,
}

/// An entry of an archive, with its position in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path, relative to the directory.
    pub path: PathBuf,
    /// The type of the entry.
    pub kind: Type,
    /// The permissions, as the lower bits of a Unix mode.
    pub mode: u32,
    /// The start and the end of the entry, including its line and the contents of a directory.
    pub all: (usize, usize),
    /// The start and the end of its content.
    pub content: (usize, usize),
}

impl Entry {
    /// Returns its content; `text` is the text of the archive.
    #[must_use]
    pub fn content_in<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.content.0..self.content.1]
    }
}

/// Packs these items; each directory must precede its contents.
#[must_use]
pub fn pack(kind: ArchiveKind, items: &[Item]) -> Vec<u8> {
    let word = free_word(items);
    let mut text = [&word[..], if kind == ArchiveKind::Folder { b" folder\n" } else { b" files\n" }].concat();
    for item in items {
        let letter = match item.kind {
            Type::File => 'f',
            Type::Directory => 'd',
            Type::Link => 'l',
            Type::Options => 'o',
        };
        text.extend_from_slice(&word);
        text.extend_from_slice(format!(" {letter}{:o} ", item.mode).as_bytes());
        for &byte in item.path.as_os_str().as_bytes() {
            match byte {
                b'\n' => text.extend_from_slice(b"\\n"),
                b'\\' => text.extend_from_slice(b"\\\\"),
                _ => text.push(byte),
            }
        }
        text.push(b'\n');
        text.extend_from_slice(&item.content);
        text.push(b'\n');
    }
    text
}

/// Returns a marker that occurs in no content.
fn free_word(items: &[Item]) -> Vec<u8> {
    let words = (0u64..).map(|number| [WORD, format!("{number}=").as_bytes()].concat());
    let mut free = words.filter(|word| items.iter().all(|item| memmem::find(&item.content, word).is_none()));
    free.next().expect("there are fewer contents than numbers")
}

/// Returns the kind of an archive; `None` if the text is not an archive. An empty text is an empty directory.
#[must_use]
pub fn kind(text: &[u8]) -> Option<ArchiveKind> {
    if text.is_empty() {
        return Some(ArchiveKind::Folder);
    }
    let (_, rest) = word(text)?;
    if rest.starts_with(b" folder\n") {
        Some(ArchiveKind::Folder)
    } else {
        rest.starts_with(b" files\n").then_some(ArchiveKind::Files)
    }
}

/// Returns the marker at the beginning of the text, and the rest of the text.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.strip_prefix(WORD)?.iter().position(|&byte| byte == b'=')? + WORD.len() + 1;
    Some(text.split_at(end))
}

/// Returns the entries of an archive, in order.
#[must_use]
pub fn entries(text: &[u8]) -> Vec<Entry> {
    let Some((word, _)) = word(text) else { return Vec::new() };
    let starts: Vec<usize> =
        memmem::find_iter(text, word).filter(|&at| at > 0 && text[at - 1] == b'\n').collect();
    let mut entries: Vec<Entry> = Vec::with_capacity(starts.len());
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(text.len());
        let after_word = start + word.len();
        let Some(line) = text[after_word..end].iter().position(|&byte| byte == b'\n') else { continue };
        let Some((kind, mode, path)) = header(&text[after_word..after_word + line]) else { continue };
        let content = after_word + line + 1;
        let content_end = if end > content && text[end - 1] == b'\n' { end - 1 } else { end };
        entries.push(Entry { path, kind, mode, all: (start, end), content: (content, content_end) });
    }
    // A directory ends before the first entry that is not in it.
    for i in (0..entries.len()).rev() {
        if entries[i].kind == Type::Directory {
            let inside = entries[i + 1..].iter().take_while(|entry| entry.path.starts_with(&entries[i].path));
            if let Some(end) = inside.map(|entry| entry.all.1).last() {
                entries[i].all.1 = end;
            }
        }
    }
    entries
}

/// Returns whether these edits, each with a span and its replacement, leave a valid archive. Each edit must
/// be within the content of a file, or remove entries of a directory, and must not insert the marker.
#[must_use]
pub fn allows<'e>(text: &[u8], edits: impl IntoIterator<Item = ((usize, usize), &'e [u8])>) -> bool {
    let Some((word, _)) = word(text) else { return false };
    let (entries, is_folder) = (entries(text), kind(text) == Some(ArchiveKind::Folder));
    let is_within = |(start, end): (usize, usize)| {
        let last = entries.partition_point(|entry| entry.content.0 <= start);
        let entry = last.checked_sub(1).map(|last| &entries[last]);
        entry.is_some_and(|entry| entry.kind == Type::File && end <= entry.content.1)
    };
    // A directory is removed together with its contents.
    let goes = |(start, end): (usize, usize)| {
        let mut inside = entries.iter().filter(|entry| (start..end).contains(&entry.all.0));
        let begins = entries.iter().any(|entry| entry.all.0 == start);
        let ends = entries.iter().any(|entry| entry.all.1 == end);
        is_folder && begins && ends && inside.all(|entry| entry.all.1 <= end)
    };
    edits.into_iter().all(|(span, new)| {
        (new.is_empty() && goes(span)) || (is_within(span) && memmem::find(new, word).is_none())
    })
}

/// Parses the type, the permissions and the path after the marker of an entry.
fn header(line: &[u8]) -> Option<(Type, u32, PathBuf)> {
    let (letter, rest) = line.strip_prefix(b" ")?.split_first()?;
    let kind = match letter {
        b'f' => Type::File,
        b'd' => Type::Directory,
        b'l' => Type::Link,
        b'o' => Type::Options,
        _ => return None,
    };
    let blank = rest.iter().position(|&byte| byte == b' ')?;
    let mode = u32::from_str_radix(std::str::from_utf8(&rest[..blank]).ok()?, 8).ok()?;
    let (mut path, mut escaped) = (Vec::new(), false);
    for &byte in &rest[blank + 1..] {
        match (escaped, byte) {
            (false, b'\\') => {
                escaped = true;
                continue;
            }
            (true, b'n') => path.push(b'\n'),
            _ => path.push(byte),
        }
        escaped = false;
    }
    let path = PathBuf::from(OsStr::from_bytes(&path));
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_inside && path != Path::new("")).then_some((kind, mode, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(path: &str, kind: Type, content: &str) -> Item {
        let mode = if kind == Type::Directory { 0o755 } else { 0o644 };
        Item { path: path.into(), kind, mode, content: content.into() }
    }

    fn example() -> Vec<Item> {
        vec![
            item("a", Type::Directory, ""),
            item("a/b", Type::Directory, ""),
            item("a/b/x\ny\\.c", Type::File, "int x;\n"),
            item("a/empty", Type::Directory, ""),
            item("link", Type::Link, "a/b"),
            item("z", Type::File, "no end\n=nubbin0= f644 z\n"),
        ]
    }

    #[test]
    fn edits_of_contents_and_whole_entries_leave_an_archive_and_others_do_not() {
        let text = pack(ArchiveKind::Folder, &example());
        let at = |path: &str| {
            let found = entries(&text).into_iter().find(|entry| entry.path == Path::new(path));
            found.expect("it is there")
        };
        let (directory, inner, empty, link, file) = (at("a"), at("a/b"), at("a/empty"), at("link"), at("z"));
        let allows = |span: (usize, usize), new: &str| allows(&text, [(span, new.as_bytes())]);
        for span in [file.content, (file.content.0 + 2, file.content.0 + 2), (file.content.1, file.content.1)]
        {
            assert!(allows(span, "new\n"), "{span:?}");
            assert!(!allows(span, "=nubbin1= f644 y\n"), "{span:?}");
        }
        for span in [file.all, directory.all, link.all, (inner.all.0, empty.all.1), (link.all.0, file.all.1)]
        {
            assert!(allows(span, "") && !allows(span, "new"), "{span:?}");
        }
        // A header, a part of a directory with its header, the content of a link, and a span across two
        // files.
        let odd = [
            (file.all.0, file.content.0),
            (directory.all.0, inner.all.1),
            link.content,
            (link.content.0, file.content.1),
        ];
        for span in odd {
            assert!(!allows(span, ""), "{span:?}");
        }
        let named = pack(ArchiveKind::Files, &example()[5..]);
        assert!(!super::allows(&named, [(entries(&named)[0].all, &b""[..])]), "those that were named stay");
    }

    #[test]
    fn what_was_packed_is_found_again() {
        let items = example();
        let text = pack(ArchiveKind::Folder, &items);
        assert_eq!(kind(&text), Some(ArchiveKind::Folder));
        let found: Vec<Item> = entries(&text)
            .into_iter()
            .map(|entry| Item {
                content: entry.content_in(&text).to_vec(),
                path: entry.path,
                kind: entry.kind,
                mode: entry.mode,
            })
            .collect();
        assert_eq!(found, items);
    }

    #[test]
    fn a_directory_ends_behind_all_that_is_in_it() {
        let text = pack(ArchiveKind::Folder, &example());
        let found = entries(&text);
        assert_eq!(found[0].all.1, found[4].all.0);
        assert_eq!(found[1].all.1, found[3].all.0);
        let without = [&text[..found[0].all.0], &text[found[0].all.1..]].concat();
        let left: Vec<_> = entries(&without).into_iter().map(|entry| entry.path).collect();
        assert_eq!(left, [Path::new("link"), Path::new("z")]);
    }

    #[test]
    fn a_path_that_leads_outside_is_no_entry() {
        let text = pack(ArchiveKind::Folder, &[item("../x", Type::File, ""), item("/x", Type::File, "")]);
        assert_eq!(entries(&text), []);
    }

    #[test]
    fn a_content_that_changes_stays_within_its_entry() {
        let text =
            pack(ArchiveKind::Files, &[item("a", Type::File, "one\n\ntwo"), item("b", Type::File, "")]);
        let first = &entries(&text)[0];
        for (from, to) in [(first.content.0, first.content.1), (first.content.0 + 1, first.content.1 - 1)] {
            let cut = [&text[..from], &text[to..]].concat();
            assert_eq!(entries(&cut).len(), 2);
            assert_eq!(entries(&cut)[1].path, Path::new("b"));
        }
        assert_eq!((kind(b""), entries(b"")), (Some(ArchiveKind::Folder), vec![]));
        assert_eq!(kind(b"int a;"), None);
    }
}
