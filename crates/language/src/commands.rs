//! The commands that the manifest of a language lists for its texts.

use super::Language;

impl Language {
    /// Returns the commands that format a text of the language, in order of preference.
    #[must_use]
    pub fn formatters(&self) -> &[Vec<String>] {
        &self.manifest.formatters
    }

    /// Returns the commands that resolve the preprocessor directives of a text of the language, in order of
    /// preference.
    #[must_use]
    pub fn preprocessors(&self) -> &[Vec<String>] {
        &self.manifest.preprocessors
    }

    /// Returns the commands that succeed if the text in the file `{}` is valid, in order of preference.
    #[must_use]
    pub fn validators(&self) -> &[Vec<String>] {
        &self.manifest.validators
    }
}
