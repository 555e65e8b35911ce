//! Inlines the files of an archive into each other.

use super::part::{ArchivePart, What};
use super::{Error, Folder, Languages, Proof, TUNING};
use crate::inline::{Inliner, Join, SourceFile};
use nubbin_archive::{self as archive, ArchiveKind, Entry, Item, Type};
use nubbin_search::schedule::Runner;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files of an archive, some of which can be inlined into others.
pub(super) struct JoinedFiles<'l> {
    kind: ArchiveKind,
    items: Vec<Item>,
    inliner: Inliner<'l>,
    /// The indices of the files in the inliner, by path.
    numbers: HashMap<PathBuf, usize>,
}

impl<'l> JoinedFiles<'l> {
    pub fn new(text: &[u8], languages: &'l dyn Languages) -> Option<Self> {
        let kind = archive::kind(text)?;
        let entries = archive::entries(text);
        let item = |entry: &Entry| Item {
            path: entry.path.clone(),
            kind: entry.kind,
            mode: entry.mode,
            content: entry.content_in(text).to_vec(),
        };
        let items: Vec<Item> = entries.iter().map(item).collect();
        let file = |item: &Item| {
            let language = languages.of(&item.path, &item.content)?;
            language.inline()?;
            Some(SourceFile { path: item.path.clone(), text: item.content.clone(), language, stays: false })
        };
        let files: Vec<SourceFile<'l>> =
            items.iter().filter(|item| item.kind == Type::File).filter_map(file).collect();
        // A header may be found through an option of the command, which is unknown here: any directory can be an
        // include directory.
        let mut given: Vec<PathBuf> =
            items.iter().filter(|item| item.kind == Type::Directory).map(|item| item.path.clone()).collect();
        given.push(PathBuf::new());
        given.sort_by_key(|path| path.components().count());
        // A file in an unknown language is parsed in the language of the file that includes it.
        let others: HashMap<&Path, &Item> = items.iter().map(|item| (item.path.as_path(), item)).collect();
        let find = |path: &Path| {
            let other =
                others.get(path).filter(|item| item.kind == Type::File && !item.content.contains(&0))?;
            Some((other.content.clone(), None))
        };
        let inliner = Inliner::new(files, &given, &find);
        let numbers = inliner.paths().enumerate().map(|(number, path)| (path.to_owned(), number)).collect();
        Some(Self { kind, items, inliner, numbers })
    }
}

impl Folder<'_, '_> {
    /// Inlines files: at the beginning, when the archive has halved, and when everything else is exhausted (`is_dry`).
    /// Returns the proof if the reduction ends.
    pub(super) fn join(&mut self, runner: Runner<'_>, is_dry: bool) -> Result<Option<Proof>, Error> {
        let size = self.outcome.best.len();
        let is_due = match self.joined {
            None => true,
            Some(last) if is_dry => size != last,
            Some(last) => size <= last / TUNING.again,
        };
        if is_due
            && self.settings.control.joins_files
            && self.settings.units.is_empty()
            && self.may_be_emptied()
            && size <= TUNING.huge
        {
            self.turn(runner, &ArchivePart { what: What::Joined, ..self.all() }, 1, true)?;
            self.joined = Some(self.outcome.best.len());
        }
        Ok(self.end())
    }
}

impl Join for JoinedFiles<'_> {
    fn count(&self) -> usize {
        self.inliner.count()
    }

    fn text(&self, members: &[usize]) -> Option<Vec<u8>> {
        let texts = self.inliner.texts(members)?;
        let text = |item: &Item| self.numbers.get(&item.path).map(|&number| texts[number].as_ref());
        let goes = |item: &Item| self.kind == ArchiveKind::Folder && text(item) == Some(None);
        // A directory is deleted with the last file in it. An empty directory stays.
        let is_left = |item: &&Item| {
            let inside = |one: &&Item| one.kind != Type::Directory && one.path.starts_with(&item.path);
            let mut files = self.items.iter().filter(inside).peekable();
            files.peek().is_none() || files.any(|one| !goes(one))
        };
        let new = |item: &Item| match text(item) {
            Some(text) => Item { content: text.cloned().unwrap_or_default(), ..item.clone() },
            None => item.clone(),
        };
        Some(archive::pack(self.kind, &self.items.iter().filter(is_left).map(new).collect::<Vec<_>>()))
    }
}
