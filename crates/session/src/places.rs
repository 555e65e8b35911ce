//! The places where a run writes: none of them is a file that it reads, and what somebody else has written there is spared.

use crate::failure::Failure;
use crate::input::BestFile;
use crate::input::journal::{self, StoredRun};
use crate::isolate::Goal;
use crate::journal::INTERESTING;
use crate::language::LanguageChoice;
use crate::output::Output;
use crate::program::ProgramChoice;
use crate::settings::Settings;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Opens the place of the result. A file there that no run has left is kept as a backup once there is something to write.
///
/// # Errors
/// Returns an error when the run reads what is there, or it cannot be used.
pub(crate) fn open(settings: &Settings, content: &[u8]) -> Result<BestFile, Failure> {
    check(settings)?;
    let mut best = settings.output.open(&settings.input, content)?;
    spare(settings, &mut best);
    Ok(best)
}

/// Makes sure that the named place of the result is not read.
///
/// # Errors
/// Returns an error when it is.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    match &settings.output {
        Output::File(path) => refuse(settings, "--output", path),
        Output::Stdout | Output::InPlace | Output::Beside => Ok(()),
    }
}

/// Lets a place spare what no run has left there, and says so.
pub(crate) fn spare(settings: &Settings, best: &mut BestFile) {
    let path = settings.journal_path();
    let is_known = |hash: &blake3::Hash| {
        let found = |folder: &PathBuf| StoredRun::look(folder).ok().flatten();
        journal::folders_of(&path).iter().filter_map(found).any(|run| run.content.knows(hash, INTERESTING))
    };
    for (path, backup) in best.spare(&is_known) {
        settings.voice.say(&format!(
            "note: `{}` is there, and no run has left it: it is kept as `{}` before it is replaced",
            path.display(),
            backup.display()
        ));
    }
}

/// Makes sure that a run does not read what is at this place; `option` has named it.
///
/// # Errors
/// Returns an error when it does.
pub fn refuse(settings: &Settings, option: &str, place: &Path) -> Result<(), Failure> {
    let identity = |path: &Path| {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        found.map(|found| (found.dev(), found.ino()))
    };
    let Some(wanted) = identity(place) else { return Ok(()) };
    let mut reads = reads(settings).into_iter();
    let Some((_, what)) = reads.find(|(path, _)| identity(path) == Some(wanted)) else { return Ok(()) };
    let message = format!("`{option} {}` would overwrite {what}", place.display());
    Err(Failure::usage(message).hint(format!("choose another place with `{option} FILE`")))
}

/// Returns the files that a run reads, and what they are.
fn reads(settings: &Settings) -> Vec<(PathBuf, &'static str)> {
    let mut reads: Vec<(PathBuf, &'static str)> = Vec::new();
    let words = |words: &[OsString]| words.iter().map(PathBuf::from).collect::<Vec<_>>();
    let mut add = |paths: Vec<PathBuf>, what| reads.extend(paths.into_iter().map(|path| (path, what)));
    add(settings.input.paths().to_vec(), "the input");
    add(words(&settings.test.words), "a file of the oracle");
    add(settings.around.typed().to_vec(), "what the command needs");
    if let Some(Goal::Isolate(Some(passing))) = &settings.goal {
        add(vec![passing.clone()], "the file that passes");
    }
    if let LanguageChoice::Folder(folder) = &settings.language {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        add(files.map(|file| file.path()).collect(), "a file of the grammar");
    }
    for command in settings.propose.words() {
        add(words(command), "a program that proposes");
    }
    for (program, what) in
        [(&settings.formatter, "the formatter"), (&settings.preprocessor, "the preprocessor")]
    {
        if let ProgramChoice::Given { words: typed, .. } = program {
            add(words(typed), what);
        }
    }
    add(vec!["nubbin.toml".into()], "a file of settings");
    reads
}
