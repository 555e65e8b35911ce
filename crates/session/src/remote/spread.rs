//! Runs here and on a cluster, side by side.
//!
//! It makes no verdicts: the oracle judges what came of a run, wherever it was. What is no answer is no verdict: then the
//! candidate is run again, there or here.

use super::limit::Limit;
use super::several::{self, Run};
use super::shipped::{self, Shipped};
use super::{Place, Remote, WhenGone};
use crate::settings::Settings;
use crate::text;
use crate::voice::Voice;
use nubbin_oracle::{CommandOracle, CommandRun, Errand, NoVerdict, Oracle, Status, Verdict};
use nubbin_remote::{Action, Done, Error};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// The time between two checks whether a caller that waits still wants its run.
    tick: Duration,
    /// The number of durations that are remembered.
    remembered: usize,
    /// At most so many candidates go in one action.
    most_together: u32,
    /// An action waits so long for others to come along: a small part of the way that they save.
    gather: Duration,
}

const TUNING: Tuning = Tuning {
    tick: Duration::from_millis(5),
    remembered: 16,
    most_together: 8,
    gather: Duration::from_millis(4),
};

/// Runs candidates where there is room: here first, then on the cluster.
#[derive(Debug)]
pub(crate) struct Spread {
    there: CommandOracle,
    shipped: Shipped,
    place: Arc<dyn Place>,
    endpoint: String,
    when_gone: WhenGone,
    voice: Voice,
    stop: Arc<AtomicBool>,
    /// The number of runs that may go on here; zero if none does while the cluster answers.
    most_here: usize,
    /// The number of runs that may go on here once the cluster is gone.
    all_here: usize,
    /// The number of actions that may go on there.
    most_there: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    here: usize,
    there: usize,
    /// The cluster is no longer asked.
    is_gone: bool,
    /// It was said that the cluster is waited for.
    is_waited_for: bool,
    /// The number of actions that may go on there.
    limit: Limit,
    /// The number of candidates that go in one action.
    together: usize,
    /// An action that others may still come along with.
    open: Option<Arc<Group>>,
    /// The durations of the last runs here.
    took_here: VecDeque<Duration>,
    /// The last times that it took beside the runs to ask the cluster.
    ways: VecDeque<Duration>,
}

/// Candidates that go in one action.
#[derive(Debug, Default)]
struct Group {
    members: Mutex<Members>,
}

#[derive(Debug, Default)]
struct Members {
    all: Vec<Member>,
    is_closed: bool,
    /// The result: a run for each; nothing if each has to be run by itself.
    came: Option<Result<Option<Vec<Run>>, Arc<Error>>>,
}

#[derive(Debug)]
struct Member {
    candidate: Vec<u8>,
    is_unwanted: Arc<AtomicBool>,
}

/// A turn in one of the two places.
enum Turn {
    Here,
    There,
    /// A place in an action that somebody else sends.
    Along(Arc<Group>, usize, Arc<AtomicBool>),
    /// An action that others may come along with.
    Ahead(Arc<Group>, Arc<AtomicBool>),
}

impl Spread {
    pub fn new(
        settings: &Settings,
        remote: &Remote,
        there: CommandOracle,
        shipped: Shipped,
        place: Arc<dyn Place>,
    ) -> Self {
        Self {
            there,
            shipped,
            place,
            endpoint: remote.address.endpoint.clone(),
            when_gone: remote.when_gone,
            voice: settings.voice.clone(),
            stop: Arc::default(),
            most_here: if remote.is_alone { 0 } else { settings.jobs },
            all_here: settings.jobs.max(1),
            most_there: remote.jobs,
            state: Mutex::new(State {
                here: 0,
                there: 0,
                is_gone: false,
                is_waited_for: false,
                limit: Limit::new(remote.jobs),
                together: 1,
                open: None,
                took_here: VecDeque::new(),
                ways: VecDeque::new(),
            }),
            changed: Condvar::new(),
        }
    }

