//! The plan: it decides which pass runs when.

use super::table::by_name;
use super::{Levels, Pass, Unit};

/// Passes in tiers: the passes of a tier take turns until none of them finds anything; then comes the next
/// tier, and whenever a later one finds something, the first one has its turn again.
///
/// Within a tier every pass has one turn first, in order; then the one that brought the most tokens a probe when it
/// last ran. A pass may give way to the others when it has found nothing for long; what it has left undone then, it
/// does when the others are dry.
///
/// On a large input the first turns are trials: a pass that brings little gives way while another of its tier has not
/// run yet; and once the best has halved, a pass ranks before those that ran since. Once a pass gave way there, the first tiers go through coarse levels: nothing is asked for there that
/// weighs less than a share of the best, whichever pass it is of.
#[derive(Clone, Debug)]
pub struct Plan {
    tiers: Vec<Vec<&'static Pass>>,
    /// The passes of the final sweep: what takes single parts away.
    sweep: Vec<&'static Pass>,
    /// The tiers of the coarse levels.
    coarse: Vec<Vec<&'static Pass>>,
    /// The level that it is at: as many are coarse as there are [`TUNING.shares`], and the last one is fine.
    level: usize,
    /// The number of bytes below which a level is no longer coarse.
    pub fine: usize,
    /// The bytes that the best had when it was last at the first level.
    coarsened: usize,
    /// The passes that never run.
    left_out: Vec<&'static str>,
    /// The passes that are switched off for now.
    off: Vec<&'static str>,
    /// The passes that were skipped, and on which revision.
    skipped: Vec<(&'static str, u64)>,
    /// Is true if a pass goes on until it is dry, before an earlier one has its turn again.
    stays: bool,
    /// The least share of the best that is asked for at each coarse level, as powers of two.
    shares: &'static [u32],
    /// Is true if a pass has one turn at each level, however much it brings.
    once: bool,
    /// The facts about each pass, once it has run; the one that ran last is the last.
    known: Vec<Known>,
}

/// The numbers that were tuned.
pub(super) struct Tuning {
    /// The least share of the best that is asked for at each coarse level, as powers of two.
    shares: [u32; 3],
    /// The same for the files of an archive together, where each pass has one turn at a level.
    shares_together: [u32; 4],
    /// The number of bytes below which a level is no longer coarse: single statements weigh about as much.
    pub fine: usize,
    /// The same for units: few of them are found in fewer probes without coarse levels, and many in smaller candidates with
    /// them.
    fine_units: usize,
    /// The earlier gain of a pass says nothing any more once a large best has shrunk by this factor, or once all levels
    /// are through.
    stale: usize,
    /// The best has to shrink by this factor between two times that the plan goes through the coarse levels.
    again: usize,
}

pub(super) const TUNING: Tuning = Tuning {
    shares: [5, 8, 11],
    shares_together: [5, 7, 9, 11],
    fine: 32,
    fine_units: 256,
    stale: 2,
    again: 4,
};

/// The next turn in a plan.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The pass to run.
    pub pass: &'static Pass,
    /// Is true if it may give way to others.
    pub may_give_way: bool,
    /// Is true if others wait that have not run yet.
    pub is_trial: bool,
    /// The smallest weight in bytes of a set of deltas that the search asks for; 0 for no bound.
    pub smallest_weight: u64,
}

/// The facts about a pass that has run.
#[derive(Clone, Debug)]
struct Known {
    name: &'static str,
    /// The revision of the best on which it last found nothing.
    dry: Option<u64>,
    /// The revision of the best on which it last gave way.
    gave_way: Option<u64>,
    /// Its gain for each probe when it last ran.
    rate: f64,
    /// The bytes that the best had then.
    bytes: usize,
    /// Is true if it ran at this level.
    ran: bool,
}

/// The result of one run of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The revisions of the best before and after.
    pub revisions: (u64, u64),
    /// The size that it took away, in the unit of the objective.
    pub gain: usize,
    /// The number of probes that it cost.
    pub probes: usize,
    /// The bytes that the best has now.
    pub bytes: usize,
    /// Is true if it gave way before it was through.
    pub gave_way: bool,
    /// Is true if it changed no more than blanks or the names of things: passes that were dry stay so.
    pub is_cosmetic: bool,
}

