//! Shows a triage: messages, a line for each running reduction on a terminal, and a page about all bugs.

mod page;
mod table;

pub use table::summary;

use super::Shown;
use super::audience::House;
use super::record::RecordChoice;
use super::ui;
use crate::settings::Triaged;
use crate::signal::Interrupt;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use nubbin_session::failure::Failure;
use nubbin_session::reduce::Reduced;
use nubbin_session::settings::Settings;
use nubbin_session::text;
use nubbin_session::triage::state::{Bug, BugState, TriageState};
use nubbin_session::triage::{Follower, Happening, Onlooker};
use nubbin_session::voice::Voice;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The name of the page about all bugs.
const INDEX: &str = "index.html";
/// The name of the page about one reduction.
const RUN: &str = "run.html";
/// The name of a bug report.
const REPORT: &str = "report.md";
/// The least time between two plain lines on the overall progress.
const PAUSE: Duration = Duration::from_secs(5);

/// Shows the progress of a triage.
pub struct Show<'s> {
    voice: Voice,
    out: PathBuf,
    interrupt: &'s Interrupt,
    lines: Option<MultiProgress>,
    board: Mutex<Board>,
}

/// The updated lines on the terminal.
#[derive(Default)]
struct Board {
    whole: Option<ProgressBar>,
    bugs: BTreeMap<usize, ProgressBar>,
    last: Option<Instant>,
}

impl<'s> Show<'s> {
    /// Creates a view that shows nothing yet.
    pub fn new(asked: &Triaged, interrupt: &'s Interrupt) -> Self {
        let can_draw = std::io::stderr().is_terminal() && !asked.voice.is_quiet();
        Self {
            voice: asked.voice.clone(),
            out: asked.out.clone(),
            interrupt,
            lines: can_draw.then(MultiProgress::new),
            board: Mutex::default(),
        }
    }

    /// Removes the updated lines.
    pub fn finish(&self) {
        if let Some(lines) = &self.lines {
            let _ = lines.clear();
        }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line above the updated lines.
    fn say(&self, line: &str) {
        match &self.lines {
            Some(lines) => drop(lines.println(text::printable(line))),
            None => self.voice.say(line),
        }
    }

    /// Returns the line of a bug.
    fn line<'b>(&self, board: &'b mut Board, number: usize) -> Option<&'b ProgressBar> {
        let lines = self.lines.as_ref()?;
        if !board.bugs.contains_key(&number) {
            let bar = lines.insert(board.bugs.len(), spinner());
            board.bugs.insert(number, bar);
        }
        board.bugs.get(&number)
    }

    /// Shows the overall progress.
    fn whole(&self, board: &mut Board, line: &str, is_plain: bool) {
        if let Some(lines) = &self.lines {
            board.whole.get_or_insert_with(|| lines.add(spinner())).set_message(line.to_owned());
        } else if is_plain && board.last.is_none_or(|last| last.elapsed() >= PAUSE) {
            board.last = Some(Instant::now());
            self.voice.say(line);
        }
    }
}

fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Onlooker for Show<'_> {
    fn happened(&self, what: Happening<'_>, state: &TriageState) {
        let mut board = self.board();
        match what {
            Happening::Surveyed { done, all } => {
                let line = format!("running each file once: {} of {}", text::count(done), text::count(all));
                self.whole(&mut board, &line, true);
            }
            Happening::Grouped => {
                board.last = None;
                self.say(&table::files(state));
                state.own_bugs().for_each(|bug| self.say(&table::line(bug)));
            }
            Happening::Began(bug) => {
                let line = table::line(bug);
                if let Some(bar) = self.line(&mut board, bug.number) {
                    bar.set_message(line);
                }
            }
            Happening::Progressed { number, size, probes } => {
                let Some(bug) = state.bug(number) else { return };
                let line = table::progress(bug, size.tokens, probes);
                if let Some(bar) = self.line(&mut board, number) {
                    bar.set_message(line);
                }
            }
            Happening::Ended(bug) => {
                if let (Some(bar), Some(lines)) = (board.bugs.remove(&bug.number), &self.lines) {
                    lines.remove(&bar);
                    bar.finish_and_clear();
                }
                if bug.state != BugState::Waiting {
                    self.say(&table::line(bug));
                } else if self.voice.is_verbose() {
                    self.say(&table::progress(bug, bug.after.tokens, bug.probes));
                }
            }
            Happening::Found(bug) => self.say(&table::line(bug)),
            Happening::Waits => self.say("waiting for new files; press Ctrl-C to stop"),
        }
        if !matches!(what, Happening::Surveyed { .. }) {
            let line = table::whole(state);
            self.whole(&mut board, &line, false);
        }
    }

    fn saved(&self, state: &TriageState) -> Result<(), Failure> {
        let place = self.out.join(INDEX);
        let is_there = |bug: &Bug, name: &str| self.out.join(&bug.folder).join(name).is_file();
        let small = |bug: &Bug| std::fs::read(self.out.join(&bug.folder).join(bug.name.as_ref()?)).ok();
        let page = page::page(state, &is_there, &small);
        nubbin_session::input::product::write(&place, page.as_bytes())?;
        Ok(())
    }

    fn follower<'a>(
        &'a self,
        settings: &'a Settings,
        _: &Bug,
        folder: &Path,
    ) -> Result<Box<dyn Follower + 'a>, Failure> {
        let records = RecordChoice::pages(folder.join(RUN), folder.join(REPORT));
        let shown = Shown { show: ui::Show::Nothing, records };
        Ok(Box::new(House::new(settings, &shown, self.interrupt)?))
    }
}

impl Follower for House<'_> {
    fn tell(&mut self, reduced: &Reduced) -> Result<(), Failure> {
        House::tell(self, reduced)
    }
}
