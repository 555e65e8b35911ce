//! The journal of a run: this module chooses the journal that a run goes on with, checks that it still fits, and notes
//! in it.
//!
//! The module `input` keeps a journal on disk.

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

/// The hint of an error about a run that cannot be resumed.
const ANEW: &str = "without `--resume` a run starts anew";

/// The latest run of a directory, as it was asked for.
#[derive(Debug)]
pub struct Latest {
    /// The words that its settings were made of.
    pub words: Vec<OsString>,
    /// The folder of its journal.
    pub folder: PathBuf,
    hash: blake3::Hash,
    terms: Terms,
}

/// Returns the latest run of the current directory, of those that were not finished if there is one.
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
        let failure = Failure::message(Fault::Journal, "there is no journal of an earlier run in `.nubbin`");
        return Err(failure.hint("`nubbin --resume ORACLE FILE` goes on with a run, or starts one"));
    };
    let terms = Terms::of(&found.content.header)?;
    Ok(Latest { words: terms.words(), folder, hash: found.content.header.input, terms })
}

impl Latest {
    /// Lets these settings, which are made of its words, resume it.
    ///
    /// # Errors
    /// Returns an error when the words mean another run here, since it was started in another directory.
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

/// Makes the failure that the run was started in another directory, where its words are to be understood.
fn elsewhere(terms: &Terms) -> Failure {
    let directory = text::quote(OsStr::from_bytes(&terms.directory.0));
    let words = text::words(&terms.words());
    let message = format!("the latest run was started in another directory, {directory}");
    Failure::message(Fault::Journal, message)
        .hint(format!("go on with it there:\n  cd {directory} && nubbin --resume {words}"))
}

/// Returns the content of the input: the file to reduce, which may be a best already, or the text that was read from
/// standard input.
pub(crate) fn read(settings: &Settings) -> Result<Vec<u8>, Failure> {
    match (&settings.journal, &settings.input) {
        (JournalChoice::ResumeFrom(folder), Input::Stdin | Input::Stream(_)) => {
            match StoredRun::look(folder)? {
                Some(found) => Ok(found.input),
                None => Err(Failure::message(Fault::Journal, "the journal has vanished").hint(ANEW)),
            }
        }
        _ => Ok(settings.input.read()?),
    }
}

/// A run that is gone on with.
pub struct Earlier {
    journal: Journal,
    folder: PathBuf,
    /// The input that it began with.
    pub input: Vec<u8>,
}

/// Returns the earlier run to go on with, if that is wanted and there is one; `content` is what the file to reduce
/// holds now.
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
                    "note: {} of the journal in `{}` could not be read and {} skipped; the runs recorded there are repeated",
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
            "note: the journal of the earlier run has no readable first line: this run starts from the beginning"
        } else {
            "note: there is no earlier run to go on with: this one starts anew"
        };
        settings.voice.say(note);
        return Ok(None);
    }
    let path = path.display();
    let message = match settings.input.paired() {
        Some(_) => format!("`{path}` or its command's options have changed since the earlier run began"),
        None => format!("`{path}` has changed since the earlier run began"),
    };
    Err(Failure::message(Fault::Journal, message).hint(ANEW))
}

/// Begins a journal. That there can be none is no reason not to reduce.
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
                    "note: an earlier run on this input was not finished; `--resume` would have gone on with it",
                );
            }
            let journal = Mutex::new(journal);
            Some(Logbook { journal, folder, earlier: HashSet::new(), is_resumed: false })
        }
        Err(journal::JournalError::Locked(_)) => {
            settings
                .voice
                .say("note: another run on this input is under way; this one goes on without a journal");
            None
        }
        Err(error) => {
            settings.voice.say(&format!("note: no journal is kept, so this run cannot be resumed: {error}"));
            None
        }
    }
}

/// Returns the journal of a run that goes on, or else a new one, with what the first runs have taught.
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

