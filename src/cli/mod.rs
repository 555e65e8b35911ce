//! The command line: what was typed, what it means, what the user sees, and how the program ends.
//!
//! It reduces nothing itself.

mod args;
mod baseline;
mod changes;
mod command;
mod exit;
mod failure;
mod history;
mod inspect;
mod isolate;
mod journal;
mod language;
mod limits;
pub mod options;
mod progress;
mod reduce;
mod settings;
mod signal;
mod summary;
mod text;
mod voice;

pub use args::Args;
pub use settings::Task;
