//! Delta debugging of any list, as plain functions that find the part of it that makes a test fail, or lets it pass.
//!
//! A *circumstance* is an item of a slice: a character, a line, an option, an event, a change. A *configuration* is
//! some of them, in their order. The test says of a configuration whether the failure is there
//! ([`Interesting`](Verdict::Interesting)), or not ([`Uninteresting`](Verdict::Uninteresting)), or that it cannot
//! tell ([`Unresolved`](Verdict::Unresolved)).
//!
//! | function | gives | published in |
//! |---|---|---|
//! | [`ddmin`] | a smallest part that fails | Zeller and Hildebrandt, TSE 2002, section 3 |
//! | [`dd`] | a smallest difference between a part that passes and one that fails | the same, section 5 |
//! | [`ddmax`] | a largest part that passes | Kirschner, Soremekun and Zeller, ICSE 2020 |
//! | [`wdd`] | as `ddmin`, split by weight | weighted delta debugging, ICSE 2025 |
//! | [`cdd`] | a small part that fails, for few probes | Zhang and others, ICSE 2025 |
//!
//! Smallest and largest mean that no single circumstance more can go or be added; what only goes together with
//! others may be left. [`run`] takes any search of [`crate::search`].
//!
//! A test is a function of a configuration. Where it can run several times at once, [`parallel()`] makes a test of it that
//! does so: the likeliest next configurations are tested ahead, and answers are used strictly in the order in which they
//! would be asked for one after the other. So the result, and the way to it, does not depend on the number of jobs, nor
//! on how long a test takes.
//!
//! ```
//! use nubbin_search::{Verdict, dd};
//!
//! // Fails where an opening bracket stands before a closing one.
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
//! `items` can be a list of indices, if an item cannot be cloned or its place matters. The module knows searches and
//! verdicts only: no bytes, trees or files; the schedule of several tests is in [`crate::schedule`].

mod parallel;

pub use parallel::{Parallel, parallel};

use crate::Verdict;
use crate::search::{Bisect, Cdd, Dd, Ddmax, Ddmin, Search, subtract};
use std::fmt;

/// A test of configurations: a function, or a [`parallel()`] one.
///
/// A closure that is written where it is handed over needs the type of its argument: `|lines: &[&str]| …`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no test of configurations of `{T}`",
    note = "a closure needs the type of its argument: `|configuration: &[{T}]| …`"
)]
pub trait Test<T> {
    /// The verdict on a configuration.
    fn verdict(&mut self, configuration: &[T]) -> Verdict;

    /// Runs a search over the indices of `items` to its end; gives the search, and the indices that it holds. `make` makes
    /// the configuration that the test is given of the indices that the search asks about, and `committed` is told these
    /// with their verdicts, in the order in which they count.
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

/// The reason why there is nothing to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The test is not interesting for all items.
    NotFailing,
    /// The test is not uninteresting for the items to begin with: as a rule, for none.
    NotPassing,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFailing => "the configuration of all items does not fail",
            Self::NotPassing => "the configuration to begin with does not pass",
        })
    }
}

impl std::error::Error for Error {}

/// A configuration that passes, a larger one that fails, and what makes the difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<T> {
    /// The items of a configuration that passes.
    pub passing: Vec<T>,
    /// The items of a configuration that fails: those of `passing` and of `difference`.
    pub failing: Vec<T>,
    /// The items that only the failing configuration has.
    pub difference: Vec<T>,
}

/// Finds a smallest part of `items` that fails: ddmin (TSE 2002, section 3), see [`Ddmin`].
///
/// The result is 1-minimal: without any one of its items it does not fail. At most n² + 3·n probes for n
/// items, at best 2·log₂ n, and two for the whole and the empty list.
///
/// # Errors
/// Returns an error if `items` do not fail.
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

/// Finds a smallest part of `items` that fails as [`ddmin`] does, but tests complements only: see [`Ddmin::complements`]. That
/// takes fewer tests where many items are needed, and more where few are.
///
/// # Errors
/// Returns an error if `items` do not fail.
pub fn ddmin_by_complements<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Ddmin::complements(count(items)), items, test)
}

