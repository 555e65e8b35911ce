//! Directories in the form of the protocol: each is a message with the digests of its entries.

use crate::Error;
use crate::blob::Blob;
use crate::digest::{Digest, Function};
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use prost::Message;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::path::{Component, Path};
use std::sync::Arc;

/// The target of a name in a directory.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    File {
        digest: Digest,
        executable: bool,
    },
    Link {
        target: String,
    },
    Folder(Folder),
    /// A complete directory with a known digest.
    Sealed(Arc<Sealed>),
}

/// A directory under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folder {
    entries: BTreeMap<String, Entry>,
}

/// A complete directory. Adding to it creates a new one.
#[derive(Debug)]
pub(crate) struct Sealed {
    digest: Digest,
    folder: Folder,
}

impl Folder {
    /// Adds an entry at a path below this directory, and creates the directories of the path. A directory at
    /// an existing directory is merged with it.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is absolute, contains `..`, is not UTF-8, passes through a file, or is
    /// already used.
    pub fn put(&mut self, path: &Path, entry: Entry) -> Result<(), Error> {
        let names = names(path)?;
        let taken = |reason| Error::Place { path: path.to_path_buf(), reason };
        let Some((last, above)) = names.split_last() else {
            let Some(folder) = entry.into_folder() else {
                return Err(taken("a file cannot replace the directory itself"));
            };
            return self.merge(folder).map_err(taken);
        };
        let mut folder = self;
        for name in above {
            folder = folder.below(name).ok_or_else(|| taken("a parent directory is a file"))?;
        }
        folder.add(last.clone(), entry).map_err(taken)
    }

    fn add(&mut self, name: String, entry: Entry) -> Result<(), &'static str> {
        match self.entries.entry(name) {
            Slot::Vacant(slot) => {
                slot.insert(entry);
                Ok(())
            }
            Slot::Occupied(mut slot) => {
                let Some(folder) = entry.into_folder() else {
                    return Err("the path is already used");
                };
                let below = slot.get_mut().open().ok_or("the path is already used")?;
                below.merge(folder)
            }
        }
    }

    fn merge(&mut self, other: Self) -> Result<(), &'static str> {
        if self.entries.is_empty() {
            *self = other;
            return Ok(());
        }
        other.entries.into_iter().try_for_each(|(name, entry)| self.add(name, entry))
    }

    /// Returns the subdirectory with this name, which is created if it does not exist; `None` if the entry is
    /// not a directory.
    fn below(&mut self, name: &str) -> Option<&mut Self> {
        self.entries.entry(name.to_owned()).or_insert_with(|| Entry::Folder(Self::default())).open()
    }

    /// Adds an entry with an unused name.
    pub fn insert(&mut self, name: String, entry: Entry) {
        self.entries.insert(name, entry);
    }

    /// Creates the messages of this directory and its subdirectories, adds them to the blobs, and returns its
    /// digest.
    pub fn seal(&self, function: Function, blobs: &mut Vec<Blob>) -> Digest {
        let mut message = re::Directory::default();
        for (name, entry) in &self.entries {
            let name = name.clone();
            let directory = match entry {
                Entry::File { digest, executable } => {
                    message.files.push(re::FileNode {
                        name,
                        digest: Some(digest.message()),
                        is_executable: *executable,
                        node_properties: None,
                    });
                    continue;
                }
                Entry::Link { target } => {
                    message.symlinks.push(re::SymlinkNode {
                        name,
                        target: target.clone(),
                        node_properties: None,
                    });
                    continue;
                }
                Entry::Folder(folder) => folder.seal(function, blobs),
                Entry::Sealed(sealed) => sealed.digest,
            };
            message.directories.push(re::DirectoryNode { name, digest: Some(directory.message()) });
        }
        let blob = Blob::of(&message.encode_to_vec(), function);
        let digest = blob.digest;
        blobs.push(blob);
        digest
    }

    /// Completes this directory.
    pub fn sealed(self, function: Function, blobs: &mut Vec<Blob>) -> Arc<Sealed> {
        Arc::new(Sealed { digest: self.seal(function, blobs), folder: self })
    }
}

