//! The typed words: options, files, commands and their help.
//!
//! Their joint meaning is decided in `settings`.

pub mod changes;
pub mod check;
pub mod classic;
mod config;
pub mod control;
pub mod failure;
mod formatter;
mod help;
pub mod init;
pub mod limits;
pub mod meant;
pub mod mode;
mod preprocessor;
pub mod propose;
mod surroundings;

use crate::exit::{self, Exit};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use mode::Mode;
use nubbin_oracle::Confidence;
use nubbin_reduce::Unit;
use std::ffi::OsString;
use std::path::PathBuf;

const USAGE: &str = "nubbin [OPTIONS] <ORACLE> <FILE>…\n       nubbin [OPTIONS] <FILE>… -- <COMMAND> {}\n       nubbin options [OPTIONS] -- <COMMAND> <OPTION>…\n       nubbin isolate [OPTIONS] <ORACLE> [PASSING] <FAILING>\n       nubbin maximize [OPTIONS] <ORACLE> <FILE>\n       nubbin changes [OPTIONS] --good <G> --bad <B> -- <COMMAND>\n       nubbin check [OPTIONS] <ORACLE> <FILE>…\n       nubbin init [OPTIONS] <FILE> -- <COMMAND> {}\n       nubbin --resume\n       nubbin history [FILE] [STEP]";

const EXAMPLES: &str = "\
Examples:
  nubbin ./oracle.sh bug.c
      reduce bug.c to the smallest file for which oracle.sh exits with status 0,
      and write it to bug.reduced.c
  nubbin bug.c -- gcc -O2 -c {}
      no script: keep the failure that gcc shows now, its exit status or signal and what it says;
      other failures on the way are counted, with samples in .nubbin
  nubbin --differs-from 'sh run.sh -O0 {}' bug.c -- sh run.sh -O2 {}
      wrong code: two commands that differ in their exit status or standard output
  nubbin --stderr 'internal compiler error' bug.c -- gcc -O2 -c {}
      keep this message in its standard error
  nubbin --signal SEGV page.html -- ./parser {}
      keep the crash
  nubbin --in-place 'python3 check.py {} --strict' data.json
      an oracle with arguments; replace data.json, and keep data.json.orig
  nubbin ./oracle.sh project
      a directory: whole files go first, then parts of them; the result is project.reduced
  nubbin --resume ./oracle.sh bug.c
      go on with an interrupted run; `nubbin --resume` alone goes on with the latest one here
  nubbin history bug.c
      list the steps of a run; `nubbin history bug.c 3` brings the third one back
  nubbin --unit line ./replay.sh events.log
      an event log: lines go, and nothing else; `--unit byte` for binary files
  nubbin check ./oracle.sh bug.c
      before hours are spent: what is wrong with the oracle, and what to do about it
  nubbin init -o oracle.sh bug.c -- gcc -O2 -c {}
      an oracle as a script to edit, for the failure that the command shows
  nubbin options -- gcc -O2 -fPIC -c bug.c
      which options matter; `nubbin isolate` finds what makes the difference between two files,
      `nubbin maximize` the largest part that passes: each has a --help of its own
  nubbin changes --good v1.2 --bad v1.3 -- ./test.sh
      which changes between two versions make the failure
  generate | nubbin --language c -o - ./oracle.sh -
      from standard input to standard output

The oracle runs in a fresh directory that holds only the candidate, under FILE's own name.
It is given the candidate's path as {}, or as its last argument if there is no {};
a COMMAND that opens FILE by itself, as `make` may, gets none.
It exits with 0 if the candidate is interesting (it still fails), with 125 if it cannot
tell, and with anything else if it is not. Check for the failure itself, such as its
message: an oracle that accepts too much gives a small file that fails in another way.";

