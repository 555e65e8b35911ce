//! The limits of a run of the oracle, and the files and the network that it can access.
//!
//! The supervisors in the crate `oracle` enforce the limits; the module `baseline` decides when a default limit is
//! removed.

use nubbin_oracle::{Confinement, Limits};
use std::path::PathBuf;

/// Tuned parameters.
struct Tuning {
    /// The least default memory limit of a process. V8 and the Go runtime reserve some hundred megabytes of address
    /// space at start-up. A compiler in an endless loop allocates 1 GiB within seconds, which any machine tolerates.
    least_memory: u64,
    /// The default limit of the size of a file. Ordinary tests need less, and one such file for each core fits on
    /// common RAM disks.
    file_bytes: u64,
    /// The limit of the size of a file after the default was removed.
    most_file_bytes: u64,
    /// The default limit of processes and threads. A parallel build or a browser has some hundreds.
    processes: usize,
}

const TUNING: Tuning =
    Tuning { least_memory: 1 << 30, file_bytes: 256 << 20, most_file_bytes: 1 << 30, processes: 4096 };

/// Resources without any limit, not even a default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited {
    /// The memory of a process.
    pub memory: bool,
    /// The size of the output and of files.
    pub output: bool,
}

/// The resources that a run of the oracle can use.
#[derive(Debug)]
pub struct Bounds {
    /// The limits set by the user.
    pub asked: Limits,
    /// The default limits, which can be removed.
    pub default: Limits,
    /// The accessible files and network.
    pub confinement: Confinement,
    /// The parent of the directories of probes; `None` is the RAM disk or else `TMPDIR`.
    pub work_dir: Option<PathBuf>,
}

impl Bounds {
    /// Returns the effective limits: the user's, or else the defaults.
    #[must_use]
    pub fn all(&self) -> Limits {
        Limits {
            memory: self.asked.memory.or(self.default.memory),
            output: self.asked.output.or(self.default.output),
            ..self.least()
        }
    }

    /// Returns the limits that are never removed: the user's, and the default number of processes.
    #[must_use]
    pub fn least(&self) -> Limits {
        Limits { processes: self.asked.processes.or(self.default.processes), ..self.asked }
    }

    /// Returns the limits without removable defaults: the user's, and a larger limit for files, because an unlimited
    /// test could fill the disk.
    #[must_use]
    pub fn loose(&self) -> Limits {
        Limits {
            output: self.asked.output.or(self.default.output.map(|_| TUNING.most_file_bytes)),
            ..self.least()
        }
    }

    /// Creates the bounds of an oracle with `jobs` parallel runs: the user's limits, and else defaults, except for
    /// unlimited resources.
    #[must_use]
    pub fn new(asked: Limits, unlimited: Unlimited, jobs: usize, confinement: Confinement) -> Self {
        let default = Limits {
            memory: (asked.memory.is_none() && !unlimited.memory).then(|| fair_share(jobs)),
            output: (asked.output.is_none() && !unlimited.output).then_some(TUNING.file_bytes),
            processes: asked.processes.is_none().then_some(TUNING.processes),
            ..Limits::default()
        };
        Self { asked, default, confinement, work_dir: None }
    }
}

/// Returns half of the machine's memory, divided by `jobs`. The limit applies to the address space of each process,
/// of which programs reserve more than they use. It does not bound the memory of a probe, but stops runaway
/// processes.
fn fair_share(jobs: usize) -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let total = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let total = total.map_or(0, |kilobytes| kilobytes << 10);
    (total / (2 * jobs.max(1) as u64)).max(TUNING.least_memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_for_memory_is_never_small() {
        assert!(fair_share(1) >= fair_share(1000));
        assert!(fair_share(1000) >= TUNING.least_memory);
    }
}
