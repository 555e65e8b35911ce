//! Watches the runs of the oracle for other failures, and detects that the message of the current best differs from
//! that of the input.
//!
//! Verdicts are not changed.

use crate::check;
use crate::input::BestFile;
use crate::settings::Settings;
use crate::text;
use nubbin_oracle::signature::{Reader, Signature};
use nubbin_oracle::{CommandRun, Observer, Status};
use nubbin_search::Cause;
use nubbin_search::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::BitAndAssign;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tuned parameters.
struct Tuning {
    /// The largest number of distinct failures; later ones are not counted.
    failures: usize,
    /// The largest number of failures in the summary.
    shown_failures: usize,
    /// The number of recent interesting candidates that are remembered. An accepted candidate was run shortly before.
    remembered: usize,
}

const TUNING: Tuning = Tuning { failures: 100, shown_failures: 3, remembered: 1024 };

const UNSEEN: &str = "note: the script hides the messages of its commands, so a drift to another failure cannot be detected; \
                      print them on standard error: `command 2>log; cat log >&2`";
/// The file with the list of other failures, next to their samples.
const INDEX: &str = "index.json";

/// Observes each run.
#[derive(Debug)]
pub struct Watch {
    reader: Reader,
    is_archive: bool,
    /// The test is a command, whose other failures are recorded.
    is_command: bool,
    /// The test is a script that hides the messages of its commands.
    hides: bool,
    /// The extension of samples.
    ending: OsString,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The message of the input; `None` before it is known.
    reference: Option<Signature>,
    /// The requested status of the failure, if any.
    status: Option<Status>,
    /// No run with the failure has printed anything; `None` before the first one.
    is_silent: Option<bool>,
    is_watching: bool,
    /// The folder for samples.
    folder: Option<PathBuf>,
    known: Known,
    steps: usize,
    /// The messages of interesting candidates, by hash.
    said: HashMap<blake3::Hash, Option<Signature>>,
    order: VecDeque<blake3::Hash>,
}

/// The facts that a resumed run needs.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    others: BTreeMap<String, Other>,
    drift: Option<Drift>,
}

/// A failure other than the one to keep.
#[derive(Debug, Serialize, Deserialize)]
struct Other {
    number: usize,
    title: String,
    runs: usize,
    /// The size of the smallest sample.
    bytes: usize,
}

/// The message of the current best differs from that of the input.
#[derive(Debug, Serialize, Deserialize)]
struct Drift {
    /// The first step with another message.
    step: usize,
    /// The new message, if it has a known form.
    to: Option<Signature>,
}

