//! The thread that has called from Python, while another one works: it looks for an interrupt and for what it is told.

use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The time after which an interrupt is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` in a thread of its own. What it sends is taken by `take` in this thread, where Python's handlers of signals
/// run, too. When one of them or `take` raises an exception, `stop` is called once, and has to end the work soon.
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
        // The rest is taken by nobody; the work has to be able to end.
        let result = py.detach(|| working.join());
        (result, raised)
    })
}

/// The next message, or why there is none: a while has passed, or the work has ended.
fn next<M: Send>(py: Python<'_>, receiver: &Mutex<Receiver<M>>) -> Result<M, RecvTimeoutError> {
    py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE))
}
