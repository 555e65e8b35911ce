//! The initial runs of the oracle on the unchanged input. They establish that the failure occurs, what it is, how
//! long a run takes, and whether the limits and the sandbox change the result.
//!
//! The verdicts of these runs are reused as the answers to the first probes of the reduction.

mod answer;
mod faster;
mod kept;
mod known;
mod learned;
mod limits;
mod refusal;
mod rehearsal;
mod seek;

use crate::beside::Company;
use crate::failure::Failure;
use crate::message::Message;
use crate::settings::{Settings, TestCommand};
use crate::shared::Sharing;
use crate::slow::Slow;
use crate::stop::Stop;
use crate::{differ, message as messages, observers, surroundings, text, tool};
use nubbin_oracle::signature::Signature;
use nubbin_oracle::{
    CommandOracle, CommandRun, LastingDirectory, Limits, Matcher, Observer, Protocol, Sandbox, Served, Shape,
    Status, Surroundings, Trace,
};
use nubbin_search::Verdict;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use faster::Answering;
use kept::{kept, message};
pub use known::{Known, fails_on, look};
pub use learned::{Ends, Learned};
pub use refusal::{by_hand, complains, is_complaint, missed};
use refusal::{hangs, has_helpers, never_fails, not_interesting, succeeds, writes_outside};
use rehearsal::TracedRun;

/// The time limit of the initial runs if none is given.
const FIRST: Duration = Duration::from_secs(60);
/// The end of a hint for an oracle that fails on the unchanged input.
pub const CHECK: &str = "; run `nubbin check` instead of `nubbin` to find the reason";
/// How often a reduction probes the unchanged input before it starts.
const CONFIRMATIONS: usize = 3;
/// The number of lines of output that an error message shows.
pub const LINES: usize = 10;

/// An oracle that has been run on the unchanged input. The verdicts of those runs are its first answers.
pub struct Baseline<'a> {
    input: &'a [u8],
    oracle: CommandOracle,
    /// The servers, or the processes started in advance, that replace a new process for each run.
    served: Option<Served>,
    pub answering: Answering,
    /// The directory with the files of the servers.
    lasting: Option<LastingDirectory>,
    /// The cluster that also runs candidates.
    #[cfg(feature = "remote")]
    spread: Option<crate::remote::Spread>,
    /// Decides whether a run is slow enough, if slowness is the failure.
    slow: Option<Arc<Slow>>,
    /// The additional commands that must agree with the oracle.
    company: Option<Company>,
    said: Mutex<VecDeque<Verdict>>,
    /// Runs of the same command made by other reductions.
    sharing: Option<Arc<Sharing>>,
    /// The facts learned from the initial runs.
    pub learned: Learned,
    /// The failure to keep, as a sentence. `None` for a script, which decides by itself.
    pub kept: Option<String>,
    pub failure: Option<Matcher>,
    /// The limits that the unchanged input does not exceed.
    pub limits: Limits,
    /// The duration of the longest initial run, or zero.
    pub longest: Duration,
}

/// Returns the oracle as learned by an earlier run, without running it.
pub fn recall<'a>(
    settings: &Settings,
    input: &'a [u8],
    interrupt: &Stop,
    watching: &[Arc<dyn Observer>],
    learned: Learned,
) -> Baseline<'a> {
    let mut trial = Trial::new(settings, input, interrupt, watching);
    trial.stand_in(learned.surroundings.clone());
    let failure = settings.test.failure.clone().filter(|_| !learned.is_told).map(|asked| Matcher {
        status: asked.status.or(learned.ends.map(Ends::status)),
        message: message(settings, learned.message.as_ref(), learned.errors.as_ref()),
        beside: learned.errors.clone().filter(|_| settings.test.stands_alone),
        ..asked
    });
    let limits = known::limits(settings, learned.no_memory_limit, learned.no_output_limit);
    let kept = failure.as_ref().map(|failure| kept(&settings.test, failure));
    let oracle = trial.with(limits).protocol(failure.clone().map_or(Protocol::Script, Protocol::Match));
    Baseline {
        input,
        oracle,
        served: None,
        answering: Answering::Servers,
        lasting: None,
        company: None,
        slow: trial.slow.clone(),
        #[cfg(feature = "remote")]
        spread: None,
        said: Mutex::default(),
        sharing: trial.sharing.clone(),
        learned,
        kept,
        failure,
        limits,
        longest: Duration::ZERO,
    }
}

