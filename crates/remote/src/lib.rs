//! A client of the Bazel Remote Execution API, version 2: files and a command go to a cluster, an exit status and output come
//! back.
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
//! A [`Cluster`] has threads of its own; its calls block, and any number of threads may call it.
//! There is a result only if the cluster says that the command ran to its end, or for as long as it may.
//! Whatever else happens (a worker, a connection or a blob that is lost, a full queue, a quota) is repeated with growing
//! pauses, and is an [`Error`] when [`Patience`] is at its end: it says nothing about the command.
//!
//! It does not choose where an action runs, keeps nothing on this machine, and knows nothing of what the actions are for.
//! `docs/design/remote.md` has the parts and the traps of the protocol.

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
