//! The reasons why an oracle could not run, each with the path concerned.
//!
//! The messages give no advice; the command line adds it.

use super::{NoVerdict, shortage};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why an oracle could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user requested a stop during the probe.
    #[error("interrupted")]
    Interrupted,
    /// The program does not exist.
    #[error("`{}` was not found", program.display())]
    NotFound {
        /// The program as it was requested.
        program: PathBuf,
    },
    /// The program exists, but the interpreter in its `#!` line does not.
    #[error("the interpreter in the `#!` line of `{}` was not found", program.display())]
    NoInterpreter {
        /// The script.
        program: PathBuf,
    },
    /// The program is not executable, or is a directory.
    #[error("`{}` is not executable", program.display())]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The program is marked executable, but is neither a binary nor a script with a `#!` line.
    #[error("`{}` has no `#!` line that names its interpreter", program.display())]
    NoShebang {
        /// The program.
        program: PathBuf,
    },
    /// The program could not be started for another reason.
    #[error("`{}` could not be started: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program was started, but its end could not be determined.
    #[error("waiting for the end of `{}` failed: {source}", program.display())]
    Wait {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The directory of a probe, or a file in it, could not be created or read.
    #[error("cannot use `{}` for running the test: {source}", path.display())]
    Directory {
        /// The directory or the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The supervisor process could not be started, or died more than once during one probe.
    #[error("the supervisor process of the oracle failed: {0}")]
    Warden(#[source] io::Error),
    /// The requested limits or sandbox are not available.
    #[error("cannot confine the oracle: {0}")]
    Confinement(String),
}

impl From<Error> for NoVerdict {
    fn from(error: Error) -> Self {
        match error {
            Error::Interrupted => Self::Interrupted,
            other => Self::Failed(Box::new(other)),
        }
    }
}

impl Error {
    /// Returns whether the system had no free process for the oracle. Such a shortage can be temporary.
    #[must_use]
    pub fn is_shortage(&self) -> bool {
        matches!(self, Self::Start { source, .. } | Self::Warden(source) if shortage::is_shortage(source))
    }

    /// Derives the reason why `program` could not be started from the system's error.
    pub(super) fn start(program: &Path, source: io::Error) -> Self {
        let program = program.to_owned();
        match source.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::NOENT) if program.is_file() => Self::NoInterpreter { program },
            Some(rustix::io::Errno::NOENT) => Self::NotFound { program },
            Some(rustix::io::Errno::ACCESS) => Self::NotExecutable { program },
            Some(rustix::io::Errno::NOEXEC) => Self::NoShebang { program },
            _ => Self::Start { program, source },
        }
    }

    /// Returns a function that adds the file or directory of a probe to a system error.
    pub(super) fn directory(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Directory { path, source }
    }
}
