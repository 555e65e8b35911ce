//! `nubbin` itself: the options of a reduction, and the help of the program.

use super::group::{FailureOptions, InspectOptions, ReductionOptions, ResultOptions, ServerOptions, Words};
use crate::exit;
use clap::Args;

pub const USAGE: &str = "nubbin [OPTIONS] <ORACLE> <FILE>…\n       nubbin [OPTIONS] <FILE>… -- <COMMAND> {}\n       nubbin [OPTIONS] --server <COMMAND> <FILE>…\n       nubbin browser [OPTIONS] <PAGE> [FILE]…\n       nubbin options [OPTIONS] -- <COMMAND> <OPTION>…\n       nubbin isolate [OPTIONS] <ORACLE> [PASSING] <FAILING>\n       nubbin maximize [OPTIONS] <ORACLE> <FILE>\n       nubbin changes [OPTIONS] --good <G> --bad <B> -- <COMMAND>\n       nubbin check [OPTIONS] <ORACLE> <FILE>…\n       nubbin init [OPTIONS] <FILE> -- <COMMAND> {}\n       nubbin triage [OPTIONS] <FOLDER> -- <COMMAND> {}\n       nubbin explain [OPTIONS] <FILE> -- <COMMAND> {}\n       nubbin causes [OPTIONS] -- <PASSING>… -- <FAILING>…\n       nubbin state [OPTIONS] --at <FILE:LINE> -- <PASSING>… -- <FAILING>…\n       nubbin events [OPTIONS] -- <PROGRAM>…\n       nubbin --resume\n       nubbin history [FILE] [STEP]";

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

    #[command(flatten)]
    pub result: ResultOptions,
    #[command(flatten)]
    pub failure: FailureOptions,
    #[command(flatten)]
    pub server: ServerOptions,
    /// Leave out options of the command, too, in turns with FILE: options first, and again once FILE is smaller. Parts of
    /// lists go as well, such as those of `-passes='function(a,b),c'`.
    #[arg(long, help_heading = "What is tried")]
    pub options: bool,
    #[command(flatten)]
    pub whole: ReductionOptions,
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub remote: super::group::RemoteOptions,
    #[command(flatten)]
    pub inspect: InspectOptions,
}
