//! The typed words: one structure for each command, made of groups of options, and their help.
//!
//! A command has the options that make sense for it, and no others. Their joint meaning is decided in `settings`.

mod browser;
pub mod changes;
mod check;
mod config;
mod elsewhere;
pub mod group;
mod help;
mod history;
mod init;
mod isolate;
mod maximize;
pub mod meant;
pub mod options;
mod reduce;
mod resume;
pub mod triage;
pub mod trust;
pub mod why;

pub use browser::Browser;
pub use changes::Changes;
pub use check::Check;
pub use init::Init;
pub use isolate::Isolate;
pub use maximize::Maximize;
pub use options::Options;
pub use reduce::Reduce;
pub use resume::Resume;
pub use triage::Triage;
pub use trust::Trust;
pub use why::{Causes, Events, Explain, State};

use crate::command::shell::VERSION;
use crate::exit::{self, Exit};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use history::History;
use nubbin_session::failure::Failure;
use std::ffi::OsString;
use std::path::PathBuf;

// This is the whole command line. The help begins with its doc comment.
/// Reduces a failing input to its nubbin: the smallest piece that still fails.
#[derive(Debug, Parser)]
#[command(
    name = "nubbin",
    version,
    long_version = VERSION,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct CommandLine {
    #[command(subcommand)]
    request: Option<Request>,

    #[command(flatten)]
    reduce: Reduce,
}

/// The command that was asked for.
#[derive(Debug, Subcommand)]
pub enum Request {
    /// List the steps of a run, or bring one of them back.
    History(History),
    /// Let the `nubbin.toml` of this directory name programs and weaken the sandbox.
    Trust(Trust),
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, for `man -l -`.
    Manual {
        /// Write the pages of all commands to this directory instead.
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    #[command(flatten)]
    Run(RunCommand),
    #[command(hide = true)]
    Check(Box<Check>),
    #[command(hide = true)]
    Init(Box<Init>),
    #[command(hide = true)]
    Triage(Box<Triage>),
    #[command(hide = true)]
    Events(Box<Events>),
    #[command(hide = true)]
    State(Box<State>),
    #[command(hide = true)]
    Causes(Box<Causes>),
    #[command(hide = true)]
    Explain(Box<Explain>),
    #[command(skip)]
    Resume(Box<Resume>),
}

/// A command that looks for something with many runs of an oracle, keeps a journal, and can be resumed.
#[derive(Debug, Subcommand)]
pub enum RunCommand {
    #[command(skip)]
    Reduce(Box<Reduce>),
    #[command(hide = true)]
    Browser(Box<Browser>),
    #[command(hide = true)]
    Options(Box<Options>),
    #[command(hide = true)]
    Isolate(Box<Isolate>),
    #[command(hide = true)]
    Maximize(Box<Maximize>),
    #[command(hide = true)]
    Changes(Box<Changes>),
}

/// What was typed.
#[derive(Debug)]
pub struct Typed {
    pub request: Request,
    /// The words behind the program's name, and those of the settings files among them.
    pub words: Vec<OsString>,
    /// The notes of the settings files, as sentences.
    pub notes: Vec<String>,
}

impl Typed {
    /// Reads this program's command line. If it cannot be understood, or asks for help, the answer is printed here, and
    /// the exit code is returned.
    pub fn read() -> Result<Self, Exit> {
        let words =
            meant::words(std::env::args_os().skip(1).collect()).map_err(|failure| exit::report(&failure))?;
        let answered = |answer: clap::Error| {
            if let Some(exit) = help::instead_of(&answer, &words) {
                return exit;
            }
            let _ = answer.print();
            if answer.exit_code() == 0 { Exit::Success } else { Exit::Usage }
        };
        let refused = |error: clap::Error| match meant::refused(&words, &error) {
            Some(failure) => exit::report(&failure),
            None => answered(error),
        };
        let (typed, given) = parsed(&words).map_err(refused)?;
        if typed.is_resume_alone() {
            let now = beside_resume(&words).map_err(|failure| exit::report(&failure))?;
            return Ok(Self { request: Request::Resume(Box::new(now)), words, notes: Vec::new() });
        }
        if !typed.takes_settings() {
            return Ok(Self { request: typed, words, notes: Vec::new() });
        }
        let word = meant::command(&words);
        let found = config::find(word, given).map_err(|failure| exit::report(&failure))?;
        let (word, rest) = words.split_at(usize::from(word.is_some()));
        let words = [word, &found.words, rest].concat();
        let (request, _) = parsed(&words).map_err(answered)?;
        Ok(Self { request, words, notes: found.notes })
    }
}

impl Request {
    /// Understands the words of an earlier run, which goes on with the options of `now`.
    ///
    /// # Errors
    /// Returns an error when they cannot be understood, or are not those of a run, or the run has no such options.
    pub fn of_run(words: &[OsString], now: &[OsString]) -> Result<RunCommand, Failure> {
        let command: Vec<OsString> = meant::command(words).into_iter().cloned().collect();
        let now = [&command, now].concat();
        if let Some(failure) = parsed(&now).err().and_then(|error| meant::refused(&now, &error)) {
            return Err(failure);
        }
        match parsed(words) {
            Ok((Self::Run(run), _)) => Ok(run),
            Ok(_) => Err(Failure::usage("the latest journal here is not that of a run")),
            Err(error) => Err(Failure::usage(error.to_string())),
        }
    }

