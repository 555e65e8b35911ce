//! The reduction, which is the program without a subcommand: options and help.

use super::group::{FailureOptions, ReductionOptions, ResultOptions, ServerOptions, Words};
use clap::Args;

/// The usage, for the help and for errors.
pub const USAGE: &str = "nubbin [OPTIONS] <FILE>… -- <COMMAND> {}   keep the failure of the command\n       nubbin [OPTIONS] <SCRIPT> <FILE>…         keep what the script accepts";

/// The examples of the long help and of the manual.
pub const EXAMPLES: &str = "\
Examples:
  nubbin bug.c -- gcc -O2 -c {}
      keep the failure that gcc shows now: its exit status or signal, and its message
  nubbin --stderr 'internal compiler error' bug.c -- gcc -O2 -c {}
      keep this message
  nubbin --signal SEGV page.html -- ./parser {}
      keep the crash
  nubbin --differs-from 'sh run.sh -O0 {}' bug.c -- sh run.sh -O2 {}
      wrong code: two commands that differ in their exit status or standard output
  nubbin ./oracle.sh bug.c
      keep whatever oracle.sh exits with status 0 for, and write bug.reduced.c
  nubbin --in-place 'python3 check.py {} --strict' data.json
      a script with arguments; replace data.json, and keep data.json.orig
  nubbin ./oracle.sh project
      a directory: whole files are removed first; the result is project.reduced
  nubbin --resume
      continue the latest interrupted run in this directory
  nubbin --unit line ./replay.sh events.log
      remove lines only; `--unit byte` is for binary files
  generate | nubbin --language c -o - ./oracle.sh -
      from standard input to standard output

The command runs in an empty directory that contains only the candidate, under the name of FILE.
`{}` is replaced by the path of the candidate. A script without `{}` gets the path as its last argument.
A script exits with 0 if the candidate still fails, with 125 if it cannot decide, and with any other
status otherwise. It should check for the failure itself, such as its message: a script that accepts
too much leads to a small file that fails in another way.";

/// The options of a reduction.
#[derive(Debug, Args)]
#[group(skip)]
pub struct Reduce {
    #[command(flatten)]
    pub words: Words,

    #[command(flatten)]
    pub failure: FailureOptions,
    #[command(flatten)]
    pub result: ResultOptions,
    /// Remove options of the command as well, in turns with FILE
    ///
    /// Parts of lists are removed as well, such as those of `-passes='function(a,b),c'`.
    #[arg(long, help_heading = "Input")]
    pub options: bool,
    #[command(flatten)]
    pub whole: ReductionOptions,
    #[command(flatten)]
    pub server: ServerOptions,
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub remote: super::group::RemoteOptions,
}
