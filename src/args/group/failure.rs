//! The options about the failure of a command: its exit status, its messages, hangs, and a second command that differs.

use super::control::duration;
use super::values::Offered;
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum, ValueHint};
use nubbin_oracle::signature::Forms;
use nubbin_oracle::{Matcher, Status};
use nubbin_session::control::Time;
use nubbin_session::failure::Failure;
use nubbin_session::message::Message;
use nubbin_session::slow;
use regex::bytes::Regex;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// The heading of these options. They need a command, since a script decides itself what counts as the failure.
pub const HEADING: &str = "Failure of COMMAND";

/// Tells whether this option is about the failure of a command.
pub fn is_about_commands(id: &str) -> bool {
    FailureOptions::augment_args(clap::Command::new("")).get_arguments().any(|arg| arg.get_id() == id)
}

/// The options about how a command ends, and what it prints.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct EndingOptions {
    /// The failure has this exit status
    #[arg(long, value_name = "N", conflicts_with = "signal", help_heading = HEADING)]
    exit_code: Option<u8>,

    /// The failure is a crash with this signal
    ///
    /// A name or a number, such as SEGV, SIGABRT or 11.
    #[arg(long, value_name = "NAME", value_parser = signal(), hide_possible_values = true, help_heading = HEADING)]
    signal: Option<i32>,

    /// Standard error of the failure matches REGEX
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    stderr: Option<Regex>,

    /// Standard output of the failure matches REGEX
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    stdout: Option<Regex>,

    /// How closely a candidate's failure must match: status, message, any-errors
    ///
    /// A comma-separated list. By default, a candidate must end with the same exit status or signal and, if the form of
    /// the message (assertion, exception, compiler error …) is recognized and none of --exit-code, --signal, --stderr
    /// and --stdout is given, print the same message. It must not print ordinary errors that the unchanged input does
    /// not cause.
    #[arg(long = "match", value_name = "LIST", value_delimiter = ',', help_heading = HEADING)]
    matching: Vec<Matching>,

    /// A message form in addition to the recognized ones, as an inline table of TOML. For `[[signature]]` in
    /// `nubbin.toml`.
    #[arg(long, value_name = "FORM", value_parser = form, hide = true, help_heading = HEADING)]
    signature: Vec<String>,
}

/// A property of the failure that candidates must share, or need not share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Matching {
    /// Only the exit status or signal; the message may change
    Status,
    /// The message as well, even if its form is not recognized
    Message,
    /// Candidates may print other errors in addition to the failure
    AnyErrors,
}

/// Offers the names of the common signals for completion, and parses any name or number.
fn signal() -> impl TypedValueParser<Value = i32> {
    Offered::new(["SEGV", "ABRT", "BUS", "FPE", "ILL", "TRAP", "KILL", "SYS", "TERM"])
        .try_map(|name: String| nubbin_session::text::signal_number(&name))
}

/// Parses a form, and returns it as an inline table.
fn form(text: &str) -> Result<String, String> {
    let text = text.trim();
    let table = if text.starts_with('{') { text.to_owned() } else { format!("{{ {text} }}") };
    Forms::new(&format!("signature = [{table}]")).map(|_| table).map_err(|error| error.to_string())
}

/// The option about output that rules the failure out.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct ExclusionOptions {
    /// The failure prints no text that matches REGEX, to neither output
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    reject: Option<Regex>,
}

/// The option about commands that do not end.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct HangOptions {
    /// The failure is that the command does not end within --timeout
    #[arg(long, requires = "timeout", conflicts_with_all = ["exit_code", "signal"], help_heading = HEADING)]
    hang: bool,
}

