//! Shows a run to people, and writes the records of it: progress, the live view, the report, events.
//!
//! It does not decide anything about a reduction.

pub mod audience;
mod clock;
pub mod live;
pub mod progress;
pub mod record;
pub mod triage;
pub mod ui;
pub mod why;

use crate::show::ui::Show;

/// The way in which a run is shown, and its records.
#[derive(Debug)]
pub struct Shown {
    pub show: Show,
    pub records: record::RecordChoice,
}
