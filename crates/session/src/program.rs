//! The choice of an external program that transforms a text: a formatter or a preprocessor.

use crate::command;
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The value that stands for no program.
const NONE: &str = "none";

/// The choice of a program.
#[derive(Debug)]
pub enum ProgramChoice {
    /// A program for the language, if there is one.
    Any,
    /// No program.
    None,
    /// A program named by the user.
    Given {
        /// The program and its arguments.
        words: Vec<OsString>,
        /// It is named on the command line, not in the environment.
        is_typed: bool,
    },
}

impl ProgramChoice {
    /// Returns the choice made by `--WHAT`, whose value can be `none`, or else by the variable `NUBBIN_WHAT`.
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
        let without = format!("to use none, add `--{what} none`");
        let words = command::words(&command.to_string_lossy(), what);
        let mut words = words.map_err(|failure| failure.hint(&without))?;
        let Some(program) = find(&words[0]) else {
            let message = format!("no {what} `{}`", words[0].display());
            let hint = format!("name a program in `PATH` or an executable file; {without}");
            return Err(Failure::usage(message).hint(hint));
        };
        words[0] = program;
        Ok(Self::Given { words, is_typed })
    }

    /// Returns the command as a term of the journal.
    pub(crate) fn term(&self) -> Option<String> {
        match self {
            Self::Any | Self::None => None,
            Self::Given { words, .. } => {
                Some(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Returns whether the program is named on the command line.
    pub(crate) fn is_typed(&self) -> bool {
        matches!(self, Self::Given { is_typed: true, .. })
    }
}

/// Returns these arguments with the path of the program, if it exists.
pub fn found(words: &[String]) -> Option<Vec<OsString>> {
    let program = find(OsStr::new(words.first()?))?;
    Some(std::iter::once(program).chain(words[1..].iter().map(OsString::from)).collect())
}

/// Returns the path of a program, which is searched in `PATH`.
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
