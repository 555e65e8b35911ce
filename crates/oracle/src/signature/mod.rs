//! The message of a failing command, as a signature: two runs with the same signature show the same failure.
//!
//! It knows texts only: it runs nothing, and decides nothing about candidates. Which forms of messages are known stands in
//! `compiler.rs`, `native.rs`, `thrown.rs` and `tested.rs`, and for ordinary errors in `diagnostic.rs`; what is left out of
//! them because it changes, in `clean.rs`, `open.rs`, `value.rs` and `frame.rs`.

mod clean;
mod compiler;
mod diagnostic;
mod frame;
mod native;
mod open;
mod place;
mod tested;
mod thrown;
mod value;

use serde::{Deserialize, Serialize};

/// At most this many stack frames are part of a signature. Those further out follow the shape of the input, which a
/// reduction changes, more than the bug.
const FRAMES: usize = 2;
/// The sign that stands for a word that is another one in each run.
pub const OPEN: &str = "…";

/// The sort of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SignatureKind {
    /// A compiler says that the error is its own.
    Compiler,
    /// A stack dump, without any message.
    Crash,
    /// An assertion or a check does not hold.
    Assertion,
    /// The C or C++ library ends the program.
    Abort,
    /// A sanitizer's report.
    Sanitizer,
    /// A panic.
    Panic,
    /// An exception that nobody catches.
    Exception,
    /// A test that fails.
    Test,
    /// An error in a browser's console.
    Console,
    /// An ordinary error of a compiler, a linter or another tool.
    Diagnostic,
    /// The last line that looks like an error: no form that is known.
    Line,
}

/// A failure as its messages tell it, without what changes from run to run: addresses, temporary paths, line and column
/// numbers, process numbers, times and sizes.
///
/// ```
/// use nubbin_oracle::signature::Signature;
///
/// let first = b"bug.c:7:3: internal compiler error: in expand_expr_real_2, at expr.cc:9773\n0x7f31 main\n";
/// let other = b"bug.c:2:1: internal compiler error: in expand_expr_real_2, at expr.cc:9773\n0x55e2 main\n";
/// let [first, other] = [first, other].map(|stderr| Signature::of(b"", stderr, &[]).unwrap());
/// assert_eq!(first, other);
/// assert_eq!(first.title(), "gcc ICE: in expand_expr_real_2, at expr.cc");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    kind: SignatureKind,
    message: String,
    /// The innermost first.
    frames: Vec<String>,
    /// Is true if it came from nothing but the candidate's own code.
    #[serde(default)]
    is_inside: bool,
    /// The open parts of the message: names and pieces of the input, and the values that an assertion compared. They do
    /// not count, unless the message is to stay exactly.
    #[serde(default)]
    values: Vec<String>,
}

impl Signature {
    /// The signature of a command that wrote this; `own` are the names of the candidate's files, whose frames do not count,
    /// since a reduction changes them. None if nothing in it has a form that is known.
    #[must_use]
    pub fn of(stdout: &[u8], stderr: &[u8], own: &[String]) -> Option<Self> {
        Self::all(stdout, stderr, own).into_iter().next()
    }

    /// All signatures in what a command wrote, the most telling first.
    #[must_use]
    pub fn all(stdout: &[u8], stderr: &[u8], own: &[String]) -> Vec<Self> {
        if ![stderr, stdout].into_iter().any(clean::may_tell) {
            return Vec::new();
        }
        let texts = [stderr, stdout].map(clean::printable);
        let texts = texts.each_ref().map(|text| Text { lines: text.lines().collect(), own });
        let finders = [native::find, compiler::find, tested::find, thrown::find];
        let mut found: Vec<Self> = Vec::new();
        for signature in finders.iter().flat_map(|find| texts.iter().flat_map(find)) {
            if !found.contains(&signature) {
                found.push(signature);
            }
        }
        found
    }

    /// The ordinary errors in what a command wrote, the most telling first. Positions are left out of them, and the names and
    /// pieces of the input that they quote are open.
    #[must_use]
    pub fn diagnostics(stdout: &[u8], stderr: &[u8]) -> Vec<Self> {
        Self::found(stdout, stderr).into_iter().map(|found| found.signature).collect()
    }

