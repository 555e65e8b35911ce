//! Decides which pass runs when.
//!
//! It does not run passes, and it does not know what they propose.

mod others;
mod tuning;

use super::table::by_name;
use super::{Levels, PartKind, Pass};
pub(super) use tuning::TUNING;

/// The order in which passes run. Passes form tiers. The passes of a tier take turns until none of them finds anything;
/// then the next tier begins. Whenever a later tier finds something, the first one has its turn again.
///
/// Within a tier every pass first has one turn, in order. After that, the pass that brought the most tokens for each
/// probe when it last ran is next. A pass may give way to the others when it has found nothing for long; it completes
/// its work when the others are dry.
///
/// On a large input the first turns are trials: a pass that brings little gives way while another pass of its tier has
/// not run yet. Once the best has halved, a pass ranks before those that ran since. Once a pass gave way there, the
/// first tiers go through coarse levels: at such a level, no pass asks for deltas that weigh less than a share of the
/// best.
#[derive(Clone, Debug)]
pub struct Plan {
    tiers: Vec<Vec<&'static Pass>>,
    /// The passes of the final sweep. They remove single parts.
    sweep: Vec<&'static Pass>,
    /// The tiers of the coarse levels.
    coarse: Vec<Vec<&'static Pass>>,
    /// The passes that have one turn each on a large input before all others, the next one last.
    opening: Vec<&'static Pass>,
    /// The size of the best in bytes when a pass of the opening last began.
    opened: usize,
    /// The current level. There are as many coarse levels as `TUNING.shares` has entries; the level after them is fine.
    level: usize,
    /// The number of bytes below which a level is no longer coarse.
    pub fine: usize,
    /// The size of the best in bytes when the plan was last at the first level.
    coarsened: usize,
    /// The passes that never run.
    left_out: Vec<&'static str>,
    /// The passes that are switched off for now.
    off: Vec<&'static str>,
    /// The skipped passes, each with the revision on which it was skipped.
    skipped: Vec<(&'static str, u64)>,
    /// Is true if a pass continues until it is dry before an earlier one has its turn again.
    stays: bool,
    /// The smallest weight at each coarse level, as a share of the best: `n` stands for 1/2^n.
    shares: &'static [u32],
    /// Is true if a pass has one turn at each level, however much it brings.
    once: bool,
    /// Is true if all passes have a turn without the memory of failed deltas before the final sweep.
    anew: bool,
    /// The facts about each pass that has run; the pass that ran last is the last one.
    known: Vec<Known>,
}

/// The next turn in a plan.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The pass to run.
    pub pass: &'static Pass,
    /// Is true if the pass may give way to others.
    pub may_give_way: bool,
    /// Is true if other passes of the tier have not run yet.
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
    /// The gain of the pass for each probe when it last ran.
    rate: f64,
    /// The size of the best in bytes at the end of that run.
    bytes: usize,
    /// Is true if the pass has run at this level.
    ran: bool,
}

/// The result of one run of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassRun {
    /// The revisions of the best before and after.
    pub revisions: (u64, u64),
    /// The size that the pass removed, in the unit of the objective.
    pub gain: usize,
    /// The number of probes in this run.
    pub probes: usize,
    /// The size of the best in bytes after the run.
    pub bytes: usize,
    /// Is true if the pass gave way before it had asked for everything.
    pub gave_way: bool,
    /// Is true if it changed only blanks or names: then dry passes stay dry.
    pub is_cosmetic: bool,
}

impl Plan {
    /// Returns the plan for an input whose language is known (`tree`) or not. `compact` adds a pass at the end that
    /// removes as many blanks as possible.
    ///
    /// # Panics
    /// Never panics: it names passes that exist.
    #[must_use]
    pub fn new(tree: bool, compact: bool) -> Self {
        // Tokens come after blanks: the final sweep tries every token again after any later change.
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
            // Every line is in a block, so lines by themselves are left to the sweep.
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
        plan.opening = opening.iter().map(|name| by_name(name).expect("it exists")).collect();
        plan.opening.extend(Self::blind());
        plan
    }

    /// Returns the plan with pairs of parts in the final sweep, and a turn of all passes without the memory before it.
    ///
    /// # Panics
    /// Never panics: it names a pass that exists.
    #[must_use]
    pub fn thorough(mut self) -> Self {
        self.sweep.push(by_name("delete-pairs").expect("it exists"));
        self.anew = true;
        self
    }

    /// Returns the plan with a last pass that replaces what words tell of their origin.
    ///
    /// # Panics
    /// Never panics: it names a pass that exists.
    #[must_use]
    pub fn anonymous(mut self) -> Self {
        self.tiers.push(vec![by_name("anonymize").expect("it exists")]);
        self
    }

