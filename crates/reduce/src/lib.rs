//! Test-case reduction: passes that propose deltas, a plan that orders them, and an engine that connects passes,
//! searches and the oracle.
//!
//! [`Reduction`] reduces a text, or an [archive](nubbin_archive) of several files, by any [`Oracle`]:
//!
//! ```
//! use nubbin_reduce::{Reduction, Registry, Verdict};
//!
//! let oracle = |candidate: &[u8]| Verdict::from(candidate.windows(6).any(|w| w == b"yield "));
//! let input = "def f(x):\n    for y in range(x):\n        if y % 2:\n            yield y + 1\n";
//! let outcome = Reduction::new(input).language(Registry::built_in().get("python")).run(&oracle).unwrap();
//! assert_eq!(String::from_utf8_lossy(&outcome.best).trim(), "yield 0");
//! ```
//!
//! # Custom passes and searches
//!
//! A [`Pass`](pass::Pass) reads a snapshot of the current best and proposes deltas. It can set a custom search over the
//! indices of the deltas:
//!
//! ```
//! use nubbin_reduce::pass::{Builder, CandidateFilter, Pass, Proposal, Snapshot};
//! use nubbin_reduce::{Reduction, Verdict};
//! use nubbin_search::search::Search;
//! use nubbin_syntax::edit::{Edit, Seam, Span};
//!
//! /// Tries one delta after the other.
//! #[derive(Clone)]
//! struct OneByOne(std::ops::Range<u32>);
//!
//! impl Search for OneByOne {
//!     fn next(&self) -> Option<Vec<u32>> {
//!         (!self.0.is_empty()).then(|| vec![self.0.start])
//!     }
//!
//!     fn advance(&mut self, _: Verdict) {
//!         self.0.start += 1;
//!     }
//! }
//!
//! /// Proposes to delete each sentence.
//! fn sentences(snapshot: &Snapshot<'_>) -> Proposal {
//!     let (mut deltas, mut start, mut count) = (Builder::new(CandidateFilter::Nothing, Seam::Touch), 0, 0);
//!     for (at, _) in snapshot.source.iter().enumerate().filter(|(_, byte)| **byte == b'.') {
//!         deltas.single([Edit::delete(Span::new(start, at as u32 + 1))]);
//!         (start, count) = (at as u32 + 1, count + 1);
//!     }
//!     deltas.search(OneByOne(0..count));
//!     deltas.build()
//! }
//!
//! static SENTENCES: Pass = Pass::new("delete-sentences", "delete each sentence", sentences);
//!
//! let fails = |text: &[u8]| Verdict::from(text.windows(4).any(|word| word == b"boom"));
//! let text = "It was calm. Then it went boom. Nobody knew why.";
//! // Only this pass runs.
//! let outcome = Reduction::new(text).passes(|_| false).pass(&SENTENCES).run(&fails).unwrap();
//! assert_eq!(outcome.best, b" Then it went boom.");
//! ```
//!
//! This crate starts no process, opens no file and prints nothing: `nubbin-oracle` runs commands, and `nubbin-session`
//! does everything else in a run.

pub mod difference;
pub mod dump;
pub mod event;
pub mod inline;
pub mod offer;
pub mod pass;
mod reduction;

/// The largest size in bytes of a text that passes read. Lists of lines and words take up to 50 times the memory of the
/// text. From a larger text only large parts are deleted, and nothing is proven about the result.
pub const HUGE: usize = 1 << 26;

pub use inline::Join;
pub use nubbin_language::{Language, Registry};
pub use nubbin_search::oracle::{NoVerdict, Oracle};
pub use nubbin_search::{Cause, Verdict};
pub use pass::Unit;
pub use reduction::{
    Coverage, Error, Flakiness, Format, Keeper, Languages, MARKS, Objective, Order, Outcome, PassReport,
    Preprocess, Proof, Reached, Reduction, Step, StopReason, Switches,
};
