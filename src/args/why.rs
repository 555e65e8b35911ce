//! `nubbin statements`, `nubbin state`, `nubbin causes` and `nubbin explain`: their options and help.

use super::group::control::duration;
use super::group::{LimitOptions, RunOptions, VoiceOptions};
use clap::{Args, ValueHint};
use nubbin_session::control::Time;
use nubbin_session::why::At;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::path::PathBuf;

/// The usage of each command, for hints.
pub const STATEMENTS: &str = "`nubbin statements -- PROGRAM ARGS`";
pub const STATE: &str =
    "`nubbin state --at FILE:LINE -- PASSING -- FAILING`; PASSING and FAILING are programs with arguments";
pub const CAUSES: &str =
    "`nubbin causes -- PASSING -- FAILING`; PASSING and FAILING are programs with arguments";
pub const EXPLAIN: &str = "`nubbin explain FILE -- COMMAND {}`";

/// The heading of the options about the failure.
const HEADING: &str = "Failure";

const STATEMENTS_EXAMPLES: &str = "\
Examples:
  nubbin statements -- ./sum 0 5
      the executed statements that the output depends on
  nubbin statements --stdout 'sum = 15' -- python3 sum.py 0 5
      the statements that this part of the output depends on
  nubbin statements -o why.html -- ./parser broken.txt
      the statements that a crash depends on, and a page with the source";
const STATE_EXAMPLES: &str = "\
Examples:
  nubbin state --at sort.c:12 -- ./sort 7 8 9 -- ./sort 11 14
      the smallest difference between the states at this line that makes the first run fail
  nubbin state --at sort.c:12:3 -- ./sort 7 8 9 -- ./sort 11 14
      at the third arrival; `12:3,4` is the third in the first run and the fourth in the second
  nubbin state --at list.py:8 --largest --dot why.dot -- python3 list.py a -- python3 list.py b
      match the states by their largest common subgraph; write the failing state for Graphviz";
const CAUSES_EXAMPLES: &str = "\
Examples:
  nubbin causes -- ./sort 7 8 9 -- ./sort 11 14
      how the difference between the arguments leads to the failure: the chain of causes, and the
      statements at which one cause takes over from another
  nubbin causes --stdout '^0' -o why.html -- ./sort 7 8 9 -- ./sort 11 14
      define the failure by its output; write a page with the chain and the source
  nubbin causes --source src -- python3 -m tool a.txt -- python3 -m tool b.txt
      consider statements of files in src [default: the files of the program]

A program in C or C++ is examined with gdb, and must be built with -g -O0. A program in Python is
examined by its interpreter.";
const EXPLAIN_EXAMPLES: &str = "\
Examples:
  nubbin explain crash.json -- python3 tool.py {}
      reduce the file, find a similar file that passes, and explain how the difference leads to the
      failure; crash.why contains the files and a page
  nubbin explain --max-time 10m crash.txt -- ./parser {}
      at most ten minutes";

/// The options that identify a failing run. By default, the failure is inferred from the runs.
#[derive(Debug, Args)]
#[group(skip)]
pub struct TellOptions {
    /// A failing run has this exit status
    #[arg(long, value_name = "N", conflicts_with = "signal", help_heading = HEADING)]
    pub exit_code: Option<u8>,

    /// A failing run crashes with this signal, such as SEGV, SIGABRT or 11
    #[arg(long, value_name = "NAME", value_parser = nubbin_session::text::signal_number, help_heading = HEADING)]
    pub signal: Option<i32>,

    /// A failing run prints text that matches REGEX to standard output
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub stdout: Option<Regex>,

    /// A failing run prints text that matches REGEX to standard error
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub stderr: Option<Regex>,

    /// A failing run prints no text that matches REGEX, to neither output
    #[arg(long, value_name = "REGEX", help_heading = HEADING)]
    pub reject: Option<Regex>,
}

