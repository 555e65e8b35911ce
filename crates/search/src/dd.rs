//! Delta debugging of any list, as plain functions that find the part of the list that makes a test fail or
//! pass.
//!
//! A *circumstance* is an item of a slice: a character, a line, an option, an event, a change. A
//! *configuration* is a subsequence of the items. For each configuration the test returns whether it fails
//! ([`Interesting`](Verdict::Interesting)), passes ([`Uninteresting`](Verdict::Uninteresting)), or cannot be
//! decided ([`Unresolved`](Verdict::Unresolved)).
//!
//! | function | finds | published in |
//! |---|---|---|
//! | [`ddmin`] | a 1-minimal failing part | Zeller and Hildebrandt, TSE 2002, section 3 |
//! | [`dd`] | a 1-minimal difference between a passing and a failing part | Zeller and Hildebrandt, TSE 2002, section 5 |
//! | [`ddmax`] | a 1-maximal passing part | Kirschner, Soremekun and Zeller, ICSE 2020 |
//! | [`wdd`] | as `ddmin`, split by weight | Zhou, Xu, Zhang, Tian and Sun, ICSE 2025 |
//! | [`cdd`] | a small failing part, with few probes | Zhang, Xu, Tian, Cheng and Sun, ICSE 2025 |
//!
//! *1-minimal* means that no single remaining item can be removed, and *1-maximal* that no single further
//! item can be added. Items that can only be removed together with others may remain. [`run`] runs any search
//! of [`crate::search`].
//!
//! A test is a function of a configuration. If it can run several times at once, wrap it in [`parallel()`]:
//! the configurations that will probably be needed next are tested speculatively, and their verdicts are used
//! strictly in sequential order. The result and every step towards it are therefore independent of the number
//! of jobs and of the duration of the tests.
//!
//! ```
//! use nubbin_search::{Verdict, dd};
//!
//! // Fails if an opening parenthesis precedes a closing one.
//! let test = |text: &[char]| {
//!     let open = text.iter().position(|&c| c == '(');
//!     let close = text.iter().position(|&c| c == ')');
//!     if open.is_some() && open < close { Verdict::Interesting } else { Verdict::Uninteresting }
//! };
//! let text: Vec<char> = "print((1 + 2) * 3)".chars().collect();
//!
//! assert_eq!(dd::ddmin(&text, test)?, ['(', ')']);
//! assert_eq!(String::from_iter(dd::ddmax(&text, test)?), "print1 + 2) * 3)");
//! assert_eq!(dd::dd(&text, test)?.difference, ['(']);
//! assert_eq!(dd::ddmin(&text, dd::parallel(4, test))?, ['(', ')']);
//! # Ok::<(), dd::Error>(())
//! ```
//!
//! If items cannot be cloned, or if their positions matter, pass a list of indices as `items`.

mod parallel;

pub use parallel::{Parallel, parallel};

use crate::Verdict;
use crate::search::{Bisect, Cdd, Dd, Ddmax, Ddmin, Search, subtract};
use std::fmt;

/// A test of configurations: a function, or a [`parallel()`] test.
///
/// A closure that is passed inline needs the type of its argument: `|lines: &[&str]| …`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a test of configurations of `{T}`",
    note = "a closure needs the type of its argument: `|configuration: &[{T}]| …`"
)]
pub trait Test<T> {
    /// Tests a configuration.
    fn verdict(&mut self, configuration: &[T]) -> Verdict;

    /// Runs a search over the indices of `items` to its end. Returns the search and the indices that it
    /// holds.
    ///
    /// `make` turns the indices that the search asks about into the configuration that is passed to the test.
    /// `committed` is called with these indices and the verdict, in sequential order.
    fn search<S: Search>(
        &mut self,
        search: S,
        items: &[T],
        make: fn(&[T], &[u32]) -> Vec<T>,
        committed: &mut dyn FnMut(&[u32], Verdict),
    ) -> (S, Vec<u32>);
}

impl<T, F: FnMut(&[T]) -> Verdict> Test<T> for F {
    fn verdict(&mut self, configuration: &[T]) -> Verdict {
        self(configuration)
    }