/// Runs the oracle on the unchanged input. The observers `watching` see these and all later runs.
pub fn run<'a>(
    settings: &Settings,
    input: &'a [u8],
    interrupt: &Stop,
    watching: &[Arc<dyn Observer>],
) -> Result<Baseline<'a>, Failure> {
    has_helpers(settings)?;
    let mut trial = Trial::new(settings, input, interrupt, watching);
    let mut failure = trial.learn()?;
    let asked = settings.test.failure.as_ref().and_then(|asked| asked.status);
    let status = failure.as_ref().filter(|_| asked.is_none()).and_then(|failure| failure.status);
    let ends = status.map(Ends::of);
    trial.oracle = trial.oracle.protocol(failure.clone().map_or(Protocol::Script, Protocol::Match));
    trial.time()?;
    trial.compare_messages()?;
    // The parts of a message that differ from run to run are known only now.
    let said = trial.agreed();
    if let Some(failure) = &mut failure {
        failure.message = message(settings, said.as_ref(), Some(&trial.errors));
        failure.beside = settings.test.stands_alone.then(|| trial.errors.clone());
        trial.oracle = trial.oracle.protocol(Protocol::Match(failure.clone()));
    }
    if let Some(slow) = &trial.slow {
        slow.is_there(input, &settings.test.label)?;
    }
    let kept = failure.as_ref().map(|failure| kept(&settings.test, failure));
    let (oracle, limits) = (trial.oracle.clone(), trial.limits);
    // If verdicts differ, an interesting one comes first so that the reduction starts; it meets the others soon
    // after.
    trial.said.sort_by_key(|verdict| !verdict.is_interesting());
    let is_sure = trial.said.iter().all(|verdict| verdict.is_interesting()) && settings.flaky.is_none();
    if is_sure && !trial.affords_run() {
        // No time remains for further runs on the input.
        trial.said.resize(trial.said.len().max(CONFIRMATIONS), Verdict::Interesting);
    }
    let longest = trial.longest.get();
    let all = settings.bounds.all();
    let learned = Learned {
        ends,
        message: said,
        surroundings: trial.surroundings.clone(),
        errors: Some(trial.errors),
        no_memory_limit: limits.memory != all.memory,
        no_output_limit: limits.output != all.output,
        is_told: trial.is_told,
    };
    Ok(Baseline {
        input,
        oracle,
        served: None,
        answering: Answering::Servers,
        lasting: None,
        company: None,
        slow: trial.slow.clone(),
        #[cfg(feature = "remote")]
        spread: None,
        said: Mutex::new(trial.said.into()),
        sharing: trial.sharing.clone(),
        learned,
        kept,
        failure,
        limits,
        longest,
    })
}

/// Creates the oracle that runs `words` on candidates called `name`, with the options of `settings`.
pub fn command(
    settings: &Settings,
    words: &[OsString],
    name: &Path,
    surroundings: &Surroundings,
    interrupt: &Stop,
) -> CommandOracle {
    let words = match settings.input.paired() {
        Some(paired) => Cow::Owned(paired.words(words)),
        None => Cow::Borrowed(words),
    };
    let mut oracle = tool::command(&settings.bounds, settings.helpers.as_ref(), &words, name)
        .append_path(takes_path(settings))
        .server(settings.test.is_server())
        .shape(settings.shape.clone())
        .surroundings(surroundings.clone())
        .reader(settings.reader())
        .stop(interrupt.flag())
        .pause(interrupt.pause())
        .limits(settings.bounds.least())
        .on_shortage(shortage_note(settings));
    if let Some(origin) = settings.around.origin.as_ref().filter(|_| settings.around.is_here) {
        let is_script = settings.test.failure.is_none();
        let paths = if is_script { &origin.inputs } else { &origin.typed };
        oracle = oracle.in_place(origin.directory.clone(), paths.clone(), origin.inputs.clone());
    }
    if let Some(limit) = settings.timeout {
        oracle = oracle.limit(limit);
    }
    if let Some(Ok(found)) = settings.input.file().map(Path::metadata) {
        oracle = oracle.permissions(found.permissions());
    }
    oracle
}

/// Returns a listener that reports once that processes cannot be started at the moment.
fn shortage_note(settings: &Settings) -> impl Fn(&std::io::Error) + Send + Sync + use<> {
    let (voice, is_told) = (settings.voice.clone(), AtomicBool::new(false));
    move |error| {
        if !is_told.swap(true, Ordering::Relaxed) {
            voice.say(&format!(
                "note: starting a process failed ({error}); retrying for up to {}",
                text::time(nubbin_oracle::PATIENCE)
            ));
        }
    }
}

