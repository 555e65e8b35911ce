//! Describes the part of an archive that a turn reduces, and translates its texts and edits to those of the archive.

use crate::pass::Plan;
use crate::reduction::Scope;
use nubbin_archive::{self as archive, Entry, Type};
use nubbin_syntax::edit::{Edit, Span};
use std::path::PathBuf;

#[derive(Clone)]
pub(super) struct ArchivePart {
    /// Its first byte in the archive, and the byte after its last one.
    pub(super) span: (usize, usize),
    /// The path of the file; `None` for the whole archive.
    pub(super) file: Option<PathBuf>,
    /// Whether the part can become empty, if the oracle agrees.
    pub(super) may_be_empty: bool,
    pub(super) what: What,
}

/// The kind of changes that a turn tries.
#[derive(Clone, PartialEq)]
pub(super) enum What {
    /// The deltas of the passes.
    Passes,
    /// The deltas of the passes for all files together, at coarse levels.
    Together {
        /// Whether the code that a run executes is known.
        covered: bool,
    },
    /// Deletions of names that one file defines and others use.
    Names,
    /// Deletions of code that the failing run does not execute.
    Unreached,
    /// The proposals of an external program.
    Proposals,
    /// Inlined files.
    Joined,
    /// The formatted files: this text is the archive with them.
    Layout(Vec<u8>),
    /// Nothing: the archive is only confirmed.
    Nothing,
    /// The options of the command.
    Options,
}

impl ArchivePart {
    /// Returns the archive with this content of the part.
    pub(super) fn among(&self, text: &[u8], content: &[u8]) -> Vec<u8> {
        [&text[..self.span.0], content, &text[self.span.1..]].concat()
    }

    /// Returns the archive with formatted files, if the turn tries that.
    pub(super) fn layout(&self) -> Option<&[u8]> {
        match &self.what {
            What::Layout(text) => Some(text),
            What::Passes
            | What::Together { .. }
            | What::Names
            | What::Unreached
            | What::Proposals
            | What::Joined
            | What::Nothing
            | What::Options => None,
        }
    }

    /// Returns the plan, if all files are reduced together.
    pub(super) fn plan(&self) -> Option<Plan> {
        match self.what {
            What::Together { covered } => Some(Plan::together(covered)),
            What::Names => Some(Plan::names()),
            What::Unreached => Some(Plan::unreached()),
            What::Passes
            | What::Proposals
            | What::Joined
            | What::Layout(_)
            | What::Nothing
            | What::Options => None,
        }
    }

    pub(super) fn scope(&self) -> Scope {
        match self.what {
            What::Nothing => Scope::Nothing,
            What::Options => Scope::Options,
            _ if self.file.is_none() && self.plan().is_none() => Scope::WholeFiles,
            _ => Scope::Text,
        }
    }

    /// Translates edits of the part to edits of the archive.
    pub(super) fn moved(&self, edits: &[Edit]) -> Vec<Edit> {
        let start = self.span.0 as u32;
        let moved = |edit: &Edit| Edit {
            span: Span::new(edit.span.start + start, edit.span.end + start),
            text: edit.text.clone(),
        };
        edits.iter().map(moved).collect()
    }
}

/// Returns the edits that give the files of an archive the contents that they have in another archive of the same
/// files.
pub(super) fn contents_that_differ(text: &[u8], other: &[u8]) -> Vec<Edit> {
    let (before, after) = (archive::entries(text), archive::entries(other));
    let is_same = |(one, two): (&Entry, &Entry)| (&one.path, one.kind) == (&two.path, two.kind);
    if before.len() != after.len() || !before.iter().zip(&after).all(is_same) {
        return Vec::new();
    }
    let pairs = before.iter().zip(&after);
    let differ =
        pairs.filter(|(one, two)| one.kind == Type::File && one.content_in(text) != two.content_in(other));
    let edit = |(one, two): (&Entry, &Entry)| {
        let span = Span::new(one.content.0 as u32, one.content.1 as u32);
        Edit::replace(span, two.content_in(other))
    };
    differ.map(edit).collect()
}
