//! How a run is controlled: which passes run, when it ends before its proof, what smaller means, what stays.
//!
//! It finds nothing in the input; that is `keep`'s. The library does the rest.

use super::exit::Exit;
use super::failure::Failure;
use super::inspect;
use super::text;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nubbin::pass::{self, Pass, Plan};
use nubbin::{Objective, Outcome, Proof, Reduction, Stop, Unit};
use regex::bytes::Regex;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What was typed.
#[derive(Debug, Args)]
#[group(skip)]
pub struct Typed {
    /// Show the passes in the order of the plan, and end.
    #[arg(long, exclusive = true, help_heading = "Inspect")]
    pub list_passes: bool,

    /// Run these passes and no others, such as `delete,hoist`; can be given more than once.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(), hide_possible_values = true, help_heading = "Passes")]
    only: Vec<&'static str>,

    /// Run all passes but these; see `--list-passes`.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(), hide_possible_values = true, help_heading = "Passes")]
    skip: Vec<&'static str>,

    /// What smaller means: fewer tokens, bytes, or lines. With `bytes` whitespace is squeezed, too.
    #[arg(long, value_name = "UNIT", default_value = "tokens", value_parser = objective(), help_heading = "Result")]
    objective: Objective,

    /// End after this time, such as 90s, 10m or 1h30m, with the best so far; `--resume` goes on. It counts from the start,
    /// the first runs included.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Ends")]
    max_time: Option<Time>,

    /// End after so many probes, with the best so far; `--resume` with a larger number goes on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Ends")]
    max_probes: Option<u64>,

    /// End once the best is as small as this: `200` or `200tokens`, `500B` or `2kB` (of 1,024), `20lines`. A number
    /// alone is in the unit of `--objective`.
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Ends")]
    stop_at: Option<Small>,

    /// What matches in FILE stays, byte for byte; can be given more than once.
    #[arg(long, value_name = "REGEX", help_heading = "What stays")]
    keep: Vec<Regex>,

    /// The functions of this name stay whole; can be given more than once.
    #[arg(long, value_name = "NAME", help_heading = "What stays")]
    keep_function: Vec<OsString>,

    /// Take lines with DDBEGIN and DDEND for ordinary ones; else only what is between them is reduced.
    #[arg(long, help_heading = "What stays")]
    no_markers: bool,

    /// Read no settings file: neither `nubbin.toml` in this directory nor that in the user's folder for settings.
    #[arg(long, help_heading = "Run")]
    pub no_config: bool,
}

/// A time, and how it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    text: String,
    time: Duration,
}

/// A size that is small enough, and how it was typed; without a unit it is in that of the objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    text: String,
    number: usize,
    unit: Option<Objective>,
}

/// What was meant.
#[derive(Debug)]
pub struct Control {
    only: Vec<&'static str>,
    skip: Vec<&'static str>,
    objective: Objective,
    max_time: Option<Time>,
    max_probes: Option<u64>,
    stop_at: Option<Small>,
    /// When the program began, as far as is known here.
    start: Instant,
    /// What stays.
    pub keep: Vec<Regex>,
    pub keep_function: Vec<OsString>,
    /// Whether lines with markers say what stays.
    pub markers: bool,
}

impl Typed {
    /// Takes the bounds that were typed now for those of an earlier run.
    pub fn bound_by(&mut self, now: &mut Self) {
        self.max_time = now.max_time.take().or(self.max_time.take());
        self.max_probes = now.max_probes.or(self.max_probes);
        self.stop_at = now.stop_at.take().or(self.stop_at.take());
    }
}

impl Control {
    pub fn new(typed: Typed) -> Self {
        Self {
            only: typed.only,
            skip: typed.skip,
            objective: typed.objective,
            max_time: typed.max_time,
            max_probes: typed.max_probes,
            stop_at: typed.stop_at,
            start: Instant::now(),
            keep: typed.keep,
            keep_function: typed.keep_function,
            markers: !typed.no_markers,
        }
    }

