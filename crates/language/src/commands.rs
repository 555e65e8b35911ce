//! The commands that a language's manifest names for its texts.

use super::Language;

impl Language {
    /// Returns the commands that format a text of the language, the preferred one first.
    #[must_use]
    pub fn formatters(&self) -> &[Vec<String>] {
        &self.manifest.formatters
    }

    /// Returns the commands that resolve the preprocessor directives of a text of the language, the preferred one
    /// first.
    #[must_use]
    pub fn preprocessors(&self) -> &[Vec<String>] {
        &self.manifest.preprocessors
    }

    /// Returns the commands that succeed where the text in the file `{}` is valid, the preferred one first.
    #[must_use]
    pub fn validators(&self) -> &[Vec<String>] {
        &self.manifest.validators
    }
}
