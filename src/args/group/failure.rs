//! The options about the failure of a command: its end, its messages, hangs, and a second command that differs.

use super::control::duration;
use clap::Args;
use nubbin_oracle::signature::Forms;
use nubbin_oracle::{Matcher, Status};
use nubbin_session::control::Time;
use nubbin_session::failure::Failure;
use nubbin_session::message::Message;
use nubbin_session::slow;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::time::Duration;

/// The heading of these options. They need a command: an oracle tells by itself what the failure is.
pub const HEADING: &str = "Failure of a COMMAND";

/// The options about how a command ends, and what it says.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct EndingOptions {
    /// The failure is this exit status.
    #[arg(long, value_name = "N", conflicts_with = "signal", help_heading = HEADING)]
    exit_code: Option<u8>,

    /// The failure is to be killed by this signal, such as SEGV, SIGABRT or 11.
    #[arg(long, value_name = "NAME", value_parser = nubbin_session::text::signal_number, help_heading = HEADING)]
    signal: Option<i32>,

    /// The failure writes this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    stderr: Option<Regex>,

    /// The failure writes this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    stdout: Option<Regex>,

    /// Keep what the command says, too, such as the assertion or the exception: that is so by itself where its form is
    /// known and none of --exit-code, --signal, --stderr and --stdout is given.
    #[arg(long, overrides_with = "no_keep_message", help_heading = HEADING)]
    keep_message: bool,

    /// Keep the exit status or the signal only, whatever the command says.
    #[arg(long, overrides_with = "keep_message", help_heading = HEADING)]
    no_keep_message: bool,

    /// Add a form of message to those that are recognized, as an inline table of TOML: its `kind` and `pattern`, and perhaps a
    /// `title`. In a settings file: `[[signature]]`.
    #[arg(long, value_name = "FORM", value_parser = form, help_heading = HEADING)]
    signature: Vec<String>,
}

/// Reads a form, and returns it as an inline table.
fn form(text: &str) -> Result<String, String> {
    let text = text.trim();
    let table = if text.starts_with('{') { text.to_owned() } else { format!("{{ {text} }}") };
    Forms::new(&format!("signature = [{table}]")).map(|_| table).map_err(|error| error.to_string())
}

/// The options about what a command does not say, or may say beside its failure.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct ExclusionOptions {
    /// Take candidates that show other errors beside the failure, too: as a rule an ordinary error, such as one of a compiler,
    /// that the unchanged input does not show makes it another failure.
    #[arg(long, help_heading = HEADING)]
    any_errors: bool,

    /// The failure does not write this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    not_stderr: Option<Regex>,

    /// The failure does not write this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    not_stdout: Option<Regex>,
}

/// The option about commands that do not end.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct HangOptions {
    /// The failure is that the command does not end within --timeout.
    #[arg(long, requires = "timeout", conflicts_with_all = ["exit_code", "signal"], help_heading = HEADING)]
    hang: bool,
}

/// The option about a second command that does not do the same.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct SecondOptions {
    /// The failure is that this second command ends with another status, or writes something else to standard output:
    /// wrong code. Both run in the same directory, this one last; where one of them succeeds on FILE, it has to succeed.
    #[arg(long, value_name = "COMMAND2", conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "keep_message", "hang"], help_heading = HEADING)]
    differs_from: Option<OsString>,

    /// The failure is that the command takes longer than this, such as 2s or 300ms: the time of the processor in its own
    /// code counts. It has to end; a candidate near that time is run up to five times.
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "keep_message", "hang", "differs_from"], help_heading = HEADING)]
    slower_than: Option<Time>,
}

/// The options about the failure of one command.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct CommandOptions {
    #[command(flatten)]
    pub ending: EndingOptions,
    #[command(flatten)]
    pub exclusions: ExclusionOptions,
    #[command(flatten)]
    pub hang: HangOptions,
}

/// The options about the failure of one command, or of two that differ.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct FailureOptions {
    #[command(flatten)]
    pub command: CommandOptions,
    #[command(flatten)]
    pub second: SecondOptions,
}

