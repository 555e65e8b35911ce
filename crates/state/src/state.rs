//! The minimal difference between a passing and a failing state that makes a run fail (Zeller, FSE 2002,
//! section 4).

use crate::delta::{Delta, Difference};
use crate::effect::{Behind, Effect, Later};
use crate::failure::Failure;
use crate::fault::Fault;
use crate::graph::{Graph, Name};
use crate::lab::Lab;
use crate::matching::{Matching, Method};
use crate::picture;
use crate::protocol::Point;
use nubbin_search::dd;
use nubbin_search::{Cause, Verdict};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// The reason for an empty result at a point at which the states are equal.
pub const SAME: &str = "both states are the same";

/// A variable, or an object that is reached from it: the function of its frame and its expression. The
/// function is empty for a static variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Variable {
    /// The function.
    pub function: String,
    /// The expression.
    pub expression: String,
}

/// A passing and a failing run of a program.
#[derive(Debug)]
pub struct Pair<'l> {
    /// The lab of the passing run, in which commands are executed.
    pub passing: &'l Lab,
    /// The lab of the failing run.
    pub failing: &'l Lab,
    /// The failure.
    pub failure: &'l Failure,
    /// The maximum number of concurrent runs.
    pub jobs: usize,
    /// How states are matched.
    pub method: Method,
    /// Verdicts of earlier runs.
    pub known: &'l Known,
}

/// Verdicts of runs with commands, by the point, the commands, and the later moment if there is one.
#[derive(Debug, Default)]
pub struct Known(Mutex<HashMap<(String, Vec<String>), Verdict>>);

/// Requirements for the difference at a moment.
#[derive(Debug, Default)]
pub struct Wanted<'w> {
    /// Differences to test first, each as the number of its variables and all their names.
    pub first: Vec<(usize, BTreeSet<Variable>)>,
    /// A later cause that the difference must bring about.
    pub later: Option<Later<'w>>,
    /// Commands at an earlier moment that must bring about the difference.
    pub earlier: Option<(&'w [String], Behind<'w>)>,
    /// Whether to draw both memory graphs.
    pub with_picture: bool,
}

/// A minimal difference that makes a run fail.
#[derive(Clone, Debug, Serialize)]
pub struct Isolated {
    /// The variables that differ.
    pub variables: Vec<Variable>,
    /// All names of each variable.
    #[serde(skip)]
    pub aliases: Vec<BTreeSet<Variable>>,
    /// The values in the failing and in the passing run.
    pub values: Vec<[String; 2]>,
    /// A description of what the failing run has and the passing run does not have.
    pub words: Vec<String>,
    /// The debugger commands that make the passing run fail.
    pub commands: Vec<String>,
    /// The number of differences between the states.
    pub differences: usize,
    /// The number of differences that cannot be applied.
    pub left_out: usize,
    /// The number of vertices of the failing state.
    pub vertices: usize,
    /// The memory graphs are complete.
    pub is_whole: bool,
    /// The functions of the active frames, innermost first.
    pub frames: Vec<String>,
    /// A picture of both memory graphs, if requested.
    #[serde(skip)]
    pub picture: Option<picture::Picture>,
}

impl Isolated {
    /// Returns whether two differences concern the same variables, under any of their names.
    #[must_use]
    pub fn is_about_the_same(&self, other: &Self) -> bool {
        let has = |all: &[BTreeSet<Variable>], one: &BTreeSet<Variable>| {
            all.iter().any(|names| !names.is_disjoint(one))
        };
        self.aliases.iter().all(|one| has(&other.aliases, one))
            && other.aliases.iter().all(|one| has(&self.aliases, one))
    }
}

/// The result of a search at a point.
#[derive(Clone, Debug)]
pub enum Found {
    /// This difference makes the run fail.
    Relevant(Box<Isolated>),
    /// No difference does, for this reason.
    Nothing(String),
}

