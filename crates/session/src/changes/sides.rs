//! The two versions: directories, git revisions, or a directory and a patch.

use super::git::{CommitRange, Git};
use crate::change::{self, FileNode, FileTree};
use crate::failure::Failure;
use crate::failure::Fault;
use crate::input;
use crate::voice::Voice;
use nubbin_archive::{Type, disk};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The names of entries that are no part of a version.
const LEFT_OUT: [&str; 2] = [".git", ".nubbin"];

/// The two versions that the user named.
#[derive(Clone, Debug)]
pub struct Sides {
    good: OsString,
    bad: Bad,
    allow_dirty: bool,
    /// Nothing is kept from one run to the next.
    pub fresh: bool,
}

#[derive(Clone, Debug)]
enum Bad {
    Version(OsString),
    Patch(PathBuf),
}

/// Both versions.
#[derive(Debug)]
pub struct Versions {
    pub good: FileTree,
    pub bad: FileTree,
    /// The repository in which git is asked, and the commits in between, if they are known.
    pub history: Option<CommitRange>,
}

/// The place of a version.
enum Place {
    Directory(PathBuf),
    /// The name of a commit.
    Commit(String),
}

impl Sides {
    /// Takes the version that works, and the one that fails or a patch that makes it of the first.
    ///
    /// # Errors
    /// Returns an error when one of them is not given.
    pub fn new(
        good: Option<OsString>,
        bad: Option<OsString>,
        diff: Option<PathBuf>,
        allow_dirty: bool,
        fresh: bool,
    ) -> Result<Self, Failure> {
        let usage = |message: &str| {
            Failure::usage(message)
                .hint("`nubbin changes --good G --bad B -- COMMAND`, or `--good DIR --diff FILE`")
        };
        let good = good.ok_or_else(|| usage("the version that works is not given"))?;
        let bad = match (bad, diff) {
            (Some(bad), _) => Bad::Version(bad),
            (None, Some(diff)) => Bad::Patch(diff),
            (None, None) => return Err(usage("the version that fails is not given")),
        };
        Ok(Self { good, bad, allow_dirty, fresh })
    }

    /// Returns the name of the version that works.
    #[must_use]
    pub fn good_name(&self) -> String {
        self.good.to_string_lossy().into_owned()
    }

    /// Returns the name of the version that fails.
    #[must_use]
    pub fn bad_name(&self) -> String {
        match &self.bad {
            Bad::Version(bad) => bad.to_string_lossy().into_owned(),
            Bad::Patch(path) => path.display().to_string(),
        }
    }

    /// Reads both versions.
    pub(super) fn read(&self, git: &Git<'_>, voice: &Voice) -> Result<Versions, Failure> {
        let good = place(git, &self.good)?;
        let bad = match &self.bad {
            Bad::Patch(path) => {
                let tree = read(git, &good, true, voice)?;
                let text = input::read_file(path)?;
                let made = change::apply(&tree, &text).map_err(|error| {
                    let message = format!("the patch `{}` cannot be used: {error}", path.display());
                    Failure::message(Fault::Input, message)
                        .hint(format!("it has to fit `{}`; nothing was changed", self.good.display()))
                })?;
                return Ok(Versions { good: tree, bad: made, history: None });
            }
            Bad::Version(bad) => place(git, bad)?,
        };
        self.check_dirty(git, &good, &bad)?;
        let is_git = |place: &Place| matches!(place, Place::Commit(_));
        let is_mixed = is_git(&good) != is_git(&bad);
        let history = match (&good, &bad) {
            (Place::Commit(good), Place::Commit(bad)) => CommitRange::between(git, good, bad)?,
            _ => None,
        };
        let [good, bad] = [&good, &bad].map(|place| read(git, place, !is_mixed, voice));
        Ok(Versions { good: good?, bad: bad?, history })
    }

