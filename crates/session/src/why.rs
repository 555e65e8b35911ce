//! `nubbin statements`, `nubbin state` and `nubbin causes`: finds out why a program fails by running it many times
//! under a debugger.
//!
//! The crate [`nubbin_state`] implements the algorithms; this module provides limits, the sandbox and the failure.

pub mod explain;

use crate::baseline;
use crate::failure::{Failure as Outcome, Fault};
use crate::helper::Helpers;
use crate::limits::Bounds;
use crate::stop::Stop;
use crate::tool;
use crate::voice::Voice;
use nubbin_oracle::Matcher;
use nubbin_state as state;
use nubbin_state::account::Account;
use nubbin_state::causes::{self, Chain};
use nubbin_state::events::{self, Reduced};
use nubbin_state::failure::{Failure, Run};
use nubbin_state::input::Inputs;
use nubbin_state::lab::{self, Lab, Program};
use nubbin_state::matching::Method;
use nubbin_state::protocol::{Point, Spot};
use nubbin_state::state::{Found, Known, Pair, Wanted};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest part of an input file, in bytes, that is searched for words that do not belong to the failure.
const GIVEN: u64 = 1 << 20;

/// Receives the description of a failure before the search starts.
pub type First<'f> = &'f mut dyn FnMut(Account);

/// The settings of an examination.
#[derive(Debug)]
pub struct Settings {
    /// The working directory of the program.
    pub directory: PathBuf,
    /// The standard input of the program; `None` is empty.
    pub stdin: Option<PathBuf>,
    /// The files and directories whose statements are considered; if empty, the program's own.
    pub sources: Vec<PathBuf>,
    /// The failure; `None` is learned.
    pub failure: Option<Matcher>,
    /// How states are matched.
    pub method: Method,
    /// The largest numbers of events and vertices.
    pub most: lab::Bounds,
    /// The limits and the sandbox of the runs.
    pub bounds: Bounds,
    /// The time limit of a run; `None` adapts it.
    pub timeout: Option<Duration>,
    /// The time after which a search ends with its current result.
    pub max_time: Option<Duration>,
    /// The number of parallel runs.
    pub jobs: usize,
    /// The program that acts as a helper.
    pub helpers: Option<Helpers>,
    /// The receiver of notes.
    pub voice: Voice,
}

/// The result of comparing the states at a point.
#[derive(Debug)]
pub struct StateFound {
    /// A description of the failure.
    pub failure: String,
    /// The difference that causes the failure, or the reason why there is none.
    pub found: Found,
    /// The debugger commands that bring the passing run to the point.
    pub way: Vec<String>,
    /// The debugger commands to execute there.
    pub typed: Vec<String>,
    /// The number of runs.
    pub runs: usize,
}

/// A cause-effect chain and its context.
#[derive(Debug)]
pub struct ChainFound {
    /// A description of the failure.
    pub failure: String,
    /// The chain.
    pub chain: Chain,
    /// The time limit ended the search before the chain was complete.
    pub is_late: bool,
    /// The file in which the run fails, if known and none of its statements were considered.
    pub not_looked_at: Option<PathBuf>,
}

/// A point in a program: a file, a line, and how often the line was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The last components of the file's path.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
    /// The number of the arrival in the passing and in the failing run, from 1.
    pub counts: [u32; 2],
}

impl Settings {
    /// Finds the executed statements that a failing run needs. `first` receives a description of the failure before
    /// the search starts.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run, or does not fail.
    pub fn events(&self, words: Vec<OsString>, first: First<'_>, stop: &Stop) -> Result<Reduced, Outcome> {
        stop.begin(self.max_time)?;
        let mut lab = self.lab(words, stop)?;
        let failure = self.failure.clone().map(|matcher| Failure::Asked(Box::new(matcher)));
        self.look(&mut lab, failure.as_ref(), first, stop)?;
        let mut told = self.teller();
        let told = &mut |left: usize, runs: usize| told(&format!("{left} statements left, {runs} runs"));
        events::reduce(&lab, self.jobs, failure, told).map_err(|fault| {
            let outcome = outcome(fault, stop);
            // The expression can be intended for the other stream, or for single lines.
            let run = self.failure.as_ref().zip(lab.plain().ok());
            let hint = run.and_then(|(asked, run)| baseline::missed(asked, &run.stdout, &run.stderr));
            match hint {
                Some(hint) => outcome.hint(hint),
                None => outcome,
            }
        })
    }