impl Pair<'_> {
    /// Finds a minimal difference of the states at two matching points.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn isolate(
        &self,
        [at_passing, at_failing]: [&Point; 2],
        wanted: &Wanted<'_>,
    ) -> Result<Found, Fault> {
        let debugger = self.passing.debugger();
        let passing = Graph::new(self.passing.state(at_passing)?, debugger);
        let failing = Graph::new(self.failing.state(at_failing)?, debugger);
        let frames = functions(&failing);
        if functions(&passing) != frames {
            return Ok(Found::Nothing("the runs reach that point through different calls".to_owned()));
        }
        let matching = Matching::new(&passing, &failing, self.method);
        let difference = Difference::new(&passing, &failing, matching, debugger);
        let later = wanted.later.as_ref();
        let search = Search {
            pair: self,
            at: at_passing,
            difference: &difference,
            later,
            fault: Mutex::new(None),
            stuck: Mutex::new(None),
        };
        let all = match &wanted.earlier {
            Some((commands, behind)) => self.brought(commands, behind, &difference, &failing)?,
            None => (0..difference.deltas().len()).collect(),
        };
        let found = search.find(&wanted.first, &all);
        if let Some(fault) = search.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(fault);
        }
        let chosen = match found {
            Ok(chosen) => chosen,
            Err(why) => return Ok(Found::Nothing(why)),
        };
        let of = |name: &Name| variable(&frames, name);
        let aliases: Vec<BTreeSet<Variable>> =
            chosen.iter().map(|&number| difference.aliases(number).iter().map(of).collect()).collect();
        let variables = chosen.iter().map(|&number| of(difference.deltas()[number].place())).collect();
        let picture =
            wanted.with_picture.then(|| picture::Picture::of(&passing, &failing, &difference, &chosen));
        Ok(Found::Relevant(Box::new(Isolated {
            variables,
            aliases,
            values: chosen.iter().filter_map(|&number| difference.values(number)).collect(),
            words: chosen.iter().map(|&number| difference.words(number)).collect(),
            commands: difference.commands(&chosen),
            differences: difference.deltas().len(),
            left_out: difference.left_out(),
            vertices: failing.len(),
            is_whole: passing.is_whole() && failing.is_whole(),
            frames,
            picture,
        })))
    }
}

/// Returns the functions of the active frames of a state, innermost first.
pub(crate) fn functions(graph: &Graph) -> Vec<String> {
    graph.frames().iter().map(|frame| frame.function.clone()).collect()
}

/// Returns the variable of a name, among frames of these functions.
pub(crate) fn variable(frames: &[String], name: &Name) -> Variable {
    let function = name.frame.and_then(|frame| frames.get(frame as usize)).cloned().unwrap_or_default();
    Variable { function, expression: name.text.clone() }
}

/// The search at one point.
struct Search<'s, 'g> {
    pair: &'s Pair<'s>,
    at: &'s Point,
    difference: &'s Difference<'g>,
    later: Option<&'s Later<'s>>,
    fault: Mutex<Option<Fault>>,
    /// The reason why the debugger ended the last run, if it did.
    stuck: Mutex<Option<String>>,
}

impl Search<'_, '_> {
    /// Returns the numbers of the deltas that make the run fail, or the reason why there are none.
    fn find(&self, first: &[(usize, BTreeSet<Variable>)], all: &[usize]) -> Result<Vec<usize>, String> {
        if all.is_empty() {
            return Err(match self.difference.left_out() {
                0 => SAME.to_owned(),
                _ => "no difference of the states can be applied".to_owned(),
            });
        }
        let frames: Vec<String> = self.functions();
        for (count, wanted) in first {
            let some = |number: &usize| {
                let names = self.difference.aliases(*number);
                names.iter().any(|name| wanted.contains(&variable(&frames, name)))
            };
            let tried: Vec<usize> = all.iter().copied().filter(some).collect();
            if !tried.is_empty() && self.test(&tried).is_interesting() {
                // Each was needed at the moment from which it comes.
                return if tried.len() <= *count { Ok(tried) } else { self.narrow(&tried) };
            }
        }
        let stuck = || self.stuck.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Discard a reason that was left by an earlier run.
        let _ = stuck();
        match self.test(all) {
            Verdict::Interesting => self.narrow(all),
            Verdict::Uninteresting => self.some(all, "the run still passes with the failing state"),
            Verdict::Unresolved(_) => {
                let why = stuck().map(|why| format!(": {why}")).unwrap_or_default();
                self.some(all, &format!("the failing state cannot be applied{why}"))
            }
        }
    }