    fn search<S: Search>(
        &mut self,
        mut search: S,
        items: &[T],
        make: fn(&[T], &[u32]) -> Vec<T>,
        committed: &mut dyn FnMut(&[u32], Verdict),
    ) -> (S, Vec<u32>) {
        let mut held: Vec<u32> = (0..count(items)).collect();
        let mut base = held.clone();
        while let Some(without) = search.next() {
            if !search.is_apart() {
                base.clone_from(&held);
            }
            let asked = subtract(&base, &without);
            let verdict = self(&make(items, &asked));
            committed(&asked, verdict);
            if S::is_find(verdict) && held.len() == base.len() {
                held = asked;
            }
            search.advance(verdict);
        }
        (search, held)
    }
}

/// The reason why a search cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The configuration of all items does not fail.
    NotFailing,
    /// The initial configuration, which is empty for most searches, does not pass.
    NotPassing,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFailing => "the configuration of all items does not fail",
            Self::NotPassing => "the initial configuration does not pass",
        })
    }
}

impl std::error::Error for Error {}

/// A passing configuration, a larger failing one, and the items in which they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<T> {
    /// The items of the passing configuration.
    pub passing: Vec<T>,
    /// The items of the failing configuration: those of `passing` and of `difference`.
    pub failing: Vec<T>,
    /// The items that only the failing configuration contains.
    pub difference: Vec<T>,
}

/// Finds a 1-minimal failing part of `items` with ddmin (Zeller and Hildebrandt, TSE 2002, section 3); see
/// [`Ddmin`].
///
/// 1-minimal means that the result does not fail without any one of its items. For n items there are at most
/// n² + 3·n probes, at best 2·log₂ n, plus two for the whole and the empty list.
///
/// # Errors
/// Returns [`Error::NotFailing`] if the test of all items is not interesting.
///
/// ```
/// use nubbin_search::{Verdict, dd::ddmin};
///
/// let test = |options: &[&str]| {
///     let fails = options.contains(&"-O2") && options.contains(&"-fgcse");
///     if fails { Verdict::Interesting } else { Verdict::Uninteresting }
/// };
/// let options = ["-g", "-O2", "-Wall", "-fgcse", "-pipe"];
/// assert_eq!(ddmin(&options, test), Ok(vec!["-O2", "-fgcse"]));
/// ```
pub fn ddmin<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Ddmin::new(count(items)), items, test)
}

/// Finds a 1-minimal failing part of `items` like [`ddmin`], but tests complements only; see
/// [`Ddmin::complements`].
///
/// This needs fewer probes than [`ddmin`] if many items are needed, and more if few are.
///
/// # Errors
/// Returns [`Error::NotFailing`] if the test of all items is not interesting.
pub fn ddmin_by_complements<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Ddmin::complements(count(items)), items, test)
}

/// Finds a 1-minimal failing part of `items` by bisection; see [`Bisect`].
///
/// All items are removed; if the rest does not fail, each half is removed separately, and so on down to
/// single items. Of all algorithms this needs the fewest probes if the needed items are independent of each
/// other.
///
/// # Errors
/// Returns [`Error::NotFailing`] if the test of all items is not interesting.
pub fn bisect<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Bisect::new(vec![1; items.len()]), items, test)
}

/// Finds a 1-minimal failing part of `items` like [`ddmin`], but splits into parts of nearly equal weight:
/// weighted delta debugging (Zhou, Xu, Zhang, Tian and Sun, "WDD: Weighted Delta Debugging", ICSE 2025); see
/// [`Ddmin::weighted`].
///
/// The guarantees and bounds are those of [`ddmin`].
///
/// # Errors
/// Returns [`Error::NotFailing`] if the test of all items is not interesting.
///
/// # Panics
/// Panics if `weights` and `items` differ in length.
pub fn wdd<T: Clone>(items: &[T], weights: &[u32], test: impl Test<T>) -> Result<Vec<T>, Error> {
    assert_eq!(items.len(), weights.len(), "each item has a weight");
    minimize(Ddmin::weighted(weights.to_vec()), items, test)
}

/// Finds a small failing part of `items` with counter-based delta debugging (Zhang, Xu, Tian, Cheng and Sun,
/// "Toward a Better Understanding of Probabilistic Delta Debugging", ICSE 2025); see [`Cdd`].
///
/// For n items there are at most 4·n probes, plus two for the whole and the empty list. The result need not
/// be 1-minimal.
///
/// # Errors
/// Returns [`Error::NotFailing`] if the test of all items is not interesting.
pub fn cdd<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Cdd::new(count(items)), items, test)
}

