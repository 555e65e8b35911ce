//! The messages between a test server and its client: JSON objects, one in a line.
//!
//! A server is a process that is asked about one candidate after another. It reads each question as a line
//! from standard input, and writes each answer as a line to standard output. This module starts no processes.

use crate::Status;
use nubbin_search::{Cause, Verdict};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A question about a candidate. The order of the keys is fixed, so that shell scripts can parse the line.
#[derive(Debug, Serialize)]
pub(crate) struct Question<'q> {
    /// A number that is unique for this server.
    id: u64,
    /// The path of the candidate, or of its first file.
    path: &'q str,
    /// The paths of all files of the candidate.
    paths: &'q [String],
    /// The directory in which a probe runs.
    directory: &'q str,
    /// The file for the candidate's standard output.
    stdout: &'q str,
    /// The file for the candidate's standard error.
    stderr: &'q str,
}

/// The paths in the questions to a server; they are the same for each candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Places {
    paths: Vec<String>,
    directory: String,
    stdout: String,
    stderr: String,
    /// Whether a server is asked about one candidate only.
    is_asked_once: bool,
}

impl Places {
    pub fn new(paths: &[PathBuf], directory: &Path, outputs: [&Path; 2]) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Self {
            paths: paths.iter().map(|path| text(path)).collect(),
            directory: text(directory),
            stdout: text(outputs[0]),
            stderr: text(outputs[1]),
            is_asked_once: false,
        }
    }

    pub fn asked_once(self, is_asked_once: bool) -> Self {
        Self { is_asked_once, ..self }
    }

    pub fn is_asked_once(&self) -> bool {
        self.is_asked_once
    }

    /// Returns the question about the candidate with this number.
    pub fn question(&self, id: u64) -> Vec<u8> {
        let question = Question {
            id,
            path: self.paths.first().map_or("", String::as_str),
            paths: &self.paths,
            directory: &self.directory,
            stdout: &self.stdout,
            stderr: &self.stderr,
        };
        let mut line = serde_json::to_vec(&question).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// Returns a question about these files, for asking a server by hand. Both outputs are standard error.
#[must_use]
pub fn question(paths: &[PathBuf], directory: &Path) -> String {
    let errors = Path::new("/dev/stderr");
    let line = Places::new(paths, directory, [errors, errors]).question(1);
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

/// The verdicts in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Interesting,
    Uninteresting,
    Unresolved,
}

/// An answer before validation.
#[derive(Debug, Deserialize)]
struct Line {
    id: u64,
    verdict: Option<Word>,
    exit: Option<i32>,
    signal: Option<i32>,
    stdout: Option<String>,
    stderr: Option<String>,
}

/// The answer about a candidate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// An exit status, a signal, or a verdict.
    pub status: Status,
    /// The candidate's outputs, if the answer contains them.
    pub outputs: [Option<String>; 2],
}

/// Parses the answer to the question with this number.
///
/// # Errors
/// Returns a description of the problem unless the answer is one line with this number and exactly one of
/// `verdict`, `exit` and `signal`.
pub(crate) fn reply(said: &[u8], id: u64) -> Result<Reply, String> {
    let Some((line, rest)) = said.iter().position(|&byte| byte == b'\n').map(|at| said.split_at(at + 1))
    else {
        return Err("it does not end with a newline".to_owned());
    };
    if !rest.is_empty() {
        return Err("it has more than one line".to_owned());
    }
    let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if line.id != id {
        return Err(format!("it is for the candidate {}, expected {id}", line.id));
    }
    let status = match (line.verdict, line.exit, line.signal) {
        (Some(word), None, None) => Status::Told(match word {
            Word::Interesting => Verdict::Interesting,
            Word::Uninteresting => Verdict::Uninteresting,
            Word::Unresolved => Verdict::Unresolved(Cause::Test),
        }),
        (None, Some(status), None) => Status::Exit(status),
        (None, None, Some(signal)) => Status::Signal(signal),
        _ => return Err("it must have exactly one of `verdict`, `exit` and `signal`".to_owned()),
    };
    Ok(Reply { status, outputs: [line.stdout, line.stderr] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_one_line_with_its_keys_in_order() {
        let paths = [PathBuf::from("/lab/work/a \"b\".c"), PathBuf::from("/lab/work/c.c")];
        let places =
            Places::new(&paths, Path::new("/lab/work"), [Path::new("/lab/stdout"), Path::new("/lab/stderr")]);
        let line = String::from_utf8(places.question(7)).expect("text");
        assert_eq!(
            line,
            "{\"id\":7,\"path\":\"/lab/work/a \\\"b\\\".c\",\"paths\":[\"/lab/work/a \\\"b\\\".c\",\"/lab/work/c.c\"],\
             \"directory\":\"/lab/work\",\"stdout\":\"/lab/stdout\",\"stderr\":\"/lab/stderr\"}\n"
        );
    }

    #[test]
    fn an_answer_is_a_status_or_a_verdict_with_what_was_written() {
        let status = |line: &str| reply(line.as_bytes(), 3).map(|reply| reply.status);
        assert_eq!(status("{\"id\":3,\"exit\":1}\n"), Ok(Status::Exit(1)));
        assert_eq!(status("{\"signal\": 11, \"id\": 3, \"more\": []}\n"), Ok(Status::Signal(11)));
        assert_eq!(
            status("{\"id\":3,\"verdict\":\"interesting\"}\n"),
            Ok(Status::Told(Verdict::Interesting))
        );
        let both = reply(b"{\"id\":3,\"exit\":0,\"stdout\":\"a\\u0000b\",\"stderr\":\"c\"}\n", 3);
        assert_eq!(both.expect("an answer").outputs, [Some("a\0b".to_owned()), Some("c".to_owned())]);
    }

    #[test]
    fn nonsense_is_told_from_an_answer() {
        for said in [
            "",
            "{\"id\":3,\"exit\":1}",
            "hello\n",
            "{\"id\":4,\"exit\":1}\n",
            "{\"id\":3}\n",
            "{\"id\":3,\"exit\":1,\"signal\":2}\n",
            "{\"id\":3,\"verdict\":\"maybe\"}\n",
            "{\"id\":3,\"exit\":1}\n{\"id\":3,\"exit\":1}\n",
            "[3]\n",
        ] {
            assert!(reply(said.as_bytes(), 3).is_err(), "{said}");
        }
    }
}
