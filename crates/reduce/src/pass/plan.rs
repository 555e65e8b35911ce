//! Defines which pass runs when.

mod others;
mod tuning;

use super::table::by_name;
use super::{Levels, PartKind, Pass};
pub(super) use tuning::TUNING;

/// The order in which passes run.
///
/// Passes are grouped into tiers, which the list of passes calls stages. The passes of a tier take turns until all are
/// exhausted; then the next tier begins. Whenever a later tier finds something, the first tier starts again.
///
/// In a tier, every pass first has one turn, in order. Then the pass with the highest gain per probe in its last turn
/// is next. A pass that has found nothing for long yields to the others, and finishes when they are exhausted.
///
/// On a large input the first turns are trials: a pass with a low gain yields while another pass of its tier has not
/// run yet. Once the current best has halved, a pass ranks before those that ran since. After a pass has yielded, the
/// first tiers go through coarse levels, at which the search tries only sets of deltas that weigh at least a certain
/// share of the current best.
#[derive(Clone, Debug)]
pub struct Plan {
    tiers: Vec<Vec<&'static Pass>>,
    /// The passes of the final sweep, which try to remove each part alone.
    sweep: Vec<&'static Pass>,
    /// The tiers of the coarse levels.
    coarse: Vec<Vec<&'static Pass>>,
    /// The passes that have one turn each before the tiers, the next one last.
    opening: Vec<&'static Pass>,
    /// The size of the current best in bytes when a pass of the opening last began.
    opened: usize,
    /// The current level. There are `TUNING.shares.len()` coarse levels, followed by the fine level.
    level: usize,
    /// The size in bytes below which a level is no longer coarse.
    pub fine: usize,
    /// The size of the current best in bytes when the plan last entered the first level.
    coarsened: usize,
    /// The excluded passes.
    left_out: Vec<&'static str>,
    /// The passes that are switched off at present.
    off: Vec<&'static str>,
    /// The skipped passes, each with the revision on which it was skipped.
    skipped: Vec<(&'static str, u64)>,
    /// Whether a pass continues until it is exhausted before an earlier pass runs again.
    stays: bool,
    /// The smallest weight at each coarse level, as a share of the current best: `n` means 1/2^n.
    shares: &'static [u32],
    /// Whether a pass has only one turn at each level.
    once: bool,
    /// Whether all passes run once more before the final sweep, including deltas that failed before.
    anew: bool,
    /// The passes that have run, the most recent last.
    known: Vec<Known>,
}

/// The next turn of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The pass.
    pub pass: &'static Pass,
    /// Whether the pass may yield to others.
    pub may_give_way: bool,
    /// Whether other passes of the tier have not run yet.
    pub is_trial: bool,
    /// The minimum weight in bytes of a set of deltas that the search tries; 0 for none.
    pub smallest_weight: u64,
}

#[derive(Clone, Debug)]
struct Known {
    name: &'static str,
    /// The revision of the current best on which it was exhausted.
    dry: Option<u64>,
    /// The revision of the current best on which it last yielded.
    gave_way: Option<u64>,
    /// The gain per probe of its last run.
    rate: f64,
    /// The size of the current best in bytes at the end of that run.
    bytes: usize,
    /// Whether the pass has run at this level.
    ran: bool,
}

/// The result of one run of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassRun {
    /// The revisions of the current best before and after the run.
    pub revisions: (u64, u64),
    /// The removed size, in the unit of the objective.
    pub gain: usize,
    /// The number of probes.
    pub probes: usize,
    /// The size of the current best in bytes after the run.
    pub bytes: usize,
    /// Whether the pass yielded before it was done.
    pub gave_way: bool,
    /// Whether it changed only whitespace or identifiers. Exhausted passes then stay exhausted.
    pub is_cosmetic: bool,
}

