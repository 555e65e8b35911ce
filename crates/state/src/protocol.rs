//! Requests to an agent and its answers, as JSON values.
//!
//! `docs/design/causes.md` describes the protocol.

use crate::account::Account;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The task of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Record the executed statements.
    Trace,
    /// Run only some of the statements.
    Partial,
    /// Return the memory graph at a point.
    State,
    /// Run to the end, with optional commands at a point.
    Run,
    /// Return the account of the failure: its statement, its values and their origins.
    Origins,
}

/// A request: one run of the program.
#[derive(Clone, Debug, Serialize)]
pub struct Request<'r> {
    /// The task.
    pub task: Task,
    /// The program and its arguments, without the interpreter.
    pub program: &'r [String],
    /// The working directory.
    pub directory: &'r Path,
    /// The standard input; empty if `None`.
    pub stdin: Option<&'r Path>,
    /// The source files and directories whose statements are examined; the program's own if empty.
    pub sources: &'r [PathBuf],
    /// The maximum number of recorded events.
    pub most_events: usize,
    /// The maximum number of vertices of a graph.
    pub most_vertices: usize,
    /// The places of a partial run.
    #[serde(skip_serializing_if = "<[Place]>::is_empty")]
    pub places: &'r [Place],
    /// The events that a partial run executes, in order.
    #[serde(skip_serializing_if = "<[Event]>::is_empty")]
    pub kept: &'r [Event],
    /// The maximum number of stops of a partial run.
    pub most_stops: usize,
    /// The point at which commands are executed before the state at a later point is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<&'r Point>,
    /// The point at which the state is taken, or at which commands are executed. After a first point, its
    /// arrivals are counted from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<&'r Point>,
    /// The commands.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub commands: &'r [String],
    /// Files in the messages of the failing run, that of the innermost frame first. The agent decides which
    /// of them to examine.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub named: &'r [String],
    /// What is known about the failure, for its account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<&'r Failing>,
}

/// What is known about a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Failing {
    /// The name of the exception.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The line with the message of the exception.
    #[serde(skip)]
    pub message: Option<String>,
    /// The active frames, innermost first.
    pub frames: Vec<Site>,
    /// The text that the program writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The addresses and sizes of memory whose last changes are requested.
    pub watch: Vec<(String, u32)>,
    /// The number of the call at which an earlier run failed, as reported in its account. Only events shortly
    /// before it are recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<u64>,
    /// Other interpreters that the program starts are also watched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follow: bool,
}

/// The place of a frame in the messages of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Site {
    /// The file.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
}

/// A statement of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file, as an absolute path if known.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The enclosing function.
    pub function: String,
    /// The address of its code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// It creates or destroys the frame of a function, and cannot be omitted on its own.
    #[serde(default)]
    pub fixed: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        write!(f, "{}:{}", name.to_string_lossy(), self.line)
    }
}

/// The execution of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "(u32, u32)")]
pub struct Event {
    /// The statement: an index into the places of a trace.
    pub place: u32,
    /// The number of active frames, from 1.
    pub depth: u32,
    /// It is the first event of its frame.
    pub is_first: bool,
}

impl From<Vec<u32>> for Event {
    fn from(numbers: Vec<u32>) -> Self {
        let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
        Self { place: number(0), depth: number(1).max(1), is_first: number(2) == 1 }
    }
}

impl From<Event> for (u32, u32) {
    fn from(event: Event) -> Self {
        (event.place, event.depth)
    }
}

/// A place as named by the user, or as contained in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Spot {
    /// A place of a trace.
    Known(Place),
    /// A file, by the last components of its path, and a line.
    Named {
        /// The file.
        file: PathBuf,
        /// The line.
        line: u32,
    },
}

/// A point in a run: an arrival at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// The place.
    pub place: Spot,
    /// The number of the arrival, from 1.
    pub count: u32,
}

