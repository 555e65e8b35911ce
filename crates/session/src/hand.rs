//! Edits that the user makes in the output file during a run: decides when to look for them, and saves unused ones.
//!
//! The crate `reduce` decides whether an edit becomes the current best.

use crate::input::{self, BestFile};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The least time between two checks of the file.
const PAUSE: Duration = Duration::from_millis(500);
/// The folder of the edits in the folder of the journal.
const FOLDER: &str = "hand";

pub struct Hand {
    /// The folder that keeps the edits for a resumed run. Their names contain the number of earlier probes.
    folder: Option<PathBuf>,
    /// The edits of an earlier run that have not been repeated yet.
    earlier: VecDeque<(usize, PathBuf)>,
    /// The last edit is from an earlier run.
    is_earlier: bool,
    /// The number of edits.
    number: usize,
    looked: Instant,
}

impl Hand {
    /// Creates the state for a run with its journal in this folder, if any. The flag is set if an earlier run is
    /// resumed.
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

    /// Returns the edit to try now, after `probes` probes. An edit of an earlier run is repeated after the same
    /// number of probes.
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
        // If it is not kept, a resumed run takes other steps, which is acceptable.
        let _ = self.keep(probes, &text);
        Some(text)
    }

    /// Saves an unused edit next to the result. Returns a note for the user.
    pub fn refused(&self, text: &[u8], why: &str, best: &BestFile) -> io::Result<Option<String>> {
        if self.is_earlier {
            return Ok(None);
        }
        let note = format!("the manual edit is not used: {why}");
        let Some(path) = best.path() else { return Ok(Some(note)) };
        let place = put_beside(path, text)?;
        Ok(Some(format!("{note}; it was saved as `{}`", place.display())))
    }

    /// Saves an edit that came too late to be tried.
    pub fn late(best: &mut BestFile) -> Option<String> {
        let text = best.edited_last()?;
        Some(match put_beside(best.path()?, &text) {
            Ok(place) => {
                let place = place.display();
                format!("note: the manual edit came too late to be tried; it was saved as `{place}`")
            }
            Err(error) => {
                format!("note: the manual edit came too late to be tried and could not be saved: {error}")
            }
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

/// Returns the edits kept by an earlier run, in order.
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

/// Writes a text next to the result, under an unused name with `.rejected` before the extension.
fn put_beside(best: &Path, text: &[u8]) -> io::Result<PathBuf> {
    let path = input::free_name(&input::named(best, ".rejected"));
    fs::File::create_new(&path)?.write_all(text)?;
    Ok(path)
}