impl Plan {
    /// Returns the plan for an input in a known language (`tree`) or any other input. `compact` adds a last pass that
    /// minifies whitespace.
    ///
    /// # Panics
    /// Never panics: all names exist.
    #[must_use]
    pub fn new(tree: bool, compact: bool) -> Self {
        // Tokens come after whitespace, because the final sweep tries every token again after any later change.
        let mut tiers: Vec<&[&str]> = if tree {
            vec![
                &[
                    "delete-unparsed",
                    "name-values",
                    "delete-nodes",
                    "delete-unused",
                    "delete-comments",
                    "rewrite/bulk",
                    "simplify-jumps",
                    "rewrite",
                    "hoist",
                ],
                &[
                    "edit-parallel-lists",
                    "remove-symbol",
                    "remove-parameter",
                    "inline-function",
                    "rewrite/late",
                ],
                &["delete-words"],
                &[
                    "substitute",
                    "edit-equal-nodes",
                    "remove-indirection",
                    "local-to-parameter",
                    "variable-to-literal",
                    "statement-to-call",
                ],
                &["trim-whitespace"],
                &["shrink-numbers", "shorten-words"],
                &["local-to-global"],
                &["replace-with-shortest"],
                &["replace-with-constant"],
                &["rename"],
                &["delete-tokens", "delete-lines"],
                &["delete-bytes"],
                &["delete-token-ranges/some"],
                &["delete-token-ranges"],
            ]
        } else {
            // Every line is in a block, so single lines are left to the sweep.
            vec![
                &["delete-blocks", "delete-columns", "equalize-lines"],
                &["remove-symbol/text"],
                &["delete-tokens"],
                &["delete-token-ranges/text"],
                &["shrink-numbers/text"],
                &["rename/text"],
                &["delete-bytes/inside"],
            ]
        };
        if compact && tree {
            tiers.push(&["minify-whitespace"]);
        }
        let (coarse, sweep): (usize, &[&str]) = if tree {
            (2, &["delete-nodes", "delete-tokens", "trim-whitespace"])
        } else {
            (1, &["delete-lines", "delete-bytes"])
        };
        let mut plan = Self::of(&tiers, coarse, sweep);
        let opening: &[&str] = if tree {
            &["flatten-nesting", "truncate/start", "truncate/end", "delete-unparsed", "trim-whitespace/all"]
        } else {
            &["delete-chunks/binary"]
        };
        plan.opening = opening.iter().map(|name| by_name(name).expect("the pass exists")).collect();
        plan.opening.extend(Self::blind());
        plan
    }

    /// Adds pairs of parts to the final sweep, and another turn of all passes before it, including deltas that failed
    /// before.
    ///
    /// # Panics
    /// Never panics: the name exists.
    #[must_use]
    pub fn thorough(mut self) -> Self {
        self.sweep.push(by_name("delete-pairs").expect("the pass exists"));
        self.anew = true;
        self
    }

    /// Adds a last pass that anonymizes the remaining words.
    ///
    /// # Panics
    /// Never panics: the name exists.
    #[must_use]
    pub fn anonymous(mut self) -> Self {
        self.tiers.push(vec![by_name("anonymize").expect("the pass exists")]);
        self
    }

    /// Returns whether detours, which are rewrites that make the text larger, are tried at the end.
    #[must_use]
    pub fn takes_detours(&self) -> bool {
        self.sweep.iter().any(|pass| pass.name == "delete-nodes") && self.is_planned("remove-symbol")
    }

    fn is_planned(&self, name: &str) -> bool {
        self.tiers.iter().flatten().any(|pass| pass.name == name)
    }

    /// Adds the proposals of an external program after the coarse levels, when the passes have deleted most of the
    /// input.
    ///
    /// # Panics
    /// Never panics: the name exists.
    #[must_use]
    pub fn with_proposals(self) -> Self {
        let pass = by_name("propose").expect("the pass exists");
        self.with(pass)
    }

