//! The errors of this crate: each has its subject, and says whether to ask again makes sense.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The reason why a cluster gave no result.
///
/// None of them says anything about the command: it may have run, and it may have failed or not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller no longer wants the result. The operation is cancelled in the background.
    #[error("the result is no longer wanted")]
    Unwanted,
    /// There was nothing but trouble for as long as [`Patience`](crate::Patience) allows, and no other action had a
    /// result meanwhile.
    #[error("cluster `{endpoint}` has given no result for {} s in {tries} tries: {status}", .since.as_secs())]
    Gone {
        /// The address of the cluster.
        endpoint: String,
        /// The time since the first trouble.
        since: Duration,
        /// The number of tries in that time.
        tries: u32,
        /// The last trouble, in the words of the cluster or of the connection.
        status: String,
    },
    /// There was nothing but trouble with this action, while others had results. Another place may run it.
    #[error(
        "cluster `{endpoint}` has given no result of this action for {} s in {tries} tries, but of others: {status}",
        .since.as_secs()
    )]
    Lost {
        /// The address of the cluster.
        endpoint: String,
        /// The time since the first trouble.
        since: Duration,
        /// The number of tries in that time.
        tries: u32,
        /// The last trouble, in the words of the cluster or of the connection.
        status: String,
    },
    /// The cluster refuses for good: who asks is not known or not allowed, the instance or the platform is unknown, or it
    /// runs no actions.
    #[error("cluster `{endpoint}` refuses: {status}")]
    Refused {
        /// The address of the cluster.
        endpoint: String,
        /// The reason, in the words of the cluster.
        status: String,
    },
    /// The address is none.
    #[error("`{endpoint}` is no address of a cluster: {reason}")]
    Endpoint {
        /// The address as it was given.
        endpoint: String,
        /// The fault.
        reason: String,
    },
    /// The encrypted connection cannot be made: a certificate is not trusted, missing or damaged.
    #[error("no encrypted connection to `{endpoint}`: {reason}")]
    Tls {
        /// The address of the cluster.
        endpoint: String,
        /// The reason, in the words of the TLS library.
        reason: String,
    },
    /// A header, a file with a token or a credential helper does not do.
    #[error("{subject}: {reason}")]
    Credential {
        /// The header, file or program.
        subject: String,
        /// The fault.
        reason: String,
    },
    /// A file of this machine cannot be read.
    #[error("`{path}` cannot be read", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of this machine is no longer what it was when it was first read.
    #[error("`{path}` has changed since it was sent to the cluster", path = .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file or directory is neither, or a link leads back to where it is.
    #[error("`{path}` cannot be sent to a cluster: {reason}", path = .path.display())]
    Kind {
        /// The entry of the file system.
        path: PathBuf,
        /// The word or the name.
        reason: &'static str,
    },
    /// A path of an action is absolute, leaves the directory of the action, or is taken already.
    #[error("`{path}` is no place in an action: {reason}", path = .path.display())]
    Place {
        /// The path as it was given.
        path: PathBuf,
        /// The fault.
        reason: &'static str,
    },
    /// A word or a name is not UTF-8, which the protocol does not have.
    #[error("`{text}` is not UTF-8, and a cluster takes nothing else")]
    Text {
        /// The word or name, as far as it can be shown.
        text: String,
    },
    /// The threads of the client cannot be started.
    #[error("the client of a cluster cannot start")]
    Start(#[source] io::Error),
}