/// Returns whether the candidate's path is appended if no argument stands for it. It is not appended if the command
/// runs in the candidate's directory or finds the candidate in the user's directory.
fn takes_path(settings: &Settings) -> bool {
    let is_command = settings.test.failure.is_some();
    !(matches!(settings.shape, Shape::Tree { .. }) || settings.around.is_here && is_command)
}

/// The state of the initial runs.
struct Trial<'a> {
    settings: &'a Settings,
    input: &'a [u8],
    path: PathBuf,
    oracle: CommandOracle,
    surroundings: Surroundings,
    sharing: Option<Arc<Sharing>>,
    slow: Option<Arc<Slow>>,
    limits: Limits,
    /// A second run with the same result as the first, not yet recorded.
    second: Option<CommandRun>,
    said: Vec<Verdict>,
    times: Vec<Duration>,
    /// The runs in a fresh directory, if the test is flaky.
    seen: Vec<CommandRun>,
    /// The messages of each interesting run.
    messages: Vec<Vec<Signature>>,
    /// The ordinary errors of all interesting runs.
    errors: Vec<Signature>,
    has_errors: bool,
    /// The oracle is a server that reports verdicts.
    is_told: bool,
    longest: Cell<Duration>,
}

impl<'a> Trial<'a> {
    fn new(
        settings: &'a Settings,
        input: &'a [u8],
        interrupt: &Stop,
        watching: &[Arc<dyn Observer>],
    ) -> Self {
        let path = settings.input.path(&settings.language);
        let surroundings = settings.around.plain(settings.test.failure.is_some());
        let oracle = command(settings, &settings.test.words, &path, &surroundings, interrupt);
        let mut oracle = oracle.protocol(protocol(&settings.test));
        let slow = settings.test.slower.map(|limit| Arc::new(Slow::new(limit)));
        let watching: Vec<Arc<dyn Observer>> =
            watching.iter().cloned().chain(slow.clone().map(|slow| slow as Arc<dyn Observer>)).collect();
        let others = observers::all(&watching);
        let sharing = Sharing::of(settings, others.clone()).map(Arc::new);
        if let Some(observer) = sharing.clone().map(|sharing| sharing as Arc<dyn Observer>).or(others) {
            oracle = oracle.observer(observer);
        }
        Self {
            settings,
            input,
            path,
            oracle,
            surroundings,
            sharing,
            slow,
            limits: settings.bounds.least(),
            second: None,
            said: Vec::new(),
            times: Vec::new(),
            seen: Vec::new(),
            messages: Vec::new(),
            errors: Vec::new(),
            has_errors: false,
            is_told: false,
            longest: Cell::default(),
        }
    }

    /// Returns whether the time limit of the whole run leaves room for an optional run.
    fn affords_run(&self) -> bool {
        self.settings.control.affords(self.longest.get())
    }

    /// Runs the oracle and determines the failure.
    fn learn(&mut self) -> Result<Option<Matcher>, Failure> {
        let test = &self.settings.test;
        let TracedRun { run: mut first, trace } = self.first_within()?;
        let refused = self.refused(trace.as_ref());
        self.remark(&first, refused.as_deref());
        self.has_ended(&first)?;
        let failing = if self.settings.flaky.is_some() { self.seek()? } else { None };
        match (failing, self.most_runs()) {
            (Some(failing), _) => first = failing,
            (None, Some(most)) => {
                if let Some(refused) = refused {
                    return Err(writes_outside(self.settings, &first, &refused));
                }
                return Err(never_fails(self.settings, &self.path, &self.surroundings, (&first, most)));
            }
            (None, None) => {}
        }
        if first.is_lost && !matches!(first.status, Status::Signal(_)) {
            return Err(refusal::no_answer(self.settings, &first));
        }
        if let Status::Told(_) = first.status {
            // A server decides what the failure is.
            self.is_told = true;
            if !first.verdict.is_interesting() {
                self.look_again(&first, refused)?;
            }
            return Ok(None);
        }
        let failure = failure(test, &first);
        if test.failure.as_ref().is_some_and(is_open) {
            if let Some(refused) = refused.filter(|_| self.fails_by_refusal(&first)) {
                return Err(writes_outside(self.settings, &first, &refused));
            }
            if let Some(other) = &test.other
                && !differ::is_difference(first.status)
            {
                return Err(differ::no_difference(&test.label, other, &first));
            }
            let is_silent = self.messages(&first).is_empty();
            if first.status == Status::Exit(0) && (test.message == Message::None || is_silent) {
                return Err(succeeds(self.settings));
            }
            if test.failure.as_ref().is_some_and(|asked| asked.is_refused(&first.stdout, &first.stderr)) {
                return Err(not_interesting(self.settings, &self.path, &self.surroundings, &first));
            }
            // The outcome of the first run defines the failure, even if a limit was exceeded.
            self.said[0] = Verdict::Interesting;
            if self.settings.flaky.is_some() {
                self.learn_from(&first);
            }
        } else if !first.verdict.is_interesting() {
            self.look_again(&first, refused)?;
        }
        if test.message == Message::Any && self.is_silent() {
            return Err(messages::says_nothing(&test.label, &first));
        }
        Ok(failure)
    }