    /// Lists the passes that do not parse the text, the first one last.
    fn blind() -> impl Iterator<Item = &'static Pass> {
        ["delete-chunks/small", "delete-chunks/large"]
            .iter()
            .map(|name| by_name(name).expect("the pass exists"))
    }

    fn of(tiers: &[&[&str]], coarse: usize, sweep: &[&str]) -> Self {
        let pass = |name: &&str| by_name(name).expect("the pass exists");
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
            opening: Vec::new(),
            opened: 0,
            level,
            fine: TUNING.fine,
            coarsened,
            left_out,
            off,
            skipped,
            stays: false,
            shares: &TUNING.shares,
            once: false,
            anew: false,
            known,
        }
    }

    /// Adds a pass as a separate tier after the coarse levels.
    #[must_use]
    pub fn with(mut self, pass: &'static Pass) -> Self {
        self.tiers.insert(self.coarse.len().min(self.tiers.len()), vec![pass]);
        if pass.proves.is_some() {
            self.sweep.push(pass);
        }
        self
    }

    /// Removes passes from the plan and from its final sweep.
    #[must_use]
    pub fn without(mut self, left_out: &[&'static str]) -> Self {
        for tier in self.tiers.iter_mut().chain(&mut self.coarse) {
            tier.retain(|pass| !left_out.contains(&pass.name));
        }
        self.tiers.retain(|tier| !tier.is_empty());
        self.coarse.retain(|tier| !tier.is_empty());
        self.opening.retain(|pass| !left_out.contains(&pass.name));
        self.sweep.retain(|pass| !left_out.contains(&pass.name));
        // Without the passes over single parts, the sweep would prove nothing.
        if self.sweep.iter().all(|pass| matches!(pass.proves, None | Some(PartKind::Pair))) {
            self.sweep.clear();
        }
        self.left_out.extend_from_slice(left_out);
        self
    }

    /// Lists the passes that have one turn each before the tiers, in order, for an input of this size.
    pub fn opening(&self, bytes: usize) -> impl Iterator<Item = &'static Pass> {
        self.opening.iter().rev().copied().filter(move |pass| bytes >= pass.from)
    }

    /// Lists the passes of each tier.
    pub fn tiers(&self) -> impl Iterator<Item = &[&'static Pass]> {
        self.tiers.iter().map(Vec::as_slice)
    }

    /// Returns the names of the passes of the final sweep that are switched on.
    #[must_use]
    pub fn sweeps(&self) -> Vec<&'static str> {
        self.swept().map(|pass| pass.name).collect()
    }

    fn swept(&self) -> impl Iterator<Item = &'static Pass> {
        self.sweep.iter().copied().filter(|pass| !self.off.contains(&pass.name))
    }

    /// Switches these passes off, and all others on. Returns whether a pass was switched on.
    pub fn switch(&mut self, off: &[&'static str]) -> bool {
        let is_on_again = self.off.iter().any(|name| !off.contains(name));
        self.off = off.to_vec();
        is_on_again
    }

    /// Treats a pass as exhausted on this revision.
    pub fn skip(&mut self, name: &'static str, revision: u64) {
        self.skipped.retain(|(skipped, _)| *skipped != name);
        self.skipped.push((name, revision));
    }

    /// Returns the names of the passes that are incomplete on this revision, because they are switched off or were
    /// skipped.
    #[must_use]
    pub fn unfinished(&self, revision: u64) -> Vec<&'static str> {
        let skipped = self.skipped.iter().filter(|(_, on)| *on == revision).map(|(name, _)| *name);
        let mut names: Vec<_> = self.off.iter().copied().chain(skipped).collect();
        names.retain(|name| self.is_planned(name) || self.sweep.iter().any(|pass| pass.name == *name));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the pass of the final sweep with this index.
    #[must_use]
    pub fn sweep(&self, part: usize) -> Option<&'static Pass> {
        self.swept().nth(part)
    }

    /// Puts other passes first, so that another result may be reached from the same text.
    ///
    /// # Panics
    /// Never panics: all names exist.
    #[must_use]
    pub fn turned(mut self) -> Self {
        let first =
            ["hoist", "rewrite", "remove-symbol", "inline-function", "remove-parameter", "substitute"];
        let mut tiers =
            vec![first.iter().map(|name| by_name(name).expect("the pass exists")).collect::<Vec<_>>()];
        for tier in self.tiers {
            let rest: Vec<_> = tier.into_iter().filter(|pass| !first.contains(&pass.name)).collect();
            tiers.extend((!rest.is_empty()).then_some(rest));
        }
        self.tiers = tiers;
        self.opening.clear();
        self.coarsened = 0;
        let left_out = std::mem::take(&mut self.left_out);
        self.without(&left_out)
    }

    /// Returns the next turn for this revision of the current best and its size in bytes, or `None` if all passes are
    /// exhausted.
    #[must_use]
    pub fn next(&mut self, revision: u64, bytes: usize) -> Option<Turn> {
        while let Some(pass) = self.opening.pop() {
            if bytes >= pass.from && !self.off.contains(&pass.name) {
                self.opened = bytes;
                let smallest_weight = (self.fine as u64).min(pass.from as u64 + 4);
                return Some(Turn { pass, may_give_way: false, is_trial: false, smallest_weight });
            }
        }
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

    /// Returns, once, whether all passes run again, including deltas that failed before.
    pub fn takes_anew(&mut self) -> bool {
        let anew = std::mem::take(&mut self.anew);
        for known in self.known.iter_mut().filter(|_| anew) {
            (known.dry, known.gave_way) = (None, None);
        }
        anew
    }

    /// Enters a level. All passes can run again there.
    fn enter(&mut self, level: usize) {
        self.level = level;
        for known in &mut self.known {
            if level == self.shares.len() {
                known.bytes = usize::MAX;
            }
            (known.dry, known.gave_way, known.ran) = (None, None, false);
        }
    }

    /// Returns the turn of the best pass of the first tier that is not exhausted.
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
        // A deleted file need not be parsed any more, so small files are tried as well.
        let smallest_weight =
            if pass.is_about_files || pass.is_light { 0 } else { smallest_weight.max(pass.least) };
        let is_trial =
            tier.iter().any(|other| other.name != pass.name && known(other).is_none() && !is_dry(other));
        Some(Turn {
            pass,
            may_give_way: tier.len() > 1 && !self.once && !rank(pass).0,
            is_trial,
            smallest_weight,
        })
    }

    /// Returns whether a pass runs only at other levels, when the files of a directory are reduced together.
    fn is_for_another_level(&self, pass: &Pass) -> bool {
        match pass.levels {
            Levels::All => false,
            Levels::First => self.level > 0,
            Levels::AfterFirst => self.level == 0,
            Levels::Last => self.level + 1 < self.shares.len(),
        }
    }

    /// Records the result of a run of a pass.
    pub fn ran(&mut self, name: &'static str, run: PassRun) {
        let (before, after) = run.revisions;
        if run.bytes <= self.opened / 2 {
            self.opening.extend(Self::blind().filter(|pass| pass.name == name));
        }
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
