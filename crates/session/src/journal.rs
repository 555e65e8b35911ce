//! Finds the journal of the run to resume, checks that it still applies, and records the new run.
//!
//! The module `input` stores journals on disk.

mod logbook;
mod terms;

use crate::baseline::Learned;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::input::journal::{self, Content, End, Header, Journal, StoredRun};
use crate::input::{self, BestFile};
use crate::output::Output;
use crate::settings::JournalChoice;
use crate::settings::Settings;
use crate::source::Input;
use crate::text;
use nubbin_reduce::Order;
use nubbin_reduce::event::Size;
use nubbin_syntax::edit::{count_lines, count_tokens};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub(crate) use logbook::INTERESTING;
pub use logbook::Logbook;
use logbook::TIMEOUT;
pub use terms::Terms;
pub(crate) use terms::difference;

const ANEW: &str = "to start a new run, omit `--resume`";

/// The latest run of a directory.
#[derive(Debug)]
pub struct Latest {
    /// The command line of the run.
    pub words: Vec<OsString>,
    /// The folder of the journal.
    pub folder: PathBuf,
    hash: blake3::Hash,
    terms: Terms,
}

/// Returns the latest run of the current directory, preferably one that did not finish.
///
/// # Errors
/// Returns an error when there is none.
pub fn latest() -> Result<Latest, Failure> {
    let mut runs: Vec<_> = journal::folders_in(Path::new("."))
        .into_iter()
        .filter_map(|folder| Some((StoredRun::look(&folder).ok()??, folder)))
        .collect();
    runs.sort_by_key(|(found, _)| found.content.end == Some(End::Finished));
    let Some((found, folder)) = runs.into_iter().next() else {
        let failure = Failure::message(Fault::Journal, "no journal of an earlier run in `.nubbin`");
        return Err(failure.hint("to resume or start a run, use `nubbin --resume SCRIPT FILE`"));
    };
    let terms = Terms::of(&found.content.header)?;
    Ok(Latest { words: terms.words(), folder, hash: found.content.header.input, terms })
}

impl Latest {
    /// Lets settings made from its command line resume the run.
    ///
    /// # Errors
    /// Returns an error when the command line has another meaning in the current directory.
    pub fn resume(self, settings: &mut Settings) -> Result<(), Failure> {
        let named = journal::folder(&settings.journal_path(), &self.hash);
        match (named.canonicalize(), self.folder.canonicalize()) {
            (Ok(named), Ok(folder)) if named == folder => {}
            _ => return Err(elsewhere(&self.terms)),
        }
        settings.journal = JournalChoice::ResumeFrom(self.folder);
        Ok(())
    }
}

/// The run was started in another directory.
fn elsewhere(terms: &Terms) -> Failure {
    let directory = text::quote(OsStr::from_bytes(&terms.directory.0));
    let words = text::words(&terms.words());
    let message = format!("the latest run was started in another directory, {directory}");
    Failure::message(Fault::Journal, message)
        .hint(format!("resume it there:\n  cd {directory} && nubbin --resume {words}"))
}

/// Returns the content of the input, which can already be partly reduced, or the text that was read from standard
/// input.
pub(crate) fn read(settings: &Settings) -> Result<Vec<u8>, Failure> {
    match (&settings.journal, &settings.input) {
        (JournalChoice::ResumeFrom(folder), Input::Stdin | Input::Stream(_)) => {
            match StoredRun::look(folder)? {
                Some(found) => Ok(found.input),
                None => Err(Failure::message(Fault::Journal, "the journal no longer exists").hint(ANEW)),
            }
        }
        _ => Ok(settings.input.read()?),
    }
}

/// An earlier run to resume.
pub struct Earlier {
    journal: Journal,
    folder: PathBuf,
    /// The original input.
    pub input: Vec<u8>,
}

