//! Collects the facts about a running reduction from its events, for the view.
//!
//! It draws nothing, and it keeps only the part of each step that is shown.

use super::curve::Curve;
use super::estimate::{self, Estimate};
use nubbin_reduce::Objective;
use nubbin_reduce::event::{Counts, Event, Size};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// At most this many steps are kept.
    steps: usize,
    /// At most this many bytes are kept of a removed text, and of the text that replaces it.
    text_bytes: usize,
    /// The time over which the rate of candidates is measured.
    recent: Duration,
}

const TUNING: Tuning = Tuning { steps: 200, text_bytes: 400, recent: Duration::from_secs(10) };

/// The facts that do not change during a run.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The name of the input.
    pub title: String,
    /// The name of the oracle.
    pub test: String,
    /// The place of the result.
    pub place: String,
    /// True if the run can be resumed.
    pub has_journal: bool,
    pub jobs: usize,
    pub objective: Objective,
    /// The passes of the plan, with the number of their tier.
    pub plan: Vec<(&'static str, usize)>,
    /// The passes of the final sweep.
    pub sweeps: Vec<&'static str>,
}

/// A pass with its gain and its cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub name: String,
    pub runs: usize,
    pub probes: usize,
    pub accepted: usize,
    pub tokens: usize,
}

/// A step, with the text that it removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub pass: String,
    /// The number of tokens that it removed; if that is 0, `bytes` counts.
    pub tokens: usize,
    pub bytes: usize,
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

/// The facts that are known so far.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pub before: Size,
    pub now: Size,
    pub counts: Counts,
    /// The name of the running pass, as events give it.
    pub pass: String,
    /// The number of deltas of the running pass.
    pub deltas: usize,
    pub lines: Vec<Line>,
    pub curve: Curve,
    pub best: Arc<[u8]>,
    /// The position in the current best that the last step changed.
    pub place: usize,
    pub steps: VecDeque<Taken>,
    pub taken: usize,
    pub notes: Vec<String>,
    /// The number of failures and the number of runs of the unchanged input, if the oracle is flaky.
    pub flaky: Option<(usize, usize)>,
    /// The number of probes when the current best was found.
    pub found_at: usize,
    /// The number of probes when the running pass began.
    pub pass_at: usize,
    /// The number of tiers of the plan that were reached before the running one.
    pub tiers: usize,
    /// The number of deltas of the pass `delete-nodes` when it last began, and the number of tokens then.
    pub nodes: Option<(usize, usize)>,
    /// Times without pauses, each with the number of probes then.
    recent: VecDeque<(Duration, usize)>,
    /// The current best of the next event.
    coming: Option<Arc<[u8]>>,
}

/// Returns the name of a pass without the file that it runs on.
pub fn bare(pass: &str) -> &str {
    pass.rsplit_once(": ").map_or(pass, |(_, pass)| pass)
}

impl Board {
    pub fn new(input: Arc<[u8]>) -> Self {
        Self { best: input, ..Self::default() }
    }

    /// Takes the current best of a later event, so that it need not be copied.
    pub fn offer(&mut self, best: &Arc<[u8]>) {
        self.coming = Some(Arc::clone(best));
    }

    /// Takes an event.
    pub fn event(&mut self, event: Event<'_>, setup: &Setup) {
        match event {
            Event::Started { size } => {
                (self.before, self.now) = (size, size);
                self.curve.add(self.counts.probes, setup.objective.of(size));
            }
            Event::Pass { name, deltas } => self.enter(name, deltas, setup),
            Event::Probed { counts, .. } => self.count(counts),
            Event::Accepted { pass, edits, size, best } => {
                self.step(
                    pass,
                    edits.iter().map(|edit| (edit.span.start as usize, edit.span.end as usize, &*edit.text)),
                    size,
                );
                self.accept(size, best, setup);
            }
            Event::Undone { steps, size, best } => {
                for _ in 0..steps.min(self.steps.len()) {
                    self.steps.pop_back();
                }
                self.taken = self.taken.saturating_sub(steps);
                self.accept(size, best, setup);
            }
            Event::Measured { interesting, runs } => self.flaky = Some((interesting, runs)),
            Event::Note { text } => self.notes.push(text.to_owned()),
        }
    }

