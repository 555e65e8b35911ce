//! Verdicts by content.

/// A candidate's name: a hash of its bytes.
pub type Name = blake3::Hash;

/// The name of a candidate.
#[must_use]
pub fn name(candidate: &[u8]) -> Name {
    blake3::hash(candidate)
}

/// Remembers every candidate that was not interesting. A clone costs nothing.
///
/// An interesting candidate becomes the best, and no candidate as large as the best is ever made again.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    names: imbl::HashSet<[u8; 32]>,
}

impl Cache {
    /// Whether a candidate is known not to be interesting.
    #[must_use]
    pub fn knows(&self, name: &Name) -> bool {
        self.names.contains(name.as_bytes())
    }

    /// Remembers a candidate that is not interesting.
    pub fn insert(&mut self, name: Name) {
        self.names.insert(*name.as_bytes());
    }

    /// Forgets a candidate.
    pub fn remove(&mut self, name: &Name) {
        self.names.remove(name.as_bytes());
    }
}
