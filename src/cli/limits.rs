//! What a run of the oracle may use and reach: the options, and what they mean together.
//!
//! The limits are put into effect by the library's wardens; when they are taken back is decided in `baseline`.

use super::exit::Exit;
use super::failure::Failure;
use clap::{Args, ValueEnum};
use nubbin::oracle::limits::LEAST_MEMORY;
use nubbin::oracle::{Confinement, Limits, Sandbox};
use std::path::PathBuf;

/// The least default for the memory of a process. V8 and the Go runtime reserve some hundred megabytes of address space
/// before they do anything; a compiler that runs away takes 1 GiB in a second or two, which no machine minds.
const LEAST_DEFAULT: u64 = 1 << 30;
/// The default for the size of a file. No test that people write needs more, and as many as there are cores fit on any
/// RAM disk that is used.
const FILE: u64 = 256 << 20;

const UNITS: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// What was typed.
#[derive(Debug, Args)]
pub struct Typed {
    /// How much memory (address space) each process of the oracle may have, such as 512M or 4G, or `none` [default: a
    /// half of the machine's, shared among the jobs].
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Limits")]
    memory: Option<Most>,

    /// How much processor time each process of the oracle may use [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    cpu_time: Option<u64>,

    /// How many processes one run may have at a time [default: no limit].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    processes: Option<u32>,

    /// How large the output, and each file that is written, may become, or `none` [default: 256M].
    #[arg(long, value_name = "SIZE", value_parser = most, help_heading = "Limits")]
    output_size: Option<Most>,

    /// Whether the oracle is kept from writing outside of its directory: `auto` is as far as this kernel can.
    #[arg(long, value_name = "MODE", default_value = "auto", help_heading = "Sandbox")]
    sandbox: Mode,

    /// A directory or a file that the oracle may write to all the same; can be given more than once. The variable
    /// `NUBBIN_WRITABLE` adds more, separated as in `PATH`. A log that its own script appends to by an absolute path
    /// (`>>/var/log/runs`), and that is there, needs no leave.
    #[arg(long, value_name = "DIR", help_heading = "Sandbox")]
    writable: Vec<PathBuf>,

    /// Cut the oracle off from the network.
    #[arg(long, help_heading = "Sandbox")]
    no_network: bool,

    /// Where the directories that the oracle runs in are made [default: the RAM disk, or else `TMPDIR`].
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    work_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    Auto,
    Strict,
    Off,
}

/// A limit, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Most(Option<u64>);

/// What was meant.
#[derive(Debug)]
pub struct Bounds {
    /// What was asked for.
    pub asked: Limits,
    /// What holds where nothing was asked for, and can be taken back.
    pub default: Limits,
    pub confinement: Confinement,
    pub work_dir: Option<PathBuf>,
}

impl Bounds {
    /// The limits that hold: what was asked for, and the defaults elsewhere.
    pub fn all(&self) -> Limits {
        Limits {
            memory: self.asked.memory.or(self.default.memory),
            output: self.asked.output.or(self.default.output),
            ..self.asked
        }
    }

    /// What was meant; `logs` are the files that the oracle appends to by its own text.
    pub fn new(typed: Typed, jobs: Option<usize>, logs: Vec<PathBuf>) -> Result<Self, Failure> {
        let found = |path: PathBuf, option: &str| {
            path.canonicalize().map_err(|error| {
                let message = format!("`{option} {}` cannot be used: {error}", path.display());
                Failure::message(Exit::Usage, message)
            })
        };
        let given = typed.writable.into_iter().map(|path| found(path, "--writable"));
        let more = std::env::var_os("NUBBIN_WRITABLE").unwrap_or_default();
        let more: Vec<PathBuf> =
            std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()).collect();
        let writable = given.chain(more.into_iter().map(|path| found(path, "NUBBIN_WRITABLE")));
        let sandbox = match typed.sandbox {
            Mode::Auto => Sandbox::Auto,
            Mode::Strict => Sandbox::Strict,
            Mode::Off => Sandbox::Off,
        };
        Ok(Self {
            asked: Limits {
                memory: typed.memory.and_then(|most| most.0),
                cpu: typed.cpu_time,
                output: typed.output_size.and_then(|most| most.0),
                processes: typed.processes.map(|most| most as usize),
            },
            default: Limits {
                memory: typed.memory.is_none().then(|| fair_share(jobs)),
                output: typed.output_size.is_none().then_some(FILE),
                ..Limits::default()
            },
            confinement: Confinement {
                sandbox,
                writable: writable.collect::<Result<_, _>>()?,
                logs,
                no_network: typed.no_network,
            },
            work_dir: typed.work_dir.map(|path| found(path, "--work-dir")).transpose()?,
        })
    }
}

/// How many cores the machine has for this program.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A half of the machine's memory for all jobs together. It is a limit on address space, of which programs reserve more
/// than they use, and one on each process: so it is no bound on what a probe takes, but it stops what runs away.
fn fair_share(jobs: Option<usize>) -> u64 {
    let jobs = jobs.unwrap_or_else(cores);
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let total = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let total = total.map_or(0, |kilobytes| kilobytes << 10);
    (total / (2 * jobs as u64)).max(LEAST_DEFAULT)
}

/// `512M`, `1.5g`, `4GiB`, `1000`, or `none`.
fn most(text: &str) -> Result<Most, String> {
    let text = text.trim().to_ascii_lowercase();
    if text == "none" {
        return Ok(Most(None));
    }
    let bare = text.strip_suffix("ib").or(text.strip_suffix('b')).unwrap_or(&text);
    let unit = UNITS.into_iter().find(|(unit, _)| bare.ends_with(*unit));
    let digits = if unit.is_some() { &bare[..bare.len() - 1] } else { bare };
    let number: f64 = digits.trim().parse().map_err(|_| "not a size; 512M, 2G and `none` are".to_owned())?;
    let bytes = number * unit.map_or(1, |(_, power)| 1_u64 << power) as f64;
    if (1.0..1e18).contains(&bytes) {
        Ok(Most(Some(bytes as u64)))
    } else {
        Err("must be more than 0".to_owned())
    }
}

fn memory(text: &str) -> Result<Most, String> {
    match most(text)? {
        Most(Some(bytes)) if bytes < LEAST_MEMORY => Err(format!("must be at least {}M", LEAST_MEMORY >> 20)),
        most => Ok(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let bytes = |text| most(text).expect("a size").0;
        assert_eq!((bytes("1000"), bytes("none")), (Some(1000), None));
        assert_eq!((bytes("64k"), bytes("64KiB"), bytes("64 KB")), (Some(65536), Some(65536), Some(65536)));
        assert_eq!((bytes("1.5g"), bytes("2T")), (Some(3 << 29), Some(2 << 40)));
        for text in ["", "G", "-1", "0", "nan", "inf", "12x", "1e30"] {
            assert!(most(text).is_err(), "{text}");
        }
        assert_eq!(memory("1M"), Err("must be at least 256M".to_owned()));
        assert_eq!(memory("1G"), Ok(Most(Some(1 << 30))));
    }

    #[test]
    fn the_default_for_memory_is_never_small() {
        assert!(fair_share(Some(1)) >= fair_share(Some(1000)));
        assert!(fair_share(Some(1000)) >= LEAST_DEFAULT);
    }
}