    /// Tells whether each ordinary error in the outputs is one of these.
    pub(crate) fn are_all(known: &[Self], stdout: &[u8], stderr: &[u8]) -> bool {
        Self::telling(stdout, stderr).iter().all(|seen| known.iter().any(|one| one.covers(seen)))
    }

    /// The ordinary errors that say enough to be another failure beside the wanted one.
    fn telling(stdout: &[u8], stderr: &[u8]) -> Vec<Self> {
        let telling = Self::found(stdout, stderr).into_iter().filter(|found| !found.is_plain);
        telling.map(|found| found.signature).collect()
    }

    fn found(stdout: &[u8], stderr: &[u8]) -> Vec<diagnostic::Found> {
        let texts = [stderr, stdout].map(clean::printable);
        let texts = texts.each_ref().map(|text| Text { lines: text.lines().collect(), own: &[] });
        let mut found: Vec<diagnostic::Found> = Vec::new();
        for one in diagnostic::find(&texts) {
            if !found.iter().any(|known| known.signature == one.signature) {
                found.push(one);
            }
        }
        found
    }

    /// Returns the place in the source of the failing program that its standard error names, such as `gimplify.cc:740`; `own`
    /// are the names of the candidate's files, which are not meant. It is no part of a signature, since it is another one in
    /// the next version of the program; within one version it tells failures in the same function apart.
    #[must_use]
    pub fn place(stderr: &[u8], own: &[String]) -> Option<String> {
        place::find(stderr, own)
    }

    /// Tells whether it says that the program has died, and not where.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.frames.is_empty() && place::is_of_signal(&self.message)
    }

    /// The last line of standard error, or else of standard output, that looks like an error.
    #[must_use]
    pub fn last_line(stdout: &[u8], stderr: &[u8]) -> Option<Self> {
        [stderr, stdout].into_iter().find_map(|bytes| {
            let text = clean::printable(bytes);
            let line = text.lines().rev().find(|line| clean::looks_like_an_error(line))?;
            let message = clean::clean(line);
            (!message.is_empty()).then(|| Self::new(SignatureKind::Line, message))
        })
    }

    /// A signature without frames.
    fn new(kind: SignatureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), frames: Vec::new(), is_inside: false, values: Vec::new() }
    }

    /// Returns the sort of the failure.
    #[must_use]
    pub fn kind(&self) -> SignatureKind {
        self.kind
    }

    /// Tells whether it came from the candidate's own code alone: then it says something about the candidate, and
    /// nothing about the program that was run on it.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Tells whether it complains about the syntax of the text that was read.
    #[must_use]
    pub fn is_about_syntax(&self) -> bool {
        matches!(self.kind, SignatureKind::Diagnostic | SignatureKind::Exception)
            && diagnostic::is_about_syntax(&self.message)
    }

    /// Returns its message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The functions or files that it came from, the innermost first.
    #[must_use]
    pub fn frames(&self) -> &[String] {
        &self.frames
    }

    /// It as a text that is the same for equal signatures, and only for those.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{:?}: {} < {}", self.kind, self.message, self.frames.join(" < "))
    }

    /// It as a short sentence.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.frames[..] {
            [] => self.message.clone(),
            frames => format!("{}, in {}", self.message, frames.join(", from ")),
        }
    }

    /// Returns the signature that two runs of the same failure have in common: words that differ are left open, and
    /// frames from the first on that differs are left out. `None` if they are two failures.
    #[must_use]
    pub fn common(&self, other: &Self) -> Option<Self> {
        let (ours, theirs) = (words(&self.message), words(&other.message));
        if self.kind != other.kind || ours.len() != theirs.len() {
            return None;
        }
        let word = |(ours, theirs): (&&str, &&str)| if ours == theirs { *ours } else { OPEN }.to_owned();
        let both: Vec<String> = ours.iter().zip(&theirs).map(word).collect();
        let is_open = both.iter().filter(|word| *word == OPEN).count() * 2 > both.len();
        let pairs = self.frames.iter().zip(&other.frames);
        let frames = pairs.take_while(|(ours, theirs)| ours == theirs).map(|(frame, _)| frame.clone());
        let is_inside = self.is_inside && other.is_inside;
        let values = if self.values == other.values { self.values.clone() } else { Vec::new() };
        let common =
            Self { kind: self.kind, message: both.join(" "), frames: frames.collect(), is_inside, values };
        (!is_open).then_some(common)
    }

    /// Tells whether another one is this failure, where this may have open words, and fewer frames.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let (ours, theirs) = (words(&self.message), words(&other.message));
        self.kind == other.kind
            && ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(ours, theirs)| *ours == OPEN || *ours == theirs)
            && other.frames.starts_with(&self.frames)
    }
}

