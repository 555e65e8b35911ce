//! Recognizes the message of a failing command and reduces it to a signature: two runs with the same
//! signature show the same failure.
//!
//! - [`Reader`] finds the signatures in an output, and [`Wanted`] checks an output for a given failure.
//! - [`Forms`] holds additional forms of messages from the user; invalid forms are reported as
//!   [`FormsError`].
//!
//! The forms of messages and stacks are data, in `signatures/`. `read.rs` applies them, and `tested.rs`
//! parses the output of test runners. `clean.rs`, `open.rs`, `value.rs` and `stack.rs` remove the parts that
//! vary.

mod clean;
mod diagnostic;
mod form;
mod open;
mod read;
mod stack;
mod tested;
mod value;

pub use form::{Forms, FormsError};

use form::Form;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The character that replaces the varying parts of a message.
pub const OPEN: &str = "…";

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SignatureKind {
    /// An internal error of a compiler or another tool.
    #[serde(alias = "compiler")]
    Compiler,
    /// A stack dump without a message.
    #[serde(alias = "crash")]
    Crash,
    /// A failed assertion or check.
    #[serde(alias = "assertion")]
    Assertion,
    /// The C or C++ library aborted the program.
    #[serde(alias = "abort")]
    Abort,
    /// A report of a sanitizer.
    #[serde(alias = "sanitizer")]
    Sanitizer,
    /// A panic.
    #[serde(alias = "panic")]
    Panic,
    /// An uncaught exception.
    #[serde(alias = "exception")]
    Exception,
    /// A failing test.
    #[serde(alias = "test")]
    Test,
    /// An error in the console of a browser.
    #[serde(alias = "console")]
    Console,
    /// An ordinary error of a compiler, a linter or another tool.
    #[serde(alias = "diagnostic")]
    Diagnostic,
    /// The last line that looks like an error, without a known form.
    #[serde(alias = "line")]
    Line,
}

/// The identifying part of a failure's messages, without parts that vary between runs or candidates, such as
/// addresses, temporary names, numbers, and identifiers of the input.
///
/// ```
/// use nubbin_oracle::signature::Signature;
///
/// let first = b"bug.c:7:3: internal compiler error: in expand_expr_real_2, at expr.cc:9773\n0x7f31 main\n";
/// let other = b"bug.c:2:1: internal compiler error: in expand_expr_real_2, at expr.cc:9773\n0x55e2 main\n";
/// let [first, other] = [first, other].map(|stderr| Signature::of(b"", stderr, &[]).unwrap());
/// assert_eq!(first, other);
/// assert_eq!(first.title(), "gcc ICE: in expand_expr_real_2, at expr.cc:9773");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    kind: SignatureKind,
    message: String,
    /// The innermost frame first; for an infinite recursion, the functions that repeat.
    frames: Vec<String>,
    /// The file and line in the source of the failing program, such as `expr.cc:9773`.
    #[serde(default)]
    place: Option<String>,
    /// Whether the failure is an infinite recursion.
    #[serde(default)]
    is_recursion: bool,
    /// Whether the failure comes only from the code of the candidate.
    #[serde(default)]
    is_inside: bool,
    /// The replaced parts of the message: identifiers and text of the input, and the values that an assertion
    /// compared. They are ignored unless the message must match exactly.
    #[serde(default)]
    values: Vec<String>,
}

/// Finds signatures in the output of a command. The reader knows the names of the candidate's files, whose
/// frames are ignored because a reduction changes them, and the forms that the user has added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    own: Vec<String>,
    added: Forms,
}

impl Reader {
    /// Creates a reader with the built-in forms; `own` are the names of the candidate's files.
    #[must_use]
    pub fn new(own: Vec<String>) -> Self {
        Self { own, added: Forms::default() }
    }

    /// Adds forms, which take precedence over the built-in ones.
    #[must_use]
    pub fn with(mut self, forms: &Forms) -> Self {
        self.added = forms.clone();
        self
    }

