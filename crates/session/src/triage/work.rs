//! The threads of a triage: workers run turns of bugs; a supervisor watches for new files, the time limit and stops.
//!
//! The shared state is on one board, which is written to disk after each event.

use super::crash::FileSort;
use super::follow::Counter;
use super::place::{House, Listed, list};
use super::queue::{self, Turn};
use super::state::{Bug, BugState, Member, TriageState, shown};
use super::survey::Surveyor;
use super::{Happening, Onlooker, Triage, group};
use crate::baseline::Known;
use crate::failure::{Failure, Fault};
use crate::journal::{self, Terms};
use crate::shared::Shared;
use crate::stop::Stop;
use crate::text;
use nubbin_oracle::Observer;
use nubbin_search::schedule::at_once;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Tuned parameters.
struct Tuning {
    /// The time between two checks whether the triage must end.
    tick: Duration,
    /// The time between two searches for new files. A file is accepted once two searches have found it unchanged.
    look: Duration,
}

const TUNING: Tuning = Tuning { tick: Duration::from_millis(50), look: Duration::from_millis(500) };

/// The data shared by the threads of a triage.
pub(super) struct Work<'w> {
    pub triage: &'w Triage<'w>,
    pub house: House,
    pub stop: &'w Stop,
    pub onlooker: &'w dyn Onlooker,
    pub shared: Arc<Shared>,
    pub counter: Arc<Counter>,
    watching: Vec<Arc<dyn Observer>>,
    board: Mutex<Board>,
    changed: Condvar,
    known: Mutex<BTreeMap<String, Known>>,
    longest: Mutex<Duration>,
    /// The files of the folder, by relative path.
    paths: Mutex<HashMap<String, PathBuf>>,
    start: Instant,
    /// The runs and the time of earlier triages.
    earlier: (usize, usize, f64),
}

/// The state, and the running turns.
pub(super) struct Board {
    pub state: TriageState,
    /// The number of unused jobs.
    free: usize,
    /// The stops of the running turns.
    parts: Vec<(usize, Stop)>,
    is_over: bool,
    failure: Option<Failure>,
}

pub(super) fn run(triage: &Triage<'_>, stop: &Stop, onlooker: &dyn Onlooker) -> Result<TriageState, Failure> {
    let (files, hidden) = list(&triage.folder, &triage.out)?;
    if hidden > 0 {
        triage.voice.say(&format!("note: {} skipped", text::counted(hidden, "hidden file")));
    }
    let Some(first) = files.first().map(|file| file.path.clone()) else {
        if !triage.watch {
            let message = format!("`{}` contains no files", triage.folder.display());
            return Err(Failure::message(Fault::Input, message).hint("to wait for files, add `--watch`"));
        }
        return begin(triage, &triage.folder.join("bug"), &files, stop, onlooker);
    };
    begin(triage, &first, &files, stop, onlooker)
}

/// Opens the folder for the bugs, and works until nothing remains to be done.
fn begin(
    triage: &Triage<'_>,
    first: &Path,
    files: &[Listed],
    stop: &Stop,
    onlooker: &dyn Onlooker,
) -> Result<TriageState, Failure> {
    let settings = (triage.settings)(first)?;
    for note in &settings.notes {
        triage.voice.say(&format!("note: {note}"));
    }
    let command = settings.test.label.clone();
    let mut terms = Terms::new(&settings, None).verdicts();
    let folder = triage.folder.canonicalize().unwrap_or_else(|_| triage.folder.clone());
    terms.insert("the folder".to_owned(), shown(&folder));
    if triage.errors_too {
        terms.insert("`--errors-too`".to_owned(), "given".to_owned());
    }
    let (house, earlier) = House::open(&triage.out)?;
    let state = match earlier {
        None => TriageState::new(shown(&triage.folder), command, terms),
        Some(earlier) => {
            if let Some(change) = journal::difference(&earlier.terms, &terms) {
                let message = format!("the triage in `{}` cannot be resumed: {change}", triage.out.display());
                return Err(Failure::message(Fault::Journal, message)
                    .hint("choose another place with `--output DIR`, or remove this folder"));
            }
            earlier
        }
    };
    stop.begin(triage.total_time)?;
    let counter = Arc::new(Counter::default());
    let work = Work {
        triage,
        house,
        stop,
        onlooker,
        shared: Arc::default(),
        watching: vec![counter.clone()],
        counter,
        changed: Condvar::new(),
        known: Mutex::new(state.known.clone()),
        longest: Mutex::default(),
        paths: Mutex::default(),
        start: Instant::now(),
        earlier: (state.runs, state.shared_runs, state.seconds),
        board: Mutex::new(Board {
            state,
            free: triage.jobs.max(1),
            parts: Vec::new(),
            is_over: false,
            failure: None,
        }),
    };
    work.whole(files)
}

