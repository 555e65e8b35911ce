//! Commands in addition to the test: conditions that each candidate must meet, and a metric that must not grow.
//!
//! They are first run on the unchanged input. Conditions and the test are run in the order in which candidates are
//! rejected fastest, which is measured. Verdicts do not depend on the order.

use crate::baseline;
use crate::command;
use crate::failure::{Failure, Fault};
use crate::program;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::text;
use nubbin_language::Language;
use nubbin_oracle::{CommandOracle, CommandRun, Error, Limits, NoVerdict, Oracle, Surroundings};
use nubbin_search::schedule::{Name, name};
use nubbin_search::{Cause, Verdict};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The largest output of a metric command that is read, in bytes.
const OUTPUT: u64 = 1 << 16;
/// The largest number of remembered metrics.
const NUMBERS: usize = 1 << 14;

/// The hint if a language has no command to check validity.
const INSTEAD: &str = "use `--also 'COMMAND {}'` with a command that succeeds on valid inputs";

/// The additional commands.
#[derive(Debug, Default)]
pub struct Beside {
    /// The commands that must succeed.
    pub also: Vec<OtherCommand>,
    /// The standard command that checks the validity of the input's language must also succeed.
    pub is_valid: bool,
    /// The command that prints a number that must not grow.
    pub measure: Option<OtherCommand>,
}

/// An additional command.
#[derive(Clone, Debug)]
pub struct OtherCommand {
    /// Its description for messages.
    pub label: String,
    /// The program and its arguments, for any directory; `{}` is the candidate's path.
    pub words: Vec<OsString>,
}

impl OtherCommand {
    /// Parses a command given as one argument of `option`. `paths` are the inputs.
    ///
    /// # Errors
    /// Returns an error when quotes are unbalanced or the command is empty.
    pub fn new(typed: &str, option: &str, paths: &[PathBuf]) -> Result<Self, Failure> {
        let words = command::words(typed, &format!("command of `{option}`"))?;
        let words = command::interpreted(command::resolve(&words, paths));
        Ok(Self { label: typed.trim().to_owned(), words })
    }
}

