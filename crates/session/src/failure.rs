//! The end of a session without a result: what happened, what the user may do about it, and of which sort it is.
//!
//! It prints nothing. The advice names options as the program `nubbin` has them; each is a field of the settings.

use crate::command;
use crate::{input, text};
use nubbin_oracle as oracle;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// The sort of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something went wrong that is none of the others.
    Unexpected,
    /// The settings make no sense together.
    Usage,
    /// The unreduced input is not interesting.
    NotInteresting,
    /// The empty input is interesting.
    EmptyIsInteresting,
    /// Nobody can tell about what is to pass.
    NotPassing,
    /// The oracle cannot be run, runs into the time limit on the unreduced input, or does something else in the sandbox.
    Oracle,
    /// A language is unknown, or a grammar cannot be used.
    Language,
    /// The input cannot be read.
    Input,
    /// The result cannot be written.
    Output,
    /// The oracle does not repeat itself.
    Flaky,
    /// There is no journal of an earlier run, or it does not fit this one.
    Journal,
    /// A check with meaningless candidates has found something that would make a reduction wrong.
    Wrong,
    /// The run was stopped before there was anything to reduce; nothing was changed.
    Interrupted,
}

/// A session that came to nothing.
#[derive(Debug)]
pub struct Failure {
    fault: Fault,
    error: Box<dyn Error + Send + Sync>,
    details: String,
    hint: Option<String>,
}

impl Failure {
    /// Returns a failure that `error` describes: a lowercase fragment without a final period.
    pub fn new(fault: Fault, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { fault, error: error.into(), details: String::new(), hint: None }
    }

    /// Returns a failure that is described here.
    pub fn message(fault: Fault, message: impl Into<String>) -> Self {
        Self::new(fault, message.into())
    }

    /// Settings that make no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::message(Fault::Usage, message).hint("`nubbin --help` shows how it is used")
    }

    /// Returns a run that was stopped before there was anything to reduce.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::message(Fault::Interrupted, "interrupted; nothing was changed")
    }

    /// Adds what the user may do, in a sentence without a final period.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds whole lines that stand between the message and the hint.
    #[must_use]
    pub fn details(mut self, lines: String) -> Self {
        self.details = lines;
        self
    }

    /// Tells whether the input was to be replaced, and has changed or vanished meanwhile.
    #[must_use]
    pub fn is_about_the_input(&self) -> bool {
        use input::Error as E;
        matches!(self.error.downcast_ref(), Some(E::Changed(_) | E::Vanished(_)))
    }

    /// Returns the sort of the failure.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// Returns the error that it was made of.
    #[must_use]
    pub fn cause(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.error
    }

    /// Returns the message.
    #[must_use]
    pub fn text(&self) -> String {
        self.error.to_string()
    }

    /// Returns the lines between the message and the hint, each with its line break.
    #[must_use]
    pub fn lines(&self) -> &str {
        &self.details
    }

    /// Returns the advice, if there is one.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl From<input::Error> for Failure {
    fn from(error: input::Error) -> Self {
        use input::Error as E;
        match error {
            E::Read { ref path, ref source } if source.kind() == io::ErrorKind::NotFound => {
                let near = command::near_file(path).map(|near| format!("there is `{}`", near.display()));
                let failure = Self::new(Fault::Input, error);
                near.into_iter().fold(failure, Self::hint)
            }
            E::Read { .. } | E::Stdin(_) | E::Changed(_) | E::Vanished(_) => Self::new(Fault::Input, error),
            E::TooLarge { .. } => Self::new(Fault::Input, error).hint(
                "cut the file first, for example with `head -c 2G` or `split`, to a part that still fails",
            ),
            E::Write { ref source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Self::new(Fault::Output, error)
                    .hint("free some space and run it again; `--resume` goes on where a journal was kept")
            }
            E::Write { .. } => {
                Self::new(Fault::Output, error).hint("choose another place with `--output FILE`")
            }
            E::Claimed { .. } => Self::new(Fault::Output, error)
                .hint("wait until it has ended, or choose another place with `--output FILE`"),
            E::Stdout(_) | E::Backup { .. } => Self::new(Fault::Output, error),
        }
    }
}

impl From<input::journal::JournalError> for Failure {
    fn from(error: input::journal::JournalError) -> Self {
        use input::journal::JournalError as E;
        let hint = match &error {
            E::Link(_) => "remove the link, or use `--no-journal`",
            E::Locked(_) => "wait until it has ended, or stop it",
            E::File { .. } | E::Format { .. } | E::Input(_) => "without `--resume` a run starts anew",
        };
        Self::new(Fault::Journal, error).hint(hint)
    }
}