    /// What smaller means.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// How long the program may still take.
    pub fn time_left(&self) -> Option<Duration> {
        self.max_time.as_ref().map(|time| time.time.saturating_sub(self.start.elapsed()))
    }

    /// The same reduction under control.
    pub fn apply<'a>(&self, reduction: Reduction<'a>) -> Reduction<'a> {
        let stop_at = self.stop_at.as_ref().map(|small| (small.unit.unwrap_or(self.objective), small.number));
        reduction
            .passes(|name| self.runs(name))
            .objective(self.objective)
            .max_probes(self.max_probes.map(|most| usize::try_from(most).unwrap_or(usize::MAX)))
            .stop_at(stop_at)
    }

    pub fn runs(&self, pass: &str) -> bool {
        (self.only.is_empty() || self.only.contains(&pass)) && !self.skip.contains(&pass)
    }

    /// Makes sure that a pass is left that runs on such an input.
    pub fn check(
        &self,
        is_known: bool,
        is_archive: bool,
        units: &[Unit],
        compact: bool,
    ) -> Result<(), Failure> {
        let plan = plan(is_known, units, compact || self.objective == Objective::Bytes);
        let names: Vec<&str> = plan.tiers().flatten().map(|pass| pass.name).collect();
        if is_archive || names.iter().any(|name| self.runs(name)) {
            return Ok(());
        }
        let message = format!("`{}` leaves no pass for this input", self.selection());
        Err(Failure::usage(message).hint(format!("the passes that run on it are {}", names.join(", "))))
    }

    /// The plan of a single input, without the passes that were not asked for.
    pub fn plan(&self, is_known: bool, units: &[Unit], compact: bool) -> Plan {
        let left_out: Vec<_> = pass::all().map(|pass| pass.name).filter(|name| !self.runs(name)).collect();
        plan(is_known, units, compact || self.objective == Objective::Bytes).without(&left_out)
    }

    /// Which passes were chosen, as options.
    fn selection(&self) -> String {
        let option = |name: &str, passes: &[&str]| {
            (!passes.is_empty()).then(|| format!("{name} {}", passes.join(",")))
        };
        let options = [option("--only", &self.only), option("--skip", &self.skip)];
        options.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// What the steps of a run depend on, in words that are shown where one of them has changed.
    pub fn terms(&self) -> BTreeMap<String, String> {
        let mut terms = BTreeMap::new();
        let mut term = |name: &str, value: String| {
            if !value.is_empty() {
                terms.insert(format!("`{name}`"), value);
            }
        };
        term("--only", self.only.join(","));
        term("--skip", self.skip.join(","));
        if self.objective != Objective::default() {
            term("--objective", self.objective.name().to_owned());
        }
        let keep: Vec<&str> = self.keep.iter().map(Regex::as_str).collect();
        term("--keep", keep.join(" "));
        let functions: Vec<String> = self.keep_function.iter().map(|name| text::quote(name)).collect();
        term("--keep-function", functions.join(" "));
        if !self.markers {
            term("--no-markers", "given".to_owned());
        }
        terms
    }

    /// Why nothing is proven of an outcome, or what was left out of the proof; `is_late` where the time was over.
    pub fn remark(&self, outcome: &Outcome, is_late: bool) -> Remark {
        let bound = match outcome.proof {
            Proof::Interrupted if is_late => {
                self.max_time.as_ref().map(|time| format!("--max-time {}", time.text))
            }
            Proof::Stopped(Stop::Probes) => self.max_probes.map(|most| format!("--max-probes {most}")),
            Proof::Stopped(Stop::Size) => {
                self.stop_at.as_ref().map(|small| format!("--stop-at {}", small.text))
            }
            _ => None,
        };
        match (bound, outcome.proof) {
            (Some(bound), _) => Remark::Nothing(format!("stopped: {bound}")),
            (None, Proof::Dry) => {
                let selection = self.selection();
                let what = if selection.is_empty() { switched(outcome) } else { selection };
                Remark::Nothing(format!("{what} leaves out the passes that prove"))
            }
            (None, Proof::OneMinimal { .. }) => {
                let selection = self.selection();
                let selection = (!selection.is_empty()).then(|| format!(", with {selection}"));
                let kept: usize = outcome.kept.iter().map(|span| span.len() as usize).sum();
                let kept =
                    (kept > 0).then(|| format!(", beside {} that had to stay", text::counted(kept, "byte")));
                let skipped = Some(switched(outcome)).filter(|skipped| !skipped.is_empty());
                let skipped = skipped.map(|skipped| format!(", {skipped}"));
                Remark::Beside(selection.into_iter().chain(skipped).chain(kept).collect())
            }
            (None, _) => Remark::Beside(String::new()),
        }
    }
}

