//! Wardens: small supervisor processes that start the user's test, limit and confine it, and end it together
//! with all processes that it started, even if Nubbin or the warden itself is killed.
//!
//! A warden is the program itself, started with a hidden first argument. It has a separate directory, and
//! runs one probe at a time in it. Probes inherit its limits, sandbox rules and signal settings, so starting
//! a probe takes only a `vfork` and an `exec` in a small process, without setup for each probe.
//!
//! - Its socket is closed when Nubbin ends for any reason. The warden then ends the probe and removes its
//!   directory. A parent-death signal would reach only the first process of a probe.
//! - It adopts orphaned descendants, so it finds daemons that left their group and their session.
//! - It is in a separate process group, so keyboard signals from the terminal do not reach it.

mod client;
mod confine;
mod devices;
mod guard;
mod loopback;
pub(super) mod message;
mod notify;
mod prestart;
mod process_limit;
mod seccomp;
mod serve;
mod server;
mod shared;
mod tracer;
mod undo;
mod view;

pub(super) use client::{Place, Pool};
pub use guard::serve;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The first argument that makes a program run as a warden.
pub const WORD: &str = "__oracle-warden";

/// How a warden is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    program: PathBuf,
}

impl Helper {
    /// Creates a helper from the program at `path`, which must call [`serve()`] if its first argument is
    /// [`WORD`].
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { program: path.into() }
    }

    /// Returns a helper that starts the running program, even if its file has been replaced since.
    #[must_use]
    pub fn this_program() -> Self {
        Self::new("/proc/self/exe")
    }

    fn name() -> &'static OsStr {
        OsStr::new(guard::NAME)
    }
}

/// Returns whether the arguments of a program request a warden.
///
/// ```no_run
/// use nubbin_oracle::warden;
///
/// fn main() -> std::process::ExitCode {
///     if warden::is_asked_for(std::env::args_os()) {
///         return warden::serve();
///     }
///     // … what the program does
///     std::process::ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn is_asked_for(arguments: impl IntoIterator<Item = OsString>) -> bool {
    arguments.into_iter().nth(1).is_some_and(|word| word == WORD)
}
