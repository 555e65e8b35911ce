//! Reduces a file and the options of its command in turns.
//!
//! The options come first: there are few, each costs at most one probe, and without them the probes of the file may be
//! faster. They are tried again when the file has shrunk, until neither finds anything.

use super::part::{ArchivePart, What};
use super::{Error, Folder, Proof};
use nubbin_archive::{self as archive, Entry, Type};
use nubbin_search::oracle;
use nubbin_search::schedule::Runner;

impl Folder<'_, '_> {
    /// Returns whether the archive contains the options of a command.
    pub(super) fn has_options(&self) -> bool {
        archive::entries(&self.outcome.best).iter().any(|entry| entry.kind == Type::Options)
    }

    /// Reduces the options and the files in turns.
    pub(super) fn in_turns(
        &mut self,
        runner: Runner<'_>,
        confirm: usize,
        allow_empty: bool,
    ) -> Result<Proof, Error> {
        self.turn(runner, &ArchivePart { what: What::Nothing, ..self.all() }, confirm, allow_empty)?;
        if let Some(end) = self.end() {
            return Ok(end);
        }
        // If the unchanged input is probed only once, the oracle is trusted, and this verdict is known.
        if confirm > 1
            && self.may_be_emptied()
            && self.is_interesting_without_content(runner, allow_empty)?
            && !allow_empty
        {
            return Err(Error::EmptyIsInteresting);
        }
        while let Some(part) = self.next_part() {
            self.turn(runner, &part, 1, true)?;
            if let Some(end) = self.end() {
                return Ok(end);
            }
        }
        match self.believe(runner) {
            Err(Error::Oracle(oracle::NoVerdict::Interrupted)) => Ok(Proof::Interrupted),
            believed => believed.map(|()| self.proof()),
        }
    }

    /// Returns the part that has had no turn on this version, the options before the file.
    fn next_part(&self) -> Option<ArchivePart> {
        let is_dry =
            |entry: &Entry| self.proofs.get(&entry.path).is_some_and(|(version, _)| *version == self.version);
        let mut parts = archive::entries(&self.outcome.best);
        parts.retain(|entry| entry.content.0 < entry.content.1 && !is_dry(entry));
        parts.sort_by_key(|entry| entry.kind != Type::Options);
        let Entry { path, kind, content, .. } = parts.into_iter().next()?;
        let what = if kind == Type::Options { What::Options } else { What::Passes };
        Some(ArchivePart { span: content, file: Some(path), may_be_empty: true, what })
    }
}
