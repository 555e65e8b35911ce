//! The output for the result.

use crate::input::{self, BestFile};
use crate::source::Input;
use std::path::PathBuf;

/// The output for the result.
#[derive(Debug)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// Replaces the input, of which a backup is kept.
    InPlace,
    /// Next to each of several files.
    Beside,
    /// This file or directory.
    File(PathBuf),
}

impl Output {
    /// Returns the default output: next to the input, or standard output if the input has no path.
    #[must_use]
    pub fn beside(input: &Input) -> Self {
        match input {
            Input::Stdin | Input::Stream(_) | Input::Options(_) | Input::Changes(_) => Self::Stdout,
            Input::Files(_) => Self::Beside,
            Input::WithOptions(paired) => Self::beside(&paired.input),
            Input::File(path) | Input::Folder(path) => Self::File(input::reduced_name(path)),
        }
    }

    /// Opens the output without changing anything.
    ///
    /// # Errors
    /// Returns an error when a required file cannot be read.
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
