//! `--slower-than`: the failure is that a command takes longer than a time, which is decided by several runs.
//!
//! The time counts that the processor spends in the command's own code, in it and in what it starts and waits for:
//! other work on the machine, and waiting, have little part in it. This program stands between the oracle and the command,
//! under a hidden first word, and writes that time behind the command's output.
//!
//! Noise makes a run longer and never shorter, so one run below the limit tells that a candidate is not slow, and the least
//! time of several that it is. What was decided about a candidate stays decided.

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

/// The first word by which this program knows that it is to measure a command.
const WORD: &str = "__measure-command";
/// The exit status of a command that cannot be started, as in a shell.
const NO_START: u8 = 127;
/// The exit status of a command that is killed is this and the number of the signal, as in a shell.
const KILLED: i32 = 128;
/// The line with the time, before the number of milliseconds.
const LINE: &str = "nubbin: processor time in ms: ";

/// The numbers that were tuned.
struct Tuning {
    /// The share of the limit, in percent, that the least time of so many runs has to reach for a candidate to be slow. With
    /// as many runs as there are numbers, the limit itself is enough.
    margins: [u64; 5],
}

const TUNING: Tuning = Tuning { margins: [150, 125, 110, 105, 100] };

/// Returns the words that run a command and write its time.
#[must_use]
pub fn words(command: Vec<OsString>) -> Vec<OsString> {
    ["/proc/self/exe".into(), WORD.into()].into_iter().chain(command).collect()
}

/// Returns the expression for what the output of a measured command has.
///
/// # Panics
/// Never panics: the expression is a right one.
#[must_use]
pub fn told() -> Regex {
    Regex::new(&format!("(?m)^{LINE}([0-9]+)$")).expect("it is an expression")
}

/// Tells whether this program's arguments ask it to measure.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Runs the command, and ends as it does.
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

/// Returns the time that the processor has spent in the code of the processes that this one has waited for, and of those
/// that they have waited for (`proc(5)`, `cutime`).
fn time_of_children() -> io::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let unread = || io::Error::other("the time of the command cannot be read");
    // The name of the program may hold anything, and ends with the last bracket.
    let fields = stat.rsplit_once(')').ok_or_else(unread)?.1;
    let ticks: u64 =
        fields.split_whitespace().nth(13).and_then(|field| field.parse().ok()).ok_or_else(unread)?;
    let each = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_millis(ticks * 1000 / each.max(1)))
}

/// Decides whether candidates are slow, by the times of all their runs.
#[derive(Debug)]
pub struct Slow {
    limit: Duration,
    told: Regex,
    times: Mutex<HashMap<Name, Times>>,
}

/// The times of a candidate.
#[derive(Clone, Copy, Debug)]
struct Times {
    runs: usize,
    least: Duration,
    is_slow: Option<bool>,
}

impl Slow {
    /// Makes the judge for a limit.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self { limit, told: told(), times: Mutex::default() }
    }

    fn times(&self) -> MutexGuard<'_, HashMap<Name, Times>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the time of a run, and decides as soon as that is clear.
    fn add(&self, candidate: &[u8], time: Duration) {
        let mut all = self.times();
        let times = all.entry(name(candidate)).or_insert(Times { runs: 0, least: time, is_slow: None });
        (times.runs, times.least) = (times.runs + 1, times.least.min(time));
        times.is_slow = times.is_slow.or_else(|| decided(self.limit, times.runs, times.least));
    }

    /// Returns the verdict on a candidate: `test` runs it once more and tells whether it ends.
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

    /// Makes sure that the unreduced input is slow by the runs that were made of it.
    pub(crate) fn is_there(&self, input: &[u8], label: &str) -> Result<(), Failure> {
        let Some(times) = self.times().get(&name(input)).copied() else { return Ok(()) };
        if times.least >= self.limit {
            return Ok(());
        }
        let (least, limit) = (text::time(times.least), text::time(self.limit));
        let message = format!(
            "`{label}` takes {least} of the processor's time on the unreduced input, and the failure is to take longer than \
             {limit}; nothing was changed"
        );
        Err(Failure::message(Fault::NotInteresting, message)
            .hint("the time in which the command itself is run counts, not the time in which it waits"))
    }
}

/// Decides by the least time of so many runs.
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

/// Returns the failure as the rest of a sentence about the command.
pub(crate) fn wanted(limit: Duration) -> String {
    format!("takes longer than {} of the processor's time", text::time(limit))
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
