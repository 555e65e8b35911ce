//! The options about which passes run, when a run ends before its proof, what smaller means, and what stays.

use super::run::share;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nubbin_reduce::{Objective, Order, pass};
use nubbin_session::control::{Small, Stalled, Time};
use nubbin_session::failure::Failure;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::time::Duration;

/// The options about which passes run, and what they make smaller.
#[derive(Debug, Args)]
#[group(skip)]
pub struct PassOptions {
    /// Run these passes and no others, such as `delete-nodes,hoist`; can be given more than once.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(), hide_possible_values = true, help_heading = "Passes")]
    pub only: Vec<&'static str>,

    /// Run all passes but these; see `--list-passes`.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(), hide_possible_values = true, help_heading = "Passes")]
    pub skip: Vec<&'static str>,

    /// The measure of what is smaller: tokens, bytes, or lines, or two of them in order, such as `lines,bytes`: the second one
    /// decides where the first is the same. With `bytes` first, whitespace is squeezed, too.
    #[arg(long, value_name = "UNIT", default_value = "tokens", value_delimiter = ',', value_parser = objective(), help_heading = "Result")]
    pub objective: Vec<Objective>,
}

/// The option about the time of a whole run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct TimeOptions {
    /// End after this time, such as 90s, 10m or 1h30m, with the best so far; `--resume` goes on. It counts from the start,
    /// the first runs included.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Ends")]
    pub max_time: Option<Time>,
}

/// The options about the length of a run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct BoundOptions {
    #[command(flatten)]
    pub time: TimeOptions,

    /// End after so many probes, with the best so far; `--resume` with a larger number goes on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Ends")]
    pub max_probes: Option<u64>,
}

/// The options about the end of a reduction before its proof.
#[derive(Debug, Args)]
#[group(skip)]
pub struct EndOptions {
    #[command(flatten)]
    pub bounds: BoundOptions,

    /// End once the best is as small as this: `200` or `200tokens`, `500B` or `2kB` (of 1,024), `20lines`. A number
    /// alone is in the unit of `--objective`.
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Ends")]
    pub stop_at: Option<Small>,

    /// End once it no longer pays, with the best so far: `10%/min` is when a minute has made the best less than a tenth
    /// smaller; `--resume` goes on. It counts from the beginning of the reduction, in the unit of `--objective`.
    #[arg(long, value_name = "SHARE/TIME", value_parser = stalled, help_heading = "Ends")]
    pub until_stalled: Option<Stalled>,
}

/// The options about what stays.
#[derive(Debug, Args)]
#[group(skip)]
pub struct KeepOptions {
    /// What matches in FILE stays, byte for byte; can be given more than once.
    #[arg(long, value_name = "REGEX", help_heading = "What stays")]
    pub keep: Vec<Regex>,

    /// The functions of this name stay whole; can be given more than once.
    #[arg(long, value_name = "NAME", help_heading = "What stays")]
    pub keep_function: Vec<OsString>,

    /// Take lines with DDBEGIN and DDEND for ordinary ones; else only what is between them is reduced.
    #[arg(long, help_heading = "What stays")]
    pub no_markers: bool,
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
    /// Takes the bound that was typed now for that of an earlier run.
    pub fn replace_by(&mut self, now: Self) {
        self.max_time = now.max_time.or(self.max_time.take());
    }
}

impl BoundOptions {
    /// Takes the bounds that were typed now for those of an earlier run.
    pub fn replace_by(&mut self, now: Self) {
        self.time.replace_by(now.time);
        self.max_probes = now.max_probes.or(self.max_probes);
    }
}

impl EndOptions {
    /// Takes the bounds that were typed now for those of an earlier run.
    pub fn replace_by(&mut self, now: Self) {
        self.bounds.replace_by(now.bounds);
        self.stop_at = now.stop_at.or(self.stop_at.take());
        self.until_stalled = now.until_stalled.or(self.until_stalled.take());
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

/// Parses a time, such as `90`, `90s`, `10m`, `2h` or `1h30m`.
pub fn duration(text: &str) -> Result<Time, String> {
    const WRONG: &str = "not a time; 90s, 10m and 1h30m are";
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

/// Parses a share of the size and the time in which that has to go, such as `10%/min`, `5%/30s` or `0.1/10m`.
fn stalled(text: &str) -> Result<Stalled, String> {
    const WRONG: &str = "not a share and a time; 10%/min, 5%/30s and 1%/1h are";
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
    const WRONG: &str = "not a size; 200, 200tokens, 500B, 2kB and 20lines are";
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
