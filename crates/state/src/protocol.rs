//! The questions to an agent, which looks into a program, and its answers: plain values, as JSON.
//!
//! `docs/design/causes.md` says what an agent does with them.

use crate::account::Account;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The thing that an agent is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// The statements that the run executes.
    Trace,
    /// A run of some of them only.
    Partial,
    /// The memory graph at a point.
    State,
    /// A run to its end, perhaps with commands at a point.
    Run,
    /// The account of the failure: its statement, values, and where these came from.
    Origins,
}

/// A question: one run of the program.
#[derive(Clone, Debug, Serialize)]
pub struct Request<'r> {
    /// The thing that is asked for.
    pub task: Task,
    /// The program and its arguments; without the interpreter, where there is one.
    pub program: &'r [String],
    /// The directory that it runs in.
    pub directory: &'r Path,
    /// Its standard input; without one it is empty.
    pub stdin: Option<&'r Path>,
    /// The files and directories whose statements count; the program's own if there are none.
    pub sources: &'r [PathBuf],
    /// At most so many events are recorded.
    pub most_events: usize,
    /// At most so many vertices are in a graph.
    pub most_vertices: usize,
    /// The places of a partial run.
    #[serde(skip_serializing_if = "<[Place]>::is_empty")]
    pub places: &'r [Place],
    /// The events that a partial run executes, in order.
    #[serde(skip_serializing_if = "<[Event]>::is_empty")]
    pub kept: &'r [Event],
    /// At most so many stops are made by a partial run.
    pub most_stops: usize,
    /// The point at which commands are executed before a state is taken at a later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<&'r Point>,
    /// The point that a state is taken at, or commands are executed at. Behind a first point its arrivals are counted from
    /// there on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<&'r Point>,
    /// These commands.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub commands: &'r [String],
    /// Files that the messages of the failing run name, the innermost frame's first: the agent decides which of them count.
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
    /// The line that tells of the exception.
    #[serde(skip)]
    pub message: Option<String>,
    /// The active frames, the innermost first.
    pub frames: Vec<Site>,
    /// The text that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Addresses in memory, and how many bytes are there, whose last changes are wanted.
    pub watch: Vec<(String, u32)>,
    /// The call at which another run failed, as its account counts calls: only what comes shortly before it is noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<u64>,
    /// Other interpreters that the program starts are watched as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follow: bool,
}

/// The place of a frame, as the program's messages name it.
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
    /// Its file, as an absolute path where that is known.
    pub file: PathBuf,
    /// Its line, from 1 on.
    pub line: u32,
    /// The function that it is in.
    pub function: String,
    /// The address of its code, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// It makes or unmakes the frame of a function, and cannot be left out by itself.
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
    /// The number of active frames, from 1 on.
    pub depth: u32,
    /// It is the first one of its frame.
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

/// A place as a user names it, or as a trace has it.
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
    /// The number of the arrival, from 1 on.
    pub count: u32,
}

/// An answer: what one run came to.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// The way in which the program ended.
    pub ending: Ending,
    /// The interpreter that ran, where one did: what was called may be a script that looks for it.
    #[serde(default)]
    pub executable: Option<PathBuf>,
    /// The end of its standard output, each byte as the character of that number.
    #[serde(default)]
    pub stdout: String,
    /// The end of its standard error.
    #[serde(default)]
    pub stderr: String,
    /// The point was reached.
    #[serde(default)]
    pub reached: bool,
    /// The fault in the program or the question, if there is one.
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
    /// There were more events than wanted: these are the last ones.
    #[serde(default)]
    pub is_cut: bool,
    /// For each place the number of events before these.
    #[serde(default)]
    pub skipped: Vec<u32>,
    /// The memory graph.
    #[serde(default)]
    pub state: Option<State>,
    /// The account of the failure.
    #[serde(default)]
    pub account: Option<Account>,
    /// Something that the user should know about the program, such as that it was compiled with optimisation.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// It exited with this status.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// The agent gave up, for this reason.
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

/// A fault in a program or a question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Problem {
    /// Its kind, as a word.
    pub kind: String,
    /// A sentence.
    pub text: String,
}

/// A command that could not be executed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refused {
    /// The command.
    pub command: String,
    /// The debugger's words about it.
    pub text: String,
}

/// The state of a program as an agent tells it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct State {
    /// The active frames, the innermost first.
    pub frames: Vec<Frame>,
    /// The vertices of the memory graph.
    pub vertices: Vec<Vertex>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// Nothing was left out.
    pub is_whole: bool,
}

/// An active frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct Frame {
    /// Its function.
    pub function: String,
    /// The file.
    pub file: PathBuf,
    /// The line that it is at.
    pub line: u32,
    /// The number that the debugger knows it by, where that is not its position among these frames.
    #[serde(default)]
    pub level: Option<u32>,
}

/// A vertex of a memory graph: something in memory that has a value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Vertex {
    /// Its type, as the program writes it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its value: for atoms and strings a text that can stand at the right of an assignment.
    #[serde(default)]
    pub value: String,
    /// Its size: bytes, or the number of elements.
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
    /// A pointer to nothing.
    Null,
    /// A pointer to something.
    Pointer,
    /// A pointer to no known area.
    Invalid,
    /// A structure, or an instance of a class.
    Record,
    /// An array, a list.
    Array,
    /// A tuple, or an object of a class of tuples: it is set as a whole.
    Tuple,
    /// A table of keys and values.
    Map,
    /// A set of values.
    Set,
    /// Something that cannot be set, such as a function.
    Opaque,
    /// Something that cannot be looked at, such as a variable that the compiler removed.
    Gone,
}

/// An edge of a memory graph.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Edge {
    /// The vertex that it begins at; the root if there is none.
    pub from: Option<u32>,
    /// The frame of a variable, the innermost is 0; static if there is none.
    #[serde(default)]
    pub frame: Option<u32>,
    /// The operation that makes the expression of its end from that of its beginning; the name of a variable.
    pub op: String,
    /// The vertex that it leads to.
    pub to: u32,
}

/// Returns the bytes of a text that has each byte as the character of that number.
#[must_use]
pub fn bytes(latin: &str) -> Vec<u8> {
    latin.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}
