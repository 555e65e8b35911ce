//! Runs of the test on a cluster: how it is reached, what is tried there before it is believed, and who runs what.
//!
//! The protocol is that of `nubbin_remote`; verdicts are made here, as those of runs on this machine are.

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
    /// The way to it.
    pub address: Address,
    /// The number of runs that go on at once there.
    pub jobs: usize,
    /// No candidate is run here while the cluster answers, but for the first runs and those that confirm a best.
    pub is_alone: bool,
    /// The variables of the environment there.
    pub environment: Vec<(String, String)>,
    /// The way on when the cluster no longer answers.
    pub when_gone: WhenGone,
    /// The time without any answer after which it is gone.
    pub patience: Duration,
}

/// The way on for a run whose cluster no longer answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenGone {
    /// It goes on here.
    #[default]
    GoOnHere,
    /// It waits until the cluster answers again.
    Wait,
}

/// A place that runs commands: a cluster, or what stands for one in a test.
pub(crate) trait Place: Debug + Send + Sync {
    /// Runs an action, unless it is no longer wanted.
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

/// Reaches the cluster of the settings, and makes sure that the test says there what it says here.
///
/// # Errors
/// Returns an error when it cannot be reached, or a run there comes to something else.
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

/// Makes sure that a run of the test can be sent away.
fn can_be_sent(settings: &Settings, oracle: &CommandOracle) -> Result<(), Failure> {
    let cannot = |what: &str, hint: &str| Err(Failure::usage(what.to_owned()).hint(hint.to_owned()));
    if matches!(settings.input, Input::Options(_) | Input::WithOptions(_) | Input::Changes(_)) {
        return cannot("options and changes are not tested on a cluster", "leave out `--remote`");
    }
    if settings.test.is_server() {
        return cannot(
            "a server cannot be asked on a cluster: it would be started for each candidate",
            "leave out `--remote`, or give the command itself",
        );
    }
    if oracle.is_bound() {
        return cannot(
            "the command runs in a directory of this machine, which is not on the cluster",
            "leave out `--here`, and name the files that it needs with `--needs PATH`",
        );
    }
    Ok(())
}

/// Returns the failure of a cluster that cannot be used.
fn unreachable(remote: &Remote, error: &Error) -> Failure {
    let hint = match error {
        Error::Endpoint { .. } => "it is grpc://HOST:PORT, or grpcs://HOST:PORT with TLS",
        Error::Tls { .. } => {
            "`--remote-ca FILE` names the authority, `--remote-certificate` and `--remote-key` the client"
        }
        Error::Credential { .. } => "`--remote-token FILE` or `--remote-helper PROGRAM` says who asks",
        Error::Refused { .. } => {
            "look at `--remote-instance`, `--remote-platform` and the credentials; the cluster's words are above"
        }
        Error::File { .. } | Error::Place { .. } | Error::Text { .. } => {
            "what is sent has to be readable here, with names in UTF-8"
        }
        _ => {
            "is it there, and is the port the one of the execution service? without `--remote` the run goes on here"
        }
    };
    let message =
        format!("the cluster `{}` cannot be used: {error}; nothing was changed", remote.address.endpoint);
    Failure::message(Fault::Oracle, message).hint(hint)
}
