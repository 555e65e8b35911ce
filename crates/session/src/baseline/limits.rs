//! The limits that the unchanged input fits in, and the time that a run takes.

use super::Trial;
use crate::failure::Failure;
use nubbin_oracle::Limits;
use std::time::Duration;

/// At most this many runs find out how long one takes. Another run is made if the longest and the shortest differ by
/// more than this time, and by more than this factor.
const RUNS: usize = 5;
const UNEVEN: (Duration, f64) = (Duration::from_millis(50), 1.5);
/// A limit is to blame, and not chance, if so many runs in a row say so.
const SURE: usize = 3;

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
            for _ in 0..SURE {
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
        while self.times.len() < RUNS && is_uneven(&self.times) {
            self.run(&oracle)?;
        }
        Ok(())
    }
}

fn is_uneven(times: &[Duration]) -> bool {
    let longest = times.iter().max().copied().unwrap_or_default();
    let shortest = times.iter().min().copied().unwrap_or_default();
    longest.saturating_sub(shortest) > UNEVEN.0 && longest > shortest.mul_f64(UNEVEN.1)
}