/// The options of every command that examines a program.
#[derive(Debug, Args)]
#[group(skip)]
pub struct WhyOptions {
    #[command(flatten)]
    pub failure: TellOptions,

    /// A source file or directory whose statements are considered; repeatable
    ///
    /// The default is the source files of the program.
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,

    /// The standard input of the program [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,

    /// Write an HTML page about the result to FILE
    ///
    /// `nubbin explain` always writes a page to its directory.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Print the result as a JSON object
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub run: RunOptions,
    /// Stop after this time, such as 90s, 10m or 1h30m, and print the result so far
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Time>,

    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub voice: VoiceOptions,
}

/// The option about matching two states.
#[derive(Debug, Args)]
#[group(skip)]
pub struct MatchOptions {
    /// Match states by their largest common subgraph, if they are small
    ///
    /// By default, both states are traversed in parallel.
    #[arg(long)]
    pub largest: bool,
}

/// Find the executed statements that a failure depends on
#[derive(Debug, Args)]
#[command(override_usage = "nubbin statements [OPTIONS] -- <PROGRAM> [ARGUMENT]…", after_long_help = STATEMENTS_EXAMPLES)]
#[group(skip)]
pub struct Statements {
    /// The failing program, and its arguments
    #[arg(value_name = "PROGRAM", last = true, value_hint = ValueHint::CommandWithArguments)]
    pub words: Vec<OsString>,

    #[command(flatten)]
    pub why: WhyOptions,
}

/// Find the part of a program state that makes a run fail
#[derive(Debug, Args)]
#[command(override_usage = "nubbin state [OPTIONS] --at <FILE:LINE> -- <PASSING>… -- <FAILING>…", after_long_help = STATE_EXAMPLES)]
#[group(skip)]
pub struct State {
    /// A passing run, `--`, and a failing run
    #[arg(value_name = "RUNS", last = true, value_hint = ValueHint::CommandWithArguments)]
    pub words: Vec<OsString>,

    /// The line at which the states are compared, and the number of the arrival [default: 1]
    #[arg(long, value_name = "FILE:LINE[:COUNT]", value_parser = At::parse)]
    pub at: Option<At>,

    /// Write a graph of the failing state to FILE
    ///
    /// The format is Graphviz text, or the output of Graphviz if FILE ends with .svg, .png or .pdf.
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    #[command(flatten)]
    pub matching: MatchOptions,
    #[command(flatten)]
    pub why: WhyOptions,
}

/// Find the chain of causes between a passing and a failing run
#[derive(Debug, Args)]
#[command(override_usage = "nubbin causes [OPTIONS] -- <PASSING>… -- <FAILING>…", after_long_help = CAUSES_EXAMPLES)]
#[group(skip)]
pub struct Causes {
    /// A passing run, `--`, and a failing run
    #[arg(value_name = "RUNS", last = true, value_hint = ValueHint::CommandWithArguments)]
    pub words: Vec<OsString>,

    #[command(flatten)]
    pub matching: MatchOptions,
    #[command(flatten)]
    pub why: WhyOptions,
}

/// Reduce a file, and explain how it makes a program fail
#[derive(Debug, Args)]
#[command(override_usage = "nubbin explain [OPTIONS] <FILE> -- <COMMAND> {}", after_long_help = EXPLAIN_EXAMPLES)]
#[group(skip)]
pub struct Explain {
    /// The file that makes the command fail
    #[arg(value_name = "FILE", index = 1, value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,

    /// The failing command, after `--`
    #[arg(value_name = "COMMAND", index = 2, last = true, value_hint = ValueHint::CommandWithArguments)]
    pub words: Vec<OsString>,

    /// A file that passes, if one is known
    #[arg(long, value_name = "FILE")]
    pub passing: Option<PathBuf>,

    #[command(flatten)]
    pub matching: MatchOptions,
    #[command(flatten)]
    pub why: WhyOptions,
}
