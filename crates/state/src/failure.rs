//! The failure of a program: specified by the user, or learned as the difference between the failing and the
//! passing run.

use crate::fault::Fault;
use crate::protocol::{Answer, Ending, bytes};
use nubbin_oracle::command::CommandRun;
use nubbin_oracle::signature::{Reader, Seen, Signature, Wanted};
use nubbin_oracle::{CommandOracle, Matcher, Protocol, Status};
use nubbin_search::{Cause, Verdict};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

/// The maximum length of a text that is searched in the output of a run.
const LONGEST_TEXT: usize = 100;

/// How a run ended, and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How the program ended; `None` if it did not end, or was ended by the debugger.
    pub status: Option<Status>,
    /// The end of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
    /// The reason why the debugger ended it, or a command that could not be executed.
    pub stuck: Option<String>,
}

impl Run {
    /// Extracts the run from an answer of the agent.
    #[must_use]
    pub fn of(answer: &Answer) -> Self {
        let problem = answer.problem.as_ref().map(|problem| problem.text.clone());
        let refused = answer.failed.as_ref().map(|failed| format!("`{}`: {}", failed.command, failed.text));
        let (status, stuck) = match &answer.ending {
            Ending::Exit(status) => (Some(Status::Exit(*status)), None),
            Ending::Signal(signal) => (Some(Status::Signal(*signal)), None),
            Ending::Stuck(why) => (None, Some(why.clone())),
        };
        let stuck = refused.or(problem).or(stuck);
        let status = if stuck.is_some() { None } else { status };
        Self { status, stdout: bytes(&answer.stdout), stderr: bytes(&answer.stderr), stuck }
    }

    /// Returns a run that exceeded its time limit.
    #[must_use]
    pub fn hangs() -> Self {
        let stuck = Some("it does not end within the time limit".to_owned());
        Self { status: None, stdout: Vec::new(), stderr: Vec::new(), stuck }
    }

    fn texts(&self) -> [&[u8]; 2] {
        [&self.stdout, &self.stderr]
    }
}

/// The definition of a failure.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The user specified it.
    Asked(Box<Matcher>),
    /// A run fails if it ends in this way and shows this message.
    Ends {
        /// How a failing run ends.
        fails: Status,
        /// Its message, if the format is recognized.
        message: Option<Box<Wanted>>,
        /// How a passing run ends, if known.
        passes: Option<Status>,
    },
    /// A run fails if it prints all of these words, and passes if it prints none of them.
    Says {
        /// How both runs end.
        ends: Status,
        /// The words.
        words: BTreeSet<String>,
    },
    /// A run fails if it writes exactly this text to standard output.
    Writes {
        /// How the run ends.
        ends: Status,
        /// The text.
        stdout: Vec<u8>,
        /// The text of a passing run, if known; any other text is then unresolved.
        passes: Option<Vec<u8>>,
    },
}

impl Failure {
    /// Learns the failure from a whole run: that it crashes, or otherwise its output.
    ///
    /// # Errors
    /// Returns an error if the run does not end.
    pub fn of_run(run: &Run) -> Result<Self, Fault> {
        let status = ended(run, "the run")?;
        let message = message(run, status);
        if message.is_some() || matches!(status, Status::Signal(_)) {
            return Ok(Self::Ends { fails: status, message, passes: None });
        }
        Ok(Self::Writes { ends: status, stdout: run.stdout.clone(), passes: None })
    }

