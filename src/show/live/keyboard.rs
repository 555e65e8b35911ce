//! Waits for keys of a terminal, and detects that the terminal was closed.

use ratatui::crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::thread;
use std::time::Duration;

/// The keys of the terminal of this process.
#[derive(Debug)]
pub struct Keyboard {
    terminal: Option<File>,
}

impl Keyboard {
    /// Opens the terminal, if the process has one.
    pub fn new() -> Self {
        Self { terminal: File::open("/dev/tty").ok() }
    }

    /// Waits for the next key for at most `wait`.
    ///
    /// # Errors
    /// Returns an error if the window of the terminal was closed or its connection was lost. Reading keys would never
    /// return in that state.
    pub fn next(&self, wait: Duration) -> Result<Option<Event>, Gone> {
        let is_typed = match &self.terminal {
            None => event::poll(wait),
            Some(terminal) => {
                let mut terminal = [PollFd::new(terminal, PollFlags::IN)];
                let polled = poll(&mut terminal, Timespec::try_from(wait).ok().as_ref());
                if terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
                    return Err(Gone);
                }
                polled.map_err(Into::into).and_then(|_| event::poll(Duration::ZERO))
            }
        };
        match is_typed {
            Ok(true) => Ok(event::read().ok()),
            Ok(false) => Ok(None),
            Err(_) => {
                thread::sleep(wait);
                Ok(None)
            }
        }
    }
}

/// The terminal was closed.
#[derive(Debug)]
pub struct Gone;
