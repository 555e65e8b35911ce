//! Classifies failures: some are temporary, others permanent.

use crate::{Error, Patience};
use bazel_remote_apis::google::rpc;
use prost::Message;
use std::error::Error as _;
use std::io;
use std::time::Duration;
use tonic::{Code, Status};

/// The reason why an attempt had no result.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A failure that can be temporary: a lost worker or connection, a quota, or a deadline of the queue.
    Passing(String),
    /// The cluster does not have a blob that was sent, or has deleted it.
    Missing(String),
    /// The cluster does not have the operation any more.
    NoOperation(String),
    /// A precondition failed without a reference to a blob; the cause can still be a missing blob, or the
    /// platform.
    Unmet(String),
    /// The client is not authenticated.
    Unknown(String),
    /// The cluster does not respond, although the connection is open.
    Silent(String),
    /// A permanent failure.
    Final(Final),
}

/// The reason of a permanent failure.
#[derive(Debug)]
pub(crate) enum Final {
    /// The cluster rejects the request.
    Refused(String),
    /// The connection cannot be encrypted.
    Tls(String),
    /// The failure is on this machine.
    Here(Error),
}

/// The part of the error model that describes missing blobs. The protocol crate does not contain it.
#[derive(Clone, PartialEq, prost::Message)]
struct PreconditionFailure {
    #[prost(message, repeated, tag = "1")]
    violations: Vec<Violation>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Violation {
    #[prost(string, tag = "1")]
    r#type: String,
    #[prost(string, tag = "2")]
    subject: String,
    #[prost(string, tag = "3")]
    description: String,
}

impl Fault {
    /// Classifies the status of a call.
    pub fn of_call(status: &Status) -> Self {
        if let Some(reason) = tls_trouble(status) {
            return Self::Final(Final::Tls(reason));
        }
        let mut text = status.message().to_owned();
        if let Some(source) = status.source() {
            append(&mut text, &chain(source));
        }
        let details = rpc::Status::decode(status.details()).map(|status| status.details).unwrap_or_default();
        let said = rpc::Status { code: status.code() as i32, message: text, details };
        Self::of_status(&said)
    }

    /// Classifies the status in a response.
    pub fn of_status(status: &rpc::Status) -> Self {
        let code = Code::from_i32(status.code);
        let text = words(code, &status.message);
        match code {
            Code::InvalidArgument | Code::PermissionDenied | Code::Unimplemented => {
                Self::Final(Final::Refused(text))
            }
            Code::Unauthenticated => Self::Unknown(text),
            Code::NotFound => Self::Missing(text),
            Code::FailedPrecondition if names_missing_blobs(status) => Self::Missing(text),
            Code::FailedPrecondition => Self::Unmet(text),
            _ => Self::Passing(text),
        }
    }

    /// Classifies the status of a query about an operation.
    pub fn of_wait(status: &Status) -> Self {
        match Self::of_call(status) {
            Self::Missing(text) | Self::Unmet(text) | Self::Final(Final::Refused(text)) => {
                Self::NoOperation(text)
            }
            other => other,
        }
    }

    /// Returns the description from the cluster or the connection.
    pub fn words(&self) -> String {
        match self {
            Self::Passing(text)
            | Self::Missing(text)
            | Self::NoOperation(text)
            | Self::Unmet(text)
            | Self::Unknown(text)
            | Self::Silent(text)
            | Self::Final(Final::Refused(text) | Final::Tls(text)) => text.clone(),
            Self::Final(Final::Here(error)) => error.to_string(),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Final(Final::Here(error))
    }
}

impl Final {
    /// Converts the failure to an error of this crate.
    pub fn error(self, endpoint: &str) -> Error {
        let endpoint = endpoint.to_owned();
        match self {
            Self::Refused(status) => Error::Refused { endpoint, status },
            Self::Tls(reason) => Error::Tls { endpoint, reason },
            Self::Here(error) => error,
        }
    }
}

impl Patience {
    /// Returns the pause after the failure with this number, counted from one. It grows with the number.
    /// `seed` selects a value between a half and the whole of it, so that many actions are not repeated at
    /// the same moment.
    pub(crate) fn pause(&self, number: u32, seed: u64) -> Duration {
        let doubled = self.first_pause.saturating_mul(1 << number.saturating_sub(1).min(20));
        let whole = doubled.min(self.longest_pause);
        let mixed = (seed ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        whole / 2 + whole.mul_f64(mixed as f64 / f64::from(1 << 25))
    }
}

/// Returns the messages of an error and its causes, without repetitions.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        append(&mut text, &cause.to_string());
        source = cause.source();
    }
    text
}

fn append(text: &mut String, more: &str) {
    if text.is_empty() {
        more.clone_into(text);
    } else if !more.is_empty() && !text.contains(more) {
        text.push_str(": ");
        text.push_str(more);
    }
}

fn words(code: Code, message: &str) -> String {
    if message.is_empty() { code.description().to_owned() } else { format!("{message} ({code:?})") }
}

/// Returns the reason why a connection could not be encrypted. The TLS library reports it as invalid data.
fn tls_trouble(status: &Status) -> Option<String> {
    let mut source = status.source();
    while let Some(cause) = source {
        let invalid = cause.downcast_ref::<io::Error>().filter(|e| e.kind() == io::ErrorKind::InvalidData);
        if let Some(error) = invalid {
            return Some(error.to_string());
        }
        source = cause.source();
    }
    None
}

fn names_missing_blobs(status: &rpc::Status) -> bool {
    let failures =
        status.details.iter().filter(|any| any.type_url.ends_with("google.rpc.PreconditionFailure"));
    failures
        .filter_map(|any| PreconditionFailure::decode(any.value.as_slice()).ok())
        .flat_map(|failure| failure.violations)
        .any(|violation| violation.r#type == "MISSING")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bazel_remote_apis::google::protobuf::Any;

    #[test]
    fn pauses_grow_and_stay_in_their_bounds_and_are_the_same_again() {
        let patience = Patience::default();
        for number in 1..40 {
            let whole = (patience.first_pause * 2_u32.pow(number.min(20) - 1)).min(patience.longest_pause);
            for seed in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
                let pause = patience.pause(number, seed);
                assert!(pause >= whole / 2 && pause <= whole, "{number} {seed}: {pause:?} of {whole:?}");
                assert_eq!(pause, patience.pause(number, seed));
            }
        }
        assert_ne!(patience.pause(3, 1), patience.pause(3, 2));
    }

    #[test]
    fn each_code_is_trouble_or_refused_and_none_a_result() {
        for code in 1..=16 {
            let status = rpc::Status { code, ..rpc::Status::default() };
            let refused = matches!(Fault::of_status(&status), Fault::Final(Final::Refused(_)));
            let expected = [Code::InvalidArgument, Code::PermissionDenied, Code::Unimplemented];
            assert_eq!(refused, expected.contains(&Code::from_i32(code)), "{code}");
        }
    }

    #[test]
    fn a_missing_blob_is_told_from_other_conditions() {
        let violation = |kind: &str| Violation { r#type: kind.to_owned(), ..Violation::default() };
        let status = |kind: &str| rpc::Status {
            code: Code::FailedPrecondition as i32,
            details: vec![Any {
                type_url: "type.googleapis.com/google.rpc.PreconditionFailure".to_owned(),
                value: PreconditionFailure { violations: vec![violation(kind)] }.encode_to_vec(),
            }],
            ..rpc::Status::default()
        };
        assert!(matches!(Fault::of_status(&status("MISSING")), Fault::Missing(_)));
        assert!(matches!(Fault::of_status(&status("OTHER")), Fault::Unmet(_)));
    }
}
