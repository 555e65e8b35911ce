//! Switches the terminal to a full screen, and restores it at the end, at a signal, while the program is stopped, and at
//! a panic.

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};
use std::fs::File;
use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The bytes that switch to the alternate screen, clear it and hide the cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[2J";
/// The bytes that clear the screen.
const WIPE: &[u8] = b"\x1b[2J";
/// The bytes that restore colours, cursor and screen.
const LEAVE: &[u8] = b"\x1b[0m\x1b[?25h\x1b[?1049l";
/// The longest wait for a frame that is being drawn, at the end.
const PATIENCE: Duration = Duration::from_millis(200);

/// The terminal of standard error and of the keyboard.
#[derive(Debug, Default)]
pub struct Screen {
    is_open: AtomicBool,
    /// True once the program ends: from then on the screen is not taken again.
    is_over: AtomicBool,
    /// The terminal, and its earlier settings.
    before: Mutex<Option<(File, Termios)>>,
    /// Locked while the screen is taken, and while a frame is drawn.
    frame: Mutex<()>,
}

impl Screen {
    /// Tells whether this program has the screen.
    pub fn is_open(&self) -> bool {
        self.is_open.load(Ordering::SeqCst)
    }

    /// Takes the screen, if this program is in the foreground of its terminal.
    ///
    /// Ctrl-C and Ctrl-Z still send signals, so they always work.
    ///
    /// # Errors
    /// Returns an error without a terminal, if another job has the terminal, or if the program [ends](Self::end).
    pub fn enter(&self) -> io::Result<()> {
        let _held = lock(&self.frame);
        if self.is_over.load(Ordering::SeqCst) {
            return Err(io::Error::other("the program ends"));
        }
        let terminal = File::options().read(true).write(true).open("/dev/tty")?;
        if tcgetpgrp(&terminal)? != rustix::process::getpgrp() {
            return Err(io::Error::other("another job has the terminal"));
        }
        let before = tcgetattr(&terminal)?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        modes.input_modes.remove(InputModes::IXON | InputModes::ICRNL);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        // If the screen was lost without a call to `leave`, the earlier settings are known.
        let own = terminal.try_clone()?;
        lock(&self.before).get_or_insert((own, before));
        tcsetattr(&terminal, OptionalActions::Now, &modes)?;
        self.is_open.store(true, Ordering::SeqCst);
        write(ENTER)
    }

    /// Restores the screen, if this program has it.
    pub fn leave(&self) {
        let start = Instant::now();
        let mut frame = self.frame.try_lock();
        while frame.is_err() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
            frame = self.frame.try_lock();
        }
        self.is_open.store(false, Ordering::SeqCst);
        if let Some((terminal, before)) = lock(&self.before).take() {
            let _ = write(LEAVE);
            let _ = tcsetattr(&terminal, OptionalActions::Now, &before);
        }
    }

    /// Restores the screen permanently: text that is written later stays visible.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.leave();
    }

    /// Makes a panic on any thread restore the screen before its message is written.
    pub fn guard(self: Arc<Self>) {
        let earlier = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            self.end();
            earlier(panic);
        }));
    }

    /// Clears the screen, if this program has it.
    pub fn wipe(&self) {
        self.draw(|| drop(write(WIPE)));
    }

    /// Records that another program may have used the screen.
    pub fn lose(&self) {
        self.is_open.store(false, Ordering::SeqCst);
    }

    /// Draws a frame, if this program has the screen.
    pub fn draw(&self, frame: impl FnOnce()) {
        let _held = lock(&self.frame);
        if self.is_open() {
            frame();
        }
    }
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut error = io::stderr().lock();
    error.write_all(bytes)?;
    error.flush()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
