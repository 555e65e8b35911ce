//! Nubbin reduces a failing input to its nubbin: the smallest piece that still fails.
//!
//! It parses the input with tree-sitter, proposes edits to the tree, runs a test (the *oracle*) on each
//! candidate, and keeps what still fails. [`Reduction`] is the whole of it:
//!
//! ```
//! use nubbin::{Reduction, Registry, Verdict};
//!
//! let oracle = |candidate: &[u8]| Verdict::from(candidate.windows(6).any(|w| w == b"yield "));
//! let input = "def f(x):\n    for y in range(x):\n        if y % 2:\n            yield y + 1\n";
//! let outcome = Reduction::new(input).language(Registry::built_in().get("python")).run(&oracle).unwrap();
//! assert_eq!(String::from_utf8_lossy(&outcome.best).trim(), "yield 0");
//! ```
//!
//! [`mod@dd`] reduces anything else: it has delta debugging of a list, as plain functions.
//!
//! The parts can be used by themselves: [`search`] holds the delta-debugging family over anonymous
//! circumstances, [`syntax`] trees and grammars, [`language`] the languages and their rules, [`oracle`] the
//! running of commands. `ARCHITECTURE.md` tells which part may know which.

pub use nubbin_archive as archive;
pub use nubbin_language::{self as language, Language, Registry};
pub use nubbin_oracle::{self as oracle, signature};
pub use nubbin_reduce::{
    Coverage, Error, Flakiness, Format, Keeper, Languages, MARKS, Objective, Order, Outcome, PassReport,
    Preprocess, Proof, Reached, Reduction, Step, StopReason, Switches, Unit, difference, dump, event, offer,
    pass,
};
pub use nubbin_search::{Cause, Verdict, dd, schedule, search};
pub use nubbin_session::{change, input};
pub use nubbin_syntax::{self as syntax, edit};
