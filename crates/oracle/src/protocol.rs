//! Verdicts on a candidate from a finished process: the script protocol and matchers.
//!
//! It starts nothing and reads no files.

use super::command::{MATCHED, TAIL};
use super::limits::Limit;
use crate::signature::{Seen, Signature, Wanted};
use nubbin_search::Cause;
use nubbin_search::Verdict;
use regex::bytes::Regex;
use std::fmt;

/// The exit status by which a script says that it cannot tell, as with `git bisect run`.
const UNRESOLVED: i32 = 125;

/// The way in which a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It exited with this status.
    Exit(i32),
    /// It was killed by the signal of this number.
    Signal(i32),
    /// It ran into the time limit and was killed.
    TimedOut,
    /// It ran into another limit and was killed.
    OverLimit(Limit),
    /// It is a server, and told the verdict itself.
    Told(Verdict),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exited with status {status}"),
            Self::Signal(signal) => write!(f, "was killed by signal {signal}"),
            Self::TimedOut => write!(f, "ran into the time limit"),
            Self::OverLimit(limit) => write!(f, "ran into the {limit}"),
            Self::Told(verdict) => f.write_str(match verdict {
                Verdict::Interesting => "was told to be interesting",
                Verdict::Uninteresting => "was told to be uninteresting",
                Verdict::Unresolved(_) => "was told to be unresolved",
            }),
        }
    }
}

/// The way in which the end of a process becomes a verdict.
#[derive(Clone, Debug, Default)]
#[expect(clippy::large_enum_variant, reason = "a run has a few of them")]
pub enum Protocol {
    /// A script that answers with its exit status: 0 is interesting, 125 and a limit that was hit are unresolved, anything else, a signal included, is uninteresting.
    #[default]
    Script,
    /// A command that shows the failure itself: the matcher tells it from everything else.
    Match(Matcher),
}

impl Protocol {
    /// Returns the number of bytes at the end of each output that the verdict depends on.
    pub(super) fn reads(&self) -> u64 {
        match self {
            Self::Match(matcher) if matcher.reads() => MATCHED,
            Self::Match(matcher) if matcher.message.is_some() => TAIL,
            Self::Match(_) | Self::Script => 0,
        }
    }

    /// The verdict about a process that ended like this and wrote this.
    pub(super) fn judge(&self, status: Status, stdout: &[u8], stderr: &[u8]) -> Verdict {
        if let Status::Told(verdict) = status {
            return verdict;
        }
        match self {
            Self::Script => match status {
                Status::Exit(0) => Verdict::Interesting,
                Status::Exit(UNRESOLVED) | Status::OverLimit(_) => Verdict::Unresolved(Cause::Test),
                Status::TimedOut => Verdict::Unresolved(Cause::Timeout),
                Status::Exit(_) | Status::Signal(_) | Status::Told(_) => Verdict::Uninteresting,
            },
            Self::Match(matcher) => matcher.judge(status, stdout, stderr),
        }
    }
}

/// The marks of the failure; those that are given must hold together.
///
/// A process that ran into a limit matches only where `status` says so.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// The way in which the process ends.
    pub status: Option<Status>,
    /// Its standard output has a match of this.
    pub stdout: Option<Regex>,
    /// Its standard error has a match of this.
    pub stderr: Option<Regex>,
    /// Its standard output has no match of this.
    pub not_stdout: Option<Regex>,
    /// Its standard error has no match of this.
    pub not_stderr: Option<Regex>,
    /// Its messages tell of this failure. If they tell of another one instead, it is unresolved.
    pub message: Option<Wanted>,
    /// The ordinary errors that may stand beside what its outputs have in them; `None` if any may.
    pub beside: Option<Vec<Signature>>,
    /// A process that passes ends in this way: then one that ends in another way, and is not the failure, is
    /// unresolved.
    pub passing: Option<Status>,
}

impl Matcher {
    /// Tells whether an output is searched for something.
    fn reads(&self) -> bool {
        [&self.stdout, &self.stderr, &self.not_stdout, &self.not_stderr].into_iter().any(Option::is_some)
    }

    /// Tells whether a process writes something that the failure does not write.
    #[must_use]
    pub fn is_refused(&self, stdout: &[u8], stderr: &[u8]) -> bool {
        let has =
            |regex: &Option<Regex>, text: &[u8]| regex.as_ref().is_some_and(|regex| regex.is_match(text));
        has(&self.not_stdout, stdout) || has(&self.not_stderr, stderr)
    }

