//! Delta debugging of any list with any test, sequentially or with several tests at a time.
//!
//! - [`dd`] contains the algorithms as plain functions of a slice and a closure.
//! - [`search`] contains the same algorithms as state machines over numbered circumstances.
//! - [`schedule`] runs a search against an [`Oracle`](oracle::Oracle), sequentially or speculatively in
//!   parallel.
//!
//! ```
//! use nubbin_search::{Verdict, dd};
//!
//! let fails = |words: &[&str]| Verdict::from(words.contains(&"boom") && words.contains(&"now"));
//! let smallest = dd::ddmin(&["go", "boom", "or", "stop", "now"], fails).unwrap();
//! assert_eq!(smallest, ["boom", "now"]);
//! ```
//!
//! The crate does not depend on any syntax, and it uses no files, processes, clock or randomness. Only
//! [`schedule`] uses threads and measures time.

pub mod dd;
pub mod oracle;
#[cfg(test)]
mod random;
pub mod schedule;
pub mod search;
mod verdict;

pub use verdict::{Cause, Verdict};
