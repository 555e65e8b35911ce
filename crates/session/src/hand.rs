//! Edits that a user makes by hand in the file that holds the best: this module decides when to look for them, and
//! keeps those that are not used.
//!
//! The library decides whether one is the best.

use crate::input::{self, BestFile};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The least time between two looks at the file.
const PAUSE: Duration = Duration::from_millis(500);
/// The folder of the edits in that of the journal.
const FOLDER: &str = "hand";

/// The edits of a run.
pub struct Hand {
    /// The folder that keeps them for a run that goes on with this one; their names count the probes before them.
    folder: Option<PathBuf>,
    /// The edits of an earlier run that have not come again.
    earlier: VecDeque<(usize, PathBuf)>,
    /// The last edit came from an earlier run.
    is_earlier: bool,
    /// The number of edits.
    number: usize,
    looked: Instant,
}

impl Hand {
    /// Makes the edits of a run with its journal in this folder, or without one; the flag tells whether the run goes on
    /// with an earlier one.
    pub fn new(journal: Option<(&Path, bool)>) -> Self {
        let folder = journal.map(|(folder, _)| folder.join(FOLDER));
        let mut earlier: Vec<(usize, PathBuf)> = Vec::new();
        match (&folder, journal) {
            (Some(folder), Some((_, true))) => earlier = kept(folder),
            (Some(folder), _) => drop(fs::remove_dir_all(folder)),
            (None, _) => {}
        }
        let number = earlier.len();
        Self { folder, earlier: earlier.into(), is_earlier: false, number, looked: Instant::now() }
    }

    /// Returns the edit to try now, after so many probes. One of an earlier run comes again after as many as it came
    /// then.
    pub fn offered(&mut self, probes: usize, best: &mut BestFile, is_behind: bool) -> Option<Vec<u8>> {
        if self.earlier.front().is_some_and(|(at, _)| *at <= probes) {
            self.is_earlier = true;
            return self.earlier.pop_front().and_then(|(_, path)| fs::read(path).ok());
        }
        if is_behind || !self.earlier.is_empty() || self.looked.elapsed() < PAUSE {
            return None;
        }
        self.looked = Instant::now();
        let text = best.edited()?;
        self.is_earlier = false;
        // Without it a run that goes on with this one takes another way, which is no reason to stop this one.
        let _ = self.keep(probes, &text);
        Some(text)
    }

    /// Puts an edit that is not used beside the best. What the user should know of it is returned.
    pub fn refused(&self, text: &[u8], why: &str, best: &BestFile) -> io::Result<Option<String>> {
        if self.is_earlier {
            return Ok(None);
        }
        let note = format!("an edit by hand is not used: {why}");
        let Some(path) = best.path() else { return Ok(Some(note)) };
        let place = put_beside(path, text)?;
        Ok(Some(format!("{note}; it is kept as `{}`", place.display())))
    }

    /// Keeps an edit that came too late to be tried.
    pub fn late(best: &mut BestFile) -> Option<String> {
        let text = best.edited_last()?;
        Some(match put_beside(best.path()?, &text) {
            Ok(place) => {
                let place = place.display();
                format!("note: an edit by hand came too late to be tried; it is kept as `{place}`")
            }
            Err(error) => format!("note: an edit by hand came too late to be tried, and is lost: {error}"),
        })
    }

    fn keep(&mut self, probes: usize, text: &[u8]) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text)?;
        file.persist(folder.join(format!("{probes}-{}", self.number)))?;
        self.number += 1;
        Ok(())
    }
}

/// Returns the edits that an earlier run has kept, in order.
fn kept(folder: &Path) -> Vec<(usize, PathBuf)> {
    let numbers = |path: &Path| {
        let (probes, number) = path.file_name()?.to_str()?.split_once('-')?;
        Some((probes.parse::<usize>().ok()?, number.parse::<usize>().ok()?))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut kept: Vec<_> =
        entries.filter_map(|entry| Some((numbers(&entry.path())?, entry.path()))).collect();
    kept.sort();
    kept.into_iter().map(|((probes, _), path)| (probes, path)).collect()
}

/// Writes a text beside the file of the best, `.rejected` before its extension, where nothing is yet.
fn put_beside(best: &Path, text: &[u8]) -> io::Result<PathBuf> {
    let path = input::free_name(&input::named(best, ".rejected"));
    fs::File::create_new(&path)?.write_all(text)?;
    Ok(path)
}
