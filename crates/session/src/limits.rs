//! The limits of a run of the oracle, and the files and the network that it may reach: the options, and their joint
//! meaning.
//!
//! The library's wardens put the limits into effect; `baseline` decides when they are taken back.

use nubbin_oracle::{Confinement, Limits};
use std::path::PathBuf;

/// The numbers that were tuned.
struct Tuning {
    /// The least default for the memory of a process. V8 and the Go runtime reserve some hundred megabytes of address
    /// space before they do anything; a compiler that runs away takes 1 GiB in a second or two, which no machine minds.
    least_memory: u64,
    /// The default for the size of a file. No test that people write needs more, and as many as there are cores fit on
    /// any RAM disk that is used.
    file_bytes: u64,
    /// The limit for the size of a file once the default was taken back.
    most_file_bytes: u64,
    /// The default for the number of processes and threads. A parallel build or a browser has some hundreds.
    processes: usize,
}

const TUNING: Tuning =
    Tuning { least_memory: 1 << 30, file_bytes: 256 << 20, most_file_bytes: 1 << 30, processes: 4096 };

/// The resources without any limit, not even a default one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited {
    /// The memory of a process.
    pub memory: bool,
    /// The size of the output and of a file.
    pub output: bool,
}

/// The resources that a run of the oracle may use and reach.
#[derive(Debug)]
pub struct Bounds {
    /// The limits that the user asked for.
    pub asked: Limits,
    /// The limits that hold if the user asked for none; they can be taken back.
    pub default: Limits,
    /// The files and the network that it may reach.
    pub confinement: Confinement,
    /// The directory in which those of the probes are made; without one, the RAM disk or else `TMPDIR`.
    pub work_dir: Option<PathBuf>,
}

impl Bounds {
    /// Returns the limits that hold: what was asked for, and the defaults elsewhere.
    #[must_use]
    pub fn all(&self) -> Limits {
        Limits {
            memory: self.asked.memory.or(self.default.memory),
            output: self.asked.output.or(self.default.output),
            ..self.least()
        }
    }

    /// Returns the limits that are never taken back: what was asked for, and the default number of processes.
    #[must_use]
    pub fn least(&self) -> Limits {
        Limits { processes: self.asked.processes.or(self.default.processes), ..self.asked }
    }

    /// Returns the limits that are left when the defaults are taken back: what was asked for, and for files a larger one,
    /// since without any the test fills the disk.
    #[must_use]
    pub fn loose(&self) -> Limits {
        Limits {
            output: self.asked.output.or(self.default.output.map(|_| TUNING.most_file_bytes)),
            ..self.least()
        }
    }

    /// Returns the bounds of an oracle of which `jobs` runs go on at once: what was asked for, and a default elsewhere,
    /// unless there is to be no limit.
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

/// Returns a half of the machine's memory for all jobs together. It is a limit on address space, of which programs
/// reserve more than they use, and one on each process: so it is no bound on what a probe takes, but it stops what runs
/// away.
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
