//! The order of bugs: which one is next, with how many jobs, and for how many probes.
//!
//! The bug with the smallest product of size and run time is next. A bug that does not get smaller during a turn
//! moves back, so every bug has a turn eventually.

use super::state::{Bug, BugState};

/// Tuned parameters.
struct Tuning {
    /// The number of probes of the first turn.
    turn: usize,
    /// The factor by which each later turn is longer.
    growth: usize,
    /// The largest number of probes of a turn.
    longest: usize,
    /// The least assumed time of a run, in seconds; overhead dominates shorter runs.
    least: f64,
    /// Tokens that are added to the size of each bug, because the last probes of a reduction prove the result.
    proof: f64,
    /// The factor for a bug that no file of the folder shows.
    found: f64,
}

const TUNING: Tuning = Tuning { turn: 600, growth: 2, longest: 10_000, least: 0.02, proof: 40.0, found: 1e6 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub number: usize,
    /// The number of parallel runs.
    pub jobs: usize,
}

/// Returns the next turn if `free` jobs are free, or `None` if no bug waits.
pub(super) fn next(bugs: &[Bug], free: usize) -> Option<Turn> {
    if free == 0 {
        return None;
    }
    let waiting = || bugs.iter().filter(|bug| bug.state == BugState::Waiting);
    let nearest = waiting()
        .min_by(|one, other| distance(one).total_cmp(&distance(other)).then(one.number.cmp(&other.number)))?;
    // Each bug has one job while enough bugs wait; otherwise the free jobs are shared.
    let jobs = free.div_ceil(waiting().count());
    Some(Turn { number: nearest.number, jobs })
}

/// Returns the total number of probes at which the next turn of a bug ends.
pub(super) fn bound(bug: &Bug) -> usize {
    let factor = u32::try_from(bug.turns).unwrap_or(u32::MAX);
    let turn = TUNING.growth.saturating_pow(factor).saturating_mul(TUNING.turn).min(TUNING.longest);
    bug.probes.saturating_add(turn)
}

/// Returns the estimated work until a bug has its small file.
fn distance(bug: &Bug) -> f64 {
    let member = bug.members.iter().filter(|member| member.failed.is_none()).min_by_key(|one| one.bytes);
    let seconds = member.map_or(0.0, |member| member.seconds).max(TUNING.least);
    // Before the first turn only the size in bytes is known.
    let tokens = match bug.after.tokens {
        0 => member.map_or(0, |member| member.bytes) as f64 / 3.0,
        tokens => tokens as f64,
    };
    let patience = match &bug.curve[..] {
        // A bug that did not get smaller during its last turn needs more work than its size suggests.
        [.., last] if bug.turns > 1 => {
            let since = bug.probes.saturating_sub(last.probes) as f64;
            1.0 + since / TUNING.turn as f64
        }
        _ => 1.0,
    };
    let found = if bug.found.is_some() { TUNING.found } else { 1.0 };
    (tokens + TUNING.proof) * seconds * patience * found
}

#[cfg(test)]
mod tests {
    use super::super::crash::Crash;
    use super::super::state::{Measure, Member, SizeAt};
    use super::*;
    use crate::baseline::Ends;

    fn bug(number: usize, bytes: usize, seconds: f64) -> Bug {
        let crash = Crash { ends: Ends::Exit(1), signature: None };
        let mut bug = Bug::new(number, crash, String::new());
        bug.members.push(Member { path: String::new(), found: None, bytes, seconds, failed: None });
        bug
    }

    #[test]
    fn the_nearest_bug_comes_first_by_size_and_by_time() {
        let bugs = [bug(1, 9000, 0.1), bug(2, 3000, 0.1), bug(3, 3000, 10.0)];
        assert_eq!(next(&bugs, 1), Some(Turn { number: 2, jobs: 1 }));
        assert_eq!(next(&bugs[..1], 0), None);
        assert_eq!(next(&[], 4), None);
    }

    #[test]
    fn jobs_that_no_bug_waits_for_help_the_others() {
        let bugs = [bug(1, 9000, 0.1), bug(2, 3000, 0.1), bug(3, 3000, 10.0)];
        assert_eq!(next(&bugs, 2).map(|turn| turn.jobs), Some(1));
        assert_eq!(next(&bugs, 8).map(|turn| turn.jobs), Some(3));
        assert_eq!(next(&bugs[..1], 8).map(|turn| turn.jobs), Some(8));
    }

    #[test]
    fn a_bug_that_gets_no_smaller_lets_others_go_first() {
        let mut stuck = bug(1, 3000, 0.1);
        (stuck.turns, stuck.probes, stuck.after) = (4, 9000, Measure { tokens: 900, bytes: 2700, lines: 90 });
        stuck.curve = vec![SizeAt { probes: 50, tokens: 900 }];
        assert_eq!(next(&[stuck.clone(), bug(2, 9000, 0.1)], 1).map(|turn| turn.number), Some(2));
        stuck.curve.push(SizeAt { probes: 8990, tokens: 900 });
        assert_eq!(next(&[stuck, bug(2, 9000, 0.1)], 1).map(|turn| turn.number), Some(1));
    }

    #[test]
    fn turns_get_longer_up_to_a_bound() {
        let mut one = bug(1, 10, 0.1);
        assert_eq!(bound(&one), 600);
        (one.turns, one.probes) = (1, 600);
        assert_eq!(bound(&one), 1800);
        (one.turns, one.probes) = (60, 5000);
        assert_eq!(bound(&one), 15_000);
    }
}
