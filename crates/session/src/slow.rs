//! `--slower-than`: the failure is that a command takes longer than a limit.
//!
//! The measured time is the user CPU time of the command and of the child processes for which it waits, which depends
//! little on other work of the machine or on waiting. This program, with a hidden first argument, runs the command
//! and appends the time to its output.
//!
//! Disturbances make a run longer, never shorter. One run below the limit proves that a candidate is not slow; that
//! it is slow is decided by the shortest of several runs. A decision is final.

use crate::failure::{Failure, Fault};
use crate::text;
use nubbin_oracle::{CommandRun, NoVerdict, Observer};
use nubbin_search::Verdict;
use nubbin_search::schedule::{Name, name};
use regex::bytes::Regex;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The hidden first argument.
const WORD: &str = "__measure-command";
/// The exit status if a command cannot be started, as in a shell.
const NO_START: u8 = 127;
/// Added to the signal number for the exit status of a killed command, as in a shell.
const KILLED: i32 = 128;
/// The line with the time, without the number of milliseconds.
const LINE: &str = "nubbin: processor time in ms: ";

/// Tuned parameters.
struct Tuning {
    /// For each number of runs, the share of the limit, in percent, that the shortest time must reach for a candidate
    /// to be slow. After that many runs the limit itself is used.
    margins: [u64; 5],
}

const TUNING: Tuning = Tuning { margins: [150, 125, 110, 105, 100] };

/// Returns the arguments that run a command and print its time.
#[must_use]
pub fn words(command: Vec<OsString>) -> Vec<OsString> {
    ["/proc/self/exe".into(), WORD.into()].into_iter().chain(command).collect()
}

/// Returns a regular expression for the line with the time.
///
/// # Panics
/// Never panics: the expression is valid.
#[must_use]
pub fn told() -> Regex {
    Regex::new(&format!("(?m)^{LINE}([0-9]+)$")).expect("it is an expression")
}

/// Returns whether the arguments of this process request a measurement.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Runs the command, and exits with its status.
pub fn measure(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.skip(2).collect();
    match run(&words) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            crate::helper::say(&format!("nubbin: {error}"));
            ExitCode::from(NO_START)
        }
    }
}

fn run(words: &[OsString]) -> io::Result<u8> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).status()?;
    let time = time_of_children()?;
    crate::helper::say(&format!("{LINE}{}", time.as_millis()));
    let code = status.code().or_else(|| status.signal().map(|signal| KILLED + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(NO_START))
}

/// Returns the user CPU time of the terminated child processes, including their own ones (`proc(5)`, `cutime`).
fn time_of_children() -> io::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let unread = || io::Error::other("the time of the command cannot be read");
    // The program name can contain any character, and ends at the last parenthesis.
    let fields = stat.rsplit_once(')').ok_or_else(unread)?.1;
    let ticks: u64 =
        fields.split_whitespace().nth(13).and_then(|field| field.parse().ok()).ok_or_else(unread)?;
    let each = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_millis(ticks * 1000 / each.max(1)))
}

/// Decides whether candidates are slow, from the times of all their runs.
#[derive(Debug)]
pub struct Slow {
    limit: Duration,
    told: Regex,
    times: Mutex<HashMap<Name, Times>>,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    runs: usize,
    least: Duration,
    is_slow: Option<bool>,
}

