//! The thread that called from Python, while another thread works: it handles interrupts and messages.

use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The interval at which interrupts are checked.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` in a new thread. Its messages are handled by `take` in this thread, which also runs Python's
/// signal handlers. If one of them or `take` raises an exception, `stop` is called once, and must end the
/// work soon.
pub fn attend<T: Send, M: Send>(
    py: Python<'_>,
    work: impl FnOnce(Sender<M>) -> T + Send,
    mut take: impl FnMut(Python<'_>, M) -> PyResult<()>,
    stop: impl Fn(),
) -> (thread::Result<T>, Option<PyErr>) {
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let mut raised = None;
    thread::scope(|scope| {
        let working = scope.spawn(move || work(sender));
        loop {
            let taken = match next(py, &receiver) {
                Ok(message) => take(py, message),
                Err(RecvTimeoutError::Timeout) => py.check_signals(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = taken {
                raised = Some(error);
                stop();
                break;
            }
        }
        // Remaining messages are dropped; the work must be able to end.
        let result = py.detach(|| working.join());
        (result, raised)
    })
}

/// Returns the next message, or the reason why there is none: the interval has passed, or the work has ended.
fn next<M: Send>(py: Python<'_>, receiver: &Mutex<Receiver<M>>) -> Result<M, RecvTimeoutError> {
    py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE))
}