    /// Learns the failure from two runs. Words in `input`, which contains the arguments and files of the
    /// failing run only, are ignored.
    ///
    /// # Errors
    /// Returns an error if a run does not end, or if both show the same.
    pub fn of_both(passing: &Run, failing: &Run, input: &[u8]) -> Result<Self, Fault> {
        let passes = ended(passing, "the passing run")?;
        let fails = ended(failing, "the failing run")?;
        if passes != fails {
            let message = message(failing, fails);
            return Ok(Self::Ends { fails, message, passes: Some(passes) });
        }
        if passing.texts() == failing.texts() {
            return Err(Fault::Runs(
                "both runs end in the same way and write the same, so the failure cannot be recognized"
                    .to_owned(),
            ));
        }
        let known: BTreeSet<String> = passing.texts().into_iter().chain([input]).flat_map(words).collect();
        let words: BTreeSet<String> =
            failing.texts().into_iter().flat_map(words).filter(|word| !known.contains(word)).collect();
        if words.is_empty() {
            let passes = Some(passing.stdout.clone());
            return Ok(Self::Writes { ends: fails, stdout: failing.stdout.clone(), passes });
        }
        Ok(Self::Says { ends: fails, words })
    }

    /// Returns the text in the output of a failing run by which the failure is recognized, or `None` if it is
    /// recognized by how the run ends.
    #[must_use]
    pub fn text_in(&self, run: &Run) -> Option<String> {
        let text = match self {
            Self::Ends { .. } => None,
            Self::Asked(matcher) => {
                let found = matcher.stdout.as_ref()?.find(&run.stdout)?;
                Some(whole_word(&run.stdout, found.range()))
            }
            Self::Says { words, .. } => words.iter().max_by_key(|word| word.len()).cloned(),
            Self::Writes { passes, .. } => {
                let known = passes.as_deref().unwrap_or_default();
                let is_new = |line: &&[u8]| !known.split(|&byte| byte == b'\n').any(|old| old == *line);
                let line = run.stdout.split(|&byte| byte == b'\n').find(is_new);
                line.map(|line| String::from_utf8_lossy(line).into_owned())
            }
        };
        let text = text?;
        let line = text.lines().find(|line| !line.trim().is_empty())?.trim();
        Some(line.chars().take(LONGEST_TEXT).collect())
    }

    /// Returns whether a run fails.
    #[must_use]
    pub fn verdict(&self, run: &Run) -> Verdict {
        let Some(status) = run.status else { return Verdict::Unresolved(Cause::Test) };
        let unless = |passes| if passes { Verdict::Uninteresting } else { Verdict::Unresolved(Cause::Test) };
        match self {
            Self::Asked(matcher) => judge(matcher, run, status),
            Self::Ends { fails, message, passes } => {
                let said = message.as_ref().map_or(Seen::Same, |one| one.look(&run.stdout, &run.stderr));
                if status == *fails && said == Seen::Same {
                    return Verdict::Interesting;
                }
                unless(passes.map_or(status == Status::Exit(0), |passes| passes == status))
            }
            Self::Says { ends, words: wanted } => {
                let said: BTreeSet<String> = run.texts().into_iter().flat_map(words).collect();
                let count = wanted.intersection(&said).count();
                if status == *ends && count == wanted.len() {
                    return Verdict::Interesting;
                }
                unless(status == *ends && count == 0)
            }
            Self::Writes { ends, stdout, passes } => {
                if status == *ends && run.stdout == *stdout {
                    return Verdict::Interesting;
                }
                unless(status == *ends && passes.as_ref().is_none_or(|passes| run.stdout == *passes))
            }
        }
    }

    /// Describes the failure.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Asked(_) => "as specified".to_owned(),
            Self::Ends { fails, message: Some(message), .. } => {
                format!("{fails}: {}", message.signature.title())
            }
            Self::Ends { fails, message: None, .. } => fails.to_string(),
            Self::Says { words, .. } => {
                let words: Vec<&str> = words.iter().take(5).map(String::as_str).collect();
                format!("writes `{}`", words.join("`, `"))
            }
            Self::Writes { stdout, .. } => {
                let text = String::from_utf8_lossy(stdout);
                format!("writes `{}`", text.trim_end().chars().take(60).collect::<String>())
            }
        }
    }
}

fn ended(run: &Run, which: &str) -> Result<Status, Fault> {
    run.status.ok_or_else(|| {
        let why = run.stuck.as_deref().unwrap_or("it does not end");
        Fault::Runs(format!("{which} gave no result: {why}"))
    })
}