    /// Tells whether only `--resume` was typed, without a file or a command.
    fn is_resume_alone(&self) -> bool {
        let Self::Run(RunCommand::Reduce(typed)) = self else { return false };
        typed.whole.journal.resume && typed.words.first.is_none() && typed.words.command.is_empty()
    }

    /// Tells whether settings files matter: a listing needs none.
    fn takes_settings(&self) -> bool {
        let house = match self {
            Self::Run(RunCommand::Reduce(typed)) if typed.inspect.is_asked() => return false,
            Self::Run(RunCommand::Reduce(typed)) => &typed.whole.house,
            Self::Run(RunCommand::Browser(typed)) => &typed.whole.house,
            Self::Run(RunCommand::Options(typed)) => &typed.house,
            Self::Run(RunCommand::Isolate(typed)) => &typed.house,
            Self::Run(RunCommand::Maximize(typed)) => &typed.house,
            Self::Run(RunCommand::Changes(typed)) => &typed.house,
            Self::Check(typed) => &typed.house,
            Self::Init(typed) => &typed.house,
            Self::Triage(typed) => &typed.house,
            Self::Events(_)
            | Self::State(_)
            | Self::Causes(_)
            | Self::Explain(_)
            | Self::History(_)
            | Self::Trust(_)
            | Self::Completions { .. }
            | Self::Manual { .. }
            | Self::Resume(_) => return false,
        };
        !house.no_config
    }
}

/// Returns the definition of the whole command line. Those of the commands are in it.
pub fn definition() -> clap::Command {
    let whole = CommandLine::command();
    // There, events are what happens to a page.
    let whole = whole.mut_subcommand("browser", |one| one.mut_arg("events", |arg| arg.long("run-events")));
    whole.mut_subcommands(|one| if one.is_hide_set() { complete(one) } else { one })
}

/// Gives a command that has as much to say as the program what the program has.
fn complete(command: clap::Command) -> clap::Command {
    let name = format!("nubbin {}", command.get_name());
    command
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(VERSION)
        .arg_required_else_help(true)
        .after_help(format!("`{name} --help` shows examples."))
        .display_name(&name)
        .bin_name(name)
}

/// Parses these words behind the program's name. The names of the options and arguments among them come with it.
fn parsed(words: &[OsString]) -> Result<(Request, Vec<String>), clap::Error> {
    let program = std::iter::once("nubbin".into());
    let matches = definition().try_get_matches_from(program.chain(words.iter().cloned()))?;
    let given = given(matches.subcommand().map_or(&matches, |(_, matches)| matches));
    let line = CommandLine::from_arg_matches(&matches)?;
    let reduce = || Request::Run(RunCommand::Reduce(Box::new(line.reduce)));
    Ok((line.request.unwrap_or_else(reduce), given))
}

fn given(matches: &ArgMatches) -> Vec<String> {
    let ids = matches.ids().map(clap::Id::as_str);
    let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    ids.filter(is_given).map(str::to_owned).collect()
}

/// Parses the words beside `--resume` alone.
fn beside_resume(words: &[OsString]) -> Result<Resume, Failure> {
    let program = std::iter::once("nubbin".into());
    Resume::try_parse_from(program.chain(words.iter().cloned()))
        .map_err(|error| elsewhere::beside_resume(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_every_command_is_consistent() {
        definition().debug_assert();
        Resume::command().debug_assert();
    }
}