    /// Finds the smallest difference between the states of two runs at a point.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run, or the runs have the same outcome.
    pub fn state(
        &self,
        at: &At,
        [passing, failing]: [Vec<OsString>; 2],
        stop: &Stop,
    ) -> Result<StateFound, Outcome> {
        stop.begin(self.max_time)?;
        let mut labs = [self.lab(passing, stop)?, self.lab(failing, stop)?];
        let (failure, _) = self.told_apart(&mut labs, stop)?;
        let known = Known::default();
        let pair = self.pair(&labs, &failure, &known);
        let point = |count| Point { place: Spot::Named { file: at.file.clone(), line: at.line }, count };
        let points = at.counts.map(point);
        let wanted = Wanted { with_picture: true, ..Wanted::default() };
        let found = pair.isolate([&points[0], &points[1]], &wanted).map_err(|fault| outcome(fault, stop))?;
        let debugger = labs[0].debugger();
        let typed = match &found {
            Found::Relevant(isolated) => debugger.typed(&isolated.commands),
            Found::Nothing(_) => Vec::new(),
        };
        Ok(StateFound {
            failure: failure.words(),
            way: debugger.go_to(labs[0].words(), &at.file, at.line, at.counts[0]),
            typed,
            found,
            runs: labs[0].runs() + labs[1].runs(),
        })
    }

    /// Finds the cause-effect chain of the failure of one of two runs. `first` receives a description of the failure
    /// before the search starts.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run, or the runs have the same outcome.
    pub fn causes(
        &self,
        runs: [Vec<OsString>; 2],
        first: First<'_>,
        stop: &Stop,
    ) -> Result<ChainFound, Outcome> {
        self.chain(runs, self.max_time, first, stop)
    }

    /// Finds the chain within a time limit.
    fn chain(
        &self,
        [passing, failing]: [Vec<OsString>; 2],
        max_time: Option<Duration>,
        first: First<'_>,
        stop: &Stop,
    ) -> Result<ChainFound, Outcome> {
        // The search ends by itself when the time is over; runs are not interrupted.
        stop.begin(None)?;
        let start = std::time::Instant::now();
        let is_late = || stop.has_come() || max_time.is_some_and(|most| start.elapsed() >= most);
        let mut labs = [self.lab(passing, stop)?, self.lab(failing, stop)?];
        let (failure, run) = self.told_apart(&mut labs, stop)?;
        let account = Account::of(&labs[1], &run, &failure, &self.inputs(&labs[1]));
        let account = account.map_err(|fault| outcome(fault, stop))?;
        let fails_at =
            account.as_ref().and_then(|account| account.frames.first().map(|shown| shown.file.clone()));
        if let Some(account) = account {
            first(account);
        }
        let known = Known::default();
        let pair = self.pair(&labs, &failure, &known);
        let mut told = self.teller();
        let told =
            &mut |moments: usize, runs: usize| told(&format!("{moments} moments compared, {runs} runs"));
        let chain = causes::chain(&pair, &is_late, told).map_err(|fault| outcome(fault, stop))?;
        let not_looked_at = fails_at.filter(|file| !chain.files.contains(file));
        Ok(ChainFound { failure: failure.words(), chain, is_late: is_late(), not_looked_at })
    }

