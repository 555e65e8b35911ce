//! The limits that the unchanged input fits in, and the time that a run takes.

use super::Trial;
use super::rehearsal::TracedRun;
use crate::failure::Failure;
use crate::text;
use nubbin_oracle::{CommandRun, Limits, Status};
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// At most this many runs find out how long a run takes.
    runs: usize,
    /// Another run is made if the longest and the shortest one differ by more than this time and by more than
    /// `uneven_factor`.
    uneven_time: Duration,
    /// The longest run is this many times as long as the shortest one if they are uneven.
    uneven_factor: f64,
    /// A limit, and not chance, is to blame if this many runs in a row show it.
    runs_against_limit: usize,
}

const TUNING: Tuning =
    Tuning { runs: 5, uneven_time: Duration::from_millis(50), uneven_factor: 1.5, runs_against_limit: 3 };

impl Trial<'_> {
    /// Makes the first run, with all limits. Where it shows something else without the defaults, it finds out which of
    /// them is to blame, takes it back, and makes the first run anew. A test that says by itself that its failure is
    /// there never runs without them.
    pub(super) fn first_within(&mut self) -> Result<TracedRun, Failure> {
        if let Some(known) = &self.settings.known {
            return self.first_as_known(known);
        }
        let (all, loose) = (self.settings.bounds.all(), self.settings.bounds.loose());
        let plain = (self.oracle.clone(), self.surroundings.clone());
        self.limit(all);
        let first = self.first()?;
        let is_there = !self.is_open() && (first.run.verdict.is_interesting() || self.seek()?.is_some());
        if loose == all || is_there || first.run.status == Status::TimedOut || !self.affords_run() {
            return Ok(first);
        }
        let free = self.with(loose).run(self.input)?;
        if self.is_same(&first.run, &free) {
            self.second = Some(free);
            return Ok(first);
        }
        for limits in [Limits { memory: loose.memory, ..all }, Limits { output: loose.output, ..all }, loose]
        {
            if limits == all {
                continue;
            }
            let (mut is_free, mut is_to_blame) = (true, true);
            for _ in 0..TUNING.runs_against_limit {
                is_free = is_free && self.is_same(&free, &self.with(limits).run(self.input)?);
                is_to_blame =
                    is_to_blame && is_free && !self.is_same(&free, &self.with(all).run(self.input)?);
                if !is_to_blame {
                    break;
                }
            }
            if !is_free {
                continue;
            }
            if !is_to_blame {
                break;
            }
            self.tell(limits);
            self.forget();
            (self.oracle, self.surroundings) = plain;
            self.limit(limits);
            return self.first();
        }
        Ok(first)
    }

    /// Makes all later runs have these limits.
    pub(super) fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.oracle = self.with(limits);
    }

    /// Tells whether two runs show the same, as far as it is known before the failure is: the verdict of a test that
    /// gives one, or else the end and the messages, apart from what differs from run to run.
    fn is_same(&self, one: &CommandRun, other: &CommandRun) -> bool {
        if !self.is_open() {
            return one.verdict.is_interesting() == other.verdict.is_interesting();
        }
        one.status == other.status
            && self.says_alike(one, other, |one, other| one == other || one.common(other).is_some())
    }

    /// Tells the user which defaults do not hold.
    fn tell(&self, limits: Limits) {
        let all = self.settings.bounds.all();
        if limits.memory != all.memory {
            self.settings.voice.say(
                "note: no limit of memory: the unreduced input needs more than the default; `--memory` sets one",
            );
        }
        if let (Some(before), Some(now)) = (all.output.filter(|_| limits.output != all.output), limits.output)
        {
            let [before, now] = [before, now].map(text::megabytes);
            self.settings.voice.say(&format!(
                "note: the limit of output is {now}: the unreduced input needs more than the default of {before}; \
                 `--output-size` sets another one"
            ));
        }
    }

    /// Makes sure that there are two runs, and more where it takes now longer, now shorter; as far as there is time for
    /// them.
    pub(super) fn time(&mut self) -> Result<(), Failure> {
        let oracle = self.oracle.clone();
        match self.second.take() {
            Some(run) => self.note(&CommandRun { verdict: oracle.judge(&run), ..run }),
            None if self.affords_run() => drop(self.run(&oracle)?),
            None => {}
        }
        while self.times.len() < TUNING.runs && is_uneven(&self.times) && self.affords_run() {
            self.run(&oracle)?;
        }
        Ok(())
    }
}

fn is_uneven(times: &[Duration]) -> bool {
    let longest = times.iter().max().copied().unwrap_or_default();
    let shortest = times.iter().min().copied().unwrap_or_default();
    longest.saturating_sub(shortest) > TUNING.uneven_time && longest > shortest.mul_f64(TUNING.uneven_factor)
}
