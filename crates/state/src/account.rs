//! The account of a failure: the failing statement with its values, the calls that led to it, and the origin
//! of each value.
//!
//! The agents examine the program. This module sends the requests and locates the values in the input.

use crate::failure::{Failure, Run};
use crate::fault::Fault;
use crate::input::{Inputs, Position};
use crate::lab::Lab;
use crate::protocol::{Failing, Site};
use nubbin_oracle::Status;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The account of a failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// How the failure becomes visible.
    pub kind: Kind,
    /// The name of the exception or signal, if there is one.
    #[serde(default)]
    pub what: String,
    /// The message of the exception, or the last line that the program wrote to standard error.
    #[serde(default)]
    pub message: String,
    /// The active frames, innermost first.
    pub frames: Vec<Shown>,
    /// The frame that wrote the failing text, if it differs from the frame that computed it.
    #[serde(default)]
    pub written: Vec<Shown>,
    /// Notes about what was not examined.
    #[serde(default)]
    pub left: Vec<String>,
    /// The number of the failing call, if there were too many events to record those before it.
    #[serde(default, skip_serializing)]
    pub clock: Option<u64>,
}

/// How a failure becomes visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An exception.
    #[default]
    Exception,
    /// An exit status.
    Exit,
    /// A signal.
    Signal,
    /// A text that the program writes.
    Output,
}

/// An active frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The source file.
    pub file: PathBuf,
    /// The current line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The text of the line.
    #[serde(default)]
    pub source: String,
    /// The frame belongs to the standard library.
    #[serde(default)]
    pub is_library: bool,
    /// The values that the statement reads.
    #[serde(default)]
    pub values: Vec<Value>,
    /// The condition that led to the statement, if the statement raises an exception or ends the program.
    #[serde(default)]
    pub condition: Option<Condition>,
}

/// A condition, and the values that it reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The line.
    pub line: u32,
    /// The text of the line.
    pub source: String,
    /// The values.
    pub values: Vec<Value>,
}

/// A value and its origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The expression.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// The start of the text, if the value is a text.
    #[serde(default, skip_serializing)]
    pub text: String,
    /// The length of the whole text in characters.
    #[serde(default, skip_serializing)]
    pub length: usize,
    /// The index, if the value is a part of a text.
    #[serde(default, skip_serializing)]
    pub index: Option<usize>,
    /// The text of which it is a part.
    #[serde(default, skip_serializing)]
    pub base: Option<Text>,
    /// The address in memory, if the debugger knows it.
    #[serde(default, skip_serializing)]
    pub address: Option<String>,
    /// The size in memory.
    #[serde(default, skip_serializing)]
    pub size: u32,
    /// The statements from which the value came, the most recent first.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The position of the value in the input.
    #[serde(default)]
    pub input: Option<Position>,
}

/// A text that may occur in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The start of the text.
    #[serde(default)]
    pub text: String,
    /// The length of the whole text in characters.
    #[serde(default)]
    pub length: usize,
}

/// A statement from which a value came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The source file.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The text of the line.
    #[serde(default)]
    pub source: String,
    /// The variable that was set, or the expression that was passed.
    pub name: String,
    /// The value at that time.
    pub value: String,
    /// `set` or `handed` (passed as an argument).
    pub how: String,
    /// The start of the text, if the value is a text.
    #[serde(default, skip_serializing)]
    pub text: String,
    /// The length of the whole text in characters.
    #[serde(default, skip_serializing)]
    pub length: usize,
    /// The position of the value in the input.
    #[serde(default)]
    pub input: Option<Position>,
}

/// Returns the last line that is not empty.
fn last_line(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
}

