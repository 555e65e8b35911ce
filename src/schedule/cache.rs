//! Verdicts by content.

/// A candidate's name: a hash of its bytes.
pub type Name = blake3::Hash;

/// The name of a candidate.
#[must_use]
pub fn name(candidate: &[u8]) -> Name {
    blake3::hash(candidate)
}

/// Remembers every candidate that was not interesting, as long as it is not larger than the best. A clone costs nothing.
///
/// An interesting candidate becomes the best, and no candidate as large as the best is ever made again.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    names: imbl::HashSet<[u8; 32]>,
    /// The same names with tokens and bytes, by which candidates are smaller or larger.
    by_size: imbl::OrdSet<(usize, usize, [u8; 32])>,
}

impl Cache {
    /// Whether a candidate is known not to be interesting.
    #[must_use]
    pub fn knows(&self, name: &Name) -> bool {
        self.names.contains(name.as_bytes())
    }

    /// Remembers a candidate of this many tokens and bytes that is not interesting.
    pub fn insert(&mut self, name: Name, (tokens, bytes): (usize, usize)) {
        self.names.insert(*name.as_bytes());
        self.by_size.insert((tokens, bytes, *name.as_bytes()));
    }

    /// Forgets a candidate.
    pub fn remove(&mut self, name: &Name) {
        self.names.remove(name.as_bytes());
    }

    /// Forgets all candidates that are larger than a best of this many tokens and bytes.
    pub fn forget_larger(&mut self, (tokens, bytes): (usize, usize)) {
        let is_larger = |entry: &&(usize, usize, [u8; 32])| (entry.0, entry.1) > (tokens, bytes);
        while let Some(&largest) = self.by_size.get_max().filter(is_larger) {
            self.by_size.remove(&largest);
            self.names.remove(&largest.2);
        }
    }

    /// How many candidates it remembers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether it remembers none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_the_best_is_forgotten_and_what_is_as_large_is_not() {
        let mut cache = Cache::default();
        let sizes = [(1, 9), (2, 3), (2, 4), (3, 1)];
        for size in sizes {
            cache.insert(name(format!("{size:?}").as_bytes()), size);
        }
        cache.forget_larger((2, 3));
        let known = sizes.map(|size| cache.knows(&name(format!("{size:?}").as_bytes())));
        assert_eq!(known, [true, true, false, false]);
        assert_eq!(cache.len(), 2);
    }

    #[test]
    fn a_candidate_that_was_removed_can_be_remembered_again() {
        let mut cache = Cache::default();
        cache.insert(name(b"x"), (1, 1));
        cache.remove(&name(b"x"));
        assert!(cache.is_empty());
        cache.insert(name(b"x"), (1, 1));
        cache.forget_larger((1, 1));
        assert!(cache.knows(&name(b"x")));
        cache.forget_larger((1, 0));
        assert!(cache.is_empty());
    }
}
