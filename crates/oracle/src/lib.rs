//! Running the user's test: closures and commands, and how each says what it saw.
//!
//! It knows bytes and processes only: no trees, no passes, no edits.

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
