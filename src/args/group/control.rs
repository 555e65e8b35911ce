//! The options about passes, early ends, the objective, and protected parts.

use super::run::share;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nubbin_reduce::{Objective, Order, pass};
use nubbin_session::control::{Small, Stalled, Time};
use nubbin_session::failure::Failure;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::time::Duration;

/// The options about passes, and about the objective.
#[derive(Debug, Args)]
#[group(skip)]
pub struct PassOptions {
    /// Run only these passes, such as delete-nodes,hoist (see `nubbin passes`)
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(), hide_possible_values = true, help_heading = "Passes")]
    pub only: Vec<&'static str>,

    /// Do not run these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(), hide_possible_values = true, help_heading = "Passes")]
    pub skip: Vec<&'static str>,

    /// The size to minimize: tokens, bytes or lines
    ///
    /// Of two units, such as `lines,bytes`, the second one decides between candidates that are equal in the first. With
    /// `bytes` first, whitespace is removed as well.
    #[arg(long, value_name = "UNIT", hide_possible_values = true, default_value = "tokens", value_delimiter = ',', value_parser = objective(), help_heading = "Result")]
    pub objective: Vec<Objective>,
}

/// The option that limits the time of the whole run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct TimeOptions {
    /// Stop after this time, such as 90s, 10m or 1h30m
    ///
    /// The time includes the initial checks. The output holds the current best, and --resume continues.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Stop early")]
    pub max_time: Option<Time>,
}

/// The options about the length of a run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct BoundOptions {
    #[command(flatten)]
    pub time: TimeOptions,

    /// Stop after N tested candidates
    ///
    /// The output holds the current best, and --resume with a larger number continues.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Stop early")]
    pub max_candidates: Option<u64>,
}

/// The options that end a reduction early.
#[derive(Debug, Args)]
#[group(skip)]
pub struct EndOptions {
    #[command(flatten)]
    pub bounds: BoundOptions,

    /// Stop at a size, such as 200tokens, 2kB or 20lines, or at a rate, such as 10%/min
    ///
    /// A number alone is in the unit of --objective. `10%/min` stops when a minute has reduced the current best by less
    /// than 10 %. A size and a rate can be combined: `--stop-at 20lines,10%/min`.
    #[arg(long, value_name = "SIZE|RATE", value_delimiter = ',', value_parser = goal, help_heading = "Stop early")]
    pub stop_at: Vec<StopAt>,
}

/// A value of `--stop-at`.
#[derive(Clone, Debug)]
pub enum StopAt {
    Size(Small),
    Rate(Stalled),
}

/// The options about protected parts of the input.
#[derive(Debug, Args)]
#[group(skip)]
pub struct KeepOptions {
    /// Keep text that matches REGEX, or `function:NAME`; repeatable
    ///
    /// Matching parts of FILE are kept byte for byte. `function:NAME` keeps the functions of this name.
    #[arg(long, value_name = "REGEX", value_parser = kept, help_heading = "Constraints")]
    pub keep: Vec<Kept>,

    /// Reduce the whole file, even if it has lines with DDBEGIN and DDEND. For `no-markers` in `nubbin.toml`.
    #[arg(long, hide = true, help_heading = "Constraints")]
    pub no_markers: bool,
}

/// A value of `--keep`.
#[derive(Clone, Debug)]
pub enum Kept {
    Text(Regex),
    Function(OsString),
}

impl KeepOptions {
    /// Returns the patterns of protected text, and the names of protected functions.
    pub fn parts(self) -> (Vec<Regex>, Vec<OsString>) {
        let (mut texts, mut functions) = (Vec::new(), Vec::new());
        for kept in self.keep {
            match kept {
                Kept::Text(regex) => texts.push(regex),
                Kept::Function(name) => functions.push(name),
            }
        }
        (texts, functions)
    }
}

