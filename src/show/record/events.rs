//! Writes the JSON log: one line for each event.
//!
//! The page on the JSON log in `docs` describes the schema. A change that breaks readers needs a new schema number.

use nubbin_reduce::event::{Counts, Event, Size};
use nubbin_search::Cause;
use nubbin_search::Verdict;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::settings::Settings;
use serde_json::{Map, Value, json};
use std::io::{self, BufWriter, Write};
use std::time::Duration;

/// The number of the schema.
pub const SCHEMA: u32 = 1;

/// The numbers that were tuned.
struct Tuning {
    /// The longest time that a line is buffered if other lines follow it.
    pause: Duration,
    /// The size of the buffer in bytes.
    buffer_bytes: usize,
}

const TUNING: Tuning = Tuning { pause: Duration::from_millis(200), buffer_bytes: 1 << 16 };

/// Writes events.
pub struct Events {
    /// The stream; `None` after a failed write.
    out: Option<BufWriter<Box<dyn Write + Send>>>,
    name: String,
    error: Option<io::Error>,
    /// The time of the last flush.
    flushed: Duration,
    counts: Counts,
    steps: usize,
}

impl Events {
    /// Creates the writer, and writes the first line, which contains the schema number.
    pub fn new(out: Box<dyn Write + Send>, name: String, settings: &Settings) -> Self {
        let out = Some(BufWriter::with_capacity(TUNING.buffer_bytes, out));
        let (flushed, counts) = (Duration::ZERO, Counts::default());
        let mut events = Self { out, name, error: None, flushed, counts, steps: 0 };
        let words: Vec<_> = settings.words.iter().map(|word| word.to_string_lossy()).collect();
        events.line(&json!({
            "event": "opened",
            "schema": SCHEMA,
            "program": "nubbin",
            "version": env!("CARGO_PKG_VERSION"),
            "arguments": words,
        }));
        events.flush();
        events
    }

    /// Writes an event, which happens at this time.
    pub fn take(&mut self, event: Event<'_>, now: Duration) {
        let seconds = seconds(now);
        match event {
            Event::Started { size } => {
                self.line(&json!({ "event": "started", "seconds": seconds, "size": sizes(size) }));
            }
            Event::Pass { name, deltas } => {
                self.line(&json!({ "event": "pass", "seconds": seconds, "pass": name, "deltas": deltas }));
            }
            Event::Probed { verdict, counts } => return self.probe(verdict, counts, now),
            Event::Accepted { pass, edits, size, .. } => {
                self.steps += 1;
                let removed: usize = edits.iter().map(|edit| edit.span.len() as usize).sum();
                let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
                self.line(&json!({
                    "event": "step", "seconds": seconds, "step": self.steps, "pass": pass, "size": sizes(size),
                    "probes": self.counts.probes, "edits": edits.len(), "removed": removed, "added": added,
                }));
            }
            Event::Measured { interesting, runs } => {
                let (event, runs) = ("measured", json!({ "interesting": interesting, "all": runs }));
                self.line(&json!({ "event": event, "seconds": seconds, "runs": runs }));
            }
            Event::Undone { steps, size, .. } => {
                self.steps = self.steps.saturating_sub(steps);
                self.line(&json!({
                    "event": "undone", "seconds": seconds, "steps": steps, "step": self.steps,
                    "size": sizes(size),
                }));
            }
            Event::Note { text } => {
                self.line(&json!({ "event": "note", "seconds": seconds, "text": text }));
            }
        }
        self.flushed = now;
        self.flush();
    }

    /// Writes the last line.
    pub fn end(&mut self, fields: Map<String, Value>, now: Duration) {
        let mut line = Map::from_iter([
            ("event".to_owned(), "ended".into()),
            ("seconds".to_owned(), json!(seconds(now))),
        ]);
        line.extend(fields.into_iter().filter(|(name, _)| name != "seconds" && name != "schema"));
        self.line(&Value::Object(line));
        self.flush();
    }

    /// Returns an error if a line could not be written, except if the reader has closed the pipe.
    pub fn failure(&self) -> Option<Failure> {
        let error = self.error.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        let message = format!("cannot write {}: {error}", self.name);
        Some(Failure::message(Fault::Output, message).hint("choose another file with `--json-log FILE`"))
    }

    /// Writes a probe. At up to 100,000 probes per second, the line is formatted without a JSON library, and lines are
    /// buffered.
    fn probe(&mut self, verdict: Verdict, counts: Counts, now: Duration) {
        self.counts = counts;
        let (verdict, cause) = match verdict {
            Verdict::Interesting => ("interesting", ""),
            Verdict::Uninteresting => ("uninteresting", ""),
            Verdict::Unresolved(Cause::Timeout) => ("unresolved", r#","cause":"timeout""#),
            Verdict::Unresolved(Cause::Test) => ("unresolved", r#","cause":"test""#),
        };
        let Counts { probes, cached, alike, rejected, interesting, unresolved } = counts;
        self.write(|out| {
            writeln!(
                out,
                r#"{{"event":"probe","seconds":{:.6},"probe":{probes},"verdict":"{verdict}"{cause},"counts":{{"cached":{cached},"same_but_whitespace":{alike},"unparsable":{rejected},"interesting":{interesting},"unresolved":{unresolved}}}}}"#,
                now.as_secs_f64()
            )
        });
        if now.saturating_sub(self.flushed) > TUNING.pause {
            self.flushed = now;
            self.flush();
        }
    }

    fn line(&mut self, value: &Value) {
        self.write(|out| {
            serde_json::to_writer(&mut *out, value)?;
            out.write_all(b"\n")
        });
    }

    fn flush(&mut self) {
        self.write(Write::flush);
    }

    /// Writes to the stream, unless a write has failed before.
    fn write(&mut self, write: impl FnOnce(&mut BufWriter<Box<dyn Write + Send>>) -> io::Result<()>) {
        let Some(out) = &mut self.out else { return };
        if let Err(error) = write(out) {
            self.error = Some(error);
            // Dropping the stream would try to write its buffer again.
            if let Some(out) = self.out.take() {
                let _ = out.into_parts();
            }
        }
    }
}

/// Returns a time in seconds, rounded to microseconds.
fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// Returns a size as a JSON object.
pub fn sizes(size: Size) -> Value {
    json!({ "tokens": size.tokens, "bytes": size.bytes, "lines": size.lines })
}
