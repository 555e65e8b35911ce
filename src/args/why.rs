//! `nubbin events`, `nubbin state`, `nubbin causes` and `nubbin explain`: their options, and their help.

use super::group::control::duration;
use super::group::{LimitOptions, RunOptions, VoiceOptions};
use crate::show::record::SummaryForm;
use clap::Args;
use nubbin_session::control::Time;
use nubbin_session::why::At;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::path::PathBuf;

/// The lines of the commands, for hints.
pub const EVENTS: &str = "`nubbin events -- PROGRAM ARGS`";
pub const STATE: &str =
    "`nubbin state --at FILE:LINE -- PASSING -- FAILING`; each is a program with its arguments";
pub const CAUSES: &str = "`nubbin causes -- PASSING -- FAILING`; each is a program with its arguments";
pub const EXPLAIN: &str = "`nubbin explain FILE -- COMMAND {}`";

/// The heading of the options about the failure.
const HEADING: &str = "Failure";

const EVENTS_EXAMPLES: &str = "\
Examples:
  nubbin events -- ./sum 0 5
      the executed statements without which the output is another one
  nubbin events --stdout 'sum = 15' -- python3 sum.py 0 5
      those that this part of the output needs
  nubbin events -o why.html -- ./parser broken.txt
      the program crashes: those that the crash needs, and a page with the source";
const STATE_EXAMPLES: &str = "\
Examples:
  nubbin state --at sort.c:12 -- ./sort 7 8 9 -- ./sort 11 14
      the smallest difference of the states at this line that makes the first run fail
  nubbin state --at sort.c:12:3 -- ./sort 7 8 9 -- ./sort 11 14
      at the third arrival there; 12:3,4 is the third of the first run, and the fourth of the second
  nubbin state --at list.py:8 --largest --dot why.dot -- python3 list.py a -- python3 list.py b
      matched by the largest common subgraph; a picture of the failing state for Graphviz";
const CAUSES_EXAMPLES: &str = "\
Examples:
  nubbin causes -- ./sort 7 8 9 -- ./sort 11 14
      how the difference of the arguments becomes the failure, and where one cause hands over to
      another
  nubbin causes --stdout '^0' -o why.html -- ./sort 7 8 9 -- ./sort 11 14
      what fails is asked for, and not learned; a page with the chain and the source
  nubbin causes --source src -- python3 -m tool a.txt -- python3 -m tool b.txt
      statements of the files in src count; as a rule those beside the program

A program in C or C++ is looked into by gdb, and has to be built with -g -O0; one in Python by its
own interpreter.";
const EXPLAIN_EXAMPLES: &str = "\
Examples:
  nubbin explain crash.json -- python3 tool.py {}
      reduce the file, find one beside it that passes, and tell how the difference becomes the
      failure; crash.why has the files and a page
  nubbin explain --max-time 10m crash.txt -- ./parser {}
      at most ten minutes";

/// The options about what tells a failing run. Without any of them it is learned.
#[derive(Debug, Args)]
#[group(skip)]
pub struct TellOptions {
    /// A failing run ends with this exit status.
    #[arg(long, value_name = "N", conflicts_with = "signal", help_heading = HEADING)]
    pub exit_code: Option<u8>,

    /// A failing run is killed by this signal, such as SEGV, SIGABRT or 11.
    #[arg(long, value_name = "NAME", value_parser = nubbin_session::text::signal_number, help_heading = HEADING)]
    pub signal: Option<i32>,

    /// A failing run writes this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub stdout: Option<Regex>,

    /// A failing run writes this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub stderr: Option<Regex>,

    /// A failing run does not write this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub not_stdout: Option<Regex>,

    /// A failing run does not write this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub not_stderr: Option<Regex>,
}

/// The options of every command that looks into a program.
#[derive(Debug, Args)]
#[group(skip)]
pub struct WhyOptions {
    #[command(flatten)]
    pub failure: TellOptions,

    /// A directory or a file with statements that count; can be given more than once [default: the program's own].
    #[arg(long, value_name = "PATH", help_heading = "Program")]
    pub source: Vec<PathBuf>,

    /// The standard input of the program [default: empty].
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    pub stdin: Option<PathBuf>,

    /// The file for a page about the result; `nubbin explain` writes one to its folder in any case.
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// The form of the result on standard output.
    #[arg(long, value_name = "FORM", default_value = "text", help_heading = "Result")]
    pub summary: SummaryForm,

    #[command(flatten)]
    pub run: RunOptions,
    /// End after this time, such as 90s, 10m or 1h30m, with what was found by then.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Ends")]
    pub max_time: Option<Time>,

    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub voice: VoiceOptions,
}

/// The option about the match of two states.
#[derive(Debug, Args)]
#[group(skip)]
pub struct MatchOptions {
    /// Match the states by their largest common subgraph, where they are small; as a rule they are gone through in
    /// parallel.
    #[arg(long, help_heading = "Program")]
    pub largest: bool,
}

/// Finds the executed statements that a failure needs.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin events [OPTIONS] -- <PROGRAM> [ARGUMENT]…", after_long_help = EVENTS_EXAMPLES)]
#[group(skip)]
pub struct Events {
    /// The program that fails, and its arguments.
    #[arg(value_name = "PROGRAM", last = true)]
    pub words: Vec<OsString>,

    #[command(flatten)]
    pub why: WhyOptions,
}

/// Finds the smallest difference between two states that makes a run fail.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin state [OPTIONS] --at <FILE:LINE> -- <PASSING>… -- <FAILING>…", after_long_help = STATE_EXAMPLES)]
#[group(skip)]
pub struct State {
    /// A run that passes, `--`, and one that fails.
    #[arg(value_name = "RUNS", last = true)]
    pub words: Vec<OsString>,

    /// The place where both runs are looked at, and the number of the arrival there [default: 1].
    #[arg(long, value_name = "FILE:LINE[:COUNT]", value_parser = At::parse, help_heading = "Program")]
    pub at: Option<At>,

    /// The file for a picture of the failing state: as text for Graphviz, or drawn by it if FILE ends with .svg, .png or .pdf.
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub dot: Option<PathBuf>,

    #[command(flatten)]
    pub matching: MatchOptions,
    #[command(flatten)]
    pub why: WhyOptions,
}

/// Finds how a failure came about: the chain of its causes, and where one hands over to the next.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin causes [OPTIONS] -- <PASSING>… -- <FAILING>…", after_long_help = CAUSES_EXAMPLES)]
#[group(skip)]
pub struct Causes {
    /// A run that passes, `--`, and one that fails.
    #[arg(value_name = "RUNS", last = true)]
    pub words: Vec<OsString>,

    #[command(flatten)]
    pub matching: MatchOptions,
    #[command(flatten)]
    pub why: WhyOptions,
}

/// Reduces a failing file, finds one beside it that passes, and tells how the difference becomes the failure.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin explain [OPTIONS] <FILE> -- <COMMAND> {}", after_long_help = EXPLAIN_EXAMPLES)]
#[group(skip)]
pub struct Explain {
    /// The file that makes the command fail.
    #[arg(value_name = "FILE", index = 1)]
    pub file: Option<PathBuf>,

    /// The command.
    #[arg(value_name = "COMMAND", index = 2, last = true)]
    pub words: Vec<OsString>,

    /// A file that passes, if one is known.
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    pub passing: Option<PathBuf>,

    #[command(flatten)]
    pub matching: MatchOptions,
    #[command(flatten)]
    pub why: WhyOptions,
}