impl Plan {
    /// The plan for an input whose language is known (`tree`) or not; `compact` squeezes its blanks in the end.
    ///
    /// # Panics
    /// Never: it names passes that exist.
    #[must_use]
    pub fn new(tree: bool, compact: bool) -> Self {
        // Tokens come after blanks: whatever changes later makes the sweep try every token once more.
        let mut tiers: Vec<&[&str]> = if tree {
            vec![
                &["noise", "delete", "unused", "comment", "everywhere", "rule", "hoist"],
                &["remove-symbol", "argument", "inline", "late-rule"],
                &["word"],
                &["substitute", "alike", "indirection", "local-to-parameter", "literal"],
                &["space"],
                &["number", "text"],
                &["global"],
                &["rename"],
                &["token", "line"],
                &["byte"],
                &["window"],
            ]
        } else {
            // Every line is in a block: lines by themselves are left to the sweep.
            vec![&["block"], &["token"], &["byte"]]
        };
        if compact && tree {
            tiers.push(&["squeeze"]);
        }
        let (coarse, sweep): (usize, &[&str]) =
            if tree { (2, &["delete", "token"]) } else { (1, &["line", "byte"]) };
        Self::of(&tiers, coarse, sweep)
    }

    /// The plan for an archive, whose files have plans of their own.
    #[must_use]
    pub fn files() -> Self {
        Self::of(&[&["file"]], 0, &["file"])
    }

    /// The plan for an archive whose files go through the coarse levels together. Where it is known what a run does not reach
    /// (`covered`), the bodies that are left are mostly needed, so they are asked for last.
    #[must_use]
    pub fn together(covered: bool) -> Self {
        let first: &[&str] = if covered {
            &["file", "noise", "comment", "kind", "unused", "delete", "rule", "everywhere", "hoist"]
        } else {
            &["file", "noise", "comment", "everywhere", "delete", "rule", "kind", "unused", "hoist"]
        };
        let tiers = [first, &["across", "remove-symbol", "argument", "inline"]];
        let mut plan = Self::of(&tiers, tiers.len(), &[]);
        plan.tiers.clear();
        plan.shares = &TUNING.shares_together;
        (plan.level, plan.coarsened, plan.once) = (0, 0, true);
        plan
    }

    /// The plan for names that one file of an archive defines and others use.
    #[must_use]
    pub fn names() -> Self {
        Self::of(&[&["across"]], 0, &[])
    }

    /// The plan for blocks that a failing run does not reach.
    #[must_use]
    pub fn unreached() -> Self {
        Self::of(&[&["unreached"]], 0, &[])
    }

    /// The plan for what a program outside proposes for an archive, once its files are dry.
    #[must_use]
    pub fn proposals() -> Self {
        Self::of(&[&["propose"]], 0, &[])
    }

    /// The same with the proposals of a program outside, after what goes through coarse levels: whoever is asked then need
    /// not look at what is found without help.
    ///
    /// # Panics
    /// Never: it names a pass that exists.
    #[must_use]
    pub fn with_proposals(self) -> Self {
        let pass = by_name("propose").expect("the pass exists");
        self.with(pass)
    }

    fn of(tiers: &[&[&str]], coarse: usize, sweep: &[&str]) -> Self {
        let pass = |name: &&str| by_name(name).expect("the plan names passes that exist");
        let tiers: Vec<Vec<_>> = tiers.iter().map(|tier| tier.iter().map(pass).collect()).collect();
        let coarse = tiers[..coarse].to_vec();
        let (level, coarsened) = (TUNING.shares.len(), usize::MAX);
        let (left_out, known) = (Vec::new(), Vec::new());
        let (off, skipped) = (Vec::new(), Vec::new());
        let sweep = sweep.iter().map(pass).collect();
        Self {
            tiers,
            sweep,
            coarse,
            level,
            fine: TUNING.fine,
            coarsened,
            left_out,
            off,
            skipped,
            stays: false,
            shares: &TUNING.shares,
            once: false,
            known,
        }
    }

    /// The same with another pass, which has a tier of its own after what goes through coarse levels; in a plan without
    /// passes it is the only one.
    #[must_use]
    pub fn with(mut self, pass: &'static Pass) -> Self {
        self.tiers.insert(self.coarse.len().min(self.tiers.len()), vec![pass]);
        if pass.proves.is_some() {
            self.sweep.push(pass);
        }
        self
    }

