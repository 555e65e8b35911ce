//! Controls a run: the passes that run, the bounds that end it before its proof, the measure of size, and the text that
//! stays.
//!
//! It finds nothing in the input; `keep` does that. The library does the rest.

use crate::failure::Failure;
use crate::stop::Over;
use crate::text;
use nubbin_reduce::Objective;
use nubbin_reduce::Order;
use nubbin_reduce::Outcome;
use nubbin_reduce::Proof;
use nubbin_reduce::Reduction;
use nubbin_reduce::StopReason;
use nubbin_reduce::Unit;
use nubbin_reduce::pass::{self, Plan};
use regex::bytes::Regex;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// A time, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// The text that a summary names it by.
    pub text: String,
    /// The time.
    pub time: Duration,
}

/// A size that is small enough, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    /// The text that a summary names it by.
    pub text: String,
    /// The size, in `unit`.
    pub number: usize,
    /// The unit; without one it is that of the objective.
    pub unit: Option<Objective>,
}

/// The pace below which a run no longer pays, and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Stalled {
    /// The text that a summary names it by.
    pub text: String,
    /// The share of the best that has to go.
    pub share: f64,
    /// The time in which it has to.
    pub time: Duration,
}

/// The control of a run.
#[derive(Debug)]
pub struct Control {
    /// The passes that run; all, if none is named.
    pub only: Vec<&'static str>,
    /// The passes that do not run.
    pub skip: Vec<&'static str>,
    /// The measures that the reduction makes smaller, in order.
    pub objective: Order,
    /// Words are replaced in the end, so that they tell nothing of their origin.
    pub anonymize: bool,
    /// The time after which the run ends, counted from `start`.
    pub max_time: Option<Time>,
    /// The number of probes after which it ends.
    pub max_probes: Option<u64>,
    /// The size at which it ends.
    pub stop_at: Option<Small>,
    /// The pace below which it ends.
    pub until_stalled: Option<Stalled>,
    /// The time when the program began, as far as it is known.
    pub start: Instant,
    /// The text that matches one of these stays, byte for byte.
    pub keep: Vec<Regex>,
    /// The functions of these names stay whole.
    pub keep_function: Vec<OsString>,
    /// Lines with markers say what stays.
    pub markers: bool,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            only: Vec::new(),
            skip: Vec::new(),
            objective: Order::default(),
            anonymize: false,
            max_time: None,
            max_probes: None,
            stop_at: None,
            until_stalled: None,
            start: Instant::now(),
            keep: Vec::new(),
            keep_function: Vec::new(),
            markers: true,
        }
    }
}