impl PassOptions {
    /// Returns the objectives in order.
    ///
    /// # Errors
    /// Returns an error if there are too many, or the same one twice.
    pub fn order(&self) -> Result<Order, Failure> {
        let units = [self.objective.first(), self.objective.get(1)].map(Option::<&Objective>::copied);
        if self.objective.len() > 2 || units[0] == units[1] {
            let message = "`--objective` takes one unit, or two different ones";
            return Err(Failure::usage(message)
                .hint("`--objective lines,bytes` is fewer lines first, then fewer bytes"));
        }
        Ok(Order { first: units[0].unwrap_or_default(), then: units[1] })
    }
}

impl TimeOptions {
    /// Replaces the limit of an earlier run by the new one.
    pub fn replace_by(&mut self, now: Self) {
        self.max_time = now.max_time.or(self.max_time.take());
    }
}

impl BoundOptions {
    /// Replaces the limits of an earlier run by the new ones.
    pub fn replace_by(&mut self, now: Self) {
        self.time.replace_by(now.time);
        self.max_candidates = now.max_candidates.or(self.max_candidates);
    }
}

impl EndOptions {
    /// Replaces the limits of an earlier run by the new ones.
    pub fn replace_by(&mut self, now: Self) {
        self.bounds.replace_by(now.bounds);
        if !now.stop_at.is_empty() {
            self.stop_at = now.stop_at;
        }
    }

    /// Returns the size to stop at.
    pub fn size(&self) -> Option<Small> {
        self.stop_at.iter().rev().find_map(|one| match one {
            StopAt::Size(size) => Some(size.clone()),
            StopAt::Rate(_) => None,
        })
    }

    /// Returns the rate to stop at.
    pub fn rate(&self) -> Option<Stalled> {
        self.stop_at.iter().rev().find_map(|one| match one {
            StopAt::Rate(rate) => Some(rate.clone()),
            StopAt::Size(_) => None,
        })
    }
}

/// Parses the name of a pass or of a group of passes.
fn passes() -> impl TypedValueParser<Value = &'static str> {
    let known = |name: String| pass::selectors().find(|known| *known == name).ok_or("unknown pass");
    PossibleValuesParser::new(pass::selectors()).try_map(known)
}

fn objective() -> impl TypedValueParser<Value = Objective> {
    let known = |name: String| Objective::ALL.into_iter().find(|one| one.name() == name).ok_or("no unit");
    PossibleValuesParser::new(Objective::ALL.map(Objective::name)).try_map(known)
}

/// Parses a size, or a rate.
fn goal(text: &str) -> Result<StopAt, String> {
    if text.contains('/') { stalled(text).map(StopAt::Rate) } else { size(text).map(StopAt::Size) }
}

/// Parses a regular expression, or `function:NAME`.
fn kept(text: &str) -> Result<Kept, String> {
    match text.strip_prefix("function:") {
        Some(name) if !name.is_empty() => Ok(Kept::Function(name.into())),
        Some(_) => Err("no function is named; `function:main` keeps the functions `main`".to_owned()),
        None => Regex::new(text).map(Kept::Text).map_err(|error| error.to_string()),
    }
}

/// Parses a time, such as `90`, `90s`, `10m`, `2h` or `1h30m`.
pub fn duration(text: &str) -> Result<Time, String> {
    const WRONG: &str = "not a time, such as 90s, 10m or 1h30m";
    let mut time = Duration::ZERO;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| WRONG.to_owned())?;
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let mut unit = rest[..letters].chars();
        let seconds = match [unit.next(), unit.next(), unit.next()] {
            [Some('m'), Some('s'), None] => 0.001,
            [Some('s'), None, None] => 1.0,
            [None, ..] if time.is_zero() && rest.is_empty() => 1.0,
            [Some('m'), None, None] => 60.0,
            [Some('h'), None, None] => 3600.0,
            [Some('d'), None, None] => 86400.0,
            _ => return Err(WRONG.to_owned()),
        };
        rest = rest[letters..].trim_start();
        let part = Duration::try_from_secs_f64(number * seconds).map_err(|_| WRONG.to_owned())?;
        time = time.checked_add(part).ok_or(WRONG)?;
    }
    match (text.trim().is_empty(), time.is_zero()) {
        (true, _) => Err(WRONG.to_owned()),
        (false, true) => Err("must be more than 0".to_owned()),
        (false, false) => Ok(Time { text: text.trim().to_owned(), time }),
    }
}

