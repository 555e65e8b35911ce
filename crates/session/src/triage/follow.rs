//! Observes one turn of a bug, for the onlooker's follower and for the state.

use super::Follower;
use super::state::SizeAt;
use crate::failure::Failure;
use crate::reduce::{Audience, Recalled, Reduced, Saved, Scene};
use nubbin_oracle::{CommandRun, Observer};
use nubbin_reduce::event::{Event, Sink, Size};
use nubbin_reduce::{Outcome, Switches};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest number of sizes recorded for one reduction.
const SIZES: usize = 400;

#[derive(Debug, Default)]
pub(super) struct Counter(AtomicUsize);

impl Counter {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Observer for Counter {
    fn ran(&self, _: &[u8], _: &CommandRun) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Receives the size of a new current best, and the number of probes.
pub(super) type Told<'f> = &'f dyn Fn(Size, usize);

pub(super) struct Follow<'f> {
    inner: Box<dyn Follower + 'f>,
    told: Told<'f>,
    counter: Arc<Counter>,
    probes: usize,
    /// The decreasing sizes, from the first probe of the first turn on.
    pub curve: Vec<SizeAt>,
    /// A run on the small file, if one was made.
    pub last: Option<CommandRun>,
}

impl<'f> Follow<'f> {
    pub(super) fn new(inner: Box<dyn Follower + 'f>, told: Told<'f>, counter: Arc<Counter>) -> Self {
        Self { inner, told, counter, probes: 0, curve: Vec::new(), last: None }
    }

    /// Passes the result on.
    pub(super) fn tell(&mut self, reduced: &Reduced) -> Result<(), Failure> {
        self.inner.tell(reduced)
    }

    fn reach(&mut self, size: Size) {
        self.curve.push(SizeAt { probes: self.probes, tokens: size.tokens });
        if self.curve.len() > SIZES {
            let mut is_odd = false;
            self.curve.retain(|_| {
                is_odd = !is_odd;
                is_odd
            });
        }
        (self.told)(size, self.probes);
    }
}

impl Sink for Follow<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Probed { counts, .. } => self.probes = counts.probes,
            Event::Started { size } | Event::Accepted { size, .. } | Event::Undone { size, .. } => {
                self.reach(size);
            }
            Event::Pass { .. } | Event::Measured { .. } | Event::Note { .. } => {}
        }
        self.inner.event(event);
    }
}

impl Audience for Follow<'_> {
    fn begin(&mut self, scene: &Scene<'_>) -> Result<(), Failure> {
        self.inner.begin(scene)
    }

    fn observers(&self) -> Vec<Arc<dyn Observer>> {
        let mut observers = self.inner.observers();
        observers.push(self.counter.clone());
        observers
    }

    fn proven(&mut self) {
        self.inner.proven();
    }

    fn start(&mut self, input: &[u8], journal: Option<(&Path, bool)>) {
        self.inner.start(input, journal);
    }

    fn switches(&self) -> Switches {
        self.inner.switches()
    }

    fn bests(&self) -> Saved {
        self.inner.bests()
    }

    fn recalled(&self) -> Recalled {
        self.inner.recalled()
    }

    fn ended(&mut self, outcome: Option<&Outcome>, again: &dyn Fn(&[u8]) -> Option<CommandRun>) {
        if let Some(outcome) = outcome.filter(|outcome| !outcome.proof.is_cut_short()) {
            self.last = again(&outcome.best);
        }
        self.inner.ended(outcome, again);
    }
}
