//! A program that makes one text of another, such as a formatter: run once, with a limit.
//!
//! The caller decides which text that is, and uses the result.

use super::process::{self, Failure, Look, ProcessEnd, Rules, Watch};
use rustix::process::Pid;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The characters that stand for the path of the text in a word.
const PLACEHOLDER: &str = "{}";

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The program and its arguments; in them `{}` is the path of a file that holds the text. Without a `{}` the text is
    /// its standard input.
    pub words: Vec<OsString>,
    /// The name of that file.
    pub name: OsString,
    /// The time that it may take; what it started is ended with it.
    pub limit: Duration,
}

/// The reason why there is no other text.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// It could not be run.
    #[error("it cannot be run: {0}")]
    Start(#[from] io::Error),
    /// It took too long.
    #[error("it took more than {} s", .0.as_secs())]
    TimedOut(Duration),
    /// It did not end with exit status 0.
    #[error("it ended with {0}")]
    Failed(std::process::ExitStatus),
}

impl Filter {
    /// Returns what the program writes to standard output for this text.
    ///
    /// # Errors
    /// Returns an error if it cannot be run, takes too long or fails.
    pub fn run(&self, text: &[u8]) -> Result<Vec<u8>, FilterError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(&self.name);
        fs::write(&path, text)?;
        let takes_path = self.words.iter().any(|word| word.to_string_lossy().contains(PLACEHOLDER));
        let words: Vec<OsString> = self.words.iter().map(|word| with_path(word, &path)).collect();
        let (program, arguments) =
            words.split_first().ok_or(io::ErrorKind::InvalidInput).map_err(io::Error::from)?;
        let output = tempfile::tempfile()?;
        let mut command = Command::new(program);
        let stdin = if takes_path { Stdio::null() } else { fs::File::open(&path)?.into() };
        command.args(arguments).stdin(stdin).stdout(output.try_clone()?).stderr(Stdio::null());
        command.process_group(0);
        let rules = Rules { limit: self.limit, cpu: None, reaps: false };
        let (ending, _) =
            process::run(&mut command, rules, &mut Nothing).map_err(|failure| match failure {
                Failure::Start(error) | Failure::Wait(error) => error,
            })?;
        match ending {
            ProcessEnd::Ended(status) if status.success() => {}
            ProcessEnd::Ended(status) => return Err(FilterError::Failed(status)),
            _ => return Err(FilterError::TimedOut(self.limit)),
        }
        let mut written = Vec::new();
        let mut output = output;
        io::Seek::rewind(&mut output)?;
        io::Read::read_to_end(&mut output, &mut written)?;
        Ok(written)
    }
}

fn with_path(word: &OsString, path: &Path) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(PLACEHOLDER, &path.to_string_lossy()).into(),
        None => word.clone(),
    }
}

/// Nothing is watched.
struct Nothing;

impl Watch for Nothing {
    fn tick(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn look(&mut self, _: Pid, _: [bool; 2]) -> io::Result<Look> {
        Ok(Look::GoOn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str], limit: u64) -> Result<Vec<u8>, FilterError> {
        let words = words.iter().map(OsString::from).collect();
        Filter { words, name: "x.txt".into(), limit: Duration::from_millis(limit) }.run(b"b\na\n")
    }

    #[test]
    fn a_text_goes_in_by_standard_input_or_as_a_file() {
        assert_eq!(run(&["sort"], 10_000).expect("it runs"), b"a\nb\n");
        assert_eq!(
            run(&["sh", "-c", "sort \"$0\"; basename \"$0\"", "{}"], 10_000).expect("it runs"),
            b"a\nb\nx.txt\n"
        );
    }

    #[test]
    fn what_fails_or_hangs_is_an_error() {
        assert!(matches!(run(&["false"], 10_000), Err(FilterError::Failed(_))));
        assert!(matches!(run(&["no-such-program"], 10_000), Err(FilterError::Start(_))));
        assert!(matches!(
            run(&["sh", "-c", "trap '' TERM; sleep 60 & wait"], 50),
            Err(FilterError::TimedOut(_))
        ));
    }
}