    /// Returns an error if the first run timed out, unless a hang is the failure.
    fn has_ended(&self, run: &CommandRun) -> Result<(), Failure> {
        let is_hang =
            self.settings.test.failure.as_ref().is_some_and(|asked| asked.status == Some(Status::TimedOut));
        if run.status == Status::TimedOut && !is_hang {
            return Err(hangs(self.settings, self.settings.timeout.unwrap_or(FIRST)));
        }
        Ok(())
    }

    /// Prints the notes that follow from the first run.
    fn remark(&self, first: &CommandRun, refused: Option<&str>) {
        if let Some(note) = surroundings::note(&self.surroundings) {
            self.settings.voice.say(&format!("note: {note}"));
        }
        if self.settings.bounds.confinement.sandbox == Sandbox::Auto
            && self.oracle.is_sandboxed() == Some(false)
        {
            // Programs with helpers refuse to run the oracle without a sandbox.
            self.settings.voice.say(
                "note: no sandbox: this program registered no `Helpers`, so the test can write anywhere",
            );
        }
        let confinement = &self.settings.bounds.confinement;
        if let Some(note) =
            confinement.no_network.then(|| crate::sockets::note(&confinement.hidden)).flatten()
        {
            self.settings.voice.say(&format!("note: {note}"));
        }
        if let Some(note) = refused.filter(|_| complains(first)) {
            self.settings.voice.say(&format!(
                "note: {note}; allow it with `--writable DIR`, or turn the sandbox off with `--sandbox off`"
            ));
        }
    }

    /// Repeats the run if the requested failure did not occur, in case it is flaky.
    fn look_again(&mut self, first: &CommandRun, refused: Option<String>) -> Result<(), Failure> {
        if let Some(refused) = refused {
            return Err(writes_outside(self.settings, first, &refused));
        }
        for _ in 0..2 {
            if self.said.iter().any(|verdict| verdict.is_interesting()) {
                break;
            }
            self.run(&self.oracle.clone())?;
        }
        if !self.said.iter().any(|verdict| verdict.is_interesting()) {
            return Err(not_interesting(self.settings, &self.path, &self.surroundings, first));
        }
        Ok(())
    }

    fn is_silent(&self) -> bool {
        self.messages.iter().all(Vec::is_empty)
    }

    /// Returns the messages of a run, the most informative first. Parts quoted from the input are left open.
    fn messages(&self, run: &CommandRun) -> Vec<Signature> {
        let (test, reader) = (&self.settings.test, self.settings.reader());
        let mut found = reader.all(&run.stdout, &run.stderr);
        if found.is_empty() && test.message != Message::None {
            found = reader.diagnostics(&run.stdout, &run.stderr);
        }
        if found.is_empty() && test.message == Message::Any {
            found.extend(Signature::last_line(&run.stdout, &run.stderr));
        }
        if test.message != Message::Any {
            found = found.into_iter().map(|one| one.opened(self.input)).collect();
        }
        found
    }

    /// Records the ordinary errors of a run, and all errors of a command that hangs.
    fn see_errors(&mut self, run: &CommandRun) {
        let (test, reader) = (&self.settings.test, self.settings.reader());
        if test.any_errors || test.message == Message::None && !test.stands_alone {
            return;
        }
        let mut seen = reader.diagnostics(&run.stdout, &run.stderr);
        if run.status == Status::TimedOut {
            seen.extend(reader.all(&run.stdout, &run.stderr));
        }
        if self.has_errors {
            add_errors(&mut self.errors, &seen);
        } else {
            (self.errors, self.has_errors) = (seen, true);
        }
    }

