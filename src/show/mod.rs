//! What a person sees of a run, and what is written about it: progress, the live view, the report, events.
//!
//! It decides nothing about a reduction.

pub mod audience;
mod clock;
pub mod live;
pub mod progress;
pub mod record;
pub mod ui;

use crate::show::ui::Show;

/// How a run is shown, and what is written about it.
#[derive(Debug)]
pub struct Shown {
    pub show: Show,
    pub records: record::Choice,
}