impl From<nubbin_language::Error> for Failure {
    fn from(error: nubbin_language::Error) -> Self {
        let hint = match &error {
            nubbin_language::Error::Static { .. } => Some(
                "use one that is not (`cargo install`, or the wheel), or leave `--grammar` out".to_owned(),
            ),
            nubbin_language::Error::NoParser { .. } => Some(
                "`inherits = \"…\"` in its `language.toml` takes that of a language that is built in"
                    .to_owned(),
            ),
            nubbin_language::Error::Several { folders, .. } => {
                let options =
                    folders.iter().map(|folder| format!("\n  --grammar {}", text::quote(folder.as_os_str())));
                Some(format!("name the one that the input is in:{}", options.collect::<String>()))
            }
            nubbin_language::Error::Base { .. } => {
                Some(format!("the languages are {}", crate::language::names()))
            }
            _ => None,
        };
        Self { hint, ..Self::new(Fault::Language, error) }
    }
}

impl From<oracle::NoVerdict> for Failure {
    fn from(error: oracle::NoVerdict) -> Self {
        match error {
            oracle::NoVerdict::Interrupted => oracle::Error::Interrupted.into(),
            oracle::NoVerdict::Failed(reason) => match reason.downcast::<oracle::Error>() {
                Ok(reason) => (*reason).into(),
                Err(reason) => Self::message(Fault::Oracle, reason.to_string()),
            },
        }
    }
}

impl From<oracle::Error> for Failure {
    fn from(error: oracle::Error) -> Self {
        use oracle::Error as E;
        let hint = match &error {
            E::NotFound { program } if program.is_absolute() => {
                Some("the oracle is the first argument, the file to reduce the second".to_owned())
            }
            E::NotFound { program } => Some(format!(
                "it is neither a file here nor a program in `PATH`; a script is given by its path, as `./{}`",
                program.display()
            )),
            E::NotExecutable { program } if program.is_dir() => Some("it is a directory".to_owned()),
            E::NotExecutable { program } if command::is_script(program) => {
                Some(format!("run `chmod +x {}`", text::quote(program.as_os_str())))
            }
            E::NotExecutable { program } => {
                let name = text::quote(program.file_name().unwrap_or_default());
                Some(format!(
                    "if it is the oracle, run `chmod +x {}`; if it is the input, its oracle comes before it, or a \
                     command that fails after it:\n  nubbin ./oracle.sh {name}\n  nubbin {name} -- COMMAND {{}}",
                    text::quote(program.as_os_str())
                ))
            }
            E::NoShebang { .. } => Some("add `#!/bin/sh` as its first line".to_owned()),
            E::NoInterpreter { .. } => Some("mend its first line, as `#!/bin/sh`".to_owned()),
            E::Directory { path, source } if source.kind() == io::ErrorKind::StorageFull => Some(format!(
                "its file system is full: free some space (`df -h {}` shows it), or choose another place with \
                 `--work-dir DIR`",
                text::quote(path.as_os_str())
            )),
            E::Directory { .. } => Some("choose another place with `--work-dir DIR`".to_owned()),
            E::Confinement(_) => Some(
                "`--sandbox auto` does what can be done here, and `--sandbox off` runs a test that you trust without; what \
                 the system has to have stands in the guide's page on safety"
                    .to_owned(),
            ),
            E::Start { .. } | E::Warden(_) if error.is_shortage() => Some(format!(
                "the limit on processes was reached for {}: end other programs, or raise the limit (`ulimit -u`, or \
                 `pids.max` of the cgroup); `--resume` continues a run that keeps a journal",
                text::time(oracle::PATIENCE)
            )),
            E::Warden(_) if !Path::new("/proc/self/exe").exists() => {
                Some("mount `/proc`: this program starts itself from there".to_owned())
            }
            E::Warden(_) => Some(
                "look whether `ulimit -a` and the memory of this machine leave room for another process".to_owned(),
            ),
            E::Interrupted | E::Start { .. } | E::Wait { .. } => None,
        };
        Self { hint, ..Self::new(Fault::Oracle, error) }
    }
}

impl From<nubbin_reduce::Error> for Failure {
    fn from(error: nubbin_reduce::Error) -> Self {
        match error {
            nubbin_reduce::Error::Oracle(error) => error.into(),
            nubbin_reduce::Error::Write(error) => match error.downcast::<input::Error>() {
                Ok(error) => error.into(),
                Err(error) => Self::message(Fault::Output, format!("cannot write the result: {error}")),
            },
            nubbin_reduce::Error::Flaky { .. } => Self::new(Fault::Flaky, error),
            nubbin_reduce::Error::TooLarge(_) => Self::new(Fault::Input, error),
            other => Self::new(Fault::Unexpected, other),
        }
    }
}
