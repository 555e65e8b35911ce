//! Errors of a reduction: the test is flaky, or accepts everything.

use crate::failure::{Failure, Fault};
use crate::message::Message;
use crate::settings::Settings;
use crate::source::Input;
use crate::text;
use nubbin_oracle::Rate;

/// The oracle has different verdicts on the same text: the input, or with `reduced` the current best.
pub(super) fn flaky(settings: &Settings, rate: Rate, reduced: bool) -> Failure {
    let test = &settings.test;
    let rate = text::share(rate.interesting, rate.runs);
    let what = if reduced {
        format!("the current best had been interesting, and then was interesting in {rate}")
    } else {
        format!("the unreduced input was interesting in {rate}; nothing was changed")
    };
    let message = match test.message {
        Message::None => "",
        Message::Known | Message::Any => "; if only its message varies, add `--match status`",
    };
    Failure::message(Fault::Flaky, format!("`{}` is flaky: {what}", test.label)).hint(format!(
        "make it deterministic (fix seeds, use one thread), or add `--flaky 0.95`, which runs each \
         candidate several times{message}"
    ))
}

/// The oracle accepts the empty input.
pub(crate) fn accepts_all(settings: &Settings) -> Failure {
    let test = &settings.test;
    if let Input::Options(choices) = &settings.input {
        let (how, hint) = if choices.is_inverted() {
            (
                "without any change, so no option prevents the failure",
                "to find the options that the failure needs, remove `--invert`",
            )
        } else {
            ("even without options", "describe the failure more precisely, for example with `--stderr REGEX`")
        };
        return Failure::message(
            Fault::EmptyIsInteresting,
            format!("`{}` fails in this way {how}", test.label),
        )
        .hint(hint);
    }
    let (message, advice) = match &test.failure {
        None => (
            format!("`{}` also accepts the empty input; nothing was changed", test.label),
            "the script accepts any input: test for the failure itself, for example for its message",
        ),
        Some(_) => (
            format!("`{}` also fails in this way on the empty input; nothing was changed", test.label),
            "describe the failure more precisely with `--stderr REGEX` or `--stdout REGEX` with a part of its message",
        ),
    };
    Failure::message(Fault::EmptyIsInteresting, message)
        .hint(format!("{advice}; to continue anyway, add `--allow-empty`"))
}
