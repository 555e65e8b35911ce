//! The connection to a browser: JSON messages of WebDriver BiDi over a WebSocket, and the lines of its
//! standard error.

use crate::process::MOST_SAID;
use crate::wait::readable;
use rustix::net::{RecvFlags, recv, sockopt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use tungstenite::handshake::HandshakeError;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message as Frame, WebSocket};

/// The minimum timeout.
const LEAST: Duration = Duration::from_millis(1);

/// A message of the browser: the answer to a command, or an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    /// The number of the answered command.
    pub id: Option<u64>,
    /// The name of the event.
    pub method: String,
    /// The parameters of the event.
    pub params: Value,
    /// The result of the command.
    pub result: Value,
    /// The kind of the error of the command.
    pub error: Option<String>,
    /// The description of the error.
    #[serde(rename = "message")]
    pub words: String,
}

/// Input from the browser.
#[derive(Debug)]
pub(super) enum Came {
    Message(Message),
    /// A line of its standard error.
    Line(String),
}

/// The standard error of a browser.
#[derive(Debug)]
pub(super) struct Lines {
    /// `None` after the end of the stream.
    source: Option<File>,
    rest: Vec<u8>,
    waiting: VecDeque<String>,
    /// The end of the text so far.
    pub said: String,
}

impl Lines {
    pub fn new(source: OwnedFd) -> Self {
        Self { source: Some(source.into()), rest: Vec::new(), waiting: VecDeque::new(), said: String::new() }
    }

    /// Waits for the line with this prefix, and returns the text after it.
    ///
    /// # Errors
    /// Returns an error if there is no such line until `end`.
    pub fn find(&mut self, beginning: &str, end: Instant) -> io::Result<String> {
        loop {
            while let Some(line) = self.waiting.pop_front() {
                if let Some(rest) = line.strip_prefix(beginning) {
                    return Ok(rest.to_owned());
                }
            }
            let Some(source) = &self.source else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            readable([Some(source.as_fd())], Some(end))?.ok_or(io::ErrorKind::TimedOut)?;
            self.read()?;
        }
    }

    /// Reads the available lines.
    fn read(&mut self) -> io::Result<()> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let mut bytes = vec![0; 64 << 10];
        let length = source.read(&mut bytes)?;
        if length == 0 {
            self.source = None;
        }
        self.rest.extend_from_slice(&bytes[..length]);
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            self.said.push_str(&line);
            self.said.push('\n');
            self.waiting.push_back(line);
        }
        let excess = self.said.len().saturating_sub(MOST_SAID);
        let cut = (excess..self.said.len()).find(|&at| self.said.is_char_boundary(at)).unwrap_or(0);
        self.said.drain(..cut);
        Ok(())
    }
}

/// A stream that never blocks while reading.
#[derive(Debug)]
struct Stream(TcpStream);

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(recv(&self.0, bytes, RecvFlags::DONTWAIT)?.0)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A connection to a browser.
#[derive(Debug)]
pub(super) struct Socket {
    frames: WebSocket<Stream>,
    lines: Lines,
    last: u64,
}

impl Socket {
    /// Connects to the browser that listens at `address` (`ws://HOST:PORT`).
    ///
    /// # Errors
    /// Returns an error if there is no browser, or it does not answer until `end`.
    pub fn connect(address: &str, lines: Lines, end: Instant) -> Result<Self, (io::Error, Lines)> {
        match handshake(address, end) {
            Ok(frames) => Ok(Self { frames, lines, last: 0 }),
            Err(error) => Err((error, lines)),
        }
    }

    /// Returns the end of the standard error of the browser.
    pub fn said(&self) -> &str {
        &self.lines.said
    }

    /// Sends a command, and returns its number.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn send(&mut self, method: &str, params: &Value) -> io::Result<u64> {
        self.last += 1;
        let command = json!({ "id": self.last, "method": method, "params": params });
        self.frames.send(Frame::text(command.to_string())).map_err(in_general)?;
        Ok(self.last)
    }

    /// Waits for the next message or line; `None` if there is none until `end`.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn receive(&mut self, end: Option<Instant>) -> io::Result<Option<Came>> {
        loop {
            if let Some(line) = self.lines.waiting.pop_front() {
                return Ok(Some(Came::Line(line)));
            }
            match self.frames.read() {
                Ok(Frame::Text(text)) => return Ok(Some(Came::Message(serde_json::from_str(&text)?))),
                Ok(Frame::Close(_)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) => {
                    let error = in_general(error);
                    if error.kind() != io::ErrorKind::WouldBlock {
                        return Err(error);
                    }
                    if !self.wait(end)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Waits until input is available, and reads the lines. Returns whether input is available.
    fn wait(&mut self, end: Option<Instant>) -> io::Result<bool> {
        // The browser sends no small packet before the previous one has been acknowledged. By default the
        // system delays acknowledgements, and it returns to this default after each sent packet.
        sockopt::set_tcp_quickack(&self.frames.get_ref().0, true)?;
        let sources = [Some(self.frames.get_ref().0.as_fd()), self.lines.source.as_ref().map(AsFd::as_fd)];
        let Some([_, has_lines]) = readable(sources, end)? else { return Ok(false) };
        if has_lines {
            self.lines.read()?;
        }
        Ok(true)
    }
}

fn handshake(address: &str, end: Instant) -> io::Result<WebSocket<Stream>> {
    let place = address.strip_prefix("ws://").unwrap_or(address);
    let stream = TcpStream::connect(place)?;
    stream.set_nodelay(true)?;
    let left = end.saturating_duration_since(Instant::now()).max(LEAST);
    stream.set_read_timeout(Some(left))?;
    let (socket, _) =
        tungstenite::client(format!("{address}/session"), &stream).map_err(|error| match error {
            HandshakeError::Interrupted(_) => io::ErrorKind::TimedOut.into(),
            HandshakeError::Failure(error) => in_general(error),
        })?;
    drop(socket);
    // A screenshot of a long page can exceed the default limit.
    let unlimited = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    Ok(WebSocket::from_raw_socket(Stream(stream), Role::Client, Some(unlimited)))
}

fn in_general(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}
