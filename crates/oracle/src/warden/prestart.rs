//! Starts a process before its candidate is available. The process prepares itself, reports that it is ready,
//! and is released once the candidate is in its directory. Each process is used once.
//!
//! A process that never becomes ready is reported with the way in which it ended.

use super::message::{Answer, Ending, Order};
use super::serve::{Orders, Probe, ended, told};
use crate::process::{Failure, Group, Look, ProcessEnd, Waited, Watch};
use crate::wait;
use crate::work_directory::Root;
use nubbin_archive::disk::Directory;
use rustix::process::Pid;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// Starts processes early, one at a time.
pub(super) struct Prestarted<'s> {
    probe: Probe,
    root: &'s Root,
    state: State,
}

/// The state of the process for the next candidate.
enum State {
    None,
    /// The process is ready for its candidate. The second value states whether it is stopped.
    Waits(Process, bool),
    /// The process was ready, and has ended since.
    Gone,
}

/// A process that can become ready for its candidate.
struct Process {
    group: Group,
    /// The directory with its pipes.
    place: Directory,
    /// The pipe by which the process reports that it is ready. It stays open, because the process can report
    /// this again.
    waits: File,
    /// The time until the process was ready.
    elapsed: Duration,
}

impl<'s> Prestarted<'s> {
    pub fn new(probe: Probe, root: &'s Root) -> Self {
        Self { probe, root, state: State::None }
    }

    /// Starts a process. The answer states that it became ready within the limit, or how it ended.
    pub fn begin(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Answer> {
        self.state = State::None;
        let (ending, elapsed) = match self.start(limit) {
            Err(error) => ended(Err(Failure::Start(error))),
            Ok(mut process) => {
                let mut starting = Starting { orders, waits: &process.waits };
                let (waited, elapsed) = process.group.wait(limit, &mut starting)?;
                if let Waited::Told(Look::Done) = waited {
                    self.state = State::Waits(Process { elapsed, ..process }, false);
                    (Ending::Waits, elapsed)
                } else {
                    (process.end(&waited)?, elapsed)
                }
            }
        };
        self.probe.answer(ending, elapsed)
    }

    /// Releases the ready process, or starts one.
    pub fn run(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Answer> {
        let process = match std::mem::replace(&mut self.state, State::None) {
            State::None => self.start(limit),
            State::Waits(process, _) if !process.group.has_ended()? => Ok(process),
            State::Waits(..) | State::Gone => return self.probe.answer(Ending::Gone, Duration::ZERO),
        };
        let run = process.map_err(Failure::Start).and_then(|mut process| {
            let _go = wait::let_go(&process.place).map_err(Failure::Wait)?;
            let (end, elapsed) = process.group.run(limit, orders).map_err(Failure::Wait)?;
            Ok((end, elapsed + process.elapsed))
        });
        let (ending, elapsed) = ended(run);
        self.probe.answer(ending, elapsed)
    }

    fn start(&mut self, limit: Duration) -> io::Result<Process> {
        self.probe.clear()?;
        let place = self.root.make_word()?;
        let waits = wait::make_pipes(&place)?;
        let rules = self.probe.rules(limit);
        let group = Group::start(&mut *self.probe.command, rules)?;
        Ok(Process { group, place, waits, elapsed: Duration::ZERO })
    }

    /// Waits for an order while a process is ready.
    pub fn attend(&mut self, orders: &mut Orders<'_>) -> io::Result<()> {
        let State::Waits(process, is_held) = &mut self.state else { return Ok(()) };
        let mut idle = Idle { orders, is_held: *is_held };
        let (waited, _) = process.group.wait(Duration::MAX, &mut idle)?;
        if !matches!(waited, Waited::Told(Look::Done)) {
            self.state = State::Gone;
        }
        Ok(())
    }

    /// Carries out an order about the ready process.
    pub fn heed(&mut self, order: Order) {
        match (order, &mut self.state) {
            (Order::Stop, state) => *state = State::None,
            (Order::Hold, State::Waits(_, is_held)) => *is_held = true,
            (Order::Continue, State::Waits(_, is_held)) => *is_held = false,
            _ => {}
        }
    }
}

impl Process {
    /// Ends a process that did not become ready, and returns the reason.
    fn end(&mut self, waited: &Waited) -> io::Result<Ending> {
        let status = self.group.end()?;
        Ok(match waited {
            Waited::Ended => told(&ProcessEnd::Ended(status)),
            Waited::TooLong => Ending::TimedOut,
            Waited::Told(Look::TooMany) => Ending::TooMany,
            Waited::Told(_) => Ending::Stopped,
        })
    }
}

/// The watch of a starting process.
struct Starting<'a, 's> {
    orders: &'a mut Orders<'s>,
    waits: &'a File,
}

impl Watch for Starting<'_, '_> {
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [self.orders.descriptors()[0], Some(self.waits.as_fd())]
    }

    fn tick(&self) -> Duration {
        self.orders.tick()
    }

    fn look(&mut self, leader: Pid, readable: [bool; 2]) -> io::Result<Look> {
        if readable[1] && matches!(self.waits.read(&mut [0; 64]), Ok(1..)) {
            return Ok(Look::Done);
        }
        self.orders.look(leader, [readable[0], false])
    }
}

/// The watch of a ready process; it does not consume orders.
struct Idle<'a, 's> {
    orders: &'a mut Orders<'s>,
    is_held: bool,
}

impl Watch for Idle<'_, '_> {
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        self.orders.descriptors()
    }

    fn tick(&self) -> Duration {
        self.orders.tick()
    }

    fn look(&mut self, _: Pid, readable: [bool; 2]) -> io::Result<Look> {
        if readable[0] {
            return Ok(Look::Done);
        }
        Ok(match (self.orders.are_too_many(), self.is_held) {
            (true, _) => Look::TooMany,
            (false, true) => Look::Hold,
            (false, false) => Look::GoOn,
        })
    }
}
