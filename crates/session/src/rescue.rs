//! A best that cannot go where it belongs: this module puts it elsewhere, and says where.
//!
//! It decides nothing about the best.

use crate::failure::Failure;
use crate::input::{self, BestFile};
use crate::settings::Settings;
use std::io;
use std::path::{Path, PathBuf};

/// Puts a result in its place. If that cannot be, it goes elsewhere, and the failure says where.
///
/// # Errors
/// Returns an error when the result is not in its place.
pub(crate) fn finish(settings: &Settings, place: &mut BestFile, best: &[u8]) -> Result<(), Failure> {
    place.finish(best).map_err(|error| told(error.into(), elsewhere(settings, place, best)))
}

/// Adds to a failure where the best so far is.
pub(crate) fn told(failure: Failure, place: io::Result<String>) -> Failure {
    failure.details(match place {
        Ok(place) => format!("  the best so far is {place}\n"),
        Err(error) => format!("  the best so far could not be saved either: {error}\n"),
    })
}

/// Puts a best where it cannot be in anybody's way: beside its place, or else in the current directory, or else in that of
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

/// Returns a name after that of the place. What goes beside the input, or has no name, is called after the input.
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
