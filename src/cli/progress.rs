//! What is shown while a reduction runs: one line that changes on a terminal, plain lines elsewhere.
//!
//! It counts nothing: the events bring the numbers.

use super::text;
use super::voice::Voice;
use indicatif::{ProgressBar, ProgressStyle};
use nubbin::event::{Counts, Event, Sink, Size};
use nubbin::oracle::Pause;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the line on a terminal is drawn at least.
const TICK: Duration = Duration::from_millis(200);
/// How often a plain line is printed at most.
const PAUSE: Duration = Duration::from_secs(5);

/// Shows the events of one reduction.
pub struct Progress {
    voice: Voice,
    /// There on a terminal only.
    bar: Option<ProgressBar>,
    start: Instant,
    /// Time in which the program was stopped does not count, and how much there was of it before the start.
    pause: Arc<Pause>,
    paused: Duration,
    last_line: Instant,
    before: Size,
    now: Size,
    counts: Counts,
    pass: String,
    /// How often the unchanged input fails, where that is not each time.
    rate: Option<(usize, usize)>,
}

impl Progress {
    /// Shows nothing yet.
    pub fn new(voice: Voice, pause: Arc<Pause>) -> Self {
        let now = Instant::now();
        Self {
            voice,
            bar: None,
            start: now,
            paused: pause.total(),
            pause,
            last_line: now,
            before: Size::default(),
            now: Size::default(),
            counts: Counts::default(),
            pass: String::new(),
            rate: None,
        }
    }

    /// Takes the line away, and returns how long the reduction took.
    pub fn finish(self) -> Duration {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.elapsed()
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.pause.total().saturating_sub(self.paused))
    }

    fn begin(&mut self, size: Size) {
        (self.before, self.now) = (size, size);
        if self.voice != Voice::Quiet && std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            let bar = ProgressBar::new_spinner().with_style(style.expect("the template is valid"));
            bar.enable_steady_tick(TICK);
            self.bar = Some(bar);
        }
    }

    /// The state in a line.
    fn line(&self) -> String {
        let tokens = text::counted(self.now.tokens, "token");
        let less = text::less(self.before.tokens, self.now.tokens);
        let bytes = text::counted(self.now.bytes, "byte");
        let probes = text::counted(self.counts.probes, "probe");
        let rate = text::rate(self.counts.probes, self.elapsed());
        let line = format!("{tokens} ({less}), {bytes}, {probes}, {rate}");
        let line = match self.rate {
            Some((part, runs)) => format!("{line}, flaky: {:.0} %", 100.0 * part as f64 / runs.max(1) as f64),
            None => line,
        };
        if self.pass.is_empty() { line } else { format!("{line}, {}", self.pass) }
    }

    fn update(&mut self) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.line());
        } else if self.last_line.elapsed() >= PAUSE {
            self.print();
        }
    }

    fn print(&mut self) {
        self.last_line = Instant::now();
        self.say(&self.line());
    }

    /// Prints a line above the one that changes.
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => self.voice.say(text),
        }
    }

    fn enter(&mut self, pass: &str) {
        let is_new = self.pass != pass;
        pass.clone_into(&mut self.pass);
        if is_new && self.voice == Voice::Verbose && self.bar.is_none() {
            self.print();
        }
    }
}

impl Sink for Progress {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Started { size } => self.begin(size),
            Event::Pass { name, .. } => self.enter(name),
            Event::Probed { counts, .. } => self.counts = counts,
            Event::Accepted { size, .. } => self.now = size,
            Event::Measured { interesting, runs } => {
                self.rate = Some((interesting, runs));
                let rate = text::share(interesting, runs);
                self.say(&format!(
                    "note: the unreduced input was interesting in {rate}; each candidate is run several times"
                ));
            }
            Event::Undone { steps, size, .. } => {
                self.now = size;
                let steps = text::counted(steps, "step");
                self.say(&format!("note: the best did not fail often enough; {steps} undone"));
            }
            Event::Note { text } => self.say(&format!("note: {text}")),
        }
        if self.before.bytes > 0 {
            self.update();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