    /// Returns whether an output can contain an internal failure of the program.
    pub(crate) fn may_tell(&self, output: &[u8]) -> bool {
        !self.added.is_empty() || clean::may_tell(output)
    }

    /// Returns whether a line can describe an internal failure of the program.
    pub(crate) fn is_telling(&self, line: &[u8]) -> bool {
        clean::may_tell(line) || !self.added.is_empty() && self.added.may_match(&clean::printable(line))
    }

    /// Returns all failures in the output of a command, the most specific first.
    #[must_use]
    pub fn all(&self, stdout: &[u8], stderr: &[u8]) -> Vec<Signature> {
        self.scan(stdout, stderr).failures
    }

    /// Returns the most specific failure in the output of a command.
    #[must_use]
    pub fn first(&self, stdout: &[u8], stderr: &[u8]) -> Option<Signature> {
        self.all(stdout, stderr).into_iter().next()
    }

    /// Returns the ordinary errors in the output of a command, the most specific first, without positions and
    /// with the quoted identifiers and text of the input replaced. Lines of an internal failure are not
    /// included.
    #[must_use]
    pub fn diagnostics(&self, stdout: &[u8], stderr: &[u8]) -> Vec<Signature> {
        let found = self.scan(stdout, stderr).errors(self);
        found.into_iter().map(|found| found.signature).collect()
    }

    /// Returns whether every ordinary error in the outputs is in `known`.
    pub(crate) fn are_all(&self, known: &[Signature], stdout: &[u8], stderr: &[u8]) -> bool {
        let is_known = |seen: &Signature| known.iter().any(|one| one.covers(seen));
        self.scan(stdout, stderr).telling(self).iter().all(is_known)
    }

    /// Returns whether every failure and error in the outputs is in `known`.
    pub(crate) fn has_only(&self, known: &[Signature], stdout: &[u8], stderr: &[u8]) -> bool {
        let scan = self.scan(stdout, stderr);
        let errors = scan.errors(self).into_iter().map(|found| found.signature);
        errors.chain(scan.failures).all(|seen| known.iter().any(|one| one.covers(&seen)))
    }

    /// Searches the output of a command for failures.
    fn scan(&self, stdout: &[u8], stderr: &[u8]) -> Scan {
        let printed = [stderr, stdout].map(clean::printable);
        let mut seen = [read::Seen::default(), read::Seen::default()];
        if ![stderr, stdout].into_iter().any(|output| self.may_tell(output)) {
            return Scan { failures: Vec::new(), printed, seen };
        }
        let texts = printed.each_ref().map(|text| Text::new(text, &self.own));
        let lines = texts.each_ref().map(read::telling_lines);
        let all = texts.each_ref().map(|text| (0..text.lines.len()).collect());
        let mut found: Vec<Signature> = Vec::new();
        let mut find =
            |forms: &mut dyn Iterator<Item = &Form>, lines: &[Vec<usize>; 2], found: &mut Vec<_>| {
                for form in forms {
                    for ((text, lines), seen) in texts.iter().zip(lines).zip(&mut seen) {
                        add(found, read::find(text, form, lines, seen));
                    }
                }
            };
        // Forms of the user can contain any words, so all lines are searched.
        find(&mut self.added.failures().iter(), &all, &mut found);
        find(&mut form::known().iter().filter(|form| form.comes_early()), &lines, &mut found);
        for text in &texts {
            add(&mut found, tested::find(text));
        }
        find(&mut form::known().iter().filter(|form| !form.comes_early()), &lines, &mut found);
        Scan { failures: found, printed, seen }
    }
}

/// The failures in the outputs of a command.
struct Scan {
    /// The internal failures of the program, the most specific first.
    failures: Vec<Signature>,
    /// Standard error and standard output as text.
    printed: [String; 2],
    /// The lines of each text that belong to failures.
    seen: [read::Seen; 2],
}

