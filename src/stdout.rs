//! Standard output: whether there is one, and what is written to it.
//!
//! Rust's runtime opens `/dev/null` in place of a standard output that is closed, before `main` begins; so whatever is
//! written there seems to arrive. Only a look before that tells the two apart.

use nubbin_session::failure::{Failure, Fault};
use nubbin_session::input;
use nubbin_session::text;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output was closed when the program was started. It is set before `main` begins, and never after that.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

ctor::declarative::ctor! {
    #[ctor(unsafe)]
    fn look() {
        let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        IS_CLOSED.store(is_closed, Ordering::Relaxed);
    }
}

/// Makes sure that there is a standard output.
///
/// # Errors
/// Returns an error when the program was started without one.
pub fn check() -> Result<(), Failure> {
    if !IS_CLOSED.load(Ordering::Relaxed) {
        return Ok(());
    }
    let message = "standard output is closed, and something is to be written there";
    Err(Failure::message(Fault::Output, message)
        .hint("choose another place with `--output FILE`, or leave it open"))
}

/// Writes a text to standard output; on a terminal its control characters are escaped. It is no error if the reader has closed the pipe.
///
/// # Errors
/// Returns an error when it cannot be written.
pub fn print(text: &[u8]) -> Result<(), Failure> {
    check()?;
    let is_seen = io::stdout().is_terminal();
    let shown = is_seen.then(|| text::printable(&String::from_utf8_lossy(text)).into_owned());
    let text = shown.as_ref().map_or(text, String::as_bytes);
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(input::Error::Stdout(error).into()),
        _ => Ok(()),
    }
}
