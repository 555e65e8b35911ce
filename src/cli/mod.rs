//! The command line: what was typed, what it means, what the user sees, and how the program ends.
//!
//! It reduces nothing itself.

mod args;
mod baseline;
mod changes;
pub mod check;
mod classic;
mod clock;
mod command;
mod config;
mod control;
pub mod differ;
mod exit;
mod failure;
mod failure_options;
mod formatter;
mod hand;
mod help;
mod history;
mod init;
mod inspect;
mod isolate;
mod journal;
mod keep;
mod lab;
mod language;
mod limits;
mod live;
mod meant;
mod mode;
mod observers;
pub mod options;
mod preprocessor;
mod program;
mod progress;
mod propose;
mod record;
mod reduce;
mod settings;
mod shell;
pub mod signal;
mod sinks;
mod squeeze;
mod summary;
mod surroundings;
mod text;
mod ui;
mod voice;
mod watch;

pub use args::Args;
pub use settings::Task;
