//! The wardens that there are, and who sits where.

use super::Helper;
use super::client::{Asker, Broken, Place, Seat, TICK, Warden, hunt};
use super::message::{Answer, Ending, SEATS, Setup};
use crate::oracle::Error;
use crate::oracle::lab::{self, Root};
use crate::oracle::patience::lock;
use crate::oracle::pause::Pause;
use std::fs::File;
use std::path::Path;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

/// How many wardens may die during one probe: it may have been chosen by a system that is out of memory.
const LIVES: usize = 2;

/// Wardens that were told the same, for one running probe each, and one that is ready to run.
#[derive(Debug, Default)]
pub(in crate::oracle) struct Pool {
    state: Mutex<State>,
    freed: Condvar,
    sandbox: OnceLock<u32>,
}

#[derive(Debug, Default)]
struct State {
    free: Vec<Seat>,
    wardens: usize,
    /// How many probes may run at a time.
    most: Option<usize>,
    /// How many wait for a seat.
    waiting: usize,
}

/// Where somebody may sit.
enum Offer {
    /// With a warden that has nothing to do.
    Idle(Seat),
    /// Behind a probe that runs.
    Behind(Seat),
    /// With a warden that is yet to be started.
    New,
    /// All seats are taken.
    Nothing,
}

impl State {
    fn offer(&mut self, may_wait: bool) -> Offer {
        if self.may_run() {
            if let Some(at) = self.last(true) {
                return Offer::Idle(self.free.remove(at));
            }
            self.wardens += 1;
            return Offer::New;
        }
        let at = if may_wait { self.last(false) } else { None };
        at.map_or(Offer::Nothing, |at| Offer::Behind(self.free.remove(at)))
    }

    /// Whether a probe may run at once.
    fn may_run(&self) -> bool {
        let idle = (0..self.free.len()).filter(|&at| self.is_idle(at)).count() / SEATS;
        self.most.is_none_or(|most| self.wardens - idle < most)
    }

    /// The free seat that was left last, of a warden with nothing to do or of one that is busy: what has been kept there
    /// is the newest.
    fn last(&self, idle: bool) -> Option<usize> {
        (0..self.free.len()).rev().find(|&at| self.is_idle(at) == idle)
    }

    /// Whether nobody sits in any seat of this free one's warden.
    fn is_idle(&self, at: usize) -> bool {
        self.free.iter().filter(|other| other.is_beside(&self.free[at])).count() == SEATS
    }
}

impl Pool {
    /// The version of the sandbox that the first warden found; `None` where none has been started yet.
    pub fn sandbox(&self) -> Option<u32> {
        self.sandbox.get().copied()
    }

    /// Has so many probes run at a time from now on. As many again may be asked for: each waits behind one that runs,
    /// with its directories made, and begins when that ends.
    pub fn expect(&self, probes: usize) {
        lock(&self.state).most = Some(probes);
    }

    /// Runs a probe, and hands the answer with the outputs to `read`.
    ///
    /// # Errors
    /// When no warden can run it.
    pub fn probe<T>(
        &self,
        start: impl Fn(&[Root; SEATS]) -> (Helper, Setup),
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
        read: impl Fn(Answer, [&File; 2]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (mut lives, mut may_wait) = (LIVES, true);
        loop {
            let (mut seat, waits) = self.sit(&start, place.work_root, &is_unwanted, may_wait)?;
            let gives_back = || waits && lock(&self.state).may_run();
            let asker = Asker { is_unwanted: &is_unwanted, gives_back: &gives_back, pause };
            match seat.probe(place, &asker) {
                Ok(Answer { ending: Ending::NotBegun, .. }) => {
                    may_wait = false;
                    self.leave(seat);
                }
                Ok(answer) => {
                    let told = read(answer, [&seat.outputs[0], &seat.outputs[1]]);
                    self.leave(seat);
                    return told;
                }
                Err(Broken::Other(error)) => {
                    self.leave(seat);
                    return Err(error);
                }
                Err(Broken::Dead(error)) => {
                    self.bury(seat);
                    lives -= 1;
                    if lives == 0 {
                        return Err(Error::Warden(error));
                    }
                }
            }
        }
    }

    /// Takes a seat, and says whether it is one behind a probe that runs.
    fn sit(
        &self,
        start: impl Fn(&[Root; SEATS]) -> (Helper, Setup),
        work_root: &Path,
        is_unwanted: impl Fn() -> bool,
        mut may_wait: bool,
    ) -> Result<(Seat, bool), Error> {
        let mut state = lock(&self.state);
        loop {
            match state.offer(may_wait) {
                Offer::Idle(seat) => return Ok((seat, false)),
                Offer::Behind(seat) => return Ok((seat, true)),
                Offer::New => {
                    drop(state);
                    let [seat, other] = self.start(start, work_root).inspect_err(|_| {
                        lock(&self.state).wardens -= 1;
                    })?;
                    self.leave(other);
                    return Ok((seat, false));
                }
                Offer::Nothing => {}
            }
            state.waiting += 1;
            state = self.freed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
            may_wait = true;
            if is_unwanted() {
                return Err(Error::Interrupted);
            }
        }
    }

    /// Leaves a seat to others, unless its warden has died meanwhile.
    fn leave(&self, seat: Seat) {
        if seat.is_of_the_dead() {
            return seat.clean_up();
        }
        let mut state = lock(&self.state);
        state.free.push(seat);
        if state.waiting > 0 {
            self.freed.notify_one();
        }
    }

    /// Cleans up after a warden that died before it could. Whoever sits in another seat of it does that there.
    fn bury(&self, seat: Seat) {
        let is_first = seat.end_warden();
        let mut state = lock(&self.state);
        if is_first {
            state.wardens -= 1;
        }
        let mut seats: Vec<Seat> = state.free.extract_if(.., |other| other.is_beside(&seat)).collect();
        drop(state);
        seats.push(seat);
        seats.iter().for_each(Seat::clean_up);
    }

    fn start(
        &self,
        start: impl Fn(&[Root; SEATS]) -> (Helper, Setup),
        work_root: &Path,
    ) -> Result<[Seat; SEATS], Error> {
        let place = work_root.canonicalize().map_err(Error::directory(work_root))?;
        if self.sandbox.get().is_none() {
            // It is the first one: what was left there in earlier days is found before there is more.
            for lost in lab::abandoned(&place) {
                hunt(lost.tmp());
            }
        }
        let roots = std::array::from_fn(|_| Root::plan(&place));
        let (helper, setup) = start(&roots);
        let (seats, sandbox) = Warden::start(&helper, &setup, roots, work_root)?;
        let _ = self.sandbox.set(sandbox);
        Ok(seats)
    }
}

impl Drop for Pool {
    /// Tells all of them before it waits for each.
    fn drop(&mut self) {
        for seat in &lock(&self.state).free {
            seat.let_go();
        }
    }
}
