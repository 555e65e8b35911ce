//! Shows a run and writes its records: progress, the live view, the report, the JSON log. Nothing here affects a
//! reduction.

pub mod audience;
mod clock;
pub mod live;
pub mod progress;
pub mod record;
pub mod triage;
pub mod ui;
pub mod why;

use crate::show::ui::Show;

/// How a run is shown, and its records.
#[derive(Debug)]
pub struct Shown {
    pub show: Show,
    pub records: record::RecordChoice,
}