/// Returns the earlier run to resume, if requested and present. `content` is the current content of the input.
pub(crate) fn earlier(settings: &Settings, content: &[u8]) -> Result<Option<Earlier>, Failure> {
    if matches!(settings.journal, JournalChoice::None | JournalChoice::Begin) {
        return Ok(None);
    }
    let path = settings.journal_path();
    let hash = blake3::hash(content);
    let own = journal::folder(&path, &hash);
    let mut folders = journal::folders_of(&path);
    folders.retain(|folder| *folder != own);
    let is_ours = |folder: &Path| -> Result<bool, Failure> {
        let found = StoredRun::look(folder)?;
        Ok(found.is_some_and(|found| found.content.knows(&hash, INTERESTING)))
    };
    for folder in std::iter::once(&own).chain(&folders) {
        let may_be = *folder == own || matches!(settings.output, Output::InPlace);
        if !may_be || !is_ours(folder)? {
            continue;
        }
        if let Some(journal) = Journal::resume(folder)? {
            if journal.skipped() > 0 {
                settings.voice.say(&format!(
                    "note: {} of the journal in `{}` could not be read and {} skipped; the lost runs are repeated",
                    text::counted(journal.skipped(), "line"),
                    folder.display(),
                    if journal.skipped() == 1 { "is" } else { "are" },
                ));
            }
            let input = journal::input(folder, journal.content())?;
            return Ok(Some(Earlier { journal, folder: folder.clone(), input }));
        }
    }
    if folders.is_empty() || own.exists() {
        let note = if journal::is_headless(&own) {
            "note: the journal of the earlier run has no readable header; starting a new run"
        } else {
            "note: no earlier run to resume; starting a new run"
        };
        settings.voice.say(note);
        return Ok(None);
    }
    let path = path.display();
    let message = match settings.input.paired() {
        Some(_) => {
            format!("`{path}` or the options of the command have changed since the earlier run started")
        }
        None => format!("`{path}` has changed since the earlier run started"),
    };
    Err(Failure::message(Fault::Journal, message).hint(ANEW))
}

/// Creates a journal. Errors are reported as notes and do not end the run.
#[must_use]
pub fn begin(settings: &Settings, terms: &Terms, input: &[u8]) -> Option<Logbook> {
    if matches!(settings.journal, JournalChoice::None) {
        return None;
    }
    let path = settings.journal_path();
    let folder = journal::folder(&path, &blake3::hash(input));
    let before = StoredRun::look(&folder).ok().flatten().map(|found| found.content);
    let name = path.file_name().unwrap_or_default();
    let header = Header::new(name.as_bytes(), input, serde_json::to_value(terms).unwrap_or_default());
    match Journal::begin(&folder, header, input) {
        Ok(journal) => {
            let is_same = |content: &Content| {
                Terms::of(&content.header).is_ok_and(|of| difference(&of.verdicts, &terms.verdicts).is_none())
            };
            let is_open = |content: &Content| content.end != Some(End::Finished) && !content.steps.is_empty();
            if before.is_some_and(|content| is_open(&content) && is_same(&content)) {
                settings.voice.say(
                    "note: an earlier run on this input did not finish; `--resume` would have continued it",
                );
            }
            let journal = Mutex::new(journal);
            Some(Logbook { journal, folder, earlier: HashSet::new(), is_resumed: false })
        }
        Err(journal::JournalError::Locked(_)) => {
            settings.voice.say("note: another run on this input is in progress; this run has no journal");
            None
        }
        Err(error) => {
            settings
                .voice
                .say(&format!("note: cannot write a journal, so this run cannot be resumed: {error}"));
            None
        }
    }
}

/// Returns the journal of a resumed run, or else a new one with the learned facts.
pub fn taught(
    earlier: Option<Logbook>,
    settings: &Settings,
    terms: &Terms,
    input: &[u8],
    learned: &Learned,
) -> Option<Logbook> {
    let logbook = earlier.or_else(|| begin(settings, terms, input))?;
    if logbook.learned().is_none() {
        logbook.learn(learned);
    }
    Some(logbook)
}

/// A resumed run.
pub struct Resumed {
    /// The journal of the run.
    pub logbook: Logbook,
    /// The last recorded result, if any.
    pub best: Option<Vec<u8>>,
    /// The content of the file, if it is smaller: a result that was saved but not recorded.
    pub ahead: Option<Vec<u8>>,
}