    fn functions(&self) -> Vec<String> {
        self.difference.frames().iter().map(|frame| frame.function.clone()).collect()
    }

    /// Minimizes deltas that make the run fail, with dd.
    fn narrow(&self, deltas: &[usize]) -> Result<Vec<usize>, String> {
        if let [_] = deltas {
            return Ok(deltas.to_vec());
        }
        let test = |config: &[usize]| self.test(config);
        match dd::dd(deltas, dd::parallel(self.pair.jobs, test)) {
            // Deltas that already pass are not part of the difference, but may be needed for it.
            Ok(found) if found.passing.is_empty() => Ok(found.difference),
            Ok(found) if self.test(&found.difference).is_interesting() => Ok(found.difference),
            Ok(_) => match dd::ddmin(deltas, dd::parallel(self.pair.jobs, test)) {
                Ok(smallest) => Ok(smallest),
                Err(error) => Err(error.to_string()),
            },
            Err(dd::Error::NotPassing) => Err("the passing run does not pass at this point".to_owned()),
            Err(dd::Error::NotFailing) => Err("the run does not fail with the failing state".to_owned()),
        }
    }

    /// Searches for a subset that makes the run fail if all deltas together do not, since creating an object
    /// for one delta may disturb another. New objects are omitted first, and then each delta is tested alone.
    fn some(&self, all: &[usize], reason: &str) -> Result<Vec<usize>, String> {
        let deltas = self.difference.deltas();
        let is_made = |number: &&usize| matches!(deltas[**number], Delta::New { .. });
        let given: Vec<usize> = all.iter().filter(|number| !is_made(number)).copied().collect();
        if given.len() < all.len() && self.test(&given).is_interesting() {
            return self.narrow(&given);
        }
        let mut tried = all.iter().take(TUNING.alone);
        let found = tried.find(|&&number| self.test(&[number]).is_interesting());
        found.map(|&number| vec![number]).ok_or_else(|| reason.to_owned())
    }

    fn test(&self, deltas: &[usize]) -> Verdict {
        if deltas.is_empty() {
            // This is the passing run.
            return Verdict::Uninteresting;
        }
        let commands = self.difference.commands(deltas);
        let verdict = self.once(format!("{:?}", self.at), &commands, || {
            let run = self.pair.passing.changed(self.at, &commands)?;
            self.stuck.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&run.stuck);
            Ok(self.pair.failure.verdict(&run))
        });
        let Some(later) = self.later.filter(|_| verdict.is_interesting()) else { return verdict };
        self.once(format!("{:?} {:?}", self.at, later.points), &commands, || {
            Ok(match self.pair.effect(&commands, later)? {
                Some(Effect::Nothing) => Verdict::Uninteresting,
                Some(Effect::Other | Effect::Same) => Verdict::Interesting,
                None => Verdict::Unresolved(Cause::Test),
            })
        })
    }

    /// Returns a known verdict, or determines it; unresolved if that is impossible.
    fn once(
        &self,
        at: String,
        commands: &[String],
        find: impl FnOnce() -> Result<Verdict, Fault>,
    ) -> Verdict {
        let known = || self.pair.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (at, commands.to_vec());
        if let Some(verdict) = known().get(&key) {
            return *verdict;
        }
        let fault = || self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault().is_some() {
            return Verdict::Unresolved(Cause::Test);
        }
        match find() {
            Ok(verdict) => {
                known().insert(key, verdict);
                verdict
            }
            Err(error) => {
                fault().get_or_insert(error);
                Verdict::Unresolved(Cause::Test)
            }
        }
    }
}

/// Tuned constants.
struct Tuning {
    /// The maximum number of deltas that are tested alone.
    alone: usize,
}

const TUNING: Tuning = Tuning { alone: 12 };