impl Scan {
    /// Returns the ordinary errors.
    fn errors(&self, reader: &Reader) -> Vec<diagnostic::Found> {
        let texts = [0, 1].map(|at| (self.printed[at].as_str(), self.seen[at].lines()));
        let mut found: Vec<diagnostic::Found> = Vec::new();
        for one in diagnostic::find(texts, reader.added.errors()) {
            if !found.iter().any(|known| known.signature == one.signature) {
                found.push(one);
            }
        }
        found
    }

    /// Returns the ordinary errors that are specific enough to indicate a failure other than the wanted one.
    fn telling(&self, reader: &Reader) -> Vec<Signature> {
        let telling = self.errors(reader).into_iter().filter(|found| !found.is_plain);
        telling.map(|found| found.signature).collect()
    }
}

/// Adds new signatures.
fn add(found: &mut Vec<Signature>, more: Vec<Signature>) {
    for signature in more {
        if !found.contains(&signature) {
            found.push(signature);
        }
    }
}

impl Signature {
    /// Returns the most specific failure in an output; `own` are the names of the candidate's files. `None`
    /// if nothing has a known form.
    #[must_use]
    pub fn of(stdout: &[u8], stderr: &[u8], own: &[String]) -> Option<Self> {
        Reader::new(own.to_vec()).first(stdout, stderr)
    }

    /// Returns all failures in an output, the most specific first.
    #[must_use]
    pub fn all(stdout: &[u8], stderr: &[u8], own: &[String]) -> Vec<Self> {
        Reader::new(own.to_vec()).all(stdout, stderr)
    }

    /// Returns the ordinary errors in an output, the most specific first.
    #[must_use]
    pub fn diagnostics(stdout: &[u8], stderr: &[u8]) -> Vec<Self> {
        Reader::default().diagnostics(stdout, stderr)
    }

