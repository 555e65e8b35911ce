//! The plans for directories, options, names and units, and for the search after a detour.

use super::{Plan, TUNING};
use crate::pass::Unit;

impl Plan {
    /// Returns the plan for the search right after a detour.
    #[must_use]
    pub fn nearby() -> Self {
        let names =
            ["remove-symbol", "remove-parameter", "inline-function", "rewrite/late", "variable-to-literal"];
        Self::of(&[&["delete-nodes", "rewrite", "hoist"], &names, &["substitute"]], 0, &[])
    }

    /// Returns the plan for the files of an archive.
    #[must_use]
    pub fn files() -> Self {
        Self::of(&[&["delete-files"]], 0, &["delete-files"])
    }

    /// Returns the plan for the options of a command.
    #[must_use]
    pub fn options() -> Self {
        let tiers: [&[&str]; 4] = [
            &["delete-options"],
            &["delete-options/value"],
            &["delete-options/part"],
            &["delete-options/nest"],
        ];
        Self::of(&tiers, 0, &["delete-options", "delete-options/part"])
    }

    /// Returns the plan for a directory whose files go through the coarse levels together. If the code that a run
    /// executes is known (`covered`), most remaining bodies are needed, so they are tried last.
    #[must_use]
    pub fn together(covered: bool) -> Self {
        let first: &[&str] = if covered {
            &[
                "delete-files",
                "delete-unparsed",
                "delete-comments",
                "delete-nodes/kind",
                "delete-unused",
                "delete-nodes",
                "rewrite",
                "rewrite/bulk",
                "hoist",
            ]
        } else {
            &[
                "delete-files",
                "delete-unparsed",
                "delete-comments",
                "rewrite/bulk",
                "delete-nodes",
                "rewrite",
                "delete-nodes/kind",
                "delete-unused",
                "hoist",
            ]
        };
        let tiers = [first, &["remove-symbol/files", "remove-symbol", "remove-parameter", "inline-function"]];
        let mut plan = Self::of(&tiers, tiers.len(), &[]);
        plan.tiers.clear();
        plan.shares = &TUNING.shares_together;
        (plan.level, plan.coarsened, plan.once) = (0, 0, true);
        plan
    }

    /// Returns the plan for names that one file of an archive defines and others use.
    #[must_use]
    pub fn names() -> Self {
        Self::of(&[&["remove-symbol/files"]], 0, &[])
    }

    /// Returns the plan for code that the failing run does not execute.
    #[must_use]
    pub fn unreached() -> Self {
        Self::of(&[&["propose/unreached"]], 0, &[])
    }

    /// Returns the plan for the proposals of an external program for an archive, after its files are exhausted.
    #[must_use]
    pub fn proposals() -> Self {
        Self::of(&[&["propose"]], 0, &[])
    }

    /// Returns the plan for units. The units are exhausted one after the other, repeatedly, until all are exhausted on
    /// the same current best. On a large input the first unit goes through the coarse levels before that. The final
    /// sweep tries the last unit.
    #[must_use]
    pub fn units(units: &[Unit]) -> Self {
        let tiers: Vec<Vec<_>> = units.iter().map(|unit| vec![unit.pass()]).collect();
        let coarse = tiers.first().cloned().into_iter().collect();
        let sweep = units.last().map(|unit| unit.pass());
        Self {
            tiers,
            sweep: sweep.into_iter().collect(),
            coarse,
            opening: Self::blind().collect(),
            opened: 0,
            level: 0,
            fine: TUNING.fine_units,
            coarsened: 0,
            left_out: Vec::new(),
            off: Vec::new(),
            skipped: Vec::new(),
            stays: true,
            shares: &TUNING.shares,
            once: false,
            anew: false,
            known: Vec::new(),
        }
    }
}
