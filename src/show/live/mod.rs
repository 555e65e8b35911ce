//! Shows a reduction on a full screen while it runs, and takes orders from the keyboard.
//!
//! A separate thread draws and reads keys; the reduction only puts its events on a board. The library carries out the
//! orders: it turns passes off or on, pauses probes, or ends the run.

mod board;
mod code;
mod curve;
mod estimate;
mod keyboard;
mod look;
mod number;
mod paint;
mod palette;
mod screen;

pub use board::Setup;
pub use screen::Screen;

use crate::show::ui::Show;
use crate::signal::Interrupt;
use board::Board;
use code::Keywords;
use indicatif::{ProgressBar, ProgressDrawTarget};
use keyboard::{Gone, Keyboard};
use look::{Look, Order};
use nubbin_oracle::{CommandRun, Observer, Pause};
use nubbin_reduce::Switches;
use nubbin_reduce::event::Event;
use nubbin_reduce::pass::Pass;
use nubbin_session::reduce::Scene;
use nubbin_session::settings::JournalChoice;
use paint::Frame;
use palette::Palette;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{Event as Typed, KeyEvent};
use std::io::{self, Stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// The time after which the view opens automatically.
    opening_delay: Duration,
    /// The view waits this long for a key.
    tick: Duration,
    /// The time between two frames if no key is pressed.
    frame: Duration,
}

const TUNING: Tuning = Tuning {
    opening_delay: Duration::from_secs(5),
    tick: Duration::from_millis(100),
    frame: Duration::from_millis(200),
};

/// The state that the reduction and the view share.
#[derive(Debug)]
struct Shared {
    board: Mutex<Board>,
    setup: Setup,
    words: Keywords,
    heard: Mutex<Option<CommandRun>>,
    switches: Switches,
    stop: Arc<AtomicBool>,
    pause: Arc<Pause>,
    screen: Arc<Screen>,
    ended: AtomicBool,
}

/// The view of one reduction. It opens some time after the reduction has started, and closes when this value is
/// dropped.
#[derive(Debug)]
pub struct Live {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The time before it opens.
    delay: Duration,
    /// The line that is shown before it opens.
    line: Option<ProgressBar>,
}

/// Receives the output of the oracle.
#[derive(Debug)]
pub struct Ear(Arc<Shared>);

/// Receives each new current best.
#[derive(Debug)]
pub struct Stall(Arc<Shared>);

impl Stall {
    /// Takes the current best of the next event.
    pub fn offer(&self, best: &Arc<[u8]>) {
        lock(&self.0.board).offer(best);
    }
}

impl Observer for Ear {
    fn ran(&self, _: &[u8], run: &CommandRun) {
        *lock(&self.0.heard) = Some(run.clone());
    }
}

impl Live {
    /// Returns the view of a reduction, if it was requested and the terminal can show it.
    pub fn of(scene: &Scene<'_>, show: Show, interrupt: &Interrupt) -> Option<Self> {
        let Show::View { at_once } = show else { return None };
        let delay = if at_once { Duration::ZERO } else { TUNING.opening_delay };
        let words = scene.language.get().map(|language| language.grammar().keywords().map(str::to_owned));
        let setup = setup(scene);
        Some(Self::new(delay, setup, words.into_iter().flatten(), scene.input, interrupt))
    }

