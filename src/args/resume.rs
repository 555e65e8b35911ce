//! `nubbin --resume` without a test and a file: the options that can be changed on resumption, since they influence
//! neither verdicts nor steps. All others are taken from the journal.

use super::RunCommand;
use super::group::{EndOptions, HouseOptions, ReductionOptions, RunOptions, VoiceOptions};
use crate::show::{record, ui};
use clap::{Args, Parser};

/// Continue the latest run of this directory
#[derive(Debug, Parser)]
#[command(name = "nubbin")]
pub struct Resume {
    /// Continue an interrupted run
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

/// The reports of a resumed run. Reports that are not named are kept from the earlier run.
#[derive(Debug, Args)]
#[group(skip)]
pub struct NewRecords {
    #[command(flatten)]
    files: record::FileOptions,

    /// Print the summary as a JSON object
    #[arg(long)]
    json: bool,
}

impl Resume {
    /// Replaces the options of the earlier run by those that were typed now.
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
        earlier.json |= self.json;
    }
}

impl RunCommand {
    /// Tells whether a cluster runs candidates.
    pub fn has_cluster(&self) -> bool {
        #[cfg(feature = "remote")]
        if let Self::Reduce(typed) = self {
            return typed.remote.remote.as_deref().is_some_and(|address| address.contains("://"));
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
