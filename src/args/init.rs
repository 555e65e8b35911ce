//! `nubbin init`: its options, and its help.

use super::group::failure::HEADING;
use super::group::{
    EmptyOptions, EndingOptions, HangOptions, HouseOptions, LanguageOptions, RunOptions, SecondOptions,
};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  nubbin init -o oracle.sh bug.c -- gcc -O2 -c {}
      a script that looks for the status and the message that the command shows now
  nubbin init --stderr 'division by zero' data.json -- ./parser {}
      for a message of your choice; `--exit-code`, `--signal` and `--hang` work as without a script
  nubbin init --differs-from './old {}' data.json -- ./new {}
      two commands that differ in their status or standard output
  nubbin init --wrong-code 'gcc -O0 {}' bug.c -- gcc -O2 {}
      two ways to build a program whose runs differ, with all guards against undefined behaviour that this
      machine has and FILE passes: warnings, sanitizers, other compilers, valgrind, interpreters of C

Before it is printed, the script is run on FILE, where it must find the failure, and on garbage, where it
must not: the empty file, bytes that mean nothing, a syntax error. It looks for the line of the output that
tells these apart. With -o it is written, ready to run; no file is overwritten.";

/// Writes an oracle script for the failure that a command shows, and proves it on FILE.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin init [OPTIONS] <FILE> -- <COMMAND> {}", after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Init {
    /// The file to reduce, or several files, or a directory; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,

    /// The command that fails on it.
    #[arg(value_name = "COMMAND", last = true)]
    pub command: Vec<OsString>,

    /// Where the script goes [default: standard output]; no file is overwritten.
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub empty: EmptyOptions,
    #[command(flatten)]
    pub ending: EndingOptions,
    #[command(flatten)]
    pub hang: HangOptions,
    #[command(flatten)]
    pub second: SecondOptions,

    /// The failure is wrong code: COMMAND and this one each build a program, without `-o`, and the two programs differ in
    /// what they write or how they end.
    #[arg(long, value_name = "COMMAND2", conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "keep_message", "hang", "differs_from"], help_heading = HEADING)]
    pub wrong_code: Option<OsString>,

    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
}