    /// Tells whether rewrites that leave the text larger are tried at the end.
    #[must_use]
    pub fn takes_detours(&self) -> bool {
        self.sweep.iter().any(|pass| pass.name == "delete-nodes") && self.is_planned("remove-symbol")
    }

    /// Tells whether a pass of this name has turns.
    fn is_planned(&self, name: &str) -> bool {
        self.tiers.iter().flatten().any(|pass| pass.name == name)
    }

    /// Adds the proposals of another program after the coarse levels: that program then need not look at parts that are
    /// found without its help.
    ///
    /// # Panics
    /// Never panics: it names a pass that exists.
    #[must_use]
    pub fn with_proposals(self) -> Self {
        let pass = by_name("propose").expect("the pass exists");
        self.with(pass)
    }

    /// Lists the passes that need no look at a text, the first one last.
    fn blind() -> impl Iterator<Item = &'static Pass> {
        ["delete-chunks/small", "delete-chunks/large"].iter().map(|name| by_name(name).expect("it exists"))
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

    /// Adds a pass in a tier of its own after the coarse levels. In a plan without passes it is the only one.
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
        // Without the parts themselves, their pairs and the whitespace prove nothing.
        if self.sweep.iter().all(|pass| matches!(pass.proves, None | Some(PartKind::Pair))) {
            self.sweep.clear();
        }
        self.left_out.extend_from_slice(left_out);
        self
    }

    /// Lists the passes that have one turn each before all tiers, in order, for an input of so many bytes.
    pub fn opening(&self, bytes: usize) -> impl Iterator<Item = &'static Pass> {
        self.opening.iter().rev().copied().filter(move |pass| bytes >= pass.from)
    }

    /// Lists the passes, tier by tier.
    pub fn tiers(&self) -> impl Iterator<Item = &[&'static Pass]> {
        self.tiers.iter().map(Vec::as_slice)
    }

    /// Returns the names of the passes of the final sweep that are not switched off.
    #[must_use]
    pub fn sweeps(&self) -> Vec<&'static str> {
        self.swept().map(|pass| pass.name).collect()
    }

    /// Lists the passes of the final sweep that are not switched off.
    fn swept(&self) -> impl Iterator<Item = &'static Pass> {
        self.sweep.iter().copied().filter(|pass| !self.off.contains(&pass.name))
    }

    /// Switches these passes off, and all others on. Returns whether a pass is on again that was off.
    pub fn switch(&mut self, off: &[&'static str]) -> bool {
        let is_on_again = self.off.iter().any(|name| !off.contains(name));
        self.off = off.to_vec();
        is_on_again
    }

    /// Treats a pass as dry on this revision.
    pub fn skip(&mut self, name: &'static str, revision: u64) {
        self.skipped.retain(|(skipped, _)| *skipped != name);
        self.skipped.push((name, revision));
    }

    /// Returns the names of the passes that are not complete on this revision: they are switched off, or were skipped.
    #[must_use]
    pub fn unfinished(&self, revision: u64) -> Vec<&'static str> {
        let skipped = self.skipped.iter().filter(|(_, on)| *on == revision).map(|(name, _)| *name);
        let mut names: Vec<_> = self.off.iter().copied().chain(skipped).collect();
        names.retain(|name| self.is_planned(name) || self.sweep.iter().any(|pass| pass.name == *name));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the pass of the final sweep with this number, if there is one.
    #[must_use]
    pub fn sweep(&self, part: usize) -> Option<&'static Pass> {
        self.swept().nth(part)
    }

    /// Puts other passes first: from the same text it may reach another result.
    ///
    /// # Panics
    /// Never panics: it names passes that exist.
    #[must_use]
    pub fn turned(mut self) -> Self {
        let first =
            ["hoist", "rewrite", "remove-symbol", "inline-function", "remove-parameter", "substitute"];
        let mut tiers = vec![first.iter().map(|name| by_name(name).expect("it exists")).collect::<Vec<_>>()];
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

    /// Returns the pass to run on this revision of the best, whose size in bytes is given. Returns `None` if all passes
    /// are dry on it.
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

    /// Tells, once, whether all passes have another turn although they are dry: without the memory of failed deltas.
    pub fn takes_anew(&mut self) -> bool {
        let anew = std::mem::take(&mut self.anew);
        for known in self.known.iter_mut().filter(|_| anew) {
            (known.dry, known.gave_way) = (None, None);
        }
        anew
    }

    /// Goes to a level. No pass is dry there at first.
    fn enter(&mut self, level: usize) {
        self.level = level;
        for known in &mut self.known {
            if level == self.shares.len() {
                known.bytes = usize::MAX;
            }
            (known.dry, known.gave_way, known.ran) = (None, None, false);
        }
    }

    /// Returns the turn of the best pass of the first tier in which some pass is not dry.
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
        // A file that goes need not be parsed any more, so even a small one is asked for.
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

    /// Tells whether a pass has turns only at other levels, when the files of an archive go through them together.
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
