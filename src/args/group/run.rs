//! The words and the options that nearly every command has: what is run on what, how long, and who hears of it.

use super::{LimitOptions, SurroundingOptions};
use clap::Args;
use nubbin_oracle::{Confidence, LeastRate};
use std::ffi::OsString;
use std::time::Duration;

/// The words that are no options.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct Words {
    /// A script, or a command with arguments, that exits with 0 if the candidate is interesting.
    #[arg(value_name = "ORACLE", index = 1)]
    pub first: Option<OsString>,

    /// The file to reduce, or several files, or a directory; `-` is standard input.
    #[arg(value_name = "FILE", index = 2)]
    pub rest: Vec<OsString>,

    /// Instead of an oracle, after the file: a command that fails on it.
    #[arg(value_name = "COMMAND", index = 3, last = true)]
    pub command: Vec<OsString>,
}

/// The option about inputs that fail even when they are empty.
#[derive(Debug, Args)]
#[group(skip)]
pub struct EmptyOptions {
    /// Go on although the empty file is interesting.
    #[arg(long, help_heading = "Result")]
    pub allow_empty: bool,
}

/// The options about a single run of the oracle, and about several at once.
#[derive(Debug, Args)]
#[group(skip)]
pub struct RunOptions {
    /// How long one run may take [default: 60 for the first, then ten times as long as the longest, at least 5; less while that
    /// proves right].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Run")]
    pub timeout: Option<Duration>,

    /// How many runs may go on at once [default: the number of cores]; the result is the same for any number.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..), help_heading = "Run")]
    pub jobs: Option<u16>,
}

impl RunOptions {
    /// Takes what was typed now for what an earlier run was asked for.
    pub fn replace_by(&mut self, now: &Self) {
        self.timeout = now.timeout.or(self.timeout);
        self.jobs = now.jobs.or(self.jobs);
    }
}

/// The option about oracles that do not repeat themselves.
#[derive(Debug, Args)]
#[group(skip)]
pub struct FlakyOptions {
    /// Go on with an oracle that does not always repeat itself: run each candidate until this is how sure it is that it
    /// fails about as often as FILE does, such as 0.95 or 95%.
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence, help_heading = "Run")]
    pub flaky: Option<Confidence>,

    /// With `--flaky`: how rare a failure of FILE is waited for before anything else, such as 1% or 0.01 [default: 5%]. FILE is
    /// run until it fails, at most until a failure of this rate would have shown with that confidence.
    #[arg(long, value_name = "RATE", value_parser = least_rate, requires = "flaky", help_heading = "Run")]
    pub flaky_rate: Option<LeastRate>,
}

/// The options about the journal of a run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct JournalOptions {
    /// Go on with an earlier run that was interrupted or killed, without repeating a probe. Without an oracle and a file:
    /// with the latest one in this directory that was not finished.
    #[arg(long, help_heading = "Run")]
    pub resume: bool,

    /// Keep no journal (`.nubbin` beside FILE); the run can then not be resumed.
    #[arg(long, conflicts_with = "resume", help_heading = "Run")]
    pub no_journal: bool,
}

/// The options about how much is said.
#[derive(Debug, Args)]
#[group(skip)]
pub struct VoiceOptions {
    /// Print nothing but errors.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more: each pass as it begins, and what each brought.
    #[arg(short, long)]
    pub verbose: bool,
}

impl VoiceOptions {
    /// Takes what was typed now for what an earlier run was asked for.
    pub fn replace_by(&mut self, now: Self) {
        if now.quiet || now.verbose {
            *self = now;
        }
    }
}

/// The options of every command that runs an oracle: what it may use, what it sees, and what is said.
#[derive(Debug, Args)]
#[group(skip)]
pub struct HouseOptions {
    /// Read no settings file: neither `nubbin.toml` in this directory nor that in the user's folder for settings.
    #[arg(long, help_heading = "Run")]
    pub no_config: bool,

    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub around: SurroundingOptions,
    #[command(flatten)]
    pub voice: VoiceOptions,
}

/// A run of the oracle takes less: ten years.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
const TOO_LONG: &str = "longer than ten years; a run has to end, or nothing is learned from it";

/// Parses a time in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        _ if seconds.is_nan() => Err("not a number".to_owned()),
        Ok(limit) if limit > LONGEST => Err(TOO_LONG.to_owned()),
        Ok(limit) if !limit.is_zero() => Ok(limit),
        Err(_) if seconds > 0.0 => Err(TOO_LONG.to_owned()),
        _ => Err("must be more than 0".to_owned()),
    }
}

fn least_rate(text: &str) -> Result<LeastRate, String> {
    LeastRate::new(share(text)?).ok_or_else(|| "must be more than 0 and less than 1".to_owned())
}

/// Parses a share of 1, or a percentage.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share: f64 = number.trim().parse().map_err(|_| "not a number".to_owned())?;
    Ok(share / whole)
}

fn confidence(text: &str) -> Result<Confidence, String> {
    Confidence::new(share(text)?).ok_or_else(|| "must be more than 0.5 and less than 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_a_share_or_a_percentage() {
        assert_eq!(confidence("0.95"), confidence("95%"));
        assert_eq!(confidence("0.95").map(Confidence::share), Ok(0.95));
        for text in ["95", "0.5", "50%", "100%", "1", "much", "", "-1"] {
            assert!(confidence(text).is_err(), "{text}");
        }
    }
}
