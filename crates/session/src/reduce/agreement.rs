//! What a run does where servers and fresh processes disagree: it goes back to what is confirmed, and searches again.
//!
//! The comparisons are made in [`Served`].

use super::saver::{self, Agreed, Ahead, Bests, Trail};
use super::{Asked, Audience, Run};
use crate::baseline::{Answering, Baseline};
use crate::hand::Hand;
use crate::input::BestFile;
use crate::{squeeze, text};
use nubbin_oracle::{Doubt, Name, Rate, Served};
use nubbin_reduce::Outcome;
use nubbin_search::Verdict;
use std::sync::Arc;
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// The result of a hang is confirmed with so many times the time of a run, but with no more than `hang_time` in addition.
    hang_factor: u32,
    hang_time: Duration,
    /// Where the result of a hang does not hold, runs get so many times the time from then on.
    round_factor: u32,
    /// After so many of these rounds, the command does not repeat itself.
    rounds: usize,
}

const TUNING: Tuning =
    Tuning { hang_factor: 10, hang_time: Duration::from_secs(30), round_factor: 3, rounds: 3 };

/// A best of a hang that holds, with the number of steps to it.
type Held = (usize, Arc<[u8]>);

/// The state that a run goes back to.
struct Back {
    /// The last best that is confirmed, if there is one.
    best: Option<Arc<[u8]>>,
    /// The number of steps to it.
    steps: usize,
    /// The candidates whose verdicts do not hold.
    doubted: Vec<Name>,
}

/// Says that a server was wrong, and what becomes of it.
pub(crate) fn doubt_note(doubt: Doubt, answering: Answering, has_agreed: bool) -> String {
    let said = |verdict: Verdict| match verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "uninteresting",
        Verdict::Unresolved(_) => "unresolved",
    };
    let from = if has_agreed { "the last best that was confirmed" } else { "the beginning" };
    let (who, fresh, why) = match answering {
        Answering::Ahead => (
            "a process that was started ahead",
            "with new ones",
            "it may have looked at the candidate before `nubbin-wait`, or it does not repeat itself",
        ),
        Answering::Faster => (
            "a process that starts in less time",
            "with new ones",
            "the options of the Java virtual machine change what it says, or it does not repeat itself",
        ),
        Answering::Servers => (
            "a server",
            "with fresh servers",
            "what candidates leave behind in a server changes what it says",
        ),
    };
    let how = if doubt.is_last { "with a process for each run" } else { fresh };
    let what = match doubt.said {
        Some([served, fresh]) => {
            format!("{who} found a candidate {}, and a fresh process found it {}", said(served), said(fresh))
        }
        None => "the same candidate was found one thing, and then another".to_owned(),
    };
    format!("note: {what}: {why}; going on from {from}, {how}")
}

