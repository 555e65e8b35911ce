//! The messages between Nubbin and a warden over a socket.
//!
//! The first message in each direction is text with a length prefix; messages about probes have a small fixed
//! size.

use crate::Status;
use crate::limits::{Confinement, Limits, Protection};
use crate::server::Places;
use crate::trace::{Tracing, as_bytes};
use nubbin_search::{Cause, Verdict};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The maximum length of the first message, in bytes.
const LONGEST: u32 = 64 << 20;

/// The setup of a warden: the program to run, and its limits.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The directory that the warden creates.
    pub root: PathBuf,
    /// The current directory of the probes.
    #[serde(with = "as_bytes")]
    pub directory: PathBuf,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub limits: Limits,
    pub confinement: Confinement,
    /// Which files of a probe are recorded; `None` in an ordinary run.
    pub tracing: Option<Tracing>,
    /// The files and directories that the candidate replaces.
    #[serde(with = "as_bytes")]
    pub replaced: Vec<PathBuf>,
    /// A directory that a probe can change without effect on other processes.
    #[serde(with = "as_bytes")]
    pub scratch: Option<PathBuf>,
    /// The files and directories that stay visible in hidden directories.
    #[serde(with = "as_bytes")]
    pub seen: Vec<PathBuf>,
    /// Whether each probe has a private home directory.
    pub has_home: bool,
    /// Whether processes are started before their candidate is available.
    pub is_prestarted: bool,
    /// The paths in the questions to a server, if the program is one.
    pub server: Option<Places>,
}

/// The answer of the warden to its setup.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Ready {
    /// Probes can be run under this protection.
    Yes(Protection),
    /// The directory cannot be created or used; the value is an error number.
    NoDirectory(i32),
    /// The system has no free process or thread; the value is an error number.
    NoProcess(i32),
    /// The requested limits or confinement are unavailable.
    NoConfinement(String),
}

/// An order to a warden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Start the process of a later probe; it must be ready for its candidate within this time.
    Begin(Duration),
    /// Run a probe with this limit.
    Go(Duration),
    /// End the running probe, if there is one.
    Stop,
    /// Stop its processes temporarily.
    Hold,
    /// Resume its processes.
    Continue,
}

/// The answer of the warden: how a probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub ending: Ending,
    /// The duration of the probe.
    pub elapsed: Duration,
    /// The number of bytes that it wrote to standard output and standard error.
    pub written: [u64; 2],
}

/// The reason why the process of a probe no longer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It exited with this status.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It reached the time limit.
    TimedOut,
    /// It was stopped by an order.
    Stopped,
    /// It had too many processes.
    TooMany,
    /// It could not be started; the value is an error number.
    NoStart(i32),
    /// The wait for its end failed; the value is an error number.
    NoWait(i32),
    /// The warden could not use its directory; the value is an error number.
    NoDirectory(i32),
    /// A server reported this verdict.
    Told(Verdict),
    /// A server exited with this status without an answer.
    LostExit(i32),
    /// A server was killed by this signal before it answered.
    LostSignal(i32),
    /// A server gave a malformed answer.
    Nonsense,
    /// It was started early, and is ready for its candidate.
    Waits,
    /// It was ready for its candidate, but ended before the candidate was available.
    Gone,
}

impl Ending {
    /// Returns whether the probe has a result.
    pub fn is_result(self) -> bool {
        matches!(self, Self::Exit(_) | Self::Signal(_) | Self::TimedOut | Self::Told(_) | Self::Nonsense)
            || self.is_lost()
    }

    /// Returns whether a server gave no answer, so that a fresh server must be asked.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::LostExit(_) | Self::LostSignal(_) | Self::Nonsense)
    }
}

impl From<Status> for Ending {
    /// Converts the status that a server reported. Servers report no limits.
    fn from(status: Status) -> Self {
        match status {
            Status::Exit(status) => Self::Exit(status),
            Status::Signal(signal) => Self::Signal(signal),
            Status::Told(verdict) => Self::Told(verdict),
            Status::TimedOut | Status::OverLimit(_) => Self::TimedOut,
        }
    }
}

/// The verdicts that a server can report; their numbers are the indices.
const VERDICTS: [Verdict; 3] =
    [Verdict::Interesting, Verdict::Uninteresting, Verdict::Unresolved(Cause::Test)];

/// Sends a first message.
pub(crate) fn send_text(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_le_bytes(), text.as_slice()].concat())
}

/// Receives a first message.
pub(crate) fn receive_text<T: DeserializeOwned>(mut from: impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; length as usize];
    from.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

impl Order {
    pub fn send(self, mut to: impl Write) -> io::Result<()> {
        let (kind, limit) = match self {
            Self::Go(limit) => (0, limit.as_micros()),
            Self::Stop => (1, 0),
            Self::Hold => (2, 0),
            Self::Continue => (3, 0),
            Self::Begin(limit) => (4, limit.as_micros()),
        };
        let mut bytes = [kind; 9];
        bytes[1..].copy_from_slice(&u64::try_from(limit).unwrap_or(u64::MAX).to_le_bytes());
        to.write_all(&bytes)
    }

