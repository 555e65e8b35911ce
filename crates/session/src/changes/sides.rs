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

/// Entries that do not belong to a version.
const LEFT_OUT: [&str; 2] = [".git", ".nubbin"];

/// The two versions, as named by the user.
#[derive(Clone, Debug)]
pub struct Sides {
    good: OsString,
    bad: Bad,
    allow_dirty: bool,
    /// No files are kept between runs.
    pub fresh: bool,
}

#[derive(Clone, Debug)]
enum Bad {
    Version(OsString),
    Patch(PathBuf),
}

#[derive(Debug)]
pub struct Versions {
    pub good: FileTree,
    pub bad: FileTree,
    /// The commits between the versions, if they are known.
    pub history: Option<CommitRange>,
}

/// A resolved version.
enum Place {
    Directory(PathBuf),
    Commit(String),
}

impl Sides {
    /// Creates the pair of the good version and either the bad version or a patch that turns the good one into it.
    ///
    /// # Errors
    /// Returns an error when one of them is missing.
    pub fn new(
        good: Option<OsString>,
        bad: Option<OsString>,
        diff: Option<PathBuf>,
        allow_dirty: bool,
        fresh: bool,
    ) -> Result<Self, Failure> {
        let usage = |message: &str| {
            Failure::usage(message)
                .hint("use `nubbin changes --good G --bad B -- COMMAND`, or `--good DIR --diff FILE`")
        };
        let good = good.ok_or_else(|| usage("the working version is missing"))?;
        let bad = match (bad, diff) {
            (Some(bad), _) => Bad::Version(bad),
            (None, Some(diff)) => Bad::Patch(diff),
            (None, None) => return Err(usage("the failing version is missing")),
        };
        Ok(Self { good, bad, allow_dirty, fresh })
    }

    /// Returns the name of the good version.
    #[must_use]
    pub fn good_name(&self) -> String {
        self.good.to_string_lossy().into_owned()
    }

    /// Returns whether a patch makes the bad version.
    pub(super) fn has_patch(&self) -> bool {
        matches!(self.bad, Bad::Patch(_))
    }

    /// Returns the name of the bad version.
    #[must_use]
    pub fn bad_name(&self) -> String {
        match &self.bad {
            Bad::Version(bad) => bad.to_string_lossy().into_owned(),
            Bad::Patch(path) => path.display().to_string(),
        }
    }

    pub(super) fn read(&self, git: &Git<'_>, voice: &Voice) -> Result<Versions, Failure> {
        let good = place(git, &self.good)?;
        let bad = match &self.bad {
            Bad::Patch(path) => {
                let tree = read(git, &good, true, voice)?;
                let text = input::read_file(path)?;
                let made = change::apply(&tree, &text).map_err(|error| {
                    let message = format!("the patch `{}` cannot be used: {error}", path.display());
                    Failure::message(Fault::Input, message)
                        .hint(format!("it must apply to `{}`; nothing was changed", self.good.display()))
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

    /// Returns an error if the work tree has uncommitted changes that a revision does not contain.
    fn check_dirty(&self, git: &Git<'_>, good: &Place, bad: &Place) -> Result<(), Failure> {
        let names = [good, bad].map(|place| if let Place::Commit(name) = place { Some(name) } else { None });
        if self.allow_dirty || names == [None, None] || names.contains(&None) {
            return Ok(());
        }
        match git.dirty_commit()? {
            Some(dirty) if names.contains(&Some(&dirty)) => {
                let which = if names[1] == Some(&dirty) { self.bad_name() } else { self.good_name() };
                let message =
                    format!("the work tree has uncommitted changes, which `{which}` does not contain");
                Err(Failure::message(Fault::Input, message)
                    .hint("commit or stash them, use the work tree with `--bad .`, or ignore them with `--allow-dirty`"))
            }
            _ => Ok(()),
        }
    }
}

/// Resolves an argument to a directory, if it exists, or a revision.
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
        let message = format!(
            "`{shown}` is not a directory, and cannot be a git revision because this directory is not in a git repository"
        );
        return fail(message, "run nubbin in the repository, or use two directories");
    }
    match git.commit(&shown)? {
        Some(name) => Ok(Place::Commit(name)),
        None => fail(
            format!("`{shown}` is neither a directory nor a revision of this git repository"),
            "list revisions with `git log --oneline`; fetch missing ones with `git fetch --tags`",
        ),
    }
}

/// Returns the files of a version. If a work tree is compared with a revision, ignored files are skipped.
fn read(git: &Git<'_>, place: &Place, all: bool, voice: &Voice) -> Result<FileTree, Failure> {
    match place {
        Place::Commit(name) => {
            let (tree, submodules) = git.tree(name)?;
            if submodules > 0 {
                voice.say("note: submodules are ignored");
            }
            Ok(tree)
        }
        Place::Directory(path) if !all => {
            let files = git.in_directory(path)?.files()?.ok_or_else(|| {
                let message = format!("`{}` is not the top of a git work tree", path.display());
                Failure::message(Fault::Input, message)
                    .hint("compare a directory with a directory, or a whole work tree with a revision")
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

/// Reduces the permissions to those that a patch contains: whether a file is executable.
fn normalize(node: &mut FileNode) {
    node.mode = match node.kind {
        Type::Link => 0o777,
        _ if node.mode & 0o100 != 0 => 0o755,
        _ => 0o644,
    };
}

/// Reads the files that exist among these.
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
