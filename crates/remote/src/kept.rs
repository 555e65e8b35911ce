//! Local files and directories that are read once for all actions that need them.

use crate::Error;
use crate::blob::Blob;
use crate::digest::Function;
use crate::tree::{Entry, Folder, text};
use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A local file or directory that has been sent to the cluster.
///
/// Cloning is cheap. If the cluster deletes the files, they are read again, so they must not change.
#[derive(Clone, Debug)]
pub struct Kept {
    pub(crate) entry: Entry,
    pub(crate) blobs: Arc<Vec<Blob>>,
    files: u64,
    bytes: u64,
}

impl Kept {
    /// Returns the number of files; a file with several paths is counted several times.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Returns the total size of all files, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads a file, or a directory with all its contents.
    ///
    /// A symbolic link is kept as a link if its target is within the directory, or if it is relative and its
    /// target does not exist; other links are followed.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, if a name is not UTF-8, or if an entry is neither a file, a
    /// directory nor a link.
    pub(crate) fn read(path: &Path, function: Function) -> Result<Self, Error> {
        let root = fs::canonicalize(path).map_err(|source| wrong(path, source))?;
        let reader = Reader {
            root: root.clone(),
            function,
            blobs: Vec::new(),
            files: 0,
            bytes: 0,
            within: Vec::new(),
        };
        reader.all(&root)
    }
}

struct Reader {
    /// The resolved path of the root.
    root: PathBuf,
    function: Function,
    blobs: Vec<Blob>,
    files: u64,
    bytes: u64,
    /// The resolved paths of the directories that are being read, the outermost first.
    within: Vec<PathBuf>,
}

impl Reader {
    fn all(mut self, root: &Path) -> Result<Kept, Error> {
        let entry = self.followed(root)?;
        self.blobs.sort_by_key(|blob| blob.digest);
        self.blobs.dedup_by_key(|blob| blob.digest);
        Ok(Kept { entry, blobs: Arc::new(self.blobs), files: self.files, bytes: self.bytes })
    }

    /// Reads the target of a path.
    fn followed(&mut self, path: &Path) -> Result<Entry, Error> {
        let metadata = fs::metadata(path).map_err(|source| wrong(path, source))?;
        if metadata.is_dir() {
            return self.directory(path);
        }
        if !metadata.is_file() {
            return Err(Error::Kind {
                path: path.to_path_buf(),
                reason: "it is neither a file nor a directory",
            });
        }
        self.file(path, &metadata)
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) -> Result<Entry, Error> {
        let blob = Blob::of_file(path.to_path_buf(), self.function)?;
        let digest = blob.digest;
        self.files += 1;
        self.bytes += digest.size;
        self.blobs.push(blob);
        Ok(Entry::File { digest, executable: metadata.permissions().mode() & 0o111 != 0 })
    }

    fn directory(&mut self, path: &Path) -> Result<Entry, Error> {
        let real = fs::canonicalize(path).map_err(|source| wrong(path, source))?;
        if self.within.contains(&real) {
            let reason = "a link leads to a directory that contains it";
            return Err(Error::Kind { path: path.to_path_buf(), reason });
        }
        self.within.push(real);
        let mut folder = Folder::default();
        for entry in fs::read_dir(path).map_err(|source| wrong(path, source))? {
            let entry = entry.map_err(|source| wrong(path, source))?;
            let kind = entry.file_type().map_err(|source| wrong(&entry.path(), source))?;
            let found =
                if kind.is_symlink() { self.link(&entry.path())? } else { self.followed(&entry.path())? };
            folder.insert(text(&entry.file_name())?, found);
        }
        self.within.pop();
        Ok(Entry::Sealed(folder.sealed(self.function, &mut self.blobs)))
    }

    fn link(&mut self, path: &Path) -> Result<Entry, Error> {
        let target = fs::read_link(path).map_err(|source| wrong(path, source))?;
        let is_there = fs::metadata(path).is_ok();
        if target.is_relative() && (!is_there || self.stays(path, &target)) {
            return Ok(Entry::Link { target: text(target.as_os_str())? });
        }
        self.followed(path)
    }