    /// The plan for units of an input: each of them until it is dry, one after the other; and again, until all are dry on
    /// the same best. Of a large input the first unit goes through the coarse levels before. The sweep is over the last one.
    #[must_use]
    pub fn units(units: &[Unit]) -> Self {
        let tiers: Vec<Vec<_>> = units.iter().map(|unit| vec![unit.pass()]).collect();
        let coarse = tiers.first().cloned().into_iter().collect();
        let sweep = units.last().map(|unit| unit.pass());
        Self {
            tiers,
            sweep: sweep.into_iter().collect(),
            coarse,
            level: 0,
            fine: TUNING.fine_units,
            coarsened: 0,
            left_out: Vec::new(),
            off: Vec::new(),
            skipped: Vec::new(),
            stays: true,
            shares: &TUNING.shares,
            once: false,
            known: Vec::new(),
        }
    }

    /// The same without these passes, which the sweep does without, too.
    #[must_use]
    pub fn without(mut self, left_out: &[&'static str]) -> Self {
        for tier in self.tiers.iter_mut().chain(&mut self.coarse) {
            tier.retain(|pass| !left_out.contains(&pass.name));
        }
        self.tiers.retain(|tier| !tier.is_empty());
        self.coarse.retain(|tier| !tier.is_empty());
        self.sweep.retain(|pass| !left_out.contains(&pass.name));
        self.left_out.extend_from_slice(left_out);
        self
    }

    /// Its passes, tier by tier.
    pub fn tiers(&self) -> impl Iterator<Item = &[&'static Pass]> {
        self.tiers.iter().map(Vec::as_slice)
    }

    /// The names of the passes of the final sweep that are not switched off.
    #[must_use]
    pub fn sweeps(&self) -> Vec<&'static str> {
        self.swept().map(|pass| pass.name).collect()
    }

