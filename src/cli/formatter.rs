//! The formatter that the result goes through in the end: which one, and whether what it makes can be tried.
//!
//! Whether the failure stays is found out by the library.

use super::command;
use super::failure::Failure;
use super::language::Chosen;
use super::settings::{Input, Settings};
use clap::Args;
use nubbin::archive::{self, Entry, Type};
use nubbin::edit::count_tokens;
use nubbin::language::Language;
use nubbin::oracle::Filter;
use nubbin::{Languages, Objective, Outcome};
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a formatter may take.
const LIMIT: Duration = Duration::from_secs(10);
/// What names the formatter where no option does; `none` is none.
const VARIABLE: &str = "NUBBIN_FORMATTER";
const NONE: &str = "none";

/// What was typed.
#[derive(Debug, Args)]
#[group(skip)]
pub struct Typed {
    /// The formatter for the result, which reads standard input or the file `{}` [default: one for the language that is
    /// installed, or that in `NUBBIN_FORMATTER`]. What it writes is used if the failure stays.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["compact", "no_formatter"], help_heading = "Result")]
    formatter: Option<OsString>,

    /// Leave the result as it is.
    #[arg(long, help_heading = "Result")]
    no_formatter: bool,
}

/// What was meant.
#[derive(Debug)]
pub enum Choice {
    /// One for the language, if there is one.
    Any,
    None,
    /// This one, which the command line or only the environment names.
    Given {
        words: Vec<OsString>,
        is_typed: bool,
    },
}

/// The formatters that are there, and what they had to say.
pub struct Formatter<'l> {
    choice: &'l Choice,
    /// The language of the one file, or what tells those of several.
    language: &'l Chosen,
    /// The one file.
    name: Option<OsString>,
    /// What one of them has made that cannot be used.
    refused: RefCell<Option<Refused>>,
}

struct Refused {
    program: OsString,
    file: OsString,
    /// In a sentence without a final period.
    why: String,
}

impl Choice {
    /// The choice that these options make.
    pub fn new(typed: Typed) -> Result<Self, Failure> {
        let named = std::env::var_os(VARIABLE).filter(|command| !command.is_empty());
        let is_typed = typed.formatter.is_some();
        let Some(command) = typed.formatter.or(named).filter(|_| !typed.no_formatter) else {
            return Ok(if typed.no_formatter { Self::None } else { Self::Any });
        };
        if command == NONE {
            return Ok(Self::None);
        }
        let words = command::words(&command.to_string_lossy(), "formatter");
        let mut words = words.map_err(|failure| failure.hint("`--no-formatter` goes without"))?;
        let Some(program) = find(&words[0]) else {
            let message = format!("there is no formatter `{}`", words[0].display());
            let hint =
                "it is a program in `PATH`, or a file that can be executed; `--no-formatter` goes without";
            return Err(Failure::usage(message).hint(hint));
        };
        words[0] = program;
        Ok(Self::Given { words, is_typed })
    }

