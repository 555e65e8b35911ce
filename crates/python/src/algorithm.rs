//! The delta debugging algorithms over the items of any object.
//!
//! They are those of `nubbin_search`, with tests that are written in Python.

use crate::caller;
use crate::configuration::Items;
use crate::verdict;
use crate::worker::{Trouble, Workers};
use nubbin_search::dd::{self, Test};
use nubbin_search::search::{Group, GroupKind, Groups, Hierarchy, Search};
use nubbin_search::{Verdict, dd::Error};
use pyo3::prelude::*;
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// The result, as the positions of items: one part, or for `dd` the passing part, the failing part, and the
/// difference.
type Found = Vec<Vec<u32>>;

/// The input of an algorithm.
#[derive(FromPyObject)]
pub struct Task {
    /// The name of the algorithm.
    #[pyo3(item)]
    name: String,
    /// The weights of the items, for `wdd`.
    #[pyo3(item)]
    weights: Vec<u32>,
    /// The passing items, for `dd`.
    #[pyo3(item)]
    passing: Vec<u32>,
    /// For each item, the list that contains it, and the item that contains this list, for `hdd`.
    #[pyo3(item)]
    tree: Vec<(u32, Option<u32>)>,
}

/// An exception of a test or a callback that unwinds a search.
struct Raised(PyErr);

/// An error of a worker that unwinds a search.
struct Troubled(Trouble);

/// Runs an algorithm. `told` is called with each configuration when its verdict counts for the first time.
///
/// # Errors
/// Returns the exceptions of the test and of `told`, and an exception if the initial configurations do not
/// have the required verdicts.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "the arguments of a Python function are made for it")]
pub fn search(
    py: Python<'_>,
    task: Task,
    items: &Bound<'_, Items>,
    test: &Bound<'_, PyAny>,
    told: Option<&Bound<'_, PyAny>>,
    workers: Option<&Bound<'_, Workers>>,
) -> PyResult<Found> {
    let tell = |items: &Items, places: &[u32], verdict| match told {
        None => Ok(()),
        Some(told) => told.call1((items.make(py, places)?, verdict::show(py, verdict)?)).map(drop),
    };
    let n = items.get().count();
    let Some(workers) = workers else {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut known = HashMap::new();
            let items = items.get();
            task.run(n, |places: &[u32]| {
                *known.entry(places.to_vec()).or_insert_with(|| {
                    let answer = items.make(py, places).map(|candidate| test.call1((candidate,)));
                    let verdict = answer.and_then(|answer| verdict::read(answer, py));
                    let verdict = verdict.unwrap_or_else(|error| resume_unwind(Box::new(Raised(error))));
                    if let Err(error) = tell(items, places, verdict) {
                        resume_unwind(Box::new(Raised(error)));
                    }
                    verdict
                })
            })
        }));
        return finish(py, result, None);
    };
    let (workers, items) = (workers.get(), items.get());
    let jobs = workers.len();
    let ask = |places: &[u32]| {
        let request: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
        workers.ask(&request).unwrap_or_else(|trouble| resume_unwind(Box::new(Troubled(trouble))))
    };
    let (result, raised) = caller::attend(
        py,
        |sender| task.run(n, Told { test: dd::parallel(jobs, ask), sender, seen: HashSet::new() }),
        |_, (places, verdict): (Vec<u32>, Verdict)| tell(items, &places, verdict),
        || workers.end(),
    );
    finish(py, result, raised)
}

/// Returns the result of a search, or the exception that ended it.
fn finish(
    py: Python<'_>,
    result: Result<Result<Found, Error>, Box<dyn Any + Send>>,
    raised: Option<PyErr>,
) -> PyResult<Found> {
    if let Some(error) = raised {
        return Err(error);
    }
    let panic = match result {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(error)) => {
            let name = match error {
                Error::NotFailing => "NotFailing",
                Error::NotPassing => "NotPassing",
            };
            let kind = py.import("nubbin._verdict")?.getattr(name)?;
            return Err(PyErr::from_value(kind.call1((error.to_string(),))?));
        }
        Err(panic) => panic,
    };
    match panic.downcast::<Raised>() {
        Ok(raised) => Err(raised.0),
        Err(panic) => match panic.downcast::<Troubled>() {
            Ok(troubled) => Err(troubled.0.raise(py)),
            Err(panic) => resume_unwind(panic),
        },
    }
}

