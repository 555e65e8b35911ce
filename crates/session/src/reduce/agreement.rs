//! Handles disagreements between servers and new processes: the run returns to a confirmed result and searches again.
//!
//! [`Served`] makes the comparisons.

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

/// Tuned parameters.
struct Tuning {
    /// A result of a hang is confirmed with this multiple of the time limit, but at most `hang_time` longer.
    hang_factor: u32,
    hang_time: Duration,
    /// The factor by which the time limit grows after the result of a hang was refuted.
    round_factor: u32,
    /// The number of such rounds after which the command counts as flaky.
    rounds: usize,
}

const TUNING: Tuning =
    Tuning { hang_factor: 10, hang_time: Duration::from_secs(30), round_factor: 3, rounds: 3 };

/// A confirmed result of a hang, with the number of steps to it.
type Held = (usize, Arc<[u8]>);

/// The state to which a run returns.
struct Back {
    /// The last confirmed result, if any.
    best: Option<Arc<[u8]>>,
    /// The number of steps to it.
    steps: usize,
    /// The candidates whose verdicts are discarded.
    doubted: Vec<Name>,
}

/// Returns the note about a wrong answer of a server, and how the run continues.
pub(crate) fn doubt_note(doubt: Doubt, answering: Answering, has_agreed: bool) -> String {
    let said = |verdict: Verdict| match verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "uninteresting",
        Verdict::Unresolved(_) => "unresolved",
    };
    let from = if has_agreed { "the last confirmed result" } else { "the beginning" };
    let (who, fresh, why) = match answering {
        Answering::Ahead => (
            "a process that was started in advance",
            "with new processes",
            "it may have read the candidate before `nubbin-wait`, or the test is flaky",
        ),
        Answering::Faster => (
            "a Java virtual machine with a shorter start-up",
            "with new processes",
            "the options of the virtual machine change the result, or the test is flaky",
        ),
        Answering::Servers => (
            "a server",
            "with new servers",
            "earlier candidates left state in the server that changes the result",
        ),
    };
    let how = if doubt.is_last { "with a new process for each run" } else { fresh };
    let what = match doubt.said {
        Some([served, fresh]) => {
            format!("{who} judged a candidate {}, but a new process judged it {}", said(served), said(fresh))
        }
        None => "two runs of the same candidate had different results".to_owned(),
    };
    format!("note: {what}: {why}; continuing from {from} {how}")
}

impl Run<'_> {
    /// Runs the result of a hang once more with more time, because a busy machine can make runs slow. If it finishes,
    /// returns the last result that still hangs, or the input, and raises the time limit of later runs. Returns
    /// `None` if the result hangs, or cannot be run.
    fn last_hang(&self, baseline: &Baseline<'_>, best: &[u8], trail: &Trail) -> Option<Held> {
        let limit = baseline.time_limit();
        let longer = limit.saturating_mul(TUNING.hang_factor).min(limit.saturating_add(TUNING.hang_time));
        if baseline.is_interesting_with(longer, best)? {
            return None;
        }
        let next = limit.saturating_mul(TUNING.round_factor).min(longer);
        self.settings.voice.say(&format!(
            "note: the result finished when its time limit was {} instead of {}: the machine was busy, or `--timeout` is too short; \
             continuing from the last result that hangs, with a limit of {} per run",
            text::time(longer),
            text::time(limit),
            text::time(next)
        ));
        baseline.lengthen(next);
        let held = trail.last(|best| baseline.is_interesting_with(longer, best) == Some(true));
        Some(held.unwrap_or_else(|| (0, Arc::clone(self.input))))
    }

    /// Checks whether the result of a hang holds. Otherwise returns the last one that does, as
    /// [`last_hang`](Self::last_hang) does.
    fn lost_hang(&self, baseline: &Baseline<'_>, outcome: Option<&Outcome>, agreed: &Agreed) -> Option<Held> {
        let (outcome, trail) = (outcome?, agreed.trail.as_ref()?);
        if outcome.proof.is_cut_short() || outcome.best[..] == self.input[..] {
            return None;
        }
        self.last_hang(baseline, &outcome.best, trail)
    }

    /// Returns to an earlier result, or to the input. Returns an error after too many rounds.
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

    /// Searches, and repeats the search from the last agreement if servers and new processes disagree.
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
                // Disagreements are handled below. A process that cannot be run proves nothing.
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
                // The search starts with the input, and the file keeps the confirmed result until there is a smaller
                // one.
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

/// Returns the state to return to after a disagreement: the last confirmed result, or the start if there is none or
/// if each run has a new process from now on.
fn back(served: &Served, agreed: &Agreed, (mut doubted, is_last): (Vec<Name>, bool), is_late: bool) -> Back {
    let is_so = |best: &[u8]| {
        let run = if is_late { served.confirm_in(squeeze::LIMIT, best) } else { served.confirm(best) };
        run.is_ok_and(|is_so| is_so)
    };
    let best = agreed.best.clone().filter(|best| is_so(best));
    if best.is_some() && !is_last {
        return Back { best, steps: agreed.steps, doubted };
    }
    // All answers of servers are checked again.
    doubted.extend(served.all());
    Back { best, steps: 0, doubted }
}