    fn pair<'p>(&self, labs: &'p [Lab; 2], failure: &'p Failure, known: &'p Known) -> Pair<'p> {
        let [passing, failing] = labs;
        Pair { passing, failing, failure, jobs: self.jobs, method: self.method, known }
    }

    /// Returns a function that reports progress at intervals.
    fn teller(&self) -> impl FnMut(&str) {
        let voice = self.voice.clone();
        let mut last = std::time::Instant::now();
        move |text: &str| {
            if voice.is_verbose() || last.elapsed() > TUNING.silence {
                last = std::time::Instant::now();
                voice.say(text);
            }
        }
    }

    /// Examines the failure of a run, and reports it to `first`.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run or examined.
    fn look(
        &self,
        lab: &mut Lab,
        failure: Option<&Failure>,
        first: First<'_>,
        stop: &Stop,
    ) -> Result<(), Outcome> {
        let run = lab.plain().map_err(|fault| outcome(fault, stop))?;
        self.name(lab, &run);
        let learned = match failure {
            Some(failure) => failure.clone(),
            None => Failure::of_run(&run).map_err(|fault| outcome(fault, stop))?,
        };
        let account = Account::of(lab, &run, &learned, &self.inputs(lab));
        if let Some(account) = account.map_err(|fault| outcome(fault, stop))? {
            first(account);
        }
        Ok(())
    }

    /// Adds the files named by the messages of a failing run to the sources, as its debugger decides.
    fn name(&self, lab: &mut Lab, failing: &Run) {
        if !self.sources.is_empty() {
            return;
        }
        if let Some(named) = lab.debugger().traceback(&failing.stderr) {
            let files = named.frames.iter().map(|site| site.file.to_string_lossy().into_owned());
            lab.set_named(files.collect());
        }
    }

    /// Returns the inputs of a program: files on its command line, its other arguments, and standard input.
    fn inputs(&self, lab: &Lab) -> Inputs {
        let mut inputs = Inputs::default();
        let mut read = |name: &str, path: &Path| {
            let is_small = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= GIVEN);
            let content = is_small.then(|| fs::read(path).ok()).flatten();
            content.is_some_and(|content| {
                let shown = Path::new(name).strip_prefix(&self.directory).unwrap_or(Path::new(name));
                inputs.file(&shown.to_string_lossy(), &content);
                true
            })
        };
        // The program itself is not an input.
        let words = lab.words().iter().skip(1);
        let others: Vec<&String> = words.filter(|word| !read(word, &self.directory.join(word))).collect();
        if let Some(stdin) = &self.stdin {
            read("the standard input", stdin);
        }
        for word in others.into_iter().filter(|word| !word.starts_with('-')) {
            inputs.word(word);
        }
        inputs
    }

    /// Returns the difference between the failing and the passing run, and the failing run. The files named by its
    /// messages are added to the sources.
    fn told_apart(&self, labs: &mut [Lab; 2], stop: &Stop) -> Result<(Failure, Run), Outcome> {
        let both = labs.each_ref().map(Lab::plain);
        let [passing, failing] = both.map(|run| run.map_err(|fault| outcome(fault, stop)));
        let (passing, failing) = (passing?, failing?);
        for lab in labs.iter_mut() {
            self.name(lab, &failing);
        }
        let failure = match &self.failure {
            // A run with a third outcome is unresolved.
            Some(asked) => Failure::Asked(Box::new(Matcher { passing: passing.status, ..asked.clone() })),
            None => Failure::of_both(&passing, &failing, &self.given(labs))
                .map_err(|fault| outcome(fault, stop))?,
        };
        let wrong = |which: &str, what: &str| {
            Outcome::message(Fault::NotInteresting, format!("the {which} run {what}"))
                .hint("the command before the second `--` must pass, and the command after it must fail")
        };
        if !failure.verdict(&failing).is_interesting() {
            let wrong = wrong("failing", "does not show the failure");
            let asked = self.failure.as_ref();
            let hint = asked.and_then(|asked| baseline::missed(asked, &failing.stdout, &failing.stderr));
            return Err(match hint {
                Some(hint) => wrong.hint(hint),
                None => wrong,
            });
        }
        if failure.verdict(&passing) != nubbin_search::Verdict::Uninteresting {
            return Err(wrong("passing", "does not pass"));
        }
        Ok((failure, failing))
    }

    /// Returns the arguments and files that only the failing run has.
    fn given(&self, labs: &[Lab; 2]) -> Vec<u8> {
        let mut given = Vec::new();
        for word in labs[1].words() {
            if labs[0].words().contains(word) {
                continue;
            }
            given.extend_from_slice(word.as_bytes());
            given.push(b' ');
            let path = self.directory.join(word);
            if fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= GIVEN) {
                given.extend(fs::read(&path).unwrap_or_default());
                given.push(b' ');
            }
        }
        given
    }

    fn lab(&self, words: Vec<OsString>, stop: &Stop) -> Result<Lab, Outcome> {
        let placeholder = [OsString::from("true")];
        let name = Path::new(Lab::request_name());
        let mut oracle = tool::command(&self.bounds, self.helpers.as_ref(), &placeholder, name)
            .stop(stop.flag())
            .pause(stop.pause());
        if let Some(limit) = self.timeout {
            oracle = oracle.limit(limit);
        }
        let program = Program {
            words,
            directory: self.directory.clone(),
            stdin: self.stdin.clone(),
            sources: self.sources.clone(),
        };
        Lab::new(program, &oracle, self.most).map_err(|fault| outcome(fault, stop))
    }
}

