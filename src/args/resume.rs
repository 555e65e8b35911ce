//! `nubbin --resume` alone: the options that may stand beside it, since they change neither verdicts nor steps.
//!
//! What the earlier run was asked for is in its journal.

use super::RunCommand;
use super::group::{EndOptions, HouseOptions, ReductionOptions, RunOptions, VoiceOptions};
use crate::show::{record, ui};
use clap::{Args, Parser};

/// Goes on with the latest run of this directory.
#[derive(Debug, Parser)]
#[command(name = "nubbin")]
pub struct Resume {
    /// Goes on with it.
    #[arg(long = "resume")]
    is_asked: bool,

    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub ends: EndOptions,
    #[command(flatten)]
    pub records: NewRecords,
    #[command(flatten)]
    pub ui: ui::UiOptions,
    #[command(flatten)]
    pub voice: VoiceOptions,
}

/// The records that a resumed run is asked for; those that are not named stay as they were.
#[derive(Debug, Args)]
#[group(skip)]
pub struct NewRecords {
    #[command(flatten)]
    files: record::FileOptions,

    /// The form of the summary.
    #[arg(long)]
    summary: Option<record::SummaryForm>,
}

impl Resume {
    /// Takes what was typed now for what the earlier run was asked for.
    pub fn replace(self, earlier: &mut RunCommand) {
        let Self { run, ends, records, ui, voice, .. } = self;
        let (earlier_run, house) = earlier.run_and_house();
        earlier_run.replace_by(&run);
        house.voice.replace_by(voice);
        match earlier {
            RunCommand::Reduce(earlier) => records.replace_all(&mut earlier.whole, ends, ui),
            RunCommand::Browser(earlier) => records.replace_all(&mut earlier.whole, ends, ui),
            RunCommand::Options(earlier) => {
                earlier.bounds.replace_by(ends.bounds);
                records.replace(&mut earlier.records);
                earlier.ui = ui.or(earlier.ui);
            }
            RunCommand::Isolate(earlier) => earlier.time.replace_by(ends.bounds.time),
            RunCommand::Maximize(earlier) => earlier.time.replace_by(ends.bounds.time),
            RunCommand::Changes(_) => {}
        }
    }
}

impl NewRecords {
    fn replace_all(self, earlier: &mut ReductionOptions, ends: EndOptions, ui: ui::UiOptions) {
        earlier.ends.replace_by(ends);
        self.replace(&mut earlier.records);
        earlier.ui = ui.or(earlier.ui);
    }

    fn replace(self, earlier: &mut record::RecordOptions) {
        earlier.files.replace_by(self.files);
        earlier.summary = self.summary.unwrap_or(earlier.summary);
    }
}

impl RunCommand {
    /// Tells whether a cluster runs candidates.
    pub fn has_cluster(&self) -> bool {
        #[cfg(feature = "remote")]
        if let Self::Reduce(typed) = self {
            return typed.remote.remote.is_some();
        }
        false
    }

    /// Returns the options that every command has.
    pub fn run_and_house(&mut self) -> (&mut RunOptions, &mut HouseOptions) {
        match self {
            Self::Reduce(typed) => (&mut typed.whole.run, &mut typed.whole.house),
            Self::Browser(typed) => (&mut typed.whole.run, &mut typed.whole.house),
            Self::Options(typed) => (&mut typed.run, &mut typed.house),
            Self::Isolate(typed) => (&mut typed.run, &mut typed.house),
            Self::Maximize(typed) => (&mut typed.run, &mut typed.house),
            Self::Changes(typed) => (&mut typed.run, &mut typed.house),
        }
    }
}
