//! The command line: one structure for each command, made of groups of options, and the help.
//!
//! The meaning of the options together is decided in `settings`.

mod arrange;
mod browser;
pub mod changes;
mod check;
pub mod complete;
mod config;
mod elsewhere;
mod error;
pub mod group;
mod history;
mod init;
mod inspect;
mod isolate;
mod maximize;
pub mod meant;
pub mod options;
pub mod reduce;
mod resume;
pub mod triage;
pub mod trust;
pub mod why;

pub use browser::Browser;
pub use changes::Changes;
pub use check::Check;
pub use init::Init;
pub use inspect::{Debug, Dump};
pub use isolate::Isolate;
pub use maximize::Maximize;
pub use options::Options;
pub use reduce::Reduce;
pub use resume::Resume;
pub use triage::Triage;
pub use trust::Trust;
pub use why::{Causes, Explain, State, Statements};

use crate::exit::{self, Exit};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use history::History;
use nubbin_session::failure::Failure;
use std::ffi::OsString;
use std::path::PathBuf;

const LANGUAGES_EXAMPLES: &str = "\
Examples:
  nubbin languages
      the names for --language, with the number of rewrite rules, the formatters and the endings of files";
const PASSES_EXAMPLES: &str = "\
Examples:
  nubbin passes
      the groups of passes and their stages
  nubbin passes --verbose
      the variants of each group as well; --only and --skip accept groups and variants";
const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  source <(nubbin completions bash)
      in ~/.bashrc, for bash
  source <(nubbin completions zsh)
      in ~/.zshrc after compinit, for zsh
  nubbin completions fish | source
      in ~/.config/fish/config.fish, for fish";
const MANUAL_EXAMPLES: &str = "\
Examples:
  nubbin manual | man -l -
      show the manual page of the whole program
  nubbin manual --output ~/.local/share/man/man1
      install the pages of all commands, such as nubbin-browser(1)";

// This is the whole command line. The help begins with its doc comment.
/// Reduce a failing input to the smallest input that still fails
#[derive(Debug, Parser)]
#[command(name = "nubbin", version, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    request: Option<Request>,

    #[command(flatten)]
    reduce: Reduce,
}

/// The requested command, in the order of the help.
#[derive(Debug, Subcommand)]
pub enum Request {
    Check(Box<Check>),
    Init(Box<Init>),
    #[command(flatten)]
    Run(RunCommand),
    Triage(Box<Triage>),
    Explain(Box<Explain>),
    Causes(Box<Causes>),
    State(Box<State>),
    Statements(Box<Statements>),
    History(History),
    Trust(Trust),
    /// List the supported languages
    #[command(after_long_help = LANGUAGES_EXAMPLES)]
    Languages,
    /// List the passes in the order in which they run
    #[command(after_long_help = PASSES_EXAMPLES)]
    Passes {
        /// List the variants of each group of passes as well
        #[arg(short, long)]
        verbose: bool,
    },
    Debug(Debug),
    /// Print the completion script for a shell
    #[command(after_long_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, for `man -l -`
    #[command(after_long_help = MANUAL_EXAMPLES)]
    Manual {
        /// Write the pages of all commands to DIR
        #[arg(short, long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
        output: Option<PathBuf>,
    },
    #[command(skip)]
    Resume(Box<Resume>),
}

/// A shell with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl Shell {
    /// Returns the name of the shell.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Elvish => "elvish",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Zsh => "zsh",
        }
    }
}

/// A command that searches with many runs of a test, keeps a journal, and can be resumed.
#[derive(Debug, Subcommand)]
pub enum RunCommand {
    #[command(skip)]
    Reduce(Box<Reduce>),
    Isolate(Box<Isolate>),
    Maximize(Box<Maximize>),
    Changes(Box<Changes>),
    Options(Box<Options>),
    Browser(Box<Browser>),
}

/// The parsed command line.
#[derive(Debug)]
pub struct Typed {
    pub request: Request,
    /// The arguments of the program, including those of the settings files.
    pub words: Vec<OsString>,
    /// Notes on the settings files, as sentences.
    pub notes: Vec<String>,
}

