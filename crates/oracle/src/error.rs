//! The reasons why an oracle could not be run, each with the path that it is about.
//!
//! It gives no advice: what the user may do about it is said by the command line.

use super::{NoVerdict, shortage};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why an oracle could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user asked to stop while the probe ran.
    #[error("interrupted")]
    Interrupted,
    /// There is no such program.
    #[error("`{}` was not found", program.display())]
    NotFound {
        /// The program, as it was asked for.
        program: PathBuf,
    },
    /// The program is there, but what its first line `#!` names is not.
    #[error("the interpreter that the first line of `{}` names was not found", program.display())]
    NoInterpreter {
        /// The script.
        program: PathBuf,
    },
    /// The program may not be executed, or is a directory.
    #[error("`{}` is not executable", program.display())]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The program is marked executable, but is neither a binary nor a script with a first line `#!`.
    #[error("`{}` has no first line that names its interpreter", program.display())]
    NoShebang {
        /// The program.
        program: PathBuf,
    },
    /// The program could not be started, for another reason.
    #[error("`{}` could not be started: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program was started, but how it ended could not be found out.
    #[error("the end of `{}` could not be awaited: {source}", program.display())]
    Wait {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A probe's own directory, or a file in it, could not be made or read.
    #[error("`{}` cannot be used for the probes: {source}", path.display())]
    Directory {
        /// The directory or the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The process that runs the probes could not be started, or died more than once during the same probe.
    #[error("the process that runs the oracle failed: {0}")]
    Warden(#[source] io::Error),
    /// The limits or the sandbox that are asked for cannot be had.
    #[error("the oracle cannot be confined: {0}")]
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
    /// Tells whether the system had no process left to run the oracle with, which may pass.
    #[must_use]
    pub fn is_shortage(&self) -> bool {
        matches!(self, Self::Start { source, .. } | Self::Warden(source) if shortage::is_shortage(source))
    }

    /// Names the reason why `program` could not be started.
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

    /// Names the file or directory of a probe that could not be used.
    pub(super) fn directory(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Directory { path, source }
    }
}
