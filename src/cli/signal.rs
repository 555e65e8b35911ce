//! Signals: the first asks the reduction to stop, the second ends the program at once.
//!
//! It stops nothing itself: the flag is looked at by whoever works.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The highest signal number on Linux.
const HIGHEST: i32 = 64;

/// Knows whether a signal has arrived, and which.
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Watches for SIGINT, SIGTERM and SIGHUP, but for those that this program was started to ignore (`nohup`).
    pub fn watch() -> io::Result<Self> {
        let interrupt = Self { stop: Arc::default(), signal: Arc::default() };
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)) {
            flag::register_conditional_default(signal, Arc::clone(&interrupt.stop))?;
            flag::register_usize(signal, Arc::clone(&interrupt.signal), signal.unsigned_abs() as usize)?;
            flag::register(signal, Arc::clone(&interrupt.stop))?;
        }
        Ok(interrupt)
    }

    /// The flag that is set when a signal arrives.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Whether a signal has arrived.
    pub fn has_come(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the program by the signal that has arrived, so that whoever started it sees that; returns if none has.
    pub fn raise(&self) {
        let signal = self.signal.load(Ordering::Relaxed);
        if let Some(signal) = i32::try_from(signal).ok().filter(|&signal| signal != 0) {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
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
