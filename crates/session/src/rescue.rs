//! Saves a result elsewhere if it cannot be written to its output, and reports where.

use crate::failure::Failure;
use crate::input::{self, BestFile};
use crate::settings::Settings;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a result to its output. If that fails, writes it elsewhere, and the error says where.
///
/// # Errors
/// Returns an error when the output was not written.
pub(crate) fn finish(settings: &Settings, place: &mut BestFile, best: &[u8]) -> Result<(), Failure> {
    place.finish(best).map_err(|error| told(error.into(), elsewhere(settings, place, best)))
}

/// Adds the place of the current best to an error.
pub(crate) fn told(failure: Failure, place: io::Result<String>) -> Failure {
    failure.details(match place {
        Ok(place) => format!("  the best result so far is {place}\n"),
        Err(error) => format!("  the best result so far could not be saved either: {error}\n"),
    })
}

/// Writes a result to an unused name: next to its output, or in the current directory, or in the directory for
/// temporary files.
pub(crate) fn elsewhere(settings: &Settings, place: &BestFile, best: &[u8]) -> io::Result<String> {
    let wanted = name(settings, place);
    let file = wanted.file_name().unwrap_or_default();
    let mut failure = None;
    for path in [wanted.clone(), PathBuf::from(file), std::env::temp_dir().join(file)] {
        let path = input::free_name(&path);
        match write(settings, &path, best) {
            Ok(()) => return Ok(format!("in `{}`", path.display())),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(io::Error::other(failure.map_or_else(String::new, |error| error.to_string())))
}

/// Returns a name derived from the output, or from the input if the output has none or is next to it.
fn name(settings: &Settings, place: &BestFile) -> PathBuf {
    let input = settings.input.path(&settings.language);
    match place.only_path() {
        Some(path) if !place.is_input() => path.to_owned(),
        Some(path) => input::reduced_name(path),
        None => input::reduced_name(&input),
    }
}

fn write(settings: &Settings, path: &Path, best: &[u8]) -> Result<(), input::Error> {
    let (is_folder, best) = (settings.input.is_several(), settings.input.text(best));
    let place = if is_folder { BestFile::folder(path, None, None) } else { BestFile::file(path, None) };
    place?.finish(best)
}
