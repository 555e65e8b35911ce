//! The options about the resources of a run, and about its sandbox.

use super::control::duration;
use super::values::Offered;
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum, ValueHint};
use nubbin_oracle::limits::LEAST_MEMORY;
use std::path::PathBuf;
use std::time::Duration;

const UNITS: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// The limits of a run, its sandbox, and its directory.
#[derive(Debug, Args)]
#[group(skip)]
pub struct LimitOptions {
    /// Limits for each run: memory=512M,cpu=10s,processes=64,output=256M
    ///
    /// A comma-separated list; the option can be repeated. `none` switches a limit off.
    /// `memory`: address space of each process [default: half of the machine's memory, divided by the number of jobs].
    /// `cpu`: processor time of each process [default: none].
    /// `processes`: processes of one run at a time [default: 4096].
    /// `output`: size of the output, and of each written file [default: 256M].
    /// `proposer`: time of one run of a --propose command [default: 60s].
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',', value_parser = limits(), hide_possible_values = true, hide_possible_values = true, help_heading = "Limits and sandbox", verbatim_doc_comment)]
    pub limit: Vec<Limit>,

    /// Protection: auto, strict or off, and no-network, private
    ///
    /// A comma-separated list.
    /// `auto`: the test can write to its own directory only, as far as this system supports it [default].
    /// `strict`: refuse to run unless every protection is available.
    /// `off`: the test can write anywhere.
    /// `no-network`: the test has no network access.
    /// `private`: the test cannot read the home directory, apart from files that the command names and --needs.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_possible_values = true,
        help_heading = "Limits and sandbox",
        verbatim_doc_comment
    )]
    pub sandbox: Vec<Protection>,

    /// A file or directory that the test can write to; repeatable
    ///
    /// The environment variable `NUBBIN_WRITABLE` adds more, separated by colons. An existing log file that a script
    /// appends to by an absolute path (`>>/var/log/runs`) is writable automatically.
    #[arg(long, value_name = "PATH", help_heading = "Limits and sandbox")]
    pub writable: Vec<PathBuf>,

    /// Where the directories for the runs are created [default: the RAM disk, else TMPDIR]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Limits and sandbox")]
    pub work_dir: Option<PathBuf>,
}

/// An element of `--sandbox`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Protection {
    Auto,
    Strict,
    Off,
    NoNetwork,
    Private,
}

/// One limit of `--limit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    Memory(Most),
    /// In seconds.
    Cpu(Option<u64>),
    Processes(Option<u32>),
    Output(Most),
    Proposer(Duration),
}

impl LimitOptions {
    /// Tells whether `--sandbox` lists this element.
    pub fn protects(&self, one: Protection) -> bool {
        self.sandbox.contains(&one)
    }

    /// Returns the last value that `pick` finds among the limits.
    pub fn last<T>(&self, pick: impl Fn(Limit) -> Option<T>) -> Option<T> {
        self.limit.iter().rev().find_map(|limit| pick(*limit))
    }

    /// Returns the memory limit, if one was given.
    pub fn memory(&self) -> Option<Most> {
        self.last(|limit| if let Limit::Memory(most) = limit { Some(most) } else { None })
    }

    /// Returns the processor time in seconds, if a limit was given.
    pub fn cpu(&self) -> Option<u64> {
        self.last(|limit| if let Limit::Cpu(seconds) = limit { Some(seconds) } else { None }).flatten()
    }

    /// Returns the number of processes, if a limit was given.
    pub fn processes(&self) -> Option<u32> {
        self.last(|limit| if let Limit::Processes(number) = limit { Some(number) } else { None }).flatten()
    }

    /// Returns the size of outputs, if a limit was given.
    pub fn output(&self) -> Option<Most> {
        self.last(|limit| if let Limit::Output(most) = limit { Some(most) } else { None })
    }

    /// Returns the time for a proposing program, if one was given.
    pub fn proposer(&self) -> Option<Duration> {
        self.last(|limit| if let Limit::Proposer(time) = limit { Some(time) } else { None })
    }
}

