//! Errors of a session: what happened, what the user can do, and the kind of the error.
//!
//! Hints name options of the program `nubbin`; each corresponds to a field of the settings.

use crate::command;
use crate::{input, text};
use nubbin_oracle as oracle;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error of none of the other kinds.
    Unexpected,
    /// The settings are invalid or contradict each other.
    Usage,
    /// The unreduced input is not interesting.
    NotInteresting,
    /// The empty input is interesting.
    EmptyIsInteresting,
    /// The oracle could not decide on the input that must pass.
    NotPassing,
    /// The oracle cannot be run, exceeds the time limit on the unreduced input, or behaves differently in the
    /// sandbox.
    Oracle,
    /// A language is unknown, or a grammar cannot be used.
    Language,
    /// The input cannot be read.
    Input,
    /// The result cannot be written.
    Output,
    /// The oracle is flaky.
    Flaky,
    /// There is no journal of an earlier run, or it does not match this run.
    Journal,
    /// A check with meaningless candidates found that the reduction would have a wrong result.
    Wrong,
    /// The run was stopped before the reduction started; nothing was changed.
    Interrupted,
}

/// An error with a hint.
#[derive(Debug)]
pub struct Failure {
    fault: Fault,
    error: Box<dyn Error + Send + Sync>,
    details: String,
    hint: Option<String>,
}

impl Failure {
    /// Creates an error from `error`, whose message starts in lower case and has no final period.
    pub fn new(fault: Fault, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { fault, error: error.into(), details: String::new(), hint: None }
    }

    /// Creates an error with this message.
    pub fn message(fault: Fault, message: impl Into<String>) -> Self {
        Self::new(fault, message.into())
    }

    /// Invalid settings.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::message(Fault::Usage, message).hint("see `nubbin --help`")
    }

    /// The run was stopped before the reduction started.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::message(Fault::Interrupted, "interrupted; nothing was changed")
    }

    /// Adds a hint, as a sentence without a final period.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds lines that are shown between the message and the hint.
    #[must_use]
    pub fn details(mut self, lines: String) -> Self {
        self.details = lines;
        self
    }

    /// Returns whether the input was to be replaced, but was changed or deleted by another program.
    #[must_use]
    pub fn is_about_the_input(&self) -> bool {
        use input::Error as E;
        matches!(self.error.downcast_ref(), Some(E::Changed(_) | E::Vanished(_)))
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// Returns the underlying error.
    #[must_use]
    pub fn cause(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.error
    }

    /// Returns the message.
    #[must_use]
    pub fn text(&self) -> String {
        self.error.to_string()
    }

    /// Returns the lines between the message and the hint.
    #[must_use]
    pub fn lines(&self) -> &str {
        &self.details
    }

    /// Returns the hint, if any.
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
                let near = command::near_file(path).map(|near| format!("did you mean `{}`?", near.display()));
                let failure = Self::new(Fault::Input, error);
                near.into_iter().fold(failure, Self::hint)
            }
            E::Read { .. } | E::Stdin(_) | E::Changed(_) | E::Vanished(_) => Self::new(Fault::Input, error),
            E::TooLarge { .. } => Self::new(Fault::Input, error).hint(
                "cut the file first, for example with `head -c 2G` or `split`, to a part that still fails",
            ),
            E::Write { ref source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Self::new(Fault::Output, error)
                    .hint("free some space and continue with `--resume`, or start again")
            }
            E::Write { .. } => {
                Self::new(Fault::Output, error).hint("choose another place with `--output FILE`")
            }
            E::Claimed { .. } => Self::new(Fault::Output, error)
                .hint("wait until it ends, or choose another place with `--output FILE`"),
            E::Stdout(_) | E::Backup { .. } => Self::new(Fault::Output, error),
        }
    }
}

impl From<input::journal::JournalError> for Failure {
    fn from(error: input::journal::JournalError) -> Self {
        use input::journal::JournalError as E;
        let hint = match &error {
            E::Link(_) => "remove the link, or use `--no-journal`",
            E::Locked(_) => "wait until it ends, or stop it",
            E::File { .. } | E::Format { .. } | E::Input(_) => "to start a new run, omit `--resume`",
        };
        Self::new(Fault::Journal, error).hint(hint)
    }
}

impl From<nubbin_language::Error> for Failure {
    fn from(error: nubbin_language::Error) -> Self {
        let hint = match &error {
            nubbin_language::Error::Static { .. } => Some(
                "use a dynamically linked build (`cargo install`, or the wheel), or omit `--language DIR/`"
                    .to_owned(),
            ),
            nubbin_language::Error::NoParser { .. } => Some(
                "to use the parser of a built-in language, set `inherits = \"…\"` in its `language.toml`"
                    .to_owned(),
            ),
            nubbin_language::Error::Several { folders, .. } => {
                let options = folders
                    .iter()
                    .map(|folder| format!("\n  --language {}/", text::quote(folder.as_os_str())));
                Some(format!("choose one of these languages:{}", options.collect::<String>()))
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
                Some("the test is the first argument, the file to reduce the second".to_owned())
            }
            E::NotFound { program } => Some(format!(
                "there is no such file or program in `PATH`; to run a script, give its path, such as `./{}`",
                program.display()
            )),
            E::NotExecutable { program } if program.is_dir() => Some("it is a directory".to_owned()),
            E::NotExecutable { program } if command::is_script(program) => {
                Some(format!("run `chmod +x {}`", text::quote(program.as_os_str())))
            }
            E::NotExecutable { program } => {
                let name = text::quote(program.file_name().unwrap_or_default());
                Some(format!(
                    "if it is the test, run `chmod +x {}`; if it is the input, put the test before it, or a failing \
                     command after it:\n  nubbin ./oracle.sh {name}\n  nubbin {name} -- COMMAND {{}}",
                    text::quote(program.as_os_str())
                ))
            }
            E::NoShebang { .. } => Some("add `#!/bin/sh` as its first line".to_owned()),
            E::NoInterpreter { .. } => Some("fix its first line, for example `#!/bin/sh`".to_owned()),
            E::Directory { path, source } if source.kind() == io::ErrorKind::StorageFull => Some(format!(
                "its file system is full: free some space (see `df -h {}`), or choose another place with \
                 `--work-dir DIR`",
                text::quote(path.as_os_str())
            )),
            E::Directory { .. } => Some("choose another place with `--work-dir DIR`".to_owned()),
            E::Confinement(_) => Some(
                "use the available protections with `--sandbox auto`, or run a trusted test without sandbox with `--sandbox off`; \
                 the requirements are listed in docs/guide/safety.md"
                    .to_owned(),
            ),
            E::Start { .. } | E::Warden(_) if error.is_shortage() => Some(format!(
                "no process could be started for {}: end other programs, or raise the limit (`ulimit -u`, or \
                 `pids.max` of the cgroup); continue with `--resume`",
                text::time(oracle::PATIENCE)
            )),
            E::Warden(_) if !Path::new("/proc/self/exe").exists() => {
                Some("mount `/proc`: nubbin starts its helper processes from there".to_owned())
            }
            E::Warden(_) => Some(
                "check that `ulimit -a` and the memory of this machine allow another process".to_owned(),
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