impl Task {
    /// Runs the algorithm on `n` items.
    fn run(&self, n: u32, test: impl Test<u32>) -> Result<Found, Error> {
        let all: Vec<u32> = (0..n).collect();
        let one = |part| vec![part];
        match self.name.as_str() {
            "ddmin" => dd::ddmin(&all, test).map(one),
            "complements" => dd::ddmin_by_complements(&all, test).map(one),
            "bisect" => dd::bisect(&all, test).map(one),
            "wdd" => dd::wdd(&all, &self.weights, test).map(one),
            "cdd" => dd::cdd(&all, test).map(one),
            "hdd" => self.hdd(all, test).map(one),
            "ddmax" => dd::ddmax(&all, test).map(one),
            _ => dd::dd_above(&all, &self.passing, test)
                .map(|found| vec![found.passing, found.failing, found.difference]),
        }
    }

    /// Runs hierarchical delta debugging until a run finds nothing.
    fn hdd(&self, mut held: Vec<u32>, mut test: impl Test<u32>) -> Result<Vec<u32>, Error> {
        if !test.verdict(&held).is_interesting() {
            return Err(Error::NotFailing);
        }
        loop {
            let groups = self.groups(&held);
            let (_, kept) = test.search(Hierarchy::new(groups), &held, pick, &mut |_, _| ());
            let left = self.rooted(&pick(&held, &kept));
            if left.len() == held.len() {
                return Ok(left);
            }
            held = left;
        }
    }

    /// Returns the items whose list still exists. An item has a greater number than the item that contains
    /// it.
    fn rooted(&self, held: &[u32]) -> Vec<u32> {
        let mut there = vec![false; self.tree.len()];
        for &item in held {
            there[item as usize] = self.tree[item as usize].1.is_none_or(|owner| there[owner as usize]);
        }
        held.iter().copied().filter(|&item| there[item as usize]).collect()
    }

    /// Returns the lists of the held items as groups over their indices in `held`. Items of one list are
    /// consecutive.
    fn groups(&self, held: &[u32]) -> Arc<Groups> {
        let index: HashMap<u32, u32> = held.iter().zip(0..).map(|(&item, i)| (item, i)).collect();
        let parent = |i: usize| self.tree[held[i] as usize].0;
        let owner = |i: usize| self.tree[held[i] as usize].1.map(|owner| index[&owner]);
        let mut weights = vec![1; held.len()];
        let mut groups: Vec<Group> = Vec::new();
        for i in (0..held.len()).rev() {
            if let Some(owner) = owner(i) {
                weights[owner as usize] += weights[i];
            }
        }
        for i in 0..held.len() {
            match groups.last_mut() {
                Some(last) if i > 0 && parent(i) == parent(i - 1) => last.members.end += 1,
                _ => {
                    let members = i as u32..i as u32 + 1;
                    groups.push(Group { members, kind: GroupKind::Set, owner: owner(i) });
                }
            }
        }
        Arc::new(Groups::heaviest_first(groups, weights))
    }
}

/// A test with several processes that reports the counting verdicts to the caller.
struct Told<T> {
    test: T,
    sender: Sender<(Vec<u32>, Verdict)>,
    seen: HashSet<Vec<u32>>,
}

impl<T> Told<T> {
    fn tell(&mut self, places: Vec<u32>, verdict: Verdict) {
        if self.seen.insert(places.clone()) {
            // After an interrupt there is no receiver any more.
            let _ = self.sender.send((places, verdict));
        }
    }
}

impl<T: Test<u32>> Test<u32> for Told<T> {
    fn verdict(&mut self, configuration: &[u32]) -> Verdict {
        let verdict = self.test.verdict(configuration);
        self.tell(configuration.to_vec(), verdict);
        verdict
    }

    fn search<S: Search>(
        &mut self,
        search: S,
        items: &[u32],
        make: fn(&[u32], &[u32]) -> Vec<u32>,
        committed: &mut dyn FnMut(&[u32], Verdict),
    ) -> (S, Vec<u32>) {
        let Self { test, sender, seen } = self;
        let mut told = Told { test: (), sender: sender.clone(), seen: std::mem::take(seen) };
        let found = test.search(search, items, make, &mut |asked, verdict| {
            committed(asked, verdict);
            told.tell(make(items, asked), verdict);
        });
        *seen = told.seen;
        found
    }
}

fn pick(items: &[u32], indices: &[u32]) -> Vec<u32> {
    indices.iter().map(|&i| items[i as usize]).collect()
}
