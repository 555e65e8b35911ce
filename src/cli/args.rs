//! What was typed: options, words and their help.
//!
//! What they mean together is decided in `settings`.

use super::exit::{self, Exit};
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

const USAGE: &str = "nubbin [OPTIONS] <ORACLE> <FILE>\n       nubbin [OPTIONS] <FILE> -- <COMMAND> {}";

const EXAMPLES: &str = "\
Examples:
  nubbin ./oracle.sh bug.c
      reduce bug.c to the smallest file for which oracle.sh exits with status 0,
      and write it to bug.reduced.c
  nubbin bug.c -- gcc -O2 -c {}
      no script: keep the exit status, or the signal, that gcc ends with now
  nubbin --stderr 'internal compiler error' bug.c -- gcc -O2 -c {}
      keep this message in its standard error
  nubbin --signal SEGV page.html -- ./parser {}
      keep the crash
  nubbin --in-place 'python3 check.py {} --strict' data.json
      an oracle with arguments; replace data.json, and keep data.json.orig
  generate | nubbin --language c -o - ./oracle.sh -
      from standard input to standard output

The oracle runs in a fresh directory that holds only the candidate, under FILE's own name.
It is given the candidate's path as {}, or as its last argument if there is no {}.
It exits with 0 if the candidate is interesting (it still fails), with 125 if it cannot
tell, and with anything else if it is not. Check for the failure itself, such as its
message: an oracle that accepts too much gives a small file that fails in another way.";

/// Reduces a failing input to its nubbin: the smallest piece that still fails.
#[derive(Debug, Parser)]
#[command(
    name = "nubbin",
    version,
    override_usage = USAGE,
    arg_required_else_help = true,
    after_help = "`nubbin --help` shows examples and the exit codes.",
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::list())
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Args {
    /// A script, or a command with arguments, that exits with 0 if the candidate is interesting.
    #[arg(value_name = "ORACLE")]
    pub first: Option<OsString>,

    /// The file to reduce; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub second: Option<OsString>,

    /// Instead of an oracle, after the file: a command that fails on it.
    #[arg(value_name = "COMMAND", last = true)]
    pub command: Vec<OsString>,

    /// Where the result goes [default: FILE with `.reduced` before its extension]; `-` is standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// Replace FILE itself, and keep it as FILE.orig (or FILE.orig.1, …; a backup is never overwritten).
    #[arg(long, conflicts_with = "output", help_heading = "Result")]
    pub in_place: bool,

    /// Squeeze whitespace too, where that helps; by default the result stays readable.
    #[arg(long, help_heading = "Result")]
    pub compact: bool,

    /// Go on although the empty file is interesting.
    #[arg(long, help_heading = "Result")]
    pub allow_empty: bool,

    /// The failure is this exit status.
    #[arg(long, value_name = "N", conflicts_with = "signal", help_heading = "Failure of a COMMAND")]
    pub exit_code: Option<u8>,

    /// The failure is to be killed by this signal, such as SEGV, SIGABRT or 11.
    #[arg(long, value_name = "NAME", value_parser = super::signal::parse, help_heading = "Failure of a COMMAND")]
    pub signal: Option<i32>,

    /// The failure writes this to standard error.
    #[arg(long, value_name = "REGEX", help_heading = "Failure of a COMMAND")]
    pub stderr: Option<regex::bytes::Regex>,

    /// The failure writes this to standard output.
    #[arg(long, value_name = "REGEX", help_heading = "Failure of a COMMAND")]
    pub stdout: Option<regex::bytes::Regex>,

    /// How long one run may take [default: 60 for the first, then ten times as long as the longest, at least 5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Run")]
    pub timeout: Option<std::time::Duration>,

    /// How many runs may go on at once [default: the number of cores]; the result is the same for any number.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Run")]
    pub jobs: Option<u16>,

    #[command(flatten)]
    pub limits: super::limits::Typed,

    /// The language of FILE [default: from its name and first line]; see `--list-languages`.
    #[arg(long, value_name = "NAME", help_heading = "Language")]
    pub language: Option<String>,

    /// A folder with the grammar and the rules of another language, which FILE is in.
    #[arg(long, value_name = "DIR", conflicts_with = "language", help_heading = "Language")]
    pub grammar: Option<PathBuf>,

    /// Show the languages, and end.
    #[arg(long, exclusive = true, help_heading = "Inspect")]
    pub list_languages: bool,

    /// Show the syntax tree of FILE, and end; takes no oracle.
    #[arg(long, conflicts_with = "command", help_heading = "Inspect")]
    pub dump_tree: bool,

    /// Show what PASS would try on FILE first, and end; takes no oracle.
    #[arg(long, value_name = "PASS", conflicts_with_all = ["command", "dump_tree"], help_heading = "Inspect")]
    pub dump_deltas: Option<String>,

    /// Print nothing but errors.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more: each pass as it begins, and what each brought.
    #[arg(short, long)]
    pub verbose: bool,
}

impl Args {
    /// What stands on this program's command line. Where that cannot be understood, or asks for help, it is answered
    /// here, and the exit code is returned.
    pub fn typed() -> Result<Self, Exit> {
        Self::try_parse().map_err(|answer| {
            let _ = answer.print();
            if answer.exit_code() == 0 { Exit::Success } else { Exit::Usage }
        })
    }
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match std::time::Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err("must be more than 0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }
}