impl Account {
    /// Examines a failure with one or two more runs of the program. Returns `None` if the failure does not
    /// occur again.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn of(lab: &Lab, run: &Run, failure: &Failure, inputs: &Inputs) -> Result<Option<Self>, Fault> {
        let named = lab.debugger().traceback(&run.stderr);
        let text = failure.text_in(run).map(|text| Failing { text: Some(text), ..Failing::default() });
        // A traceback is more informative than a learned text, and less than a text that the user specified.
        let failing = if matches!(failure, Failure::Asked(_)) { text.or(named) } else { named.or(text) };
        let failing = failing.unwrap_or_default();
        let mut found = lab.origins(&failing)?;
        // If the traceback is not from this process, it is from one that it started.
        if found.as_ref().is_none_or(|account| !account.is_at(&failing)) {
            let follow = Failing { follow: true, ..failing.clone() };
            found = lab.origins(&follow)?.filter(|account| account.is_at(&failing)).or(found);
        }
        // If the program ends by a return from `main`, the statement that wrote the last message is more
        // informative.
        let mut failing = failing;
        let mut status = None;
        if let (Some(account), Some(said)) = (&found, last_line(&run.stderr))
            && account.kind == Kind::Exit
            && account.frames.iter().all(|shown| shown.is_library || shown.line == 0)
        {
            let with_text = Failing { text: Some(said), ..failing.clone() };
            let again = lab.origins(&with_text)?.filter(|account| account.kind == Kind::Output);
            if let (Some(again), Some(Status::Exit(ended))) = (again, run.status) {
                (found, failing, status) = (Some(again), with_text, Some(ended));
            }
        }
        let Some(mut account) = found else { return Ok(None) };
        // The second run watches the values that the first one found.
        let again = account.watched(&failing);
        if let Some(again) = again {
            account = lab.origins(&again)?.unwrap_or(account);
        }
        account.locate(inputs);
        account.message = account.told(&failing, run, status);
        Ok(Some(account))
    }

    /// Returns the message of the failure. If the failure is an exit status, the message includes it.
    fn told(&self, failing: &Failing, run: &Run, status: Option<i32>) -> String {
        if let Some(text) = &failing.text {
            return status.map_or_else(
                || format!("writes `{text}`"),
                |status| format!("exit status {status}: {text}"),
            );
        }
        if let Some(message) = &failing.message {
            return message.clone();
        }
        let said = String::from_utf8_lossy(&run.stderr);
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        last.map_or_else(|| self.what.clone(), |last| format!("{}: {last}", self.what))
    }

    /// Returns whether this account is at the place that the traceback names, or whether there is no
    /// traceback.
    fn is_at(&self, failing: &Failing) -> bool {
        let Some(site) = failing.frames.first() else { return true };
        self.frames.first().is_some_and(|shown| {
            (shown.line, &shown.function) == (site.line, &site.function)
                && shown.file.file_name() == site.file.file_name()
        })
    }

    /// Returns the request for a second run, or `None` if another run would not show more.
    fn watched(&self, failing: &Failing) -> Option<Failing> {
        let own = self.frames.iter().filter(|shown| !shown.is_library).take(WATCHED_FRAMES);
        let watch: Vec<_> =
            own.flat_map(|shown| &shown.values).filter_map(Value::watch).take(WATCHED).collect();
        let is_known = !failing.frames.is_empty() || failing.text.is_some();
        if self.clock.is_some() && is_known {
            return Some(Failing { clock: self.clock, ..failing.clone() });
        }
        if watch.is_empty() && (is_known || self.frames.is_empty()) {
            return None;
        }
        let site = |shown: &Shown| Site {
            file: shown.file.clone(),
            line: shown.line,
            function: shown.function.clone(),
        };
        let kind = (self.kind == Kind::Exception).then(|| self.what.clone());
        Some(Failing { kind, frames: self.frames.iter().map(site).collect(), watch, ..failing.clone() })
    }

    /// Returns the index of the innermost frame outside of the standard library, or of the innermost frame if
    /// there is none.
    #[must_use]
    pub fn failing(&self) -> Option<usize> {
        let own = self.frames.iter().position(|shown| !shown.is_library);
        own.or((!self.frames.is_empty()).then_some(0))
    }

    /// Locates the values in the input.
    fn locate(&mut self, inputs: &Inputs) {
        for shown in self.frames.iter_mut().chain(&mut self.written) {
            let condition = shown.condition.iter_mut().flat_map(|condition| &mut condition.values);
            for value in shown.values.iter_mut().chain(condition) {
                value.input = match (&value.base, value.index) {
                    (Some(base), Some(index)) => inputs.part(&base.text, base.length, index),
                    _ => inputs.text(&value.text, value.length).or_else(|| inputs.number(&value.value)),
                };
                for step in &mut value.steps {
                    step.input = inputs.text(&step.text, step.length).or_else(|| inputs.number(&step.value));
                }
            }
        }
    }
}

/// The number of values that can be watched in memory: the number of debug registers of the processor.
const WATCHED: usize = 4;
/// The number of frames whose values are watched.
const WATCHED_FRAMES: usize = 2;

impl Value {
    fn watch(&self) -> Option<(String, u32)> {
        Some((self.address.clone()?, self.size))
    }
}
