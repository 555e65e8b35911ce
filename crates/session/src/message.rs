//! Whether the message of a command is part of the failure.
//!
//! The module `baseline` finds the messages.

use crate::baseline::LINES;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::text;
use nubbin_oracle::CommandRun;

/// Whether messages are part of the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Messages in a known form are part of the failure.
    Known,
    /// Any message is part of the failure.
    Any,
    /// Messages are not part of the failure.
    None,
}

/// The message is part of the failure, but there is none.
pub(crate) fn says_nothing(command: &str, run: &CommandRun) -> Failure {
    let message = format!("`{command}` prints no error message on the unreduced input; nothing was changed");
    let output = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, message).details(text::last_lines(&output, LINES)).hint(
        "remove `message` from `--match`, or match its output with `--stdout REGEX` or `--stderr REGEX`",
    )
}