    /// Makes sure that changes which were not committed are not believed to be part of a version.
    fn check_dirty(&self, git: &Git<'_>, good: &Place, bad: &Place) -> Result<(), Failure> {
        let names = [good, bad].map(|place| if let Place::Commit(name) = place { Some(name) } else { None });
        if self.allow_dirty || names == [None, None] || names.contains(&None) {
            return Ok(());
        }
        match git.dirty_commit()? {
            Some(dirty) if names.contains(&Some(&dirty)) => {
                let which = if names[1] == Some(&dirty) { self.bad_name() } else { self.good_name() };
                let message = format!(
                    "the work tree has changes that are not committed, and `{which}` does not have them"
                );
                Err(Failure::message(Fault::Input, message)
                    .hint("commit or stash them; `--bad .` takes the work tree as it is, `--allow-dirty` goes on without them"))
            }
            _ => Ok(()),
        }
    }
}

/// Finds the version that a word names: a directory, if there is one, or a revision.
fn place(git: &Git<'_>, word: &OsStr) -> Result<Place, Failure> {
    let path = Path::new(word);
    if path.is_dir() {
        return Ok(Place::Directory(path.to_owned()));
    }
    let shown = word.to_string_lossy();
    let fail = |message: String, hint: &str| Err(Failure::message(Fault::Input, message).hint(hint));
    if path.exists() {
        return fail(
            format!("`{shown}` is a file"),
            "a version is a directory or a git revision; a patch is given with `--diff`",
        );
    }
    if !git.is_repository()? {
        let message =
            format!("`{shown}` is no directory, and no git revision: this is not in a git repository");
        return fail(message, "run it in the repository, or give two directories");
    }
    match git.commit(&shown)? {
        Some(name) => Ok(Place::Commit(name)),
        None => fail(
            format!("`{shown}` is neither a directory nor a revision of this git repository"),
            "`git log --oneline` lists revisions; `git fetch --tags` may bring it",
        ),
    }
}

/// Returns the files at a place. Of a work tree that is compared with a revision only those that git does not ignore.
fn read(git: &Git<'_>, place: &Place, all: bool, voice: &Voice) -> Result<FileTree, Failure> {
    match place {
        Place::Commit(name) => {
            let (tree, submodules) = git.tree(name)?;
            if submodules > 0 {
                voice.say("note: submodules are left out");
            }
            Ok(tree)
        }
        Place::Directory(path) if !all => {
            let files = git.in_directory(path)?.files()?.ok_or_else(|| {
                let message = format!("`{}` is not the top of a git work tree", path.display());
                Failure::message(Fault::Input, message)
                    .hint("a directory is compared with a directory, or the whole work tree with a revision")
            })?;
            of_files(path, &files)
        }
        Place::Directory(path) => {
            let left_out = LEFT_OUT.map(OsStr::new);
            let text =
                disk::pack_folder(path, &left_out).map_err(|error| Failure::new(Fault::Input, error))?;
            let mut tree = FileTree::of_archive(&text);
            tree.files.values_mut().for_each(normalize);
            Ok(tree)
        }
    }
}

/// Reduces the permissions to those that a patch knows: whether a file can be executed.
fn normalize(node: &mut FileNode) {
    node.mode = match node.kind {
        Type::Link => 0o777,
        _ if node.mode & 0o100 != 0 => 0o755,
        _ => 0o644,
    };
}

/// Reads these files of a directory, as far as they are there.
fn of_files(directory: &Path, files: &[PathBuf]) -> Result<FileTree, Failure> {
    let mut tree = FileTree::default();
    for path in files {
        let place = directory.join(path);
        let Ok(found) = fs::symlink_metadata(&place) else { continue };
        let failed = |error: std::io::Error| {
            Failure::message(Fault::Input, format!("`{}` cannot be read: {error}", place.display()))
        };
        let (kind, content) = if found.is_symlink() {
            (Type::Link, fs::read_link(&place).map_err(failed)?.into_os_string().into_vec())
        } else if found.is_file() {
            (Type::File, fs::read(&place).map_err(failed)?)
        } else {
            continue;
        };
        let mut node = FileNode { kind, mode: found.mode(), content: content.into() };
        normalize(&mut node);
        tree.files.insert(path.clone(), node);
    }
    Ok(tree)
}
