//! The limits that the unchanged input fits in, and the time that a run takes.

use super::Trial;
use crate::failure::Failure;
use nubbin_oracle::Limits;
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
    /// Runs the oracle with all limits. Where it is another one then, it finds out which limit is to blame, and takes
    /// it back. The limits that stay are returned.
    pub(super) fn limit(&mut self) -> Result<Limits, Failure> {
        let (asked, all) = (self.settings.bounds.asked, self.settings.bounds.all());
        let second = self.run(&self.with(all))?;
        if self.shows(&second) || all == asked {
            return Ok(all);
        }
        let without = [
            (Limits { memory: asked.memory, ..all }, "memory", "--memory"),
            (Limits { output: asked.output, ..all }, "output", "--output-size"),
            (asked, "memory and output", "--memory` and `--output-size"),
        ];
        for (limits, what, option) in without {
            if limits == all {
                continue;
            }
            let (mut is_free, mut is_to_blame) = (true, true);
            for _ in 0..TUNING.runs_against_limit {
                is_free = is_free && self.shows(&self.with(limits).run(self.input)?);
                is_to_blame = is_to_blame && is_free && !self.shows(&self.with(all).run(self.input)?);
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
            self.said.pop();
            self.messages.truncate(1);
            self.settings.voice.say(&format!(
                "note: no limit of {what}: the unreduced input needs more than the default; `{option}` sets one"
            ));
            return Ok(limits);
        }
        Ok(all)
    }

    /// Runs the oracle more often where it takes now longer, now shorter.
    pub(super) fn time(&mut self, limits: Limits) -> Result<(), Failure> {
        let oracle = self.with(limits);
        while self.times.len() < TUNING.runs && is_uneven(&self.times) {
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
