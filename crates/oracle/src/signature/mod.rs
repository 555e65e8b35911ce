//! The message of a failing command, as a signature: two runs with the same signature show the same failure.
//!
//! It knows texts only: it runs nothing, and decides nothing about candidates. The forms of messages and of stacks are data, in
//! `signatures/`; `read.rs` reads by them, and `tested.rs` reads what test runners write. What is left out because it varies is
//! decided in `clean.rs`, `open.rs`, `value.rs` and `stack.rs`.

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

/// The sign that stands for a word that is another one in each run.
pub const OPEN: &str = "…";

/// The sort of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SignatureKind {
    /// A compiler or another tool reports that the error is its own.
    #[serde(alias = "compiler")]
    Compiler,
    /// A stack dump, without any message.
    #[serde(alias = "crash")]
    Crash,
    /// An assertion or a check does not hold.
    #[serde(alias = "assertion")]
    Assertion,
    /// The C or C++ library ends the program.
    #[serde(alias = "abort")]
    Abort,
    /// A sanitizer's report.
    #[serde(alias = "sanitizer")]
    Sanitizer,
    /// A panic.
    #[serde(alias = "panic")]
    Panic,
    /// An exception that is not caught.
    #[serde(alias = "exception")]
    Exception,
    /// A test that fails.
    #[serde(alias = "test")]
    Test,
    /// An error in a browser's console.
    #[serde(alias = "console")]
    Console,
    /// An ordinary error of a compiler, a linter or another tool.
    #[serde(alias = "diagnostic")]
    Diagnostic,
    /// The last line that looks like an error: no form that is known.
    #[serde(alias = "line")]
    Line,
}

/// A failure as its messages show it: what identifies it, without what varies from run to run and from candidate to candidate,
/// such as addresses, temporary names, numbers, and names of the input.
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
    /// The innermost first; of a recursion without end, the functions that repeat.
    frames: Vec<String>,
    /// The file and the line in the source of the failing program, as `expr.cc:9773`.
    #[serde(default)]
    place: Option<String>,
    /// It is a recursion without end.
    #[serde(default)]
    is_recursion: bool,
    /// Is true if it came from nothing but the candidate's own code.
    #[serde(default)]
    is_inside: bool,
    /// The open parts of the message: names and pieces of the input, and the values that an assertion compared. They do
    /// not count, unless the message is to stay exactly.
    #[serde(default)]
    values: Vec<String>,
}

/// Reads signatures in what a command writes. It has the names of the candidate's files, whose frames do not count, since a
/// reduction changes them, and the forms that a user has added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    own: Vec<String>,
    added: Forms,
}

impl Reader {
    /// Makes a reader of the forms that are known; `own` are the names of the candidate's files.
    #[must_use]
    pub fn new(own: Vec<String>) -> Self {
        Self { own, added: Forms::default() }
    }

    /// Adds forms, which are tried before those that are known.
    #[must_use]
    pub fn with(mut self, forms: &Forms) -> Self {
        self.added = forms.clone();
        self
    }

    /// Tells whether an output may say something of a failure of the program itself.
    pub(crate) fn may_tell(&self, output: &[u8]) -> bool {
        !self.added.is_empty() || clean::may_tell(output)
    }

    /// Tells whether a line may be one about a failure of the program itself.
    pub(crate) fn is_telling(&self, line: &[u8]) -> bool {
        clean::may_tell(line) || !self.added.is_empty() && self.added.may_match(&clean::printable(line))
    }

    /// All failures in what a command wrote, the most telling first.
    #[must_use]
    pub fn all(&self, stdout: &[u8], stderr: &[u8]) -> Vec<Signature> {
        self.scan(stdout, stderr).failures
    }

    /// The first of all failures.
    #[must_use]
    pub fn first(&self, stdout: &[u8], stderr: &[u8]) -> Option<Signature> {
        self.all(stdout, stderr).into_iter().next()
    }