    fn enter(&mut self, name: &str, deltas: usize, setup: &Setup) {
        name.clone_into(&mut self.pass);
        let last = setup.plan.iter().map(|(_, tier)| *tier).max().unwrap_or(0);
        let tier =
            setup.plan.iter().find(|(pass, _)| *pass == bare(name)).map(|(_, tier)| tier.saturating_sub(1));
        self.tiers = self.tiers.max(tier.unwrap_or(if bare(name) == "sweep" { last } else { 0 }));
        (self.deltas, self.pass_at) = (deltas, self.counts.probes);
        if bare(name) == "delete-nodes" {
            self.nodes = Some((deltas, self.now.tokens));
        }
        self.line().runs += 1;
    }

    /// Returns the line of the running pass; adds it if it does not exist.
    fn line(&mut self) -> &mut Line {
        let name = bare(&self.pass);
        let known = self.lines.iter().position(|line| line.name == name);
        let at = known.unwrap_or_else(|| {
            self.lines.push(Line { name: name.to_owned(), ..Line::default() });
            self.lines.len() - 1
        });
        &mut self.lines[at]
    }

    fn count(&mut self, counts: Counts) {
        let (probes, hits) =
            (counts.probes - self.counts.probes, counts.interesting - self.counts.interesting);
        self.counts = counts;
        if !self.pass.is_empty() {
            let line = self.line();
            line.probes += probes;
            line.accepted += hits;
        }
    }

    /// Keeps the displayed part of a step. An edit is a start, an end and the new text.
    fn step<'e>(&mut self, pass: &str, edits: impl Iterator<Item = (usize, usize, &'e [u8])>, size: Size) {
        let gain = self.now.tokens.saturating_sub(size.tokens);
        let mut taken = Taken {
            pass: pass.to_owned(),
            tokens: gain,
            bytes: self.now.bytes.saturating_sub(size.bytes),
            ..Taken::default()
        };
        let (mut moved, mut largest) = (0_isize, 0);
        for (start, end, new) in edits {
            let old = self.best.get(start..end).unwrap_or_default();
            if old.len().max(new.len()) > largest {
                largest = old.len().max(new.len());
                self.place = start.saturating_add_signed(moved);
            }
            moved += new.len() as isize - old.len() as isize;
            for (kept, piece) in [(&mut taken.old, old), (&mut taken.new, new)] {
                if kept.len() < TUNING.text_bytes && !piece.is_empty() {
                    if !kept.is_empty() {
                        kept.push(b' ');
                    }
                    kept.extend_from_slice(&piece[..piece.len().min(TUNING.text_bytes)]);
                }
            }
        }
        if !self.pass.is_empty() {
            self.line().tokens += gain;
        }
        self.taken += 1;
        self.steps.push_back(taken);
        if self.steps.len() > TUNING.steps {
            self.steps.pop_front();
        }
    }

    fn accept(&mut self, size: Size, best: &[u8], setup: &Setup) {
        self.now = size;
        let coming = self.coming.take().filter(|coming| coming.len() == best.len());
        self.best = coming.unwrap_or_else(|| best.into());
        self.place = self.place.min(self.best.len());
        self.found_at = self.counts.probes;
        self.curve.add(self.counts.probes, setup.objective.of(size));
    }

    /// Records the number of probes at this time.
    pub fn tick(&mut self, now: Duration) {
        self.recent.push_back((now, self.counts.probes));
        while self.recent.len() > 2 && now.saturating_sub(self.recent[1].0) > TUNING.recent {
            self.recent.pop_front();
        }
    }

    /// Returns the number of probes a second, measured over [`Tuning::recent`].
    pub fn rate(&self) -> Option<f64> {
        let ((from, before), (to, after)) = (self.recent.front()?, self.recent.back()?);
        let time = to.saturating_sub(*from).as_secs_f64();
        (time > 0.5).then(|| after.saturating_sub(*before) as f64 / time)
    }

    /// Returns the number of remaining probes, if it is known.
    pub fn left(&self, setup: &Setup) -> Option<Left> {
        if bare(&self.pass) == "sweep" {
            return Some(Left::AtMost(self.deltas.saturating_sub(self.counts.probes - self.pass_at)));
        }
        // The course of reductions is known for single inputs in known languages.
        if !setup.plan.is_empty() && setup.sweeps.contains(&"delete-nodes") && self.now.tokens > 0 {
            return Some(Left::About(estimate::left(self.now.tokens, self.counts.probes, self.tiers)));
        }
        let part = |name: &&str| match *name {
            "delete-nodes" => self.nodes.map_or(0, |(nodes, tokens)| nodes * self.now.tokens / tokens.max(1)),
            "delete-tokens" | "delete-tokens/unit" => self.now.tokens,
            "delete-lines" | "delete-lines/unit" => self.now.lines,
            "delete-bytes" | "delete-bytes/unit" | "delete-characters" => self.now.bytes,
            _ => 0,
        };
        let left: usize = setup.sweeps.iter().map(part).sum();
        (left > 0).then_some(Left::AtLeast(left))
    }
}

