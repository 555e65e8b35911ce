//! Options that control a run: which passes run, when it stops early, the measure of size, and the text that must not
//! change.
//!
//! The module `keep` finds that text in the input.

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

/// A time limit and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// The text shown in the summary.
    pub text: String,
    /// The time limit.
    pub time: Duration,
}

/// A size at which a run stops, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    /// The text shown in the summary.
    pub text: String,
    /// The size, in `unit`.
    pub number: usize,
    /// The unit; `None` is the unit of the objective.
    pub unit: Option<Objective>,
}

/// The least progress at which a run continues, and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Stalled {
    /// The text shown in the summary.
    pub text: String,
    /// The share of the current best that must be removed.
    pub share: f64,
    /// The period in which that must happen.
    pub time: Duration,
}

/// Options that control a run.
#[derive(Debug)]
pub struct Control {
    /// The passes to run, or all if empty.
    pub only: Vec<&'static str>,
    /// The passes to skip.
    pub skip: Vec<&'static str>,
    /// The measures to minimise, in order of priority.
    pub objective: Order,
    /// Names, texts and numbers are replaced at the end, so that the result does not reveal its origin.
    pub anonymize: bool,
    /// The time after which the run stops, counted from `start`.
    pub max_time: Option<Time>,
    /// The number of candidates after which it stops.
    pub max_probes: Option<u64>,
    /// The size at which it stops.
    pub stop_at: Option<Small>,
    /// The least progress at which it continues.
    pub until_stalled: Option<Stalled>,
    /// The start of the program, as far as known.
    pub start: Instant,
    /// Text that matches one of these is not changed.
    pub keep: Vec<Regex>,
    /// Functions with these names are not changed.
    pub keep_function: Vec<OsString>,
    /// Lines with markers protect the text between them.
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
    /// Returns the measure with the highest priority.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective.first
    }

    /// Returns the remaining time, if it is limited.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.max_time.as_ref().map(|time| time.time.saturating_sub(self.start.elapsed()))
    }

    /// Returns whether a run of this duration is allowed before the search starts. Half of the total time is reserved
    /// for the search.
    pub(crate) fn affords(&self, run: Duration) -> bool {
        self.max_time.as_ref().is_none_or(|time| self.start.elapsed() + run <= time.time / 2)
    }

    /// Returns a note if the initial runs took most of the time. `longest` is the duration of the longest.
    pub(crate) fn first_runs_note(&self, longest: Duration) -> Option<String> {
        let (time, passed) = (self.max_time.as_ref()?, self.start.elapsed());
        (passed > time.time / 2).then(|| {
            format!(
                "note: the initial runs took {} of `--max-time {}`, because one run takes up to {}; optional checks are \
                 skipped",
                text::time(passed),
                time.text,
                text::time(longest)
            )
        })
    }

    /// Applies these passes, limits and objective to a reduction.
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

    /// Returns whether a pass runs.
    #[must_use]
    pub fn runs(&self, pass: &str) -> bool {
        let has = |names: &[&str]| names.iter().any(|name| pass::select(name).any(|one| one.name == pass));
        (self.only.is_empty() || has(&self.only)) && !has(&self.skip)
    }

    /// Checks that at least one pass runs on such an input.
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
        let message = format!("no pass remains for this input with `{}`", self.selection());
        Err(Failure::usage(message).hint(format!("the passes for this input are {}", names.join(", "))))
    }

    /// Returns the plan of a single input, with the selected passes.
    #[must_use]
    pub fn plan(&self, is_known: bool, units: &[Unit], compact: bool) -> Plan {
        let left_out: Vec<_> = pass::all().map(|pass| pass.name).filter(|name| !self.runs(name)).collect();
        self.whole_plan(is_known, units, compact).without(&left_out)
    }

    /// Returns the plan of an input with all passes.
    fn whole_plan(&self, is_known: bool, units: &[Unit], compact: bool) -> Plan {
        if !units.is_empty() {
            return Plan::units(units);
        }
        let plan = Plan::new(is_known, compact || self.objective.first == Objective::Bytes);
        if self.anonymize { plan.anonymous() } else { plan }
    }

    /// Returns the selection of passes as options.
    fn selection(&self) -> String {
        let option = |name: &str, passes: &[&str]| {
            (!passes.is_empty()).then(|| format!("{name} {}", passes.join(",")))
        };
        let options = [option("--only", &self.only), option("--skip", &self.skip)];
        options.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Returns the options on which the steps of a run depend. Names and values are shown if they differ.
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
        term("--keep function:", functions.join(" "));
        if self.anonymize {
            term("--anonymize", "given".to_owned());
        }
        if !self.markers {
            term("no-markers", "given".to_owned());
        }
        terms
    }

    /// Returns the reason why nothing was proven, or a qualification of the proof. `over` is the time limit that
    /// ended the run.
    #[must_use]
    pub fn remark(&self, outcome: &Outcome, over: Option<Over>) -> Remark {
        let bound = match outcome.proof {
            Proof::Interrupted => match over {
                Some(Over::Time) => self.max_time.as_ref().map(|time| format!("--max-time {}", time.text)),
                Some(Over::Pace) => {
                    self.until_stalled.as_ref().map(|pace| format!("--stop-at {}", pace.text))
                }
                None => None,
            },
            Proof::Stopped(StopReason::Probes) => {
                self.max_probes.map(|most| format!("--max-candidates {most}"))
            }
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
                    let why = "the result is too large to try to remove each part alone";
                    return Remark::Nothing(why.to_owned());
                }
                Remark::Nothing(format!("{what} excludes the passes that are needed for a proof"))
            }
            (None, Proof::OneMinimal { .. }) => {
                let selection = self.selection();
                let selection = (!selection.is_empty()).then(|| format!(", with {selection}"));
                let kept: usize = outcome.kept.iter().map(|span| span.len() as usize).sum();
                let kept = (kept > 0)
                    .then(|| format!(", except {} that must not change", text::counted(kept, "byte")));
                let skipped = Some(switched(outcome)).filter(|skipped| !skipped.is_empty());
                let skipped = skipped.map(|skipped| format!(", {skipped}"));
                let equal = ", trying only the first and the last of consecutive equal parts";
                let equal = outcome.is_thinned.then(|| equal.to_owned());
                Remark::Beside(selection.into_iter().chain(skipped).chain(kept).chain(equal).collect())
            }
            (None, _) => Remark::Beside(String::new()),
        }
    }
}

/// Describes the passes skipped or switched off by hand.
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
    /// There is a proof, followed by this text, which can be empty.
    Beside(String),
}
