//! Looks into a program: an agent that runs it, and the language in which the agent is told what to change.
//!
//! A further one is a type with the functions of [`Debugger`], an agent beside the two that are there, and a line in [`of`].

mod gdb;
mod interpreter;

use crate::fault::Fault;
use crate::protocol::{Failing, Vertex};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

/// A way to look into a program.
pub trait Debugger: fmt::Debug + Send + Sync {
    /// Its name for people.
    fn name(&self) -> &'static str;

    /// The source of its agent.
    fn agent(&self) -> &'static str;

    /// The source of the agent's part for accounts of failures.
    fn origins(&self) -> &'static str;

    /// The words that run the agent, which stands at this path, with the request at `{}`.
    fn words(&self, agent: &Path) -> Vec<OsString>;

    /// Returns the expression of what an operation leads to from the expression of where it begins.
    fn expression(&self, of: &str, op: &str) -> String;

    /// The value of a reference to nothing.
    fn nothing(&self) -> &'static str;

    /// The name of a temporary variable.
    fn temporary(&self, number: usize) -> String;

    /// The command that gives a variable a value.
    fn assign(&self, place: &str, value: &str) -> String;

    /// The commands that put a text in place of another one; `None` if there is no room.
    fn write(&self, place: &str, old: &Vertex, new: &Vertex) -> Option<Vec<String>>;

    /// The command that makes something new of the type of `first`, or several of them in a row, and gives the variable a
    /// reference to it; `None` if that cannot be made.
    fn create(&self, variable: &str, first: &Vertex, count: usize) -> Option<String>;

    /// The expression of a tuple of this class with these parts, each with a comma behind it; `None` if it cannot be made.
    fn tuple(&self, of: &Vertex, parts: &str) -> Option<String>;

    /// The command that makes room for a text.
    fn create_text(&self, variable: &str, text: &Vertex) -> Option<Vec<String>>;

    /// The command that adds a part to a container which has no such part; `None` if it cannot be added.
    fn insert(&self, container: &str, op: &str, value: &str) -> Option<String>;

    /// The command that takes a part away from a container, or a variable if there is no container; `None` if it
    /// cannot be taken away.
    fn remove(&self, container: Option<&str>, op: &str) -> Option<String>;

    /// Returns the expression of a reference to what an expression stands for.
    fn reference(&self, expression: &str) -> String;

    /// Tells whether everything that has parts is reached by a reference: then a value never has parts inside of it.
    fn refers_to_all(&self) -> bool;

    /// The frames and the exception that the messages of a run tell of; none if this debugger's programs tell of none.
    fn traceback(&self, stderr: &[u8]) -> Option<Failing> {
        let _ = stderr;
        None
    }

    /// The commands that bring a run to a point, for a person at the debugger.
    fn go_to(&self, program: &[String], file: &Path, line: u32, count: u32) -> Vec<String>;

    /// Commands as a person types them at the debugger.
    fn typed(&self, commands: &[String]) -> Vec<String> {
        commands.to_vec()
    }
}

/// Returns what looks into a program, and the words that its agent is told: the program and its arguments.
///
/// # Errors
/// Returns an error if a word is not UTF-8.
pub fn of(words: &[OsString]) -> Result<(Box<dyn Debugger>, Vec<String>), Fault> {
    let text = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| Fault::Word(word.to_string_lossy().into_owned()))
    };
    let words: Vec<String> = words.iter().map(text).collect::<Result<_, _>>()?;
    if let Some((interpreter, program)) = interpreter::Interpreter::of(&words) {
        return Ok((Box::new(interpreter), program));
    }
    Ok((Box::new(gdb::Gdb), words))
}

/// Returns the last component of a program's path.
fn file_name(program: &str) -> &str {
    Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or(program)
}
