//! Waits for the keys of a terminal, and notices when the terminal is gone.

use ratatui::crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::thread;
use std::time::Duration;

/// The keys of the terminal that this process belongs to.
#[derive(Debug)]
pub struct Keyboard {
    terminal: Option<File>,
}

impl Keyboard {
    /// Opens the terminal, if there is one.
    pub fn new() -> Self {
        Self { terminal: File::open("/dev/tty").ok() }
    }

    /// Waits for what is typed next, at most so long. There may be nothing.
    ///
    /// # Errors
    /// Returns an error if the terminal is gone: its window was closed, or its connection was lost. What reads the keys must
    /// not be asked then, since it reads the end for ever.
    pub fn next(&self, wait: Duration) -> Result<Option<Event>, Gone> {
        let is_there = match &self.terminal {
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
        match is_there {
            Ok(true) => Ok(event::read().ok()),
            Ok(false) => Ok(None),
            Err(_) => {
                thread::sleep(wait);
                Ok(None)
            }
        }
    }
}

/// The terminal is gone.
#[derive(Debug)]
pub struct Gone;
