//! The messages between Nubbin and a warden, which go over a socket.
//!
//! The first message of either is text behind its length, and those about probes are a few bytes of fixed length.

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

/// No first message is longer.
const LONGEST: u32 = 64 << 20;

/// The setup of a warden: the program that it is to run, and its limits.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The directory that the warden makes for itself.
    pub root: PathBuf,
    /// The current directory of the probes.
    #[serde(with = "as_bytes")]
    pub directory: PathBuf,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub limits: Limits,
    pub confinement: Confinement,
    /// The request for notes about the files that a probe opens; `None` in an ordinary run.
    pub tracing: Option<Tracing>,
    /// The files and directories that the candidate stands in place of.
    #[serde(with = "as_bytes")]
    pub replaced: Vec<PathBuf>,
    /// A directory in which a probe may change what it likes, and nothing is changed for others.
    #[serde(with = "as_bytes")]
    pub scratch: Option<PathBuf>,
    /// The files and directories that are seen even where what they are in is hidden.
    #[serde(with = "as_bytes")]
    pub seen: Vec<PathBuf>,
    /// Is true if each probe has a home of its own.
    pub has_home: bool,
    /// Is true if processes are started before there is a candidate for them.
    pub is_prestarted: bool,
    /// What the program is told about candidates, if it is a server that is asked about many.
    pub server: Option<Places>,
}

/// The warden's answer to its setup.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Ready {
    /// Probes can be run, under this protection.
    Yes(Protection),
    /// The directory cannot be made or used: an error number.
    NoDirectory(i32),
    /// The system has no process or thread left for it: an error number.
    NoProcess(i32),
    /// It cannot be confined or limited as it was asked for.
    NoConfinement(String),
}

/// An order to a warden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Start the process of a later probe; it has so long until it waits for its candidate.
    Begin(Duration),
    /// Run a probe, with this limit.
    Go(Duration),
    /// End the probe that runs, if one does.
    Stop,
    /// Have its processes stand still.
    Hold,
    /// Have them go on.
    Continue,
}

/// The warden's answer: the way in which a probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub ending: Ending,
    /// The time for which it ran.
    pub elapsed: Duration,
    /// The number of bytes that it wrote to standard output and to standard error.
    pub written: [u64; 2],
}

/// The reason why a probe's process no longer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It exited with this status.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// The time was over.
    TimedOut,
    /// It was stopped.
    Stopped,
    /// It had too many processes.
    TooMany,
    /// It could not be started: an error number.
    NoStart(i32),
    /// Its end could not be awaited: an error number.
    NoWait(i32),
    /// The warden could not use its own directory: an error number.
    NoDirectory(i32),
    /// It is a server, and told this verdict.
    Told(Verdict),
    /// It is a server, and exited with this status without an answer.
    LostExit(i32),
    /// It is a server, and was killed by this signal before it had answered.
    LostSignal(i32),
    /// It is a server, and gave an answer that makes no sense.
    Nonsense,
    /// It was started before its candidate was there, and waits for it.
    Waits,
    /// It waited for its candidate, and has ended before that came.
    Gone,
}

impl Ending {
    /// Tells whether a candidate has come to something.
    pub fn is_result(self) -> bool {
        matches!(self, Self::Exit(_) | Self::Signal(_) | Self::TimedOut | Self::Told(_) | Self::Nonsense)
            || self.is_lost()
    }

    /// Tells whether a server had no answer, so that a fresh one is to be asked.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::LostExit(_) | Self::LostSignal(_) | Self::Nonsense)
    }
}

impl From<Status> for Ending {
    /// The ending that a server has told; it tells no limits.
    fn from(status: Status) -> Self {
        match status {
            Status::Exit(status) => Self::Exit(status),
            Status::Signal(signal) => Self::Signal(signal),
            Status::Told(verdict) => Self::Told(verdict),
            Status::TimedOut | Status::OverLimit(_) => Self::TimedOut,
        }
    }
}

/// The verdicts that a server can tell, by their numbers.
const VERDICTS: [Verdict; 3] =
    [Verdict::Interesting, Verdict::Uninteresting, Verdict::Unresolved(Cause::Test)];

/// Sends a first message.
pub(crate) fn send_text(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_le_bytes(), text.as_slice()].concat())
}

/// Takes a first message.
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