impl Control {
    /// Returns the measure that the reduction makes smaller first.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective.first
    }

    /// Returns the time that is left to the program, if it is bounded.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.max_time.as_ref().map(|time| time.time.saturating_sub(self.start.elapsed()))
    }

    /// Tells whether a run that takes this long may be made before the search begins: the search has half of the time that
    /// is given.
    pub(crate) fn affords(&self, run: Duration) -> bool {
        self.max_time.as_ref().is_none_or(|time| self.start.elapsed() + run <= time.time / 2)
    }

    /// Returns a note about first runs that took most of the time, where the longest took this long.
    pub(crate) fn first_runs_note(&self, longest: Duration) -> Option<String> {
        let (time, passed) = (self.max_time.as_ref()?, self.start.elapsed());
        (passed > time.time / 2).then(|| {
            format!(
                "note: the first runs took {} of `--max-time {}`, since one takes up to {}; checks that take more runs are \
                 left out",
                text::time(passed),
                time.text,
                text::time(longest)
            )
        })
    }

    /// Returns the same reduction with these passes, bounds of probes and size, and this measure.
    #[must_use]
    pub fn apply<'a>(&self, reduction: Reduction<'a>) -> Reduction<'a> {
        let stop_at =
            self.stop_at.as_ref().map(|small| (small.unit.unwrap_or(self.objective.first), small.number));
        reduction
            .passes(|name| self.runs(name))
            .objective(self.objective)
            .max_probes(self.max_probes.map(|most| usize::try_from(most).unwrap_or(usize::MAX)))
            .stop_at(stop_at)
    }

    /// Tells whether this pass runs.
    #[must_use]
    pub fn runs(&self, pass: &str) -> bool {
        let has = |names: &[&str]| names.iter().any(|name| pass::select(name).any(|one| one.name == pass));
        (self.only.is_empty() || has(&self.only)) && !has(&self.skip)
    }

    /// Makes sure that a pass is left that runs on such an input.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn check(
        &self,
        is_known: bool,
        is_archive: bool,
        units: &[Unit],
        compact: bool,
    ) -> Result<(), Failure> {
        let plan = self.whole_plan(is_known, units, compact);
        let names: Vec<&str> = plan.tiers().flatten().map(|pass| pass.name).collect();
        if is_archive || names.iter().any(|name| self.runs(name)) {
            return Ok(());
        }
        let message = format!("`{}` leaves no pass for this input", self.selection());
        Err(Failure::usage(message).hint(format!("the passes that run on it are {}", names.join(", "))))
    }

    /// Returns the plan of a single input, without the passes that were not asked for.
    #[must_use]
    pub fn plan(&self, is_known: bool, units: &[Unit], compact: bool) -> Plan {
        let left_out: Vec<_> = pass::all().map(|pass| pass.name).filter(|name| !self.runs(name)).collect();
        self.whole_plan(is_known, units, compact).without(&left_out)
    }

    /// Returns the plan of an input whose language is known or not.
    fn whole_plan(&self, is_known: bool, units: &[Unit], compact: bool) -> Plan {
        if !units.is_empty() {
            return Plan::units(units);
        }
        let plan = Plan::new(is_known, compact || self.objective.first == Objective::Bytes);
        if self.anonymize { plan.anonymous() } else { plan }
    }

    /// Returns the chosen passes as options.
    fn selection(&self) -> String {
        let option = |name: &str, passes: &[&str]| {
            (!passes.is_empty()).then(|| format!("{name} {}", passes.join(",")))
        };
        let options = [option("--only", &self.only), option("--skip", &self.skip)];
        options.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Returns the options on which the steps of a run depend, in words that are shown if one of them has changed.
    pub fn terms(&self) -> BTreeMap<String, String> {
        let mut terms = BTreeMap::new();
        let mut term = |name: &str, value: String| {
            if !value.is_empty() {
                terms.insert(format!("`{name}`"), value);
            }
        };
        term("--only", self.only.join(","));
        term("--skip", self.skip.join(","));
        if self.objective != Order::default() {
            let names = [Some(self.objective.first), self.objective.then].into_iter().flatten();
            term("--objective", names.map(Objective::name).collect::<Vec<_>>().join(","));
        }
        let keep: Vec<&str> = self.keep.iter().map(Regex::as_str).collect();
        term("--keep", keep.join(" "));
        let functions: Vec<String> = self.keep_function.iter().map(|name| text::quote(name)).collect();
        term("--keep-function", functions.join(" "));
        if self.anonymize {
            term("--anonymize", "given".to_owned());
        }
        if !self.markers {
            term("--no-markers", "given".to_owned());
        }
        terms
    }

    /// Returns the reason why nothing is proven of an outcome, or the options that go with its proof; `over` is the bound in
    /// time that ended the run.
    #[must_use]
    pub fn remark(&self, outcome: &Outcome, over: Option<Over>) -> Remark {
        let bound = match outcome.proof {
            Proof::Interrupted => match over {
                Some(Over::Time) => self.max_time.as_ref().map(|time| format!("--max-time {}", time.text)),
                Some(Over::Pace) => {
                    self.until_stalled.as_ref().map(|pace| format!("--until-stalled {}", pace.text))
                }
                None => None,
            },
            Proof::Stopped(StopReason::Probes) => self.max_probes.map(|most| format!("--max-probes {most}")),
            Proof::Stopped(StopReason::Size) => {
                self.stop_at.as_ref().map(|small| format!("--stop-at {}", small.text))
            }
            _ => None,
        };
        match (bound, outcome.proof) {
            (Some(bound), _) => Remark::Nothing(format!("stopped: {bound}")),
            (None, Proof::Dry) => {
                let selection = self.selection();
                let what = if selection.is_empty() { switched(outcome) } else { selection };
                if what.is_empty() {
                    let why = "the result is too large to try each part alone";
                    return Remark::Nothing(why.to_owned());
                }
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
                let equal = ", of equal parts in a row the first and the last alone";
                let equal = outcome.is_thinned.then(|| equal.to_owned());
                Remark::Beside(selection.into_iter().chain(skipped).chain(kept).chain(equal).collect())
            }
            (None, _) => Remark::Beside(String::new()),
        }
    }
}

/// Describes the passes that were skipped or switched off by hand.
fn switched(outcome: &Outcome) -> String {
    if outcome.skipped.is_empty() {
        String::new()
    } else {
        format!("without {}, skipped by hand", outcome.skipped.join(", "))
    }
}

/// A remark about a proof.
#[derive(Clone, Debug)]
pub enum Remark {
    /// There is no proof, for this reason.
    Nothing(String),
    /// There is a proof, and this text goes with it; it may be empty.
    Beside(String),
}
