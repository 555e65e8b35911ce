//! Why the program ends without a result: the message, the advice and the exit code, printed once.
//!
//! The library's errors say what happened; what the user may do about it is said here.

use super::exit::Exit;
use super::{meant, text};
use nubbin::{input, language, oracle};
use std::io;
use std::io::Write;

/// The end of a run that came to nothing.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    error: anyhow::Error,
    details: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure that `error` describes: a lowercase fragment without a final period.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, error: error.into(), details: String::new(), hint: None }
    }

    /// A failure that is described here.
    pub fn message(exit: Exit, message: impl Into<String>) -> Self {
        Self::new(exit, anyhow::Error::msg(message.into()))
    }

    /// A command line that makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::message(Exit::Usage, message).hint("`nubbin --help` shows how it is used")
    }

    /// What the user may do, in a sentence without a final period.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whole lines that stand between the message and the hint.
    pub fn details(mut self, lines: String) -> Self {
        self.details = lines;
        self
    }

    /// Whether the input was to be replaced, and is no longer what it was.
    pub fn is_about_the_input(&self) -> bool {
        use input::Error as E;
        matches!(self.error.downcast_ref(), Some(E::Changed(_) | E::Vanished(_)))
    }

    /// The exit code that it comes to.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// What has happened.
    pub fn text(&self) -> String {
        self.error.to_string()
    }

    /// What the user may do.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Prints it on standard error, and returns the exit code.
    pub fn report(self) -> Exit {
        let hint = self.hint.map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
        let text = format!("error: {}\n{}{hint}", self.error, self.details);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        self.exit
    }
}

impl From<input::Error> for Failure {
    fn from(error: input::Error) -> Self {
        use input::Error as E;
        match error {
            E::Read { ref path, ref source } if source.kind() == io::ErrorKind::NotFound => {
                let near = meant::near_file(path).map(|near| format!("there is `{}`", near.display()));
                let failure = Self::new(Exit::Input, error);
                near.into_iter().fold(failure, Self::hint)
            }
            E::Read { .. } | E::Stdin(_) | E::Changed(_) | E::Vanished(_) => Self::new(Exit::Input, error),
            E::Write { ref source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Self::new(Exit::Output, error).hint("free some space, then go on with `--resume`")
            }
            E::Write { .. } => {
                Self::new(Exit::Output, error).hint("choose another place with `--output FILE`")
            }
            E::Stdout(_) | E::Backup { .. } => Self::new(Exit::Output, error),
        }
    }
}

impl From<input::journal::Error> for Failure {
    fn from(error: input::journal::Error) -> Self {
        use input::journal::Error as E;
        let hint = match &error {
            E::Locked(_) => "wait until it has ended, or stop it",
            E::File { .. } | E::Corrupt { .. } | E::Input(_) => "without `--resume` a run starts anew",
        };
        Self::new(Exit::Journal, error).hint(hint)
    }
}

impl From<language::Error> for Failure {
    fn from(error: language::Error) -> Self {
        let hint = match &error {
            language::Error::Static { .. } => Some(
                "use one that is not (`cargo install`, or the wheel), or leave `--grammar` out".to_owned(),
            ),
            language::Error::NoParser { .. } => Some(
                "`inherits = \"…\"` in its `language.toml` takes that of a language that is built in"
                    .to_owned(),
            ),
            language::Error::Several { folders, .. } => {
                let options =
                    folders.iter().map(|folder| format!("\n  --grammar {}", text::quote(folder.as_os_str())));
                Some(format!("name the one that the input is in:{}", options.collect::<String>()))
            }
            language::Error::Base { .. } => Some(format!("the languages are {}", super::language::names())),
            _ => None,
        };
        Self { hint, ..Self::new(Exit::Language, error) }
    }
}

impl From<oracle::NoVerdict> for Failure {
    fn from(error: oracle::NoVerdict) -> Self {
        match error {
            oracle::NoVerdict::Interrupted => oracle::Error::Interrupted.into(),
            oracle::NoVerdict::Failed(reason) => match reason.downcast::<oracle::Error>() {
                Ok(reason) => (*reason).into(),
                Err(reason) => Self::message(Exit::Oracle, reason.to_string()),
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
            E::NotFound { program } if meant::misspelt(program.as_os_str()).is_some() => {
                let command = meant::misspelt(program.as_os_str()).unwrap_or_default();
                Some(format!(
                    "`nubbin {command}` is a command; a script is given by its path, as `./{}`",
                    program.display()
                ))
            }
            E::NotFound { program } => Some(format!(
                "it is neither a file here nor a program in `PATH`; a script is given by its path, as `./{}`",
                program.display()
            )),
            E::NotExecutable { program } if program.is_dir() => Some("it is a directory".to_owned()),
            E::NotExecutable { program } if meant::is_script(program) => {
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
            E::Directory { .. } => Some("choose another place with `--work-dir DIR`".to_owned()),
            E::Confinement(_) => {
                Some("`--sandbox auto` does what can be done, `--sandbox off` nothing".to_owned())
            }
            E::Interrupted | E::Start { .. } | E::Wait { .. } | E::Warden(_) => None,
        };
        Self { hint, ..Self::new(Exit::Oracle, error) }
    }
}

impl From<nubbin::Error> for Failure {
    fn from(error: nubbin::Error) -> Self {
        match error {
            nubbin::Error::Oracle(error) => error.into(),
            nubbin::Error::Write(error) => match error.downcast::<input::Error>() {
                Ok(error) => error.into(),
                Err(error) => Self::message(Exit::Output, format!("cannot write the result: {error}")),
            },
            nubbin::Error::Flaky { .. } => Self::new(Exit::Flaky, error),
            nubbin::Error::TooLarge(_) => Self::new(Exit::Input, error),
            other => Self::new(Exit::Unexpected, other),
        }
    }
}