impl Typed {
    /// Reads the command line of this process. Help and errors are printed here, and the exit code is returned.
    pub fn read() -> Result<Self, Exit> {
        let failed = |failure: Failure| exit::report(&failure);
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        if let Some(failure) = meant::no_help(&words) {
            return Err(failed(failure));
        }
        let words = meant::words(words);
        let (words, run) = config::whole_run(words).map_err(failed)?;
        let refused = |error: clap::Error| error::report(&words, &error);
        if words.is_empty() {
            return Err(error::nothing_typed());
        }
        let (typed, given) = parsed(&words).map_err(refused)?;
        if typed.is_resume_alone() {
            let now = with_resume(&words).map_err(failed)?;
            return Ok(Self { request: Request::Resume(Box::new(now)), words, notes: Vec::new() });
        }
        if !typed.takes_settings() {
            return Ok(Self { request: typed, words, notes: Vec::new() });
        }
        let word = meant::command(&words);
        let found = config::find(word, given).map_err(failed)?;
        let (word, rest) = words.split_at(usize::from(word.is_some()));
        let words = [word, &found.words, rest].concat();
        let (request, _) = parsed(&words).map_err(|error| error::report(&words, &error))?;
        Ok(Self { request, words, notes: run.into_iter().chain(found.notes).collect() })
    }
}

impl Request {
    /// Parses the arguments of an earlier run, which is resumed with the options of `now`.
    ///
    /// # Errors
    /// Returns an error if they are not the arguments of a run, or if the run has no such options.
    pub fn of_run(words: &[OsString], now: &[OsString]) -> Result<RunCommand, Failure> {
        let command: Vec<OsString> = meant::command(words).into_iter().cloned().collect();
        let now = [&command, now].concat();
        if let Some(failure) = parsed(&now).err().and_then(|error| meant::refused(&now, &error)) {
            return Err(failure);
        }
        match parsed(words) {
            Ok((Self::Run(run), _)) => Ok(run),
            Ok(_) => Err(Failure::usage("the latest journal in this directory is not that of a run")),
            Err(error) => Err(Failure::usage(error.to_string())),
        }
    }

    /// Tells whether only `--resume` was typed, without a file or a command.
    fn is_resume_alone(&self) -> bool {
        let Self::Run(RunCommand::Reduce(typed)) = self else { return false };
        typed.whole.journal.resume && typed.words.first.is_none() && typed.words.command.is_empty()
    }

    /// Tells whether the command reads settings files.
    fn takes_settings(&self) -> bool {
        let house = match self {
            Self::Run(RunCommand::Reduce(typed)) => &typed.whole.house,
            Self::Run(RunCommand::Browser(typed)) => &typed.whole.house,
            Self::Run(RunCommand::Options(typed)) => &typed.house,
            Self::Run(RunCommand::Isolate(typed)) => &typed.house,
            Self::Run(RunCommand::Maximize(typed)) => &typed.house,
            Self::Run(RunCommand::Changes(typed)) => &typed.house,
            Self::Check(typed) => &typed.house,
            Self::Init(typed) => &typed.house,
            Self::Triage(typed) => &typed.house,
            Self::Statements(_)
            | Self::State(_)
            | Self::Causes(_)
            | Self::Explain(_)
            | Self::History(_)
            | Self::Trust(_)
            | Self::Languages
            | Self::Passes { .. }
            | Self::Debug(_)
            | Self::Completions { .. }
            | Self::Manual { .. }
            | Self::Resume(_) => return false,
        };
        !house.no_config
    }
}

/// Returns the definition of the whole command line, including its commands.
pub fn definition() -> clap::Command {
    arrange::whole(CommandLine::command())
}

/// Parses the arguments of the program. Returns the identifiers of the given options as well.
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

/// Parses the arguments of `nubbin --resume` without a test and a file.
fn with_resume(words: &[OsString]) -> Result<Resume, Failure> {
    let program = std::iter::once("nubbin".into());
    Resume::try_parse_from(program.chain(words.iter().cloned()))
        .map_err(|error| elsewhere::with_resume(&error))
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
