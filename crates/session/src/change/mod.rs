//! The changes between two versions of a directory. Any subset can be applied.
//!
//! Changes are relative to the older version and do not overlap. If a change requires another, for example a file
//! that replaces a deleted one, it records that. Nothing is run, and no files are read or written.

mod compare;
mod group;
mod patch;
mod read;

pub use group::{Grouping, Label, stages};
pub use read::{PatchError, apply};

use nubbin_archive::{self as archive, Item, Type};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file or a symbolic link in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNode {
    /// The type of the entry, which is never a directory.
    pub kind: Type,
    /// The permissions.
    pub mode: u32,
    /// The content, or the target of a link.
    pub content: Arc<[u8]>,
}

/// A version of a directory: its files and links, and its empty directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTree {
    /// The files and links by path.
    pub files: BTreeMap<PathBuf, FileNode>,
    /// The empty directories. They are not changes: the directories of both versions are created.
    pub empty: Vec<PathBuf>,
}

impl FileTree {
    /// Reads the version from an archive.
    #[must_use]
    pub fn of_archive(text: &[u8]) -> Self {
        let mut tree = Self::default();
        let entries = archive::entries(text);
        for (i, entry) in entries.iter().enumerate() {
            if entry.kind == Type::Directory {
                let is_empty = entries.get(i + 1).is_none_or(|next| !next.path.starts_with(&entry.path));
                tree.empty.extend(is_empty.then(|| entry.path.clone()));
                continue;
            }
            let node =
                FileNode { kind: entry.kind, mode: entry.mode, content: entry.content_in(text).into() };
            tree.files.insert(entry.path.clone(), node);
        }
        tree
    }

    /// Returns the version as an archive.
    #[must_use]
    pub fn archive(&self) -> Vec<u8> {
        let empty = self.empty.iter().map(|path| Item {
            path: path.clone(),
            kind: Type::Directory,
            mode: 0o755,
            content: Vec::new(),
        });
        let files = self.files.iter().map(|(path, node)| Item {
            path: path.clone(),
            kind: node.kind,
            mode: node.mode,
            content: node.content.to_vec(),
        });
        archive::pack(archive::ArchiveKind::Folder, &empty.chain(files).collect::<Vec<_>>())
    }
}

/// A single change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Lines of the older file are replaced.
    Hunk {
        /// The byte range in the older file.
        old: Range<usize>,
        /// The byte range in the newer file.
        new: Range<usize>,
    },
    /// The file has another path.
    Rename,
    /// The permissions differ.
    Mode,
    /// The whole content or the type is replaced: a binary file or a symbolic link.
    Replace,
    /// The file is new.
    Create,
    /// The file is deleted.
    Delete,
}

/// A change, and the file to which it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The kind of the change.
    pub what: What,
    /// The index of the file in [`Changes::files`].
    pub file: u32,
    /// The changes that it requires.
    pub needs: Vec<u32>,
}

/// A file in one or both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path and content in the older version.
    pub old: Option<(PathBuf, FileNode)>,
    /// The path and content in the newer version.
    pub new: Option<(PathBuf, FileNode)>,
}

impl File {
    /// Returns the path in the newer version, or else in the older one.
    ///
    /// # Panics
    /// Panics when the file is in neither version.
    #[must_use]
    pub fn path(&self) -> &Path {
        let (path, _) = self.new.as_ref().or(self.old.as_ref()).expect("a file is of one version at least");
        path
    }
}

/// All changes between two versions.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The common part of both versions.
    same: FileTree,
    files: Vec<File>,
    all: Vec<Change>,
}

impl Changes {
    /// Finds the changes from `old` to `new`.
    #[must_use]
    pub fn between(old: &FileTree, new: &FileTree) -> Self {
        let (same, files) = compare::files(old, new);
        let mut changes = Self { same, files, all: Vec::new() };
        for at in 0..changes.files.len() {
            let whats = compare::changes(&changes.files[at]);
            changes.all.extend(whats.into_iter().map(|what| Change {
                what,
                file: at as u32,
                needs: Vec::new(),
            }));
        }
        changes.find_needs();
        changes
    }

    /// Returns the changes. Those of a file are consecutive.
    #[must_use]
    pub fn all(&self) -> &[Change] {
        &self.all
    }

    /// Returns the changed files.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the file of a change.
    #[must_use]
    pub fn file(&self, change: u32) -> &File {
        &self.files[self.all[change as usize].file as usize]
    }

    /// Returns the number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether both versions are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Records which changes must be made before a file can be created at its path.
    fn find_needs(&mut self) {
        let mut leaving: BTreeMap<PathBuf, u32> = BTreeMap::new();
        for (number, change) in self.all.iter().enumerate() {
            if let (What::Delete | What::Rename, Some((path, _))) =
                (&change.what, &self.files[change.file as usize].old)
            {
                leaving.insert(path.clone(), number as u32);
            }
        }
        for number in 0..self.all.len() {
            let change = &self.all[number];
            let (What::Create | What::Rename, Some((path, _))) =
                (&change.what, &self.files[change.file as usize].new)
            else {
                continue;
            };
            let above = path.ancestors().filter_map(|path| leaving.get(path));
            let below = leaving.range(path.clone()..).take_while(|(other, _)| other.starts_with(path));
            let mut needs: Vec<u32> = above.copied().chain(below.map(|(_, number)| *number)).collect();
            needs.sort_unstable();
            needs.dedup();
            needs.retain(|&other| other as usize != number);
            self.all[number].needs = needs;
        }
    }

