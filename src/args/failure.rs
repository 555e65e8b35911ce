//! The options about what of a command's failure is kept beside its end: messages, hangs and differences.

use clap::Args;
use nubbin_oracle::{Matcher, Status};
use nubbin_session::failure::Failure;
use nubbin_session::message::Message;
use regex::bytes::Regex;
use std::ffi::OsString;

/// What was typed.
#[derive(Debug, Args)]
#[group(skip)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Typed {
    /// Keep what the command says, too, such as the assertion or the exception: that is so by itself where its form is
    /// known and none of --exit-code, --signal, --stderr and --stdout is given.
    #[arg(long, overrides_with = "no_keep_message", help_heading = "Failure of a COMMAND")]
    keep_message: bool,

    /// Keep the exit status or the signal only, whatever the command says.
    #[arg(long, overrides_with = "keep_message", help_heading = "Failure of a COMMAND")]
    no_keep_message: bool,

    /// Take candidates that show other errors beside the failure, too: as a rule an ordinary error, such as one of a compiler,
    /// that the unchanged input does not show makes it another failure.
    #[arg(long, help_heading = "Failure of a COMMAND")]
    any_errors: bool,

    /// The failure does not write this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = "Failure of a COMMAND")]
    not_stderr: Option<Regex>,

    /// The failure does not write this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = "Failure of a COMMAND")]
    not_stdout: Option<Regex>,

    /// The failure is that the command does not end within --timeout.
    #[arg(long, requires = "timeout", conflicts_with_all = ["exit_code", "signal", "differs_from"], help_heading = "Failure of a COMMAND")]
    hang: bool,

    /// The failure is that this second command ends with another status, or writes something else to standard output:
    /// wrong code. Both run in the same directory, this one last; where one of them succeeds on FILE, it has to succeed.
    #[arg(long, value_name = "COMMAND2", conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "keep_message"], help_heading = "Failure of a COMMAND")]
    differs_from: Option<OsString>,
}

/// The ids of the options about texts that the failure does not write, or may have beside it; `init` writes no script
/// for them.
pub const WITHOUT: [&str; 3] = ["any_errors", "not_stderr", "not_stdout"];

impl Typed {
    /// Returns the second command, which is to do the same.
    pub fn other(&mut self) -> Option<OsString> {
        self.differs_from.take()
    }

    /// Decides whether messages are part of a failure that was asked for with these options.
    pub fn message(&self, asked: &Matcher) -> Message {
        let is_open = asked.status.is_none() && asked.stdout.is_none() && asked.stderr.is_none();
        match (self.keep_message, self.no_keep_message || self.differs_from.is_some()) {
            (true, _) => Message::Any,
            (false, false) if is_open => Message::Known,
            _ => Message::None,
        }
    }

    /// Tells whether the texts that the outputs must have are to stand alone, as far as they do on the unchanged input.
    pub fn stands_alone(&self, asked: &Matcher) -> bool {
        let is_text = asked.stdout.is_some() || asked.stderr.is_some();
        is_text && !self.any_errors && !self.no_keep_message && self.differs_from.is_none()
    }

    /// Tells whether ordinary errors may stand beside the failure.
    pub fn any_errors(&self) -> bool {
        self.any_errors
    }

    /// Takes the expressions that the failure must not write to standard output and to standard error.
    pub fn without(&mut self) -> [Option<Regex>; 2] {
        [self.not_stdout.take(), self.not_stderr.take()]
    }

    /// Returns the end of the command, if these options ask for one.
    pub fn status(&self) -> Option<Status> {
        self.hang.then_some(Status::TimedOut)
    }

    /// Refuses these options for a script, which tells by itself what the failure is.
    pub fn makes_no_sense(&self) -> Result<(), Failure> {
        let given = [
            ("--keep-message", self.keep_message),
            ("--no-keep-message", self.no_keep_message),
            ("--any-errors", self.any_errors),
            ("--not-stderr", self.not_stderr.is_some()),
            ("--not-stdout", self.not_stdout.is_some()),
            ("--hang", self.hang),
            ("--differs-from", self.differs_from.is_some()),
        ];
        let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
        Err(Failure::usage(format!("`{option}` needs a command after the file"))
            .hint("`nubbin [OPTIONS] FILE -- COMMAND {}`; an oracle checks by itself"))
    }
}