    /// The ordinary errors in what a command wrote, the most telling first. Positions are left out of them, and the names and
    /// pieces of the input that they quote are open. The lines of a failure of the program itself are none.
    #[must_use]
    pub fn diagnostics(&self, stdout: &[u8], stderr: &[u8]) -> Vec<Signature> {
        let found = self.scan(stdout, stderr).errors(self);
        found.into_iter().map(|found| found.signature).collect()
    }

    /// Tells whether each ordinary error in the outputs is one of these.
    pub(crate) fn are_all(&self, known: &[Signature], stdout: &[u8], stderr: &[u8]) -> bool {
        let is_known = |seen: &Signature| known.iter().any(|one| one.covers(seen));
        self.scan(stdout, stderr).telling(self).iter().all(is_known)
    }

    /// Tells whether each error of any sort in the outputs is one of these.
    pub(crate) fn has_only(&self, known: &[Signature], stdout: &[u8], stderr: &[u8]) -> bool {
        let scan = self.scan(stdout, stderr);
        let errors = scan.errors(self).into_iter().map(|found| found.signature);
        errors.chain(scan.failures).all(|seen| known.iter().any(|one| one.covers(&seen)))
    }

    /// Looks for the failures in what a command wrote.
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
        // A user's form may have any words.
        find(&mut self.added.failures().iter(), &all, &mut found);
        find(&mut form::known().iter().filter(|form| form.comes_early()), &lines, &mut found);
        for text in &texts {
            add(&mut found, tested::find(text));
        }
        find(&mut form::known().iter().filter(|form| !form.comes_early()), &lines, &mut found);
        Scan { failures: found, printed, seen }
    }
}

/// What a reader has found in the outputs of a command.
struct Scan {
    /// The failures of the program itself, the most telling first.
    failures: Vec<Signature>,
    /// Standard error and standard output as text.
    printed: [String; 2],
    /// The lines of these that belong to failures.
    seen: [read::Seen; 2],
}

impl Scan {
    /// The ordinary errors.
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

    /// The ordinary errors that say enough to be another failure beside the wanted one.
    fn telling(&self, reader: &Reader) -> Vec<Signature> {
        let telling = self.errors(reader).into_iter().filter(|found| !found.is_plain);
        telling.map(|found| found.signature).collect()
    }
}

/// Adds signatures that are new.
fn add(found: &mut Vec<Signature>, more: Vec<Signature>) {
    for signature in more {
        if !found.contains(&signature) {
            found.push(signature);
        }
    }
}

impl Signature {
    /// The signature of a command that wrote this; `own` are the names of the candidate's files. `None` if nothing in it has a
    /// form that is known.
    #[must_use]
    pub fn of(stdout: &[u8], stderr: &[u8], own: &[String]) -> Option<Self> {
        Reader::new(own.to_vec()).first(stdout, stderr)
    }

    /// All signatures in what a command wrote, the most telling first.
    #[must_use]
    pub fn all(stdout: &[u8], stderr: &[u8], own: &[String]) -> Vec<Self> {
        Reader::new(own.to_vec()).all(stdout, stderr)
    }

    /// The ordinary errors in what a command wrote, the most telling first.
    #[must_use]
    pub fn diagnostics(stdout: &[u8], stderr: &[u8]) -> Vec<Self> {
        Reader::default().diagnostics(stdout, stderr)
    }

    /// Tells whether the program has died, and nothing shows where.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.frames.is_empty() && self.place.is_none() && read::is_of_signal(&self.message)
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

    /// A signature of a message alone.
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

    /// The functions or files that it came from, the innermost first; of a recursion without end, the functions that repeat.
    #[must_use]
    pub fn frames(&self) -> &[String] {
        &self.frames
    }