/// A run that goes on.
pub struct Resumed {
    /// Its journal.
    pub logbook: Logbook,
    /// The last best that the journal knows, if there is one.
    pub best: Option<Vec<u8>>,
    /// The content of the file, if that is smaller than this best: a best that was saved, and whose step was not noted.
    pub ahead: Option<Vec<u8>>,
}

impl Earlier {
    /// Makes sure that this run can go on with the earlier one, and that the best so far is where it belongs; `None` if
    /// the earlier one was finished.
    pub(crate) fn resume(
        mut self,
        settings: &Settings,
        terms: &Terms,
        file: &mut BestFile,
    ) -> Result<Option<Resumed>, Failure> {
        let content = self.journal.content();
        let before = Terms::of(&content.header)?;
        if let Some(change) = difference(&before.verdicts, &terms.verdicts) {
            let message = format!("the earlier run cannot be gone on with: {change}");
            return Err(Failure::message(Fault::Journal, message).hint(ANEW));
        }
        let change = difference(&before.steps, &terms.steps);
        if let Some(change) = &change {
            settings.voice.say(&format!("note: {change}; verdicts are kept, steps may differ"));
        }
        if content.header.program != env!("CARGO_PKG_VERSION") {
            let version = &content.header.program;
            settings.voice.say(&format!("note: the earlier run was of version {version}; steps may differ"));
        }
        let best = match content.steps.len() {
            0 => None,
            steps => Some(content.rebuild(&self.input, steps).ok_or_else(does_not_fit)?),
        };
        let holds = file.resume(&self.input, best.as_deref())?;
        // Where no steps are kept, the result is made anew from the verdicts.
        let is_anew = settings.is_made_anew();
        let last = best.as_deref().unwrap_or(&self.input);
        let shown = blake3::hash(&settings.input.shown(last));
        let is_left = |hash| content.knows(&hash, INTERESTING) || hash == shown;
        let is_known = is_anew || holds.is_none_or(is_left);
        if let (Some(path), false) = (file.path(), is_known) {
            let path = path.display();
            settings
                .voice
                .say(&format!("note: `{path}` is not what the earlier run has left; it will be replaced"));
        }
        let more_time = terms.gives_more_time_than(&before);
        if content.end == Some(End::Finished) && change.is_none() && !more_time && !is_anew {
            finished(settings, file, holds.is_some(), best.as_deref().unwrap_or(&self.input))?;
            return Ok(None);
        }
        // A flaky test may have found a best interesting that did not hold.
        let may_be_ahead = change.is_none() && settings.flaky.is_none();
        let ahead = match holds {
            Some(hash) if is_known && !is_anew && hash != shown && hash != blake3::hash(last) => {
                let ahead = file
                    .content()
                    .filter(|found| may_be_ahead && is_smaller(settings.control.objective, found, last));
                // A step is noted before its best is saved.
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

/// Tells whether a text is smaller than another one.
pub(crate) fn is_smaller(objective: Order, text: &[u8], other: &[u8]) -> bool {
    let rank = |text: &[u8]| {
        let size = Size { tokens: count_tokens(text), bytes: text.len(), lines: count_lines(text) };
        objective.rank(size)
    };
    rank(text) < rank(other)
}

fn does_not_fit() -> Failure {
    Failure::message(Fault::Journal, "the steps in the journal do not fit the input beside it").hint(ANEW)
}

/// Says that there is nothing left to do; a result that is missing is written again.
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
    let command = command.map_or_else(String::new, |command| format!("\ncommand  {command}"));
    settings.voice.say(&format!(
        "the earlier run was finished: there is nothing left to do\nresult   {place}{command}"
    ));
    Ok(())
}

/// Makes sure that nothing is lost where a directory is to be replaced by the result: it has to be empty, or what a run
/// that is known has left there.
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
    let message = format!("`{}` exists, and is not what an earlier run has left", place.display());
    Err(Failure::message(Fault::Output, message)
        .hint("it would be replaced: remove it, or choose another place with `--output DIR`"))
}
