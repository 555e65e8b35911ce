//! Keeps the history of a run for the report: the sizes over time, and the steps as differences.
//!
//! Only a limited part of the texts is kept.

use super::runs::LARGEST;
use nubbin_reduce::event::{Event, Size};
use nubbin_syntax::edit::Edit;
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// The limit for all kept differences, in bytes.
    all_bytes: usize,
    /// The limit for the difference of one step, in bytes.
    step_bytes: usize,
    /// The number of bytes shown before and after an edit. Edits at most this far apart are shown together.
    context_bytes: usize,
    /// The limit for the displayed part of one removed text, in bytes.
    shown_bytes: usize,
    /// The most steps that are kept.
    steps: usize,
    /// The most earlier texts that are kept because they differ only in identifiers.
    renamed_bests: usize,
}

const TUNING: Tuning = Tuning {
    all_bytes: 2 << 20,
    step_bytes: 3 << 10,
    context_bytes: 120,
    shown_bytes: 800,
    steps: 20_000,
    renamed_bests: 12,
};

/// A size, with the number of probes and the time at which it was reached.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub probes: usize,
    pub seconds: f64,
    pub size: Size,
}

/// A piece of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Same(String),
    Gone(String),
    New(String),
}

/// The difference made by adjacent edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line, counted from 1.
    pub line: usize,
    pub pieces: Vec<Piece>,
}

/// A step of the run.
#[derive(Clone, Debug)]
pub struct Moment {
    pub pass: String,
    pub point: Point,
    /// The difference; `None` if it was left out.
    pub hunks: Option<Vec<Hunk>>,
    /// The number of edits that `hunks` does not show.
    pub more: usize,
    bytes: usize,
}

/// The history of a run so far.
#[derive(Debug)]
pub struct Chronicle {
    best: Vec<u8>,
    now: Point,
    pub points: Vec<Point>,
    pub steps: Vec<Moment>,
    /// The number of steps that are not kept.
    pub left_out: usize,
    pub notes: Vec<String>,
    /// Earlier texts with the same number of tokens as the last one, the oldest first. They differ only in identifiers.
    pub alike: Vec<Vec<u8>>,
    bytes: usize,
}

impl Chronicle {
    /// Creates a history that starts with the input.
    pub fn new(input: &[u8]) -> Self {
        Self {
            best: input.to_vec(),
            now: Point { probes: 0, seconds: 0.0, size: Size::default() },
            points: Vec::new(),
            steps: Vec::new(),
            left_out: 0,
            notes: Vec::new(),
            alike: Vec::new(),
            bytes: 0,
        }
    }

    /// Returns the last moment.
    pub fn now(&self) -> Point {
        self.now
    }

    /// Adds an event at this time.
    pub fn take(&mut self, event: Event<'_>, now: Duration) {
        self.now.seconds = now.as_secs_f64();
        match event {
            Event::Started { size } => self.reach(size),
            Event::Probed { counts, .. } => self.now.probes = counts.probes,
            Event::Accepted { pass, edits, size, best } => {
                self.compare(size);
                self.reach(size);
                self.step(pass, edits);
                best.clone_into(&mut self.best);
            }
            Event::Undone { steps, size, best } => {
                self.reach(size);
                self.steps.truncate(self.steps.len().saturating_sub(steps));
                best.clone_into(&mut self.best);
            }
            Event::Note { text } => self.notes.push(text.to_owned()),
            Event::Measured { .. } | Event::Pass { .. } => {}
        }
    }

    /// Keeps the previous text if it differs from the next only in identifiers.
    fn compare(&mut self, size: Size) {
        if size.tokens != self.now.size.tokens {
            self.alike.clear();
        } else if self.best.len() <= LARGEST {
            self.alike.push(self.best.clone());
        }
        if self.alike.len() > TUNING.renamed_bests {
            self.alike.remove(0);
        }
    }

    fn reach(&mut self, size: Size) {
        self.now.size = size;
        self.points.push(self.now);
    }

    fn step(&mut self, pass: &str, edits: &[Edit]) {
        if self.steps.len() >= TUNING.steps {
            self.left_out += 1;
            return;
        }
        let (hunks, more) = hunks(&self.best, edits);
        let bytes = hunks.iter().map(Hunk::len).sum();
        self.steps.push(Moment { pass: pass.to_owned(), point: self.now, hunks: Some(hunks), more, bytes });
        self.bytes += bytes;
        if self.bytes > TUNING.all_bytes {
            self.thin();
        }
    }

    /// Discards the smaller half of the differences.
    fn thin(&mut self) {
        let mut sizes: Vec<usize> =
            self.steps.iter().filter(|step| step.hunks.is_some()).map(|step| step.bytes).collect();
        sizes.sort_unstable();
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
        let mut others = false;
        for step in self.steps.iter_mut().filter(|step| step.hunks.is_some()) {
            // If many steps have the median size, every second of them is discarded.
            others = !others;
            if step.bytes < median || step.bytes == median && others {
                step.hunks = None;
                self.bytes -= step.bytes;
            }
        }
    }
}