    /// Ends all runs there once this is set.
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Decides from the first runs how many candidates go in one action.
    pub fn settle(&self, took: Duration) {
        let mut state = lock(&self.state);
        let way = mean(&state.ways);
        if self.most_here == 0 && !took.is_zero() {
            let times = way.as_secs_f64() / took.as_secs_f64();
            state.together = (times.round() as usize).clamp(1, TUNING.most_together as usize);
        }
    }

    /// Returns the number of runs that are of use at once.
    pub fn jobs(&self) -> usize {
        (self.most_here + self.most_there * lock(&self.state).together).max(1)
    }

    /// Returns the number of runs that are of use at once as long as the cluster is as busy as it is.
    pub fn room(&self) -> usize {
        let state = lock(&self.state);
        if state.is_gone {
            return self.all_here;
        }
        self.most_here + state.limit.get() * state.together
    }

    /// Returns a sentence about where the runs go.
    pub fn told(&self) -> String {
        let state = lock(&self.state);
        let way = text::time(mean(&state.ways));
        let each = match state.together {
            1 => String::new(),
            several => format!(", {several} candidates in each"),
        };
        format!(
            "note: up to {} on `{}`{each}, and {} here; the way there and back takes {way}",
            text::counted(self.most_there, "action"),
            self.endpoint,
            text::counted(self.most_here, "run"),
        )
    }

    /// Runs a shell there that exits with this status.
    ///
    /// # Errors
    /// Returns an error if the cluster gives no answer.
    pub fn exit(&self, status: i32) -> Result<Status, Error> {
        let errand = self.there.errand(b"");
        let mut action = self.shipped.action(&errand);
        action.words = vec!["sh".into(), "-c".into(), format!("exit {status}").into()];
        action.fresh = true;
        self.place.run(&action, &|| self.is_stopped()).map(|done| shipped::status(&done))
    }