    /// Returns whether a relative target is within the root, without resolving other links.
    fn stays(&self, path: &Path, target: &Path) -> bool {
        let Some(outermost) = self.within.first() else { return false };
        let (Some(parent), Some(innermost)) = (path.parent(), self.within.last()) else { return false };
        // Below a link that was followed, the depth differs from that on this machine.
        if !innermost.starts_with(&self.root) || fs::canonicalize(parent).ok().as_ref() != Some(innermost) {
            return false;
        }
        let mut place = innermost.clone();
        for component in target.components() {
            match component {
                Component::ParentDir => {
                    if place == *outermost {
                        return false;
                    }
                    place.pop();
                }
                Component::Normal(name) => place.push(name),
                _ => {}
            }
        }
        true
    }
}

fn wrong(path: &Path, source: std::io::Error) -> Error {
    Error::File { path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
    use prost::Message;
    use std::os::unix::fs::symlink;

    const FUNCTION: Function = Function::Sha256;

    /// Returns the messages of the directories, the root last.
    fn directories(kept: &Kept) -> Vec<re::Directory> {
        let mut folder = Folder::default();
        folder.put(Path::new(""), kept.entry.clone()).expect("a place");
        let mut blobs = Vec::new();
        let root = folder.seal(FUNCTION, &mut blobs);
        let root = blobs.into_iter().find(|blob| blob.digest == root).expect("it is made");
        let message = |blob: &Blob| re::Directory::decode(&blob.content(FUNCTION).expect("memory")[..]);
        vec![message(&root).expect("a directory")]
    }

    #[test]
    fn links_that_stay_are_links_and_others_are_followed() {
        let home = tempfile::tempdir().expect("a directory");
        let kept = home.path().join("kept");
        fs::create_dir_all(kept.join("lib")).expect("a directory");
        fs::write(home.path().join("outside"), "outside").expect("a file");
        fs::write(kept.join("lib/a"), "a").expect("a file");
        symlink("lib/a", kept.join("stays")).expect("a link");
        symlink("../outside", kept.join("leaves")).expect("a link");
        symlink(kept.join("lib/a"), kept.join("absolute")).expect("a link");
        symlink("nowhere", kept.join("broken")).expect("a link");
        let read = Kept::read(&kept, FUNCTION).expect("it is read");
        let root = directories(&read).pop().expect("the root");
        let files: Vec<_> = root.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(files, ["absolute", "leaves"]);
        let links: Vec<_> = root.symlinks.iter().map(|l| (l.name.as_str(), l.target.as_str())).collect();
        assert_eq!(links, [("broken", "nowhere"), ("stays", "lib/a")]);
        assert_eq!((read.files(), read.bytes()), (3, 9));
    }

    #[test]
    fn a_file_keeps_the_bit_that_makes_it_a_program() {
        let home = tempfile::tempdir().expect("a directory");
        for (name, mode) in [("plain", 0o644), ("program", 0o755)] {
            let path = home.path().join(name);
            fs::write(&path, name).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its own file");
            let kept = Kept::read(&path, FUNCTION).expect("it is read");
            let Entry::File { executable, .. } = kept.entry else { panic!("a file") };
            assert_eq!(executable, name == "program");
        }
    }

    #[test]
    fn links_in_a_circle_sockets_and_missing_files_are_errors_with_their_path() {
        let home = tempfile::tempdir().expect("a directory");
        let circle = home.path().join("circle");
        fs::create_dir(&circle).expect("a directory");
        symlink(home.path(), circle.join("up")).expect("a link");
        assert!(matches!(Kept::read(&circle, FUNCTION), Err(Error::Kind { .. })));
        let with_socket = home.path().join("with-socket");
        fs::create_dir(&with_socket).expect("a directory");
        let _socket = std::os::unix::net::UnixListener::bind(with_socket.join("s")).expect("a socket");
        assert!(matches!(Kept::read(&with_socket, FUNCTION), Err(Error::Kind { .. })));
        let error = Kept::read(&home.path().join("missing"), FUNCTION).expect_err("no file").to_string();
        assert!(error.contains("missing"), "{error}");
    }

    #[test]
    fn a_file_that_changes_after_it_was_read_is_not_sent() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("a");
        fs::write(&path, "one").expect("a file");
        let kept = Kept::read(&path, FUNCTION).expect("it is read");
        assert_eq!(kept.blobs[0].content(FUNCTION).expect("unchanged"), b"one");
        fs::write(&path, "two").expect("a file");
        assert!(matches!(kept.blobs[0].content(FUNCTION), Err(Error::Changed { .. })));
    }
}
