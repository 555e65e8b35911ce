//! Tests that can run several times at once.

use super::{Test, count};
use crate::Verdict;
use crate::oracle::{NoVerdict, Oracle};
use crate::schedule::{self, Answer, Jobs, Likeness, Name, Prober, Runner, Stand, Steered, Workbench};
use crate::search::{Search, subtract};
use std::any::Any;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A test of which up to `jobs` instances run at once; see [`parallel()`].
#[derive(Clone, Copy, Debug)]
pub struct Parallel<F> {
    jobs: usize,
    test: F,
}

/// Makes a test that runs up to `jobs` times at once.
///
/// The results are the same as with the sequential test. Some speculative runs turn out not to be needed. If
/// a test whose verdict is needed panics, the panic is resumed in the caller.
///
/// ```
/// use nubbin_search::{Verdict, dd};
///
/// let test = |lines: &[&str]| Verdict::from(lines.contains(&"use") && lines.contains(&"free"));
/// let lines = ["start", "alloc", "free", "log", "use", "stop"];
/// assert_eq!(dd::ddmin(&lines, dd::parallel(4, test)), Ok(vec!["free", "use"]));
/// assert_eq!(dd::dd(&lines, dd::parallel(4, test)), dd::dd(&lines, test));
/// ```
pub fn parallel<T, F: Fn(&[T]) -> Verdict + Sync>(jobs: usize, test: F) -> Parallel<F> {
    Parallel { jobs, test }
}

impl<T: Sync, F: Fn(&[T]) -> Verdict + Sync> Test<T> for Parallel<F> {
    fn verdict(&mut self, configuration: &[T]) -> Verdict {
        (self.test)(configuration)
    }

    fn search<S: Search>(
        &mut self,
        search: S,
        items: &[T],
        make: fn(&[T], &[u32]) -> Vec<T>,
        committed: &mut dyn FnMut(&[u32], Verdict),
    ) -> (S, Vec<u32>) {
        let all: Arc<[u32]> = (0..count(items)).collect();
        let state =
            State { search: search.clone(), held: Arc::clone(&all), base: Arc::clone(&all), asked: all };
        let test = |config: &[u32]| (self.test)(&make(items, config));
        let probe = Probe { test, panic: Mutex::new(None) };
        let mut workbench = Telling { committed, search: PhantomData };
        let runner = Runner::Parallel(&probe, Jobs::Threads(self.jobs));
        match Prober::with(runner, |mut prober| prober.run(search, &mut workbench, state)) {
            Ok(Stand::Ended(state)) => (state.search, state.held.to_vec()),
            Ok(Stand::Paused(..) | Stand::Switched(..)) => {
                unreachable!("there is no second search, and nobody switches")
            }
            Err(error) => {
                let panic = probe.panic.into_inner().unwrap_or_else(PoisonError::into_inner);
                resume_unwind(panic.unwrap_or_else(|| Box::new(error.to_string())))
            }
        }
    }
}

/// Adapts the test to an oracle, whose candidates are configurations encoded as bytes.
struct Probe<F> {
    test: F,
    /// The payload of the first panic.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<F: Fn(&[u32]) -> Verdict> Oracle for Probe<F> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        let config = from_bytes(candidate);
        // If the panic ended this thread, the schedule would wait for its verdict forever.
        catch_unwind(AssertUnwindSafe(|| (self.test)(&config))).map_err(|panic| {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(panic);
            NoVerdict::Interrupted
        })
    }
}

/// Encodes a configuration as a candidate.
fn to_bytes(config: &[u32]) -> Arc<[u8]> {
    config.iter().flat_map(|i| i.to_le_bytes()).collect()
}