    /// Returns the file and the line in the source of the failing program that its message or its stack names, as
    /// `expr.cc:9773`.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// It as a text that is the same for equal signatures, and only for those.
    #[must_use]
    pub fn key(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" @ {place}")).unwrap_or_default();
        let again = if self.is_recursion { " again and again" } else { "" };
        format!("{:?}: {} < {}{place}{again}", self.kind, self.message, self.frames.join(" < "))
    }

    /// It as a short sentence.
    #[must_use]
    pub fn title(&self) -> String {
        let (message, mut frames) = (Cow::Borrowed(self.message.as_str()), self.frames.clone());
        let mut message = message.into_owned();
        if let Some(place) = &self.place {
            let file = place.split(':').next().unwrap_or_default();
            // As a rule the file is named already, without its line.
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

    /// Returns the signature that two runs of the same failure have in common: words that differ are left open, and
    /// frames from the first on that differs are left out. `None` if they are two failures.
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

    /// Tells whether another one is this failure, where this may have open words, and fewer frames. Two recursions without end
    /// are the same if they have a function in common.
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

    /// Returns the signature in which the parts of the message that come from this input are open: pieces of its text that are
    /// long, also as a program quotes them. The condition of an assertion stays.
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
                // The place says enough, so that a name of the input may be any. Its file is no such name.
                let file = place.split(':').next().unwrap_or_default();
                let mut names =
                    |part: &str| open::names(part, input, diagnostic::builtin(), &mut self.values);
                said = said.split(file).map(&mut names).collect::<Vec<_>>().join(file);
            }
            self.message = [kind, &said].concat();
        }
        self
    }

    /// Returns the length of the type that an exception's message begins with, with its colon; the type is never open.
    fn type_length(&self) -> usize {
        let is_type = |head: &str| !head.contains(char::is_whitespace);
        let head = self.message.split_once(": ").map_or(&self.message[..], |(head, _)| head);
        if self.kind == SignatureKind::Exception && is_type(head) { head.len() } else { 0 }
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
    /// Reads what the command writes.
    pub reader: Reader,
    /// Is true if the open parts of the message have to be the same, too.
    pub is_exact: bool,
    /// The ordinary errors that may stand beside it; `None` if any may.
    pub beside: Option<Vec<Signature>>,
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
    pub fn new(signature: Signature, reader: Reader) -> Self {
        Self { signature, reader, is_exact: false, beside: None }
    }

    /// Looks for it in what a command wrote.
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
        // If the values are others in each run, there are none.
        self.signature.covers(seen) && (!self.is_exact || values.is_empty() || *values == seen.values)
    }

    /// Tells whether no ordinary error stands beside it but those that may.
    fn is_alone(&self, scan: &Scan) -> bool {
        let Some(beside) = self.beside.as_ref().filter(|_| self.signature.kind.stands_alone()) else {
            return true;
        };
        let may = |seen: &Signature| self.signature.covers(seen) || beside.iter().any(|one| one.covers(seen));
        scan.telling(&self.reader).iter().all(may)
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
    whole: &'t str,
    lines: Vec<&'t str>,
    /// The names of the candidate's files.
    own: &'t [String],
}

impl<'t> Text<'t> {
    fn new(whole: &'t str, own: &'t [String]) -> Self {
        Self { whole, lines: whole.lines().collect(), own }
    }

    /// The text from the beginning of this line on.
    fn rest(&self, at: usize) -> &'t str {
        let start = self
            .lines
            .get(at)
            .map_or(self.whole.len(), |line| line.as_ptr() as usize - self.whole.as_ptr() as usize);
        &self.whole[start..]
    }

    /// The lines from this one on.
    fn after(&self, at: usize) -> &[&'t str] {
        self.lines.get(at + 1..).unwrap_or_default()
    }

    /// Returns at most `most` lines before this one, the nearest first.
    fn before(&self, at: usize, most: usize) -> impl Iterator<Item = &'t str> {
        self.lines[at.saturating_sub(most)..at].iter().rev().copied()
    }
}

#[cfg(test)]
mod messages;
#[cfg(test)]
mod tests;