impl Watch {
    /// Creates a watch.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let path = settings.input.path(&settings.language);
        let mut ending = OsString::new();
        if let Some(extension) = path.extension() {
            ending.push(".");
            ending.push(extension);
        }
        Self {
            reader: settings.reader(),
            is_archive: settings.input.is_archive(),
            is_command: settings.test.failure.is_some(),
            hides: settings.test.failure.is_none() && check::hides_messages(&settings.test.words),
            ending,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to count runs, given the message of the input, the status of the failure and the folder of the journal.
    pub fn begin(
        &self,
        reference: Option<Signature>,
        status: Option<Status>,
        journal: Option<&Path>,
        is_resumed: bool,
    ) {
        let mut state = self.state();
        (state.reference, state.status) = (reference, status);
        state.is_watching = true;
        state.folder = journal.map(|folder| folder.join("other"));
        let Some(folder) = &state.folder else { return };
        if is_resumed {
            let index = fs::read(folder.join(INDEX)).ok();
            let known = index.and_then(|index| serde_json::from_slice(&index).ok()).unwrap_or_default();
            state.known = known;
        } else {
            let _ = fs::remove_dir_all(folder);
        }
    }

    /// Records a step. If the message of its result is not known, nothing changes.
    pub fn stepped(&self, best: &[u8]) {
        let mut state = self.state();
        state.steps += 1;
        let (Some(reference), Some(said)) = (&state.reference, state.said.get(&blake3::hash(best))) else {
            return;
        };
        let is_same = said.as_ref().is_some_and(|said| reference.covers(said));
        let step = state.known.drift.as_ref().map_or(state.steps, |drift| drift.step);
        let drift = (!is_same).then(|| Drift { step, to: said.clone() });
        state.set_drift(drift);
    }

    /// Reverts this many steps.
    pub fn undone(&self, steps: usize) {
        let mut state = self.state();
        state.steps = state.steps.saturating_sub(steps);
        if state.known.drift.as_ref().is_some_and(|drift| drift.step > state.steps) {
            state.set_drift(None);
        }
    }

    /// Returns the lines for the summary. `file` is the reduced file, if older steps can be restored.
    pub fn summary(&self, file: Option<&Path>) -> Vec<String> {
        let state = self.state();
        let mut lines = state.others();
        if let (Some(drift), Some(reference)) = (&state.known.drift, &state.reference) {
            let to = drift
                .to
                .as_ref()
                .map_or("no recognized message".to_owned(), |to| format!("`{}`", to.title()));
            let back = file.map(|file| {
                let file = text::quote(file.as_os_str());
                format!("; restore the step before with `nubbin history {file} {}`", drift.step - 1)
            });
            lines.push(format!(
                "warning: the message changed at step {}: from `{}` to {to}{}",
                drift.step,
                reference.title(),
                back.unwrap_or_default()
            ));
        }
        if self.hides && state.is_silent == Some(true) && state.steps > 0 {
            lines.push(UNSEEN.to_owned());
        }
        lines
    }

    /// Returns the smallest samples of other failures, the most frequent failure first.
    #[must_use]
    pub fn samples(&self) -> Vec<PathBuf> {
        let state = self.state();
        let mut others: Vec<&Other> = state.known.others.values().collect();
        others.sort_by_key(|other| (std::cmp::Reverse(other.runs), other.number));
        let place = |other: &&Other| Some(state.folder.as_ref()?.join(self.sample_name(other.number)));
        others.iter().filter_map(place).filter(|place| place.is_file()).collect()
    }

    fn sample_name(&self, number: usize) -> OsString {
        let mut name = OsString::from(number.to_string());
        name.push(&self.ending);
        name
    }

    /// Returns the same information as fields of a JSON object.
    pub fn fields(&self) -> [(String, Value); 2] {
        let state = self.state();
        let mut others: Vec<&Other> = state.known.others.values().collect();
        others.sort_by_key(|other| (std::cmp::Reverse(other.runs), other.number));
        let other =
            |other: &&Other| json!({ "failure": other.title, "runs": other.runs, "bytes": other.bytes });
        let title = |signature: &Signature| signature.title();
        let drift = state.known.drift.as_ref().map(|drift| {
            let from = state.reference.as_ref().map(title);
            json!({ "step": drift.step, "from": from, "to": drift.to.as_ref().map(title) })
        });
        let others = others.iter().map(other).collect();
        [("others".to_owned(), others), ("drift".to_owned(), drift.into())]
    }

    fn keep_sample(
        &self,
        folder: &Path,
        number: usize,
        candidate: &[u8],
        run: &CommandRun,
    ) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let said = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
        fs::write(folder.join(format!("{number}.output")), said)?;
        let place = folder.join(self.sample_name(number));
        if !self.is_archive {
            return fs::write(place, candidate);
        }
        let _ = fs::remove_dir_all(&place);
        let mut folder = BestFile::folder(&place, None, None).map_err(io::Error::other)?;
        folder.finish(candidate).map_err(io::Error::other)
    }

    /// Records another failure.
    fn other(&self, (key, title): (String, String), candidate: &[u8], run: &CommandRun) {
        let mut state = self.state();
        let count = state.known.others.len();
        if count >= TUNING.failures && !state.known.others.contains_key(&key) {
            return;
        }
        let new = Other { number: count + 1, title, runs: 0, bytes: usize::MAX };
        let other = state.known.others.entry(key).or_insert(new);
        other.runs += 1;
        if candidate.len() >= other.bytes {
            return;
        }
        other.bytes = candidate.len();
        let number = other.number;
        if let Some(folder) = state.folder.clone() {
            // The run continues if a sample cannot be saved.
            if self.keep_sample(&folder, number, candidate, run).is_err() {
                state.folder = None;
            }
            state.save();
        }
    }