impl Slow {
    /// Creates the judge for a limit.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self { limit, told: told(), times: Mutex::default() }
    }

    fn times(&self) -> MutexGuard<'_, HashMap<Name, Times>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the time of a run, and decides if possible.
    fn add(&self, candidate: &[u8], time: Duration) {
        let mut all = self.times();
        let times = all.entry(name(candidate)).or_insert(Times { runs: 0, least: time, is_slow: None });
        (times.runs, times.least) = (times.runs + 1, times.least.min(time));
        times.is_slow = times.is_slow.or_else(|| decided(self.limit, times.runs, times.least));
    }

    /// Returns the verdict on a candidate. `test` runs it once more, and returns whether it finishes.
    pub(crate) fn judge(
        &self,
        candidate: &[u8],
        test: impl Fn() -> Result<Verdict, NoVerdict>,
    ) -> Result<Verdict, NoVerdict> {
        let name = name(candidate);
        loop {
            if let Some(is_slow) = self.times().get(&name).and_then(|times| times.is_slow) {
                return Ok(is_slow.into());
            }
            let before = self.times().get(&name).map_or(0, |times| times.runs);
            let verdict = test()?;
            let after = self.times().get(&name).map_or(0, |times| times.runs);
            if !verdict.is_interesting() || after == before {
                return Ok(verdict);
            }
        }
    }

    /// Checks that the recorded runs of the unreduced input were slow.
    pub(crate) fn is_there(&self, input: &[u8], label: &str) -> Result<(), Failure> {
        let Some(times) = self.times().get(&name(input)).copied() else { return Ok(()) };
        if times.least >= self.limit {
            return Ok(());
        }
        let (least, limit) = (text::time(times.least), text::time(self.limit));
        let message = format!(
            "`{label}` takes {least} of CPU time on the unreduced input, less than the limit of `--slower-than`, \
             {limit}; nothing was changed"
        );
        Err(Failure::message(Fault::NotInteresting, message)
            .hint("only CPU time of the command counts, not time that it waits"))
    }
}

/// Decides from the shortest time of `runs` runs.
fn decided(limit: Duration, runs: usize, least: Duration) -> Option<bool> {
    if least < limit {
        return Some(false);
    }
    let margin = TUNING.margins.get(runs.saturating_sub(1)).copied().unwrap_or(100);
    (least.as_millis() >= limit.as_millis() * u128::from(margin) / 100).then_some(true)
}

impl Observer for Slow {
    fn ran(&self, candidate: &[u8], run: &CommandRun) {
        let time = self.told.captures_iter(&run.stderr).last();
        let time = time.and_then(|found| std::str::from_utf8(&found[1]).ok()?.parse().ok());
        if let Some(time) = time.filter(|_| !run.is_lost) {
            self.add(candidate, Duration::from_millis(time));
        }
    }
}

/// Describes the failure, as the rest of a sentence about the command.
pub(crate) fn wanted(limit: Duration) -> String {
    format!("takes more than {} of CPU time", text::time(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_search::Cause;
    use std::cell::Cell;

    #[test]
    fn one_quick_run_decides_and_near_the_limit_it_takes_several_slow_ones() {
        let limit = Duration::from_millis(200);
        let of = |runs, least| decided(limit, runs, Duration::from_millis(least));
        assert_eq!((of(1, 199), of(4, 150)), (Some(false), Some(false)));
        assert_eq!((of(1, 300), of(1, 299), of(2, 250), of(2, 249)), (Some(true), None, Some(true), None));
        assert_eq!((of(4, 205), of(5, 200), of(9, 200)), (None, Some(true), Some(true)));
    }

    #[test]
    fn a_candidate_is_run_until_it_is_decided_and_never_again() {
        let slow = Slow::new(Duration::from_millis(200));
        let runs = Cell::new(0);
        let judge = |times: &[u64]| {
            slow.judge(times.len().to_string().as_bytes(), || {
                slow.add(times.len().to_string().as_bytes(), Duration::from_millis(times[runs.get()]));
                runs.set(runs.get() + 1);
                Ok(Verdict::Interesting)
            })
        };
        assert_eq!(judge(&[220, 230, 240]).expect("a verdict"), Verdict::Interesting);
        assert_eq!((judge(&[220, 230, 240]).expect("a verdict"), runs.replace(0)), (Verdict::Interesting, 3));
        assert_eq!(judge(&[220, 180]).expect("a verdict"), Verdict::Uninteresting);
        assert_eq!(runs.replace(0), 2);
        let late = slow.judge(b"hangs", || Ok(Verdict::Unresolved(Cause::Timeout)));
        assert_eq!(late.expect("a verdict"), Verdict::Unresolved(Cause::Timeout));
    }

    #[test]
    fn the_time_of_a_command_is_written_behind_its_output() {
        let line = |text: &str| told().captures(text.as_bytes()).map(|found| found[1].to_vec());
        assert_eq!(line("x\nnubbin: processor time in ms: 120\n"), Some(b"120".to_vec()));
        assert_eq!(line("processor time in ms: 120\n"), None);
    }
}
