//! The formatter that the result goes through in the end: which one, and whether what it makes can be tried.
//!
//! Whether the failure stays is found out by the library.

use super::failure::Failure;
use super::settings::{Input, Settings};
use clap::Args;
use nubbin::edit::count_tokens;
use nubbin::language::Language;
use nubbin::oracle::Filter;
use nubbin::{Objective, Outcome};
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

/// A formatter that is there, and what it had to say.
pub struct Formatter<'l> {
    filter: Filter,
    language: Option<&'l Language>,
    /// Why what it has made cannot be used, in a sentence without a final period.
    refused: RefCell<Option<String>>,
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
        let mut words = split(&command)?;
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
    /// The formatter for what these settings reduce: a single text whose layout is not to be squeezed, of which nothing
    /// has to stay byte for byte.
    pub fn new(settings: &Settings, language: Option<&'l Language>, keeps: bool) -> Option<Self> {
        let senseless = [
            ("--compact", settings.compact),
            ("--unit", !settings.units.is_empty()),
            ("--objective", settings.control.objective() != Objective::Tokens),
            ("several files", settings.input.is_archive()),
            ("options", matches!(settings.input, Input::Options(_))),
            ("what has to stay", keeps),
        ];
        let reason = senseless.into_iter().find(|(_, is_so)| *is_so).map(|(reason, _)| reason);
        let words = match (&settings.formatter, reason) {
            (Choice::None, _) | (Choice::Any, Some(_)) => return None,
            (Choice::Given { is_typed, .. }, Some(reason)) => {
                if *is_typed {
                    settings.voice.say(&format!("note: with {reason} no formatter is used"));
                }
                return None;
            }
            (Choice::Given { words, .. }, None) => words.clone(),
            (Choice::Any, None) => {
                let known = language.map_or(&[][..], Language::formatters);
                let found = known.iter().find_map(|words| {
                    let program = find(OsStr::new(words.first()?))?;
                    Some(std::iter::once(program).chain(words[1..].iter().map(OsString::from)).collect())
                });
                found?
            }
        };
        let path = settings.input.path(&settings.language);
        let name = path.file_name().unwrap_or(OsStr::new("input")).to_owned();
        let filter = Filter { words, name, limit: LIMIT };
        Some(Self { filter, language, refused: RefCell::default() })
    }

    /// What it makes of a text, if that says the same with other blanks.
    pub fn format(&self, text: &[u8]) -> Option<Vec<u8>> {
        let refuse = |why: String| {
            *self.refused.borrow_mut() = Some(why);
            None
        };
        match self.filter.run(text) {
            Err(error) => refuse(error.to_string()),
            Ok(formatted) if !self.says_the_same(text, &formatted) => {
                refuse("it changes more than blanks".to_owned())
            }
            Ok(formatted) => Some(formatted),
        }
    }

    fn says_the_same(&self, text: &[u8], formatted: &[u8]) -> bool {
        let gist = |text: &[u8]| self.language.and_then(|language| language.gist(text));
        let without_blanks = |text: &[u8]| -> Vec<u8> {
            gist(text)
                .unwrap_or_else(|| text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect())
        };
        count_tokens(formatted) <= count_tokens(text) && without_blanks(text) == without_blanks(formatted)
    }

    /// Why the result is not as it makes it, where it is not.
    pub fn note(&self, outcome: &Outcome) -> Option<String> {
        let tried = outcome.passes.iter().find(|pass| pass.name == "formatter");
        let is_refused = tried.is_some_and(|pass| pass.accepted == 0);
        let why = self.refused.borrow().clone();
        let why = why.or_else(|| is_refused.then(|| "the failure goes with it".to_owned()))?;
        Some(format!("note: the formatter `{}` is not used: {why}", self.filter.words[0].display()))
    }
}

/// The words of a command.
fn split(command: &OsStr) -> Result<Vec<OsString>, Failure> {
    let text = command.to_string_lossy();
    match shell_words::split(&text) {
        Ok(words) if !words.is_empty() => Ok(words.into_iter().map(OsString::from).collect()),
        Ok(_) => Err(Failure::usage("the formatter is empty").hint("`--no-formatter` goes without")),
        Err(error) => {
            Err(Failure::usage(format!("the formatter `{text}` cannot be split into words: {error}")))
        }
    }
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
