//! Estimates the memory needed for a large input, and warns before the run if it exceeds the available memory.

use crate::text;
use rustix::process::{Resource, getrlimit};
use std::fs;
use std::path::Path;

/// Measured parameters.
struct Tuning {
    /// The largest number of bytes of memory for each byte of source while it is parsed and reduced; 92 for 13 MB of
    /// C.
    of_source: u64,
    /// Smaller inputs are not checked.
    least: u64,
}

const TUNING: Tuning = Tuning { of_source: 100, least: 1 << 22 };

/// Returns a note if an input of this length in a known language possibly needs more memory than available.
#[must_use]
pub(crate) fn note(length: usize) -> Option<String> {
    let length = length as u64;
    if length < TUNING.least {
        return None;
    }
    told(length, available()?)
}

fn told(length: u64, available: u64) -> Option<String> {
    let need = length.saturating_mul(TUNING.of_source);
    (need > available).then(|| {
        let [length, need, available] = [length, need, available].map(text::megabytes);
        format!(
            "parsing {length} can need {need} of memory, and {available} are available: if the run is killed, first reduce with \
             `--unit line`, which does not parse, and then reduce its result"
        )
    })
}

/// Returns the memory available to this process, limited by the machine, its control groups and its resource limits.
fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    });
    let limit = getrlimit(Resource::As).current;
    machine.into_iter().chain(limit).chain(group()).min()
}

/// Returns the memory that the control groups of this process leave.
fn group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let read = |path: &Path, name: &str| fs::read_to_string(path.join(name)).ok()?.trim().parse::<u64>().ok();
    let root = Path::new("/sys/fs/cgroup");
    let place = root.join(own);
    let left = |path: &Path| Some(read(path, "memory.max")?.saturating_sub(read(path, "memory.current")?));
    place.ancestors().take_while(|path| path.starts_with(root)).filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_may_not_fit_is_told_with_the_memory_that_it_takes_and_a_way_out() {
        let said = told(200_000_000, 8_000_000_000).expect("it does not fit");
        for part in ["200 MB", "20,000 MB of memory", "8,000 MB are available", "`--unit line`"] {
            assert!(said.contains(part), "`{part}` in {said}");
        }
        assert_eq!(told(50_000_000, 8_000_000_000), None);
        assert_eq!(note(1000), None);
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