    pub fn receive(mut from: impl Read) -> io::Result<Self> {
        let mut bytes = [0; 9];
        from.read_exact(&mut bytes)?;
        match bytes[0] {
            0 => Ok(Self::Go(Duration::from_micros(number(&bytes[1..])))),
            1 => Ok(Self::Stop),
            2 => Ok(Self::Hold),
            3 => Ok(Self::Continue),
            4 => Ok(Self::Begin(Duration::from_micros(number(&bytes[1..])))),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl Answer {
    pub fn send(self, mut to: impl Write) -> io::Result<()> {
        let (kind, value) = match self.ending {
            Ending::Exit(status) => (0, status),
            Ending::Signal(signal) => (1, signal),
            Ending::TimedOut => (2, 0),
            Ending::Stopped => (3, 0),
            Ending::TooMany => (4, 0),
            Ending::NoStart(error) => (5, error),
            Ending::NoWait(error) => (6, error),
            Ending::Told(told) => {
                (7, VERDICTS.iter().position(|verdict| *verdict == told).unwrap_or(VERDICTS.len() - 1) as i32)
            }
            Ending::LostExit(status) => (8, status),
            Ending::LostSignal(signal) => (9, signal),
            Ending::Nonsense => (10, 0),
            Ending::Waits => (11, 0),
            Ending::Gone => (12, 0),
            Ending::NoDirectory(error) => (13, error),
        };
        let elapsed = u64::try_from(self.elapsed.as_nanos()).unwrap_or(u64::MAX);
        let mut bytes = [kind; 29];
        bytes[1..5].copy_from_slice(&i32::to_le_bytes(value));
        for (at, number) in [elapsed, self.written[0], self.written[1]].into_iter().enumerate() {
            bytes[5 + 8 * at..13 + 8 * at].copy_from_slice(&number.to_le_bytes());
        }
        to.write_all(&bytes)
    }

    pub fn receive(mut from: impl Read) -> io::Result<Self> {
        let mut bytes = [0; 29];
        from.read_exact(&mut bytes)?;
        let value = i32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
        let ending = match bytes[0] {
            0 => Ending::Exit(value),
            1 => Ending::Signal(value),
            2 => Ending::TimedOut,
            3 => Ending::Stopped,
            4 => Ending::TooMany,
            5 => Ending::NoStart(value),
            6 => Ending::NoWait(value),
            7 => Ending::Told(
                usize::try_from(value)
                    .ok()
                    .and_then(|value| VERDICTS.get(value).copied())
                    .ok_or(io::ErrorKind::InvalidData)?,
            ),
            8 => Ending::LostExit(value),
            9 => Ending::LostSignal(value),
            10 => Ending::Nonsense,
            11 => Ending::Waits,
            12 => Ending::Gone,
            13 => Ending::NoDirectory(value),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        let elapsed = Duration::from_nanos(number(&bytes[5..13]));
        Ok(Self { ending, elapsed, written: [number(&bytes[13..21]), number(&bytes[21..])] })
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn what_is_sent_is_received() {
        let mut wire = Vec::new();
        let orders = [Order::Go(Duration::from_micros(1_234_567_890_123)), Order::Stop, Order::Hold];
        for order in orders.into_iter().chain([Order::Continue, Order::Begin(Duration::from_micros(7))]) {
            order.send(&mut wire).expect("memory takes everything");
            assert_eq!(Order::receive(wire.as_slice()).expect("it is there"), order);
            wire.clear();
        }
        let endings = [Ending::Exit(-1), Ending::Signal(9), Ending::TimedOut, Ending::Stopped];
        let of_servers = [Ending::LostExit(3), Ending::LostSignal(9), Ending::Nonsense];
        let of_prestarted = [Ending::Waits, Ending::Gone];
        let endings = endings.into_iter().chain([Ending::TooMany, Ending::NoStart(2), Ending::NoWait(10)]);
        let endings = endings.chain([Ending::NoDirectory(28)]);
        for ending in endings.chain(of_servers).chain(of_prestarted).chain(VERDICTS.map(Ending::Told)) {
            let answer = Answer { ending, elapsed: Duration::from_nanos(987), written: [1 << 40, 3] };
            answer.send(&mut wire).expect("memory takes everything");
            assert_eq!(Answer::receive(wire.as_slice()).expect("it is there"), answer);
            wire.clear();
        }
        let setup = Setup {
            root: "/x".into(),
            directory: "/x/work".into(),
            program: OsString::from_vec(b"\xff\"\n".to_vec()),
            arguments: vec![OsString::from("{}")],
            limits: Limits { cpu: Some(3), ..Limits::default() },
            confinement: Confinement::default(),
            tracing: None,
            replaced: Vec::new(),
            scratch: None,
            seen: Vec::new(),
            has_home: false,
            is_prestarted: false,
            server: None,
        };
        send_text(&mut wire, &setup).expect("memory takes everything");
        let received: Setup = receive_text(wire.as_slice()).expect("it is there");
        assert_eq!((received.program, received.limits), (setup.program, setup.limits));
    }

    #[test]
    fn half_a_message_is_an_error() {
        assert!(Order::receive([0; 8].as_slice()).is_err());
        assert!(Order::receive([9; 9].as_slice()).is_err());
        assert!(Answer::receive([7; 29].as_slice()).is_err());
        assert!(receive_text::<Ready>([9, 0, 0, 0, b'"'].as_slice()).is_err());
    }
}
