//! Checks the paths to which a run writes: they must not be files that it reads, and existing files of the user are
//! backed up.

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

/// Opens the output. An existing file that was not written by a run is backed up before it is replaced.
///
/// # Errors
/// Returns an error when the run reads that file, or it cannot be used.
pub(crate) fn open(settings: &Settings, content: &[u8]) -> Result<BestFile, Failure> {
    check(settings)?;
    let mut best = settings.output.open(&settings.input, content)?;
    spare(settings, &mut best);
    Ok(best)
}

/// Returns an error if the run reads the file that was named as output.
///
/// # Errors
/// Returns an error when it does.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    match &settings.output {
        Output::File(path) => refuse(settings, "--output", path),
        Output::Stdout | Output::InPlace | Output::Beside => Ok(()),
    }
}

/// Prepares backups of existing files of the user, and prints a note.
pub(crate) fn spare(settings: &Settings, best: &mut BestFile) {
    let path = settings.journal_path();
    let is_known = |hash: &blake3::Hash| {
        let found = |folder: &PathBuf| StoredRun::look(folder).ok().flatten();
        journal::folders_of(&path).iter().filter_map(found).any(|run| run.content.knows(hash, INTERESTING))
    };
    for (path, backup) in best.spare(&is_known) {
        settings.voice.say(&format!(
            "note: `{}` already exists and was not written by nubbin; it is saved as `{}` before it is replaced",
            path.display(),
            backup.display()
        ));
    }
}

/// Checks that the run does not read the file `place`, which `option` names.
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

/// Returns the files that a run reads, with descriptions.
fn reads(settings: &Settings) -> Vec<(PathBuf, &'static str)> {
    let mut reads: Vec<(PathBuf, &'static str)> = Vec::new();
    let words = |words: &[OsString]| words.iter().map(PathBuf::from).collect::<Vec<_>>();
    let mut add = |paths: Vec<PathBuf>, what| reads.extend(paths.into_iter().map(|path| (path, what)));
    add(settings.input.paths().to_vec(), "the input");
    add(words(&settings.test.words), "a file of the test");
    add(settings.around.typed().to_vec(), "a file that the command needs");
    if let Some(Goal::Isolate(Some(passing))) = &settings.goal {
        add(vec![passing.clone()], "the passing file");
    }
    if let LanguageChoice::Folder(folder) = &settings.language {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        add(files.map(|file| file.path()).collect(), "a file of the grammar");
    }
    for command in settings.propose.words() {
        add(words(command), "a program that proposes edits");
    }
    for (program, what) in
        [(&settings.formatter, "the formatter"), (&settings.preprocessor, "the preprocessor")]
    {
        if let ProgramChoice::Given { words: typed, .. } = program {
            add(words(typed), what);
        }
    }
    add(vec!["nubbin.toml".into()], "the settings file");
    reads
}
