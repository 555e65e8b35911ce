//! The two pipes to a browser: JSON messages of the protocol of the developer tools, each followed by a NUL
//! byte.

use crate::wait::readable;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

/// A message of the browser: the answer to a command, or an event.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Message {
    /// The number of the answered command.
    pub id: Option<u64>,
    /// The name of the event.
    pub method: String,
    /// The session of the message; empty for the browser as a whole.
    pub session_id: String,
    /// The parameters of the event.
    pub params: Value,
    /// The result of the command.
    pub result: Value,
    /// The error of the command.
    pub error: Option<Refusal>,
}

/// The reason why a command failed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Refusal {
    pub message: String,
}

/// A connection to a browser.
#[derive(Debug)]
pub(crate) struct Pipe {
    commands: File,
    events: File,
    /// The bytes of an incomplete message.
    rest: Vec<u8>,
    /// The number of these bytes that are known to contain no end of a message.
    looked: usize,
    last: u64,
}

impl Pipe {
    /// Creates a connection from the pipe that the browser reads and the pipe that it writes.
    pub fn new(commands: OwnedFd, events: OwnedFd) -> Self {
        Self { commands: commands.into(), events: events.into(), rest: Vec::new(), looked: 0, last: 0 }
    }

    /// Sends a command, and returns its number.
    ///
    /// # Errors
    /// Returns an error if the browser no longer reads.
    pub fn send(&mut self, session: Option<&str>, method: &str, params: &Value) -> io::Result<u64> {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut line = serde_json::to_vec(&command)?;
        line.push(0);
        self.commands.write_all(&line)?;
        Ok(self.last)
    }

    /// Waits for the next message; `None` if there is none until `end`.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn receive(&mut self, end: Option<Instant>) -> io::Result<Option<Message>> {
        loop {
            if let Some(length) = self.rest[self.looked..].iter().position(|&byte| byte == 0) {
                let length = self.looked + length;
                let message = serde_json::from_slice(&self.rest[..length])?;
                self.rest.drain(..=length);
                self.looked = 0;
                return Ok(Some(message));
            }
            self.looked = self.rest.len();
            if readable([Some(self.events.as_fd())], end)?.is_none() {
                return Ok(None);
            }
            let mut bytes = vec![0; 64 << 10];
            match self.events.read(&mut bytes)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => self.rest.extend_from_slice(&bytes[..length]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn messages_are_taken_apart_however_they_arrive() {
        let (its_input, commands) = rustix::pipe::pipe().expect("a pipe");
        let (events, its_output) = rustix::pipe::pipe().expect("a pipe");
        let mut pipe = Pipe::new(commands, events);
        let mut browser = File::from(its_output);
        browser.write_all(b"{\"id\":1,\"result\":{\"a\":2}}\0{\"method\":\"Page.x\",").expect("it is open");
        let first = pipe.receive(None).expect("it is open").expect("a message");
        assert_eq!((first.id, &first.result["a"]), (Some(1), &json!(2)));
        let soon = Some(Instant::now() + Duration::from_millis(1));
        assert!(pipe.receive(soon).expect("it is open").is_none());
        browser.write_all(b"\"sessionId\":\"s\"}\0").expect("it is open");
        let second = pipe.receive(None).expect("it is open").expect("a message");
        assert_eq!((second.method.as_str(), second.session_id.as_str()), ("Page.x", "s"));
        drop(browser);
        assert!(pipe.receive(None).is_err());
        assert_eq!(pipe.send(Some("s"), "Page.y", &json!({})).expect("it is open"), 1);
        let mut said = vec![0; 64];
        let length = File::from(its_input).read(&mut said).expect("it is open");
        assert!(said[..length].ends_with(b"}\0"));
    }
}
