//! Debuggers: how to run an agent inside a program, and the command language of each debugger.
//!
//! To support another debugger, implement [`Debugger`], write an agent, and add a line to [`of`].

mod gdb;
mod interpreter;

use crate::fault::Fault;
use crate::protocol::{Failing, Vertex};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

/// A debugger that can examine a program.
pub trait Debugger: fmt::Debug + Send + Sync {
    /// Returns the name of the debugger for messages.
    fn name(&self) -> &'static str;

    /// Returns the source of the agent.
    fn agent(&self) -> &'static str;

    /// Returns the source of the agent's part for accounts of failures.
    fn origins(&self) -> &'static str;

    /// Returns the command that runs the agent at this path, with `{}` for the request file.
    fn words(&self, agent: &Path) -> Vec<OsString>;

    /// Returns the expression for the target of an operation on the expression `of`.
    fn expression(&self, of: &str, op: &str) -> String;

    /// Returns the null reference.
    fn nothing(&self) -> &'static str;

    /// Returns the name of a temporary variable.
    fn temporary(&self, number: usize) -> String;

    /// Returns the command that assigns a value to a variable.
    fn assign(&self, place: &str, value: &str) -> String;

    /// Returns the commands that overwrite one text with another, or `None` if there is not enough space.
    fn write(&self, place: &str, old: &Vertex, new: &Vertex) -> Option<Vec<String>>;

    /// Returns the command that creates `count` adjacent objects of the type of `first` and assigns a
    /// reference to `variable`, or `None` if that is impossible.
    fn create(&self, variable: &str, first: &Vertex, count: usize) -> Option<String>;

    /// Returns the expression for a tuple of this class. `parts` lists its elements, each followed by a
    /// comma. Returns `None` if the tuple cannot be created.
    fn tuple(&self, of: &Vertex, parts: &str) -> Option<String>;

    /// Returns the commands that allocate memory for a text.
    fn create_text(&self, variable: &str, text: &Vertex) -> Option<Vec<String>>;

    /// Returns the command that adds a new element to a container, or `None` if that is impossible.
    fn insert(&self, container: &str, op: &str, value: &str) -> Option<String>;

    /// Returns the command that removes an element from a container, or a variable if `container` is `None`.
    /// Returns `None` if that is impossible.
    fn remove(&self, container: Option<&str>, op: &str) -> Option<String>;

    /// Returns the expression for a reference to an expression.
    fn reference(&self, expression: &str) -> String;

    /// Returns whether every compound value is accessed through a reference, so that values never contain
    /// other values directly.
    fn refers_to_all(&self) -> bool;

    /// Returns the frames and the exception of a traceback in the standard error of a run, or `None` if there
    /// is none.
    fn traceback(&self, stderr: &[u8]) -> Option<Failing> {
        let _ = stderr;
        None
    }

    /// Returns the commands by which a person brings a run to a point in the debugger.
    fn go_to(&self, program: &[String], file: &Path, line: u32, count: u32) -> Vec<String>;

    /// Returns the commands as a person types them in the debugger.
    fn typed(&self, commands: &[String]) -> Vec<String> {
        commands.to_vec()
    }
}

/// Returns the debugger for a program, and the arguments for its agent: the program and its arguments.
///
/// # Errors
/// Returns an error if an argument is not UTF-8.
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

fn file_name(program: &str) -> &str {
    Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or(program)
}
