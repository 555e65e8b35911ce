//! Runs interestingness tests: starts a command for each candidate, limits and sandboxes it, and derives a
//! verdict from its result.
//!
//! - [`CommandOracle`] runs a command or a test server for each candidate; [`Served`] compares servers with
//!   fresh processes.
//! - [`limits`], [`surroundings`] and [`trace`] describe what a run can use and which files it opened.
//! - [`warden`] contains the supervisor processes (wardens) that start, limit and end the runs.
//! - [`protocol`] turns the end of a process into a [`Verdict`]; [`signature`] recognizes the messages of
//!   failing programs.
//!
//! Failures to run the oracle are reported as [`Error`]; a failing test is a verdict, not an error. The crate
//! works on bytes and processes. It does not depend on syntax trees, passes or edits.

pub mod command;
mod descent;
mod error;
mod excerpt;
mod home;
pub mod limits;
mod observer;
mod patience;
mod pause;
mod process;
pub mod protocol;
mod served;
mod server;
mod shortage;
pub mod signature;
mod start;
pub mod surroundings;
pub mod trace;
mod wait;
pub mod warden;
mod work_directory;

pub use command::{CommandOracle, CommandRun, Errand, LastingDirectory, Shape};
pub use error::Error;
pub use limits::{Confinement, Limit, Limits, Protection, Sandbox};
pub use nubbin_search::oracle::{
    Care, Confidence, Decision, LeastRate, NoVerdict, Oracle, Rate, Record, Recorded, Repeated, Sequential,
    Trials,
};
pub use nubbin_search::schedule::Name;
pub use nubbin_search::{Cause, Verdict};
pub use observer::Observer;
pub use pause::Pause;
pub use protocol::{Matcher, Protocol, Status};
pub use served::{Doubt, Served};
pub use server::question;
pub use shortage::{PATIENCE, start_thread};
pub use surroundings::Surroundings;
pub use trace::{Trace, Tracing};
pub use warden::Helper;
