//! Delta debugging of any list, with several tests at the same time.
//!
//! The functions are those of [`crate::dd`], with the same results and guarantees: the likeliest next tests are run
//! ahead, and answers are used strictly in the order in which they would be asked for one after the other. So what
//! is found, and on which way, does not depend on how many `jobs` there are, nor on how long tests take; but tests
//! are run that turn out not to be needed.
//!
//! ```
//! use nubbin_search::{Verdict, dd, parallel};
//!
//! let test = |lines: &[&str]| {
//!     if lines.contains(&"use") && lines.contains(&"free") { Verdict::Interesting } else { Verdict::Uninteresting }
//! };
//! let lines = ["start", "alloc", "free", "log", "use", "stop"];
//! assert_eq!(parallel::ddmin(&lines, 4, test), Ok(vec!["free", "use"]));
//! assert_eq!(parallel::dd(&lines, 4, test), dd::dd(&lines, test));
//! ```
//!
//! A panic of a test that counts goes on in the caller.

use crate::Verdict;
use crate::dd::{
    Difference, Error, check_both, count, difference, fails_empty, leave_out, passes_whole, pick,
};
use crate::oracle::{NoVerdict, Oracle};
use crate::schedule::{self, Answer, Likeness, Name, Prober, Runner, Stand, Workbench};
pub use crate::schedule::{at_once, cores};
use crate::search::subtract;
pub use crate::search::{Cdd, Dd, Ddmax, Ddmin, Knowledge, Outline, Partition, Search};
use std::any::Any;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// As [`dd::ddmin`](crate::dd::ddmin), with so many tests at the same time.
///
/// # Errors
/// When `items` do not fail.
pub fn ddmin<T: Clone + Sync>(
    items: &[T],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Vec<T>, Error> {
    minimize(Ddmin::new(count(items)), items, jobs, test)
}

/// As [`dd::wdd`](crate::dd::wdd), with so many tests at the same time.
///
/// # Errors
/// When `items` do not fail.
///
/// # Panics
/// When there are not as many weights as items.
pub fn wdd<T: Clone + Sync>(
    items: &[T],
    weights: &[u32],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Vec<T>, Error> {
    assert_eq!(items.len(), weights.len(), "each item has a weight");
    minimize(Ddmin::weighted(weights.to_vec()), items, jobs, test)
}

/// As [`dd::cdd`](crate::dd::cdd), with so many tests at the same time.
///
/// # Errors
/// When `items` do not fail.
pub fn cdd<T: Clone + Sync>(
    items: &[T],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Vec<T>, Error> {
    minimize(Cdd::new(count(items)), items, jobs, test)
}

/// As [`dd::ddmax`](crate::dd::ddmax), with so many tests at the same time.
///
/// # Errors
/// When the empty list does not pass.
pub fn ddmax<T: Clone + Sync>(
    items: &[T],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Vec<T>, Error> {
    if passes_whole(items, &mut |config| test(config))? {
        return Ok(items.to_vec());
    }
    let n = count(items);
    let test = |omitted: &[u32]| test(&leave_out(items, omitted));
    let (_, omitted) = run(Ddmax::new(n), n, jobs, test, |_, _| ());
    Ok(leave_out(items, &omitted))
}

/// As [`dd::dd`](crate::dd::dd()), with so many tests at the same time.
///
/// # Errors
/// When the empty list does not pass, or `items` do not fail.
pub fn dd<T: Clone + Sync>(
    items: &[T],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Difference<T>, Error> {
    dd_above(items, &[], jobs, test)
}

/// As [`dd::dd_above`](crate::dd::dd_above), with so many tests at the same time.
///
/// # Errors
/// When the items at `passing` do not pass, or `items` do not fail.
///
/// # Panics
/// When there is no item at an index.
pub fn dd_above<T: Clone + Sync>(
    items: &[T],
    passing: &[u32],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Difference<T>, Error> {
    let search = Dd::above(passing, count(items));
    check_both(items, &search, &mut |config| test(config))?;
    let test = |config: &[u32]| test(&pick(items, config));
    let (search, _) = run(search, count(items), jobs, test, |_, _| ());
    Ok(difference(items, &search))
}

fn minimize<T: Clone + Sync, S: Search>(
    search: S,
    items: &[T],
    jobs: usize,
    test: impl Fn(&[T]) -> Verdict + Sync,
) -> Result<Vec<T>, Error> {
    if fails_empty(items, &mut |config| test(config))? {
        return Ok(Vec::new());
    }
    let test = |config: &[u32]| test(&pick(items, config));
    let (_, kept) = run(search, count(items), jobs, test, |_, _| ());
    Ok(pick(items, &kept))
}

/// As [`dd::run`](crate::dd::run), with so many tests at the same time.
///
/// `committed` is told the configurations that count, with their verdicts, in the order in which they count.
pub fn run<S: Search>(
    search: S,
    n: u32,
    jobs: usize,
    test: impl Fn(&[u32]) -> Verdict + Sync,
    committed: impl FnMut(&[u32], Verdict),
) -> (S, Vec<u32>) {
    let all: Arc<[u32]> = (0..n).collect();
    let view = View { search: search.clone(), held: Arc::clone(&all), base: Arc::clone(&all), asked: all };
    let probe = Probe { test, panic: Mutex::new(None) };
    let mut bench = Bench { committed, search: PhantomData };
    let stand =
        Prober::with(Runner::Parallel(&probe, jobs), |mut prober| prober.run(search, &mut bench, view));
    match stand {
        Ok(Stand::Ended(view)) => (view.search, view.held.to_vec()),
        Ok(Stand::Paused(..) | Stand::Switched(..)) => {
            unreachable!("there is no second search, and nobody switches")
        }
        Err(error) => {
            let panic = probe.panic.into_inner().unwrap_or_else(PoisonError::into_inner);
            resume_unwind(panic.unwrap_or_else(|| Box::new(error.to_string())))
        }
    }
}

/// The test, which is given its configurations as bytes.
struct Probe<F> {
    test: F,
    /// What the first test that panicked said.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<F: Fn(&[u32]) -> Verdict> Oracle for Probe<F> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        let config = from_bytes(candidate);
        // A thread that ended here would be waited for in vain.
        catch_unwind(AssertUnwindSafe(|| (self.test)(&config))).map_err(|panic| {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(panic);
            NoVerdict::Interrupted
        })
    }
}

/// A configuration as a candidate.
fn to_bytes(config: &[u32]) -> Arc<[u8]> {
    config.iter().flat_map(|i| i.to_le_bytes()).collect()
}

fn from_bytes(candidate: &[u8]) -> Vec<u32> {
    let (numbers, rest) = candidate.as_chunks::<4>();
    debug_assert!(rest.is_empty(), "four bytes a number");
    numbers.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

/// What has been found so far.
#[derive(Clone)]
struct View<S> {
    /// The search as the schedule has it.
    search: S,
    held: Arc<[u32]>,
    /// The configuration that questions apart are about.
    base: Arc<[u32]>,
    /// What was asked last.
    asked: Arc<[u32]>,
}

struct Open {
    base: Arc<[u32]>,
    asked: Arc<[u32]>,
    candidate: Arc<[u8]>,
    name: Name,
}

impl schedule::Open for Open {
    fn candidate(&self) -> &Arc<[u8]> {
        &self.candidate
    }

    fn name(&self) -> Name {
        self.name
    }

    fn gone(&self) -> Option<&[u32]> {
        None
    }
}

struct Bench<S, C> {
    committed: C,
    search: PhantomData<S>,
}

impl<S: Search, C: FnMut(&[u32], Verdict)> Workbench for Bench<S, C> {
    type View = View<S>;
    type Open = Open;
    type Search = S;
    type Error = NoVerdict;

    fn is_stopped(&self) -> bool {
        false
    }

    fn likeness(&self, _: &View<S>, open: &Open) -> Likeness {
        let (all, gone) = (open.base.len(), open.base.len() - open.asked.len());
        Likeness { pass: "dd", share: (all / gone.max(1)).max(1).ilog2() }
    }

    fn ask(&mut self, view: &View<S>, without: &[u32], apart: bool) -> Answer<View<S>, Open> {
        let base = if apart { &view.base } else { &view.held };
        let asked: Arc<[u32]> = subtract(base, without).into();
        let candidate = to_bytes(&asked);
        let name = schedule::name(&candidate);
        Answer::Open(Open { base: Arc::clone(base), asked, candidate, name })
    }

    fn after(&self, view: &View<S>, open: &Open, verdict: Verdict) -> View<S> {
        let mut search = view.search.clone();
        search.advance(verdict);
        let is_found = S::is_find(verdict) && view.held.len() == open.base.len();
        let held = if is_found { &open.asked } else { &view.held };
        View { search, held: Arc::clone(held), base: Arc::clone(&open.base), asked: Arc::clone(&open.asked) }
    }

    fn turn(&mut self, _: &View<S>) -> Option<(S, View<S>)> {
        None
    }

    fn asks_again(&self, _: &View<S>) -> Vec<Name> {
        Vec::new()
    }

    fn commit(&mut self, view: &View<S>, verdict: Option<Verdict>) -> Result<(), NoVerdict> {
        if let Some(verdict) = verdict {
            (self.committed)(&view.asked, verdict);
        }
        Ok(())
    }

    fn commit_turn(&mut self, _: &View<S>) -> Result<ControlFlow<()>, NoVerdict> {
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;
    use crate::Verdict::{Interesting, Uninteresting, Unresolved};
    use crate::random::Random;
    use crate::search::Bisect;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    const JOBS: [usize; 4] = [1, 2, 3, 8];

    /// A test that fails where all of `needed` are, and cannot tell now and then; some answers take longer.
    fn test(needed: u64, odd: u64, late: u64) -> impl Fn(&[u32]) -> Verdict + Sync {
        move |config| {
            let bits = config.iter().fold(0u64, |bits, i| bits | 1 << i);
            let mixed = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            if late > 0 && mixed % (late + 4) == 0 {
                sleep(Duration::from_micros(300));
            }
            if odd > 0 && mixed % (odd + 2) == 1 {
                return Unresolved(Cause::Test);
            }
            if bits & needed == needed { Interesting } else { Uninteresting }
        }
    }

    /// Asserts that `search` takes the same way alone and with others.
    fn goes_the_same_way<S: Search>(search: &S, n: u32, test: impl Fn(&[u32]) -> Verdict + Sync) {
        let mut serial = Vec::new();
        let (_, held) = crate::dd::run(search.clone(), n, |config| {
            let verdict = test(config);
            serial.push((config.to_vec(), verdict));
            verdict
        });
        for jobs in JOBS {
            let mut commits = Vec::new();
            let committed = |config: &[u32], verdict| commits.push((config.to_vec(), verdict));
            let (_, found) = run(search.clone(), n, jobs, &test, committed);
            assert_eq!(&commits, &serial, "{jobs} jobs");
            assert_eq!(&found, &held, "{jobs} jobs");
        }
    }

    /// Numbers of circumstances, a mask of those that may be needed, how odd the test is and how often late; the smallest
    /// first.
    fn cases() -> impl Iterator<Item = (u32, u64, u64, u64)> {
        (0..48)
            .map(|i| {
                let mut random = Random::new(i);
                let n = 2 + (i * 18 / 48) as u32;
                (n, 1 + u64::from(random.below((1 << n) - 1)), random.below(4).into(), random.below(4).into())
            })
            // The last one that a failed test shows is the one that it failed on.
            .inspect(|case| println!("{case:?}"))
    }

    #[test]
    fn every_search_takes_the_same_way_at_every_number_of_jobs() {
        for (n, mask, odd, late) in cases() {
            // About one in four is needed.
            let test = test(mask & mask >> 1, odd, late);
            goes_the_same_way(&Ddmin::new(n), n, &test);
            goes_the_same_way(&Ddmin::complements(n), n, &test);
            goes_the_same_way(&Ddmin::weighted((0..n).map(|i| i % 5).collect()), n, &test);
            goes_the_same_way(&Cdd::new(n), n, &test);
            goes_the_same_way(&Bisect::new(vec![1; n as usize]), n, &test);
            goes_the_same_way(&Dd::new(n), n, &test);
            goes_the_same_way(&Dd::book(n), n, &test);
            goes_the_same_way(&Partition::new(&Outline::flat(n), Knowledge::default()), n, &test);
            let all: Vec<u32> = (0..n).collect();
            goes_the_same_way(&Ddmax::new(n), n, |omitted| test(&subtract(&all, omitted)));
        }
    }

    #[test]
    fn the_functions_find_what_those_for_one_test_at_a_time_find() {
        for (n, mask, odd, late) in cases() {
            let test = test(mask & mask >> 1, odd, late);
            let items: Vec<u32> = (0..n).collect();
            let weights: Vec<u32> = (0..n).map(|i| i % 5).collect();
            for jobs in JOBS {
                assert_eq!(ddmin(&items, jobs, &test), crate::dd::ddmin(&items, &test));
                assert_eq!(wdd(&items, &weights, jobs, &test), crate::dd::wdd(&items, &weights, &test));
                assert_eq!(cdd(&items, jobs, &test), crate::dd::cdd(&items, &test));
                assert_eq!(ddmax(&items, jobs, &test), crate::dd::ddmax(&items, &test));
                assert_eq!(dd(&items, jobs, &test), crate::dd::dd(&items, &test));
                let above = [n - 1];
                let serial = crate::dd::dd_above(&items, &above, &test);
                assert_eq!(dd_above(&items, &above, jobs, &test), serial);
            }
        }
    }
    #[test]
    fn a_panic_of_a_test_that_counts_goes_on_in_the_caller() {
        for jobs in JOBS {
            let items = [0, 1, 2, 3, 4, 5, 6, 7];
            let result = catch_unwind(|| {
                ddmin(&items, jobs, |config| {
                    assert!(config.len() != 2, "two are too few");
                    if config.contains(&3) { Interesting } else { Uninteresting }
                })
            });
            let panic = result.expect_err("two are asked for");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"two are too few"));
        }
    }

    #[test]
    fn tests_run_at_the_same_time_and_no_more_than_there_are_jobs() {
        for jobs in JOBS {
            let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let slow = |config: &[u32]| {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // The first waits for another one to begin; a schedule that runs one at a time would wait in vain.
                let patience = Instant::now() + Duration::from_secs(60);
                while jobs > 1 && most.load(Ordering::SeqCst) == 1 && Instant::now() < patience {
                    sleep(Duration::from_millis(1));
                }
                running.fetch_sub(1, Ordering::SeqCst);
                if config.contains(&5) && config.contains(&20) { Interesting } else { Uninteresting }
            };
            let (_, found) = run(Ddmin::new(32), 32, jobs, slow, |_, _| ());
            assert_eq!(found, [5, 20]);
            let most = most.into_inner();
            assert!(most <= jobs && (most > 1 || jobs == 1), "{most} of {jobs}");
        }
    }

    #[test]
    fn configurations_of_any_numbers_survive_as_bytes() {
        for config in [&[][..], &[0], &[1, 255, 256, 65_536, u32::MAX]] {
            assert_eq!(from_bytes(&to_bytes(config)), config);
        }
    }
}