/// Finds a 1-maximal passing part of `items` with ddmax (Kirschner, Soremekun and Zeller, "Debugging Inputs",
/// ICSE 2020); see [`Ddmax`].
///
/// 1-maximal means that the result does not pass with any one further item. For n items there are at most n²
/// + 3·n probes, plus two for the empty and the whole list.
///
/// # Errors
/// Returns [`Error::NotPassing`] if the empty list does not pass.
///
/// ```
/// use nubbin_search::{Verdict, dd::ddmax};
///
/// // A parser for numbers, commas and spaces.
/// let test = |text: &[char]| {
///     let is_good = text.iter().all(|c| c.is_ascii_digit() || ", ".contains(*c));
///     if is_good { Verdict::Uninteresting } else { Verdict::Interesting }
/// };
/// let damaged: Vec<char> = "1, 2x, 3?, 4".chars().collect();
/// assert_eq!(String::from_iter(ddmax(&damaged, test)?), "1, 2, 3, 4");
/// # Ok::<(), nubbin_search::dd::Error>(())
/// ```
pub fn ddmax<T: Clone>(items: &[T], mut test: impl Test<T>) -> Result<Vec<T>, Error> {
    if passes_whole(items, &mut test)? {
        return Ok(items.to_vec());
    }
    let (_, omitted) = test.search(Ddmax::new(count(items)), items, leave_out, &mut |_, _| ());
    Ok(leave_out(items, &omitted))
}

/// Finds a 1-minimal difference between a passing and a failing part of `items` with dd (Zeller and
/// Hildebrandt, TSE 2002, section 5); see [`Dd`].
///
/// The search starts from the empty list, which must pass, and from all items, which must fail. In the
/// result, no single item of the difference can be added to the passing part so that it still passes, or
/// removed from the failing part so that it still fails. For d items there are at most d² + 7·d probes, and
/// at most ⌈log₂ d⌉ if no outcome is unresolved, plus two for the empty and the whole list.
///
/// # Errors
/// Returns [`Error::NotPassing`] if the empty list does not pass, and [`Error::NotFailing`] if the test of
/// all items is not interesting.
///
/// ```
/// use nubbin_search::{Verdict, dd::dd};
///
/// let test = |changes: &[u32]| match (changes.contains(&4), changes.contains(&7)) {
///     (true, true) => Verdict::Interesting,
///     _ => Verdict::Uninteresting,
/// };
/// let found = dd(&[1, 2, 3, 4, 5, 6, 7, 8], test)?;
/// assert_eq!(found.passing, [5, 6, 7, 8]);
/// assert_eq!(found.failing, [4, 5, 6, 7, 8]);
/// assert_eq!(found.difference, [4]);
/// # Ok::<(), nubbin_search::dd::Error>(())
/// ```
pub fn dd<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Difference<T>, Error> {
    dd_above(items, &[], test)
}

/// Like [`dd`], but starts from the items at the indices `passing`, which must pass, instead of the empty
/// list.
///
/// # Errors
/// Returns [`Error::NotPassing`] if the items at `passing` do not pass, and [`Error::NotFailing`] if the test
/// of all items is not interesting.
///
/// # Panics
/// Panics if an index is out of range.
pub fn dd_above<T: Clone>(
    items: &[T],
    passing: &[u32],
    mut test: impl Test<T>,
) -> Result<Difference<T>, Error> {
    let search = Dd::above(passing, count(items));
    check_both(items, &search, &mut test)?;
    let (search, _) = test.search(search, items, pick, &mut |_, _| ());
    Ok(difference(items, &search))
}

/// Runs any search over `n` circumstances to its end. Returns the search and the configuration that it holds.
///
/// The whole configuration is not tested. For a [`Ddmax`], a configuration contains the omitted
/// circumstances.
pub fn run<S: Search>(search: S, n: u32, test: impl Test<u32>) -> (S, Vec<u32>) {
    run_telling(search, n, test, |_, _| ())
}

/// Like [`run`], and calls `committed` with each tested configuration and its verdict, in sequential order.
pub fn run_telling<S: Search>(
    search: S,
    n: u32,
    mut test: impl Test<u32>,
    mut committed: impl FnMut(&[u32], Verdict),
) -> (S, Vec<u32>) {
    let all: Vec<u32> = (0..n).collect();
    test.search(search, &all, |_, config| config.to_vec(), &mut committed)
}

