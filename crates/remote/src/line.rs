//! Connections to the cluster, as many as the running operations need.

use std::sync::{Arc, Mutex, PoisonError};
use tonic::transport::{Channel, Endpoint};

/// Tuned constants.
struct Tuning {
    /// The number of actions that share a connection. Servers and proxies allow at least 100 streams on each;
    /// every action has a second stream for small requests.
    actions_on_a_line: usize,
}

const TUNING: Tuning = Tuning { actions_on_a_line: 45 };

pub(crate) struct Lines {
    endpoint: Endpoint,
    lines: Mutex<State>,
}

#[derive(Default)]
struct State {
    lines: Vec<Line>,
    opened: u64,
}

struct Line {
    number: u64,
    channel: Channel,
    busy: usize,
}

/// A slot on a connection, which is released when this is dropped.
pub(crate) struct Seat {
    lines: Arc<Lines>,
    number: u64,
    channel: Channel,
}

impl Lines {
    pub fn new(endpoint: Endpoint) -> Arc<Self> {
        Arc::new(Self { endpoint, lines: Mutex::default() })
    }

    /// Returns a slot on the connection with most free slots, or on a new one. A connection that has ended is
    /// reconnected by the next request. This must be called on a thread of the runtime.
    pub fn seat(self: &Arc<Self>) -> Seat {
        let mut state = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let free = state.lines.iter_mut().filter(|line| line.busy < TUNING.actions_on_a_line);
        if let Some(line) = free.min_by_key(|line| line.busy) {
            line.busy += 1;
            return Seat { lines: Arc::clone(self), number: line.number, channel: line.channel.clone() };
        }
        let (number, channel) = (state.opened, self.endpoint.connect_lazy());
        state.opened += 1;
        state.lines.push(Line { number, channel: channel.clone(), busy: 1 });
        Seat { lines: Arc::clone(self), number, channel }
    }
}

impl Seat {
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Stops using the connection, which is open but does not respond. Current users are not affected.
    pub fn give_up(&self) {
        let mut state = self.lines.lines.lock().unwrap_or_else(PoisonError::into_inner);
        state.lines.retain(|line| line.number != self.number);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.lines.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = state.lines.iter_mut().find(|line| line.number == self.number) {
            line.busy -= 1;
        }
    }
}
