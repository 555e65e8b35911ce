//! The outcome of the first runs, as a plain value that a journal keeps.

use nubbin_oracle::signature::Signature;
use nubbin_oracle::{Limit, Status, Surroundings, Verdict};
use serde::{Deserialize, Serialize};

/// The first runs teach this, so that nobody has to make them again to go on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// The end of a process that shows the failure, if the user did not ask for one: an exit status, a signal, or the
    /// time limit.
    pub(super) ends: Option<Ends>,
    /// The message that the unchanged input gives each time, if its form is known or any message is to be kept.
    #[serde(default)]
    pub message: Option<Signature>,
    /// The places where the oracle and the candidate stand, and what else they see.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// The ordinary errors that the unchanged input shows; `None` in a journal of a time that did not look for them.
    #[serde(default)]
    pub errors: Option<Vec<Signature>>,
    /// Limits that nobody asked for and that the unchanged input does not fit in.
    pub(super) no_memory_limit: bool,
    pub(super) no_output_limit: bool,
    /// A server tells the verdict, so no failure is learned.
    #[serde(default)]
    pub(super) is_told: bool,
}

/// The end of a process, in a form that is kept on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ends {
    /// It exits with this status.
    Exit(i32),
    /// It is killed by this signal.
    Signal(i32),
    /// It runs into the time limit.
    InTime,
    /// It runs into another limit.
    OverLimit(Limit),
}

impl Ends {
    /// Makes the end for this status.
    #[must_use]
    pub fn of(status: Status) -> Self {
        match status {
            Status::Exit(status) => Self::Exit(status),
            Status::Signal(signal) => Self::Signal(signal),
            Status::TimedOut => Self::InTime,
            Status::OverLimit(limit) => Self::OverLimit(limit),
            // It is no end of a process; as a script says it.
            Status::Told(verdict) => Self::Exit(match verdict {
                Verdict::Interesting => 0,
                Verdict::Uninteresting => 1,
                Verdict::Unresolved(_) => 125,
            }),
        }
    }

    /// Returns the status that it stands for.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Exit(status) => Status::Exit(status),
            Self::Signal(signal) => Status::Signal(signal),
            Self::InTime => Status::TimedOut,
            Self::OverLimit(limit) => Status::OverLimit(limit),
        }
    }
}
