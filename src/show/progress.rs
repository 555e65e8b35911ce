//! Shows the progress of a reduction: a line that is updated on a terminal, plain lines elsewhere.

use crate::show::live::Live;
use crate::show::ui::Show;
use crate::terminal;
use indicatif::{ProgressBar, ProgressStyle};
use nubbin_oracle::Pause;
use nubbin_reduce::event::{Counts, Event, Sink, Size};
use nubbin_session::text;
use nubbin_session::voice::Voice;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// The longest time between two drawings of the line on a terminal.
    tick: Duration,
    /// No progress is shown for this time at the beginning.
    silence: Duration,
    /// The least time between two plain lines.
    line_pause: Duration,
}

const TUNING: Tuning = Tuning {
    tick: Duration::from_millis(200),
    silence: Duration::from_secs(1),
    line_pause: Duration::from_secs(5),
};

/// Shows the events of one reduction.
pub struct Progress {
    voice: Voice,
    show: Show,
    /// The view, which replaces the line.
    live: Option<Live>,
    /// The messages that are held back while the view is open.
    hidden: Vec<String>,
    /// The updated line; `None` if standard error is not a terminal.
    bar: Option<ProgressBar>,
    start: Instant,
    /// The pauses of the program, which do not count as time.
    pause: Arc<Pause>,
    /// The length of the pauses before the start.
    paused: Duration,
    last_line: Instant,
    before: Size,
    now: Size,
    counts: Counts,
    pass: String,
    /// The number of failures and the number of runs of the unchanged input, if the oracle is flaky.
    rate: Option<(usize, usize)>,
}

/// Shows a message about the current work on a terminal, if the work takes long.
pub struct Waiting {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    /// Shows the message `what` after [`Tuning::silence`], unless the value is dropped before.
    pub fn begin(voice: &Voice, show: Show, what: String) -> Self {
        let is_shown = !voice.is_quiet() && show != Show::Nothing && std::io::stderr().is_terminal();
        let (is_over, start) = (Arc::new(AtomicBool::new(false)), Instant::now());
        let flag = Arc::clone(&is_over);
        let voice = voice.clone();
        let wait = move || {
            while !flag.load(Ordering::Acquire) {
                match TUNING.silence.checked_sub(start.elapsed()) {
                    Some(rest) => thread::park_timeout(rest),
                    None => return voice.say(&what),
                }
            }
        };
        let thread = is_shown.then(|| thread::Builder::new().name("wait".to_owned()).spawn(wait).ok());
        Self { is_over, thread: thread.flatten() }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Progress {
    /// Creates a progress that shows nothing yet.
    pub fn new(voice: Voice, show: Show, live: Option<Live>, pause: Arc<Pause>) -> Self {
        let now = Instant::now();
        Self {
            voice,
            show,
            live,
            hidden: Vec::new(),
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

    /// Removes the line, and returns the time of the reduction.
    pub fn finish(mut self) -> Duration {
        let elapsed = self.elapsed();
        self.clear();
        elapsed
    }

    /// Removes the line or the view. Messages that the view hid are printed.
    fn clear(&mut self) {
        if let Some(mut live) = self.live.take() {
            live.close();
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        for text in std::mem::take(&mut self.hidden) {
            self.voice.say(&text);
        }
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.pause.total().saturating_sub(self.paused))
    }

    fn begin(&mut self, size: Size) {
        (self.before, self.now) = (size, size);
        let has_line = matches!(self.show, Show::Lines | Show::View { at_once: false });
        if has_line && !self.voice.is_quiet() && std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            let bar = ProgressBar::new_spinner().with_style(style.expect("the template is valid"));
            bar.enable_steady_tick(TUNING.tick);
            self.bar = Some(bar);
        }
        if let Some(live) = &mut self.live {
            live.replaces(self.bar.clone());
        }
    }

    /// Returns the state as one line.
    fn line(&self) -> String {
        let tokens = text::counted(self.now.tokens, "token");
        let less = text::less(self.before.tokens, self.now.tokens);
        let bytes = text::counted(self.now.bytes, "byte");
        let candidates = text::counted(self.counts.probes, "candidate");
        let rate = text::rate(self.counts.probes, self.elapsed());
        let line = format!("{tokens} ({less}), {bytes}, {candidates}, {rate}");
        let line = match self.rate {
            Some((part, runs)) => format!("{line}, flaky: {:.0} %", 100.0 * part as f64 / runs.max(1) as f64),
            None => line,
        };
        if self.pass.is_empty() { line } else { format!("{line}, {}", self.pass) }
    }

    fn update(&mut self) {
        if self.live.as_ref().is_some_and(Live::is_broken) {
            self.clear();
        }
        if self.show == Show::Nothing || self.is_covered() {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.line());
        } else if self.last_line.elapsed() >= TUNING.line_pause {
            self.print();
        }
    }

    fn print(&mut self) {
        self.last_line = Instant::now();
        let line = self.line();
        self.say(&line);
    }

    /// Prints a line above the updated line.
    fn say(&mut self, text: &str) {
        if self.is_covered() {
            self.hidden.push(text.to_owned());
            return;
        }
        match &self.bar {
            Some(bar) => bar.println(terminal::styled(&text::printable(text))),
            None => self.voice.say(text),
        }
    }

    /// Tells whether the view covers the screen.
    fn is_covered(&self) -> bool {
        self.live.as_ref().is_some_and(Live::is_open)
    }

    fn enter(&mut self, pass: &str) {
        let is_new = self.pass != pass;
        pass.clone_into(&mut self.pass);
        let is_shown = self.show != Show::Nothing && !self.is_covered();
        if is_new && self.voice.is_verbose() && self.bar.is_none() && is_shown {
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
                self.say(&format!("note: the current best did not fail often enough; {steps} undone"));
            }
            Event::Note { text } => self.say(&format!("note: {text}")),
        }
        if let Some(live) = &mut self.live {
            live.event(event);
        }
        if self.before.bytes > 0 {
            self.update();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