/// Which passes were skipped or switched off by hand, as words.
fn switched(outcome: &Outcome) -> String {
    if outcome.skipped.is_empty() {
        String::new()
    } else {
        format!("without {}, skipped by hand", outcome.skipped.join(", "))
    }
}

/// The plan of an input whose language is known or not.
fn plan(is_known: bool, units: &[Unit], compact: bool) -> Plan {
    if units.is_empty() { Plan::new(is_known, compact) } else { Plan::units(units) }
}

/// What is said about a proof.
pub enum Remark {
    /// Why there is none.
    Nothing(String),
    /// What goes with it; may be empty.
    Beside(String),
}

/// Shows the passes.
pub fn list_passes() -> Result<Exit, Failure> {
    let width = pass::all().map(|pass| pass.name.len()).max().unwrap_or(0);
    let mut shown = String::from(
        "Passes of a tier take turns until none of them finds anything; then comes the next tier.\n\
         Any find sends the run back to the first tier.\n",
    );
    let plans = [
        ("An input in a known language", Plan::new(true, false)),
        ("An input in no known language", Plan::new(false, false)),
        ("`--unit`: only those that were asked for", Plan::units(&Unit::ALL)),
        ("Several files, before each of them is reduced by itself", Plan::files()),
    ];
    for (title, plan) in plans {
        let _ = writeln!(shown, "\n{title}:");
        for (number, tier) in (1..).zip(plan.tiers()) {
            add_tier(&mut shown, &number.to_string(), tier, width);
        }
        if title.contains("a known") {
            let squeeze: Vec<&Pass> = pass::by_name("squeeze").into_iter().collect();
            add_tier(&mut shown, "+", &squeeze, width);
            shown.push_str("      (with `--compact` or `--objective bytes` only)\n");
        }
        let propose: Vec<&Pass> = pass::by_name("propose").into_iter().collect();
        add_tier(&mut shown, "+", &propose, width);
        let after = match title {
            title if title.contains("a known") => "after the second tier",
            title if title.contains("files") => "once the files are dry",
            _ => "after the first tier",
        };
        let _ = writeln!(shown, "      (with `--propose` only, {after})");
        let _ = writeln!(shown, "  proven by {}", plan.sweeps().join(", "));
    }
    inspect::print(&shown)
}

fn add_tier(shown: &mut String, number: &str, tier: &[&Pass], width: usize) {
    for (i, pass) in tier.iter().enumerate() {
        let number = if i == 0 { number } else { "" };
        let _ = writeln!(shown, "  {number:>2}  {:width$}  {}", pass.name, pass.about);
    }
}

/// The names of the passes.
fn passes() -> impl TypedValueParser<Value = &'static str> {
    let known = |name: String| pass::by_name(&name).map(|pass| pass.name).ok_or("there is no such pass");
    PossibleValuesParser::new(pass::all().map(|pass| pass.name)).try_map(known)
}

fn objective() -> impl TypedValueParser<Value = Objective> {
    let known = |name: String| Objective::ALL.into_iter().find(|one| one.name() == name).ok_or("no unit");
    PossibleValuesParser::new(Objective::ALL.map(Objective::name)).try_map(known)
}

/// `90`, `90s`, `10m`, `2h`, `1h30m`.
fn duration(text: &str) -> Result<Time, String> {
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

/// `200`, `200 tokens`, `500B`, `2kB`, `20 lines`.
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
