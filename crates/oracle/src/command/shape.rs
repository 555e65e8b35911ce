//! The shapes that a candidate can have on disk.

use crate::work_directory::Layout;
use nubbin_archive as archive;
use std::path::PathBuf;

/// The shape of a candidate on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A file with its bytes.
    File,
    /// A directory: its bytes are an [archive].
    Folder,
    /// Files of these names: its bytes are an [archive] of them. `{}` as a word of its own stands for all of
    /// their paths, `{1}` for that of the first one, and so on.
    Files(Vec<PathBuf>),
    /// The current directory itself: its bytes are an [archive]. `{}` stands for its path.
    Tree {
        /// If this is true, it is kept from one probe of a warden to the next, so that a build in it is incremental:
        /// only what differs is written then, and what the command has made stays. After a probe that did not end by
        /// itself it begins anew.
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