impl Run<'_> {
    /// Runs the result of a hang once more, with more time: on a busy machine a run may only have been slow. If it ends then,
    /// returns the last best that does not, or the input, and gives all later runs more time. Returns `None` if the result
    /// hangs, or cannot be run.
    fn last_hang(&self, baseline: &Baseline<'_>, best: &[u8], trail: &Trail) -> Option<Held> {
        let limit = baseline.time_limit();
        let longer = limit.saturating_mul(TUNING.hang_factor).min(limit.saturating_add(TUNING.hang_time));
        if baseline.is_interesting_with(longer, best)? {
            return None;
        }
        let next = limit.saturating_mul(TUNING.round_factor).min(longer);
        self.settings.voice.say(&format!(
            "note: the result ended by itself when it had {} instead of {}: the machine was busy, or `--timeout` is too short; \
             going on from the last best that does not end, with {} a run",
            text::time(longer),
            text::time(limit),
            text::time(next)
        ));
        baseline.lengthen(next);
        let held = trail.last(|best| baseline.is_interesting_with(longer, best) == Some(true));
        Some(held.unwrap_or_else(|| (0, Arc::clone(self.input))))
    }

    /// Looks whether the result of a hang holds. If it does not, returns the last best that does, as
    /// [`last_hang`](Self::last_hang) does.
    fn lost_hang(&self, baseline: &Baseline<'_>, outcome: Option<&Outcome>, agreed: &Agreed) -> Option<Held> {
        let (outcome, trail) = (outcome?, agreed.trail.as_ref()?);
        if outcome.proof.is_cut_short() || outcome.best[..] == self.input[..] {
            return None;
        }
        self.last_hang(baseline, &outcome.best, trail)
    }

    /// Goes back to an earlier best, or to the input. After too many rounds that is an error.
    fn go_back(
        &self,
        (steps, text): Held,
        best: &mut BestFile,
        bests: &mut Bests,
        rounds: usize,
    ) -> Result<(), nubbin_reduce::Error> {
        if let Some(logbook) = self.logbook {
            logbook.doubt_all(steps);
        }
        bests.put_back(best, text.clone())?;
        if rounds > TUNING.rounds {
            let rate = Rate { interesting: 0, runs: 1 };
            return Err(nubbin_reduce::Error::Flaky { rate, reduced: true });
        }
        let objective = self.settings.control.objective;
        bests.ahead = (steps > 0).then_some(Ahead { text, objective });
        Ok(())
    }

    /// Searches, and again from the last agreement where servers and fresh processes disagree.
    pub(super) fn agreed(
        &self,
        baseline: &Baseline<'_>,
        best: &mut BestFile,
        (bests, hand): (&mut Bests, &mut Hand),
        audience: &mut dyn Audience,
        asked: Asked<'_>,
    ) -> Result<Outcome, nubbin_reduce::Error> {
        let mut agreed = Agreed { trail: baseline.is_hang().then(Trail::default), ..Agreed::default() };
        let mut rounds = 0;
        loop {
            let outcome = self.search(baseline, best, (bests, hand, &mut agreed), audience, asked);
            if let Some(held) = self.lost_hang(baseline, outcome.as_ref().ok(), &agreed) {
                rounds += 1;
                self.go_back(held, best, bests, rounds)?;
                agreed = Agreed { trail: Some(Trail::default()), ..Agreed::default() };
                continue;
            }
            let Some(served) = baseline.served() else { return outcome };
            let is_cut_short = outcome.as_ref().is_ok_and(|outcome| outcome.proof.is_cut_short());
            if let Ok(outcome) = &outcome
                && served.is_unconfirmed()
                && outcome.best != **self.input
            {
                let limit = if self.stop.is_late() { squeeze::LATE } else { squeeze::LIMIT };
                // A disagreement is heard of below. A process that cannot be run says nothing.
                let _ = if is_cut_short {
                    served.confirm_in(limit, &outcome.best)
                } else {
                    served.confirm_last().and_then(|()| served.confirm(&outcome.best))
                };
            }
            if matches!(outcome, Err(nubbin_reduce::Error::Flaky { .. })) {
                served.contradicts_itself();
            }
            let Some((doubt, doubted)) = served.go_on() else { return outcome };
            let back = back(served, &agreed, (doubted, doubt.is_last), is_cut_short);
            self.settings.voice.say(&doubt_note(doubt, baseline.answering, back.steps > 0));
            if let Some(logbook) = self.logbook {
                logbook.begin_again(&back.doubted, back.steps);
            }
            let text = back.best.clone().unwrap_or_else(|| Arc::clone(self.input));
            bests.put_back(best, text.clone())?;
            if back.steps == 0 {
                // The search begins with the input, and the file keeps what is confirmed until there is less.
                let objective = self.settings.control.objective;
                bests.ahead = back.best.map(|text| Ahead { text, objective });
                agreed = Agreed::default();
            }
            match outcome {
                Ok(outcome) if is_cut_short => {
                    let size = saver::size(&text, self.settings.input.is_archive());
                    return Ok(Outcome { best: text.to_vec(), after: size, ..outcome });
                }
                _ => {}
            }
        }
    }
}

/// Returns the state to go back to after a disagreement: the last best that was confirmed, or the beginning if there is
/// none, or if there is a process for each run from now on.
fn back(served: &Served, agreed: &Agreed, (mut doubted, is_last): (Vec<Name>, bool), is_late: bool) -> Back {
    let is_so = |best: &[u8]| {
        let run = if is_late { served.confirm_in(squeeze::LIMIT, best) } else { served.confirm(best) };
        run.is_ok_and(|is_so| is_so)
    };
    let best = agreed.best.clone().filter(|best| is_so(best));
    if best.is_some() && !is_last {
        return Back { best, steps: agreed.steps, doubted };
    }
    // Whatever servers have said is asked again.
    doubted.extend(served.all());
    Back { best, steps: 0, doubted }
}
