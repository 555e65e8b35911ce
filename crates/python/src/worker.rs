//! Processes that run a test in Python: what is said to them and heard of them.
//!
//! Python forks them, before any thread is there, and runs the test in them; see `_workers.py`. A request is a number of
//! bytes and these bytes; an answer is the byte of a verdict, and a number of bytes and these bytes: an exception.

use crate::verdict;
use nubbin_search::Verdict;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Condvar, Mutex, PoisonError};

/// The byte of an answer that is an exception.
const RAISED: u8 = b'e';

/// The sockets of worker processes.
#[pyclass(frozen, module = "nubbin._nubbin")]
pub struct Workers {
    /// All of them, by which those that are at work can be ended.
    all: Vec<UnixStream>,
    free: Mutex<Vec<UnixStream>>,
    /// The ends that the processes have.
    theirs: Mutex<Vec<UnixStream>>,
    returned: Condvar,
}

/// The reason why a worker has no verdict.
#[derive(Debug)]
pub enum Trouble {
    /// The test raised this exception, pickled.
    Raised(Vec<u8>),
    /// The process is gone.
    Gone,
}

#[pymethods]
impl Workers {
    /// Makes the sockets of so many workers.
    #[new]
    fn new(number: usize) -> PyResult<Self> {
        let pairs: Vec<_> = (0..number).map(|_| UnixStream::pair()).collect::<io::Result<_>>()?;
        let (free, theirs): (Vec<UnixStream>, _) = pairs.into_iter().unzip();
        let all = free.iter().map(UnixStream::try_clone).collect::<io::Result<_>>()?;
        Ok(Self { all, free: Mutex::new(free), theirs: Mutex::new(theirs), returned: Condvar::new() })
    }

    /// The file descriptors that the workers have.
    fn theirs(&self) -> Vec<i32> {
        lock(&self.theirs).iter().map(AsRawFd::as_raw_fd).collect()
    }

    /// The file descriptors that this process has, which a worker closes.
    fn ours(&self) -> Vec<i32> {
        self.all.iter().chain(&*lock(&self.free)).map(AsRawFd::as_raw_fd).collect()
    }

    /// Closes the workers' ends in this process, once all workers have been started.
    fn started(&self) {
        lock(&self.theirs).clear();
    }
}

impl Workers {
    /// The number of workers.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Lets all workers go, with their tests under way: whoever waits for one gets no verdict.
    pub fn end(&self) {
        for socket in &self.all {
            // One that has gone by itself cannot be told.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Asks a worker that is free, or the first one that becomes so.
    pub fn ask(&self, request: &[u8]) -> Result<Verdict, Trouble> {
        let mut free = lock(&self.free);
        let mut socket = loop {
            if let Some(socket) = free.pop() {
                break socket;
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        };
        drop(free);
        let answer = exchange(&mut socket, request);
        lock(&self.free).push(socket);
        self.returned.notify_one();
        match answer {
            Ok((RAISED, exception)) => Err(Trouble::Raised(exception)),
            Ok((code, _)) => Ok(verdict::decode(code)),
            Err(_) => Err(Trouble::Gone),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Raised(_) => "the test raised an exception",
            Self::Gone => "a process that ran the test has ended before the test did",
        })
    }
}

impl std::error::Error for Trouble {}

impl Trouble {
    /// The exception that the caller of a search gets.
    pub fn raise(&self, py: Python<'_>) -> PyErr {
        let raised = match self {
            Self::Raised(exception) => PyBytes::new(py, exception),
            Self::Gone => {
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

fn exchange(socket: &mut UnixStream, request: &[u8]) -> io::Result<(u8, Vec<u8>)> {
    let mut message = (request.len() as u32).to_le_bytes().to_vec();
    message.extend_from_slice(request);
    socket.write_all(&message)?;
    let mut head = [0; 5];
    socket.read_exact(&mut head)?;
    let [code, length @ ..] = head;
    let mut rest = vec![0; u32::from_le_bytes(length) as usize];
    socket.read_exact(&mut rest)?;
    Ok((code, rest))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