/// The keys of `--limit`.
const KEYS: [&str; 5] = ["memory=", "cpu=", "processes=", "output=", "proposer="];

/// Parses `KEY=VALUE`, and offers the keys for completion.
fn limits() -> impl TypedValueParser<Value = Limit> {
    Offered::new(KEYS).try_map(|text: String| limit(&text))
}

fn limit(text: &str) -> Result<Limit, String> {
    const FORM: &str = "write KEY=VALUE, such as memory=512M";
    let (key, value) = text.split_once('=').ok_or(FORM)?;
    let value = value.trim();
    let is_none = value.eq_ignore_ascii_case("none");
    let about = |error: String| format!("`{value}` {error}");
    match key.trim() {
        "memory" => memory(value).map(Limit::Memory).map_err(about),
        "output" => most(value).map(Limit::Output).map_err(about),
        "cpu" if is_none => Ok(Limit::Cpu(None)),
        "cpu" => {
            let time = duration(value).map_err(|error| about(format!("is {error}")))?.time;
            // The kernel counts whole seconds.
            Ok(Limit::Cpu(Some(time.as_secs_f64().ceil().max(1.0) as u64)))
        }
        "processes" if is_none => Ok(Limit::Processes(None)),
        "processes" => match value.parse() {
            Ok(number @ 1..) => Ok(Limit::Processes(Some(number))),
            _ => Err(about("is not a number of processes".to_owned())),
        },
        "proposer" => duration(value)
            .map(|time| Limit::Proposer(time.time))
            .map_err(|error| about(format!("is {error}"))),
        key => {
            let names: Vec<&str> = KEYS.iter().map(|key| key.trim_end_matches('=')).collect();
            Err(format!("unknown limit `{key}`; the limits are {}", names.join(", ")))
        }
    }
}

/// A limit in bytes, or `None` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most(pub Option<u64>);

/// Parses a limit, such as `512M`, `1.5g`, `4GiB`, `1000` or `none`.
fn most(text: &str) -> Result<Most, String> {
    let text = text.trim().to_ascii_lowercase();
    if text == "none" {
        return Ok(Most(None));
    }
    let bare = text.strip_suffix("ib").or(text.strip_suffix('b')).unwrap_or(&text);
    let unit = UNITS.into_iter().find(|(unit, _)| bare.ends_with(*unit));
    let digits = if unit.is_some() { &bare[..bare.len() - 1] } else { bare };
    let number: f64 =
        digits.trim().parse().map_err(|_| "is not a size such as 512M or 2G, or `none`".to_owned())?;
    let bytes = number * unit.map_or(1, |(_, power)| 1_u64 << power) as f64;
    match bytes {
        bytes if bytes.is_nan() => Err("is not a size such as 512M or 2G, or `none`".to_owned()),
        bytes if bytes < 1.0 => Err("must be more than 0".to_owned()),
        bytes if bytes < 1e18 => Ok(Most(Some(bytes as u64))),
        _ => Err("more than any machine has; `none` is no limit".to_owned()),
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
        for (text, part) in
            [("nan", "is not a size"), ("0", "more than 0"), ("99999999999T", "`none` is no limit")]
        {
            assert!(most(text).is_err_and(|said| said.contains(part)), "{text}");
        }
        for (text, expected) in [
            ("memory=1G", Limit::Memory(Most(Some(1 << 30)))),
            ("output=none", Limit::Output(Most(None))),
            ("cpu=1m", Limit::Cpu(Some(60))),
            ("cpu=10", Limit::Cpu(Some(10))),
            ("processes=8", Limit::Processes(Some(8))),
            ("proposer=2s", Limit::Proposer(Duration::from_secs(2))),
        ] {
            assert_eq!(limit(text), Ok(expected), "{text}");
        }
        for text in ["memory", "memory=", "cpu=x", "processes=0", "disk=1G", "=1"] {
            assert!(limit(text).is_err(), "{text}");
        }
        assert_eq!(memory("1M"), Err("must be at least 256M".to_owned()));
        assert_eq!(memory("1G"), Ok(Most(Some(1 << 30))));
    }
}