fn from_bytes(candidate: &[u8]) -> Vec<u32> {
    let (numbers, rest) = candidate.as_chunks::<4>();
    debug_assert!(rest.is_empty(), "four bytes a number");
    numbers.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

#[derive(Clone)]
struct State<S> {
    search: S,
    held: Arc<[u32]>,
    /// The configuration to which [apart](Search::is_apart) questions refer.
    base: Arc<[u32]>,
    /// The configuration of the last question.
    asked: Arc<[u32]>,
}

struct OpenQuestion {
    base: Arc<[u32]>,
    asked: Arc<[u32]>,
    candidate: Arc<[u8]>,
    name: Name,
}

impl schedule::Open for OpenQuestion {
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

struct Telling<'c, S> {
    committed: &'c mut dyn FnMut(&[u32], Verdict),
    search: PhantomData<S>,
}

impl<S: Search> Steered for Telling<'_, S> {}

impl<S: Search> Workbench for Telling<'_, S> {
    type State = State<S>;
    type Open = OpenQuestion;
    type Search = S;
    type Error = NoVerdict;

    fn likeness(&self, _: &State<S>, open: &OpenQuestion) -> Likeness {
        let (all, gone) = (open.base.len(), open.base.len() - open.asked.len());
        Likeness { pass: "dd", share: (all / gone.max(1)).max(1).ilog2() }
    }

    fn ask(&mut self, state: &State<S>, without: &[u32], apart: bool) -> Answer<State<S>, OpenQuestion> {
        let base = if apart { &state.base } else { &state.held };
        let asked: Arc<[u32]> = subtract(base, without).into();
        let candidate = to_bytes(&asked);
        let name = schedule::name(&candidate);
        Answer::Open(OpenQuestion { base: Arc::clone(base), asked, candidate, name })
    }

    fn after(&self, state: &State<S>, open: &OpenQuestion, verdict: Verdict) -> State<S> {
        let mut search = state.search.clone();
        search.advance(verdict);
        let is_found = S::is_find(verdict) && state.held.len() == open.base.len();
        let held = if is_found { &open.asked } else { &state.held };
        State { search, held: Arc::clone(held), base: Arc::clone(&open.base), asked: Arc::clone(&open.asked) }
    }

    fn turn(&mut self, _: &State<S>) -> Option<(S, State<S>)> {
        None
    }

    fn asks_again(&self, _: &State<S>) -> Vec<Name> {
        Vec::new()
    }

    fn commit(&mut self, state: &State<S>, verdict: Option<Verdict>) -> Result<(), NoVerdict> {
        if let Some(verdict) = verdict {
            (self.committed)(&state.asked, verdict);
        }
        Ok(())
    }

    fn commit_turn(&mut self, _: &State<S>) -> Result<ControlFlow<()>, NoVerdict> {
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{cdd, dd, dd_above, ddmax, ddmin, run, run_telling, wdd};
    use super::*;
    use crate::Cause;
    use crate::Verdict::{Interesting, Uninteresting, Unresolved};
    use crate::random::Random;
    use crate::search::{Bisect, Cdd, Dd, Ddmax, Ddmin, Knowledge, Outline, Partition};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    const JOBS: [usize; 4] = [1, 2, 3, 8];

    /// Returns a test that fails if all of `needed` are present and is occasionally unresolved. Some runs
    /// take longer.
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

    /// Asserts that `search` commits the same verdicts sequentially and in parallel.
    fn goes_the_same_way<S: Search>(search: &S, n: u32, test: impl Fn(&[u32]) -> Verdict + Sync) {
        let mut serial = Vec::new();
        let (_, held) = run(search.clone(), n, |config: &[u32]| {
            let verdict = test(config);
            serial.push((config.to_vec(), verdict));
            verdict
        });
        for jobs in JOBS {
            let mut commits = Vec::new();
            let committed = |config: &[u32], verdict| commits.push((config.to_vec(), verdict));
            let (_, found) = run_telling(search.clone(), n, parallel(jobs, &test), committed);
            assert_eq!(&commits, &serial, "{jobs} jobs");
            assert_eq!(&found, &held, "{jobs} jobs");
        }
    }

    /// Returns test cases, smallest first: the number of circumstances, a mask of those that can be needed,
    /// and how often the test is unresolved and late.
    fn cases() -> impl Iterator<Item = (u32, u64, u64, u64)> {
        (0..48)
            .map(|i| {
                let mut random = Random::new(i);
                let n = 2 + (i * 18 / 48) as u32;
                (n, 1 + u64::from(random.below((1 << n) - 1)), random.below(4).into(), random.below(4).into())
            })
            // If a test fails, the last case printed is the failing one.
            .inspect(|case| println!("{case:?}"))
    }

    #[test]
    fn every_search_commits_the_same_verdicts_for_any_number_of_jobs() {
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
            goes_the_same_way(&Ddmax::new(n), n, |omitted: &[u32]| test(&subtract(&all, omitted)));
        }
    }

    #[test]
    fn parallel_functions_find_the_same_as_sequential_ones() {
        for (n, mask, odd, late) in cases() {
            let test = test(mask & mask >> 1, odd, late);
            let items: Vec<u32> = (0..n).collect();
            let weights: Vec<u32> = (0..n).map(|i| i % 5).collect();
            for jobs in JOBS {
                assert_eq!(ddmin(&items, parallel(jobs, &test)), ddmin(&items, &test));
                assert_eq!(wdd(&items, &weights, parallel(jobs, &test)), wdd(&items, &weights, &test));
                assert_eq!(cdd(&items, parallel(jobs, &test)), cdd(&items, &test));
                assert_eq!(ddmax(&items, parallel(jobs, &test)), ddmax(&items, &test));
                assert_eq!(dd(&items, parallel(jobs, &test)), dd(&items, &test));
                let above = [n - 1];
                let serial = dd_above(&items, &above, &test);
                assert_eq!(dd_above(&items, &above, parallel(jobs, &test)), serial);
            }
        }
    }
    #[test]
    fn a_panic_of_a_needed_test_is_resumed_in_the_caller() {
        for jobs in JOBS {
            let items = [0, 1, 2, 3, 4, 5, 6, 7];
            let result = catch_unwind(|| {
                let test = |config: &[i32]| {
                    assert!(config.len() != 2, "two are too few");
                    if config.contains(&3) { Interesting } else { Uninteresting }
                };
                ddmin(&items, parallel(jobs, test))
            });
            let panic = result.expect_err("two are asked for");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"two are too few"));
        }
    }

    #[test]
    fn tests_run_concurrently_up_to_the_number_of_jobs() {
        for jobs in JOBS {
            let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let slow = |config: &[u32]| {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // The first run waits for another one to start; a sequential schedule would run into the
                // timeout.
                let patience = Instant::now() + Duration::from_secs(60);
                while jobs > 1 && most.load(Ordering::SeqCst) == 1 && Instant::now() < patience {
                    sleep(Duration::from_millis(1));
                }
                running.fetch_sub(1, Ordering::SeqCst);
                if config.contains(&5) && config.contains(&20) { Interesting } else { Uninteresting }
            };
            let (_, found) = run(Ddmin::new(32), 32, parallel(jobs, slow));
            assert_eq!(found, [5, 20]);
            let most = most.into_inner();
            assert!(most <= jobs && (most > 1 || jobs == 1), "{most} of {jobs}");
        }
    }

    #[test]
    fn configurations_round_trip_through_bytes() {
        for config in [&[][..], &[0], &[1, 255, 256, 65_536, u32::MAX]] {
            assert_eq!(from_bytes(&to_bytes(config)), config);
        }
    }
}
