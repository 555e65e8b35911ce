//! The options about runs on other machines: a cluster, or a command that starts a run elsewhere.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

const HEADING: &str = "Other machines";

/// The options about other machines.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct RemoteOptions {
    /// A cluster that runs candidates, too, by Bazel's Remote Execution API: grpc://HOST:PORT, or grpcs://HOST:PORT with
    /// TLS. It has to have what the command needs; files of this machine are sent.
    #[arg(long, value_name = "ADDRESS", help_heading = HEADING)]
    pub remote: Option<String>,

    #[command(flatten)]
    pub cluster: ClusterOptions,

    /// Start each run by these words, such as 'srun -Q -n1' or 'ssh build7': on another machine that sees the same files. The
    /// directories of the runs have to be among them: `--work-dir`.
    #[arg(long, value_name = "WORDS", conflicts_with = "remote", help_heading = HEADING)]
    pub jobs_from: Option<String>,
}

/// The options about a cluster, without which they mean nothing.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[expect(clippy::struct_field_names, reason = "each is an option of that name")]
pub struct ClusterOptions {
    /// The number of runs that may go on at once on the cluster [default: 16]; the result is the same for any. Those here
    /// come on top (`--jobs`); with `--jobs 0` candidates are run there only.
    #[arg(long, value_name = "N", requires = "remote", value_parser = clap::value_parser!(u16).range(1..=4096), help_heading = HEADING)]
    pub remote_jobs: Option<u16>,

    /// The instance of the cluster, if it has several.
    #[arg(long, value_name = "NAME", requires = "remote", help_heading = HEADING)]
    pub remote_instance: Option<String>,

    /// A property that the workers need, such as container-image=docker://gcc:12. Can be given more than once.
    #[arg(long, value_name = "KEY=VALUE", requires = "remote", value_parser = pair, help_heading = HEADING)]
    pub remote_platform: Vec<(String, String)>,

    /// A variable of the environment there; without a value it is the one here. Can be given more than once.
    #[arg(long, value_name = "NAME[=VALUE]", requires = "remote", value_parser = variable, help_heading = HEADING)]
    pub remote_env: Vec<(String, String)>,

    /// A header of every call. Can be given more than once.
    #[arg(long, value_name = "NAME=VALUE", requires = "remote", value_parser = pair, help_heading = HEADING)]
    pub remote_header: Vec<(String, String)>,

    /// The certificates of the authority that the cluster's own is signed by [default: those of the system].
    #[arg(long, value_name = "FILE", requires = "remote", help_heading = HEADING)]
    pub remote_ca: Option<PathBuf>,

    /// The certificate by which this client is known, with its key in `--remote-key`.
    #[arg(long, value_name = "FILE", requires_all = ["remote", "remote_key"], help_heading = HEADING)]
    pub remote_certificate: Option<PathBuf>,

    /// The key of `--remote-certificate`.
    #[arg(long, value_name = "FILE", requires = "remote_certificate", help_heading = HEADING)]
    pub remote_key: Option<PathBuf>,

    /// A file with a bearer token; it is read again when the cluster no longer takes it.
    #[arg(long, value_name = "FILE", requires = "remote", conflicts_with = "remote_helper", help_heading = HEADING)]
    pub remote_token: Option<PathBuf>,

    /// A program that says who asks: a credential helper, as Bazel has them.
    #[arg(long, value_name = "PROGRAM", requires = "remote", help_heading = HEADING)]
    pub remote_helper: Option<PathBuf>,

    /// Let the cluster answer from its cache of actions, and remember there; for tests that always say the same.
    #[arg(long, requires = "remote", help_heading = HEADING)]
    pub remote_cache: bool,

    /// The way on when the cluster no longer answers: here, or not before it answers again.
    #[arg(long, value_name = "WHAT", requires = "remote", value_enum, default_value_t, help_heading = HEADING)]
    pub remote_lost: WhenLost,

    /// The time without any answer after which it is lost.
    #[arg(long, value_name = "SECONDS", requires = "remote", value_parser = super::run::seconds, default_value = "120", help_heading = HEADING)]
    pub remote_patience: Duration,
}

/// The way on for a run whose cluster is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WhenLost {
    /// It goes on here.
    #[default]
    Here,
    /// It waits for the cluster.
    Wait,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it is a name, `=` and a value".to_owned()),
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    if text.contains('=') {
        return pair(text);
    }
    let value =
        std::env::var(text).map_err(|_| format!("`{text}` is not set here; give a value after `=`"))?;
    Ok((text.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_the_value_that_is_given_or_the_one_that_is_here() {
        assert_eq!(variable("A=b=c"), Ok(("A".to_owned(), "b=c".to_owned())));
        assert_eq!(variable("PATH"), Ok(("PATH".to_owned(), std::env::var("PATH").expect("it is set"))));
        for text in ["=x", "NUBBIN_IS_NOT_SET"] {
            assert!(variable(text).is_err(), "{text}");
        }
    }
}
