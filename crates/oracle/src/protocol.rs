//! Derives the verdict on a candidate from a finished process, by the script protocol or by a matcher.

use super::command::MATCHED;
use super::excerpt;
use super::limits::Limit;
use crate::signature::{Reader, Seen, Signature, Wanted};
use nubbin_search::Cause;
use nubbin_search::Verdict;
use regex::bytes::Regex;
use std::borrow::Cow;
use std::fmt;

/// The exit status by which a script reports that it cannot decide, as with `git bisect run`.
const UNRESOLVED: i32 = 125;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It exited with this status.
    Exit(i32),
    /// It was killed by the signal of this number.
    Signal(i32),
    /// It reached the time limit and was killed.
    TimedOut,
    /// It exceeded another limit and was killed.
    OverLimit(Limit),
    /// A server reported this verdict.
    Told(Verdict),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exited with status {status}"),
            Self::Signal(signal) => write!(f, "was killed by signal {signal}"),
            Self::TimedOut => write!(f, "exceeded the time limit"),
            Self::OverLimit(limit) => write!(f, "exceeded the {limit}"),
            Self::Told(verdict) => f.write_str(match verdict {
                Verdict::Interesting => "was reported as interesting",
                Verdict::Uninteresting => "was reported as uninteresting",
                Verdict::Unresolved(_) => "was reported as unresolved",
            }),
        }
    }
}

/// How the end of a process becomes a verdict.
#[derive(Clone, Debug, Default)]
#[expect(clippy::large_enum_variant, reason = "a run has a few of them")]
pub enum Protocol {
    /// A script that answers with its exit status: 0 is interesting; 125 or an exceeded limit is unresolved;
    /// any other status or a signal is uninteresting.
    #[default]
    Script,
    /// A command that shows the failure itself; the matcher distinguishes the failure from other results.
    Match(Matcher),
}

impl Protocol {
    /// Returns the number of bytes at the end of each output in which expressions are searched.
    pub(super) fn reads(&self) -> u64 {
        match self {
            Self::Match(matcher) if matcher.reads() => MATCHED,
            Self::Match(_) | Self::Script => 0,
        }
    }

    /// Returns whether the verdict depends on messages, which are searched in an excerpt of each output.
    pub(super) fn reads_messages(&self) -> bool {
        matches!(self, Self::Match(matcher) if matcher.message.is_some() || matcher.beside.is_some())
    }

    /// Returns whether a process that reaches its time limit can show the failure, depending on its output.
    pub(super) fn reads_when_late(&self) -> bool {
        let waits = matches!(self, Self::Match(matcher) if matcher.status == Some(Status::TimedOut));
        waits && (self.reads() > 0 || self.reads_messages())
    }

    pub(super) fn judge(&self, status: Status, reader: &Reader, stdout: &[u8], stderr: &[u8]) -> Verdict {
        let excerpts = [stdout, stderr].map(|output| {
            if self.reads_messages() { excerpt::of(output, reader) } else { Cow::Borrowed(&[][..]) }
        });
        self.judge_parts(status, reader, [stdout, stderr], [&excerpts[0], &excerpts[1]])
    }

    /// Returns the verdict on a finished process. Expressions are searched in the ends of its outputs, and
    /// messages in excerpts of them.
    pub(super) fn judge_parts(
        &self,
        status: Status,
        reader: &Reader,
        ends: [&[u8]; 2],
        excerpts: [&[u8]; 2],
    ) -> Verdict {
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
            Self::Match(matcher) => matcher.judge(status, reader, ends, excerpts),
        }
    }
}

/// The properties of the failure. A run must have all properties that are given.
///
/// A process that exceeded a limit matches only if `status` requires it.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// How the process ends.
    pub status: Option<Status>,
    /// Its standard output must match this expression.
    pub stdout: Option<Regex>,
    /// Its standard error must match this expression.
    pub stderr: Option<Regex>,
    /// Its standard output must not match this expression.
    pub not_stdout: Option<Regex>,
    /// Its standard error must not match this expression.
    pub not_stderr: Option<Regex>,
    /// Its messages must describe this failure. If they describe another failure instead, the run is
    /// unresolved.
    pub message: Option<Wanted>,
    /// The ordinary errors that the outputs can contain in addition to the failure; `None` allows any.
    pub beside: Option<Vec<Signature>>,
    /// How a passing process ends. A process that ends differently and does not show the failure is then
    /// unresolved.
    pub passing: Option<Status>,
}

impl Matcher {
    /// Returns whether an expression is searched in an output.
    fn reads(&self) -> bool {
        [&self.stdout, &self.stderr, &self.not_stdout, &self.not_stderr].into_iter().any(Option::is_some)
    }

    /// Returns whether the outputs match an expression that excludes the failure.
    #[must_use]
    pub fn is_refused(&self, stdout: &[u8], stderr: &[u8]) -> bool {
        let has =
            |regex: &Option<Regex>, text: &[u8]| regex.as_ref().is_some_and(|regex| regex.is_match(text));
        has(&self.not_stdout, stdout) || has(&self.not_stderr, stderr)
    }