fn words(message: &str) -> Vec<&str> {
    message.split(' ').collect()
}

/// A failure that is looked for in what a command writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The failure.
    pub signature: Signature,
    /// The names of the candidate's files.
    pub own: Vec<String>,
    /// Is true if the open parts of the message have to be the same, too.
    pub is_exact: bool,
    /// The ordinary errors that may stand beside it; `None` if any may.
    pub beside: Option<Vec<Signature>>,
    /// The place in the source of the failing program that has to be named, as [`Signature::place`] returns it; `None` if any
    /// may be.
    pub place: Option<String>,
}

/// The result of a search for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It is there.
    Same,
    /// Another one is there, or the same one at another place.
    Other,
    /// None is there, but perhaps an ordinary error, or one that the candidate's own code is to blame for; or it is there with
    /// an ordinary error beside it that may not be.
    Nothing,
}

impl Wanted {
    /// This failure, whatever stands beside it.
    #[must_use]
    pub fn new(signature: Signature, own: Vec<String>) -> Self {
        Self { signature, own, is_exact: false, beside: None, place: None }
    }

    /// Looks for it in what a command wrote.
    #[must_use]
    pub fn look(&self, stdout: &[u8], stderr: &[u8]) -> Seen {
        let found = Signature::all(stdout, stderr, &self.own);
        let more = match self.signature.kind {
            SignatureKind::Line => Signature::last_line(stdout, stderr).into_iter().collect(),
            SignatureKind::Diagnostic => Signature::diagnostics(stdout, stderr),
            _ => Vec::new(),
        };
        if found.iter().chain(&more).any(|seen| self.is_met_by(seen)) {
            if self.place.is_some() && Signature::place(stderr, &self.own) != self.place {
                Seen::Other
            } else if self.is_alone(stdout, stderr) {
                Seen::Same
            } else {
                Seen::Nothing
            }
        } else if found.iter().all(Signature::is_inside) {
            Seen::Nothing
        } else {
            Seen::Other
        }
    }

    fn is_met_by(&self, seen: &Signature) -> bool {
        let values = &self.signature.values;
        // If the values are others in each run, there are none.
        self.signature.covers(seen) && (!self.is_exact || values.is_empty() || *values == seen.values)
    }

    /// Tells whether no ordinary error stands beside it but those that may.
    fn is_alone(&self, stdout: &[u8], stderr: &[u8]) -> bool {
        let Some(beside) = self.beside.as_ref().filter(|_| self.signature.kind.stands_alone()) else {
            return true;
        };
        let may = |seen: &Signature| self.signature.covers(seen) || beside.iter().any(|one| one.covers(seen));
        Signature::telling(stdout, stderr).iter().all(may)
    }
}

impl SignatureKind {
    /// Tells whether an ordinary error beside a failure of this sort makes it another failure: a compiler that dies of
    /// an invalid program is another one than a compiler that dies of a valid program.
    #[must_use]
    pub fn stands_alone(self) -> bool {
        !matches!(self, Self::Test | Self::Console | Self::Line)
    }
}

/// The text that was written to one stream, by lines.
struct Text<'t> {
    lines: Vec<&'t str>,
    /// The names of the candidate's files.
    own: &'t [String],
}

impl Text<'_> {
    /// The lines from this one on.
    fn after(&self, at: usize) -> &[&str] {
        self.lines.get(at + 1..).unwrap_or_default()
    }

    /// Returns at most `most` lines before this one, the nearest first.
    fn before(&self, at: usize, most: usize) -> impl Iterator<Item = &str> {
        self.lines[at.saturating_sub(most)..at].iter().rev().copied()
    }
}

#[cfg(test)]
mod tests;