    /// Everything holds: interesting. The process exits with another status, or lacks the text: uninteresting. It is killed
    /// by another signal, runs into a limit, or says that another failure of the same kind happened: unresolved. Where it
    /// is known how a process passes, any other status is unresolved as well.
    fn judge(&self, status: Status, stdout: &[u8], stderr: &[u8]) -> Verdict {
        let by_itself = matches!(status, Status::Exit(_) | Status::Signal(_));
        let ends_so = self.status.map_or(by_itself, |wanted| wanted == status);
        let holds = |regex: &Option<Regex>, text: &[u8]| regex.as_ref().is_none_or(|r| r.is_match(text));
        let is_so = ends_so
            && holds(&self.stdout, stdout)
            && holds(&self.stderr, stderr)
            && !self.is_refused(stdout, stderr)
            && self.beside.as_ref().is_none_or(|beside| Signature::are_all(beside, end(stdout), end(stderr)));
        let said = self
            .message
            .as_ref()
            .filter(|_| is_so)
            .map_or(Seen::Same, |message| message.look(end(stdout), end(stderr)));
        if is_so && said == Seen::Same {
            Verdict::Interesting
        } else if said == Seen::Other {
            Verdict::Unresolved(Cause::Test)
        } else if self
            .passing
            .map_or(ends_so || matches!(status, Status::Exit(_)), |passing| passing == status)
        {
            Verdict::Uninteresting
        } else if status == Status::TimedOut {
            Verdict::Unresolved(Cause::Timeout)
        } else {
            Verdict::Unresolved(Cause::Test)
        }
    }
}

