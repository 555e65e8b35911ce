//! Remembers rejected candidates by a hash of their content.

#[cfg(not(feature = "blake3"))]
use std::hash::{DefaultHasher, Hasher};

/// The name of a candidate: a hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name([u8; 32]);

impl Name {
    /// Returns the bytes of the hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Name {
    fn from(hash: [u8; 32]) -> Self {
        Self(hash)
    }
}

#[cfg(feature = "blake3")]
impl From<blake3::Hash> for Name {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash.into())
    }
}

#[cfg(feature = "blake3")]
impl From<Name> for blake3::Hash {
    fn from(name: Name) -> Self {
        name.0.into()
    }
}

/// Returns the name of a candidate.
///
/// With the feature `blake3` this is the BLAKE3 hash of its bytes. Without it, it consists of four hashes of
/// the standard hasher, which are not collision-resistant against an attacker.
#[must_use]
pub fn name(candidate: &[u8]) -> Name {
    #[cfg(feature = "blake3")]
    return blake3::hash(candidate).into();
    #[cfg(not(feature = "blake3"))]
    {
        let mut hash = [0; 32];
        for (number, part) in hash.chunks_exact_mut(8).enumerate() {
            let mut hasher = DefaultHasher::new();
            hasher.write_usize(number);
            hasher.write(candidate);
            part.copy_from_slice(&hasher.finish().to_le_bytes());
        }
        Name(hash)
    }
}

/// Orders candidates by size: a lower rank means a smaller candidate.
pub type Rank = [usize; 3];

/// Remembers every candidate that was not interesting, unless it is larger than the current best. Clones
/// share their content.
///
/// Interesting candidates need not be remembered: each becomes the current best, and no candidate of the same
/// rank is created afterwards.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    names: imbl::HashSet<[u8; 32]>,
    /// The same names, ordered by rank.
    by_size: imbl::OrdSet<(Rank, [u8; 32])>,
}

impl Cache {
    /// Returns whether a candidate is known not to be interesting.
    #[must_use]
    pub fn knows(&self, name: &Name) -> bool {
        self.names.contains(name.as_bytes())
    }

    /// Remembers a candidate of this rank that is not interesting.
    pub fn insert(&mut self, name: Name, rank: Rank) {
        self.names.insert(*name.as_bytes());
        self.by_size.insert((rank, *name.as_bytes()));
    }

    /// Forgets a candidate.
    pub fn remove(&mut self, name: &Name) {
        self.names.remove(name.as_bytes());
    }

    /// Forgets all candidates that are larger than a current best of this rank.
    pub fn forget_larger(&mut self, rank: Rank) {
        let is_larger = |entry: &&(Rank, [u8; 32])| entry.0 > rank;
        while let Some(&largest) = self.by_size.get_max().filter(is_larger) {
            self.by_size.remove(&largest);
            self.names.remove(&largest.1);
        }
    }

    /// Returns the number of remembered candidates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether no candidate is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_larger_than_the_current_best_are_forgotten() {
        let mut cache = Cache::default();
        let sizes = [[1, 9, 0], [2, 3, 0], [2, 4, 0], [3, 1, 0]];
        for size in sizes {
            cache.insert(name(format!("{size:?}").as_bytes()), size);
        }
        cache.forget_larger([2, 3, 0]);
        let known = sizes.map(|size| cache.knows(&name(format!("{size:?}").as_bytes())));
        assert_eq!(known, [true, true, false, false]);
        assert_eq!(cache.len(), 2);
    }

    #[test]
    fn a_candidate_that_was_removed_can_be_remembered_again() {
        let mut cache = Cache::default();
        cache.insert(name(b"x"), [1, 1, 0]);
        cache.remove(&name(b"x"));
        assert!(cache.is_empty());
        cache.insert(name(b"x"), [1, 1, 0]);
        cache.forget_larger([1, 1, 0]);
        assert!(cache.knows(&name(b"x")));
        cache.forget_larger([1, 0, 0]);
        assert!(cache.is_empty());
    }
}