impl Earlier {
    /// Checks that this run can continue the earlier one, and restores its result. Returns `None` if the earlier run
    /// finished.
    pub(crate) fn resume(
        mut self,
        settings: &Settings,
        terms: &Terms,
        file: &mut BestFile,
    ) -> Result<Option<Resumed>, Failure> {
        let content = self.journal.content();
        let before = Terms::of(&content.header)?;
        if let Some(change) = difference(&before.verdicts, &terms.verdicts) {
            let message = format!("the earlier run cannot be resumed: {change}");
            return Err(Failure::message(Fault::Journal, message).hint(ANEW));
        }
        let change = difference(&before.steps, &terms.steps);
        if let Some(change) = &change {
            settings.voice.say(&format!("note: {change}; verdicts are reused, but steps can differ"));
        }
        if content.header.program != env!("CARGO_PKG_VERSION") {
            let version = &content.header.program;
            settings.voice.say(&format!("note: the earlier run used version {version}; steps can differ"));
        }
        let best = match content.steps.len() {
            0 => None,
            steps => Some(content.rebuild(&self.input, steps).ok_or_else(does_not_fit)?),
        };
        let holds = file.resume(&self.input, best.as_deref())?;
        // Without recorded steps, the result is computed again from the verdicts.
        let is_anew = settings.is_made_anew();
        let last = best.as_deref().unwrap_or(&self.input);
        let shown = blake3::hash(&settings.input.shown(last));
        let is_left = |hash| content.knows(&hash, INTERESTING) || hash == shown;
        let is_known = is_anew || holds.is_none_or(is_left);
        if let (Some(path), false) = (file.path(), is_known) {
            let path = path.display();
            settings
                .voice
                .say(&format!("note: `{path}` was not written by the earlier run; it will be replaced"));
        }
        let more_time = terms.gives_more_time_than(&before);
        if content.end == Some(End::Finished) && change.is_none() && !more_time && !is_anew {
            finished(settings, file, holds.is_some(), best.as_deref().unwrap_or(&self.input))?;
            return Ok(None);
        }
        // For a flaky test, a saved result can have been refuted.
        let may_be_ahead = change.is_none() && settings.flaky.is_none();
        let ahead = match holds {
            Some(hash) if is_known && !is_anew && hash != shown && hash != blake3::hash(last) => {
                let ahead = file
                    .content()
                    .filter(|found| may_be_ahead && is_smaller(settings.control.objective, found, last));
                // A step is recorded before its result is saved.
                if let (None, Some(best)) = (&ahead, &best) {
                    file.save(best)?;
                }
                ahead
            }
            _ => None,
        };
        let earlier = content.interesting(INTERESTING);
        if more_time {
            self.journal.forget(TIMEOUT);
        }
        let journal = Mutex::new(self.journal);
        let logbook = Logbook { journal, folder: self.folder, earlier, is_resumed: true };
        Ok(Some(Resumed { logbook, best, ahead }))
    }
}

pub(crate) fn is_smaller(objective: Order, text: &[u8], other: &[u8]) -> bool {
    let rank = |text: &[u8]| {
        let size = Size { tokens: count_tokens(text), bytes: text.len(), lines: count_lines(text) };
        objective.rank(size)
    };
    rank(text) < rank(other)
}

fn does_not_fit() -> Failure {
    Failure::message(Fault::Journal, "the steps in the journal do not apply to the input next to it")
        .hint(ANEW)
}

/// Reports that nothing remains to be done. A missing result is written again.
fn finished(
    settings: &Settings,
    file: &mut BestFile,
    is_there: bool,
    best: &[u8],
) -> Result<(), input::Error> {
    if !is_there {
        file.finish(&settings.input.shown(best))?;
    }
    let place = file.path().map_or("standard output".to_owned(), |path| path.display().to_string());
    let command = settings.input.paired().map(|paired| paired.left(best).command(file.path()));
    let command = command.map_or_else(String::new, |command| format!("\ncommand    {command}"));
    settings
        .voice
        .say(&format!("the earlier run finished; nothing remains to be done\nresult     {place}{command}"));
    Ok(())
}

/// Returns an error if a directory would be replaced by the result, unless it is empty or was written by a known run.
pub(crate) fn may_replace(settings: &Settings) -> Result<(), Failure> {
    let Output::File(place) = &settings.output else { return Ok(()) };
    let is_free = std::fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none());
    if !settings.input.is_archive() || is_free {
        return Ok(());
    }
    let hash = blake3::hash(&input::read_folder(place)?);
    let path = settings.input.path(&settings.language);
    for folder in journal::folders_of(&path) {
        if StoredRun::look(&folder)?.is_some_and(|found| found.content.knows(&hash, INTERESTING)) {
            return Ok(());
        }
    }
    let message = format!("`{}` already exists and was not written by nubbin", place.display());
    Err(Failure::message(Fault::Output, message)
        .hint("remove it, or choose another place with `--output DIR`"))
}
