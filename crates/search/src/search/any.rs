//! A type-erased search, for callers that choose the algorithm at run time.

use super::Search;
use crate::Verdict;
use std::fmt;

/// A type-erased search for an interesting configuration.
///
/// ```
/// use nubbin_search::search::{AnySearch, Cdd, Ddmin, Search};
///
/// let searches = [AnySearch::new(Ddmin::new(4)), AnySearch::new(Cdd::new(4))];
/// assert!(searches.iter().all(|search| search.next().is_some()));
/// ```
pub struct AnySearch(Box<dyn Erased + Send + Sync>);

/// The object-safe part of [`Search`].
trait Erased {
    fn copy(&self) -> Box<dyn Erased + Send + Sync>;
    fn next(&self) -> Option<Vec<u32>>;
    fn advance(&mut self, verdict: Verdict);
    fn take(&mut self, gone: &[u32]);
    fn skip(&mut self);
    fn is_apart(&self) -> bool;
    fn is_merge(&self) -> bool;
    fn is_three_valued(&self) -> bool;
}

impl<S: Search + Send + Sync + 'static> Erased for S {
    fn copy(&self) -> Box<dyn Erased + Send + Sync> {
        Box::new(self.clone())
    }

    fn next(&self) -> Option<Vec<u32>> {
        Search::next(self)
    }

    fn advance(&mut self, verdict: Verdict) {
        Search::advance(self, verdict);
    }

    fn take(&mut self, gone: &[u32]) {
        Search::take(self, gone);
    }

    fn skip(&mut self) {
        Search::skip(self);
    }

    fn is_apart(&self) -> bool {
        Search::is_apart(self)
    }

    fn is_merge(&self) -> bool {
        Search::is_merge(self)
    }

    fn is_three_valued(&self) -> bool {
        Search::is_three_valued(self)
    }
}

impl AnySearch {
    /// Erases the type of `search`.
    ///
    /// # Panics
    /// Panics if `search` looks for passing configurations, as [`Ddmax`](super::Ddmax) does.
    #[must_use]
    pub fn new<S: Search + Send + Sync + 'static>(search: S) -> Self {
        assert!(S::is_find(Verdict::Interesting), "its finds are interesting verdicts");
        Self(Box::new(search))
    }
}

impl Clone for AnySearch {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl fmt::Debug for AnySearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnySearch")
    }
}

impl Search for AnySearch {
    fn next(&self) -> Option<Vec<u32>> {
        self.0.next()
    }

    fn advance(&mut self, verdict: Verdict) {
        self.0.advance(verdict);
    }

    fn take(&mut self, gone: &[u32]) {
        self.0.take(gone);
    }

    fn skip(&mut self) {
        self.0.skip();
    }

    fn is_apart(&self) -> bool {
        self.0.is_apart()
    }

    fn is_merge(&self) -> bool {
        self.0.is_merge()
    }

    fn is_three_valued(&self) -> bool {
        self.0.is_three_valued()
    }
}
