//! The pool of wardens: they are started on demand, used for many probes, and ended.

mod lab;
mod log;

use super::Helper;
use super::message::{Answer, Ending, Setup};
use crate::Error;
use crate::limits::Protection;
use crate::patience::lock;
use crate::pause::Pause;
use crate::trace::Trace;
use crate::work_directory::{self, Content, Paths};
use lab::{Stage, Warden, hunt};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// The maximum number of wardens that are started for one probe: one can have been chosen by the system
    /// because memory ran out. Wardens that died while idle are not counted.
    wardens_for_a_probe: usize,
    /// After this many processes in a row that were not ready for their candidate, no more are started early.
    most_unready: usize,
}

const TUNING: Tuning = Tuning { wardens_for_a_probe: 2, most_unready: 3 };

/// Idle wardens with the same configuration; each runs one probe at a time.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Mutex<Vec<Warden>>,
    /// The number of times that all wardens were released.
    generation: AtomicUsize,
    protection: OnceLock<Protection>,
    /// The number of processes in a row that were not ready for their candidate.
    unready: AtomicUsize,
}

/// The input and the environment of a probe.
pub(crate) struct Place<'p> {
    pub content: Content<'p>,
    pub is_kept: bool,
    /// Whether the process is started before the candidate is available.
    pub is_prestarted: bool,
    /// Whether a server is asked about one candidate only, so that the next server is started after the
    /// probe.
    pub is_asked_once: bool,
    pub work_root: &'p Path,
    pub limit: Duration,
}

/// The reason why a warden gave no answer.
enum Broken {
    /// It has died.
    Dead(io::Error),
    /// The failure does not depend on this warden.
    Other(Error),
}

impl Pool {
    /// Returns the protection that the first warden found; `None` before a warden has been started.
    pub fn protection(&self) -> Option<Protection> {
        self.protection.get().copied()
    }

    /// Uses the protection that wardens of another pool found.
    pub fn knows(&self, protection: Protection) {
        let _ = self.protection.set(protection);
    }

    /// Releases all wardens: idle ones now, busy ones after their probe. Later probes start new wardens.
    pub fn forget(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
        let free = std::mem::take(&mut *lock(&self.free));
        drop(free);
    }

    /// Returns the files that the last probe opened, if they were traced.
    pub fn trace(&self) -> Option<Trace> {
        let free = lock(&self.free);
        let notes = free.last()?.notes.as_ref()?;
        let length = notes.metadata().ok()?.len();
        serde_json::from_slice(&work_directory::tail(notes, length, length).ok()?).ok()
    }

    /// Runs a probe, and passes the answer and the outputs to `read`.
    ///
    /// # Errors
    /// Returns an error if no warden can run it.
    pub fn probe<T>(
        &self,
        start: impl Fn(&Paths) -> (Helper, Setup),
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
        read: impl Fn(Answer, [&File; 2]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut started = 0;
        let generation = self.generation.load(Ordering::Relaxed);
        loop {
            let free = if place.is_prestarted { self.most_ready() } else { lock(&self.free).pop() };
            let mut warden = if let Some(warden) = free {
                warden
            } else {
                started += 1;
                self.start(&start, place.work_root)?
            };
            if place.is_prestarted && warden.stage == Stage::Starts {
                match warden.ready(place.limit, &is_unwanted, pause) {
                    Err(Broken::Other(Error::Interrupted)) => {
                        // The next probe can use it.
                        lock(&self.free).insert(0, warden);
                        return Err(Error::Interrupted);
                    }
                    ready => self.count_ready(ready.is_ok_and(|ending| ending == Ending::Waits)),
                }
            }
            let mut told = warden.probe(place, &is_unwanted, pause);
            if matches!(&told, Ok(answer) if answer.ending.is_lost()) {
                // The question is repeated with a fresh server, because the last one can have been in a bad
                // state.
                told = warden.probe(place, &is_unwanted, pause);
            }
            match told {
                Ok(answer) => {
                    let told = read(answer, [&warden.outputs[0], &warden.outputs[1]]);
                    if self.generation.load(Ordering::Relaxed) == generation {
                        if place.is_asked_once {
                            let _ = warden.begin_server(place.limit);
                        }
                        if place.is_prestarted && self.unready.load(Ordering::Relaxed) < TUNING.most_unready {
                            let _ = warden.begin(place);
                        }
                        lock(&self.free).push(warden);
                    }
                    return told;
                }
                Err(Broken::Other(error)) => return Err(error),
                Err(Broken::Dead(error)) => {
                    drop(warden);
                    if started >= TUNING.wardens_for_a_probe {
                        return Err(Error::Warden(error));
                    }
                }
            }
        }
    }

    /// Starts a server for one later candidate, without waiting for it.
    ///
    /// # Errors
    /// Returns an error if no warden can do this.
    pub fn begin_server(
        &self,
        start: impl Fn(&Paths) -> (Helper, Setup),
        place: &Place<'_>,
    ) -> Result<(), Error> {
        let mut warden = self.start(&start, place.work_root)?;
        warden.begin_server(place.limit).map_err(Error::Warden)?;
        lock(&self.free).push(warden);
        Ok(())
    }

    /// Starts a process in advance, and returns whether it is ready for a candidate, or how it ended.
    ///
    /// # Errors
    /// Returns an error if no warden can do this.
    pub fn get_ready(
        &self,
        start: impl Fn(&Paths) -> (Helper, Setup),
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Ending, Error> {
        let mut warden = self.start(&start, place.work_root)?;
        warden.begin(place).map_err(Error::directory(place.work_root))?;
        match warden.ready(place.limit, &is_unwanted, pause) {
            Ok(ending) => {
                lock(&self.free).push(warden);
                Ok(ending)
            }
            Err(Broken::Other(error)) => Err(error),
            Err(Broken::Dead(error)) => Err(Error::Warden(error)),
        }
    }

    /// Returns the idle warden whose process has been ready for the longest time, or otherwise the warden
    /// whose process was started first.
    fn most_ready(&self) -> Option<Warden> {
        let mut free = lock(&self.free);
        for warden in free.iter_mut() {
            if let Some(is_ready) = warden.listen() {
                self.count_ready(is_ready);
            }
        }
        let waiting = free.iter().position(|warden| warden.stage == Stage::Waits);
        let next = waiting.or(if free.is_empty() { None } else { Some(0) })?;
        Some(free.remove(next))
    }

    fn count_ready(&self, is_ready: bool) {
        if is_ready {
            self.unready.store(0, Ordering::Relaxed);
        } else {
            self.unready.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn start(&self, start: impl Fn(&Paths) -> (Helper, Setup), work_root: &Path) -> Result<Warden, Error> {
        let place = work_root.canonicalize().map_err(Error::directory(work_root))?;
        if self.protection.get().is_none() {
            // Before the first warden is started, the leftovers of earlier runs are removed.
            for lost in work_directory::abandoned(&place) {
                hunt(lost.paths().tmp());
            }
        }
        let paths = Paths::plan(&place);
        let (helper, setup) = start(&paths);
        let (warden, protection) = Warden::start(&helper, &setup, paths, work_root)?;
        let _ = self.protection.set(protection);
        Ok(warden)
    }
}

impl Drop for Pool {
    /// Signals the end to all wardens before waiting for each of them.
    fn drop(&mut self) {
        for warden in lock(&self.free).iter() {
            warden.let_go();
        }
    }
}