    /// The passes of the final sweep that are not switched off.
    fn swept(&self) -> impl Iterator<Item = &'static Pass> {
        self.sweep.iter().copied().filter(|pass| !self.off.contains(&pass.name))
    }

    /// Switches these passes off, and all others on; whether one is on again that was off.
    pub fn switch(&mut self, off: &[&'static str]) -> bool {
        let is_on_again = self.off.iter().any(|name| !off.contains(name));
        self.off = off.to_vec();
        is_on_again
    }

    /// Takes a pass for dry on this revision.
    pub fn skip(&mut self, name: &'static str, revision: u64) {
        self.skipped.retain(|(skipped, _)| *skipped != name);
        self.skipped.push((name, revision));
    }

    /// The passes that have not come to their end on this revision: they are switched off, or were skipped.
    #[must_use]
    pub fn unfinished(&self, revision: u64) -> Vec<&'static str> {
        let is_planned = |name: &str| self.tiers.iter().flatten().any(|pass| pass.name == name);
        let skipped = self.skipped.iter().filter(|(_, on)| *on == revision).map(|(name, _)| *name);
        let mut names: Vec<_> = self.off.iter().copied().chain(skipped).collect();
        names.retain(|name| is_planned(name) || self.sweep.iter().any(|pass| pass.name == *name));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The pass of the final sweep's part of this number, if it has so many.
    #[must_use]
    pub fn sweep(&self, part: usize) -> Option<&'static Pass> {
        self.swept().nth(part)
    }

    /// The same with other passes first: from the same text it may come to another end.
    ///
    /// # Panics
    /// Never: it names passes that exist.
    #[must_use]
    pub fn turned(mut self) -> Self {
        let first = ["hoist", "rule", "remove-symbol", "inline", "argument", "substitute"];
        let mut tiers = vec![first.iter().map(|name| by_name(name).expect("it exists")).collect::<Vec<_>>()];
        for tier in self.tiers {
            let rest: Vec<_> = tier.into_iter().filter(|pass| !first.contains(&pass.name)).collect();
            tiers.extend((!rest.is_empty()).then_some(rest));
        }
        self.tiers = tiers;
        self.coarsened = 0;
        let left_out = std::mem::take(&mut self.left_out);
        self.without(&left_out)
    }

    /// The pass to run on this revision of the best, which has so many bytes; `None` when all of them are dry on it.
    #[must_use]
    pub fn next(&mut self, revision: u64, bytes: usize) -> Option<Turn> {
        while let Some(share) = self.shares.get(self.level) {
            let smallest_weight = bytes >> share;
            if smallest_weight >= self.fine
                && let Some(turn) = self.turn(&self.coarse, revision, bytes, smallest_weight as u64)
            {
                return Some(turn);
            }
            self.enter(self.level + 1);
        }
        self.turn(&self.tiers, revision, bytes, 0)
    }

    /// Goes to a level, where no pass is dry.
    fn enter(&mut self, level: usize) {
        self.level = level;
        for known in &mut self.known {
            if level == self.shares.len() {
                known.bytes = usize::MAX;
            }
            (known.dry, known.gave_way, known.ran) = (None, None, false);
        }
    }

    /// The pass of the first tier that is not dry.
    fn turn(
        &self,
        tiers: &[Vec<&'static Pass>],
        revision: u64,
        bytes: usize,
        smallest_weight: u64,
    ) -> Option<Turn> {
        let known = |pass: &Pass| self.known.iter().find(|known| known.name == pass.name);
        let is_dry = |pass: &Pass| {
            (pass.is_coarse && smallest_weight == 0)
                || self.once
                    && (self.is_for_another_level(pass) || known(pass).is_some_and(|known| known.ran))
                || known(pass).is_some_and(|known| known.dry == Some(revision))
                || self.off.contains(&pass.name)
                || self.skipped.contains(&(pass.name, revision))
        };
        let mut open = tiers.iter().filter(|tier| !tier.iter().all(|pass| is_dry(pass)));
        let last = self.known.last().filter(|_| self.stays);
        let is_last =
            |tier: &&Vec<&Pass>| tier.iter().any(|pass| last.is_some_and(|last| last.name == pass.name));
        let tier = open.clone().find(is_last).or_else(|| open.next())?;
        let is_large = bytes >> TUNING.shares[0] >= self.fine;
        let rank = |pass: &Pass| match known(pass) {
            None => (false, (2, 0.0)),
            Some(known) if is_large && known.bytes / TUNING.stale > bytes => (false, (1, known.rate)),
            Some(known) => (known.gave_way == Some(revision), (0, known.rate)),
        };
        let mut open = tier.iter().filter(|pass| !is_dry(pass)).copied();
        let pass = if self.once {
            open.next()
        } else {
            open.reduce(|best, pass| {
                let ((waits, rate), (best_waits, best_rate)) = (rank(pass), rank(best));
                if (best_waits, rate) > (waits, best_rate) { pass } else { best }
            })
        }?;
        // Whatever a file weighs, it need not be parsed any more.
        let smallest_weight = if pass.is_about_files { 0 } else { smallest_weight.max(pass.least) };
        let is_trial =
            tier.iter().any(|other| other.name != pass.name && known(other).is_none() && !is_dry(other));
        Some(Turn {
            pass,
            may_give_way: tier.len() > 1 && !self.once && !rank(pass).0,
            is_trial,
            smallest_weight,
        })
    }

    /// Tells whether a pass has turns at other levels only, for the files of an archive together. The heaviest parts
    /// are left to the passes that work on many places, whole files later to the archive's own turn; and to hoist
    /// something heavy hardly ever works.
    fn is_for_another_level(&self, pass: &Pass) -> bool {
        match pass.levels {
            Levels::All => false,
            Levels::First => self.level > 0,
            Levels::AfterFirst => self.level == 0,
            Levels::Last => self.level + 1 < self.shares.len(),
        }
    }

    /// Notes what a pass has done.
    pub fn ran(&mut self, name: &'static str, run: Run) {
        let (before, after) = run.revisions;
        if run.is_cosmetic {
            for known in self.known.iter_mut().filter(|known| known.dry == Some(before)) {
                known.dry = Some(after);
            }
        }
        self.known.retain(|known| known.name != name);
        self.known.push(Known {
            name,
            dry: (before == after && !run.gave_way).then_some(after),
            gave_way: run.gave_way.then_some(after),
            rate: run.gain as f64 / run.probes.max(1) as f64,
            bytes: run.bytes,
            ran: true,
        });
        let is_fine = self.level == self.shares.len();
        if run.gave_way
            && is_fine
            && run.bytes <= self.coarsened / TUNING.again
            && run.bytes >> TUNING.shares[0] >= self.fine
        {
            self.coarsened = run.bytes;
            self.enter(0);
        }
    }
}

#[cfg(test)]
mod tests;
