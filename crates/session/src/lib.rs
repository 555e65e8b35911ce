//! Complete reductions: everything that the program `nubbin` does, without the terminal.
//!
//! [`Settings`] define the input, the test and the options; [`reduce::run`] runs the reduction. This example reduces
//! a file, keeps the failure that a command shows on it, and writes a journal from which a killed run can be resumed:
//!
//! ```standalone_crate
//! use nubbin_session::reduce::{self, Nobody};
//! use nubbin_session::{Failure, Helpers, Settings, Stop};
//! use std::process::ExitCode;
//!
//! fn run(helpers: Helpers) -> Result<(), Failure> {
//! #   let folder = tempfile::tempdir().unwrap();
//! #   let file = folder.path().join("bug.py");
//! #   std::fs::write(&file, "import os\ndef f(x):\n    return 1 / x\nprint(os.name)\nf(0)\n").unwrap();
//!     let mut settings = Settings::of_command(&file, ["python3", "{}"])?;
//!     settings.helpers = Some(helpers);
//!     let reduced = reduce::run(&settings, &Stop::new(), &mut Nobody)?.expect("nothing was resumed");
//!     println!("{}: {}", reduced.kept.unwrap(), String::from_utf8_lossy(&reduced.outcome.best));
//! #   assert!(reduced.signature.unwrap().contains("ZeroDivisionError"));
//! #   assert!(reduced.outcome.after.tokens < 6 && reduced.journal.unwrap().exists());
//! #   assert!(folder.path().join("bug.reduced.py").exists());
//!     Ok(())
//! }
//!
//! fn main() -> ExitCode {
//!     // This process can be a helper started by a session: a supervisor that runs the test in a sandbox.
//!     match Helpers::serve().map(run) {
//!         Ok(Ok(())) => ExitCode::SUCCESS,
//!         Ok(Err(failure)) => panic!("{failure}"),
//!         Err(code) => code,
//!     }
//! }
//! ```
//!
//! | task | module |
//! |---|---|
//! | reduce a file, several, or a directory | [`reduce`] |
//! | find the smallest difference between two files, or the largest passing part | [`isolate`] |
//! | find the changes between two versions that cause a failure | [`changes`] |
//! | find the options of a command that cause a failure | [`reduce`] with [`source::Input::Options`] |
//! | search with a published algorithm | [`classic`] |
//! | examine a test before a long reduction | [`check`] |
//! | write a test for a failure | [`init`] |
//! | find the bugs in a folder of failing files | [`triage`] |
//! | show the steps of a run, and resume it | [`history`], [`journal`] |
//!
//! The crate prints nothing and handles no signals: notes are passed to a [`Voice`], events to a
//! [`reduce::Audience`], and a [`Stop`] ends a run from outside. A [`Failure`] is an error with a hint for the user.

mod baseline;
pub mod beside;
pub mod browser;
pub mod change;
pub mod changes;
pub mod check;
pub mod classic;
pub mod command;
pub mod control;
pub mod differ;
pub mod emptied;
pub mod failure;
mod formatter;
mod hand;
pub mod helper;
pub mod history;
pub mod init;
pub mod inline;
pub mod input;
mod inquiry;
pub mod isolate;
pub mod journal;
pub mod keep;
pub mod language;
pub mod limits;
mod memory;
pub mod message;
mod observers;
pub mod options;
pub mod output;
mod pace;
pub mod places;
mod preprocessor;
pub mod program;
pub mod propose;
pub mod reduce;
#[cfg(feature = "remote")]
pub mod remote;
mod rescue;
pub mod serve;
pub mod settings;
pub mod shared;
pub mod slow;
mod sockets;
pub mod source;
pub mod squeeze;
pub mod stop;
pub mod summary;
pub mod surroundings;
pub mod text;
pub mod tool;
pub mod triage;
pub mod voice;
pub mod watch;
pub mod why;
pub mod words;

pub use baseline::{Ends, Known};
pub use failure::{Failure, Fault};
pub use helper::Helpers;
pub use settings::Settings;
pub use stop::Stop;
pub use voice::Voice;
