//! Opens the place of the result.

use crate::input::{self, BestFile};
use crate::source::Input;
use std::path::PathBuf;

/// The place of the result.
#[derive(Debug)]
pub enum Output {
    /// The result goes to standard output.
    Stdout,
    /// The result takes the place of the input, of which a backup is kept.
    InPlace,
    /// The result of each of several files goes beside that file.
    Beside,
    /// The result goes to this file, or to this directory.
    File(PathBuf),
}

impl Output {
    /// Returns the place beside the input, which stays as it is; of what has no path it is standard output.
    #[must_use]
    pub fn beside(input: &Input) -> Self {
        match input {
            Input::Stdin | Input::Stream(_) | Input::Options(_) | Input::Changes(_) => Self::Stdout,
            Input::Files(_) => Self::Beside,
            Input::WithOptions(paired) => Self::beside(&paired.input),
            Input::File(path) | Input::Folder(path) => Self::File(input::reduced_name(path)),
        }
    }

    /// Returns the place itself, which is not touched before there is something to write.
    ///
    /// # Errors
    /// Returns an error when something that has to be there cannot be read.
    pub fn open(&self, input: &Input, content: &[u8]) -> Result<BestFile, input::Error> {
        match (self, input) {
            (_, Input::WithOptions(paired)) => {
                Ok(BestFile::files(vec![self.open(&paired.input, input.text(content))?]))
            }
            (Self::InPlace, Input::File(path)) => BestFile::in_place(path, content),
            (Self::InPlace, Input::Folder(path)) => BestFile::folder(path, Some(path), Some(content)),
            (Self::File(place), Input::Folder(path)) => BestFile::folder(place, Some(path), None),
            (Self::InPlace, Input::Files(paths)) => {
                let place = |path: &PathBuf| BestFile::in_place(path, &input::read_file(path)?);
                Ok(BestFile::files(paths.iter().map(place).collect::<Result<_, _>>()?))
            }
            (Self::Beside, Input::Files(paths)) => {
                let place = |path: &PathBuf| BestFile::regular(&input::reduced_name(path), Some(path));
                Ok(BestFile::files(paths.iter().map(place).collect::<Result<_, _>>()?))
            }
            (Self::File(place), Input::Files(_)) => BestFile::folder(place, None, None),
            (Self::File(place), Input::File(path)) if *place == input::reduced_name(path) => {
                BestFile::regular(place, input.file())
            }
            (Self::File(path), _) => BestFile::file(path, input.file()),
            (Self::Stdout | Self::InPlace | Self::Beside, _) => Ok(BestFile::stdout()),
        }
    }
}
