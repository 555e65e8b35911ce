//! The command line: what was typed, what it means, what the user sees, and how the program ends.
//!
//! It reduces nothing itself.

mod args;
mod baseline;
mod changes;
mod command;
mod config;
mod control;
pub mod differ;
mod exit;
mod failure;
mod failure_options;
mod formatter;
mod hand;
mod history;
mod inspect;
mod isolate;
mod journal;
mod keep;
mod language;
mod limits;
mod observers;
pub mod options;
mod progress;
mod propose;
mod reduce;
mod settings;
mod signal;
mod summary;
mod text;
mod voice;
mod watch;

pub use args::Args;
pub use settings::Task;