/// Finds a smallest part of `items` that fails by [`Bisect`]: all is left out, else each half by itself, down to single items.
/// That takes fewest tests of all where the needed items do not depend on each other.
///
/// # Errors
/// Returns an error if `items` do not fail.
pub fn bisect<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Bisect::new(vec![1; items.len()]), items, test)
}

/// Finds a smallest part of `items` that fails, split into parts of nearly the same weight: weighted delta debugging
/// (ICSE 2025), see [`Ddmin::weighted`].
///
/// Its guarantees are those of [`ddmin`].
///
/// # Errors
/// Returns an error if `items` do not fail.
///
/// # Panics
/// Panics if there are not as many weights as items.
pub fn wdd<T: Clone>(items: &[T], weights: &[u32], test: impl Test<T>) -> Result<Vec<T>, Error> {
    assert_eq!(items.len(), weights.len(), "each item has a weight");
    minimize(Ddmin::weighted(weights.to_vec()), items, test)
}

/// Finds a small part of `items` that fails: counter-based delta debugging (ICSE 2025), see [`Cdd`].
///
/// It takes at most 4·n probes for n items, and two for the whole and the empty list; the result need not be 1-minimal.
///
/// # Errors
/// Returns an error if `items` do not fail.
pub fn cdd<T: Clone>(items: &[T], test: impl Test<T>) -> Result<Vec<T>, Error> {
    minimize(Cdd::new(count(items)), items, test)
}

/// Finds a largest part of `items` that passes: ddmax (ICSE 2020), see [`Ddmax`].
///
/// The result is 1-maximal: with any one more of the items it does not pass. At most n² + 3·n probes for n
/// items, and two for the empty and the whole list.
///
/// # Errors
/// Returns an error if the empty list does not pass.
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

/// Finds a smallest difference between a part of `items` that passes and one that fails: dd (TSE 2002, section 5),
/// see [`Dd`].
///
/// It begins with no item, which has to pass, and with all of them, which have to fail. No item of the difference
/// can be added to what passes so that it still passes, nor taken away from what fails so that it still fails. At
/// most d² + 7·d probes for d items, at most log₂ d, rounded up, where no outcome is unresolved, and two for the
/// empty and the whole list.
///
/// # Errors
/// Returns an error if the empty list does not pass, or `items` do not fail.
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

/// Does the same as [`dd`], but begins with the items at these indices, which have to pass.
///
/// # Errors
/// Returns an error if the items at `passing` do not pass, or `items` do not fail.
///
/// # Panics
/// Panics if there is no item at an index.
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

/// Runs any search over `n` circumstances to its end. Gives the search, and the configuration that it holds.
///
/// Nobody is asked for the whole configuration. For a [`Ddmax`], a configuration is what is left out.
pub fn run<S: Search>(search: S, n: u32, test: impl Test<u32>) -> (S, Vec<u32>) {
    run_telling(search, n, test, |_, _| ())
}

/// Does the same as [`run`]; `committed` is told the configurations that count, with their verdicts, in the order in
/// which they count.
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

/// Tells whether the empty list fails, too; returns an error if the whole list does not fail.
fn fails_empty<T>(items: &[T], test: &mut impl Test<T>) -> Result<bool, Error> {
    if !test.verdict(items).is_interesting() {
        return Err(Error::NotFailing);
    }
    Ok(items.is_empty() || test.verdict(&[]).is_interesting())
}

/// Tells whether the whole list passes, too; returns an error if the empty list does not pass.
fn passes_whole<T>(items: &[T], test: &mut impl Test<T>) -> Result<bool, Error> {
    if test.verdict(&[]) != Verdict::Uninteresting {
        return Err(Error::NotPassing);
    }
    Ok(items.is_empty() || test.verdict(items) == Verdict::Uninteresting)
}

/// Checks that the search's first passing configuration passes, and that the whole list fails.
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

/// Returns the number of items.
fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("items are numbered by 32 bits")
}

/// The items of a configuration.
fn pick<T: Clone>(items: &[T], config: &[u32]) -> Vec<T> {
    config.iter().map(|&i| items[i as usize].clone()).collect()
}

/// The items without those of a configuration.
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
    fn what_neither_passes_nor_fails_as_it_has_to_is_an_error() {
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
