//! How a candidate is stored on disk.

use crate::work_directory::Layout;
use nubbin_archive as archive;
use std::path::PathBuf;

/// How a candidate is stored on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A file with the bytes of the candidate.
    File,
    /// A directory; the bytes of the candidate are an [archive].
    Folder,
    /// Files with these names; the bytes of the candidate are an [archive]. `{}` as a separate argument is
    /// replaced by all their paths, `{1}` by the first path, and so on.
    Files(Vec<PathBuf>),
    /// The current directory itself; the bytes of the candidate are an [archive]. `{}` is replaced by its
    /// path.
    Tree {
        /// Whether the directory is kept from one probe of a warden to the next, for incremental builds. Only
        /// differences are then written, and files that the command created are kept. The directory is
        /// created again after a probe that was killed.
        is_kept: bool,
    },
}

impl Shape {
    pub(super) fn layout(&self) -> Layout {
        match self {
            Self::File => Layout::File,
            Self::Folder => Layout::Inside(archive::ArchiveKind::Folder),
            Self::Files(_) => Layout::Inside(archive::ArchiveKind::Files),
            Self::Tree { .. } => Layout::Tree,
        }
    }

    pub(super) fn is_kept(&self) -> bool {
        *self == Self::Tree { is_kept: true }
    }
}