/// The options that compare the command with a second command or with a time.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct SecondOptions {
    /// Wrong code: COMMAND2 behaves differently
    ///
    /// The failure is that the two commands differ in their exit status or their standard output. Both run in the same directory, COMMAND2
    /// last. A command that succeeds on FILE must also succeed on each candidate.
    #[arg(long, value_name = "COMMAND2", value_hint = ValueHint::CommandString, conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "hang"], help_heading = HEADING)]
    differs_from: Option<OsString>,

    /// The failure is that the command takes longer than TIME, such as 2s
    ///
    /// The processor time in user mode counts. The command must end. A candidate with a time close to the limit is run
    /// up to five times.
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "hang", "differs_from"], help_heading = HEADING)]
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
    /// Returns the command of `--differs-from`.
    pub fn other(&self) -> Option<&OsString> {
        self.second.differs_from.as_ref()
    }

    /// Returns the time of `--slower-than`.
    pub fn slower(&self) -> Option<Duration> {
        self.second.slower_than.as_ref().map(|time| time.time)
    }

    /// Decides whether messages are part of the failure.
    pub fn message(&self) -> Message {
        let ending = &self.command.ending;
        let is_open = self.status().is_none() && !ending.is_about_text();
        match (
            ending.matches(Matching::Message),
            ending.matches(Matching::Status) || self.other().is_some() || self.slower().is_some(),
        ) {
            (true, _) => Message::Any,
            (false, false) if is_open => Message::Known,
            _ => Message::None,
        }
    }

    /// Tells whether the required output must be the only error, if that holds for the unchanged input.
    pub fn stands_alone(&self) -> bool {
        let ending = &self.command.ending;
        let is_about_text = ending.is_about_text() || self.command.hang.hang;
        is_about_text && !self.any_errors() && !ending.matches(Matching::Status) && self.other().is_none()
    }

    /// Returns the added message forms.
    pub fn forms(&self) -> Forms {
        let tables = &self.command.ending.signature;
        if tables.is_empty() {
            return Forms::default();
        }
        // Each has been read already.
        Forms::new(&format!("signature = [{}]", tables.join(", "))).unwrap_or_default()
    }

    /// Tells whether candidates may print other errors in addition to the failure.
    pub fn any_errors(&self) -> bool {
        self.command.ending.matches(Matching::AnyErrors)
    }

    /// Returns the matcher for the exit status and the outputs.
    pub fn matcher(self) -> Matcher {
        let (status, slower) = (self.status(), self.slower());
        let CommandOptions { ending, exclusions, .. } = self.command;
        let (not_stdout, not_stderr) = (exclusions.reject.clone(), exclusions.reject);
        let EndingOptions { stdout, stderr, .. } = ending;
        let stderr = slower.map(|_| slow::told()).or(stderr);
        Matcher { status, stdout, stderr, not_stdout, not_stderr, ..Matcher::default() }
    }

    /// Returns the requested exit status or signal.
    fn status(&self) -> Option<Status> {
        let ending = &self.command.ending;
        let exit = ending.exit_code.map(|code| Status::Exit(code.into()));
        let hang = self.command.hang.hang.then_some(Status::TimedOut);
        exit.or(ending.signal.map(Status::Signal)).or(hang)
    }

    /// Refuses these options for a script, which decides itself what counts as the failure.
    pub fn makes_no_sense(&self, script: &OsStr) -> Result<(), Failure> {
        let Some(option) = self.given() else { return Ok(()) };
        let script = script.display();
        Err(Failure::usage(format!("`{option}` needs a command after the file; `{script}` is a script"))
            .hint(
                "a script checks the failure itself; with a command: `nubbin [OPTIONS] FILE -- COMMAND {}`",
            ))
    }

    /// Returns the first given option.
    fn given(&self) -> Option<&'static str> {
        let CommandOptions { ending, exclusions, hang } = &self.command;
        let given = [
            ("--exit-code", ending.exit_code.is_some()),
            ("--signal", ending.signal.is_some()),
            ("--stdout", ending.stdout.is_some()),
            ("--stderr", ending.stderr.is_some()),
            ("--match", !ending.matching.is_empty()),
            ("--reject", exclusions.reject.is_some()),
            ("--hang", hang.hang),
            ("--differs-from", self.second.differs_from.is_some()),
            ("--slower-than", self.second.slower_than.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

impl EndingOptions {
    /// Tells whether `--match` lists this property.
    fn matches(&self, one: Matching) -> bool {
        self.matching.contains(&one)
    }

    /// Tells whether a required output is given.
    fn is_about_text(&self) -> bool {
        self.stdout.is_some() || self.stderr.is_some()
    }
}
