//! The meaning of the options of `nubbin triage`: each of its reductions has the options that were typed.

use super::{Context, has_jobs, reduction, voice};
use crate::args::meant;
use crate::args::triage::{LINE, ReductionWords, Triage};
use crate::show::record::SummaryForm;
use nubbin_session::Helpers;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::settings::Settings;
use nubbin_session::voice::Voice;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The request of a triage, resolved from the command line.
#[derive(Debug)]
pub struct Triaged {
    pub folder: PathBuf,
    pub out: PathBuf,
    pub words: ReductionWords,
    pub jobs: usize,
    pub watch: bool,
    pub errors_too: bool,
    pub others: bool,
    pub total_time: Option<Duration>,
    pub form: SummaryForm,
    pub voice: Voice,
    helpers: Helpers,
}

/// Resolves `nubbin triage FOLDER -- COMMAND`.
///
/// # Errors
/// Returns an error when it makes no sense together.
pub fn triage(mut typed: Triage, context: &Context) -> Result<Triaged, Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    let Some(folder) = typed.folder else {
        return Err(Failure::usage("no folder is given").hint(LINE));
    };
    if typed.command.is_empty() {
        return Err(Failure::usage("no command is given").hint(LINE));
    }
    if !folder.is_dir() {
        let (message, hint) = if folder.exists() {
            let hint = format!("one file is reduced by `nubbin {} -- COMMAND {{}}`", folder.display());
            (format!("`{}` is no folder", folder.display()), hint)
        } else {
            (format!("there is no folder `{}`", folder.display()), LINE.to_owned())
        };
        return Err(Failure::message(Fault::Input, message).hint(hint));
    }
    let out = typed.output.unwrap_or_else(|| beside(&folder));
    let real = |path: &Path| path.canonicalize().ok();
    if real(&out).is_some() && real(&out) == real(&folder) {
        return Err(Failure::usage(format!("the output `{}` is the folder itself", out.display()))
            .hint("choose another place with `--output DIR`"));
    }
    has_jobs(&typed.run)?;
    let jobs = typed.run.jobs.map_or_else(nubbin_search::schedule::cores, usize::from);
    let voice = voice(&typed.house.voice);
    for note in &context.notes {
        voice.say(&format!("note: {note}"));
    }
    Ok(Triaged {
        folder,
        out,
        words: ReductionWords::new(&context.words, typed.command),
        jobs,
        watch: typed.watch,
        errors_too: typed.errors_too,
        others: !typed.no_others,
        total_time: typed.total_time.map(|time| time.time),
        form: typed.summary,
        voice,
        helpers: context.helpers.clone(),
    })
}

impl Triaged {
    /// Makes the settings of the reduction of a file.
    ///
    /// # Errors
    /// Returns an error when the options make no sense together.
    pub fn settings(&self, file: &Path) -> Result<Settings, Failure> {
        let words = self.words.of(file);
        let typed = ReductionWords::understood(&words)?;
        let context = Context { words, notes: Vec::new(), helpers: self.helpers.clone() };
        reduction::reduce(typed, context).map(|asked| asked.settings)
    }
}

/// Returns the place beside a folder.
fn beside(folder: &Path) -> PathBuf {
    let folder = match folder.file_name() {
        Some(_) => folder.components().collect(),
        None => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
    };
    let mut name = OsString::from(folder.file_name().unwrap_or_default());
    name.push(".bugs");
    folder.with_file_name(name)
}