    /// Returns whether the message contains only a signal, without a location.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.frames.is_empty() && self.place.is_none() && read::is_of_signal(&self.message)
    }

    /// Returns the last line of standard error, or otherwise of standard output, that looks like an error.
    #[must_use]
    pub fn last_line(stdout: &[u8], stderr: &[u8]) -> Option<Self> {
        [stderr, stdout].into_iter().find_map(|bytes| {
            let text = clean::printable(bytes);
            let line = text.lines().rev().find(|line| clean::looks_like_an_error(line))?;
            let message = clean::clean(line);
            (!message.is_empty()).then(|| Self::new(SignatureKind::Line, message))
        })
    }

    /// Creates a signature that consists only of a message.
    fn new(kind: SignatureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            frames: Vec::new(),
            place: None,
            is_recursion: false,
            is_inside: false,
            values: Vec::new(),
        }
    }

    /// Returns the kind of the failure.
    #[must_use]
    pub fn kind(&self) -> SignatureKind {
        self.kind
    }

    /// Returns whether the failure comes only from the code of the candidate, and not from the program that
    /// was run on it.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Returns whether the message is about the syntax of the input.
    #[must_use]
    pub fn is_about_syntax(&self) -> bool {
        matches!(self.kind, SignatureKind::Diagnostic | SignatureKind::Exception)
            && diagnostic::is_about_syntax(&self.message)
    }

    /// Returns the message, without the parts that vary.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the functions or files of the failure, the innermost first; for an infinite recursion, the
    /// functions that repeat.
    #[must_use]
    pub fn frames(&self) -> &[String] {
        &self.frames
    }

    /// Returns the file and line in the source of the failing program, from the message or the stack, such as
    /// `expr.cc:9773`.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns a text that is equal for equal signatures only.
    #[must_use]
    pub fn key(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" @ {place}")).unwrap_or_default();
        let again = if self.is_recursion { " again and again" } else { "" };
        format!("{:?}: {} < {}{place}{again}", self.kind, self.message, self.frames.join(" < "))
    }

    /// Returns a short description.
    #[must_use]
    pub fn title(&self) -> String {
        let (message, mut frames) = (Cow::Borrowed(self.message.as_str()), self.frames.clone());
        let mut message = message.into_owned();
        if let Some(place) = &self.place {
            let file = place.split(':').next().unwrap_or_default();
            // Usually the file has already been named without its line.
            let named = frames.first_mut().filter(|frame| frame.contains(file));
            match named.or_else(|| Some(&mut message).filter(|message| message.contains(file))) {
                Some(text) => *text = text.replacen(file, place, 1),
                None => message = format!("{message} ({place})"),
            }
        }
        match &frames[..] {
            [] => message,
            frames if self.is_recursion => format!("{message}, in the recursion of {}", frames.join(", ")),
            frames => format!("{message}, in {}", frames.join(", from ")),
        }
    }

    /// Returns the common signature of two runs of the same failure: different words are replaced, and frames
    /// are omitted from the first difference on. `None` if the failures differ.
    #[must_use]
    pub fn common(&self, other: &Self) -> Option<Self> {
        let (ours, theirs) = (words(&self.message), words(&other.message));
        if self.kind != other.kind || self.is_recursion != other.is_recursion || ours.len() != theirs.len() {
            return None;
        }
        let word = |(ours, theirs): (&&str, &&str)| if ours == theirs { *ours } else { OPEN }.to_owned();
        let both: Vec<String> = ours.iter().zip(&theirs).map(word).collect();
        let is_open = both.iter().filter(|word| *word == OPEN).count() * 2 > both.len();
        let frames = if self.is_recursion {
            self.frames.iter().filter(|frame| other.frames.contains(frame)).cloned().collect()
        } else {
            let pairs = self.frames.iter().zip(&other.frames);
            pairs.take_while(|(ours, theirs)| ours == theirs).map(|(frame, _)| frame.clone()).collect()
        };
        let common = Self {
            kind: self.kind,
            message: both.join(" "),
            frames,
            place: self.place.clone().filter(|place| Some(place) == other.place.as_ref()),
            is_recursion: self.is_recursion,
            is_inside: self.is_inside && other.is_inside,
            values: if self.values == other.values { self.values.clone() } else { Vec::new() },
        };
        (!is_open).then_some(common)
    }

    /// Returns whether `other` is the same failure. This signature can have replaced words and fewer frames.
    /// Two infinite recursions are the same if they have a function in common.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let is_there = || {
            if self.is_recursion {
                let is_empty = self.frames.is_empty() || other.frames.is_empty();
                is_empty || self.frames.iter().any(|frame| other.frames.contains(frame))
            } else {
                other.frames.starts_with(&self.frames)
            }
        };
        self.kind == other.kind
            && self.is_recursion == other.is_recursion
            && open::covers(&self.message, &other.message)
            && is_there()
            && self.place.as_ref().is_none_or(|place| Some(place) == other.place.as_ref())
    }

    /// Returns the signature with the parts of the message replaced that come from this input: long pieces of
    /// its text, also in the form in which programs quote it. The condition of an assertion is kept.
    #[must_use]
    pub fn opened(mut self, input: &[u8]) -> Self {
        let may_be_open =
            matches!(self.kind, SignatureKind::Exception | SignatureKind::Panic | SignatureKind::Compiler)
                && !self.is_inside
                && !self.message.to_lowercase().contains("assert");
        if may_be_open {
            let (kind, said) = self.message.split_at(self.type_length());
            let mut said = open::shared(said, input, diagnostic::builtin(), &mut self.values);
            if let Some(place) = &self.place {
                // The location identifies the failure, so identifiers of the input are replaced, but not the
                // name of its file.
                let file = place.split(':').next().unwrap_or_default();
                let mut names =
                    |part: &str| open::names(part, input, diagnostic::builtin(), &mut self.values);
                said = said.split(file).map(&mut names).collect::<Vec<_>>().join(file);
            }
            self.message = [kind, &said].concat();
        }
        self
    }

    /// Returns the length of the exception type at the start of the message, including the colon; the type is
    /// never replaced.
    fn type_length(&self) -> usize {
        let is_type = |head: &str| !head.contains(char::is_whitespace);
        let head = self.message.split_once(": ").map_or(&self.message[..], |(head, _)| head);
        if self.kind == SignatureKind::Exception && is_type(head) { head.len() } else { 0 }
    }
}