/// The number of remaining probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// An estimate.
    About(Estimate),
    /// The number of parts of the current best, each of which the proof tries.
    AtLeast(usize),
    /// The number of parts that the running proof has not tried.
    AtMost(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(tokens: usize) -> Size {
        Size { tokens, bytes: 2 * tokens, lines: 1 }
    }

    #[test]
    fn a_board_follows_the_events() {
        let setup = Setup { sweeps: vec!["delete-nodes", "delete-tokens"], ..Setup::default() };
        let mut board = Board::new(b"aa bb cc".as_slice().into());
        board.event(Event::Started { size: size(40) }, &setup);
        board.event(Event::Pass { name: "dir/x.c: delete-nodes", deltas: 20 }, &setup);
        let counts = Counts { probes: 3, interesting: 1, ..Counts::default() };
        board.event(Event::Probed { verdict: nubbin_search::Verdict::Interesting, counts }, &setup);
        board.step("delete-nodes", [(3, 6, &b""[..])].into_iter(), size(10));
        board.accept(size(10), b"aa cc", &setup);
        let line = Line { name: "delete-nodes".to_owned(), runs: 1, probes: 3, accepted: 1, tokens: 30 };
        assert_eq!(board.lines, [line]);
        assert_eq!(
            (board.steps[0].old.as_slice(), board.place, &*board.best),
            (&b"bb "[..], 3, &b"aa cc"[..])
        );
        assert_eq!(board.left(&setup), Some(Left::AtLeast(20 * 10 / 40 + 10)));
        let planned = Setup { plan: vec![("delete-nodes", 1), ("delete-tokens", 10)], ..setup.clone() };
        board.event(Event::Pass { name: "delete-tokens", deltas: 12 }, &planned);
        assert_eq!(board.left(&planned), Some(Left::About(estimate::left(10, 3, 9))));
        board.event(Event::Pass { name: "sweep", deltas: 7 }, &planned);
        assert_eq!((board.left(&planned), board.tiers), (Some(Left::AtMost(7)), 10));
        board.event(Event::Undone { steps: 1, size: size(40), best: b"aa bb cc" }, &setup);
        assert_eq!((board.steps.len(), board.now.tokens, board.best.len()), (0, 40, 8));
    }

    #[test]
    fn a_large_step_is_kept_in_part() {
        let best = vec![b'x'; 1 << 20];
        let mut board = Board::new(best.as_slice().into());
        board.step("delete-nodes", [(0, 1 << 19, &b""[..])].into_iter(), size(1));
        assert!(board.steps[0].old.len() <= TUNING.text_bytes);
        for _ in 0..2 * TUNING.steps {
            board.step("delete-nodes", [(0, 1, &b""[..])].into_iter(), size(1));
        }
        assert_eq!(board.steps.len(), TUNING.steps);
    }
}
