//! `nubbin triage`: its options, its help, and the words of the reductions that it makes.

use super::group::{
    CommandOptions, EndOptions, FlakyOptions, FormatterOptions, HouseOptions, KeepOptions, LanguageOptions,
    PassOptions, PreprocessorOptions, RunOptions, SearchOptions, ShapeOptions,
};
use super::{Reduce, Request, RunCommand, definition, parsed};
use crate::show::record::SummaryForm;
use clap::Args;
use clap::parser::ValueSource;
use nubbin_session::control::Time;
use nubbin_session::failure::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The line of the command, for a hint.
pub const LINE: &str = "`nubbin triage FOLDER -- COMMAND {}`; `./triage` is a file of that name";
/// The options and the words that a reduction does not have.
const OWN: [&str; 8] =
    ["folder", "command", "output", "watch", "errors_too", "no_others", "total_time", "summary"];
const EXAMPLES: &str = "\
Examples:
  nubbin triage crashes -- gcc -O2 -S -o /dev/null {}
      run gcc on every file in crashes, group the files by what fails, and make one small file for
      each bug; crashes.bugs/index.html shows them all
  nubbin triage --max-time 10m --total-time 2h crashes -- ./parser {}
      at most ten minutes for each bug, and two hours for all
  nubbin triage --watch -o bugs out/default/crashes -- ./target {}
      beside a fuzzer: files that come later are added, until Ctrl-C
  nubbin triage --stderr 'ERROR: .*overflow' crashes -- ./target {}
      only failures that say this are bugs
  nubbin triage --errors-too rejected -- tsc --noEmit {}
      ordinary errors are bugs, too

The same command goes on after Ctrl-C or a kill, and takes files that are new.
A bug is a signal, or a message that a tool gives when it has failed itself: a compiler's internal
error, an assertion, a sanitizer's report, a panic, a traceback. Files that pass, or get an
ordinary error, are counted.";

/// Finds the bugs in a folder of failing files, and makes one small file for each.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin triage [OPTIONS] <FOLDER> -- <COMMAND> {}", after_long_help = EXAMPLES)]
#[group(skip)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option by itself")]
pub struct Triage {
    /// The folder with the failing files; those in folders below count, hidden ones do not.
    #[arg(value_name = "FOLDER", index = 1)]
    pub folder: Option<PathBuf>,

    /// The command that fails on them.
    #[arg(value_name = "COMMAND", index = 2, last = true)]
    pub command: Vec<OsString>,

    /// The folder for the bugs [default: FOLDER with `.bugs` behind its name].
    #[arg(short, long, value_name = "DIR", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// The form of the summary: `json` prints what `triage.json` has.
    #[arg(long, value_name = "FORM", default_value = "text", help_heading = "Records")]
    pub summary: SummaryForm,

    /// Go on looking for files that come later, until Ctrl-C.
    #[arg(long, help_heading = "Triage")]
    pub watch: bool,

    /// Take ordinary errors for bugs, too.
    #[arg(long, help_heading = "Triage")]
    pub errors_too: bool,

    /// Make no bugs of failures that are seen on the way and that no file shows.
    #[arg(long, help_heading = "Triage")]
    pub no_others: bool,

    /// End after this time, such as 90s, 10m or 1h30m; the same command goes on. `--max-time` and `--max-probes` bound each bug.
    #[arg(long, value_name = "DURATION", value_parser = super::group::control::duration, help_heading = "Ends")]
    pub total_time: Option<Time>,

    /// Run the command as it is: a process for each candidate.
    #[arg(long, help_heading = "Run")]
    pub no_server: bool,

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

/// The words of the reductions of a triage.
#[derive(Debug)]
pub struct ReductionWords {
    options: Vec<OsString>,
    command: Vec<OsString>,
}

impl ReductionWords {
    /// Takes them from those of a triage, which were understood before; `command` is its command.
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

    /// Returns the words of the reduction of a file.
    pub fn of(&self, file: &Path) -> Vec<OsString> {
        let is_option = file.as_os_str().as_encoded_bytes().starts_with(b"-");
        let file = if is_option { Path::new(".").join(file) } else { file.to_owned() };
        let mut words = self.options.clone();
        words.extend([file.into_os_string(), "--".into()]);
        words.extend(self.command.iter().cloned());
        words
    }

    /// Understands such words.
    ///
    /// # Errors
    /// Returns an error when they make no sense together.
    pub fn understood(words: &[OsString]) -> Result<Reduce, Failure> {
        match parsed(words) {
            Ok((Request::Run(RunCommand::Reduce(typed)), _)) => Ok(*typed),
            Ok(_) => Err(Failure::usage("the words are not those of a reduction")),
            Err(error) => Err(Failure::usage(error.to_string())),
        }
    }
}
