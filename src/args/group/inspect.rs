//! The options that show something, and end.

use clap::Args;

/// The options about what is shown in place of a reduction.
#[derive(Debug, Args)]
#[group(skip)]
pub struct InspectOptions {
    /// Show the passes in the order of the plan, and end.
    #[arg(long, exclusive = true, help_heading = "Inspect")]
    pub list_passes: bool,

    /// Show the languages, and end.
    #[arg(long, exclusive = true, help_heading = "Inspect")]
    pub list_languages: bool,

    /// Show the syntax tree of FILE, and end; takes no oracle.
    #[arg(long, conflicts_with_all = ["command", "unit"], help_heading = "Inspect")]
    pub dump_tree: bool,

    /// Show what PASS would try on FILE first, and end; takes no oracle.
    #[arg(long, value_name = "PASS", conflicts_with_all = ["command", "dump_tree", "unit"], help_heading = "Inspect")]
    pub dump_deltas: Option<String>,
}

impl InspectOptions {
    /// Tells whether something is to be shown.
    pub fn is_asked(&self) -> bool {
        self.list_passes || self.list_languages || self.dump_tree || self.dump_deltas.is_some()
    }
}
