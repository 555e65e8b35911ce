//! Test-case reduction: the passes that propose deltas, the plan that puts them in order, and the engine between a pass,
//! a search and the oracle.
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
//! It knows no process, no file and no terminal: `nubbin-oracle` runs commands, and `nubbin-session` has the rest of what
//! a run of the program is.

pub mod difference;
pub mod dump;
pub mod event;
pub mod offer;
pub mod pass;
mod reduction;

pub use nubbin_language::{Language, Registry};
pub use nubbin_search::oracle::{NoVerdict, Oracle};
pub use nubbin_search::{Cause, Verdict};
pub use pass::Unit;
pub use reduction::{
    Coverage, Error, Flakiness, Format, Keeper, Languages, MARKS, Objective, Outcome, PassReport, Preprocess,
    Proof, Reached, Reduction, Step, Stop, Switches,
};
