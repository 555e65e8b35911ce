//! Requirements of a language that its grammar does not express.

use crate::Language;

impl Language {
    /// Returns whether an unused variable or import is an error.
    #[must_use]
    pub fn needs_uses(&self) -> bool {
        self.manifest.needs_uses
    }

    /// Returns whether a name must be declared before its use.
    #[must_use]
    pub fn needs_order(&self) -> bool {
        self.manifest.needs_order
    }
}