impl Beside {
    /// Returns whether there are no additional commands.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.also.is_empty() && !self.is_valid && self.measure.is_none()
    }

    /// Returns the settings on which verdicts depend, by option.
    pub(crate) fn terms(&self) -> Vec<(&'static str, String)> {
        let also: Vec<&str> = self.also.iter().map(|one| one.label.as_str()).collect();
        let given = [
            ("`--also`", (!also.is_empty()).then(|| also.join(", "))),
            ("`--valid`", self.is_valid.then(|| "given".to_owned())),
            ("`--metric`", self.measure.as_ref().map(|measure| measure.label.clone())),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Returns the installed commands that check the validity of a text in this language.
fn validators(language: Option<&Language>) -> Result<Vec<OtherCommand>, Failure> {
    let Some(language) = language else {
        return Err(Failure::usage("`--valid` needs one input in a supported language").hint(INSTEAD));
    };
    let known = language.validators();
    let found = known.iter().filter_map(|words| program::found(words));
    let found: Vec<_> = found.map(|words| OtherCommand { label: text::words(&words), words }).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let programs: Vec<String> = known.iter().map(|words| format!("`{}`", words[0])).collect();
    let message = match &programs[..] {
        [] => format!("no command is known that checks the validity of {}", language.title()),
        programs => format!("`--valid` needs {} for {}", programs.join(" or "), language.title()),
    };
    Err(Failure::usage(message).hint(INSTEAD))
}

/// Statistics of a command: its time, and how often it rejects.
#[derive(Debug, Default)]
struct Tally {
    runs: AtomicU64,
    noes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Tally {
    /// Records a run that began at `start`.
    fn add(&self, start: Instant, is_no: bool) {
        let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(time, Ordering::Relaxed);
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.noes.fetch_add(u64::from(is_no), Ordering::Relaxed);
    }

    /// Returns the expected time per rejection: the mean time of a run divided by the share of rejecting runs
    /// (Laplace's rule). Running conditions in the order of this price minimises the total time (Garey, "Optimal Task
    /// Sequencing with Precedence Constraints", Discrete Mathematics 1973).
    fn price(&self) -> f64 {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        let runs = load(&self.runs);
        load(&self.nanoseconds) / runs.max(1.0) * (runs + 2.0) / (load(&self.noes) + 1.0)
    }
}

#[derive(Debug)]
struct Condition {
    oracle: CommandOracle,
    tally: Tally,
}

impl Condition {
    /// Runs a condition on the unchanged input. If it does not succeed there, returns that error inside `Ok`.
    fn new(
        oracle: CommandOracle,
        command: &OtherCommand,
        input: &[u8],
    ) -> Result<Result<Self, Failure>, Error> {
        let (tally, start) = (Tally::default(), Instant::now());
        let run = oracle.run(input)?;
        if !run.verdict.is_interesting() {
            return Ok(Err(does_not_hold(&command.label, &run)));
        }
        tally.add(start, false);
        Ok(Ok(Self { oracle, tally }))
    }

    /// Returns the first of these commands that succeeds on the unchanged input.
    fn first(
        commands: Vec<OtherCommand>,
        oracle: impl Fn(&OtherCommand) -> CommandOracle,
        input: &[u8],
    ) -> Result<Self, Failure> {
        let mut refused = None;
        for command in commands {
            match Self::new(oracle(&command), &command, input)? {
                Ok(condition) => return Ok(condition),
                Err(failure) => refused = refused.or(Some(failure)),
            }
        }
        Err(refused.unwrap_or_else(|| Failure::usage("no such command").hint(INSTEAD)))
    }
}

/// A metric command and the numbers that it printed.
#[derive(Debug)]
struct Measure {
    label: String,
    oracle: CommandOracle,
    numbers: Mutex<Numbers>,
}

/// The numbers of interesting candidates.
#[derive(Debug, Default)]
struct Numbers {
    known: HashMap<Name, f64>,
    /// The number of the unchanged input.
    first: Option<f64>,
    least: Option<f64>,
}

/// The metric before and after the reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The command.
    pub label: String,
    /// The number of the unchanged input.
    pub before: f64,
    /// The number of the result.
    pub after: f64,
}

/// The additional commands, ready to run.
#[derive(Debug)]
pub(crate) struct Company {
    conditions: Vec<Condition>,
    /// The statistics of the test itself.
    test: Tally,
    measure: Option<Measure>,
}

impl Company {
    /// Runs the commands on the unchanged input, where they must succeed. Returns `None` if there are none.
    ///
    /// # Errors
    /// Returns an error if a command does not succeed, cannot be run, or prints no number.
    pub fn new(
        settings: &Settings,
        input: &[u8],
        language: Option<&Language>,
        stop: &Stop,
        (surroundings, limits): (&Surroundings, Limits),
    ) -> Result<Option<Self>, Failure> {
        let beside = &settings.beside;
        if beside.is_empty() {
            return Ok(None);
        }
        let path = settings.input.path(&settings.language);
        let oracle = |command: &OtherCommand| {
            baseline::command(settings, &command.words, &path, surroundings, stop)
                .server(false)
                .limits(limits)
        };
        let mut conditions = Vec::new();
        for command in &beside.also {
            conditions.push(Condition::new(oracle(command), command, input)??);
        }
        if beside.is_valid {
            conditions.push(Condition::first(validators(language)?, oracle, input)?);
        }
        let measure = match &beside.measure {
            None => None,
            Some(command) => Some(Measure::new(command, oracle(command), input)?),
        };
        Ok(Some(Self { conditions, test: Tally::default(), measure }))
    }

    /// Returns the combined verdict of the test and all conditions, which is interesting only if all of them are.
    pub fn judge(
        &self,
        candidate: &[u8],
        cancelled: &AtomicBool,
        test: impl Fn() -> Result<Verdict, NoVerdict>,
    ) -> Result<Verdict, NoVerdict> {
        let mut order: Vec<(f64, Option<&Condition>)> =
            self.conditions.iter().map(|condition| (condition.tally.price(), Some(condition))).collect();
        order.push((self.test.price(), None));
        order.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (_, condition) in order {
            let start = Instant::now();
            let verdict = match condition {
                Some(condition) => condition.oracle.probe_unless(candidate, cancelled)?,
                None => test()?,
            };
            let tally = condition.map_or(&self.test, |condition| &condition.tally);
            tally.add(start, !verdict.is_interesting());
            match verdict {
                Verdict::Interesting => {}
                Verdict::Unresolved(Cause::Timeout) => return Ok(verdict),
                // The result must not depend on which of two rejecting commands is run first.
                Verdict::Uninteresting | Verdict::Unresolved(Cause::Test) => {
                    return Ok(Verdict::Uninteresting);
                }
            }
        }
        let Some(measure) = &self.measure else { return Ok(Verdict::Interesting) };
        Ok(measure.number(candidate)?.is_some().into())
    }

    /// Returns whether all conditions accept an interesting candidate and the metric does not grow.
    pub fn agrees(&self, candidate: &[u8]) -> bool {
        let never = AtomicBool::new(false);
        let verdict = self.judge(candidate, &never, || Ok(Verdict::Interesting));
        verdict.and_then(|verdict| self.counted(candidate, verdict)).is_ok_and(Verdict::is_interesting)
    }

    /// Returns the final verdict in the order of the search: candidates with a larger metric than the current best
    /// are not interesting.
    pub fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, NoVerdict> {
        let Some(measure) = self.measure.as_ref().filter(|_| verdict.is_interesting()) else {
            return Ok(verdict);
        };
        let Some(number) = measure.number(candidate)? else { return Ok(Verdict::Uninteresting) };
        let mut numbers = measure.numbers();
        if numbers.least.is_some_and(|least| number > least) {
            return Ok(Verdict::Uninteresting);
        }
        numbers.least = Some(number);
        Ok(Verdict::Interesting)
    }

    /// Returns the metric of the unchanged input and of a result.
    pub fn measured(&self, result: &[u8]) -> Option<Measured> {
        let measure = self.measure.as_ref()?;
        let after = measure.number(result).ok().flatten()?;
        let before = measure.numbers().first?;
        Some(Measured { label: measure.label.clone(), before, after })
    }
}

impl Measure {
    fn new(command: &OtherCommand, oracle: CommandOracle, input: &[u8]) -> Result<Self, Failure> {
        let run = oracle.answer(input, OUTPUT)?;
        let Some(first) = number(&run) else { return Err(measures_nothing(&command.label, &run)) };
        let known = HashMap::from([(name(input), first)]);
        let numbers = Numbers { known, first: Some(first), least: Some(first) };
        Ok(Self { label: command.label.clone(), oracle, numbers: Mutex::new(numbers) })
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the metric of a candidate, which is measured only once.
    fn number(&self, candidate: &[u8]) -> Result<Option<f64>, NoVerdict> {
        let name = name(candidate);
        if let Some(known) = self.numbers().known.get(&name) {
            return Ok(Some(*known));
        }
        let run = self.oracle.answer(candidate, OUTPUT).map_err(|error| match error {
            Error::Interrupted => NoVerdict::Interrupted,
            error => NoVerdict::Failed(error.into()),
        })?;
        let found = number(&run);
        let mut numbers = self.numbers();
        if numbers.known.len() == NUMBERS {
            numbers.known.clear();
        }
        numbers.known.extend(found.map(|found| (name, found)));
        Ok(found)
    }
}

/// Returns the last number printed by a successful run.
fn number(run: &CommandRun) -> Option<f64> {
    if !run.verdict.is_interesting() {
        return None;
    }
    let text = String::from_utf8_lossy(&run.stdout);
    let number =
        |word: &str| word.replace([',', '_'], "").parse().ok().filter(|number: &f64| number.is_finite());
    text.split_whitespace().rev().find_map(number)
}

fn does_not_hold(label: &str, run: &CommandRun) -> Failure {
    let wanted = format!("`{label}` must succeed, but {}", text::ending(run.status));
    unfit(&wanted, run)
        .hint("the unreduced input must meet the condition; if the command needs other files, list them with `--needs PATH`")
}

fn measures_nothing(label: &str, run: &CommandRun) -> Failure {
    let wanted = if run.verdict.is_interesting() {
        format!("`{label}` printed no number")
    } else {
        format!("`{label}` must succeed and print a number, but {}", text::ending(run.status))
    };
    unfit(&wanted, run).hint("it must exit with status 0; the last number on its standard output is used")
}

/// A command does not succeed on the unreduced input.
fn unfit(wanted: &str, run: &CommandRun) -> Failure {
    let output = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, format!("{wanted} on the unreduced input; nothing was changed"))
        .details(text::last_lines(&output, baseline::LINES))
}