/// The part of an output that messages are looked for in.
fn end(output: &[u8]) -> &[u8] {
    &output[output.len().saturating_sub(TAIL as usize)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(status: Option<Status>, stderr: &str) -> Protocol {
        let stderr = (!stderr.is_empty()).then(|| Regex::new(stderr).expect("a valid expression"));
        Protocol::Match(Matcher { status, stderr, ..Matcher::default() })
    }

    #[test]
    fn a_script_answers_with_its_exit_status() {
        let judge = |status| Protocol::Script.judge(status, b"", b"");
        assert_eq!(judge(Status::Exit(0)), Verdict::Interesting);
        assert_eq!(judge(Status::Exit(1)), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(125)), Verdict::Unresolved(Cause::Test));
        assert_eq!(judge(Status::Signal(11)), Verdict::Uninteresting);
        assert_eq!(judge(Status::TimedOut), Verdict::Unresolved(Cause::Timeout));
        assert_eq!(judge(Status::OverLimit(Limit::Output)), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn what_a_matcher_wants_must_hold_together() {
        let protocol = matcher(Some(Status::Exit(1)), "internal .* error");
        let judge = |status, stderr: &[u8]| protocol.judge(status, b"", stderr);
        assert_eq!(judge(Status::Exit(1), b"internal compiler error \xff"), Verdict::Interesting);
        assert_eq!(judge(Status::Exit(1), b"syntax error"), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(0), b"internal compiler error"), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(4), b"internal compiler error"), Verdict::Uninteresting);
        assert_eq!(judge(Status::Signal(11), b""), Verdict::Unresolved(Cause::Test));
        assert_eq!(judge(Status::TimedOut, b"internal compiler error"), Verdict::Unresolved(Cause::Timeout));
    }

    #[test]
    fn a_text_alone_may_come_with_any_status_but_not_with_a_timeout() {
        let protocol = matcher(None, "boom");
        assert_eq!(protocol.judge(Status::Exit(0), b"", b"boom"), Verdict::Interesting);
        assert_eq!(protocol.judge(Status::Signal(6), b"", b"boom"), Verdict::Interesting);
        assert_eq!(protocol.judge(Status::TimedOut, b"", b"boom"), Verdict::Unresolved(Cause::Timeout));
        let too_many = Status::OverLimit(Limit::Processes);
        assert_eq!(protocol.judge(too_many, b"", b"boom"), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn where_it_is_known_how_it_passes_anything_else_is_unresolved() {
        let stderr = Some(Regex::new("boom").expect("a valid expression"));
        let passing = Some(Status::Exit(0));
        let protocol = Protocol::Match(Matcher { stderr, passing, ..Matcher::default() });
        assert_eq!(protocol.judge(Status::Exit(1), b"", b"boom"), Verdict::Interesting);
        assert_eq!(protocol.judge(Status::Exit(0), b"", b""), Verdict::Uninteresting);
        assert_eq!(protocol.judge(Status::Exit(1), b"", b"syntax error"), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn what_the_failure_does_not_write_makes_it_another_one() {
        let without = |text: &str| Some(Regex::new(text).expect("a valid expression"));
        let status = Some(Status::Exit(1));
        let matcher = Matcher {
            status,
            not_stdout: without("0 passed"),
            not_stderr: without("syntax"),
            ..Matcher::default()
        };
        let judge = |stdout: &[u8], stderr: &[u8]| {
            Protocol::Match(matcher.clone()).judge(Status::Exit(1), stdout, stderr)
        };
        assert_eq!(judge(b"fine", b"boom"), Verdict::Interesting);
        assert_eq!(judge(b"0 passed", b"boom"), Verdict::Uninteresting);
        assert_eq!(judge(b"fine", b"boom\nsyntax error"), Verdict::Uninteresting);
    }

    #[test]
    fn an_ordinary_error_beside_the_failure_makes_it_another_one() {
        let ice = "a.c:1:2: internal compiler error: in fold, at x.cc:3\n";
        let error = "a.c:1:2: error: expected ';' before 'int'\n";
        let known = "a.c:1:2: error: unknown type name 'word'\n";
        let signature = Signature::of(b"", ice.as_bytes(), &[]).expect("a known form");
        let beside = Some(Signature::diagnostics(b"", known.as_bytes()));
        let judge = |beside, stderr: &str| {
            let message = Some(Wanted { beside, ..Wanted::new(signature.clone(), Vec::new()) });
            let matcher = Matcher { status: Some(Status::Exit(1)), message, ..Matcher::default() };
            Protocol::Match(matcher).judge(Status::Exit(1), b"", stderr.as_bytes())
        };
        assert_eq!(
            judge(beside.clone(), &format!("{}{ice}", known.replace("word", "a"))),
            Verdict::Interesting
        );
        assert_eq!(judge(beside, &format!("{error}{ice}")), Verdict::Uninteresting);
        assert_eq!(judge(None, &format!("{error}{ice}")), Verdict::Interesting);
    }

    #[test]
    fn another_message_with_the_same_status_is_unresolved() {
        let ice = |place: &str| format!("a.c:1:2: internal compiler error: in {place}, at x.cc:3\n");
        let signature = Signature::of(b"", ice("fold").as_bytes(), &[]).expect("a known form");
        let message = Some(Wanted::new(signature, Vec::new()));
        let protocol =
            Protocol::Match(Matcher { status: Some(Status::Exit(1)), message, ..Matcher::default() });
        let judge = |status, stderr: &str| protocol.judge(status, b"", stderr.as_bytes());
        assert_eq!(judge(Status::Exit(1), &ice("fold")), Verdict::Interesting);
        assert_eq!(judge(Status::Exit(1), &ice("expand")), Verdict::Unresolved(Cause::Test));
        assert_eq!(judge(Status::Exit(1), "a.c:1:2: error: expected ';'\n"), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(4), &ice("fold")), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(0), ""), Verdict::Uninteresting);
    }

    #[test]
    fn a_timeout_can_be_the_failure() {
        let protocol = matcher(Some(Status::TimedOut), "");
        assert_eq!(protocol.judge(Status::TimedOut, b"", b""), Verdict::Interesting);
        assert_eq!(protocol.judge(Status::Exit(0), b"", b""), Verdict::Uninteresting);
        assert_eq!(protocol.judge(Status::Exit(1), b"", b""), Verdict::Uninteresting);
        assert_eq!(protocol.judge(Status::Signal(11), b"", b""), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn where_it_is_known_how_a_process_passes_any_other_status_is_unresolved() {
        let Protocol::Match(matcher) = matcher(Some(Status::Exit(1)), "") else { unreachable!() };
        let protocol = Protocol::Match(Matcher { passing: Some(Status::Exit(0)), ..matcher });
        assert_eq!(protocol.judge(Status::Exit(0), b"", b""), Verdict::Uninteresting);
        assert_eq!(protocol.judge(Status::Exit(4), b"", b""), Verdict::Unresolved(Cause::Test));
    }
}
