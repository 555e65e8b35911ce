//! The groups of options that belong together; a command has those that make sense for it.
//!
//! A group says nothing of its meaning: `settings` decides on that.

mod beside;
mod browser;
pub mod control;
pub mod failure;
mod formatter;
mod inline;
pub mod limits;
mod preprocessor;
mod propose;
mod reduction;
#[cfg(feature = "remote")]
pub mod remote;
mod run;
mod search;
mod server;
mod surroundings;
pub mod values;

pub use beside::BesideOptions;
pub use browser::BrowserOptions;
pub use control::{BoundOptions, EndOptions, KeepOptions, PassOptions, TimeOptions};
pub use failure::{
    CommandOptions, EndingOptions, ExclusionOptions, FailureOptions, HangOptions, SecondOptions,
};
pub use formatter::FormatterOptions;
pub use inline::InlineOptions;
pub use limits::LimitOptions;
pub use preprocessor::PreprocessorOptions;
pub use propose::ProposeOptions;
pub use reduction::{ReductionOptions, ResultOptions, ShapeOptions};
#[cfg(feature = "remote")]
pub use remote::RemoteOptions;
pub use run::{EmptyOptions, FlakyOptions, HouseOptions, JournalOptions, RunOptions, VoiceOptions, Words};
pub use search::{LanguageOptions, SearchOptions};
pub use server::ServerOptions;
pub use surroundings::SurroundingOptions;
