//! The first run. A command is run where the user typed it and then in a fresh directory. If the results differ, the
//! files that are missing in the fresh directory are determined, by the module `surroundings`.

use super::refusal::{self, wanted};
use super::{LINES, Trial, is_open};
use crate::failure::Failure;
use crate::failure::Fault;
use crate::surroundings::{self, Origin};
use crate::text;
use nubbin_oracle::signature::Signature;
use nubbin_oracle::surroundings::Home;
use nubbin_oracle::{CommandRun, Error, Status, Surroundings, Trace, Tracing};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Tuned parameters.
struct Tuning {
    /// The number of repetitions after two differing runs, in case the failure is flaky.
    extra_runs: usize,
    /// The largest number of repetitions of a run with a larger private home directory.
    homes: usize,
    /// How often a flaky command is run in both places until two runs agree. For a command that fails in half of its
    /// runs, the chance that none agree is about one in a thousand.
    pairs: usize,
}

const TUNING: Tuning = Tuning { extra_runs: 2, homes: 3, pairs: 6 };

/// A possible path of a probe's directory.
const LAB: &[u8] = b"/nubbin-lab-0-0/work/";
/// A byte sequence that does not occur in outputs.
const MARK: &[u8] = b"\x01\x02";

/// A run, with its trace if the kernel supports tracing.
pub(super) struct TracedRun {
    pub run: CommandRun,
    pub trace: Option<Trace>,
}

