//! Delta debugging of any list by any test, and the schedule that tests ahead.
//!
//! [`dd`] has the family as plain functions, with one test at a time or several. [`search`] has the algorithms over numbered
//! circumstances, [`schedule`] runs them by an [`Oracle`](oracle::Oracle).
//!
//! ```
//! use nubbin_search::{Verdict, dd};
//!
//! let fails = |words: &[&str]| Verdict::from(words.contains(&"boom") && words.contains(&"now"));
//! let smallest = dd::ddmin(&["go", "boom", "or", "stop", "now"], fails).unwrap();
//! assert_eq!(smallest, ["boom", "now"]);
//! ```
//!
//! It knows no syntax, file, process, clock or randomness; only the schedule has threads.

pub mod dd;
pub mod oracle;
#[cfg(test)]
mod random;
pub mod schedule;
pub mod search;
mod verdict;

pub use verdict::{Cause, Verdict};
