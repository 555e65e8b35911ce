//! `nubbin` itself: the options of a reduction, and the help of the program.

use super::group::{
    EmptyOptions, EndOptions, FailureOptions, FlakyOptions, FormatterOptions, HouseOptions, InspectOptions,
    JournalOptions, KeepOptions, LanguageOptions, PassOptions, PreprocessorOptions, ProposeOptions,
    RunOptions, SearchOptions, ServerOptions, Words,
};
use crate::exit;
use crate::show::{record, ui};
use clap::Args;
use std::path::PathBuf;

pub const USAGE: &str = "nubbin [OPTIONS] <ORACLE> <FILE>…\n       nubbin [OPTIONS] <FILE>… -- <COMMAND> {}\n       nubbin [OPTIONS] --server <COMMAND> <FILE>…\n       nubbin options [OPTIONS] -- <COMMAND> <OPTION>…\n       nubbin isolate [OPTIONS] <ORACLE> [PASSING] <FAILING>\n       nubbin maximize [OPTIONS] <ORACLE> <FILE>\n       nubbin changes [OPTIONS] --good <G> --bad <B> -- <COMMAND>\n       nubbin check [OPTIONS] <ORACLE> <FILE>…\n       nubbin init [OPTIONS] <FILE> -- <COMMAND> {}\n       nubbin --resume\n       nubbin history [FILE] [STEP]";

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

/// The options of a reduction, which has no word of its own.
#[derive(Debug, Args)]
#[command(
    override_usage = USAGE,
    after_help = "`nubbin --help` shows examples and the exit codes.",
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::list())
)]
#[group(skip)]
pub struct Reduce {
    #[command(flatten)]
    pub words: Words,

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

    #[command(flatten)]
    pub empty: EmptyOptions,
    #[command(flatten)]
    pub failure: FailureOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub server: ServerOptions,
    #[command(flatten)]
    pub flaky: FlakyOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub formatter: FormatterOptions,
    #[command(flatten)]
    pub preprocessor: PreprocessorOptions,
    #[command(flatten)]
    pub records: record::RecordOptions,
    #[command(flatten)]
    pub propose: ProposeOptions,
    #[command(flatten)]
    pub passes: PassOptions,
    #[command(flatten)]
    pub inspect: InspectOptions,
    #[command(flatten)]
    pub ends: EndOptions,
    #[command(flatten)]
    pub keep: KeepOptions,
    #[command(flatten)]
    pub ui: ui::UiOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
    #[command(flatten)]
    pub search: SearchOptions,
}