impl Trial<'_> {
    /// Makes the first run in a fresh directory with the files that the command needs there. A command is run in the
    /// user's directory first. A script is run there afterwards, and only if the fresh run does not show the failure.
    pub(super) fn first(&mut self) -> Result<TracedRun, Failure> {
        let origin = self.settings.around.origin.clone();
        let is_elsewhere = self.settings.around.is_here || self.settings.test.is_server();
        let Some(origin) = origin.filter(|_| !is_elsewhere) else {
            return self.fresh_at_home();
        };
        let is_command = self.settings.test.failure.is_some();
        let typed = if is_command { self.as_typed(&origin)? } else { None };
        let is_flaky = self.settings.flaky.is_some();
        // A run in another place would also time out.
        if let Some(typed) = typed.as_ref().filter(|_| !is_flaky) {
            self.has_ended(&typed.run)?;
        }
        let first = self.fresh_at_home()?;
        if !is_flaky {
            self.has_ended(&first.run)?;
        }
        if !is_command && first.run.verdict.is_interesting() || !self.is_open() && self.seek()?.is_some() {
            return Ok(first);
        }
        let typed = if is_command { typed } else { self.as_typed(&origin)? };
        let Some(typed) = typed else { return Ok(first) };
        let typed = if self.is_open() {
            typed
        } else {
            self.until_failing(typed, |typed| &typed.run, || self.in_place(&origin))?
        };
        if self.is_alike(&origin, &typed.run, &first.run) {
            return Ok(first);
        }
        let mut here = vec![typed];
        if self.come_alike(&origin, &mut here, &first.run)? {
            return Ok(first);
        }
        self.supply(&origin, &here, first)
    }

    /// Returns whether any outcome of the command counts as the failure.
    pub(super) fn is_open(&self) -> bool {
        self.settings.test.failure.as_ref().is_some_and(is_open)
    }

    /// Returns whether some run of a flaky command in a fresh directory agrees with some run in the user's directory,
    /// which means that the place makes no difference. Runs alternate between the two.
    fn come_alike(
        &mut self,
        origin: &Origin,
        here: &mut Vec<TracedRun>,
        first: &CommandRun,
    ) -> Result<bool, Failure> {
        if self.settings.flaky.is_none() || !self.is_open() {
            return Ok(false);
        }
        let mut fresh = vec![first.clone()];
        for _ in 0..TUNING.pairs {
            fresh.push(self.run(&self.oracle.clone())?);
            here.extend(self.in_place(origin)?);
            if here.iter().any(|typed| fresh.iter().any(|fresh| self.is_alike(origin, &typed.run, fresh))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a run agrees with a run in the user's directory. For a flaky test the run is repeated.
    fn shows_as_here(
        &mut self,
        origin: &Origin,
        here: &[TracedRun],
        run: &CommandRun,
    ) -> Result<bool, Failure> {
        let is_alike =
            |trial: &Self, run: &CommandRun| here.iter().any(|typed| trial.is_alike(origin, &typed.run, run));
        if is_alike(self, run) || self.settings.flaky.is_none() {
            return Ok(is_alike(self, run));
        }
        if !self.is_open() {
            return Ok(self.seek()?.is_some());
        }
        for _ in 0..TUNING.pairs {
            let again = self.run(&self.oracle.clone())?;
            if is_alike(self, &again) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes a run in a fresh directory and records it. If the sandbox denies a write to the user's home directory,
    /// the run is repeated with a private one.
    fn fresh_at_home(&mut self) -> Result<TracedRun, Failure> {
        let mut watched = self.fresh()?;
        for _ in 0..TUNING.homes {
            if !self.has_moved(watched.trace.as_ref()) {
                break;
            }
            self.forget();
            watched = self.fresh()?;
        }
        Ok(watched)
    }

    /// Returns whether the next run has a private home directory, or a larger one, because the sandbox denied this
    /// run a write to the user's.
    fn has_moved(&mut self, trace: Option<&Trace>) -> bool {
        let (Some(trace), Some(from)) = (trace, std::env::var_os("HOME").map(PathBuf::from)) else {
            return false;
        };
        if self.oracle.is_sandboxed() != Some(true) || !from.is_absolute() {
            return false;
        }
        let mut home =
            self.surroundings.home.clone().unwrap_or_else(|| Home { from: from.clone(), ..Home::default() });
        let places = self.places();
        for path in trace.writes_outside(&places).filter_map(|one| one.path.strip_prefix(&from).ok()) {
            home.gives(path, &from);
        }
        let is_other = !home.own.is_empty() && self.surroundings.home.as_ref() != Some(&home);
        if is_other {
            self.stand_in(Surroundings { home: Some(home), ..self.surroundings.clone() });
        }
        is_other
    }

    /// Makes a run in a fresh directory and records it. Tracing makes a run several times slower, so that a script
    /// with its own time limit can fail because of it. A script's negative result is therefore confirmed without
    /// tracing.
    fn fresh(&mut self) -> Result<TracedRun, Failure> {
        let oracle = self.oracle.clone();
        let is_script = self.settings.test.failure.is_none();
        let watched = match oracle.run_traced(self.input, Tracing::default(), None) {
            Ok((run, trace))
                if !is_script || run.verdict.is_interesting() || run.status == Status::TimedOut =>
            {
                TracedRun { run, trace: Some(trace) }
            }
            Ok((_, trace)) => TracedRun { run: oracle.run(self.input)?, trace: Some(trace) },
            Err(Error::Confinement(_)) => TracedRun { run: oracle.run(self.input)?, trace: None },
            Err(error) => return Err(error.into()),
        };
        self.note(&watched.run);
        Ok(watched)
    }

    /// Makes a run in the directory where the command was typed, with a private home directory if needed. Returns
    /// `None` without a run if it cannot be traced. If no argument of a command stands for the candidate, its path is
    /// appended only if the command does not open the input without it.
    fn as_typed(&mut self, origin: &Origin) -> Result<Option<TracedRun>, Failure> {
        if self.settings.voice.is_verbose() {
            self.settings.voice.say(&format!(
                "note: running the {} once in this directory; its changes will be undone",
                self.noun()
            ));
        }
        // A script always receives the path.
        let gets_path = self.oracle.appends_path() && self.settings.test.failure.is_some();
        if gets_path {
            self.stand_in(Surroundings { is_found: true, ..self.surroundings.clone() });
        }
        let mut typed = self.in_place(origin)?;
        if gets_path && !typed.as_ref().is_some_and(|typed| finds(origin, typed)) {
            self.stand_in(Surroundings { is_found: false, ..self.surroundings.clone() });
            if typed.is_some() {
                let label = &self.settings.test.label;
                self.settings.voice.say(&format!(
                    "note: `{label}` does not open the input by itself, so the path of the input is appended: `{label} {{}}`"
                ));
                typed = self.in_place(origin)?;
            }
        }
        for _ in 0..TUNING.homes {
            if !self.has_moved(typed.as_ref().and_then(|typed| typed.trace.as_ref())) {
                break;
            }
            typed = self.in_place(origin)?;
        }
        Ok(typed)
    }

    /// Returns the word for the test in notes.
    fn noun(&self) -> &'static str {
        if self.settings.test.failure.is_some() { "command" } else { "script" }
    }

    fn in_place(&self, origin: &Origin) -> Result<Option<TracedRun>, Failure> {
        let tracing = Tracing {
            reads: origin.top(),
            marks: None,
            undone: Some(origin.directory.clone()),
            protected: origin.inputs.clone(),
        };
        let paths = origin.inputs.clone();
        match self.oracle.run_traced(self.input, tracing, Some((origin.directory.clone(), paths))) {
            Ok((run, trace)) => {
                self.longest.set(self.longest.get().max(run.elapsed));
                Ok(Some(TracedRun { run, trace: Some(trace) }))
            }
            Err(Error::Confinement(reason)) => {
                self.settings
                    .voice
                    .say(&format!("note: the {} was not run in this directory: {reason}", self.noun()));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn as_in_lab(&self, run: &CommandRun, origin: &Origin) -> CommandRun {
        as_in_lab(run, origin, &self.settings.test.words)
    }

    /// Returns whether two runs agree: both show the requested failure, or else have the same status and messages.
    fn is_alike(&self, origin: &Origin, typed: &CommandRun, fresh: &CommandRun) -> bool {
        if !self.settings.test.failure.as_ref().is_some_and(is_open) {
            return fresh.verdict.is_interesting() || !typed.verdict.is_interesting();
        }
        let [typed, fresh] = [typed, fresh].map(|run| self.as_in_lab(run, origin));
        // Names in ordinary errors are open, so the last lines are compared as well.
        let [own, last] = [&typed, &fresh].map(|run| Signature::last_line(&run.stdout, &run.stderr));
        let is_known = !self.settings.reader().all(&typed.stdout, &typed.stderr).is_empty();
        typed.status == fresh.status
            && (is_known || own == last)
            && self.says_alike(&typed, &fresh, |one, other| one == other)
    }

    pub(super) fn says_alike(
        &self,
        one: &CommandRun,
        other: &CommandRun,
        is_same: impl Fn(&Signature, &Signature) -> bool,
    ) -> bool {
        let [one, other] = [one, other].map(|run| self.sayings(run));
        one.is_empty() && other.is_empty()
            || one.iter().any(|one| other.iter().any(|other| is_same(one, other)))
    }

    /// Returns the messages of a run: all failures in known forms, or else the first ordinary error, or else the last
    /// line that looks like an error.
    fn sayings(&self, run: &CommandRun) -> Vec<Signature> {
        let reader = self.settings.reader();
        let known = reader.all(&run.stdout, &run.stderr);
        if !known.is_empty() {
            return known;
        }
        let first = reader.diagnostics(&run.stdout, &run.stderr).into_iter().next();
        first.or_else(|| Signature::last_line(&run.stdout, &run.stderr)).into_iter().collect()
    }

    /// Returns whether a run seems to fail because the sandbox denied it something: it has no other message.
    pub(super) fn fails_by_refusal(&self, run: &CommandRun) -> bool {
        let said = self.sayings(run);
        refusal::complains(run) && said.iter().all(|said| refusal::is_complaint(said.message().as_bytes()))
    }

    /// Determines what the fresh directory lacks: first files below the user's directory, then files above it.
    fn supply(
        &mut self,
        origin: &Origin,
        here: &[TracedRun],
        first: TracedRun,
    ) -> Result<TracedRun, Failure> {
        let [typed, ..] = here else { return Ok(first) };
        let Some(trace) = &typed.trace else { return Ok(first) };
        let before = self.oracle.clone();
        let plain = self.surroundings.clone();
        let mut tried = vec![plain.clone()];
        for upwards in [false, true] {
            let (home, is_found) = (plain.home.clone(), plain.is_found);
            let around = surroundings::found(self.settings, origin, trace, self.input, upwards);
            let around = Surroundings { home, is_found, ..around };
            if tried.contains(&around) {
                continue;
            }
            tried.push(around.clone());
            self.forget();
            self.stand_in(around);
            let run = self.fresh()?;
            if self.shows_as_here(origin, here, &run.run)? {
                return Ok(run);
            }
        }
        self.forget();
        self.oracle = before;
        self.surroundings = plain;
        self.unlike(origin, typed, first)
    }

    /// Handles runs that differ with any set of files; perhaps all runs differ.
    fn unlike(&mut self, origin: &Origin, typed: &TracedRun, first: TracedRun) -> Result<TracedRun, Failure> {
        let alike = self.as_in_lab(&typed.run, origin);
        self.note(&first.run);
        if self.settings.test.failure.is_none() {
            return Ok(first);
        }
        if let Some(refused) = self.refused(first.trace.as_ref()) {
            return Err(refusal::writes_outside(self.settings, &first.run, &refused));
        }
        for _ in 0..TUNING.extra_runs {
            let again = self.run(&self.oracle.clone())?;
            let is_noise = again.status != first.run.status
                || !self.says_alike(&again, &first.run, |one, other| one == other)
                    && self.says_alike(&again, &alike, |one, other| one.common(other).is_some());
            if is_noise && self.settings.flaky.is_none() && first.run.status == Status::Exit(0) {
                return Err(refusal::comes_and_goes(self.settings, &typed.run));
            }
            if is_noise || self.is_alike(origin, &typed.run, &again) {
                return Ok(first);
            }
        }
        Err(self.two_failures(&typed.run, &first.run))
    }

    fn two_failures(&self, typed: &CommandRun, first: &CommandRun) -> Failure {
        let message = format!(
            "`{}` behaves differently in this directory and in a fresh one; nothing was changed",
            self.settings.test.label
        );
        let told = |place: &str, run: &CommandRun| {
            let output = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
            format!("{place} it {}:\n{}", text::ending(run.status), text::last_lines(&output, LINES))
        };
        let asked = self.settings.test.failure.as_ref().filter(|asked| !is_open(asked));
        let asked = asked
            .map(|asked| format!("the failure to keep is that the command {}; ", wanted(asked)))
            .unwrap_or_default();
        Failure::message(Fault::Oracle, message)
            .details(format!("{}{}", told("in this directory", typed), told("in a fresh directory", first)))
            .hint(format!(
                "{asked}list files that the command needs with `--needs PATH`, or run it in this \
                 directory with `--here`{}; repeat the fresh run with\n  {}",
                refusal::comes_at_times(self.settings),
                refusal::by_hand(self.settings, &self.path, &self.surroundings)
            ))
    }

    pub(super) fn stand_in(&mut self, around: Surroundings) {
        self.oracle = self.oracle.clone().surroundings(around.clone());
        self.surroundings = around;
    }

    /// Discards the results of earlier runs, which had other files.
    pub(super) fn forget(&mut self) {
        self.said.clear();
        self.times.clear();
        self.messages.clear();
        self.seen.clear();
        self.errors.clear();
    }
}

fn finds(origin: &Origin, typed: &TracedRun) -> bool {
    let trace = typed.trace.as_ref();
    trace.is_some_and(|trace| {
        trace.reads().any(|path| origin.inputs.iter().any(|input| path.starts_with(input)))
    })
}

/// Rewrites the output of a run in the user's directory as if it had run in a probe's directory, by replacing the
/// paths of files. Files that the command names by path are rewritten as well. An input from elsewhere is placed in
/// the probe's directory.
fn as_in_lab(run: &CommandRun, origin: &Origin, words: &[OsString]) -> CommandRun {
    let directory = [origin.directory.as_os_str().as_bytes(), b"/"].concat();
    let named: Vec<&[u8]> =
        words.iter().map(|word| word.as_bytes()).filter(|word| word.starts_with(&directory)).collect();
    let elsewhere: Vec<Vec<u8>> =
        origin.elsewhere().map(|path| [path.as_os_str().as_bytes(), b"/"].concat()).collect();
    let moved = |output: &[u8]| {
        let mark = |at: usize| [MARK, at.to_string().as_bytes(), MARK].concat();
        let mut output = output.to_vec();
        for (at, word) in named.iter().enumerate() {
            output = replaced(&output, word, &mark(at));
        }
        for parent in &elsewhere {
            output = replaced(&output, parent, LAB);
        }
        output = replaced(&output, &directory, LAB);
        for (at, word) in named.iter().enumerate() {
            output = replaced(&output, &mark(at), word);
        }
        output
    };
    CommandRun { stdout: moved(&run.stdout), stderr: moved(&run.stderr), ..run.clone() }
}

fn replaced(output: &[u8], path: &[u8], by: &[u8]) -> Vec<u8> {
    let mut left = Vec::with_capacity(output.len());
    let mut rest = output;
    while let Some(at) = memchr::memmem::find(rest, path) {
        left.extend_from_slice(&rest[..at]);
        left.extend_from_slice(by);
        rest = &rest[at + path.len()..];
    }
    left.extend_from_slice(rest);
    left
}
