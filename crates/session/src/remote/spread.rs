//! Distributes runs between this machine and a cluster.
//!
//! The oracle judges the results of both. A failed request gives no verdict; the candidate is run again.

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

/// Tuned parameters.
struct Tuning {
    /// The time between two checks whether a waiting caller still needs its run.
    tick: Duration,
    /// The number of recorded durations.
    remembered: usize,
    /// The largest number of candidates in one action.
    most_together: u32,
    /// The time that an action waits for other candidates: a small part of the overhead that they save.
    gather: Duration,
}

const TUNING: Tuning = Tuning {
    tick: Duration::from_millis(5),
    remembered: 16,
    most_together: 8,
    gather: Duration::from_millis(4),
};

/// Runs candidates where a slot is free: first locally, then on the cluster.
#[derive(Debug)]
pub(crate) struct Spread {
    there: CommandOracle,
    shipped: Shipped,
    place: Arc<dyn Place>,
    endpoint: String,
    when_gone: WhenGone,
    voice: Voice,
    stop: Arc<AtomicBool>,
    /// The number of local runs; zero if none are made while the cluster responds.
    most_here: usize,
    /// The number of local runs after the cluster was lost.
    all_here: usize,
    /// The number of actions on the cluster.
    most_there: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    here: usize,
    there: usize,
    /// The cluster is no longer used.
    is_gone: bool,
    /// The warning about waiting for the cluster was printed.
    is_waited_for: bool,
    /// The current limit of actions on the cluster.
    limit: Limit,
    /// The number of candidates in one action.
    together: usize,
    /// An action that other candidates can still join.
    open: Option<Arc<Group>>,
    /// The durations of the last local runs.
    took_here: VecDeque<Duration>,
    /// The overheads of the last requests.
    ways: VecDeque<Duration>,
}

/// Candidates that share an action.
#[derive(Debug, Default)]
struct Group {
    members: Mutex<Members>,
}

#[derive(Debug, Default)]
struct Members {
    all: Vec<Member>,
    is_closed: bool,
    /// The result of each candidate, or `None` if each must be run alone.
    came: Option<Result<Option<Vec<Run>>, Arc<Error>>>,
}

#[derive(Debug)]
struct Member {
    candidate: Vec<u8>,
    is_unwanted: Arc<AtomicBool>,
}

/// A slot for a run.
enum Turn {
    Here,
    There,
    /// A place in an action that another thread sends.
    Along(Arc<Group>, usize, Arc<AtomicBool>),
    /// An action that other candidates can join.
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

    /// Ends all runs on the cluster once the flag is set.
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Chooses the number of candidates in one action from the initial runs.
    pub fn settle(&self, took: Duration) {
        let mut state = lock(&self.state);
        let way = mean(&state.ways);
        if self.most_here == 0 && !took.is_zero() {
            let times = way.as_secs_f64() / took.as_secs_f64();
            state.together = (times.round() as usize).clamp(1, TUNING.most_together as usize);
        }
    }

    /// Returns the number of runs that are useful at the same time.
    pub fn jobs(&self) -> usize {
        (self.most_here + self.most_there * lock(&self.state).together).max(1)
    }

    /// Returns the number of runs that are useful at the same time under the current load of the cluster.
    pub fn room(&self) -> usize {
        let state = lock(&self.state);
        if state.is_gone {
            return self.all_here;
        }
        self.most_here + state.limit.get() * state.together
    }

    /// Describes where runs are made.
    pub fn told(&self) -> String {
        let state = lock(&self.state);
        let way = text::time(mean(&state.ways));
        let each = match state.together {
            1 => String::new(),
            several => format!(" with {several} candidates each"),
        };
        format!(
            "note: up to {} on `{}`{each} and {} locally; the round trip takes {way}",
            text::counted(self.most_there, "action"),
            self.endpoint,
            text::counted(self.most_here, "run"),
        )
    }

    /// Runs a shell on the cluster that exits with this status.
    ///
    /// # Errors
    /// Returns an error if the cluster does not respond.
    pub fn exit(&self, status: i32) -> Result<Status, Error> {
        let errand = self.there.errand(b"");
        let mut action = self.shipped.action(&errand);
        action.words = vec!["sh".into(), "-c".into(), format!("exit {status}").into()];
        action.fresh = true;
        self.place.run(&action, &|| self.is_stopped()).map(|done| shipped::status(&done))
    }

    /// Runs a candidate on the cluster before anything is known about it.
    ///
    /// # Errors
    /// Returns an error if the cluster does not respond, or the program is stopped.
    pub fn first(&self, candidate: &[u8]) -> Result<CommandRun, Error> {
        self.alone(candidate, &|| self.is_stopped(), true)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs a candidate on the cluster in a separate action. A timeout must occur twice to count.
    ///
    /// # Errors
    /// Returns an error if the cluster does not respond, or the run is no longer needed.
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

    /// Runs candidates in turn in one action. Returns `None` if each must be run alone.
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

    /// Records a response and its overhead, which is ignored if the request was repeated.
    fn learn(&self, done: &Done) {
        let mut state = lock(&self.state);
        state.is_waited_for = false;
        if !done.cached && done.tries == 1 {
            let way = done.round_trip.saturating_sub(done.elapsed);
            remember(&mut state.ways, way);
            state.limit.learn(way, done.elapsed);
        }
    }

    /// Runs a candidate where a slot is free. `here` is the local test.
    ///
    /// # Errors
    /// Returns an error if the run is no longer needed, or cannot be made locally.
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

    /// Waits for a slot: locally if required, if one is free, or if the overhead of the cluster exceeds the time of a
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

    /// Sends an action with all candidates that have joined it.
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

    /// Waits for the result of a candidate in a shared action. Returns `None` if it must be run alone.
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

    /// Handles a cluster that does not respond.
    fn trouble(&self, error: &Error) {
        let mut state = lock(&self.state);
        if self.when_gone == WhenGone::Wait && matches!(error, Error::Gone { .. }) {
            if !std::mem::replace(&mut state.is_waited_for, true) {
                self.voice.say(&format!("warning: {error}; waiting for the cluster"));
            }
            return;
        }
        if !std::mem::replace(&mut state.is_gone, true) {
            self.voice.say(&format!("warning: {error}; continuing locally"));
        }
        self.changed.notify_all();
    }
}

impl State {
    /// Returns whether a local run takes less time than the overhead of the cluster.
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
