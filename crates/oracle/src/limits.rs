//! The resources that a probe may use besides time, and the files and networks that it may reach: plain values.
//!
//! They are put into effect by a warden, in `warden/confine.rs`.

use super::trace::as_bytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The resources that each process of a probe may use; `None` is as much as there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Address space, in bytes, at least [`LEAST_MEMORY`].
    pub memory: Option<u64>,
    /// Seconds of processor time.
    pub cpu: Option<u64>,
    /// The size of each file that is written, the outputs included, in bytes.
    pub output: Option<u64>,
    /// The number of processes that a probe may have at a time, all of them together. They are counted every few
    /// milliseconds; the kernel refuses more threads and processes than this number, or than 4,096 if that is more.
    pub processes: Option<usize>,
}

/// The least memory limit: the warden that starts the processes has it, too.
pub const LEAST_MEMORY: u64 = 256 << 20;

/// The limit that a probe did not keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Limit {
    /// Processor time.
    Cpu,
    /// The size of its output, or of a file.
    Output,
    /// The number of its processes.
    Processes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "limit of processor time",
            Self::Output => "limit of output",
            Self::Processes => "limit of processes",
        })
    }
}

/// The sandbox: it keeps processes from writing outside of their probe's directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sandbox {
    /// They are not.
    #[default]
    Off,
    /// They are, as far as the kernel can.
    Auto,
    /// They are; where the kernel cannot, nothing is run.
    Strict,
}

/// The files and networks that the processes of a probe may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// The sandbox, which decides whether they may write outside of their probe's directory, and send signals to other
    /// processes.
    pub sandbox: Sandbox,
    /// Directories and files that they may write to all the same.
    #[serde(with = "as_bytes")]
    pub writable: Vec<PathBuf>,
    /// Files that they may append to in spite of the sandbox.
    #[serde(with = "as_bytes")]
    pub logs: Vec<PathBuf>,
    /// Is true if the network is cut off, apart from sockets with a path.
    pub no_network: bool,
    /// Is true if they may speak with each other over the network all the same, in one of their own in which nobody else is.
    #[serde(default)]
    pub loopback: bool,
    /// Directories that they do not see, apart from what the command itself names. That takes a view of the files of their
    /// own.
    #[serde(with = "as_bytes", default)]
    pub hidden: Vec<PathBuf>,
}

/// The protection that a warden's probes run under: what this kernel has, and lets this user have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// The version of Landlock; 0 for none.
    pub landlock: u32,
    /// Is true if all that may not be written is mounted read-only, in a view of the files that is the probes' own.
    pub view: bool,
    /// Is true if probes see and reach no processes but their own (`pid_namespaces(7)`).
    pub processes: bool,
}

impl Protection {
    /// Tells whether files outside of a probe's directory are kept as they are.
    #[must_use]
    pub fn keeps_files(&self) -> bool {
        self.landlock > 0 || self.view
    }
}