    /// Runs a candidate there before anything is known of the cluster.
    ///
    /// # Errors
    /// Returns an error if the cluster gives no answer, or the run of the program is stopped.
    pub fn first(&self, candidate: &[u8]) -> Result<CommandRun, Error> {
        self.alone(candidate, &|| self.is_stopped(), true)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs a candidate there, in an action of its own. That it runs out of time counts if it does so twice.
    ///
    /// # Errors
    /// Returns an error if the cluster gives no answer, or the run is no longer wanted.
    fn alone(
        &self,
        candidate: &[u8],
        is_unwanted: &(dyn Fn() -> bool + Sync),
        is_fresh: bool,
    ) -> Result<CommandRun, Error> {
        let errand = self.there.errand(candidate);
        let mut action = self.shipped.action(&errand);
        action.words = self.shipped.pack(&errand, Path::new(""), &mut action);
        action.directory.clone_from(&errand.directory);
        action.fresh = is_fresh;
        let mut done = self.place.run(&action, is_unwanted)?;
        if shipped::status(&done) == Status::TimedOut {
            action.fresh = true;
            done = self.place.run(&action, is_unwanted)?;
        }
        self.learn(&done);
        let status = shipped::status(&done);
        if status != Status::TimedOut {
            self.there.took_elsewhere(done.elapsed);
        }
        Ok(self.there.done(candidate, status, [done.stdout, done.stderr], done.elapsed))
    }

    /// Runs candidates there one after the other in one action; nothing if each has to be run by itself.
    fn together(
        &self,
        candidates: &[Vec<u8>],
        is_unwanted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<Run>>, Error> {
        let errands: Vec<Errand<'_>> = candidates.iter().map(|one| self.there.errand(one)).collect();
        let Some(first) = errands.first() else { return Ok(None) };
        let number = u32::try_from(errands.len()).unwrap_or(u32::MAX);
        let mut action: Action<'_> = self.shipped.action(first);
        action.limit *= number;
        action.most_output = (2 * action.most_output + 64) * u64::from(number);
        let mut words = Vec::new();
        for (at, errand) in errands.iter().enumerate() {
            words = self.shipped.pack(errand, Path::new(&at.to_string()), &mut action);
        }
        let directory = first.directory.join(".").into_os_string();
        action.words = ["sh", "-c", several::SCRIPT, "sh", &number.to_string()].map(Into::into).into();
        action.words.extend([directory, first.most_output.to_string().into()]);
        action.words.extend(words);
        let done = self.place.run(&action, is_unwanted)?;
        self.learn(&done);
        if shipped::status(&done) != Status::Exit(0) {
            return Ok(None);
        }
        let runs = several::read(&done.stdout, candidates.len(), done.elapsed);
        if let Some(run) = runs.as_ref().and_then(|runs| runs.first()) {
            self.there.took_elsewhere(run.elapsed);
        }
        Ok(runs)
    }

    /// Takes note of an answer: how long the way was, and that the cluster is there. The way with a trouble on it says nothing.
    fn learn(&self, done: &Done) {
        let mut state = lock(&self.state);
        state.is_waited_for = false;
        if !done.cached && done.tries == 1 {
            let way = done.round_trip.saturating_sub(done.elapsed);
            remember(&mut state.ways, way);
            state.limit.learn(way, done.elapsed);
        }
    }

    /// Runs a candidate where there is room; `here` is the test on this machine.
    ///
    /// # Errors
    /// Returns an error if it is no longer wanted, or cannot be run here.
    pub fn ask(
        &self,
        candidate: &[u8],
        cancelled: &AtomicBool,
        here: &dyn Oracle,
    ) -> Result<Verdict, NoVerdict> {
        let is_unwanted = || cancelled.load(Ordering::Relaxed) || self.is_stopped();
        let (mut is_here, mut is_alone) = (false, false);
        loop {
            let turn = self.turn(candidate, is_here, is_alone, &is_unwanted)?;
            let came = match turn {
                Turn::Here => {
                    let start = Instant::now();
                    let said = here.probe_unless(candidate, cancelled);
                    let mut state = lock(&self.state);
                    state.here -= 1;
                    if said.is_ok() {
                        remember(&mut state.took_here, start.elapsed());
                    }
                    self.changed.notify_all();
                    return said;
                }
                Turn::There => {
                    let run = self.alone(candidate, &is_unwanted, false);
                    self.leave();
                    run.map(|run| Some(run.verdict)).map_err(Arc::new)
                }
                Turn::Ahead(group, own) => {
                    self.lead(&group, &own, &is_unwanted);
                    self.came(&group, 0, candidate, &own, &is_unwanted)
                }
                Turn::Along(group, at, own) => self.came(&group, at, candidate, &own, &is_unwanted),
            };
            match came {
                Ok(Some(verdict)) => return Ok(verdict),
                Ok(None) => is_alone = true,
                Err(error) => match &*error {
                    Error::Unwanted => return Err(NoVerdict::Interrupted),
                    Error::Lost { .. } => is_here = true,
                    error => self.trouble(error),
                },
            }
        }
    }

    /// Waits for a turn: here if it has to be, or if there is room, or if the way to the cluster takes longer than a
    /// run.
    fn turn(
        &self,
        candidate: &[u8],
        is_here: bool,
        is_alone: bool,
        is_unwanted: &dyn Fn() -> bool,
    ) -> Result<Turn, NoVerdict> {
        let mut state = lock(&self.state);
        loop {
            if is_unwanted() {
                return Err(NoVerdict::Interrupted);
            }
            let most_here = if state.is_gone || is_here { self.all_here } else { self.most_here };
            if state.here < most_here {
                state.here += 1;
                return Ok(Turn::Here);
            }
            let stays = state.is_gone || is_here || self.most_here > 0 && state.is_short();
            if !stays && let Some(turn) = self.turn_there(&mut state, candidate, is_alone) {
                return Ok(turn);
            }
            let waited = self.changed.wait_timeout(state, TUNING.tick);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn turn_there(&self, state: &mut State, candidate: &[u8], is_alone: bool) -> Option<Turn> {
        let is_single = is_alone || state.together == 1;
        let own = Arc::<AtomicBool>::default();
        let member = || Member { candidate: candidate.to_vec(), is_unwanted: Arc::clone(&own) };
        if !is_single && let Some(group) = &state.open {
            let mut members = lock(&group.members);
            if !members.is_closed && members.all.len() < state.together {
                members.all.push(member());
                let at = members.all.len() - 1;
                self.changed.notify_all();
                return Some(Turn::Along(Arc::clone(group), at, own));
            }
        }
        if state.there >= state.limit.get() {
            return None;
        }
        state.there += 1;
        if is_single {
            return Some(Turn::There);
        }
        let group = Arc::<Group>::default();
        lock(&group.members).all.push(member());
        state.open = Some(Arc::clone(&group));
        Some(Turn::Ahead(group, own))
    }

    fn leave(&self) {
        lock(&self.state).there -= 1;
        self.changed.notify_all();
    }

    /// Sends an action with whoever comes along.
    fn lead(&self, group: &Arc<Group>, own: &AtomicBool, is_unwanted: &(dyn Fn() -> bool + Sync)) {
        let start = Instant::now();
        let mut state = lock(&self.state);
        while lock(&group.members).all.len() < state.together
            && let Some(left) = TUNING.gather.checked_sub(start.elapsed())
        {
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        let (candidates, flags): (Vec<Vec<u8>>, Vec<Arc<AtomicBool>>) = {
            let mut members = lock(&group.members);
            members.is_closed = true;
            members.all.iter().map(|one| (one.candidate.clone(), Arc::clone(&one.is_unwanted))).unzip()
        };
        let nobody = || {
            own.store(is_unwanted(), Ordering::Relaxed);
            flags.iter().all(|flag| flag.load(Ordering::Relaxed))
        };
        let came = self.together(&candidates, &nobody).map_err(Arc::new);
        lock(&group.members).came = Some(came);
        self.leave();
    }

    /// Waits for what comes of a member of a group; nothing if it has to be run by itself.
    fn came(
        &self,
        group: &Group,
        at: usize,
        candidate: &[u8],
        own: &AtomicBool,
        is_unwanted: &dyn Fn() -> bool,
    ) -> Result<Option<Verdict>, Arc<Error>> {
        loop {
            if let Some(came) = lock(&group.members).came.clone() {
                let Some(runs) = came? else { return Ok(None) };
                let Run { status, outputs, elapsed } = runs[at].clone();
                return Ok(Some(self.there.done(candidate, status, outputs, elapsed).verdict));
            }
            if is_unwanted() {
                own.store(true, Ordering::Relaxed);
                return Err(Arc::new(Error::Unwanted));
            }
            let state = lock(&self.state);
            drop(self.changed.wait_timeout(state, TUNING.tick));
        }
    }

    /// Takes note that the cluster gives no answer.
    fn trouble(&self, error: &Error) {
        let mut state = lock(&self.state);
        if self.when_gone == WhenGone::Wait && matches!(error, Error::Gone { .. }) {
            if !std::mem::replace(&mut state.is_waited_for, true) {
                self.voice.say(&format!("warning: {error}; the run waits for it"));
            }
            return;
        }
        if !std::mem::replace(&mut state.is_gone, true) {
            self.voice.say(&format!("warning: {error}; the run goes on here, without it"));
        }
        self.changed.notify_all();
    }
}

impl State {
    /// Tells whether a run here takes less time than the way to the cluster.
    fn is_short(&self) -> bool {
        !self.took_here.is_empty() && !self.ways.is_empty() && mean(&self.took_here) < mean(&self.ways)
    }
}

fn remember(last: &mut VecDeque<Duration>, time: Duration) {
    if last.len() == TUNING.remembered {
        last.pop_front();
    }
    last.push_back(time);
}

fn mean(last: &VecDeque<Duration>) -> Duration {
    let number = u32::try_from(last.len().max(1)).unwrap_or(u32::MAX);
    last.iter().sum::<Duration>() / number
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
