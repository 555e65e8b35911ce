//! The reasons why a reduction cannot go on, as failures that say what to do: the test says different things, or accepts all.

use crate::failure::{Failure, Fault};
use crate::message::Message;
use crate::settings::Settings;
use crate::source::Input;
use crate::text;
use nubbin_oracle::Rate;

/// Makes the failure that the oracle says different things of the same input: the unreduced one, or the best so far.
pub(super) fn flaky(settings: &Settings, rate: Rate, reduced: bool) -> Failure {
    let test = &settings.test;
    let rate = text::share(rate.interesting, rate.runs);
    let what = if reduced {
        format!("the best so far had been found interesting, and then was so in {rate}")
    } else {
        format!("the unreduced input was interesting in {rate}; nothing was changed")
    };
    let message = match test.message {
        Message::None => "",
        Message::Known | Message::Any => "; if only its message varies, keep none with `--no-keep-message`",
    };
    Failure::message(Fault::Flaky, format!("`{}` does not repeat itself: {what}", test.label)).hint(format!(
        "make it deterministic (fix seeds, use one thread), or go on with `--flaky 0.95`, which runs each \
         candidate several times{message}"
    ))
}

/// Returns the failure of an oracle that accepts the empty input.
pub(crate) fn accepts_all(settings: &Settings) -> Failure {
    let test = &settings.test;
    if let Input::Options(choices) = &settings.input {
        let (how, hint) = if choices.is_inverted() {
            ("as it is, so nothing prevents it", "without `--invert` it is found which options it depends on")
        } else {
            ("without any options, too", "say more about the failure, such as `--stderr REGEX`")
        };
        return Failure::message(
            Fault::EmptyIsInteresting,
            format!("`{}` fails in this way {how}", test.label),
        )
        .hint(hint);
    }
    let (message, advice) = match &test.failure {
        None => (
            format!("`{}` finds the empty input interesting too; nothing was changed", test.label),
            "it would accept anything: let it check for the failure itself, such as its message",
        ),
        Some(_) => (
            format!("`{}` fails in this way on the empty input too; nothing was changed", test.label),
            "say more about the failure: `--stderr REGEX` or `--stdout REGEX` with a part of its message",
        ),
    };
    Failure::message(Fault::EmptyIsInteresting, message)
        .hint(format!("{advice}; `--allow-empty` goes on all the same"))
}