impl From<CommandOptions> for FailureOptions {
    fn from(command: CommandOptions) -> Self {
        Self { command, ..Self::default() }
    }
}

impl FailureOptions {
    /// Returns the second command, which is to do the same.
    pub fn other(&self) -> Option<&OsString> {
        self.second.differs_from.as_ref()
    }

    /// Returns the time that the command is to take longer than.
    pub fn slower(&self) -> Option<Duration> {
        self.second.slower_than.as_ref().map(|time| time.time)
    }

    /// Decides whether messages are part of the failure.
    pub fn message(&self) -> Message {
        let ending = &self.command.ending;
        let is_open = self.status().is_none() && !ending.is_about_text();
        match (
            ending.keep_message,
            ending.no_keep_message || self.other().is_some() || self.slower().is_some(),
        ) {
            (true, _) => Message::Any,
            (false, false) if is_open => Message::Known,
            _ => Message::None,
        }
    }

    /// Tells whether the texts that the outputs must have are to stand alone, as far as they do on the unchanged input.
    pub fn stands_alone(&self) -> bool {
        let ending = &self.command.ending;
        let is_about_text = ending.is_about_text() || self.command.hang.hang;
        is_about_text && !self.any_errors() && !ending.no_keep_message && self.other().is_none()
    }

    /// Returns the forms of messages that are added.
    pub fn forms(&self) -> Forms {
        let tables = &self.command.ending.signature;
        if tables.is_empty() {
            return Forms::default();
        }
        // Each has been read already.
        Forms::new(&format!("signature = [{}]", tables.join(", "))).unwrap_or_default()
    }

    /// Tells whether ordinary errors may stand beside the failure.
    pub fn any_errors(&self) -> bool {
        self.command.exclusions.any_errors
    }

    /// Returns what these options say about the end of a command and its outputs.
    pub fn matcher(self) -> Matcher {
        let (status, slower) = (self.status(), self.slower());
        let CommandOptions { ending, exclusions, .. } = self.command;
        let ExclusionOptions { not_stdout, not_stderr, .. } = exclusions;
        let EndingOptions { stdout, stderr, .. } = ending;
        let stderr = slower.map(|_| slow::told()).or(stderr);
        Matcher { status, stdout, stderr, not_stdout, not_stderr, ..Matcher::default() }
    }

    /// Returns the end of the command, if these options ask for one.
    fn status(&self) -> Option<Status> {
        let ending = &self.command.ending;
        let exit = ending.exit_code.map(|code| Status::Exit(code.into()));
        let hang = self.command.hang.hang.then_some(Status::TimedOut);
        exit.or(ending.signal.map(Status::Signal)).or(hang)
    }

    /// Refuses these options for a script, which tells by itself what the failure is.
    pub fn makes_no_sense(&self) -> Result<(), Failure> {
        let wrong = |message: String| {
            Err(Failure::usage(message)
                .hint("`nubbin [OPTIONS] FILE -- COMMAND {}`; an oracle checks by itself"))
        };
        if let Some(option) = self.of_command() {
            return wrong(format!("`{option}` needs a command after the file"));
        }
        if self.status().is_some() || self.command.ending.is_about_text() {
            let options = "`--exit-code`, `--signal`, `--stdout` and `--stderr`";
            return wrong(format!("{options} need a command after the file"));
        }
        Ok(())
    }

    /// Returns the first option that was typed of those that are not about the end or the outputs that a failure has.
    fn of_command(&self) -> Option<&'static str> {
        let CommandOptions { ending, exclusions, hang } = &self.command;
        let given = [
            ("--keep-message", ending.keep_message),
            ("--no-keep-message", ending.no_keep_message),
            ("--any-errors", exclusions.any_errors),
            ("--not-stderr", exclusions.not_stderr.is_some()),
            ("--not-stdout", exclusions.not_stdout.is_some()),
            ("--hang", hang.hang),
            ("--differs-from", self.second.differs_from.is_some()),
            ("--slower-than", self.second.slower_than.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

impl EndingOptions {
    /// Tells whether something is asked about the outputs.
    fn is_about_text(&self) -> bool {
        self.stdout.is_some() || self.stderr.is_some()
    }
}