    /// Returns a view that opens after `delay`. `words` are the keywords of the language of the input.
    fn new(
        delay: Duration,
        setup: Setup,
        words: impl Iterator<Item = String>,
        input: &[u8],
        interrupt: &Interrupt,
    ) -> Self {
        let shared = Shared {
            board: Mutex::new(Board::new(input.into())),
            setup,
            words: words.collect(),
            heard: Mutex::default(),
            switches: Switches::default(),
            stop: interrupt.stop().flag(),
            pause: interrupt.stop().pause(),
            screen: interrupt.screen(),
            ended: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared), thread: None, delay, line: None }
    }

    /// Returns the observer that receives the output of the oracle.
    pub fn ear(&self) -> Arc<dyn Observer> {
        Arc::new(Ear(Arc::clone(&self.shared)))
    }

    /// Returns the switches of the view.
    pub fn switches(&self) -> &Switches {
        &self.shared.switches
    }

    /// Returns the receiver of each new current best. It gets the text before the event, so the text is not copied.
    pub fn stall(&self) -> Stall {
        Stall(Arc::clone(&self.shared))
    }

    /// Tells whether the view is on the screen. Nothing else must be printed in that state.
    pub fn is_open(&self) -> bool {
        self.shared.screen.is_open()
    }

    /// Tells whether its thread has ended too early, so that the view shows nothing any more.
    pub fn is_broken(&self) -> bool {
        self.thread.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Takes the line that the view removes when it opens.
    pub fn replaces(&mut self, line: Option<ProgressBar>) {
        self.line = line;
    }

    /// Takes an event. The first event starts the time after which the view opens.
    pub fn event(&mut self, event: Event<'_>) {
        if let (Event::Started { .. }, None) = (event, &self.thread) {
            self.start();
        }
        lock(&self.shared.board).event(event, &self.shared.setup);
    }

    fn start(&mut self) {
        let (shared, delay, line) = (Arc::clone(&self.shared), self.delay, self.line.take());
        Arc::clone(&shared.screen).guard();
        let view = move || View::new(&shared, line).run(delay);
        self.thread = thread::Builder::new().name("view".to_owned()).spawn(view).ok();
    }

    /// Restores the screen.
    pub fn close(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        let Some(thread) = self.thread.take() else { return };
        thread.thread().unpark();
        let _ = thread.join();
        self.shared.screen.leave();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

/// Returns the facts that do not change during a reduction.
fn setup(scene: &Scene<'_>) -> Setup {
    let Scene { settings, language, best, .. } = *scene;
    let input = settings.input.path(&settings.language);
    let is_known = language.get().is_some();
    let plan = settings.control.plan(is_known, &settings.units, settings.compact);
    let plan = if settings.effort > 0 && is_known { plan.thorough() } else { plan };
    let is_in_tier = |pass: &&Pass| plan.tiers().flatten().any(|one| one.name == pass.name);
    // The pass for deep nesting is planned for every input, but few inputs need it.
    let is_shown = |pass: &&Pass| pass.from > 0 && !is_in_tier(pass);
    let opening = plan.opening(scene.input.len()).filter(is_shown).map(|pass| (pass.name, 0));
    let tiers =
        (1..).zip(plan.tiers()).flat_map(|(number, tier)| tier.iter().map(move |pass| (pass.name, number)));
    Setup {
        title: input.display().to_string(),
        test: settings.test.label.clone(),
        place: best.path().map_or("standard output".to_owned(), |path| path.display().to_string()),
        has_journal: !matches!(settings.journal, JournalChoice::None),
        jobs: settings.jobs,
        objective: settings.control.objective(),
        // Each of several files has its own plan.
        plan: if settings.input.is_archive() { Vec::new() } else { opening.chain(tiers).collect() },
        sweeps: plan.sweeps(),
    }
}

/// The thread that draws and reads keys.
struct View<'s> {
    shared: &'s Shared,
    line: Option<ProgressBar>,
    look: Look,
    /// The keys; `None` once the terminal is closed.
    keyboard: Option<Keyboard>,
    palette: Palette,
    start: Instant,
    paused: Duration,
    /// True while the user pauses the run.
    holds: bool,
}

impl<'s> View<'s> {
    fn new(shared: &'s Shared, line: Option<ProgressBar>) -> Self {
        let (palette, start) = (Palette::new(std::env::var_os("NO_COLOR").as_deref()), Instant::now());
        let paused = shared.pause.total();
        let keyboard = Some(Keyboard::new());
        Self { shared, line, look: Look::default(), keyboard, palette, start, paused, holds: false }
    }

    fn is_over(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// Returns the time that the reduction has run.
    fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.shared.pause.total().saturating_sub(self.paused))
    }

    fn run(mut self, delay: Duration) {
        while !self.is_over() && self.elapsed() < delay {
            thread::park_timeout(delay.saturating_sub(self.elapsed()).max(Duration::from_millis(1)));
            lock(&self.shared.board).tick(self.elapsed());
        }
        let Ok(mut terminal) = Terminal::new(CrosstermBackend::new(io::stderr())) else { return };
        let mut drawn: Option<Instant> = None;
        while !self.is_over() && self.keyboard.is_some() {
            if !self.shared.screen.is_open() {
                if self.open(&mut terminal).is_err() {
                    thread::park_timeout(TUNING.frame);
                    continue;
                }
                drawn = None;
            }
            self.heed_stop();
            if self.keys() || drawn.is_none_or(|drawn| drawn.elapsed() >= TUNING.frame) {
                drawn = Some(Instant::now());
                self.draw(&mut terminal);
            }
        }
        self.shared.screen.leave();
    }

    fn open(&mut self, terminal: &mut Terminal<CrosstermBackend<Stderr>>) -> io::Result<()> {
        if let Some(line) = self.line.take() {
            line.finish_and_clear();
            line.set_draw_target(ProgressDrawTarget::hidden());
        }
        self.shared.screen.enter()?;
        // A stop from the terminal also ended the pause of the user, so the pause must begin again.
        if self.holds {
            self.shared.pause.begin();
        }
        *terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
        Ok(())
    }

    /// Ends a pause if the run must end.
    fn heed_stop(&mut self) {
        if self.holds && self.shared.stop.load(Ordering::Relaxed) {
            self.hold(false);
        }
    }

    /// Handles typed keys. Waits for the first for at most [`Tuning::tick`]. Returns whether a key was typed.
    fn keys(&mut self) -> bool {
        let mut any = false;
        let mut wait = TUNING.tick;
        while let Some(keyboard) = &self.keyboard {
            match keyboard.next(wait) {
                Ok(Some(Typed::Key(key))) => self.key(key),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(Gone) => self.keyboard = None,
            }
            (any, wait) = (true, Duration::ZERO);
        }
        any
    }

    fn key(&mut self, key: KeyEvent) {
        let (best, passes, running) = {
            let board = lock(&self.shared.board);
            let running = board::bare(&board.pass).to_owned();
            (Arc::clone(&board.best), paint::names(&board, &self.shared.setup), running)
        };
        self.look.told = None;
        let order = self.look.key(key, &best, &passes, &running);
        if let Some(told) = self.obey(order) {
            self.look.told = Some(told);
        }
    }

    /// Carries out an order, and returns a message about it.
    fn obey(&mut self, order: Order) -> Option<String> {
        let switches = &self.shared.switches;
        Some(match order {
            Order::Nothing => return None,
            Order::Skip(pass) if switches.skip(&pass) => {
                format!("{pass} is skipped until an edit is accepted")
            }
            Order::Switch(pass) if switches.is_off(&pass) => {
                switches.switch(&pass, true);
                format!("{pass} is on again")
            }
            Order::Switch(pass) if switches.switch(&pass, false) => {
                format!("{pass} is off; to turn it on again, choose it with Tab and press x")
            }
            Order::Skip(_) | Order::Switch(_) => {
                "the proof of the result is running and cannot be skipped; q ends the run".to_owned()
            }
            Order::Pause => {
                self.hold(!self.holds);
                return None;
            }
            Order::Quit => {
                self.shared.stop.store(true, Ordering::Release);
                let resume = if self.shared.setup.has_journal { "; --resume continues the run" } else { "" };
                format!("ending with the current best{resume}")
            }
        })
    }

    fn hold(&mut self, on: bool) {
        self.holds = on;
        if on {
            self.shared.pause.begin();
        } else {
            self.shared.pause.end();
        }
    }

    fn draw(&mut self, terminal: &mut Terminal<CrosstermBackend<Stderr>>) {
        let elapsed = self.elapsed();
        let board = {
            let mut board = lock(&self.shared.board);
            if !self.holds {
                board.tick(elapsed);
            }
            board.clone()
        };
        let heard = lock(&self.shared.heard).clone();
        let frame = Frame {
            board: &board,
            setup: &self.shared.setup,
            words: &self.shared.words,
            heard: heard.as_ref(),
            switches: &self.shared.switches,
            elapsed,
            under_way: self.shared.pause.under_way(),
            is_held: self.holds,
            is_ending: self.shared.stop.load(Ordering::Relaxed),
            palette: self.palette,
        };
        let look = &mut self.look;
        // A new terminal object assumes an empty screen. Clearing the old object would request the position of the
        // cursor, which not every terminal reports.
        if terminal.size().is_ok_and(|size| size != terminal.get_frame().area().as_size())
            && let Ok(new) = Terminal::new(CrosstermBackend::new(io::stderr()))
        {
            self.shared.screen.wipe();
            *terminal = new;
        }
        self.shared.screen.draw(|| {
            let _ = terminal.draw(|to| frame.paint(look, to));
        });
    }
}

