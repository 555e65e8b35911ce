//! A program that makes another text of one: which one an option, the environment or nobody names.

use crate::command;
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The word that stands for no program in the environment.
const NONE: &str = "none";

/// The user's choice of a program.
#[derive(Debug)]
pub enum ProgramChoice {
    /// A program for the language, if there is one.
    Any,
    /// No program at all.
    None,
    /// This one, which the command line or only the environment names.
    Given {
        /// The program and its arguments.
        words: Vec<OsString>,
        /// The command line names it.
        is_typed: bool,
    },
}

impl ProgramChoice {
    /// Returns the choice between what `--WHAT` names, what `NUBBIN_WHAT` names, and `--no-WHAT`.
    ///
    /// # Errors
    /// Returns an error when there is no such program.
    pub fn new(what: &'static str, typed: Option<OsString>) -> Result<Self, Failure> {
        let variable = format!("NUBBIN_{}", what.to_uppercase());
        let named = std::env::var_os(variable).filter(|command| !command.is_empty());
        let is_typed = typed.is_some();
        let Some(command) = typed.or(named) else { return Ok(Self::Any) };
        if command == NONE {
            return Ok(Self::None);
        }
        let without = format!("`--{what} none` uses no {what}");
        let words = command::words(&command.to_string_lossy(), what);
        let mut words = words.map_err(|failure| failure.hint(&without))?;
        let Some(program) = find(&words[0]) else {
            let message = format!("there is no {what} `{}`", words[0].display());
            let hint = format!("it is a program in `PATH`, or a file that can be executed; {without}");
            return Err(Failure::usage(message).hint(hint));
        };
        words[0] = program;
        Ok(Self::Given { words, is_typed })
    }

    /// Returns the command on which the steps of a run depend.
    pub(crate) fn term(&self) -> Option<String> {
        match self {
            Self::Any | Self::None => None,
            Self::Given { words, .. } => {
                Some(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Tells whether the command line names one.
    pub(crate) fn is_typed(&self) -> bool {
        matches!(self, Self::Given { is_typed: true, .. })
    }
}

/// Returns the first of these words as a program that is there, and the others.
pub fn found(words: &[String]) -> Option<Vec<OsString>> {
    let program = find(OsStr::new(words.first()?))?;
    Some(std::iter::once(program).chain(words[1..].iter().map(OsString::from)).collect())
}

/// Returns a program by its path, or in `PATH`.
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
