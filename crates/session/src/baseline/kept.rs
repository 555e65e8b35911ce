//! The failure to keep: the message that belongs to it, and its description.

use super::refusal::wanted;
use crate::message::Message;
use crate::settings::{Settings, TestCommand};
use crate::{differ, slow};
use nubbin_oracle::signature::{Signature, Wanted};
use nubbin_oracle::{Matcher, Status};

pub(super) fn kept(test: &TestCommand, failure: &Matcher) -> String {
    if let (Some(other), Some(Status::Exit(code))) = (&test.other, failure.status)
        && let Some(told) = differ::told(code)
    {
        return format!("the failure to keep: `{}` and `{other}` {told}", test.label);
    }
    if let Some(limit) = test.slower {
        return format!("the failure to keep: `{}` {}", test.label, slow::wanted(limit));
    }
    format!("the failure to keep: `{}` {}", test.label, wanted(failure))
}

/// Returns the message, if it is part of the failure.
pub(super) fn message(
    settings: &Settings,
    learned: Option<&Signature>,
    errors: Option<&Vec<Signature>>,
) -> Option<Wanted> {
    let test = &settings.test;
    let signature = learned.filter(|_| test.message != Message::None)?.clone();
    let beside = errors.filter(|_| !test.any_errors).cloned();
    let is_exact = test.message == Message::Any;
    Some(Wanted { signature, reader: settings.reader(), is_exact, beside })
}
