//! Selects the plan of a reduction.

use super::{Objective, Reduction};
use crate::pass::Plan;

/// The parts of the input to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A text.
    Text,
    /// The files of an archive as a whole.
    WholeFiles,
    /// None: the input is only confirmed.
    Nothing,
    /// The options of a command.
    Options,
}

impl Reduction<'_> {
    /// Returns the plan, and the effort for restarts after it.
    pub(super) fn plan(&self, is_known: bool) -> (Plan, u32) {
        let compact = self.compact || self.control.objective.first == Objective::Bytes;
        if let Some((_, plan)) = &self.together {
            return (self.allowed(plan.clone()), 0);
        }
        let (plan, effort) = match (self.scope, self.units.is_empty()) {
            (Scope::Options, _) => return (self.allowed(Plan::options()), 0),
            (Scope::Nothing, _) => return (Plan::files().without(&["delete-files"]), 0),
            (Scope::WholeFiles, _) if self.proposer.is_some() => {
                return (self.allowed(Plan::proposals()), 0);
            }
            (Scope::WholeFiles, _) if self.format.is_some() || self.join.is_some() => {
                (Plan::files().without(&["delete-files"]), 0)
            }
            (Scope::WholeFiles, _) => (Plan::files(), 0),
            (Scope::Text, true) => {
                let plan = Plan::new(is_known, compact);
                let plan = if self.control.anonymize { plan.anonymous() } else { plan };
                (if self.effort > 0 && is_known { plan.thorough() } else { plan }, self.effort)
            }
            (Scope::Text, false) => (Plan::units(&self.units), 0),
        };
        let plan = if self.proposer.is_some() { plan.with_proposals() } else { plan };
        let plan = self.own_passes.iter().fold(plan, |plan, pass| plan.with(pass));
        (self.allowed(plan), effort)
    }

    /// Returns whether the user is notified if the language is unknown.
    pub(super) fn wants_language(&self) -> bool {
        self.units.is_empty() && self.scope == Scope::Text && self.together.is_none()
    }

    /// Removes the excluded passes from a plan.
    fn allowed(&self, plan: Plan) -> Plan {
        plan.without(&self.control.left_out)
    }
}
