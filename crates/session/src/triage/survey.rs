//! Runs each file once, with the sandbox, limits and needed files of the initial runs of a reduction.
//!
//! The module `crash` classifies the results.

use super::Triage;
use super::crash::{self, FileSort, Showing};
use super::place::Listed;
use super::state::FileSeen;
use crate::baseline::{self, Known};
use crate::failure::{Failure, Fault};
use crate::stop::Stop;
use nubbin_oracle::{CommandRun, Observer, Status};
use nubbin_search::schedule::at_once;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The largest number of files with an ordinary error for which needed files are searched again, because a
    /// missing file can cause the error.
    looks: usize,
    /// The time limit of a run, as a multiple of the longest earlier run, if no limit is given.
    factor: u32,
    /// The least time limit.
    least: Duration,
}

const TUNING: Tuning = Tuning { looks: 6, factor: 10, least: Duration::from_secs(5) };

pub(super) struct Surveyed {
    pub seen: FileSeen,
    pub showing: Showing,
}

pub(super) struct Surveyor<'s> {
    pub triage: &'s Triage<'s>,
    pub stop: &'s Stop,
    pub watching: &'s [Arc<dyn Observer>],
    /// The files needed by the command, for each folder of input files.
    pub known: &'s Mutex<BTreeMap<String, Known>>,
    /// The duration of the longest run so far.
    pub longest: &'s Mutex<Duration>,
}

