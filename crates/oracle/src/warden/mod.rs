//! Wardens: small helper processes that start the user's test, limit and confine it, and end it with all that it
//! started, whatever becomes of it, of Nubbin or of themselves.
//!
//! A warden is a process of the program itself under a hidden first argument. It has a directory of its own, and runs
//! one probe at a time in it. What is set in it once is inherited by every probe, so a probe is a plain `vfork` and
//! `exec` in a small process: no limit, no rule of the sandbox and no signal is set up for a probe alone.
//!
//! - Its socket ends when Nubbin ends, however it does: then it ends the probe and removes its directory. A
//!   parent-death signal would reach the first process of a probe only.
//! - It inherits the orphans among its descendants, so it finds daemons that left their group and their session.
//! - It is in a process group of its own: what is typed at the terminal does not reach it.
//!
//! It knows no verdicts and no candidates.

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

/// The first argument by which a program knows that it is to be a warden.
pub const WORD: &str = "__oracle-warden";

/// The way in which a warden is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    program: PathBuf,
}

impl Helper {
    /// Makes a helper of the program at `path`, which calls [`serve()`] if its first argument is [`WORD`].
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { program: path.into() }
    }

    /// The program that runs, even if its file has been replaced meanwhile.
    #[must_use]
    pub fn this_program() -> Self {
        Self::new("/proc/self/exe")
    }

    fn name() -> &'static OsStr {
        OsStr::new(guard::NAME)
    }
}

/// Tells whether the arguments of a program ask it to be a warden.
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
