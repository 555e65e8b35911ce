//! Wraps the search of a running pass: the default search over groups, or a custom search of the pass.

use nubbin_search::Verdict;
use nubbin_search::search::{AnySearch, Hierarchy, Search};

#[derive(Clone)]
pub(super) enum Asking {
    /// The default search over the groups of the proposal.
    Groups(Hierarchy),
    /// A custom search of the pass.
    Own(AnySearch),
}

impl From<Hierarchy> for Asking {
    fn from(search: Hierarchy) -> Self {
        Self::Groups(search)
    }
}

impl Search for Asking {
    fn next(&self) -> Option<Vec<u32>> {
        match self {
            Self::Groups(search) => search.next(),
            Self::Own(search) => search.next(),
        }
    }

    fn advance(&mut self, verdict: Verdict) {
        match self {
            Self::Groups(search) => search.advance(verdict),
            Self::Own(search) => search.advance(verdict),
        }
    }

    fn take(&mut self, gone: &[u32]) {
        match self {
            Self::Groups(search) => search.take(gone),
            Self::Own(search) => search.take(gone),
        }
    }

    fn skip(&mut self) {
        match self {
            Self::Groups(search) => search.skip(),
            Self::Own(search) => search.skip(),
        }
    }

    fn is_apart(&self) -> bool {
        match self {
            Self::Groups(search) => search.is_apart(),
            Self::Own(search) => search.is_apart(),
        }
    }

    fn is_merge(&self) -> bool {
        match self {
            Self::Groups(search) => search.is_merge(),
            Self::Own(search) => search.is_merge(),
        }
    }

    fn is_three_valued(&self) -> bool {
        match self {
            Self::Groups(search) => search.is_three_valued(),
            Self::Own(search) => search.is_three_valued(),
        }
    }
}
