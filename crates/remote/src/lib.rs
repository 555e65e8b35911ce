//! A client of the Bazel Remote Execution API, version 2. It sends files and a command to a cluster, and
//! returns the exit status and the outputs.
//!
//! ```no_run
//! use nubbin_remote::{Action, Address, Cluster, Content, End, Patience};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), nubbin_remote::Error> {
//! let cluster = Cluster::connect(&Address::new("grpcs://build.example"), &Patience::default())?;
//! let headers = cluster.keep("include".as_ref())?;
//! let action = Action {
//!     files: vec![
//!         ("include".into(), Content::Kept(&headers)),
//!         ("main.c".into(), Content::Bytes(b"#include \"a.h\"\n", false)),
//!     ],
//!     directory: "".into(),
//!     words: ["/usr/bin/cc", "-Iinclude", "-c", "main.c"].map(Into::into).into(),
//!     environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
//!     limit: Duration::from_secs(10),
//!     most_output: 1 << 20,
//!     fresh: false,
//! };
//! let done = cluster.run(&action, &|| false)?;
//! assert_eq!(done.end, End::Exit(0), "{}", String::from_utf8_lossy(&done.stderr));
//! # Ok(())
//! # }
//! ```
//!
//! A [`Cluster`] uses internal threads; its calls block, and can be made from any number of threads. A result
//! is returned only if the cluster reports that the command has ended or reached its time limit. After any
//! other failure (a lost worker, connection or blob, a full queue, a quota) the action is repeated with
//! growing pauses. When [`Patience`] is exhausted, an [`Error`] is returned, which contains no information
//! about the command.
//!
//! The crate does not choose where an action runs, and stores nothing on this machine.
//! `docs/design/remote.md` describes the protocol and its pitfalls.

mod action;
mod address;
mod blob;
mod cluster;
mod credential;
mod digest;
mod ending;
mod error;
mod execution;
mod fault;
mod kept;
mod line;
mod operation;
mod shared;
mod store;
mod tree;

pub use action::{Action, Content, Done, End};
pub use address::{Address, Patience, Tls, Token};
pub use cluster::Cluster;
pub use error::Error;
pub use kept::Kept;
pub use shared::{Facts, Tally};
