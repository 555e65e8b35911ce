//! Processes that run a test in Python, and the protocol for them.
//!
//! Python forks the processes and runs the test in them; see `_workers.py`. A request is a length followed by
//! this number of bytes. An answer is the byte of a verdict, and a length followed by the bytes of an
//! exception.

use crate::verdict;
use nubbin_search::Verdict;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The byte of an answer that contains an exception.
const RAISED: u8 = b'e';
/// The process number that means no process.
const NOBODY: u32 = 0;
/// The interval at which cancellation is checked.
const PATIENCE: Duration = Duration::from_millis(20);

/// Worker processes, and the sockets to them.
#[pyclass(frozen, module = "nubbin._nubbin")]
pub struct Workers {
    number: usize,
    state: Mutex<State>,
    returned: Condvar,
    /// Ends a worker, and starts another one with the other end of a socket.
    replace: Py<PyAny>,
}

#[derive(Default)]
struct State {
    free: Vec<Worker>,
    /// The sockets of busy workers, by which they can be ended.
    busy: HashMap<u32, UnixStream>,
    /// No further requests are accepted.
    has_ended: bool,
}

/// A worker process.
struct Worker {
    process: u32,
    socket: UnixStream,
}

/// The reason why a worker gave no verdict.
#[derive(Debug)]
pub enum Trouble {
    /// The test raised this exception, in pickled form.
    Raised(Vec<u8>),
    /// The process has ended.
    Gone,
    /// The answer is no longer needed.
    Cancelled,
    /// No other process could be started.
    NotStarted(PyErr),
}

#[pymethods]
impl Workers {
    /// Starts `number` workers through `replace`, which takes the number of a process to end, or 0, and a
    /// file descriptor, and returns the number of the started process.
    #[new]
    fn new(py: Python<'_>, number: usize, replace: Py<PyAny>) -> PyResult<Self> {
        let start = |_| Worker::start(py, &replace, NOBODY);
        let free = (0..number).map(start).collect::<PyResult<_>>()?;
        let state = Mutex::new(State { free, ..State::default() });
        Ok(Self { number, state, returned: Condvar::new(), replace })
    }
}

impl Workers {
    /// Returns the number of workers.
    pub fn len(&self) -> usize {
        self.number
    }

    /// Ends all workers and their running tests. Threads that wait for an answer get no verdict.
    pub fn end(&self) {
        let mut state = lock(&self.state);
        state.has_ended = true;
        for socket in state.busy.values() {
            // A worker that has already ended cannot be notified.
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.returned.notify_all();
    }

    /// Sends a request to a free worker, or to the first one that becomes free.
    pub fn ask(&self, request: &[u8]) -> Result<Verdict, Trouble> {
        self.ask_unless(request, &AtomicBool::new(false))
    }

    /// Sends a request to a worker. If `cancelled` is set before the answer, the worker is ended and
    /// replaced.
    pub fn ask_unless(&self, request: &[u8], cancelled: &AtomicBool) -> Result<Verdict, Trouble> {
        let mut worker = self.take()?;
        let answer = worker.exchange(request, cancelled);
        lock(&self.state).busy.remove(&worker.process);
        if matches!(answer, Err(Trouble::Cancelled)) {
            let process = worker.process;
            worker = Python::attach(|py| Worker::start(py, &self.replace, process))
                .map_err(Trouble::NotStarted)?;
        }
        lock(&self.state).free.push(worker);
        self.returned.notify_one();
        match answer? {
            (RAISED, exception) => Err(Trouble::Raised(exception)),
            (code, _) => Ok(verdict::decode(code)),
        }
    }

    /// Takes a free worker.
    fn take(&self) -> Result<Worker, Trouble> {
        let mut state = lock(&self.state);
        loop {
            if state.has_ended {
                return Err(Trouble::Gone);
            }
            if let Some(worker) = state.free.pop() {
                let socket = worker.socket.try_clone().map_err(|_| Trouble::Gone)?;
                state.busy.insert(worker.process, socket);
                return Ok(worker);
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Worker {
    /// Starts a worker that replaces a process.
    fn start(py: Python<'_>, replace: &Py<PyAny>, process: u32) -> PyResult<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let process = replace.call1(py, (process, theirs.as_raw_fd()))?.extract(py)?;
        Ok(Self { process, socket })
    }

    /// Sends a request, and waits for the answer.
    fn exchange(&mut self, request: &[u8], cancelled: &AtomicBool) -> Result<(u8, Vec<u8>), Trouble> {
        let mut message = (request.len() as u32).to_le_bytes().to_vec();
        message.extend_from_slice(request);
        self.socket.write_all(&message).map_err(|_| Trouble::Gone)?;
        let mut head = [0; 5];
        self.read(&mut head, cancelled)?;
        let [code, length @ ..] = head;
        let mut rest = vec![0; u32::from_le_bytes(length) as usize];
        self.read(&mut rest, cancelled)?;
        Ok((code, rest))
    }

    fn read(&mut self, mut buffer: &mut [u8], cancelled: &AtomicBool) -> Result<(), Trouble> {
        while !buffer.is_empty() {
            match self.socket.read(buffer) {
                Ok(0) => return Err(Trouble::Gone),
                Ok(read) => buffer = &mut buffer[read..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if cancelled.load(Ordering::Relaxed) {
                        return Err(Trouble::Cancelled);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(Trouble::Gone),
            }
        }
        Ok(())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Raised(_) => "the test raised an exception",
            Self::Gone => "a process ended before the test that it ran",
            Self::Cancelled => "the verdict is no longer needed",
            Self::NotStarted(_) => "cannot start a process for the test",
        })
    }
}

impl std::error::Error for Trouble {}

impl Trouble {
    /// Returns the exception for the caller of a search.
    pub fn raise(&self, py: Python<'_>) -> PyErr {
        let raised = match self {
            Self::Raised(exception) => PyBytes::new(py, exception),
            Self::NotStarted(error) => return error.clone_ref(py),
            Self::Gone | Self::Cancelled => {
                return PyRuntimeError::new_err(self.to_string());
            }
        };
        let revive = py.import("nubbin._workers").and_then(|module| module.getattr("revive"));
        match revive.and_then(|revive| revive.call1((raised,))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
