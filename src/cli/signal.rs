//! Signals: the first asks the reduction to stop, the second ends the program, whatever it does. A stop from the
//! terminal stops the oracles first, and their clocks.
//!
//! It ends nothing itself: the flags are looked at by whoever works.

use super::exit::Exit;
use super::failure::Failure;
use super::live::Screen;
use nubbin::oracle::Pause;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The highest signal number on Linux.
const HIGHEST: i32 = 64;
/// How long the second signal waits: a running probe is ended with all that it started within this time.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often there is a look whether the probes stand still.
const TICK: Duration = Duration::from_millis(2);

/// Knows whether a signal has arrived, and which.
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicI32>,
    pause: Arc<Pause>,
    late: Arc<AtomicBool>,
    screen: Arc<Screen>,
    farewell: Farewell,
}

/// What is said on a terminal when the second signal ends the program; once it is known, it stays.
pub type Farewell = Arc<OnceLock<String>>;

/// Has the commands that this process starts ended by what they write beyond a limit, even if this process was started
/// to ignore that, as Python starts programs: what is caught here is not ignored there.
pub fn end_at_limits() {
    let caught = Arc::<AtomicBool>::default();
    signal_hook::flag::register(SIGXFSZ, caught).expect("this signal can be caught");
}

impl Interrupt {
    /// Watches for SIGINT, SIGTERM, SIGHUP and SIGTSTP, but for those that this program was started to ignore
    /// (`nohup`).
    pub fn watch() -> io::Result<Self> {
        let watched =
            [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT].into_iter().filter(|&signal| !is_ignored(signal));
        let mut signals = Signals::new(watched)?;
        let interrupt = Self {
            stop: Arc::default(),
            signal: Arc::default(),
            pause: Arc::default(),
            late: Arc::default(),
            screen: Arc::default(),
            farewell: Farewell::default(),
        };
        let (stop, first) = (Arc::clone(&interrupt.stop), Arc::clone(&interrupt.signal));
        let (pause, screen) = (Arc::clone(&interrupt.pause), Arc::clone(&interrupt.screen));
        let farewell = Arc::clone(&interrupt.farewell);
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                match signal {
                    SIGTSTP => suspend(&pause, &screen),
                    SIGCONT => screen.lose(),
                    _ if !stop.load(Ordering::Relaxed) => {
                        first.store(signal, Ordering::Relaxed);
                        stop.store(true, Ordering::Release);
                    }
                    _ => end(signal, &screen, &farewell),
                }
            }
        })?;
        Ok(interrupt)
    }

    /// Watches, and sets the flag after this time, too, if there is one.
    pub fn watch_within(limit: Option<Duration>) -> Result<Self, Failure> {
        let unexpected = |error| Failure::new(Exit::Unexpected, error);
        let interrupt = Self::watch().map_err(unexpected)?;
        if let Some(limit) = limit {
            interrupt.end_after(limit).map_err(unexpected)?;
        }
        Ok(interrupt)
    }

    /// The failure of what came before the reduction, where the time was over by then.
    pub fn or_late(&self, failure: Failure) -> Failure {
        if !self.is_late() {
            return failure;
        }
        let message =
            "the time of `--max-time` was over before the input was known to fail; nothing was changed";
        Failure::message(Exit::Oracle, message).hint("it counts from the start, so give it more")
    }

    /// The flag that is set when a signal arrives.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The pause that lasts while the program is stopped from its terminal.
    pub fn pause(&self) -> Arc<Pause> {
        Arc::clone(&self.pause)
    }

    /// The screen that is given back before the program is stopped or ended by a signal.
    pub fn screen(&self) -> Arc<Screen> {
        Arc::clone(&self.screen)
    }

    /// What the second signal says.
    pub fn farewell(&self) -> Farewell {
        Arc::clone(&self.farewell)
    }

    /// Whether a signal has arrived.
    pub fn has_come(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Sets the flag after this time, too; time in which the program is stopped from its terminal does not count.
    pub fn end_after(&self, limit: Duration) -> io::Result<()> {
        let (stop, late, pause) = (self.flag(), Arc::clone(&self.late), self.pause());
        let (start, paused) = (Instant::now(), pause.total());
        thread::Builder::new().name("time".to_owned()).spawn(move || {
            loop {
                let own = start.elapsed().saturating_sub(pause.total().saturating_sub(paused));
                match limit.checked_sub(own) {
                    Some(rest) if !rest.is_zero() => thread::sleep(rest),
                    _ => break,
                }
            }
            if !stop.load(Ordering::Acquire) {
                late.store(true, Ordering::Relaxed);
                stop.store(true, Ordering::Release);
            }
        })?;
        Ok(())
    }

    /// Whether the flag was set since the time was over.
    pub fn is_late(&self) -> bool {
        self.late.load(Ordering::Acquire)
    }

    /// The exit code that a shell sees once the signal that has arrived is [raised](Self::raise).
    pub fn code(&self) -> Option<i32> {
        let signal = self.signal.load(Ordering::Relaxed);
        (signal != 0).then_some(128 + signal)
    }

    /// Ends the program by the signal that has arrived, so that whoever started it sees that; returns if none has.
    pub fn raise(&self) {
        let signal = self.signal.load(Ordering::Relaxed);
        if signal != 0 {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// Stops the probes, then this program; it returns when the program goes on, and then the probes do, too.
fn suspend(pause: &Pause, screen: &Screen) {
    pause.begin();
    let start = Instant::now();
    while !pause.is_complete() && start.elapsed() < PATIENCE {
        thread::sleep(TICK);
    }
    screen.leave();
    let _ = low_level::emulate_default_handler(SIGTSTP);
    pause.end();
}

/// Ends the program at the second signal, if the first has not done so in the meantime.
fn end(signal: i32, screen: &Screen, farewell: &Farewell) {
    thread::sleep(PATIENCE);
    screen.end();
    // A pipe may be full, and then nothing would end; a terminal goes on at the signal.
    if let Some(text) = farewell.get().filter(|_| io::stderr().is_terminal()) {
        let _ = writeln!(io::stderr(), "{text}");
    }
    let _ = low_level::emulate_default_handler(signal);
}

/// Whether this program was started with the signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// The name of a signal, or its number.
pub fn name(signal: i32) -> String {
    low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

/// The number of a signal that is given as `SIGSEGV`, `segv` or `11`.
pub fn parse(text: &str) -> Result<i32, String> {
    if let Ok(number) = text.parse() {
        return if (1..=HIGHEST).contains(&number) { Ok(number) } else { Err("no such signal".to_owned()) };
    }
    let wanted = text.to_ascii_uppercase();
    let wanted = wanted.strip_prefix("SIG").unwrap_or(&wanted);
    let is_wanted = |&signal: &i32| low_level::signal_name(signal).is_some_and(|name| &name[3..] == wanted);
    (1..=HIGHEST).find(is_wanted).ok_or_else(|| "no such signal; `SEGV` and `ABRT` are".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_and_numbers() {
        for text in ["SIGSEGV", "SEGV", "segv", "11"] {
            assert_eq!(parse(text), Ok(11));
        }
        assert!(parse("SIGNOPE").is_err());
        assert!(parse("0").is_err());
        assert_eq!(name(6), "SIGABRT");
        assert_eq!(name(50), "signal 50");
    }
}
