//! Defines the passes. A pass reads the current best and proposes deltas; it never sees a verdict.

mod alike;
mod block;
mod bracket;
mod byte;
mod chunk;
mod comment;
mod delete;
mod ending;
mod file;
mod hoist;
mod kind;
mod line;
mod nested;
mod noise;
mod number;
mod option;
mod pair;
mod part;
mod plain;
mod plan;
mod proposal;
mod propose;
mod repeat;
mod rule;
mod shortest;
mod snapshot;
mod space;
mod span;
mod substitute;
mod symbol;
mod table;
mod text;
mod token;
mod twin;
mod unit;
mod uses;
mod window;
mod word;

pub use kind::emptied;
pub use option::{escape, unescape};
pub use plan::{PassRun, Plan, Turn};
pub use proposal::{Builder, CandidateFilter, Proposal};
pub use rule::{Rewriting, rewritings};
pub use snapshot::{Embedded, Layer, Snapshot, Text};
pub use symbol::{Detour, detours, functions};
pub use table::{Group, all, by_name, groups, select, selectors};
pub use unit::Unit;

use nubbin_syntax::Layout;
use nubbin_syntax::edit::Seam;

/// The kind of part that the final sweep tries to delete one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A file or a directory.
    File,
    /// A node of the syntax tree.
    Node,
    /// A token.
    Token,
    /// A line.
    Line,
    /// A character.
    Character,
    /// A byte.
    Byte,
    /// Two parts together.
    Pair,
    /// An option or another argument of a command.
    Option,
    /// An element of a list in an option.
    OptionPart,
}

/// The coarse levels at which a pass runs while the files of a directory are reduced together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// All levels.
    All,
    /// Only the first level. Later levels would add nothing.
    First,
    /// All levels except the first, where the heaviest parts are left to passes that edit many places at once.
    AfterFirst,
    /// Only the last level, because the pass rarely succeeds with heavy parts.
    Last,
}

/// A strategy that proposes deltas: its name, its function, and its special properties.
///
/// ```
/// use nubbin_reduce::pass::{Builder, CandidateFilter, Pass, Proposal, Snapshot};
/// use nubbin_reduce::{Reduction, Verdict};
/// use nubbin_syntax::edit::{Edit, Seam, Span};
///
/// /// Proposes to delete each `x`.
/// fn delete_x(snapshot: &Snapshot<'_>) -> Proposal {
///     let mut deltas = Builder::new(CandidateFilter::Nothing, Seam::Touch);
///     for (at, _) in snapshot.source.iter().enumerate().filter(|(_, byte)| **byte == b'x') {
///         deltas.single([Edit::delete(Span::new(at as u32, at as u32 + 1))]);
///     }
///     deltas.build()
/// }
/// static DELETE_X: Pass = Pass::new("delete-x", "delete each `x`", delete_x);
///
/// let fails = |text: &[u8]| Verdict::from(text.starts_with(b"a") && text.ends_with(b"b"));
/// let outcome = Reduction::new("axx-xb").passes(|_| false).pass(&DELETE_X).run(&fails).unwrap();
/// assert_eq!(outcome.best, b"a-b");
/// ```
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub struct Pass {
    /// The name: that of its group, or `group/variant`.
    pub name: &'static str,
    /// A description, as a phrase without a final period.
    pub about: &'static str,
    /// Whether the pass changes only whitespace or identifiers. Exhausted passes stay exhausted after it.
    pub is_cosmetic: bool,
    /// Whether the pass shortens identifiers. Verdicts on texts with the old names are then reused.
    pub is_renaming: bool,
    /// Whether the pass works on whole files and needs no syntax trees.
    pub is_about_files: bool,
    /// Whether the pass needs no syntax trees, and little memory besides the text.
    pub is_blind: bool,
    /// The number of consecutive uninteresting probes after which the rest of a group is skipped.
    pub patience: Option<u32>,
    /// The maximum share in percent of all probes so far. The pass is suspended when it has used its share.
    pub share: Option<usize>,
    /// Whether the pass needs the proposals of an external program.
    pub asks_outside: bool,
    /// Whether the deltas are tried at coarse levels in spite of their small weight.
    pub is_light: bool,
    /// Whether the pass runs at coarse levels only.
    pub is_coarse: bool,
    /// Whether deltas that failed before are tried again once the final sweep has found something.
    pub is_freed: bool,
    /// The parts that the pass tries one by one in the final sweep.
    pub proves: Option<PartKind>,
    /// The unit that the pass deletes, if it belongs to `--unit`.
    pub unit: Option<Unit>,
    /// The coarse levels at which the pass runs.
    pub levels: Levels,
    /// The minimum size in bytes of an input on which the pass runs in the opening.
    pub from: usize,
    /// The minimum weight in bytes of deltas that are tried at a coarse level.
    pub least: u64,
    propose: fn(&Snapshot<'_>) -> Proposal,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}

impl Pass {
    /// Returns a pass without special properties.
    #[must_use]
    pub const fn new(
        name: &'static str,
        about: &'static str,
        propose: fn(&Snapshot<'_>) -> Proposal,
    ) -> Self {
        Self {
            name,
            about,
            is_cosmetic: false,
            is_renaming: false,
            is_about_files: false,
            is_blind: false,
            patience: None,
            share: None,
            asks_outside: false,
            is_light: false,
            is_coarse: false,
            is_freed: false,
            proves: None,
            unit: None,
            levels: Levels::All,
            from: plan::TUNING.large,
            least: 0,
            propose,
        }
    }

    /// Returns the name of the pass's group: its own name up to the `/`.
    #[must_use]
    pub fn group(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(group, _)| group)
    }

    /// Returns the deltas for the text of a snapshot.
    #[must_use]
    pub fn propose(&self, snapshot: &Snapshot<'_>) -> Proposal {
        let mut proposal = (self.propose)(snapshot);
        let is_markup =
            snapshot.layers.first().is_some_and(|layer| layer.language.layout() == Layout::Markup);
        if is_markup && proposal.seam == Seam::Apart {
            proposal.seam = Seam::Tagged;
        }
        proposal
    }
}
