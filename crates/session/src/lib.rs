//! A reduction as its users know it.
//!
//! [`input`] reads what is to be reduced, keeps the best on disk, backs the original up, and has the journal of a run.
//! [`change`] has the changes between two versions of a directory.

pub mod change;
pub mod input;
