//! The effect of a cause on a later moment. A chain is a chain of causes if each cause brings about the next
//! one (Cleve and Zeller, ICSE 2005, section 3).
//!
//! The difference of an earlier moment is applied to the passing run, which then continues to the later
//! moment. There its state is compared with the states of both runs, in the variables that are the cause at
//! that moment.

use crate::delta::Difference;
use crate::fault::Fault;
use crate::graph::{Graph, Name};
use crate::lab::Lab;
use crate::matching::Matching;
use crate::protocol::Point;
use crate::state::{Isolated, Pair, Variable, functions, variable};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The state of the later cause's variables after an earlier cause was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// They are as in the passing run, or the run does not reach the later moment: the earlier cause does not
    /// bring about the later one.
    Nothing,
    /// They have values that differ from both runs.
    Other,
    /// They are as in the failing run.
    Same,
}

/// How a moment is reached from an earlier one, at which a cause is applied to the passing run.
#[derive(Clone, Debug)]
pub struct Behind<'b> {
    /// The earlier moment in the passing run.
    pub first: &'b Point,
    /// The possible arrivals at the later moment's place, counted from the earlier moment: the changed run
    /// may take as long as the failing or the passing run.
    pub arrivals: Vec<Point>,
}

/// A later moment and its cause.
#[derive(Debug)]
pub struct Later<'l> {
    /// The path from the earlier moment.
    pub behind: Behind<'l>,
    /// The moment in the passing and in the failing run.
    pub points: [&'l Point; 2],
    /// The cause at this moment.
    pub cause: &'l Isolated,
    /// The states at this moment, once they are known.
    states: [OnceLock<Graph>; 2],
}

impl<'l> Later<'l> {
    /// Creates a later moment of both runs.
    #[must_use]
    pub fn new(behind: Behind<'l>, points: [&'l Point; 2], cause: &'l Isolated) -> Self {
        Self { behind, points, cause, states: Default::default() }
    }

    /// Returns the state of one of the runs.
    fn state(&self, run: usize, lab: &Lab) -> Result<&Graph, Fault> {
        if let Some(known) = self.states[run].get() {
            return Ok(known);
        }
        let state = Graph::new(lab.state(self.points[run])?, lab.debugger());
        Ok(self.states[run].get_or_init(|| state))
    }
}

impl Pair<'_> {
    /// Returns the effect at a later moment of commands that are executed at an earlier moment of the passing
    /// run, or `None` if the run takes too long.
    ///
    /// # Errors
    /// Returns an error if a run cannot be started.
    pub fn effect(&self, commands: &[String], later: &Later<'_>) -> Result<Option<Effect>, Fault> {
        let mut best = None;
        for arrival in &later.behind.arrivals {
            let Some(reached) = self.passing.state_after(later.behind.first, commands, arrival)? else {
                continue;
            };
            best = best.max(Some(Effect::Nothing));
            let Some(changed) = reached else { continue };
            let changed = Graph::new(changed, self.passing.debugger());
            let failing = later.state(1, self.failing)?;
            if functions(&changed) != functions(failing) {
                continue;
            }
            if !self.differ(&changed, failing, later.cause) {
                return Ok(Some(Effect::Same));
            }
            if best < Some(Effect::Other) {
                let passing = later.state(0, self.passing)?;
                if self.differ(&changed, passing, later.cause) {
                    best = Some(Effect::Other);
                }
            }
        }
        Ok(best)
    }

    /// Returns the differences of two states that an earlier change of the passing run brings about, that is,
    /// in which its state equals that of the failing run.
    ///
    /// # Errors
    /// Returns an error if a run cannot be started.
    pub(crate) fn brought(
        &self,
        commands: &[String],
        behind: &Behind<'_>,
        difference: &Difference<'_>,
        failing: &Graph,
    ) -> Result<Vec<usize>, Fault> {
        for arrival in &behind.arrivals {
            let Some(Some(changed)) = self.passing.state_after(behind.first, commands, arrival)? else {
                continue;
            };
            let changed = Graph::new(changed, self.passing.debugger());
            if functions(&changed) != functions(failing) {
                continue;
            }
            let matching = Matching::new(&changed, failing, self.method);
            let left = Difference::new(&changed, failing, matching, self.passing.debugger());
            let left: BTreeSet<Name> = (0..left.deltas().len()).flat_map(|at| left.aliases(at)).collect();
            let is_brought = |at: &usize| difference.aliases(*at).iter().all(|name| !left.contains(name));
            return Ok((0..difference.deltas().len()).filter(is_brought).collect());
        }
        Ok(Vec::new())
    }

    /// Returns whether two states differ in a variable of a cause.
    fn differ(&self, one: &Graph, other: &Graph, cause: &Isolated) -> bool {
        let names: BTreeSet<&Variable> = cause.aliases.iter().flatten().collect();
        let matching = Matching::new(one, other, self.method);
        let difference = Difference::new(one, other, matching, self.passing.debugger());
        let functions = functions(one);
        let is_about = |number: usize| {
            difference.aliases(number).iter().any(|name| names.contains(&variable(&functions, name)))
        };
        (0..difference.deltas().len()).any(is_about)
    }
}