    /// Returns the changes that can be applied: those whose requirements are also chosen.
    #[must_use]
    pub fn consistent(&self, chosen: &[u32]) -> Vec<u32> {
        let mut is_made = vec![false; self.all.len()];
        for &number in chosen {
            is_made[number as usize] = true;
        }
        loop {
            let lacks = |number: &usize| {
                is_made[*number] && self.all[*number].needs.iter().any(|&other| !is_made[other as usize])
            };
            let without: Vec<usize> = (0..self.all.len()).filter(lacks).collect();
            if without.is_empty() {
                return (0..self.all.len() as u32).filter(|&number| is_made[number as usize]).collect();
            }
            for number in without {
                is_made[number] = false;
            }
        }
    }

    /// Returns the older version with the [applicable](Self::consistent) ones of these changes applied.
    #[must_use]
    pub fn make(&self, chosen: &[u32]) -> FileTree {
        let mut tree = self.same.clone();
        for (file, made) in self.by_file(chosen) {
            if let Some((path, node)) = made_in(file, &made) {
                tree.files.insert(path, node);
            }
        }
        let is_free = |path: &PathBuf| {
            !path.ancestors().any(|above| tree.files.contains_key(above))
                && tree.files.range(path.clone()..).next().is_none_or(|(next, _)| !next.starts_with(path))
        };
        tree.empty.retain(is_free);
        tree
    }

    /// Returns all files with the chosen changes that apply to them.
    fn by_file(&self, chosen: &[u32]) -> Vec<(&File, Vec<&What>)> {
        let mut made: Vec<(&File, Vec<&What>)> = self.files.iter().map(|file| (file, Vec::new())).collect();
        for number in self.consistent(chosen) {
            let change = &self.all[number as usize];
            made[change.file as usize].1.push(&change.what);
        }
        made
    }
}

/// Returns a file with these changes applied, which are in order; `None` if it does not exist then.
fn made_in(file: &File, made: &[&What]) -> Option<(PathBuf, FileNode)> {
    let (old, new) = match (&file.old, &file.new) {
        (Some(old), Some(new)) => (old, new),
        (Some(old), None) => return (!made.contains(&&What::Delete)).then(|| old.clone()),
        (None, Some(new)) => return made.contains(&&What::Create).then(|| new.clone()),
        (None, None) => return None,
    };
    let (mut path, mut node) = old.clone();
    let (mut content, mut at) = (Vec::new(), 0);
    for what in made {
        match what {
            What::Hunk { old: from, new: to } => {
                content.extend_from_slice(&old.1.content[at..from.start]);
                content.extend_from_slice(&new.1.content[to.clone()]);
                at = from.end;
            }
            What::Rename => path.clone_from(&new.0),
            What::Mode => node.mode = new.1.mode,
            What::Replace => node = new.1.clone(),
            What::Create | What::Delete => {}
        }
    }
    if made.iter().any(|what| matches!(what, What::Hunk { .. })) {
        content.extend_from_slice(&old.1.content[at..]);
        node.content = content.into();
    }
    Some((path, node))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn tree(files: &[(&str, &str)]) -> FileTree {
        let node =
            |content: &str| FileNode { kind: Type::File, mode: 0o644, content: content.as_bytes().into() };
        let files = files.iter().map(|(path, content)| (path.into(), node(content))).collect();
        FileTree { files, empty: Vec::new() }
    }

    fn shown(tree: &FileTree) -> String {
        let shown = tree.files.iter().map(|(path, node)| {
            format!("{}={}", path.display(), String::from_utf8_lossy(&node.content).replace('\n', "|"))
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hunks_are_made_one_by_one_or_together() {
        let (old, new) = (tree(&[("a", "1\n2\n3\n4\n5\n")]), tree(&[("a", "0\n1\n2\nx\n4\n")]));
        let changes = Changes::between(&old, &new);
        let made: Vec<String> = [&[][..], &[0], &[1], &[2], &[0, 2], &[0, 1, 2]]
            .iter()
            .map(|c| shown(&changes.make(c)))
            .collect();
        assert_eq!(
            made,
            ["a=1|2|3|4|5|", "a=0|1|2|3|4|5|", "a=1|2|x|4|5|", "a=1|2|3|4|", "a=0|1|2|3|4|", "a=0|1|2|x|4|"]
        );
    }

    #[test]
    fn a_file_in_the_place_of_another_needs_that_to_go() {
        let old = tree(&[("a", "one\ntwo\nthree\n"), ("b", "x\ny\nz\n"), ("d", "file\n")]);
        let new = tree(&[("b", "one\ntwo\nthree\n"), ("a", "x\ny\nz\n"), ("d/e", "other\n")]);
        let changes = Changes::between(&old, &new);
        let named: Vec<_> = (0..changes.len() as u32).map(|i| changes.file(i).path().to_owned()).collect();
        assert_eq!(
            shown(&changes.make(&(0..changes.len() as u32).collect::<Vec<_>>())),
            shown(&new),
            "{named:?}"
        );
        for one in 0..changes.len() as u32 {
            let made = changes.make(&[one]);
            let expected = if changes.all()[one as usize].what == What::Delete { 2 } else { 3 };
            assert_eq!(made.files.len(), expected, "{:?}: {}", changes.all()[one as usize], shown(&made));
        }
    }

    #[test]
    fn empty_directories_of_either_version_are_there() {
        let mut old = tree(&[("x", "1\n")]);
        old.empty.push("tmp".into());
        let new = tree(&[("x", "2\n"), ("tmp/f", "1\n")]);
        let changes = Changes::between(&old, &new);
        assert_eq!(changes.make(&[]).empty, [Path::new("tmp")]);
        assert_eq!(FileTree::of_archive(&changes.make(&[]).archive()), changes.make(&[]));
        assert!(changes.make(&[0, 1]).empty.is_empty());
    }
}
