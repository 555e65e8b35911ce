//! The Python module `nubbin`, the part of it that is written in Rust: `nubbin._nubbin`.
//!
//! It hands what Python gives to the crates below, and their results back. The names, types and documentation that users
//! see are in Python, in `python/nubbin/`; so is everything that can be said there as well.

mod algorithm;
mod caller;
mod command;
mod configuration;
mod difference;
mod failure;
mod options;
mod oracle;
mod record;
mod reduction;
mod tree;
mod verdict;
mod worker;

use pyo3::prelude::*;

/// The part of Nubbin that is written in Rust; `nubbin` has the functions to use.
#[pymodule]
mod _nubbin {
    #[pymodule_export]
    use super::algorithm::search;
    #[pymodule_export]
    use super::command::reduce_by_command;
    #[pymodule_export]
    use super::configuration::Items;
    #[pymodule_export]
    use super::difference::{tell_apart, tell_apart_by_command};
    #[pymodule_export]
    use super::options::languages;
    #[pymodule_export]
    use super::reduction::reduce;
    #[pymodule_export]
    use super::tree::{TreeNode, parse, unpack};
    #[pymodule_export]
    use super::worker::Workers;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
