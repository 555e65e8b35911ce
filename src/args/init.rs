//! `nubbin init`: options and help.

use super::group::{
    EmptyOptions, EndingOptions, HangOptions, HouseOptions, LanguageOptions, RunOptions, SecondOptions,
};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  nubbin init -o oracle.sh bug.c -- gcc -O2 -c {}
      a script that checks for the exit status and the message that the command shows now
  nubbin init --stderr 'division by zero' data.json -- ./parser {}
      for a chosen message; --exit-code, --signal and --hang work in the same way
  nubbin init --differs-from './old {}' data.json -- ./new {}
      for two commands that differ in their exit status or standard output
  nubbin init --wrong-code 'gcc -O0 {}' bug.c -- gcc -O2 {}
      for two ways to build a program whose runs differ, guarded against undefined behaviour by all
      tools that are installed and that FILE passes: warnings, sanitizers, other compilers, valgrind

Before the script is printed, it is run on FILE, which must fail, and on garbage (the empty file, random
bytes, a syntax error), which must not fail. With -o, the script is written to a file that must not exist.";

/// Write a script that tests for the failure of a command
#[derive(Debug, Args)]
#[command(override_usage = "nubbin init [OPTIONS] <FILE> -- <COMMAND> {}", after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Init {
    /// The file, files or directory to reduce; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<OsString>,

    /// The command that fails on FILE, after `--`
    #[arg(value_name = "COMMAND", last = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,

    /// Write the script to a new file [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub empty: EmptyOptions,
    #[command(flatten)]
    pub ending: EndingOptions,
    #[command(flatten)]
    pub hang: HangOptions,
    #[command(flatten)]
    pub second: SecondOptions,

    /// The failure is wrong code: programs built by COMMAND and COMMAND2 behave differently
    ///
    /// Both commands build a program without `-o`. The programs differ in their output or exit status.
    #[arg(long, value_name = "COMMAND2", value_hint = ValueHint::CommandString, conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "matching", "hang", "differs_from"])]
    pub wrong_code: Option<OsString>,

    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
}
