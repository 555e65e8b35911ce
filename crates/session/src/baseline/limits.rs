//! Finds limits that the unchanged input does not exceed, and measures the time of a run.

use super::Trial;
use super::rehearsal::TracedRun;
use crate::failure::Failure;
use crate::text;
use nubbin_oracle::{CommandRun, Limits, Status};
use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The largest number of runs that measure the time.
    runs: usize,
    /// Run times are uneven if they differ by more than this time and by more than `uneven_factor`.
    uneven_time: Duration,
    uneven_factor: f64,
    /// The number of consecutive differing runs after which a limit is considered the cause.
    runs_against_limit: usize,
}

const TUNING: Tuning =
    Tuning { runs: 5, uneven_time: Duration::from_millis(50), uneven_factor: 1.5, runs_against_limit: 3 };

impl Trial<'_> {
    /// Makes the first run with all limits. If a run without the default limits has another result, the limit that
    /// causes the difference is determined and removed, and the first run is repeated. A test that decides by itself
    /// and finds the failure is never run without limits.
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

    pub(super) fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.oracle = self.with(limits);
    }

    /// Returns whether two runs have the same result: the same verdict, or if that is not known yet, the same status
    /// and messages up to parts that vary.
    fn is_same(&self, one: &CommandRun, other: &CommandRun) -> bool {
        if !self.is_open() {
            return one.verdict.is_interesting() == other.verdict.is_interesting();
        }
        one.status == other.status
            && self.says_alike(one, other, |one, other| one == other || one.common(other).is_some())
    }

    /// Prints a note for each default limit that was removed or raised.
    fn tell(&self, limits: Limits) {
        let all = self.settings.bounds.all();
        if limits.memory != all.memory {
            self.settings.voice.say(
                "note: memory is not limited: the unreduced input needs more than the default; set a limit with `--limit memory=SIZE`",
            );
        }
        if let (Some(before), Some(now)) = (all.output.filter(|_| limits.output != all.output), limits.output)
        {
            let [before, now] = [before, now].map(text::megabytes);
            self.settings.voice.say(&format!(
                "note: the output limit is {now}: the unreduced input needs more than the default of {before}; \
                 set another limit with `--limit output=SIZE`"
            ));
        }
    }

    /// Makes at least two runs, and more if run times are uneven, as time allows.
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
