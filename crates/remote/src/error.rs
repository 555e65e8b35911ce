//! The errors of this crate.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The reason why a cluster returned no result.
///
/// An error contains no information about the command, which may have run and may have failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller no longer needs the result. The operation is cancelled in the background.
    #[error("the result is no longer needed")]
    Unwanted,
    /// All attempts failed for as long as [`Patience`](crate::Patience) allows, and no other action had a
    /// result in that time.
    #[error("cluster `{endpoint}` returned no result for {} s, after {tries} attempts: {status}", .since.as_secs())]
    Gone {
        /// The address of the cluster.
        endpoint: String,
        /// The time since the first failure.
        since: Duration,
        /// The number of attempts in that time.
        tries: u32,
        /// The last failure, as reported by the cluster or the connection.
        status: String,
    },
    /// All attempts of this action failed, while others had results. It may succeed elsewhere.
    #[error(
        "cluster `{endpoint}` returned no result of this action for {} s, after {tries} attempts, although other actions had results: {status}",
        .since.as_secs()
    )]
    Lost {
        /// The address of the cluster.
        endpoint: String,
        /// The time since the first failure.
        since: Duration,
        /// The number of attempts in that time.
        tries: u32,
        /// The last failure, as reported by the cluster or the connection.
        status: String,
    },
    /// The cluster permanently rejects requests: the client is not authenticated or not authorized, the
    /// instance or the platform is unknown, or the cluster does not execute actions.
    #[error("cluster `{endpoint}` rejects the request: {status}")]
    Refused {
        /// The address of the cluster.
        endpoint: String,
        /// The reason, as reported by the cluster.
        status: String,
    },
    /// The address is invalid.
    #[error("`{endpoint}` is not a cluster address: {reason}")]
    Endpoint {
        /// The address as it was given.
        endpoint: String,
        /// The reason.
        reason: String,
    },
    /// The connection cannot be encrypted, because a certificate is not trusted, missing or damaged.
    #[error("cannot encrypt the connection to `{endpoint}`: {reason}")]
    Tls {
        /// The address of the cluster.
        endpoint: String,
        /// The reason, as reported by the TLS library.
        reason: String,
    },
    /// A header, a token file or a credential helper is invalid.
    #[error("{subject}: {reason}")]
    Credential {
        /// The header, file or program.
        subject: String,
        /// The reason.
        reason: String,
    },
    /// A local file cannot be read.
    #[error("`{path}` cannot be read", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A local file has changed since it was first read.
    #[error("`{path}` has changed since it was sent to the cluster", path = .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A path is neither a file nor a directory, or a link leads to a directory that contains it.
    #[error("`{path}` cannot be sent to a cluster: {reason}", path = .path.display())]
    Kind {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// A path of an action is absolute, is outside the directory of the action, or is already used.
    #[error("`{path}` is not a valid path in an action: {reason}", path = .path.display())]
    Place {
        /// The path as it was given.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// An argument or a name is not UTF-8, as the protocol requires.
    #[error("`{text}` is not UTF-8, as the protocol of the cluster requires")]
    Text {
        /// The argument or name, with invalid bytes replaced.
        text: String,
    },
    /// The threads of the client cannot be started.
    #[error("cannot start the threads of the cluster's client")]
    Start(#[source] io::Error),
}