/// Returns the message of an unsuccessful run, if its format is recognized.
fn message(run: &Run, status: Status) -> Option<Box<Wanted>> {
    let signature = Signature::of(&run.stdout, &run.stderr, &[]).filter(|_| status != Status::Exit(0))?;
    Some(Box::new(Wanted::new(signature, Reader::default())))
}

fn judge(matcher: &Matcher, run: &Run, status: Status) -> Verdict {
    let none: [&str; 0] = [];
    let judge = CommandOracle::new("", none, "").protocol(Protocol::Match(matcher.clone()));
    judge.judge(&CommandRun {
        verdict: Verdict::Uninteresting,
        status,
        stdout: run.stdout.clone(),
        stderr: run.stderr.clone(),
        elapsed: Duration::ZERO,
        is_lost: false,
    })
}

/// Extends a part of a text to the surrounding whitespace, since a whole word is more informative.
fn whole_word(text: &[u8], part: Range<usize>) -> String {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = text[..part.start].iter().rposition(is_blank).map_or(0, |at| at + 1);
    let end = text[part.end..].iter().position(is_blank).map_or(text.len(), |at| part.end + at);
    let is_empty = part.is_empty();
    String::from_utf8_lossy(if is_empty { &[] } else { &text[start..end] }).into_owned()
}

/// Splits a text into words at whitespace and punctuation.
fn words(text: &[u8]) -> impl Iterator<Item = String> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b",;:()[]{}\"'`=<>|/".contains(byte);
    let parts = text.split(is_between).filter(|part| !part.is_empty());
    parts
        .map(|part| String::from_utf8_lossy(part).trim_end_matches('.').to_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(status: i32, stdout: &str, stderr: &str) -> Run {
        let [stdout, stderr] = [stdout, stderr].map(|text| text.as_bytes().to_vec());
        Run { status: Some(Status::Exit(status)), stdout, stderr, stuck: None }
    }

    #[test]
    fn words_written_only_by_the_failing_run_are_the_failure_unless_in_its_input() {
        let (passing, failing) = (run(0, "7 8 9\n", ""), run(0, "0 11\n", ""));
        let failure = Failure::of_both(&passing, &failing, b"11 14").expect("they differ");
        assert_eq!(failure.words(), "writes `0`");
        assert_eq!(failure.verdict(&run(0, "0 7 8\n", "")), Verdict::Interesting);
        assert_eq!(failure.verdict(&run(0, "7 8\n", "")), Verdict::Uninteresting);
        assert_eq!(failure.verdict(&run(1, "7 8\n", "")), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn a_specified_failure_is_recognized_by_the_surrounding_word() {
        let asked = |regex: &str| {
            let stdout = Some(regex::bytes::Regex::new(regex).expect("a pattern"));
            Failure::Asked(Box::new(Matcher { stdout, ..Matcher::default() }))
        };
        let failing = run(0, "<p>a <!----> b</p>\n", "");
        assert_eq!(asked("<!").text_in(&failing).as_deref(), Some("<!---->"));
        assert_eq!(asked("x").text_in(&failing), None);
        assert_eq!(asked("^").text_in(&failing), None);
    }

    #[test]
    fn different_endings_distinguish_runs_and_a_third_one_is_unresolved() {
        let said =
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError: no\n";
        let (passing, failing) = (run(0, "", ""), run(1, "", said));
        let failure = Failure::of_both(&passing, &failing, b"").expect("they differ");
        assert_eq!(failure.verdict(&failing), Verdict::Interesting);
        assert_eq!(failure.verdict(&run(0, "x", "")), Verdict::Uninteresting);
        assert_eq!(failure.verdict(&run(1, "", "KeyError: 'x'\n")), Verdict::Unresolved(Cause::Test));
        assert_eq!(failure.verdict(&Run::hangs()), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn runs_with_equal_output_cannot_be_distinguished() {
        let both = run(0, "same\n", "");
        assert!(Failure::of_both(&both, &both, b"").is_err());
    }
}
