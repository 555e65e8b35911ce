//! The arguments and options that most commands share: input, test, time limits, and output.

use super::control::duration;
use super::{LimitOptions, SurroundingOptions};
use clap::{Args, ValueHint};
use nubbin_oracle::{Confidence, LeastRate};
use std::ffi::OsString;
use std::time::Duration;

/// The positional arguments.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct Words {
    /// A script, or a quoted command, that exits with 0 if the candidate still fails
    #[arg(value_name = "SCRIPT", index = 1, value_hint = ValueHint::AnyPath)]
    pub first: Option<OsString>,

    /// The file, files or directory to reduce; `-` is standard input
    #[arg(value_name = "FILE", index = 2, value_hint = ValueHint::AnyPath)]
    pub rest: Vec<OsString>,

    /// Instead of a script: a command that fails on FILE, after `--`
    #[arg(value_name = "COMMAND", index = 3, last = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// The option about inputs that fail even if they are empty.
#[derive(Debug, Args)]
#[group(skip)]
pub struct EmptyOptions {
    /// Continue even if the empty file fails in the same way
    #[arg(long, help_heading = "Input")]
    pub allow_empty: bool,
}

/// The options about the time of a run, and about parallel runs.
#[derive(Debug, Args)]
#[group(skip)]
pub struct RunOptions {
    /// Time limit of one run [default: adaptive]
    ///
    /// The first run has 60 seconds. Later runs have ten times the longest run so far, at least 5 seconds; the limit is
    /// lowered further while no candidate needs more. A time can also have a unit, such as `500ms` or `2m`.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Run")]
    pub timeout: Option<Duration>,

    /// Number of parallel runs [default: all cores]
    ///
    /// The result is the same for every number.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..), help_heading = "Run")]
    pub jobs: Option<u16>,
}

impl RunOptions {
    /// Replaces the options of an earlier run by the new ones.
    pub fn replace_by(&mut self, now: &Self) {
        self.timeout = now.timeout.or(self.timeout);
        self.jobs = now.jobs.or(self.jobs);
    }
}

/// The option about flaky tests.
#[derive(Debug, Args)]
#[group(skip)]
pub struct FlakyOptions {
    /// Repeat runs of a flaky test until the verdict has this confidence, such as 95%
    ///
    /// Each candidate is run until it is known with this confidence whether it fails about as often as FILE. A second
    /// value, as in `95%,1%`, is the smallest expected failure rate of FILE [default: 5%]: FILE is run until it fails, at
    /// most until a failure with this rate would have occurred.
    #[arg(long, value_name = "CONFIDENCE[,RATE]", value_parser = flaky, help_heading = "Run")]
    pub flaky: Option<Flaky>,
}

/// The value of `--flaky`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flaky {
    pub confidence: Confidence,
    pub rate: LeastRate,
}

impl FlakyOptions {
    /// Returns the confidence of each verdict.
    pub fn confidence(&self) -> Option<Confidence> {
        self.flaky.map(|flaky| flaky.confidence)
    }

    /// Returns the smallest failure rate that is expected of the input.
    pub fn rate(&self) -> LeastRate {
        self.flaky.map(|flaky| flaky.rate).unwrap_or_default()
    }
}

/// The options about the journal of a run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct JournalOptions {
    /// Continue an interrupted or killed run
    ///
    /// No run is repeated. `nubbin --resume` without other arguments continues the latest unfinished run of this
    /// directory.
    #[arg(long, help_heading = "Run")]
    pub resume: bool,

    /// Keep no journal (`.nubbin` next to FILE)
    ///
    /// The run cannot be resumed.
    #[arg(long, conflicts_with = "resume", help_heading = "Run")]
    pub no_journal: bool,
}

/// The options about the amount of output.
#[derive(Debug, Args)]
#[group(skip)]
pub struct VoiceOptions {
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print each pass, its result, and all counters
    #[arg(short, long)]
    pub verbose: bool,
}

impl VoiceOptions {
    /// Replaces the options of an earlier run by the new ones.
    pub fn replace_by(&mut self, now: Self) {
        if now.quiet || now.verbose {
            *self = now;
        }
    }
}

/// The options of every command that runs a test.
#[derive(Debug, Args)]
#[group(skip)]
pub struct HouseOptions {
    /// Ignore nubbin.toml, both here and in the user's configuration directory
    #[arg(long)]
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
const TOO_LONG: &str = "longer than ten years";

/// Parses a time: a number of seconds, or a number with a unit such as `10s` or `2m`.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    const WRONG: &str = "not a number of seconds, or a time such as 90s or 10m";
    let seconds: f64 = match text.trim().parse() {
        Ok(seconds) => seconds,
        Err(_) => match duration(text) {
            Ok(time) => time.time.as_secs_f64(),
            Err(_) => return Err(WRONG.to_owned()),
        },
    };
    match Duration::try_from_secs_f64(seconds) {
        _ if seconds.is_nan() => Err(WRONG.to_owned()),
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

/// Parses a confidence, and perhaps a rate after a comma.
fn flaky(text: &str) -> Result<Flaky, String> {
    let (first, second) = text.split_once(',').map_or((text, None), |(first, second)| (first, Some(second)));
    let rate = second.map(least_rate).transpose().map_err(|error| format!("the rate {error}"))?;
    Ok(Flaky { confidence: confidence(first)?, rate: rate.unwrap_or_default() })
}

fn confidence(text: &str) -> Result<Confidence, String> {
    Confidence::new(share(text)?).ok_or_else(|| "must be more than 0.5 and less than 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_of_seconds_or_has_a_unit() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(seconds("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(seconds("1m30s"), Ok(Duration::from_secs(90)));
        for text in ["", "x", "0", "-1", "nan", "10x", "99999999999"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_confidence_is_a_share_or_a_percentage() {
        assert_eq!(confidence("0.95"), confidence("95%"));
        assert_eq!(confidence("0.95").map(Confidence::share), Ok(0.95));
        for text in ["95", "0.5", "50%", "100%", "1", "much", "", "-1"] {
            assert!(confidence(text).is_err(), "{text}");
        }
    }
}
