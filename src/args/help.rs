//! The short help: how the program is used, its commands, and the options that matter.
//!
//! All options are in the long help, which is made of their own descriptions.

use crate::args::meant;
use crate::command::inspect;
use crate::exit::{self, Exit};
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::io::Write;

/// The text that `-h` shows, and that is shown if nothing was typed.
const SHORT: &str = "\
Reduces a failing input to its nubbin: the smallest piece that still fails.

Usage: nubbin [OPTIONS] <FILE>… -- <COMMAND> {}    keep the failure that a command shows
       nubbin [OPTIONS] <ORACLE> <FILE>…           keep what a script exits with 0 for

  nubbin bug.c -- gcc -O2 -c {}
  nubbin --stderr 'internal compiler error' bug.c -- gcc -O2 -c {}
  nubbin ./oracle.sh bug.c

FILE is a file, several, a directory, or `-`; it stays as it is. {} is the candidate's path.
The result goes to bug.reduced.c, and is there as far as it is after Ctrl-C, too.

Commands (`nubbin help COMMAND` has more):
  check        find out what is wrong with an oracle before hours are spent
  init         write an oracle script for the failure that a command shows
  isolate      find the smallest difference between a file that works and one that fails
  maximize     find the largest part of a file that does not fail
  changes      find the changes between two versions that make a command fail
  options      find out which options of a command its failure depends on
  browser      reduce a page that fails in a browser, which stays open
  triage       find the bugs in a folder of failing files, with a small file for each
  explain      reduce a file, and tell how it makes a program fail
  causes       find how the difference of two runs becomes a failure
  state        find the smallest difference of two states that makes a run fail
  events       find the executed statements that a failure needs
  history      list the steps of a run, or bring one of them back
  trust        allow the nubbin.toml of this directory to name programs
  completions  print the completions for a shell
  manual       print the manual page

Options that matter most (`nubbin --help` has all):
  -o, --output FILE       where the result goes; `-` is standard output
      --in-place          replace FILE, and keep FILE.orig
      --stderr REGEX      the failure writes this; also --stdout, --exit-code N, --signal NAME
      --differs-from CMD  wrong code: the failure is that two commands differ
      --timeout SECONDS   how long one run may take
  -j, --jobs N            how many runs go on at once
      --max-time TIME     end after 90s, 10m or 1h30m with the best so far
      --resume            go on with a run that was interrupted or killed
      --unit UNIT         take away lines, tokens, chars or bytes, and nothing else
      --report FILE       write a page that shows what was done
  -q, --quiet; -v, --verbose; -h, --help; -V, --version
";

/// Prints the short help in place of a long answer: if it was asked for by `-h`, without a command before it, or if
/// nothing was typed at all.
pub fn instead_of(answer: &clap::Error, words: &[OsString]) -> Option<Exit> {
    let asks = |how: &str| words.iter().take_while(|word| *word != "--").any(|word| word == how);
    let is_command = words.first().is_some_and(|word| meant::is_command(word));
    match answer.kind() {
        ErrorKind::DisplayHelp if !is_command && !asks("--help") => {
            Some(inspect::print(SHORT).unwrap_or_else(|failure| exit::report(&failure)))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !is_command => {
            let _ = writeln!(std::io::stderr().lock(), "{}", SHORT.trim_end());
            Some(Exit::Usage)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::definition;

    #[test]
    fn it_fits_a_screen_and_names_every_command_and_only_options_that_there_are() {
        assert!(SHORT.lines().count() <= 50);
        assert!(SHORT.lines().all(|line| line.chars().count() <= 100));
        let command = definition();
        for word in command.get_subcommands().map(clap::Command::get_name) {
            assert!(SHORT.lines().any(|line| line.starts_with(&format!("  {word} "))), "{word}");
        }
        let known: Vec<String> =
            command.get_arguments().filter_map(|one| one.get_long().map(str::to_owned)).collect();
        let words = SHORT.split(|c: char| !c.is_ascii_alphabetic() && c != '-');
        for option in words.filter_map(|word| word.strip_prefix("--")).filter(|word| !word.is_empty()) {
            assert!(
                ["help", "version"].contains(&option) || known.iter().any(|one| one == option),
                "{option}"
            );
        }
    }
}