/// An answer: the result of one run.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// How the program ended.
    pub ending: Ending,
    /// The interpreter that ran, if any. The command may have been a script that selects the interpreter.
    #[serde(default)]
    pub executable: Option<PathBuf>,
    /// The end of standard output. Each byte is represented by the character with that number.
    #[serde(default)]
    pub stdout: String,
    /// The end of standard error, in the same representation.
    #[serde(default)]
    pub stderr: String,
    /// The point was reached.
    #[serde(default)]
    pub reached: bool,
    /// The problem with the program or the request, if there is one.
    #[serde(default)]
    pub problem: Option<Problem>,
    /// The first command that could not be executed.
    #[serde(default)]
    pub failed: Option<Refused>,
    /// The places of a trace.
    #[serde(default)]
    pub places: Vec<Place>,
    /// The events of a trace, in order.
    #[serde(default)]
    pub events: Vec<Event>,
    /// There were more events than requested; these are the last ones.
    #[serde(default)]
    pub is_cut: bool,
    /// For each place, the number of earlier events that were dropped.
    #[serde(default)]
    pub skipped: Vec<u32>,
    /// The memory graph.
    #[serde(default)]
    pub state: Option<State>,
    /// The account of the failure.
    #[serde(default)]
    pub account: Option<Account>,
    /// Notes for the user about the program, such as that it was compiled with optimisation.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// It exited with this status.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// The agent ended it, for this reason.
    Stuck(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit status {status}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Stuck(why) => f.write_str(why),
        }
    }
}

/// A problem with a program or a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Problem {
    /// The identifier of its kind.
    pub kind: String,
    /// A sentence for the user.
    pub text: String,
}

/// A command that could not be executed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refused {
    /// The command.
    pub command: String,
    /// The debugger's message.
    pub text: String,
}

/// The state of a program as reported by an agent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct State {
    /// The active frames, innermost first.
    pub frames: Vec<Frame>,
    /// The vertices of the memory graph.
    pub vertices: Vec<Vertex>,
    /// The edges of the memory graph.
    pub edges: Vec<Edge>,
    /// The graph is complete.
    pub is_whole: bool,
}

/// An active frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// The file.
    pub file: PathBuf,
    /// The current line.
    pub line: u32,
    /// The debugger's number of the frame, if it differs from its position among these frames.
    #[serde(default)]
    pub level: Option<u32>,
}

/// A vertex of a memory graph: an object in memory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Vertex {
    /// Its type, as written in the program.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its value. For atoms and strings, this is a text that can be used on the right of an assignment.
    #[serde(default)]
    pub value: String,
    /// Its size in bytes, or the number of elements.
    #[serde(default)]
    pub size: u64,
}

/// The kind of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A value without parts.
    Atom,
    /// A text.
    String,
    /// A null pointer.
    Null,
    /// A pointer to an object.
    Pointer,
    /// A pointer that does not point into a known memory area.
    Invalid,
    /// A structure, or an instance of a class.
    Record,
    /// An array or a list.
    Array,
    /// A tuple, or an instance of a tuple class; it is set as a whole.
    Tuple,
    /// A map of keys and values.
    Map,
    /// A set of values.
    Set,
    /// A value that cannot be set, such as a function.
    Opaque,
    /// A value that cannot be read, such as a variable that the compiler removed.
    Gone,
}

/// An edge of a memory graph.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Edge {
    /// The source vertex, or `None` for the root.
    pub from: Option<u32>,
    /// For a variable, its frame, where 0 is the innermost; `None` for a static variable.
    #[serde(default)]
    pub frame: Option<u32>,
    /// The operation that turns the expression of the source into that of the target, or the name of a
    /// variable.
    pub op: String,
    /// The target vertex.
    pub to: u32,
}

/// Returns the bytes of a text in which each character represents the byte with its number.
#[must_use]
pub fn bytes(latin: &str) -> Vec<u8> {
    latin.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}
