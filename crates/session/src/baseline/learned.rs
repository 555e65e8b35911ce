//! The facts learned from the initial runs, as they are kept in a journal.

use nubbin_oracle::signature::Signature;
use nubbin_oracle::{Limit, Status, Surroundings, Verdict};
use serde::{Deserialize, Serialize};

/// The facts learned from the initial runs. With them, a run can be resumed without repeating those runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// How a process with the failure ends, unless the user specified it: an exit status, a signal or the time limit.
    pub(super) ends: Option<Ends>,
    /// The message that every initial run showed, if its form is known or the user keeps any message.
    #[serde(default)]
    pub message: Option<Signature>,
    /// The files that the oracle needs and their places.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// The ordinary errors on the unchanged input; `None` in journals of versions that did not record them.
    #[serde(default)]
    pub errors: Option<Vec<Signature>>,
    /// The unchanged input exceeds the default memory limit.
    pub(super) no_memory_limit: bool,
    pub(super) no_output_limit: bool,
    /// A server reports the verdicts, so no failure was learned.
    #[serde(default)]
    pub(super) is_told: bool,
}

/// How a process ends, in a form that can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ends {
    /// With this exit status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// By the time limit.
    InTime,
    /// By another limit.
    OverLimit(Limit),
}

impl Ends {
    /// Converts a status.
    #[must_use]
    pub fn of(status: Status) -> Self {
        match status {
            Status::Exit(status) => Self::Exit(status),
            Status::Signal(signal) => Self::Signal(signal),
            Status::TimedOut => Self::InTime,
            Status::OverLimit(limit) => Self::OverLimit(limit),
            // The verdict of a server is stored as the exit status that a script would return.
            Status::Told(verdict) => Self::Exit(match verdict {
                Verdict::Interesting => 0,
                Verdict::Uninteresting => 1,
                Verdict::Unresolved(_) => 125,
            }),
        }
    }

    /// Converts to a status.
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
