//! Says what a text of a language needs beside what its grammar says.

use crate::Language;

impl Language {
    /// Tells whether a variable or an import that nothing uses is an error.
    #[must_use]
    pub fn needs_uses(&self) -> bool {
        self.manifest.needs_uses
    }

    /// Tells whether a name is known only behind its declaration.
    #[must_use]
    pub fn needs_order(&self) -> bool {
        self.manifest.needs_order
    }
}