/// Parses a share of the size and a time, such as `10%/min`, `5%/30s` or `0.1/10m`.
fn stalled(text: &str) -> Result<Stalled, String> {
    const WRONG: &str = "not a rate, such as 10%/min, 5%/30s or 1%/1h";
    let (part, time) = text.trim().split_once('/').ok_or(WRONG)?;
    let share = share(part.trim()).map_err(|_| WRONG.to_owned())?;
    if !(share > 0.0 && share < 1.0) {
        return Err("the share must be more than 0 and less than 100%".to_owned());
    }
    // `min` is `1m`.
    let time = time.trim();
    let time = if time.ends_with("min") { time.trim_end_matches("in") } else { time };
    let time = if time.starts_with(|c: char| c.is_ascii_alphabetic()) {
        format!("1{time}")
    } else {
        time.to_owned()
    };
    let time = duration(&time).map_err(|_| WRONG.to_owned())?.time;
    Ok(Stalled { text: text.trim().to_owned(), share, time })
}

/// Parses a size, such as `200`, `200 tokens`, `500B`, `2kB` or `20 lines`.
fn size(text: &str) -> Result<Small, String> {
    const WRONG: &str =
        "not a size, such as 200, 200tokens, 500B, 2kB or 20lines, nor a rate, such as 10%/min";
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (unit, power) = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" => (None, 0),
        "t" | "token" | "tokens" => (Some(Objective::Tokens), 0),
        "b" | "byte" | "bytes" => (Some(Objective::Bytes), 0),
        "k" | "kb" | "kib" => (Some(Objective::Bytes), 10),
        "m" | "mb" | "mib" => (Some(Objective::Bytes), 20),
        "l" | "line" | "lines" => (Some(Objective::Lines), 0),
        _ => return Err(WRONG.to_owned()),
    };
    let number: f64 = text[..digits].parse().map_err(|_| WRONG.to_owned())?;
    let whole = number * f64::from(1_u32 << power);
    if whole > f64::from(u32::MAX) || power == 0 && number.fract() > 0.0 {
        return Err(WRONG.to_owned());
    }
    Ok(Small { text: text.to_owned(), number: whole as usize, unit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let seconds = |text| duration(text).map(|time| time.time.as_secs_f64());
        for (text, expected) in [
            ("90", 90.0),
            ("90s", 90.0),
            ("10m", 600.0),
            ("2h", 7200.0),
            ("1h30m", 5400.0),
            ("1.5h", 5400.0),
            ("250ms", 0.25),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in ["", "h", "10x", "1h30", "-1", "0", "1e3", "ten", "999999999999999999999d"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_run_is_stalled_by_a_share_and_a_time() {
        let of = |text| stalled(text).map(|found| (found.share, found.time.as_secs()));
        for (text, share, seconds) in [
            ("10%/min", 0.1, 60),
            ("5% / 30s", 0.05, 30),
            ("0.5/10m", 0.5, 600),
            ("1%/h", 0.01, 3600),
            ("1%/2min", 0.01, 120),
        ] {
            assert_eq!(of(text), Ok((share, seconds)), "{text}");
        }
        for text in ["", "10%", "10%/", "/min", "0%/min", "100%/min", "10%/x", "10/min", "-1%/min"] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_in_tokens_bytes_or_lines() {
        let of = |text| size(text).map(|small| (small.number, small.unit));
        assert_eq!(of("200"), Ok((200, None)));
        for (text, number, unit) in [
            ("200 tokens", 200, Objective::Tokens),
            ("500B", 500, Objective::Bytes),
            ("2kB", 2048, Objective::Bytes),
            ("1.5k", 1536, Objective::Bytes),
            ("20lines", 20, Objective::Lines),
            ("1 line", 1, Objective::Lines),
        ] {
            assert_eq!(of(text), Ok((number, Some(unit))), "{text}");
        }
        for text in ["", "tokens", "1.5", "-2", "10 words", "1e3", "99999M"] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