    /// Returns the verdict:
    ///
    /// - interesting if every property holds;
    /// - uninteresting if the process exits with another status or lacks the text;
    /// - unresolved if it is killed by another signal, exceeds a limit, or reports another failure of the
    ///   same kind; and with `passing`, also if it ends in a way that is neither the failure nor passing.
    fn judge(
        &self,
        status: Status,
        reader: &Reader,
        [stdout, stderr]: [&[u8]; 2],
        [said, complained]: [&[u8]; 2],
    ) -> Verdict {
        let by_itself = matches!(status, Status::Exit(_) | Status::Signal(_));
        let ends_so = self.status.map_or(by_itself, |wanted| wanted == status);
        let holds = |regex: &Option<Regex>, text: &[u8]| regex.as_ref().is_none_or(|r| r.is_match(text));
        let is_alone = |beside: &Vec<Signature>| match status {
            // A hanging process that has printed errors before shows a different failure.
            Status::TimedOut => reader.has_only(beside, said, complained),
            _ => reader.are_all(beside, said, complained),
        };
        let is_so = ends_so
            && holds(&self.stdout, stdout)
            && holds(&self.stderr, stderr)
            && !self.is_refused(stdout, stderr)
            && self.beside.as_ref().is_none_or(is_alone);
        let said = self
            .message
            .as_ref()
            .filter(|_| is_so)
            .map_or(Seen::Same, |message| message.look(said, complained));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(status: Option<Status>, stderr: &str) -> Protocol {
        let stderr = (!stderr.is_empty()).then(|| Regex::new(stderr).expect("a valid expression"));
        Protocol::Match(Matcher { status, stderr, ..Matcher::default() })
    }

    #[test]
    fn a_script_answers_with_its_exit_status() {
        let judge = |status| Protocol::Script.judge(status, &Reader::default(), b"", b"");
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
        let judge = |status, stderr: &[u8]| protocol.judge(status, &Reader::default(), b"", stderr);
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
        assert_eq!(protocol.judge(Status::Exit(0), &Reader::default(), b"", b"boom"), Verdict::Interesting);
        assert_eq!(protocol.judge(Status::Signal(6), &Reader::default(), b"", b"boom"), Verdict::Interesting);
        assert_eq!(
            protocol.judge(Status::TimedOut, &Reader::default(), b"", b"boom"),
            Verdict::Unresolved(Cause::Timeout)
        );
        let too_many = Status::OverLimit(Limit::Processes);
        assert_eq!(
            protocol.judge(too_many, &Reader::default(), b"", b"boom"),
            Verdict::Unresolved(Cause::Test)
        );
    }

    #[test]
    fn where_it_is_known_how_it_passes_anything_else_is_unresolved() {
        let stderr = Some(Regex::new("boom").expect("a valid expression"));
        let passing = Some(Status::Exit(0));
        let protocol = Protocol::Match(Matcher { stderr, passing, ..Matcher::default() });
        assert_eq!(protocol.judge(Status::Exit(1), &Reader::default(), b"", b"boom"), Verdict::Interesting);
        assert_eq!(protocol.judge(Status::Exit(0), &Reader::default(), b"", b""), Verdict::Uninteresting);
        assert_eq!(
            protocol.judge(Status::Exit(1), &Reader::default(), b"", b"syntax error"),
            Verdict::Unresolved(Cause::Test)
        );
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
            Protocol::Match(matcher.clone()).judge(Status::Exit(1), &Reader::default(), stdout, stderr)
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
            let message = Some(Wanted { beside, ..Wanted::new(signature.clone(), Reader::default()) });
            let matcher = Matcher { status: Some(Status::Exit(1)), message, ..Matcher::default() };
            Protocol::Match(matcher).judge(Status::Exit(1), &Reader::default(), b"", stderr.as_bytes())
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
        let message = Some(Wanted::new(signature, Reader::default()));
        let protocol =
            Protocol::Match(Matcher { status: Some(Status::Exit(1)), message, ..Matcher::default() });
        let judge = |status, stderr: &str| protocol.judge(status, &Reader::default(), b"", stderr.as_bytes());
        assert_eq!(judge(Status::Exit(1), &ice("fold")), Verdict::Interesting);
        assert_eq!(judge(Status::Exit(1), &ice("expand")), Verdict::Unresolved(Cause::Test));
        assert_eq!(judge(Status::Exit(1), "a.c:1:2: error: expected ';'\n"), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(4), &ice("fold")), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(0), ""), Verdict::Uninteresting);
    }

    #[test]
    fn a_timeout_can_be_the_failure() {
        let protocol = matcher(Some(Status::TimedOut), "");
        let judge = |status| protocol.judge(status, &Reader::default(), b"", b"");
        assert_eq!(judge(Status::TimedOut), Verdict::Interesting);
        assert_eq!(judge(Status::Exit(0)), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(1)), Verdict::Uninteresting);
        assert_eq!(judge(Status::Signal(11)), Verdict::Unresolved(Cause::Test));
    }

    #[test]
    fn where_it_is_known_how_a_process_passes_any_other_status_is_unresolved() {
        let Protocol::Match(matcher) = matcher(Some(Status::Exit(1)), "") else { unreachable!() };
        let protocol = Protocol::Match(Matcher { passing: Some(Status::Exit(0)), ..matcher });
        let judge = |status| protocol.judge(status, &Reader::default(), b"", b"");
        assert_eq!(judge(Status::Exit(0)), Verdict::Uninteresting);
        assert_eq!(judge(Status::Exit(4)), Verdict::Unresolved(Cause::Test));
    }
}
