//! Holds the passes. Each looks at the best and proposes deltas; no pass ever sees a verdict.

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

/// The kind of part that a final sweep tries to remove one by one.
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
    /// Two parts at once.
    Pair,
    /// An option of a command, or another word of it.
    Option,
    /// A part of a list in an option.
    OptionPart,
}

/// The coarse levels at which a pass has turns, when the files of an archive go through these levels together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// All levels.
    All,
    /// The first level only: the pass has nothing to do at a later one.
    First,
    /// All levels except the first: the heaviest parts are left to passes that work on many places.
    AfterFirst,
    /// The last level only: the pass seldom succeeds with heavy parts.
    Last,
}

/// A way to propose deltas: its name, its function, and its special properties.
///
/// ```
/// use nubbin_reduce::pass::{Builder, CandidateFilter, Pass, Proposal, Snapshot};
/// use nubbin_reduce::{Reduction, Verdict};
/// use nubbin_syntax::edit::{Edit, Seam, Span};
///
/// /// Proposes that each `x` goes.
/// fn crosses(snapshot: &Snapshot<'_>) -> Proposal {
///     let mut deltas = Builder::new(CandidateFilter::Nothing, Seam::Touch);
///     for (at, _) in snapshot.source.iter().enumerate().filter(|(_, byte)| **byte == b'x') {
///         deltas.single([Edit::delete(Span::new(at as u32, at as u32 + 1))]);
///     }
///     deltas.build()
/// }
/// static CROSSES: Pass = Pass::new("crosses", "each `x` goes", crosses);
///
/// let fails = |text: &[u8]| Verdict::from(text.starts_with(b"a") && text.ends_with(b"b"));
/// let outcome = Reduction::new("axx-xb").passes(|_| false).pass(&CROSSES).run(&fails).unwrap();
/// assert_eq!(outcome.best, b"a-b");
/// ```
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is special about some passes")]
pub struct Pass {
    /// The name of the pass: that of its group, or `group/variant`.
    pub name: &'static str,
    /// A description of the pass in a phrase without a final period.
    pub about: &'static str,
    /// It changes only blanks or names. Therefore passes that found nothing before it find nothing after it, either.
    pub is_cosmetic: bool,
    /// It makes names short. A candidate is also known by its text with the old names.
    pub is_renaming: bool,
    /// It works on whole files and needs no trees.
    pub is_about_files: bool,
    /// It needs no trees, and little memory beside the text.
    pub is_blind: bool,
    /// After this many questions in vain, one after the other, nothing more is asked of a group.
    pub patience: Option<u32>,
    /// It may use at most so many percent of the probes up to then; what is left is not asked for.
    pub share: Option<usize>,
    /// It needs the proposals of another program.
    pub asks_outside: bool,
    /// Its deltas are asked for at coarse levels, too, however little they weigh.
    pub is_light: bool,
    /// It has turns at coarse levels only.
    pub is_coarse: bool,
    /// Its questions that failed before are asked again once the final sweep has found something.
    pub is_freed: bool,
    /// The parts that it tries one by one in the final sweep.
    pub proves: Option<PartKind>,
    /// The units that it removes, if it is a pass of `--unit`.
    pub unit: Option<Unit>,
    /// The coarse levels at which it has turns.
    pub levels: Levels,
    /// The least number of bytes of an input on which it has a turn in the opening.
    pub from: usize,
    /// The least weight of deltas that are asked for at a coarse level, in bytes.
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

    /// Proposes deltas of the snapshot's text.
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