fn words(message: &str) -> Vec<&str> {
    message.split(' ').collect()
}

/// A failure that is searched in the output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The signature of the failure.
    pub signature: Signature,
    /// The reader for the output.
    pub reader: Reader,
    /// Whether the replaced parts of the message must also be equal.
    pub is_exact: bool,
    /// The ordinary errors that can occur in addition; `None` allows any.
    pub beside: Option<Vec<Signature>>,
}

/// The result of a search for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The failure is present.
    Same,
    /// Another failure is present, or the same one at another location.
    Other,
    /// No failure is present, except ordinary errors or errors in the code of the candidate; or the failure
    /// is present together with an ordinary error that is not allowed.
    Nothing,
}

impl Wanted {
    /// Creates a search for this failure that allows any additional errors.
    #[must_use]
    pub fn new(signature: Signature, reader: Reader) -> Self {
        Self { signature, reader, is_exact: false, beside: None }
    }

    /// Searches the output of a command.
    #[must_use]
    pub fn look(&self, stdout: &[u8], stderr: &[u8]) -> Seen {
        let scan = self.reader.scan(stdout, stderr);
        let more = match self.signature.kind {
            SignatureKind::Line => Signature::last_line(stdout, stderr).into_iter().collect(),
            SignatureKind::Diagnostic => {
                scan.errors(&self.reader).into_iter().map(|one| one.signature).collect()
            }
            _ => Vec::new(),
        };
        if scan.failures.iter().chain(&more).any(|seen| self.is_met_by(seen)) {
            if self.is_alone(&scan) { Seen::Same } else { Seen::Nothing }
        } else if scan.failures.iter().all(Signature::is_inside) {
            Seen::Nothing
        } else {
            Seen::Other
        }
    }

    fn is_met_by(&self, seen: &Signature) -> bool {
        let values = &self.signature.values;
        // Values that vary between runs have been removed, and are not compared.
        self.signature.covers(seen) && (!self.is_exact || values.is_empty() || *values == seen.values)
    }

    /// Returns whether only allowed ordinary errors are present.
    fn is_alone(&self, scan: &Scan) -> bool {
        let Some(beside) = self.beside.as_ref().filter(|_| self.signature.kind.stands_alone()) else {
            return true;
        };
        let may = |seen: &Signature| self.signature.covers(seen) || beside.iter().any(|one| one.covers(seen));
        scan.telling(&self.reader).iter().all(may)
    }
}

impl SignatureKind {
    /// Returns whether an additional ordinary error makes this kind of failure a different one: a compiler
    /// crash on an invalid program differs from a crash on a valid program.
    #[must_use]
    pub fn stands_alone(self) -> bool {
        !matches!(self, Self::Test | Self::Console | Self::Line)
    }
}

/// The text of one output stream and its lines.
struct Text<'t> {
    whole: &'t str,
    lines: Vec<&'t str>,
    /// The names of the candidate's files.
    own: &'t [String],
}

impl<'t> Text<'t> {
    fn new(whole: &'t str, own: &'t [String]) -> Self {
        Self { whole, lines: whole.lines().collect(), own }
    }

    /// Returns the text from the beginning of line `at`.
    fn rest(&self, at: usize) -> &'t str {
        let start = self
            .lines
            .get(at)
            .map_or(self.whole.len(), |line| line.as_ptr() as usize - self.whole.as_ptr() as usize);
        &self.whole[start..]
    }

    /// Returns the lines after line `at`.
    fn after(&self, at: usize) -> &[&'t str] {
        self.lines.get(at + 1..).unwrap_or_default()
    }

    /// Returns up to `most` lines before line `at`, the nearest first.
    fn before(&self, at: usize, most: usize) -> impl Iterator<Item = &'t str> {
        self.lines[at.saturating_sub(most)..at].iter().rev().copied()
    }
}

#[cfg(test)]
mod messages;
#[cfg(test)]
mod tests;
