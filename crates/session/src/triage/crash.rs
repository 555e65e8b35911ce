//! Classifies a run of the command: it shows a bug, an ordinary error, an exceeded limit, or nothing.
//!
//! A bug is a failure in a form known to [`Signature`] that is not caused by the file's own code, a signal, or the
//! failure that the user requested.

use super::merge::words;
use crate::baseline::Ends;
use crate::message::Message;
use crate::settings::Settings;
use crate::text;
use nubbin_oracle::signature::{OPEN, Signature, Wanted};
use nubbin_oracle::{CommandRun, Matcher, Status};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The longest description of the failure in a folder name, in characters.
const LONGEST: usize = 48;

/// A failure by which files are grouped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// How the command ends.
    pub ends: Ends,
    /// The message, if its form is known, with the position in the command's source that it names.
    pub signature: Option<Signature>,
}

/// The class of a file, by the result of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSort {
    /// The command shows a bug.
    Bug,
    /// The command reports an ordinary error.
    Error,
    /// The command fails, but not in the requested way.
    Other,
    /// The command exceeds the time limit.
    Hangs,
    /// The command exceeds another limit.
    OverLimit,
    /// The command succeeds.
    Passes,
    /// The file cannot be read, or the command cannot be run on it.
    Unreadable,
}

/// The result of one run.
#[derive(Clone, Debug)]
pub struct Showing {
    /// The class of the file.
    pub sort: FileSort,
    /// The failure, if it can be kept.
    pub crash: Option<Crash>,
    /// A description of the failure.
    pub title: String,
}

impl Crash {
    /// Returns a text that identifies the failure.
    #[must_use]
    pub fn key(&self) -> String {
        let said = self.signature.as_ref().map(Signature::key).unwrap_or_default();
        format!("{:?}|{said}", self.ends)
    }

    /// Returns a description of the failure.
    #[must_use]
    pub fn title(&self) -> String {
        self.signature.as_ref().map_or_else(|| text::ending(self.ends.status()), Signature::title)
    }

    /// Returns the description in a form suitable for a folder name.
    #[must_use]
    pub fn slug(&self) -> String {
        let title = self.title().to_lowercase();
        let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let mut slug = String::new();
        for word in words {
            if slug.len() + word.len() >= LONGEST {
                break;
            }
            slug.push_str(if slug.is_empty() { "" } else { "-" });
            slug.push_str(word);
        }
        if slug.is_empty() { "failure".to_owned() } else { slug }
    }

    /// Returns whether the message does not name the position of the crash, so that different bugs can look the same.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.signature.as_ref().is_none_or(Signature::is_vague)
    }

    /// Returns whether another failure is the same. Both can have open words.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.ends == other.ends
            && match (&self.signature, &other.signature) {
                (Some(own), Some(others)) => own.covers(others) || others.covers(own),
                (own, others) => own == others,
            }
    }

    /// Returns whether another failure can be the same: their messages differ only in words of the texts.
    pub(super) fn may_be(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (&self.signature, &other.signature) else { return false };
        self.ends == other.ends
            && own.place() == others.place()
            && own.frames() == others.frames()
            && own.common(others).is_some()
    }

    /// Returns the common failure of two texts, with the differing words of the messages left open. Returns `None` if
    /// such a word does not occur in its text.
    pub(super) fn common(&self, other: &Self, texts: [&[u8]; 2]) -> Option<Self> {
        if !self.may_be(other) {
            return None;
        }
        let (own, others) = (self.signature.as_ref()?, other.signature.as_ref()?);
        let texts = texts.map(|text| words(text).into_iter().collect::<HashSet<_>>());
        let is_of = |at: usize, word: &str| {
            let name = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            word == OPEN || texts[at].contains(name.as_bytes())
        };
        let pairs = own.message().split(' ').zip(others.message().split(' '));
        let is_same = pairs.into_iter().all(|(one, two)| one == two || is_of(0, one) && is_of(1, two));
        let signature = own.common(others).filter(|_| is_same)?;
        Some(Self { signature: Some(signature), ..self.clone() })
    }

    /// Sets this as the failure to keep.
    pub(super) fn narrow(&self, settings: &mut Settings) {
        let reader = settings.reader();
        let test = &mut settings.test;
        let Some(asked) = &mut test.failure else { return };
        asked.status = Some(self.ends.status());
        let Some(signature) = self.signature.clone() else { return };
        asked.message = Some(Wanted::new(signature, reader));
        if test.message == Message::None {
            test.message = Message::Known;
        }
    }
}

/// Classifies a run on a file with this content.
#[must_use]
pub fn look(settings: &Settings, content: &[u8], run: &CommandRun, errors_too: bool) -> Showing {
    let reader = settings.reader();
    let asked = settings.test.failure.as_ref().filter(|asked| is_closed(asked));
    let ends = Ends::of(run.status);
    let signature = reader.all(&run.stdout, &run.stderr).into_iter().find(|one| !one.is_inside());
    let signature = signature.map(|one| one.opened(content));
    let keeps_message = settings.test.message != Message::None || asked.is_some();
    let crash = Crash { ends, signature: signature.filter(|_| keeps_message) };
    let of = |sort, crash: Option<Crash>, title: String| Showing { sort, crash, title };
    if asked.is_some() && run.verdict.is_interesting() {
        let title = crash.title();
        return of(FileSort::Bug, Some(crash), title);
    }
    match run.status {
        Status::TimedOut => return of(FileSort::Hangs, None, text::ending(run.status)),
        Status::OverLimit(_) => return of(FileSort::OverLimit, None, text::ending(run.status)),
        _ => {}
    }
    let is_crash = crash.signature.is_some() || matches!(run.status, Status::Signal(_));
    if is_crash {
        let (sort, title) = (if asked.is_some() { FileSort::Other } else { FileSort::Bug }, crash.title());
        return of(sort, Some(crash).filter(|_| asked.is_none()), title);
    }
    if run.status == Status::Exit(0) {
        return of(FileSort::Passes, None, "passes".to_owned());
    }
    let said = reader.diagnostics(&run.stdout, &run.stderr).into_iter().next();
    let said = said.or_else(|| Signature::last_line(&run.stdout, &run.stderr));
    let title = said.as_ref().map_or_else(|| text::ending(run.status), Signature::title);
    let crash = Crash { ends, signature: said };
    if errors_too && asked.is_none() {
        return of(FileSort::Bug, Some(crash), title);
    }
    of(FileSort::Error, None, title)
}

/// Returns whether the user specified the failure.
fn is_closed(asked: &Matcher) -> bool {
    asked.status.is_some() || asked.stdout.is_some() || asked.stderr.is_some()
}