    /// Returns whether a run without the failure shows another failure.
    fn fails_otherwise(&self, run: &CommandRun) -> bool {
        let state = self.state();
        let is_other = match run.status {
            Status::Exit(status) => status != 0 && state.status.is_some_and(|wanted| wanted != run.status),
            _ => false,
        };
        state.is_watching && (is_other || run.verdict == Verdict::Unresolved(Cause::Test))
    }

    /// Returns the failure of such a run, as a key and a title.
    fn told(&self, candidate: &[u8], run: &CommandRun) -> Option<(String, String)> {
        let found = self.reader.all(&run.stdout, &run.stderr);
        if let Some(signature) = found.into_iter().find(|signature| !signature.is_inside()) {
            // The parts of the message that quote the candidate differ between candidates.
            let signature = signature.opened(candidate);
            return Some((signature.key(), signature.title()));
        }
        let Status::Signal(signal) = run.status else { return None };
        let title = format!("killed by {}", super::text::signal(signal));
        Some((title.clone(), title))
    }
}

impl State {
    fn set_drift(&mut self, drift: Option<Drift>) {
        let is_new =
            drift.as_ref().map(|drift| drift.step) != self.known.drift.as_ref().map(|drift| drift.step);
        self.known.drift = drift;
        if is_new {
            self.save();
        }
    }

    fn save(&self) {
        if let (Some(folder), Ok(index)) = (&self.folder, serde_json::to_vec_pretty(&self.known)) {
            // Without it, the same failures are only found again.
            let _ = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(INDEX), index));
        }
    }

    fn remember(&mut self, candidate: &[u8], said: Option<Signature>) {
        let name = blake3::hash(candidate);
        if self.said.insert(name, said).is_none() {
            self.order.push_back(name);
        }
        if self.order.len() > TUNING.remembered
            && let Some(oldest) = self.order.pop_front()
        {
            self.said.remove(&oldest);
        }
    }

    fn others(&self) -> Vec<String> {
        let mut others: Vec<&Other> = self.known.others.values().collect();
        if others.is_empty() {
            return Vec::new();
        }
        others.sort_by_key(|other| (std::cmp::Reverse(other.runs), other.number));
        let folder = self.folder.as_ref();
        let shown = |folder: &PathBuf| folder.strip_prefix(".").unwrap_or(folder).display().to_string();
        let place = folder.map(|folder| format!(" (smallest samples in {})", shown(folder)));
        let mut lines = vec![format!(
            "others     {} seen{}",
            text::counted(others.len(), "other failure"),
            place.unwrap_or_default()
        )];
        let line = |other: &&Other| format!("         {}: {}", text::counted(other.runs, "run"), other.title);
        lines.extend(others.iter().take(TUNING.shown_failures).map(line));
        if others.len() > TUNING.shown_failures {
            lines.push(format!("         and {} more", text::count(others.len() - TUNING.shown_failures)));
        }
        lines
    }
}

impl Observer for Watch {
    fn ran(&self, candidate: &[u8], run: &CommandRun) {
        match run.verdict {
            Verdict::Interesting => {
                let is_silent = run.stdout.is_empty() && run.stderr.is_empty();
                self.state().is_silent.get_or_insert(true).bitand_assign(is_silent);
                let Some(reference) = self.state().reference.clone() else { return };
                let found = self.reader.all(&run.stdout, &run.stderr);
                let same = found.iter().position(|said| reference.covers(said)).unwrap_or(0);
                self.state().remember(candidate, found.into_iter().nth(same));
            }
            Verdict::Unresolved(Cause::Timeout) => {}
            _ if self.is_command && self.fails_otherwise(run) => {
                if let Some(told) = self.told(candidate, run) {
                    self.other(told, candidate, run);
                }
            }
            _ => {}
        }
    }
}