    /// What the steps of a run depend on.
    pub fn term(&self) -> Option<String> {
        match self {
            Self::Any | Self::None => None,
            Self::Given { words, .. } => {
                Some(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

impl<'l> Formatter<'l> {
    /// The formatters for what these settings reduce: texts whose layout is not to be squeezed, of which nothing has to
    /// stay byte for byte.
    pub fn new(settings: &'l Settings, language: &'l Chosen, keeps: bool) -> Option<Self> {
        let senseless = [
            ("--compact", settings.compact),
            ("--unit", !settings.units.is_empty()),
            ("--objective", settings.control.objective() != Objective::Tokens),
            ("options", matches!(settings.input, Input::Options(_))),
            ("what has to stay", keeps),
        ];
        let reason = senseless.into_iter().find(|(_, is_so)| *is_so).map(|(reason, _)| reason);
        match (&settings.formatter, reason) {
            (Choice::None, _) | (Choice::Any, Some(_)) => return None,
            (Choice::Given { is_typed, .. }, Some(reason)) => {
                if *is_typed {
                    settings.voice.say(&format!("note: with {reason} no formatter is used"));
                }
                return None;
            }
            (Choice::Any | Choice::Given { .. }, None) => {}
        }
        let is_archive = settings.input.is_archive();
        let path = settings.input.path(&settings.language);
        let name = path.file_name().unwrap_or(OsStr::new("input")).to_owned();
        let name = (!is_archive).then_some(name);
        let formatter = Self { choice: &settings.formatter, language, name, refused: RefCell::default() };
        (is_archive || formatter.words(language.get()).is_some()).then_some(formatter)
    }

    /// The formatter for a text in this language, if there is one.
    fn words(&self, language: Option<&Language>) -> Option<Vec<OsString>> {
        if let Choice::Given { words, .. } = self.choice {
            return Some(words.clone());
        }
        language.map_or(&[][..], Language::formatters).iter().find_map(|words| {
            let program = find(OsStr::new(words.first()?))?;
            Some(std::iter::once(program).chain(words[1..].iter().map(OsString::from)).collect())
        })
    }

    /// What they make of a text, or of the files of an archive, if that says the same with other blanks.
    pub fn format(&self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some(name) = &self.name {
            return self.format_one(text, name, self.language.get());
        }
        let (mut all, mut at) = (Vec::with_capacity(text.len()), 0);
        for entry in archive::entries(text).iter().filter(|entry| entry.kind == Type::File) {
            if let Some(formatted) = self.format_entry(entry, entry.content_in(text)) {
                all.extend_from_slice(&text[at..entry.content.0]);
                all.extend(formatted);
                at = entry.content.1;
            }
        }
        all.extend_from_slice(&text[at..]);
        (at > 0).then_some(all)
    }

    /// What they make of a file of several.
    fn format_entry(&self, entry: &Entry, content: &[u8]) -> Option<Vec<u8>> {
        let name = entry.path.file_name().filter(|_| !content.is_empty())?;
        self.format_one(content, name, self.language.of(&entry.path, content))
    }

    fn format_one(&self, text: &[u8], name: &OsStr, language: Option<&Language>) -> Option<Vec<u8>> {
        let words = self.words(language)?;
        let program = words[0].clone();
        let refuse = |why: String| {
            *self.refused.borrow_mut() = Some(Refused { program, file: name.to_owned(), why });
            None
        };
        match (Filter { words, name: name.to_owned(), limit: LIMIT }).run(text) {
            Err(error) => refuse(error.to_string()),
            Ok(formatted) if !says_the_same(language, text, &formatted) => {
                refuse("it changes more than blanks".to_owned())
            }
            Ok(formatted) => Some(formatted),
        }
    }

    /// Why the result is not as they make it, where it is not.
    pub fn note(&self, outcome: &Outcome) -> Option<String> {
        let tried = outcome.passes.iter().find(|pass| pass.name == "formatter");
        let is_refused = tried.is_some_and(|pass| pass.accepted == 0);
        if let Some(Refused { program, file, why }) = &*self.refused.borrow() {
            let of = if self.name.is_some() { String::new() } else { format!(" for `{}`", file.display()) };
            return Some(format!("note: the formatter `{}` is not used{of}: {why}", program.display()));
        }
        let program = self.words(self.language.get()).map(|words| format!(" `{}`", words[0].display()));
        let program = program.unwrap_or_default();
        is_refused.then(|| format!("note: the formatter{program} is not used: the failure goes with it"))
    }
}

fn says_the_same(language: Option<&Language>, text: &[u8], formatted: &[u8]) -> bool {
    let gist = |text: &[u8]| language.and_then(|language| language.gist(text));
    let without_blanks = |text: &[u8]| -> Vec<u8> {
        gist(text)
            .unwrap_or_else(|| text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect())
    };
    count_tokens(formatted) <= count_tokens(text) && without_blanks(text) == without_blanks(formatted)
}

/// A program by its path, or in `PATH`.
pub fn find(program: &OsStr) -> Option<OsString> {
    let is_there = |path: &Path| {
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if Path::new(program).components().count() > 1 {
        let path = std::path::absolute(program).ok()?;
        return is_there(&path).then(|| path.into_os_string());
    }
    let path = std::env::var_os("PATH")?;
    let found: Option<PathBuf> =
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| is_there(path));
    found.map(PathBuf::into_os_string)
}
