//! Connections to the cluster: as many as the operations under way need.

use std::sync::{Arc, Mutex, PoisonError};
use tonic::transport::{Channel, Endpoint};

/// The numbers of this module.
struct Tuning {
    /// So many actions share a connection. Servers and proxies allow 100 streams or more on each; a second one is left for
    /// the small requests of an action.
    actions_on_a_line: usize,
}

const TUNING: Tuning = Tuning { actions_on_a_line: 45 };

/// Connections to one endpoint.
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

/// A place on a connection. It is free again when this is dropped.
pub(crate) struct Seat {
    lines: Arc<Lines>,
    number: u64,
    channel: Channel,
}

impl Lines {
    pub fn new(endpoint: Endpoint) -> Arc<Self> {
        Arc::new(Self { endpoint, lines: Mutex::default() })
    }

    /// Returns a place on the connection that has most of them free, or on a new one. A connection that has ended is made
    /// anew with the next request. It has to be called on a thread of the runtime.
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
    /// The connection.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Takes the connection out of use: it is open and gives no answer. Those who are on it leave it by themselves.
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
