//! Resolves the options of `nubbin triage`. Its reductions inherit them.

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

/// A resolved request.
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
/// Returns an error if the arguments are not valid.
pub fn triage(mut typed: Triage, context: &Context) -> Result<Triaged, Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    let Some(folder) = typed.folder else {
        return Err(Failure::usage("the directory is missing").hint(LINE));
    };
    if typed.command.is_empty() {
        return Err(Failure::usage("the command is missing").hint(LINE));
    }
    if !folder.is_dir() {
        let (message, hint) = if folder.exists() {
            let hint = format!("to reduce one file: nubbin {} -- COMMAND {{}}", folder.display());
            (format!("`{}` is not a directory", folder.display()), hint)
        } else {
            (format!("directory `{}` does not exist", folder.display()), LINE.to_owned())
        };
        return Err(Failure::message(Fault::Input, message).hint(hint));
    }
    let out = typed.output.unwrap_or_else(|| beside(&folder));
    let real = |path: &Path| path.canonicalize().ok();
    if real(&out).is_some() && real(&out) == real(&folder) {
        return Err(Failure::usage(format!("the output `{}` is the input directory", out.display()))
            .hint("choose another directory with `--output DIR`"));
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
        form: SummaryForm::of(typed.json),
        voice,
        helpers: context.helpers.clone(),
    })
}

impl Triaged {
    /// Returns the settings for the reduction of a file.
    ///
    /// # Errors
    /// Returns an error if the options conflict.
    pub fn settings(&self, file: &Path) -> Result<Settings, Failure> {
        let words = self.words.of(file);
        let typed = ReductionWords::understood(&words)?;
        let context = Context { words, notes: Vec::new(), helpers: self.helpers.clone() };
        reduction::reduce(typed, context).map(|asked| asked.settings)
    }
}

/// Returns the default output directory, next to the input directory.
fn beside(folder: &Path) -> PathBuf {
    let folder = match folder.file_name() {
        Some(_) => folder.components().collect(),
        None => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
    };
    let mut name = OsString::from(folder.file_name().unwrap_or_default());
    name.push(".bugs");
    folder.with_file_name(name)
}
