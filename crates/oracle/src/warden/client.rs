//! Nubbin's side of the wardens: they are started when they are needed, used again and again, and let go of.
//!
//! It judges nothing: what a probe came to is told as the warden told it.

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

/// The numbers that were tuned.
struct Tuning {
    /// At most this many new wardens are tried for one probe: a system that is out of memory may have chosen one to end.
    /// Those that died while they had nothing to do do not count.
    wardens_for_a_probe: usize,
    /// So many processes in a row that do not wait for their candidate, and no more are started ahead.
    most_unready: usize,
}

const TUNING: Tuning = Tuning { wardens_for_a_probe: 2, most_unready: 3 };

/// Wardens that were told the same, for one probe at a time each.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Mutex<Vec<Warden>>,
    /// The number of times that all wardens were let go.
    generation: AtomicUsize,
    protection: OnceLock<Protection>,
    /// The number of processes in a row that did not wait for their candidate.
    unready: AtomicUsize,
}

/// The input of a probe, and the place in which it runs.
pub(crate) struct Place<'p> {
    pub content: Content<'p>,
    pub is_kept: bool,
    /// The process is started before the candidate is there.
    pub is_prestarted: bool,
    /// A server is asked about one candidate only, so the next one gets ready after it.
    pub is_asked_once: bool,
    pub work_root: &'p Path,
    pub limit: Duration,
}

/// The reason why a warden gave no answer.
enum Broken {
    /// It is dead.
    Dead(io::Error),
    /// It can do nothing for it.
    Other(Error),
}

impl Pool {
    /// The protection that the first warden found; `None` where none has been started yet.
    pub fn protection(&self) -> Option<Protection> {
        self.protection.get().copied()
    }

    /// Takes over which protection other wardens found.
    pub fn knows(&self, protection: Protection) {
        let _ = self.protection.set(protection);
    }

    /// Lets all wardens go, those at work once they are free: the next probe starts another one.
    pub fn forget(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
        let free = std::mem::take(&mut *lock(&self.free));
        drop(free);
    }

    /// Returns the notes about the files that the last probe opened, if they were asked for.
    pub fn trace(&self) -> Option<Trace> {
        let free = lock(&self.free);
        let notes = free.last()?.notes.as_ref()?;
        let length = notes.metadata().ok()?.len();
        serde_json::from_slice(&work_directory::tail(notes, length, length).ok()?).ok()
    }

    /// Runs a probe, and hands the answer with the outputs to `read`.
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
                        // The next one has use for it.
                        lock(&self.free).insert(0, warden);
                        return Err(Error::Interrupted);
                    }
                    ready => self.count_ready(ready.is_ok_and(|ending| ending == Ending::Waits)),
                }
            }
            let mut told = warden.probe(place, &is_unwanted, pause);
            if matches!(&told, Ok(answer) if answer.ending.is_lost()) {
                // It is asked again with a fresh server: the last one may have been worn out.
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

    /// Starts a server that is asked about one candidate which comes later. It is not waited for.
    ///
    /// # Errors
    /// Returns an error if no warden can do so.
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

    /// Starts a process that waits for a candidate, and returns whether it does, or what else has become of it.
    ///
    /// # Errors
    /// Returns an error if no warden can do so.
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

    /// Returns the free warden whose process has waited longest, or else the one that is likely to be ready next.
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
            // It is the first one: what was left there in earlier days is found before there is more.
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
    /// Tells all of them before it waits for each.
    fn drop(&mut self) {
        for warden in lock(&self.free).iter() {
            warden.let_go();
        }
    }
}
