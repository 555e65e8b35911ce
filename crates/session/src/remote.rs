//! Runs the test on a cluster: the connection, a check of the cluster, and the distribution of runs.
//!
//! The crate `nubbin_remote` implements the protocol. Verdicts are derived here, as for local runs.

mod canary;
mod limit;
mod several;
mod shipped;
mod spread;

pub(crate) use spread::Spread;

use crate::failure::{Failure, Fault};
use crate::settings::Settings;
use crate::source::Input;
use crate::stop::Stop;
use nubbin_oracle::CommandOracle;
use nubbin_remote::{Action, Cluster, Done, Error, Patience};
pub use nubbin_remote::{Address, Tls, Token};
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Duration;

/// A cluster that runs tests.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The address and credentials.
    pub address: Address,
    /// The number of parallel runs on the cluster.
    pub jobs: usize,
    /// No candidates are run locally while the cluster responds, except for initial runs and confirmations.
    pub is_alone: bool,
    /// The environment variables on the cluster.
    pub environment: Vec<(String, String)>,
    /// What to do when the cluster stops responding.
    pub when_gone: WhenGone,
    /// The time without a response after which the cluster counts as lost.
    pub patience: Duration,
}

/// What to do when the cluster stops responding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenGone {
    /// Continue locally.
    #[default]
    GoOnHere,
    /// Wait until it responds again.
    Wait,
}

/// Runs commands: a cluster, or its replacement in a test.
pub(crate) trait Place: Debug + Send + Sync {
    /// Runs an action, unless it becomes unwanted.
    fn run(&self, action: &Action<'_>, is_unwanted: &(dyn Fn() -> bool + Sync)) -> Result<Done, Error>;
}

struct Real(Cluster);

impl Debug for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cluster")
    }
}

impl Place for Real {
    fn run(&self, action: &Action<'_>, is_unwanted: &(dyn Fn() -> bool + Sync)) -> Result<Done, Error> {
        self.0.run(action, is_unwanted)
    }
}

/// Connects to the cluster of the settings, and checks that the test has the same results there.
///
/// # Errors
/// Returns an error when the cluster cannot be reached, or has other results.
pub(crate) fn reach(
    settings: &Settings,
    oracle: &CommandOracle,
    input: &[u8],
    stop: &Stop,
) -> Result<Option<Spread>, Failure> {
    let Some(remote) = &settings.remote else { return Ok(None) };
    can_be_sent(settings, oracle)?;
    let patience = Patience { longest: remote.patience, ..Patience::default() };
    let cluster =
        Cluster::connect(&remote.address, &patience).map_err(|error| unreachable(remote, &error))?;
    let there = oracle.clone().with_own_limit();
    let shipped = shipped::Shipped::new(&there.errand(input), remote, |path| cluster.keep(path))
        .map_err(|error| unreachable(remote, &error))?;
    let spread = Spread::new(settings, remote, there, shipped, Arc::new(Real(cluster))).stop(stop.flag());
    canary::look(settings, remote, &spread, input)?;
    Ok(Some(spread))
}

/// Returns an error if runs of the test cannot be sent to a cluster.
fn can_be_sent(settings: &Settings, oracle: &CommandOracle) -> Result<(), Failure> {
    let cannot = |what: &str, hint: &str| Err(Failure::usage(what.to_owned()).hint(hint.to_owned()));
    if matches!(settings.input, Input::Options(_) | Input::WithOptions(_) | Input::Changes(_)) {
        return cannot("options and changes cannot be reduced on a cluster", "remove `--remote`");
    }
    if settings.test.is_server() {
        return cannot(
            "servers cannot be used on a cluster: one would be started for each candidate",
            "remove `--remote`, or use the command itself",
        );
    }
    if oracle.is_bound() {
        return cannot(
            "the command runs in a local directory, which the cluster does not have",
            "remove `--here`, and list the files that it needs with `--needs PATH`",
        );
    }
    Ok(())
}

/// The cluster cannot be used.
fn unreachable(remote: &Remote, error: &Error) -> Failure {
    let hint = match error {
        Error::Endpoint { .. } => "use grpc://HOST:PORT, or grpcs://HOST:PORT with TLS",
        Error::Tls { .. } => {
            "set the authority with `--remote-option ca=FILE`, and the client with `--remote-option certificate=FILE` and `--remote-option key=FILE`"
        }
        Error::Credential { .. } => {
            "provide credentials with `--remote-option token=FILE` or `--remote-option credential-helper=PROGRAM`"
        }
        Error::Refused { .. } => {
            "check `--remote-option instance=NAME`, `--remote-option platform=KEY=VALUE` and the credentials; the cluster's message is above"
        }
        Error::File { .. } | Error::Place { .. } | Error::Text { .. } => {
            "files to send must be readable, with names in UTF-8"
        }
        _ => {
            "check that the cluster is running and that the port is that of the execution service; to run locally, remove `--remote`"
        }
    };
    let message =
        format!("cannot use the cluster `{}`: {error}; nothing was changed", remote.address.endpoint);
    Failure::message(Fault::Oracle, message).hint(hint)
}
