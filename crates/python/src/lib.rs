//! The part of the Python module `nubbin` that is written in Rust: `nubbin._nubbin`.
//!
//! It passes values from Python to the other crates, and returns their results. The names, types and
//! documentation for users are in Python, in `python/nubbin/`, like everything else that can be written in
//! Python.

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

/// The part of Nubbin that is written in Rust. Use the functions of `nubbin`.
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
