//! The options about what a run of the oracle may use and reach.

use clap::{Args, ValueEnum};
use nubbin_oracle::limits::LEAST_MEMORY;
use std::path::PathBuf;

const UNITS: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// The limits of a run, its sandbox, and its directory.
#[derive(Debug, Args)]
#[group(skip)]
pub struct LimitOptions {
    /// How much memory (address space) each process of the oracle may have, such as 512M or 4G, or `none` [default: a
    /// half of the machine's, shared among the jobs].
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Limits")]
    pub memory: Option<Most>,

    /// How much processor time each process of the oracle may use [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub cpu_time: Option<u64>,

    /// How many processes one run may have at a time [default: no limit].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    pub processes: Option<u32>,

    /// How large the output, and each file that is written, may become, or `none` [default: 256M].
    #[arg(long, value_name = "SIZE", value_parser = most, help_heading = "Limits")]
    pub output_size: Option<Most>,

    /// Keep the oracle in its directory: `auto` does so as far as this system can, and runs nothing where it cannot;
    /// `strict` runs nothing unless all of it can be had; `off` lets it write anywhere.
    #[arg(long, value_name = "MODE", default_value = "auto", help_heading = "Sandbox")]
    pub sandbox: Mode,

    /// A directory or a file that the oracle may write to all the same; can be given more than once. The variable
    /// `NUBBIN_WRITABLE` adds more, separated as in `PATH`. A log that its own script appends to by an absolute path
    /// (`>>/var/log/runs`), and that is there, needs no leave.
    #[arg(long, value_name = "DIR", help_heading = "Sandbox")]
    pub writable: Vec<PathBuf>,

    /// Cut the oracle off from the network.
    #[arg(long, help_heading = "Sandbox")]
    pub no_network: bool,

    /// Hide your home from the oracle, apart from what the command names and `--needs`.
    #[arg(long, help_heading = "Sandbox")]
    pub private: bool,

    /// Where the directories that the oracle runs in are made [default: the RAM disk, or else `TMPDIR`].
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    pub work_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    Auto,
    Strict,
    Off,
}

/// A limit, or that there is none.
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
    let number: f64 = digits.trim().parse().map_err(|_| "not a size; 512M, 2G and `none` are".to_owned())?;
    let bytes = number * unit.map_or(1, |(_, power)| 1_u64 << power) as f64;
    match bytes {
        bytes if bytes.is_nan() => Err("not a size; 512M, 2G and `none` are".to_owned()),
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
            [("nan", "not a size"), ("0", "more than 0"), ("99999999999T", "`none` is no limit")]
        {
            assert!(most(text).is_err_and(|said| said.contains(part)), "{text}");
        }
        assert_eq!(memory("1M"), Err("must be at least 256M".to_owned()));
        assert_eq!(memory("1G"), Ok(Most(Some(1 << 30))));
    }
}
