//! Handles signals: the first asks the reduction to stop, the second ends the program in any case. A stop from the
//! terminal first stops the oracles and their clocks.
//!
//! It does not end a reduction itself: the reduction checks the flags.

use crate::show::live::Screen;
use nubbin_oracle::{Pause, start_thread};
use nubbin_session::Stop;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// The time that the second signal waits. Within this time a running probe is ended with all processes that it
    /// started.
    patience: Duration,
    /// The time between two checks whether all probes have stopped.
    tick: Duration,
}

const TUNING: Tuning = Tuning { patience: Duration::from_millis(500), tick: Duration::from_millis(2) };

/// Knows whether a signal has arrived, and which one.
#[derive(Clone)]
pub struct Interrupt {
    stop: Stop,
    signal: Arc<AtomicI32>,
    screen: Arc<Screen>,
    farewell: Farewell,
}

/// The text that is printed on a terminal when the second signal ends the program. It is set once.
pub type Farewell = Arc<OnceLock<String>>;

/// Makes sure that commands of this process are ended if they write more than a limit, even if this process was started
/// with that signal (SIGXFSZ) ignored, as Python starts programs. A signal that is caught here is not ignored in child
/// processes.
pub fn end_at_limits() {
    let caught = Arc::<AtomicBool>::default();
    signal_hook::flag::register(SIGXFSZ, caught).expect("this signal can be caught");
}

impl Interrupt {
    /// Makes an interrupt that watches for SIGINT, SIGTERM, SIGHUP and SIGTSTP once the run begins, except for signals
    /// that this program was started to ignore (`nohup`).
    pub fn new() -> Self {
        let interrupt = Self {
            stop: Stop::new(),
            signal: Arc::default(),
            screen: Arc::default(),
            farewell: Farewell::default(),
        };
        let watching = interrupt.clone();
        interrupt.stop.when_it_begins(move || watching.watch());
        interrupt
    }

    /// Watches from now on.
    pub fn watch(self) -> io::Result<()> {
        let watched =
            [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT].into_iter().filter(|&signal| !is_ignored(signal));
        let mut signals = Signals::new(watched)?;
        let (stop, pause) = (self.stop.flag(), self.stop.pause());
        start_thread("signals", move || {
            for signal in signals.forever() {
                match signal {
                    SIGTSTP => suspend(&pause, &self.screen),
                    SIGCONT => self.screen.lose(),
                    _ if !stop.load(Ordering::Relaxed) => {
                        self.signal.store(signal, Ordering::Relaxed);
                        stop.store(true, Ordering::Release);
                    }
                    _ => end(signal, &self.screen, &self.farewell),
                }
            }
        })
    }

    /// Returns the handle by which a run is stopped.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns the screen that is given back before the program is stopped or ended by a signal.
    pub fn screen(&self) -> Arc<Screen> {
        Arc::clone(&self.screen)
    }

    /// Returns the text that the second signal prints.
    pub fn farewell(&self) -> Farewell {
        Arc::clone(&self.farewell)
    }

    /// Returns the exit code that a shell sees once the signal that has arrived is [raised](Self::raise).
    pub fn code(&self) -> Option<i32> {
        let signal = self.signal.load(Ordering::Relaxed);
        (signal != 0).then_some(128 + signal)
    }

    /// Ends the program by the signal that has arrived, so that the parent process sees it; returns if none has
    /// arrived.
    pub fn raise(&self) {
        let signal = self.signal.load(Ordering::Relaxed);
        if signal != 0 {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// Stops the probes, then this program. It returns when the program continues; then the probes continue, too.
fn suspend(pause: &Pause, screen: &Screen) {
    pause.begin();
    let start = Instant::now();
    while !pause.is_complete() && start.elapsed() < TUNING.patience {
        thread::sleep(TUNING.tick);
    }
    screen.leave();
    let _ = low_level::emulate_default_handler(SIGTSTP);
    pause.end();
}

/// Ends the program at the second signal, unless the first one has ended it in the meantime.
fn end(signal: i32, screen: &Screen, farewell: &Farewell) {
    thread::sleep(TUNING.patience);
    screen.end();
    // A write to a full pipe would wait for ever, so the text is written to a terminal only.
    if let Some(text) = farewell.get().filter(|_| io::stderr().is_terminal()) {
        let _ = writeln!(io::stderr(), "{text}");
    }
    let _ = low_level::emulate_default_handler(signal);
}

/// Tells whether this program was started with the signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
