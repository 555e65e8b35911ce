//! `nubbin triage`: options, help, and the arguments of its reductions.

use super::group::{
    CommandOptions, EndOptions, FlakyOptions, FormatterOptions, HouseOptions, KeepOptions, LanguageOptions,
    PassOptions, PreprocessorOptions, RunOptions, SearchOptions, ShapeOptions,
};
use super::{Reduce, Request, RunCommand, definition, parsed};
use clap::parser::ValueSource;
use clap::{Args, ValueHint};
use nubbin_session::control::Time;
use nubbin_session::failure::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The usage, for a hint.
pub const LINE: &str = "`nubbin triage DIR -- COMMAND {}`; use `./triage` for a file with this name";
/// The arguments that a reduction does not have.
const OWN: [&str; 8] =
    ["folder", "command", "output", "watch", "errors_too", "no_others", "total_time", "json"];
const EXAMPLES: &str = "\
Examples:
  nubbin triage crashes -- gcc -O2 -S -o /dev/null {}
      run gcc on every file in crashes, group the files by failure, and write one small file for each
      bug; crashes.bugs/index.html is an overview
  nubbin triage --max-time 10m --total-time 2h crashes -- ./parser {}
      at most ten minutes for each bug, and two hours in total
  nubbin triage --watch -o bugs out/default/crashes -- ./target {}
      next to a running fuzzer: new files are added until Ctrl-C
  nubbin triage --stderr 'ERROR: .*overflow' crashes -- ./target {}
      only failures with this message are bugs
  nubbin triage --errors-too rejected -- tsc --noEmit {}
      ordinary errors are bugs as well

After Ctrl-C or a kill, the same command continues, and includes new files.
A bug is a crash by a signal, or a message that reports a failure of the tool itself: an internal compiler
error, an assertion, a sanitizer report, a panic, a traceback. Files that pass or cause an ordinary error
are only counted.";

/// Group failing files by bug, and reduce one file for each
#[derive(Debug, Args)]
#[command(override_usage = "nubbin triage [OPTIONS] <DIR> -- <COMMAND> {}", after_long_help = EXAMPLES)]
#[group(skip)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option by itself")]
pub struct Triage {
    /// The directory with the failing files, including subdirectories, without hidden files
    #[arg(value_name = "DIR", index = 1, value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,

    /// The command that fails on the files, after `--`
    #[arg(value_name = "COMMAND", index = 2, last = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,

    /// The directory for the results [default: crashes.bugs for crashes]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,

    /// Print the summary as JSON, with the content of `triage.json`
    #[arg(long)]
    pub json: bool,

    /// Wait for new files until Ctrl-C
    #[arg(long)]
    pub watch: bool,

    /// Treat ordinary errors as bugs
    #[arg(long)]
    pub errors_too: bool,

    /// Ignore other failures that occur during reductions
    #[arg(long)]
    pub no_others: bool,

    /// Stop after this time in total; --max-time and --max-candidates limit each bug
    #[arg(long, value_name = "TIME", value_parser = super::group::control::duration)]
    pub total_time: Option<Time>,

    /// `none`: start a new process for each candidate
    #[arg(long, value_name = "none", value_parser = ["none"], help_heading = "Run")]
    pub server: Option<String>,

    #[command(flatten)]
    pub shape: ShapeOptions,
    #[command(flatten)]
    pub failure: CommandOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub flaky: FlakyOptions,
    #[command(flatten)]
    pub formatter: FormatterOptions,
    #[command(flatten)]
    pub preprocessor: PreprocessorOptions,
    #[command(flatten)]
    pub passes: PassOptions,
    #[command(flatten)]
    pub ends: EndOptions,
    #[command(flatten)]
    pub keep: KeepOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
    #[command(flatten)]
    pub search: SearchOptions,
}

/// The arguments of the reductions of a triage.
#[derive(Debug)]
pub struct ReductionWords {
    options: Vec<OsString>,
    command: Vec<OsString>,
}

impl ReductionWords {
    /// Selects them from the parsed arguments of a triage; `command` is its command.
    pub fn new(words: &[OsString], command: Vec<OsString>) -> Self {
        let program = std::iter::once("nubbin".into());
        let whole = definition().try_get_matches_from(program.chain(words.iter().cloned())).ok();
        let Some((_, matches)) = whole.as_ref().and_then(|matches| matches.subcommand()) else {
            return Self { options: Vec::new(), command };
        };
        let whole = definition();
        let known = whole.find_subcommand("triage").into_iter().flat_map(clap::Command::get_arguments);
        let mut options = Vec::new();
        for arg in known {
            let id = arg.get_id().as_str();
            let is_typed = !OWN.contains(&id) && matches.value_source(id) == Some(ValueSource::CommandLine);
            let Some(long) = arg.get_long().filter(|_| is_typed) else { continue };
            if !arg.get_action().takes_values() {
                options.push(format!("--{long}").into());
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                let mut word = OsString::from(format!("--{long}="));
                word.push(value);
                options.push(word);
            }
        }
        Self { options, command }
    }

    /// Returns the arguments for the reduction of a file.
    pub fn of(&self, file: &Path) -> Vec<OsString> {
        let is_option = file.as_os_str().as_encoded_bytes().starts_with(b"-");
        let file = if is_option { Path::new(".").join(file) } else { file.to_owned() };
        let mut words = self.options.clone();
        words.extend([file.into_os_string(), "--".into()]);
        words.extend(self.command.iter().cloned());
        words
    }

    /// Parses such arguments.
    ///
    /// # Errors
    /// Returns an error if they are not valid.
    pub fn understood(words: &[OsString]) -> Result<Reduce, Failure> {
        match parsed(words) {
            Ok((Request::Run(RunCommand::Reduce(typed)), _)) => Ok(*typed),
            Ok(_) => Err(Failure::usage("the arguments are not those of a reduction")),
            Err(error) => Err(Failure::usage(error.to_string())),
        }
    }
}