    /// Returns the message that all interesting runs have in common.
    fn agreed(&self) -> Option<Signature> {
        let (first, others) = self.messages.split_first()?;
        let in_all = |said: &Signature| {
            others.iter().try_fold(said.clone(), |said, other| {
                let same = other.iter().find(|other| said == **other).cloned();
                same.or_else(|| other.iter().find_map(|other| said.common(other)))
            })
        };
        let agreed = first.iter().find_map(in_all);
        if agreed.is_none() && !first.is_empty() && self.settings.test.message != Message::None {
            let note = "note: the message differs from run to run, so it is not part of the failure to keep";
            self.settings.voice.say(note);
        }
        agreed
    }

    /// Describes the writes that the sandbox denied.
    fn refused(&self, trace: Option<&Trace>) -> Option<String> {
        let places = self.places();
        let is_confined = self.oracle.is_sandboxed() == Some(true);
        refusal::refused(trace.filter(|_| is_confined)?.writes_outside(&places))
    }

    /// Lists the places outside its directory where the oracle can write.
    fn places(&self) -> Vec<PathBuf> {
        let confinement = &self.settings.bounds.confinement;
        [&confinement.writable[..], &confinement.logs].concat()
    }

    fn with(&self, limits: Limits) -> CommandOracle {
        self.oracle.clone().limits(limits)
    }

    /// Runs an oracle and records the result.
    fn run(&mut self, oracle: &CommandOracle) -> Result<CommandRun, Failure> {
        let run = oracle.run(self.input)?;
        self.note(&run);
        Ok(run)
    }

    fn note(&mut self, run: &CommandRun) {
        self.longest.set(self.longest.get().max(run.elapsed));
        self.said.push(run.verdict);
        self.times.push(run.elapsed);
        if self.settings.flaky.is_some() {
            self.seen.push(run.clone());
        }
        if run.verdict.is_interesting() {
            self.messages.push(self.messages(run));
            self.see_errors(run);
        }
    }
}

/// Adds the errors of another run on the same input. If an error differs from run to run, for example in the name of
/// a temporary file, the differing part is left open.
fn add_errors(errors: &mut Vec<Signature>, seen: &[Signature]) {
    let before = errors.len();
    for error in seen {
        if errors.iter().any(|known| known.covers(error)) {
            continue;
        }
        let is_gone = |known: &Signature| !seen.iter().any(|one| known.covers(one));
        let common = errors[..before]
            .iter()
            .enumerate()
            .filter(|(_, known)| is_gone(known))
            .find_map(|(at, known)| Some((at, known.common(error)?)));
        match common {
            Some((at, common)) => errors[at] = common,
            None => errors.push(error.clone()),
        }
    }
}

fn protocol(test: &TestCommand) -> Protocol {
    test.failure.clone().map_or(Protocol::Script, Protocol::Match)
}

/// Returns the failure to keep: the requested one, or else the outcome of the first run.
fn failure(test: &TestCommand, first: &CommandRun) -> Option<Matcher> {
    let asked = test.failure.clone()?;
    Some(if is_open(&asked) { Matcher { status: Some(first.status), ..asked } } else { asked })
}

/// Returns whether the matcher accepts any failure.
pub fn is_open(matcher: &Matcher) -> bool {
    matcher.status.is_none() && matcher.stdout.is_none() && matcher.stderr.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_errors_that_vary_from_run_to_run_what_varies_is_open() {
        let of = |text: &str| Signature::diagnostics(b"", text.as_bytes());
        let first = of("tool: error: cannot lay out, see blk-77 for more\ntool: error: gave up\n");
        let second = of("tool: error: cannot lay out, see blk-12x for more\ntool: error: gave up\n");
        let mut errors = first.clone();
        add_errors(&mut errors, &second);
        assert_eq!(errors.len(), 2);
        let third = of("tool: error: cannot lay out, see blk-9q for more\n");
        assert!(errors.iter().any(|error| error.covers(&third[0])) && !errors[0].covers(&errors[1]));
        let mut errors = first;
        add_errors(&mut errors, &of("tool: error: gave up\ntool: error: no room\n"));
        assert_eq!(errors.len(), 3, "an error of some runs only is recorded separately");
    }
}
