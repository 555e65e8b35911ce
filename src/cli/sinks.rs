//! Several who take the events of a reduction, as one.
//!
//! What they make of them is theirs.

use nubbin::event::{Event, Sink};

/// Hands each event to all of them, in order.
pub struct Sinks<'s>(Vec<&'s mut dyn Sink>);

impl<'s> Sinks<'s> {
    pub fn new(sinks: Vec<&'s mut dyn Sink>) -> Self {
        Self(sinks)
    }
}

impl Sink for Sinks<'_> {
    fn event(&mut self, event: Event<'_>) {
        for sink in &mut self.0 {
            sink.event(event);
        }
    }
}