/// Converts an error of an examination.
fn outcome(fault: state::Fault, stop: &Stop) -> Outcome {
    if fault.is_interrupt() {
        if stop.is_late() {
            let message = "stopped by `--max-time` before there was a result";
            return Outcome::message(Fault::Interrupted, message);
        }
        return Outcome::interrupted();
    }
    let hint = fault.hint();
    let outcome = match fault {
        state::Fault::Oracle(error) => Outcome::from(error),
        state::Fault::Runs(text) => Outcome::message(Fault::NotInteresting, text),
        other => Outcome::message(Fault::Oracle, other.to_string()),
    };
    match hint {
        Some(hint) => outcome.hint(hint),
        None => outcome,
    }
}

/// Tuned parameters.
struct Tuning {
    /// The interval between progress reports.
    silence: Duration,
}

const TUNING: Tuning = Tuning { silence: Duration::from_secs(5) };

impl At {
    /// Parses `FILE:LINE`, `FILE:LINE:COUNT` or `FILE:LINE:PASSING,FAILING`.
    ///
    /// # Errors
    /// Returns an error message for other texts.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "not FILE:LINE or FILE:LINE:COUNT, such as `sort.c:12` or `sort.c:12:3`".to_owned();
        let parts: Vec<&str> = text.rsplitn(3, ':').collect();
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let counts = |text: &str| match text.split_once(',') {
            Some((passing, failing)) => Some([number(passing)?, number(failing)?]),
            None => number(text).map(|count| [count; 2]),
        };
        let at = match parts[..] {
            [count, line, file] if number(line).is_some() => {
                number(line).zip(counts(count)).map(|(line, counts)| (file.to_owned(), line, counts))
            }
            [line, file] => number(line).map(|line| (file.to_owned(), line, [1; 2])),
            [line, inner, file] => number(line).map(|line| (format!("{file}:{inner}"), line, [1; 2])),
            _ => None,
        };
        let (file, line, counts) = at.ok_or_else(wrong)?;
        let file = Path::new(&file).to_owned();
        if file.as_os_str().is_empty() { Err(wrong()) } else { Ok(Self { file, line, counts }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_a_file_a_line_and_perhaps_a_number() {
        let at = |text: &str| At::parse(text).map(|at| (at.file.display().to_string(), at.line, at.counts));
        assert_eq!(at("a.c:12"), Ok(("a.c".to_owned(), 12, [1, 1])));
        assert_eq!(at("src/a.c:12:3"), Ok(("src/a.c".to_owned(), 12, [3, 3])));
        assert_eq!(at("a.c:12:3,4"), Ok(("a.c".to_owned(), 12, [3, 4])));
        assert_eq!(at("C:x.c:12"), Ok(("C:x.c".to_owned(), 12, [1, 1])));
        for text in ["a.c", "12", ":12", "a.c:0", "a.c:12:x", "a.c:b"] {
            assert!(at(text).is_err(), "{text}");
        }
    }
}
