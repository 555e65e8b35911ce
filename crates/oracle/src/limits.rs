//! The resources that a probe can use in addition to time, and the files and networks that it can access.
//!
//! This module contains only values; the supervisor (warden) applies them in `warden/confine.rs`.

use super::trace::as_bytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The resources that each process of a probe can use; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Address space, in bytes, at least [`LEAST_MEMORY`].
    pub memory: Option<u64>,
    /// CPU time, in seconds.
    pub cpu: Option<u64>,
    /// The size of each written file, including the outputs, in bytes.
    pub output: Option<u64>,
    /// The maximum number of processes that a probe can have at a time. They are counted every few
    /// milliseconds; the kernel refuses more threads and processes than this number, or than 4,096 if that is
    /// more.
    pub processes: Option<usize>,
}

/// The smallest memory limit, in bytes. It also applies to the warden that starts the processes.
pub const LEAST_MEMORY: u64 = 256 << 20;

/// The limit that a probe exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Limit {
    /// CPU time.
    Cpu,
    /// The size of its output, or of a file.
    Output,
    /// The number of its processes.
    Processes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU time limit",
            Self::Output => "output limit",
            Self::Processes => "process limit",
        })
    }
}

/// The sandbox, which prevents processes from writing outside the directory of their probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sandbox {
    /// No sandbox.
    #[default]
    Off,
    /// The protections that the kernel supports.
    Auto,
    /// Every protection; if one is unavailable, nothing is run.
    Strict,
}

/// The files and networks that the processes of a probe can access.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Whether the sandbox prevents writes outside the directory of the probe and signals to other processes.
    pub sandbox: Sandbox,
    /// Directories and files that are writable in spite of the sandbox.
    #[serde(with = "as_bytes")]
    pub writable: Vec<PathBuf>,
    /// Files that can be appended to in spite of the sandbox.
    #[serde(with = "as_bytes")]
    pub logs: Vec<PathBuf>,
    /// Whether the network is disabled, except for Unix sockets with a path.
    pub no_network: bool,
    /// Whether processes can communicate over a private network that no other process shares, even if the
    /// network is disabled.
    #[serde(default)]
    pub loopback: bool,
    /// Directories that are hidden, except for files that the command itself names. This requires a private
    /// mount namespace.
    #[serde(with = "as_bytes", default)]
    pub hidden: Vec<PathBuf>,
}

/// The protection that is in effect for the probes of a warden, depending on the kernel and the user's
/// rights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// The version of Landlock; 0 if it is unavailable.
    pub landlock: u32,
    /// Whether the files that must not be written are mounted read-only in a private mount namespace.
    pub view: bool,
    /// Whether probes can see and signal only their own processes (`pid_namespaces(7)`).
    pub processes: bool,
}

impl Protection {
    /// Returns whether files outside the directory of a probe are protected from changes.
    #[must_use]
    pub fn keeps_files(&self) -> bool {
        self.landlock > 0 || self.view
    }
}