/// Reduces a failing input to its nubbin: the smallest piece that still fails.
#[derive(Debug, Parser)]
#[command(
    name = "nubbin",
    version,
    long_version = crate::command::shell::VERSION,
    override_usage = USAGE,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "`nubbin --help` shows examples and the exit codes.",
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::list())
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Args {
    #[command(subcommand)]
    pub aside: Option<Aside>,

    /// The words behind the program's name.
    #[arg(skip)]
    pub words: Vec<OsString>,

    /// The names of what was given among them.
    #[arg(skip)]
    pub given: Vec<String>,

    /// The mode: the kind of input that is to be reduced.
    #[arg(skip)]
    pub mode: Mode,

    /// The notes of the settings files, as sentences.
    #[arg(skip)]
    pub notes: Vec<String>,

    /// Try the variables of the environment, too.
    #[arg(long, hide = true)]
    pub env: bool,

    /// Find what prevents the failure: which options have to go for it to be there.
    #[arg(long, hide = true)]
    pub invert: bool,

    /// A script, or a command with arguments, that exits with 0 if the candidate is interesting.
    #[arg(value_name = "ORACLE", index = 1)]
    pub first: Option<OsString>,

    /// The file to reduce, or several files, or a directory; `-` is standard input.
    #[arg(value_name = "FILE", index = 2)]
    pub rest: Vec<OsString>,

    /// Instead of an oracle, after the file: a command that fails on it.
    #[arg(value_name = "COMMAND", index = 3, last = true)]
    pub command: Vec<OsString>,

    /// Where the result goes [default: FILE with `.reduced` before its extension]; `-` is standard output. For
    /// several files it is a directory.
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// Replace FILE itself, and keep it as FILE.orig (or FILE.orig.1, …; a backup is never overwritten).
    #[arg(long, conflicts_with = "output", help_heading = "Result")]
    pub in_place: bool,

    /// Squeeze whitespace too, where that helps; by default the result stays readable.
    #[arg(long, help_heading = "Result")]
    pub compact: bool,

    /// How much is spent on restarts in the end, which may come out smaller: 0 nothing, 1 a quarter of the probes up
    /// to then, 2 as many again, 3 four times as many.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Result")]
    pub effort: u8,

    /// Go on although the empty file is interesting.
    #[arg(long, help_heading = "Result")]
    pub allow_empty: bool,

    /// The failure is this exit status.
    #[arg(long, value_name = "N", conflicts_with = "signal", help_heading = "Failure of a COMMAND")]
    pub exit_code: Option<u8>,

    /// The failure is to be killed by this signal, such as SEGV, SIGABRT or 11.
    #[arg(long, value_name = "NAME", value_parser = nubbin_session::text::signal_number, help_heading = "Failure of a COMMAND")]
    pub signal: Option<i32>,

    /// The failure writes this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = "Failure of a COMMAND")]
    pub stderr: Option<regex::bytes::Regex>,

    /// The failure writes this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = "Failure of a COMMAND")]
    pub stdout: Option<regex::bytes::Regex>,

    #[command(flatten)]
    pub failure: failure::Typed,

    #[command(flatten)]
    pub init: init::Typed,

    /// How long one run may take [default: 60 for the first, then ten times as long as the longest, at least 5; less while that
    /// proves right].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Run")]
    pub timeout: Option<std::time::Duration>,

    /// How many runs may go on at once [default: the number of cores]; the result is the same for any number.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Run")]
    pub jobs: Option<u16>,

    /// Go on with an oracle that does not always repeat itself: run each candidate until this is how sure it is that it
    /// fails about as often as FILE does, such as 0.95 or 95%.
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence, help_heading = "Run")]
    pub flaky: Option<Confidence>,

    /// Go on with an earlier run that was interrupted or killed, without repeating a probe. Without an oracle and a file:
    /// with the latest one in this directory that was not finished.
    #[arg(long, help_heading = "Run")]
    pub resume: bool,

    /// Keep no journal (`.nubbin` beside FILE); the run can then not be resumed.
    #[arg(long, conflicts_with = "resume", help_heading = "Run")]
    pub no_journal: bool,

    #[command(flatten)]
    pub formatter: formatter::Typed,

    #[command(flatten)]
    pub preprocessor: preprocessor::Typed,

    #[command(flatten)]
    pub records: crate::show::record::Typed,

    #[command(flatten)]
    pub propose: propose::Typed,

    #[command(flatten)]
    pub control: control::Typed,

    #[command(flatten)]
    pub ui: crate::show::ui::Typed,

    #[command(flatten)]
    pub limits: limits::Typed,

    #[command(flatten)]
    pub around: surroundings::Typed,

    #[command(flatten)]
    pub changes: changes::Typed,

    #[command(flatten)]
    pub classic: classic::Typed,

    /// The language of FILE [default: from its name and first line]; see `--list-languages`.
    #[arg(long, value_name = "NAME", help_heading = "Language")]
    pub language: Option<String>,

    /// A folder with the grammar and the rules of another language, which FILE is in.
    #[arg(long, value_name = "DIR", conflicts_with = "language", help_heading = "Language")]
    pub grammar: Option<PathBuf>,

    /// What is taken away: parts of the syntax tree, or units that need no language, and nothing else. Several units,
    /// such as `line,char`, go one after the other.
    #[arg(long, value_name = "UNIT", value_delimiter = ',', default_value = TREE, value_parser = units(), conflicts_with_all = ["dump_tree", "dump_deltas"], help_heading = "Language")]
    pub unit: Vec<Option<Unit>>,

    /// Show the languages, and end.
    #[arg(long, exclusive = true, help_heading = "Inspect")]
    pub list_languages: bool,

    /// Show the syntax tree of FILE, and end; takes no oracle.
    #[arg(long, conflicts_with = "command", help_heading = "Inspect")]
    pub dump_tree: bool,

    /// Show what PASS would try on FILE first, and end; takes no oracle.
    #[arg(long, value_name = "PASS", conflicts_with_all = ["command", "dump_tree"], help_heading = "Inspect")]
    pub dump_deltas: Option<String>,

    /// Print nothing but errors.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more: each pass as it begins, and what each brought.
    #[arg(short, long)]
    pub verbose: bool,
}