impl Drop for View<'_> {
    /// Ends a pause of the view, even if the view ends by a panic.
    fn drop(&mut self) {
        if self.holds {
            self.shared.pause.end();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_reduce::event::Size;
    use rustix::fs::OFlags;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;
    use std::process::Command;

    const NAME: &str = "a_panic_restores_the_screen_and_its_message_stays_visible";
    /// The variable with the terminal of the process that panics.
    const INSIDE: &str = "NUBBIN_TEST_TERMINAL";

    #[test]
    fn a_panic_restores_the_screen_and_its_message_stays_visible() {
        if let Some(terminal) = std::env::var_os(INSIDE) {
            return panic_while_it_is_open(&terminal);
        }
        let (_, module) = module_path!().split_once("::").expect("a crate's module");
        let test = format!("{module}::{NAME}");
        let (seen, is_as_it_was) = in_terminal(&["--exact", &test, "--nocapture", "--test-threads=1"]);
        let (before, after) = seen.rsplit_once("\x1b[?1049l").expect("the screen is restored");
        assert!(before.contains("\x1b[?1049h") && before.ends_with("\x1b[?25h"), "{seen}");
        assert!(after.contains("the worker is lost"), "{seen}");
        assert!(is_as_it_was && !after.contains("\x1b[?1049h"), "{seen}");
    }

    /// Runs this program in a new terminal. Returns its output, and whether the terminal is in the same state as
    /// before.
    fn in_terminal(arguments: &[&str]) -> (String, bool) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("it is ours");
        let name = ptsname(&master, Vec::new()).expect("it has a name").into_string().expect("of ASCII");
        let quietly = OFlags::NOCTTY.bits().cast_signed();
        let slave = File::options().read(true).write(true).custom_flags(quietly).open(&name);
        let slave = slave.expect("it can be opened");
        tcsetwinsize(&slave, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).expect("set");
        let before = tcgetattr(&slave).expect("a terminal");
        let stream = || slave.try_clone().expect("a file");
        let this = std::env::current_exe().expect("a test has a program");
        let mut child = Command::new(this)
            .args(arguments)
            .envs([(INSIDE, name.as_str()), ("TERM", "xterm")])
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .expect("it can be started");
        let reader = thread::spawn(move || {
            let mut seen = Vec::new();
            // Reading ends with an error when no process has the terminal open any more.
            let _ = File::from(master).read_to_end(&mut seen);
            String::from_utf8_lossy(&seen).into_owned()
        });
        child.wait().expect("a child");
        let after = tcgetattr(&slave).expect("a terminal");
        drop(slave);
        let modes = |is: &Termios| (is.input_modes, is.output_modes, is.control_modes, is.local_modes);
        (reader.join().expect("no panic"), modes(&before) == modes(&after))
    }

    fn panic_while_it_is_open(terminal: &OsStr) {
        // The first terminal that a session leader opens becomes the terminal of the session.
        rustix::process::setsid().expect("it leads no group yet");
        let _terminal = File::options().read(true).write(true).open(terminal).expect("a terminal");
        let interrupt = Interrupt::new();
        interrupt.clone().watch().expect("signals can be watched");
        let words = std::iter::empty();
        let mut live = Live::new(Duration::ZERO, Setup::default(), words, b"x\n", &interrupt);
        live.event(Event::Started { size: Size { tokens: 1, bytes: 2, lines: 1 } });
        while !live.is_open() {
            thread::sleep(TUNING.tick);
        }
        let worker = thread::spawn(|| panic!("the worker is lost"));
        assert!(worker.join().is_err());
        // In this time the view could take the screen again, which it must not do.
        thread::sleep(4 * TUNING.frame);
        assert!(!live.is_open());
    }
}