impl Entry {
    fn into_folder(self) -> Option<Folder> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Sealed(sealed) => Some(sealed.folder.clone()),
            Self::File { .. } | Self::Link { .. } => None,
        }
    }

    /// Returns the directory for modification; `None` if this is not a directory.
    fn open(&mut self) -> Option<&mut Folder> {
        if let Self::Sealed(sealed) = self {
            *self = Self::Folder(sealed.folder.clone());
        }
        match self {
            Self::Folder(folder) => Some(folder),
            _ => None,
        }
    }
}

/// Returns the components of a relative path; none for the directory itself.
///
/// # Errors
///
/// Returns an error if the path is absolute, contains `..`, or is not UTF-8.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, Error> {
    let wrong = |reason| Error::Place { path: path.to_path_buf(), reason };
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(text(name)?),
            Component::ParentDir => return Err(wrong("it contains `..`")),
            Component::RootDir | Component::Prefix(_) => return Err(wrong("it is absolute")),
        }
    }
    Ok(names)
}

/// Converts a name or an argument to UTF-8.
///
/// # Errors
///
/// Returns an error if it is not UTF-8.
pub(crate) fn text(word: &std::ffi::OsStr) -> Result<String, Error> {
    word.to_str().map(str::to_owned).ok_or_else(|| Error::Text { text: word.to_string_lossy().into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTION: Function = Function::Sha256;

    fn file(content: &str) -> Entry {
        Entry::File { digest: FUNCTION.of(content.as_bytes()), executable: false }
    }

    fn directories(folder: &Folder) -> Vec<re::Directory> {
        let mut blobs = Vec::new();
        folder.seal(FUNCTION, &mut blobs);
        let messages = blobs.iter().map(|blob| blob.content(FUNCTION).expect("it is in memory"));
        messages.map(|message| re::Directory::decode(&message[..]).expect("a directory")).collect()
    }

    #[test]
    fn names_are_in_order_and_directories_before_those_that_hold_them() {
        let mut folder = Folder::default();
        for path in ["b", "a/z", "./a/y/x", "a-"] {
            folder.put(Path::new(path), file(path)).expect("a place");
        }
        let made = directories(&folder);
        let names = |d: &re::Directory| d.files.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        assert_eq!(made.iter().map(names).collect::<Vec<_>>(), [vec!["x"], vec!["z"], vec!["a-", "b"]]);
        assert_eq!(made[2].directories[0].name, "a");
    }

    #[test]
    fn a_file_is_laid_over_a_directory_that_is_kept_and_the_kept_one_stays() {
        let mut kept = Folder::default();
        kept.put(Path::new("include/a.h"), file("a")).expect("a place");
        let sealed = kept.sealed(FUNCTION, &mut Vec::new());
        let mut alone = Folder::default();
        alone.put(Path::new("x"), Entry::Sealed(Arc::clone(&sealed))).expect("a place");
        assert_eq!(directories(&alone).len(), 1, "what is complete is not made again");
        let mut both = Folder::default();
        both.put(Path::new(""), Entry::Sealed(sealed)).expect("a place");
        both.put(Path::new("include/b.h"), file("b")).expect("a place");
        let names = directories(&both)[0].files.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        assert_eq!(names, ["a.h", "b.h"]);
    }

    #[test]
    fn what_is_no_place_is_an_error() {
        let mut folder = Folder::default();
        folder.put(Path::new("a"), file("a")).expect("a place");
        for path in ["/a", "../a", "a", "a/b", "."] {
            let error = folder.put(Path::new(path), file("x")).expect_err(path);
            assert!(matches!(error, Error::Place { .. }), "{error}");
        }
    }

    #[test]
    fn an_empty_directory_is_there_and_may_be_put_twice() {
        let mut folder = Folder::default();
        for _ in 0..2 {
            folder.put(Path::new("tmp"), Entry::Folder(Folder::default())).expect("a place");
        }
        assert_eq!(directories(&folder).last().expect("the root").directories[0].name, "tmp");
    }
}