/// What reduces nothing.
#[derive(Clone, Debug, Subcommand)]
pub enum Aside {
    /// List the steps of a run, or bring one of them back.
    History(History),
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
}

/// Lists the steps that a run has taken from the input to the result, or brings the input back as it was after one of them.
#[derive(Clone, Debug, clap::Args)]
pub struct History {
    /// The file that was reduced [default: that of the latest run in this directory].
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The step to bring back; 0 is the input itself.
    #[arg(value_name = "STEP")]
    pub step: Option<usize>,

    /// Where it goes [default: FILE with `.stepN` before its extension]; `-` is standard output.
    #[arg(short, long, value_name = "FILE", requires = "file")]
    pub output: Option<PathBuf>,
}

impl From<History> for nubbin_session::history::History {
    fn from(typed: History) -> Self {
        Self { file: typed.file, step: typed.step, output: typed.output }
    }
}

impl Args {
    /// Reads this program's command line. If it cannot be understood, or asks for help, the answer is printed here, and
    /// the exit code is returned.
    pub fn typed() -> Result<Self, Exit> {
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
        let typed = Self::parsed(words.clone()).map_err(refused)?;
        if !typed.takes_settings() {
            return Ok(typed);
        }
        let found = config::find(&typed).map_err(|failure| exit::report(&failure))?;
        let first = usize::from(typed.mode != Mode::Input);
        let (mode, rest) = typed.words.split_at(first);
        let words = [mode, &found.words, rest].concat();
        Ok(Self { notes: found.notes, ..Self::parsed(words).map_err(answered)? })
    }

    /// Tells whether settings files matter: a resumed run has its own settings, and a listing needs none.
    fn takes_settings(&self) -> bool {
        let shows =
            self.list_languages || self.control.list_passes || self.dump_tree || self.dump_deltas.is_some();
        let resumes_latest = self.resume && self.first.is_none() && self.command.is_empty();
        !(self.control.no_config || shows || resumes_latest || self.aside.is_some())
    }

    /// Parses these words behind the program's name.
    pub fn parsed(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let mode = Mode::of(&words);
        let typed = words.iter().skip(usize::from(mode != Mode::Input)).cloned();
        let program = std::iter::once("nubbin".into());
        let matches = mode.command().try_get_matches_from(program.chain(typed))?;
        let options = Self::command();
        let ids = options.get_arguments().map(|option| option.get_id().as_str());
        let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let given = ids.filter(is_given).map(str::to_owned).collect();
        Ok(Self { words, given, mode, ..Self::from_arg_matches(&matches)? })
    }
}

pub fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match std::time::Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err("must be more than 0".to_owned()),
    }
}

/// The word for the parts of the syntax tree, which are taken away if no unit is named.
const TREE: &str = "tree";

/// Returns the names of the units, and of what is none.
fn units() -> impl TypedValueParser<Value = Option<Unit>> {
    let names = [TREE].into_iter().chain(Unit::ALL.map(Unit::name));
    PossibleValuesParser::new(names).map(|name| Unit::ALL.into_iter().find(|unit| unit.name() == name))
}

fn confidence(text: &str) -> Result<Confidence, String> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share: f64 = number.trim().parse().map_err(|_| "not a number".to_owned())?;
    Confidence::new(share / whole).ok_or_else(|| "must be more than 0.5 and less than 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_a_share_or_a_percentage() {
        assert_eq!(confidence("0.95"), confidence("95%"));
        assert_eq!(confidence("0.95").map(Confidence::share), Ok(0.95));
        for text in ["95", "0.5", "50%", "100%", "1", "much", "", "-1"] {
            assert!(confidence(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
        for (_, mode) in Mode::WORDS {
            mode.command().debug_assert();
        }
    }
}
