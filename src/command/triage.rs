//! `nubbin triage`, as a paragraph.

use crate::exit::Exit;
use crate::settings::Triaged;
use crate::show::triage::{Show, summary};
use crate::signal::Interrupt;
use crate::stdout;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::triage::{self, Triage};

/// Finds the bugs of a folder, and shows them.
pub fn run(asked: &Triaged) -> Result<Exit, Failure> {
    if asked.form.is_for_programs() {
        stdout::check()?;
    }
    let interrupt = Interrupt::new();
    let settings = |file: &std::path::Path| asked.settings(file);
    let triage = Triage {
        folder: asked.folder.clone(),
        out: asked.out.clone(),
        settings: &settings,
        jobs: asked.jobs,
        watch: asked.watch,
        errors_too: asked.errors_too,
        others: asked.others,
        total_time: asked.total_time,
        voice: asked.voice.clone(),
    };
    let show = Show::new(asked, &interrupt);
    let found = triage::run(&triage, interrupt.stop(), &show);
    show.finish();
    match found {
        Ok(state) => {
            if asked.form.is_for_programs() {
                let text = serde_json::to_string_pretty(&state).unwrap_or_default();
                stdout::print(format!("{text}\n").as_bytes())?;
            } else {
                asked.voice.say(&summary(&state, &asked.out));
            }
            interrupt.raise();
            Ok(Exit::Success)
        }
        Err(failure) if failure.fault() == Fault::Interrupted => {
            asked.voice.say("interrupted; the same command begins anew");
            interrupt.raise();
            Ok(Exit::Unexpected)
        }
        Err(failure) => Err(failure),
    }
}