fn minimize<T: Clone, S: Search>(search: S, items: &[T], mut test: impl Test<T>) -> Result<Vec<T>, Error> {
    if fails_empty(items, &mut test)? {
        return Ok(Vec::new());
    }
    let (_, kept) = test.search(search, items, pick, &mut |_, _| ());
    Ok(pick(items, &kept))
}

/// Returns whether the empty list also fails, or an error if the whole list does not fail.
fn fails_empty<T>(items: &[T], test: &mut impl Test<T>) -> Result<bool, Error> {
    if !test.verdict(items).is_interesting() {
        return Err(Error::NotFailing);
    }
    Ok(items.is_empty() || test.verdict(&[]).is_interesting())
}

/// Returns whether the whole list also passes, or an error if the empty list does not pass.
fn passes_whole<T>(items: &[T], test: &mut impl Test<T>) -> Result<bool, Error> {
    if test.verdict(&[]) != Verdict::Uninteresting {
        return Err(Error::NotPassing);
    }
    Ok(items.is_empty() || test.verdict(items) == Verdict::Uninteresting)
}

/// Checks that the initial configuration of the search passes and that the whole list fails.
fn check_both<T: Clone>(items: &[T], search: &Dd, test: &mut impl Test<T>) -> Result<(), Error> {
    if test.verdict(&pick(items, search.passing())) != Verdict::Uninteresting {
        return Err(Error::NotPassing);
    }
    if search.passing().len() == items.len() || !test.verdict(items).is_interesting() {
        return Err(Error::NotFailing);
    }
    Ok(())
}

fn difference<T: Clone>(items: &[T], search: &Dd) -> Difference<T> {
    Difference {
        passing: pick(items, search.passing()),
        failing: pick(items, search.failing()),
        difference: pick(items, &search.difference()),
    }
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("items are numbered by 32 bits")
}

fn pick<T: Clone>(items: &[T], config: &[u32]) -> Vec<T> {
    config.iter().map(|&i| items[i as usize].clone()).collect()
}

/// Returns the items that are not in the configuration.
fn leave_out<T: Clone>(items: &[T], omitted: &[u32]) -> Vec<T> {
    let all: Vec<u32> = (0..count(items)).collect();
    pick(items, &subtract(&all, omitted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;
    use crate::Verdict::{Interesting, Uninteresting, Unresolved};

    #[test]
    fn a_start_that_does_not_pass_or_fail_as_required_is_an_error() {
        let items = [1, 2, 3];
        for verdict in [Uninteresting, Unresolved(Cause::Test)] {
            assert_eq!(ddmin(&items, |_: &[i32]| verdict), Err(Error::NotFailing));
            assert_eq!(wdd(&items, &[1, 1, 1], |_: &[i32]| verdict), Err(Error::NotFailing));
            assert_eq!(cdd(&items, |_: &[i32]| verdict), Err(Error::NotFailing));
        }
        for verdict in [Interesting, Unresolved(Cause::Test)] {
            assert_eq!(ddmax(&items, |_: &[i32]| verdict), Err(Error::NotPassing));
            assert_eq!(dd(&items, |_: &[i32]| verdict), Err(Error::NotPassing));
        }
        assert_eq!(dd(&items, |_: &[i32]| Uninteresting), Err(Error::NotFailing));
        let passing = |config: &[i32]| if config.is_empty() { Interesting } else { Uninteresting };
        assert_eq!(dd_above(&items, &[0, 1, 2], passing), Err(Error::NotFailing));
    }

    #[test]
    fn the_empty_and_the_whole_list_can_be_the_result() {
        assert_eq!(ddmin(&[1, 2], |_: &[i32]| Interesting), Ok(vec![]));
        assert_eq!(ddmax(&[1, 2], |_: &[i32]| Uninteresting), Ok(vec![1, 2]));
        assert_eq!(ddmin(&[0u8; 0], |_: &[u8]| Interesting), Ok(vec![]));
        assert_eq!(ddmax(&[0u8; 0], |_: &[u8]| Uninteresting), Ok(vec![]));
    }

    #[test]
    fn dd_begins_with_the_items_that_pass() {
        let mut asked = Vec::new();
        let found = dd_above(&["a", "b", "c", "d"], &[2], |config: &[&str]| {
            asked.push(config.concat());
            if config.contains(&"d") { Interesting } else { Uninteresting }
        });
        assert_eq!(asked, ["c", "abcd", "bcd", "cd"]);
        assert_eq!(found.map(|found| found.difference), Ok(vec!["d"]));
    }
}