impl Surveyor<'_> {
    /// Runs these files, in parallel if there are several jobs. Of files with the same content only the first is run.
    /// `told` receives the number of finished files and of all files.
    ///
    /// # Errors
    /// Returns an error when the command cannot be run, or the stop has come.
    pub(super) fn all(
        &self,
        files: &[Listed],
        old: &HashMap<String, String>,
        told: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Surveyed>, Failure> {
        let contents: Vec<_> = files.iter().map(|file| std::fs::read(&file.path)).collect();
        let mut first = old.clone();
        let mut same: Vec<Option<String>> = Vec::new();
        for (file, content) in files.iter().zip(&contents) {
            let known = content.as_ref().ok().and_then(|content| {
                let key = key(&file.path, content);
                let known = first.get(&key).cloned();
                first.entry(key).or_insert_with(|| file.name.clone());
                known
            });
            same.push(known);
        }
        let mut order: Vec<usize> =
            (0..files.len()).filter(|&at| same[at].is_none() && contents[at].is_ok()).collect();
        // The first run in a folder determines the needed files; a small file is the fastest.
        let size = |at: usize| contents[at].as_ref().map_or(0, Vec::len);
        order.sort_by_key(|&at| (size(at), at));
        let mut folders = HashSet::new();
        let (ahead, rest): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|&at| folders.insert(folder(&files[at].name)));
        let done = AtomicUsize::new(0);
        let mut found: Vec<Option<Surveyed>> = files.iter().map(|_| None).collect();
        for part in [&ahead, &rest] {
            let next = AtomicUsize::new(0);
            let ran = at_once(self.triage.jobs.min(part.len().max(1)), |_| {
                let mut ran = Vec::new();
                while let Some(&at) = part.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let content = contents[at].as_deref().unwrap_or_default();
                    ran.push((at, self.one(&files[at].name, &files[at].path, content)?));
                    told(done.fetch_add(1, Ordering::Relaxed) + 1, ahead.len() + rest.len());
                }
                Ok::<_, Failure>(ran)
            });
            for ran in ran {
                for (at, one) in ran? {
                    found[at] = Some(one);
                }
            }
        }
        self.look_closer(files, &contents, &mut found)?;
        let unreadable = |(at, one): (usize, Option<Surveyed>)| {
            one.unwrap_or_else(|| {
                let title = match &contents[at] {
                    Err(error) => format!("cannot be read: {error}"),
                    Ok(_) => String::new(),
                };
                let hash = contents[at].as_ref().map(|content| key(&files[at].path, content));
                unseen(&files[at].name, size(at), hash.unwrap_or_default(), title, same[at].clone())
            })
        };
        Ok(found.into_iter().enumerate().map(unreadable).collect())
    }

    /// Searches again for needed files for the first files with each kind of ordinary error, because the command can
    /// lack files that it finds in the user's directory. If so, the files of that folder are run again.
    fn look_closer(
        &self,
        files: &[Listed],
        contents: &[std::io::Result<Vec<u8>>],
        found: &mut [Option<Surveyed>],
    ) -> Result<(), Failure> {
        let mut looked = HashSet::new();
        for at in 0..files.len() {
            let is_error =
                |one: &Option<Surveyed>| one.as_ref().is_some_and(|one| one.showing.sort == FileSort::Error);
            let title = found[at].as_ref().map(|one| one.showing.title.clone()).unwrap_or_default();
            if !is_error(&found[at]) || looked.len() >= TUNING.looks || !looked.insert(title) {
                continue;
            }
            let place = folder(&files[at].name);
            let before = self.known().remove(&place);
            let content = contents[at].as_deref().unwrap_or_default();
            let again = self.one(&files[at].name, &files[at].path, content)?;
            if self.known().get(&place) == before.as_ref() {
                continue;
            }
            if again.showing.sort == FileSort::Error {
                if let Some(before) = before {
                    self.known().insert(place, before);
                }
                continue;
            }
            found[at] = Some(again);
            for other in 0..files.len() {
                if is_error(&found[other]) && folder(&files[other].name) == place {
                    let content = contents[other].as_deref().unwrap_or_default();
                    found[other] = Some(self.one(&files[other].name, &files[other].path, content)?);
                }
            }
        }
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one file. If the needed files of its folder are not known, determines them.
    ///
    /// # Errors
    /// Returns an error when the command cannot be run, or the stop has come.
    pub(super) fn one(&self, name: &str, path: &Path, content: &[u8]) -> Result<Surveyed, Failure> {
        let place = folder(name);
        let known = self.known().get(&place).cloned();
        let is_known = known.is_some();
        let (showing, run, known) = match self.run(path, content, known) {
            // The command behaves differently in a fresh directory, so nothing is known about this file.
            Err(failure) if failure.fault() == Fault::Oracle && !is_known && !self.stop.has_come() => {
                let plain = self.run(path, content, Some(Known::default()))?;
                (Showing { sort: FileSort::Unreadable, crash: None, title: failure.text() }, plain.1, None)
            }
            ran => {
                let (showing, run, known) = ran?;
                (showing, run, Some(known))
            }
        };
        if let Some(known) = known.filter(|_| !is_known) {
            self.known().insert(place, known);
        }
        let hash = key(path, content);
        let mut one = unseen(name, content.len(), hash, showing.title.clone(), None);
        one.seen.sort = showing.sort;
        one.seen.seconds = run.elapsed.as_secs_f64();
        one.showing = showing;
        Ok(one)
    }

    /// Runs the command on a text.
    ///
    /// # Errors
    /// Returns an error when it cannot be run, or the stop has come.
    pub(super) fn run(
        &self,
        path: &Path,
        content: &[u8],
        known: Option<Known>,
    ) -> Result<(Showing, CommandRun, Known), Failure> {
        if self.stop.has_come() {
            return Err(Failure::interrupted());
        }
        let mut settings = (self.triage.settings)(path)?;
        settings.known = known;
        let longest = || self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = *longest();
        if settings.timeout.is_none() && !limit.is_zero() {
            settings.timeout = Some(TUNING.least.max(limit * TUNING.factor));
        }
        settings.voice = crate::Voice::silent();
        let (run, known) = baseline::look(&settings, content, self.stop, self.watching)?;
        if run.status != Status::TimedOut {
            let mut longest = longest();
            *longest = longest.max(run.elapsed);
        }
        Ok((crash::look(&settings, content, &run, self.triage.errors_too), run, known))
    }
}

fn unseen(path: &str, bytes: usize, hash: String, title: String, same_as: Option<String>) -> Surveyed {
    let sort = FileSort::Unreadable;
    let showing = Showing { sort, crash: None, title: title.clone() };
    let seen = FileSeen { path: path.to_owned(), bytes, hash, sort, title, bug: None, same_as, seconds: 0.0 };
    Surveyed { seen, showing }
}

/// Returns the folder of a file, relative to the folder of the triage.
pub(super) fn folder(name: &str) -> String {
    name.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// Returns a text that is equal for files with the same content and extension.
pub(super) fn key(path: &Path, content: &[u8]) -> String {
    let ending = path.extension().unwrap_or_default().display().to_string();
    format!("{}.{ending}", &blake3::hash(content).to_hex()[..32])
}