impl Work<'_> {
    pub(super) fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bug(&self, number: usize) -> Bug {
        self.board().state.bugs[number - 1].clone()
    }

    pub(super) fn change(&self, number: usize, change: impl FnOnce(&mut Bug)) {
        change(self.board().state.bug_mut(number));
    }

    /// Reports to the onlooker the event that `what` creates.
    pub(super) fn tell(&self, what: impl for<'s> FnOnce(&'s TriageState) -> Option<Happening<'s>>) {
        let board = self.board();
        if let Some(what) = what(&board.state) {
            self.onlooker.happened(what, &board.state);
        }
    }

    /// Returns the seconds of work since the triage was started for the first time.
    pub(super) fn elapsed(&self) -> f64 {
        self.earlier.2 + self.start.elapsed().as_secs_f64()
    }

    /// Returns the known needed files for files of this folder.
    pub(super) fn known(&self, place: &str) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(place).cloned().unwrap_or_default()
    }

    pub(super) fn surveyor(&self) -> Surveyor<'_> {
        Surveyor {
            triage: self.triage,
            stop: self.stop,
            watching: &self.watching,
            known: &self.known,
            longest: &self.longest,
        }
    }

    pub(super) fn path(&self, member: &Member) -> PathBuf {
        if member.found.is_some() {
            return self.house.out.join(&member.path);
        }
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths.get(&member.path).cloned().unwrap_or_else(|| self.triage.folder.join(&member.path))
    }

    pub(super) fn content(&self, member: &Member) -> Option<Vec<u8>> {
        fs::read(self.path(member)).ok()
    }

    /// Writes the state, and lets the onlooker write its pages.
    fn save(&self, board: &mut Board) -> Result<(), Failure> {
        let state = &mut board.state;
        state.runs = self.earlier.0 + self.counter.get() - self.shared.hits();
        state.shared_runs = self.earlier.1 + self.shared.hits();
        state.seconds = self.elapsed();
        state.known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        state.write(&self.house.out)?;
        self.onlooker.saved(state)
    }

    /// Runs new files, runs turns until no bug waits, and returns the state.
    fn whole(self, files: &[Listed]) -> Result<TriageState, Failure> {
        self.survey(files)?;
        let mut board = self.board();
        self.onlooker.happened(Happening::Grouped, &board.state);
        self.save(&mut board)?;
        if board.state.bugs.is_empty() && !self.triage.watch {
            return Err(nothing(self.triage, &board.state));
        }
        drop(board);
        let jobs = self.triage.jobs.max(1);
        let ran = at_once(jobs + 1, |number| {
            if number == 0 {
                self.supervise();
            } else {
                self.work();
            }
        });
        debug_assert_eq!(ran.len(), jobs + 1);
        let mut board = self.board();
        if let Some(failure) = board.failure.take() {
            // The results are kept; the earlier error is reported.
            let _ = self.save(&mut board);
            return Err(failure);
        }
        self.save(&mut board)?;
        Ok(board.state.clone())
    }

    /// Runs turns until nothing remains to be done.
    fn work(&self) {
        let mut board = self.board();
        loop {
            if board.is_over {
                return;
            }
            let Some(turn) = queue::next(&board.state.bugs, board.free) else {
                board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let part = self.stop.of_part();
            board.free -= turn.jobs;
            board.state.bug_mut(turn.number).state = BugState::Running;
            board.parts.push((turn.number, part.clone()));
            drop(board);
            let ended = self.have(turn, &part);
            board = self.board();
            board.free += turn.jobs;
            board.parts.retain(|(number, _)| *number != turn.number);
            if let Err(failure) = ended {
                board.is_over = true;
                board.failure.get_or_insert(failure);
            }
            self.changed.notify_all();
        }
    }

    /// Runs one turn, and writes the state.
    fn have(&self, turn: Turn, part: &Stop) -> Result<(), Failure> {
        self.turn(turn, part)?;
        self.save(&mut self.board())
    }

    /// Watches for the end and for new files.
    fn supervise(&self) {
        let mut last: HashMap<PathBuf, (u64, Option<SystemTime>)> = HashMap::new();
        let mut looked = Instant::now();
        let mut waits = false;
        let mut board = self.board();
        loop {
            let is_idle = board.parts.is_empty() && queue::next(&board.state.bugs, 1).is_none();
            board.is_over |= self.stop.has_come() || is_idle && !self.triage.watch;
            if board.is_over {
                for (_, part) in &board.parts {
                    part.end();
                }
                self.changed.notify_all();
                return;
            }
            if is_idle && !waits {
                self.onlooker.happened(Happening::Waits, &board.state);
            }
            waits = is_idle;
            if self.triage.watch && looked.elapsed() >= TUNING.look {
                drop(board);
                looked = Instant::now();
                let added = self.look(&mut last);
                board = self.board();
                if let Err(failure) = added {
                    board.is_over = true;
                    board.failure.get_or_insert(failure);
                    continue;
                }
                self.changed.notify_all();
            }
            let waited = self.changed.wait_timeout(board, TUNING.tick);
            board = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds new files that have been written completely.
    fn look(&self, last: &mut HashMap<PathBuf, (u64, Option<SystemTime>)>) -> Result<(), Failure> {
        let Ok((files, _)) = list(&self.triage.folder, &self.triage.out) else { return Ok(()) };
        let known: HashSet<String> = self.board().state.files.iter().map(|file| file.path.clone()).collect();
        let mut now = HashMap::new();
        let mut ready = Vec::new();
        for file in files.into_iter().filter(|file| !known.contains(&file.name)) {
            let Ok(found) = file.path.metadata() else { continue };
            let sign = (found.len(), found.modified().ok());
            if last.get(&file.path) == Some(&sign) {
                ready.push(file);
            } else {
                now.insert(file.path, sign);
            }
        }
        *last = now;
        if ready.is_empty() {
            return Ok(());
        }
        match self.survey(&ready) {
            Err(_) if self.stop.has_come() => return Ok(()),
            surveyed => surveyed?,
        }
        let mut board = self.board();
        self.onlooker.happened(Happening::Grouped, &board.state);
        self.save(&mut board)
    }

    /// Returns the error for a survey that did not finish.
    fn early(&self, failure: Failure) -> Failure {
        if !self.stop.has_come() {
            return failure;
        }
        if !self.stop.is_late() {
            return Failure::interrupted();
        }
        let message = "`--total-time` ended before each file had been run once";
        Failure::message(Fault::Oracle, message)
            .hint("the time includes the first run of each file; use a longer `--total-time`")
    }

    /// Runs new files and assigns them to bugs.
    fn survey(&self, files: &[Listed]) -> Result<(), Failure> {
        {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            paths.extend(files.iter().map(|file| (file.name.clone(), file.path.clone())));
        }
        let (known, old): (HashSet<String>, HashMap<String, String>) = {
            let board = self.board();
            let files = &board.state.files;
            let first = files.iter().filter(|file| file.same_as.is_none() && !file.hash.is_empty());
            (
                files.iter().map(|file| file.path.clone()).collect(),
                first.map(|file| (file.hash.clone(), file.path.clone())).collect(),
            )
        };
        let new: Vec<Listed> = files.iter().filter(|file| !known.contains(&file.name)).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        let told = |done, all| self.tell(|_| Some(Happening::Surveyed { done, all }));
        let surveyed = self.surveyor().all(&new, &old, &told).map_err(|failure| self.early(failure))?;
        let mut board = self.board();
        for one in surveyed {
            group::add(&mut board.state, one, &|member| self.content(member));
        }
        let numbers: Vec<usize> = board.state.own_bugs().map(|bug| bug.number).collect();
        for number in numbers {
            board.state.bug_mut(number).sort_members();
        }
        let described: Vec<Bug> = board.state.own_bugs().filter(|bug| bug.has_result()).cloned().collect();
        drop(board);
        described.iter().try_for_each(|bug| self.house.describe(self.triage, bug, &self.known(&bug.place)))
    }
}

/// No file shows a bug.
fn nothing(triage: &Triage<'_>, state: &TriageState) -> Failure {
    let count = |sort| state.files.iter().filter(|file| file.sort == sort).count();
    let sorts = [
        (FileSort::Passes, "pass"),
        (FileSort::Error, "report an ordinary error"),
        (FileSort::Other, "fail in another way"),
        (FileSort::Hangs, "exceed the time limit"),
        (FileSort::OverLimit, "exceed another limit"),
        (FileSort::Unreadable, "cannot be run"),
    ];
    let told = sorts.map(|(sort, what)| (count(sort), what));
    let told: Vec<String> = told
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let message = format!("no file in `{}` shows a bug: {}", triage.folder.display(), told.join(", "));
    let first = state
        .files
        .iter()
        .find(|file| matches!(file.sort, FileSort::Error | FileSort::Other | FileSort::Unreadable));
    let details = first.map(|file| format!("{}: {}\n", file.path, file.title)).unwrap_or_default();
    let hint = match (count(FileSort::Error), count(FileSort::Hangs)) {
        (1.., _) => {
            "describe the failure with `--stderr REGEX` or `--exit-code N`; to treat ordinary errors as bugs, add `--errors-too`"
        }
        (_, 1..) => "to treat a hang as a bug, add `--hang --timeout SECONDS`",
        _ => {
            "run the command on one of the files by hand, and describe the failure with `--stderr REGEX` or `--exit-code N`"
        }
    };
    Failure::message(Fault::NotInteresting, message).details(details).hint(hint)
}
