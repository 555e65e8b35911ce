//! The part of a command's failure that is kept beside its end: the options about messages, hangs and differences.
//!
//! The module `baseline` finds the messages, and `differ` the differences.

use crate::baseline::LINES;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::text;
use nubbin_oracle::CommandRun;

/// Decides whether messages are part of the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Messages of a known form are.
    Known,
    /// Whatever they are.
    Any,
    /// Messages are not part of the failure.
    None,
}

/// Makes the failure that a message was to be kept, and there is none.
pub(crate) fn says_nothing(command: &str, run: &CommandRun) -> Failure {
    let message = format!(
        "`{command}` says nothing that looks like an error on the unreduced input; nothing was changed"
    );
    let output = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, message)
        .details(text::last_lines(&output, LINES))
        .hint("leave out `--keep-message`, or say what it writes with `--stdout REGEX` or `--stderr REGEX`")
}