impl Hunk {
    fn len(&self) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Same(text) | Piece::Gone(text) | Piece::New(text) => text.len() + 8,
        };
        self.pieces.iter().map(length).sum()
    }
}

/// Returns the difference that edits make in a text, and the number of edits that are not shown.
fn hunks(text: &[u8], edits: &[Edit]) -> (Vec<Hunk>, usize) {
    let (mut hunks, mut room, mut at) = (Vec::new(), TUNING.step_bytes, 0);
    let (mut line, mut counted) = (1, 0);
    while at < edits.len() && room > 0 {
        let gap = |pair: &[Edit]| (pair[1].span.start - pair[0].span.end) as usize;
        let near =
            edits[at..].windows(2).take_while(|pair| gap(pair) <= TUNING.context_bytes).take(20).count();
        let group = &edits[at..=at + near];
        let start = before(text, group[0].span.start as usize);
        line += memchr::memchr_iter(b'\n', &text[counted..start]).count();
        counted = start;
        let hunk = Hunk { line, pieces: pieces(text, group, start) };
        room = room.saturating_sub(hunk.len());
        hunks.push(hunk);
        at += group.len();
    }
    (hunks, edits.len() - at)
}

fn pieces(text: &[u8], group: &[Edit], start: usize) -> Vec<Piece> {
    let (mut pieces, mut at) = (Vec::new(), start);
    let mut add = |piece: fn(String) -> Piece, bytes: &[u8]| {
        if !bytes.is_empty() {
            pieces.push(piece(brief(bytes)));
        }
    };
    for edit in group {
        let (from, to) = (edit.span.start as usize, edit.span.end as usize);
        add(Piece::Same, &text[at..from]);
        add(Piece::Gone, &text[from..to]);
        add(Piece::New, &edit.text);
        at = to;
    }
    add(Piece::Same, &text[at..after(text, at)]);
    pieces
}

/// Returns the beginning of the context before a position: one or two lines.
fn before(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(TUNING.context_bytes);
    let lines: Vec<usize> = (from..at).filter(|&i| i == 0 || text[i - 1] == b'\n').collect();
    let start = lines.len().checked_sub(2).map_or(lines.first().copied(), |second| Some(lines[second]));
    start.unwrap_or_else(|| (from..=at).find(|&i| is_boundary(text, i)).unwrap_or(at))
}

/// Returns the end of the context after a position.
fn after(text: &[u8], at: usize) -> usize {
    let to = (at + TUNING.context_bytes).min(text.len());
    let ends = (at..to).filter(|&i| text[i] == b'\n').nth(1);
    ends.unwrap_or_else(|| (at..=to).rev().find(|&i| is_boundary(text, i)).unwrap_or(at))
}

fn is_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

/// Returns a text for display. The middle of a long text is left out.
fn brief(bytes: &[u8]) -> String {
    if bytes.len() <= TUNING.shown_bytes {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let (head, tail) = (&bytes[..TUNING.shown_bytes / 2], &bytes[bytes.len() - TUNING.shown_bytes / 2..]);
    let left = bytes.len() - TUNING.shown_bytes;
    format!("{}\n⋯ {left} bytes ⋯\n{}", String::from_utf8_lossy(head), String::from_utf8_lossy(tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::Span;

    #[test]
    fn adjacent_edits_are_shown_together_with_their_lines() {
        let text = [&b"one\ntwo\nthree\nfour\n"[..], &b"x\n".repeat(200), b"end\n"].concat();
        let delete = |start, end| Edit::delete(Span::new(start, end));
        let (found, more) =
            hunks(&text, &[delete(8, 13), Edit::replace(Span::new(14, 18), &b"4"[..]), delete(419, 422)]);
        assert_eq!((found.len(), more), (2, 0));
        let same = |text: &str| Piece::Same(text.to_owned());
        let gone = |text: &str| Piece::Gone(text.to_owned());
        assert_eq!(found[0].line, 1);
        let expected = [
            same("one\ntwo\n"),
            gone("three"),
            same("\n"),
            gone("four"),
            Piece::New("4".to_owned()),
            same("\nx"),
        ];
        assert_eq!(found[0].pieces, expected);
        assert_eq!((found[1].line, &found[1].pieces[1]), (203, &gone("end")));
    }

    #[test]
    fn a_long_run_needs_limited_memory() {
        let input = b"abcdefgh\n".repeat(40_000);
        let mut chronicle = Chronicle::new(&input);
        let size = Size { tokens: 1, bytes: 1, lines: 1 };
        let edits = [Edit::delete(Span::new(0, 9_000))];
        for left in (1..30).rev() {
            let best = &input[..left * 9_000];
            for _ in 0..100 {
                let (pass, edits) = ("delete-nodes", &edits[..]);
                chronicle.best = input.clone();
                chronicle.take(Event::Accepted { pass, edits, size, best }, Duration::ZERO);
            }
        }
        assert!(chronicle.bytes <= TUNING.all_bytes, "{}", chronicle.bytes);
        let kept = chronicle.steps.iter().filter(|step| step.hunks.is_some()).count();
        assert!(kept > 500 && kept < 2_900, "{kept}");
        assert_eq!(chronicle.steps.len(), 2_900);
    }
}
