//! The options and the help of `nubbin init`.

use std::ffi::OsString;

/// The options that make no sense here, besides those of reductions only.
pub const SENSELESS: [&str; 5] = ["max_time", "unit", "resume", "no_journal", "search"];
pub const EXAMPLES: &str = "\
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

/// What was typed.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Typed {
    /// The failure is wrong code: COMMAND and this one each build a program, without `-o`, and the two programs differ in
    /// what they write or how they end.
    #[arg(long, value_name = "COMMAND2", hide = true, conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "keep_message", "hang", "differs_from"], help_heading = "Failure of a COMMAND")]
    wrong_code: Option<OsString>,
}

impl Typed {
    /// Returns the second way to build the program.
    pub fn second(&mut self) -> Option<OsString> {
        self.wrong_code.take()
    }
}
