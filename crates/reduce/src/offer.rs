//! Defines the proposals of an external program, which are edits or whole texts, and reads them from JSON lines.
//!
//! The module does not start the program, and does not judge the proposals.

use nubbin_syntax::edit::{Edit, Patch, Span};
use serde::Deserialize;
use serde_json::Value;

/// The name of the format in the first line of C-Vise hints.
const CVISE: &str = "cvise_hints_v0";
/// The maximum number of invalid lines of one answer that are reported.
const TOLD: usize = 5;

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Edits that are applied together: sorted and disjoint, with positions in the current best.
    Edits {
        /// The kind of the edits; edits of the same kind are tried together.
        kind: Box<str>,
        /// The edits.
        edits: Vec<Edit>,
    },
    /// A text that replaces the current best.
    Text(Box<[u8]>),
}

/// The proposals for one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposed {
    /// The proposals.
    pub offers: Vec<Offer>,
    /// Notes for the user, for example about invalid lines: sentences without a final period.
    pub notes: Vec<String>,
}

/// Proposes edits and texts.
///
/// It is asked once for each current best, in order, and never speculatively. A reduction is reproducible only if the
/// proposer gives the same answer for the same text.
pub trait Proposer {
    /// Returns the proposals for a text.
    fn propose(&self, best: &[u8]) -> Proposed;
}

impl<F: Fn(&[u8]) -> Vec<Offer>> Proposer for F {
    fn propose(&self, best: &[u8]) -> Proposed {
        Proposed { offers: self(best), notes: Vec::new() }
    }
}

/// A file or a directory, and its position in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The path of the file or directory.
    pub path: Vec<u8>,
    /// The span to delete in order to remove it; `None` if it must stay.
    pub all: Option<Span>,
    /// The span of the content of a file.
    pub content: Option<Span>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edits {
    edits: Vec<Replaced>,
    #[serde(default, rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Replaced {
    file: Option<String>,
    /// The first byte. An edit has `start` and `end`, or neither if it removes the file.
    start: Option<u64>,
    end: Option<u64>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    remove: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    file: Option<String>,
    text: String,
}

/// The query of shrinkray to its external reducers: a whole text in Base64.
#[derive(Deserialize)]
struct Query {
    content: String,
}

/// A C-Vise hint: its patches, and the index of its type in the vocabulary.
#[derive(Deserialize)]
struct Hint {
    #[serde(default)]
    p: Vec<HintPatch>,
    t: Option<usize>,
}

/// A patch of a hint: its first byte, the byte after its last one, and the indices of a value, an operation and a path
/// in the vocabulary.
#[derive(Deserialize)]
struct HintPatch {
    l: Option<u64>,
    r: Option<u64>,
    v: Option<usize>,
    o: Option<usize>,
    p: Option<usize>,
}

/// Reads JSON lines with proposals for `best`: the format of Nubbin, or C-Vise hints after their header.
///
/// An invalid line is skipped and reported in a note with its number.
#[must_use]
pub fn read(answer: &[u8], best: &[u8]) -> Proposed {
    read_with(answer, best, None)
}

/// Reads JSON lines for an archive of several files. Each edit and each text names its file, and positions count from
/// the beginning of that file.
#[must_use]
pub fn read_files(answer: &[u8], best: &[u8], places: &[FilePlace]) -> Proposed {
    read_with(answer, best, Some(places))
}

fn read_with(answer: &[u8], best: &[u8], places: Option<&[FilePlace]>) -> Proposed {
    let mut reader = OfferReader { best, places, words: None, is_first: true };
    let (mut read, mut wrong) = (Proposed::default(), 0);
    for (number, line) in (1..).zip(answer.split(|&byte| byte == b'\n')) {
        match reader.line(line) {
            Ok(offer) => read.offers.extend(offer),
            Err(why) => {
                wrong += 1;
                if wrong <= TOLD {
                    read.notes.push(format!("line {number} ignored: {why}"));
                }
            }
        }
    }
    if wrong > TOLD {
        read.notes.push(format!("{} more lines ignored", wrong - TOLD));
    }
    read
}

struct OfferReader<'r> {
    best: &'r [u8],
    /// The positions of the files, if the input is an archive.
    places: Option<&'r [FilePlace]>,
    /// The vocabulary of C-Vise, once its header has been read. C-Vise's own tools write the vocabulary in the first
    /// line.
    words: Option<Vec<String>>,
    /// Whether no line has been read yet.
    is_first: bool,
}

impl<'r> OfferReader<'r> {
    fn line(&mut self, line: &[u8]) -> Result<Option<Offer>, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let value: Value =
            serde_json::from_slice(line).map_err(|error| format!("invalid JSON: {}", place(&error)))?;
        let has = |key: &str| value.get(key).is_some();
        let is_first = std::mem::replace(&mut self.is_first, false);
        match &value {
            Value::Array(_) if self.words.is_some() || is_first => {
                self.words = Some(parsed(value)?);
                Ok(None)
            }
            Value::Object(_) if has("format") => self.header(&value).map(|()| None),
            Value::Object(_) if has("edits") => self.edits(parsed(value)?).map(Some),
            Value::Object(_) if has("text") => self.text(parsed(value)?).map(Some),
            Value::Object(_) if has("content") => self.query(parsed(value)?).map(Some),
            Value::Object(_) if has("idle") => Ok(None),
            Value::Object(_) if self.words.is_some() => self.hint(parsed(value)?),
            Value::Object(_) if has("p") => {
                Err(format!("the header `{{\"format\":\"{CVISE}\"}}` must come before hints"))
            }
            _ => Err("expected an object with `edits`, `text` or `content`".to_owned()),
        }
    }

    fn header(&mut self, header: &Value) -> Result<(), String> {
        let format = header.get("format").and_then(Value::as_str).unwrap_or_default();
        if format != CVISE {
            return Err(format!("unknown format `{format}` (supported: `{CVISE}`)"));
        }
        self.words = Some(Vec::new());
        Ok(())
    }

    fn edits(&self, Edits { edits, kind }: Edits) -> Result<Offer, String> {
        if edits.is_empty() {
            return Err("`edits` is empty".to_owned());
        }
        let mut edits = edits.into_iter().map(|edit| self.edit(&edit)).collect::<Result<Vec<_>, String>>()?;
        edits.sort_by_key(|edit| edit.span);
        if let Some(pair) = edits.windows(2).find(|pair| pair[0].span.end > pair[1].span.start) {
            let [a, b] = [pair[0].span, pair[1].span];
            return Err(format!("{} to {} and {} to {} overlap", a.start, a.end, b.start, b.end));
        }
        Ok(Offer::Edits { kind: kind.into(), edits })
    }

    fn edit(&self, edit: &Replaced) -> Result<Edit, String> {
        let file = edit.file.as_deref().map(str::as_bytes);
        match (edit.start, edit.end) {
            (None, None) if edit.remove => Ok(Edit::delete(self.whole(file)?)),
            (Some(start), Some(end)) if !edit.remove => {
                Ok(Edit::replace(self.span(file, start, end)?, edit.text.as_bytes()))
            }
            _ => Err("an edit must have `start` and `end`, or `file` and `remove`".to_owned()),
        }
    }

    /// Reads a whole text. In an archive, it replaces one file.
    fn text(&self, Whole { file, text }: Whole) -> Result<Offer, String> {
        if self.places.is_none() && file.is_none() {
            return Ok(Offer::Text(text.into_bytes().into()));
        }
        let span = self.content(file.as_deref().map(str::as_bytes))?;
        Ok(Offer::Edits { kind: "".into(), edits: vec![Edit::replace(span, text.as_bytes())] })
    }

    fn query(&self, Query { content }: Query) -> Result<Offer, String> {
        let text = base64(&content).ok_or("`content` is not valid Base64")?;
        self.content(None)?;
        Ok(Offer::Text(text.into()))
    }

    fn hint(&self, Hint { p: patches, t: kind }: Hint) -> Result<Option<Offer>, String> {
        let kind = kind.map_or(Ok(""), |kind| self.word(kind))?;
        // Such hints are for other passes of C-Vise.
        if kind.starts_with('@') || patches.is_empty() {
            return Ok(None);
        }
        let edits = patches.iter().map(|patch| self.patch(patch)).collect::<Result<Vec<_>, String>>()?;
        Ok(Some(Offer::Edits { kind: kind.into(), edits: Patch::new(edits).edits().to_vec() }))
    }

    fn patch(&self, patch: &HintPatch) -> Result<Edit, String> {
        let file = patch.p.map(|path| self.word(path)).transpose()?.map(str::as_bytes);
        let operation = patch.o.map(|operation| self.word(operation)).transpose()?;
        if operation == Some("rm") {
            return Ok(Edit::delete(self.whole(file)?));
        }
        let (Some(left), Some(right)) = (patch.l, patch.r) else {
            return Err("a patch must have `l` and `r`".to_owned());
        };
        let value = patch.v.map_or(Ok(""), |value| self.word(value))?.as_bytes();
        let text = match operation {
            None => value,
            Some("paste") => self.content(Some(value))?.of(self.best),
            Some(other) => {
                return Err(format!("unknown operation `{other}` (supported: `rm`, `paste`)"));
            }
        };
        Ok(Edit::replace(self.span(file, left, right)?, text))
    }

    fn word(&self, number: usize) -> Result<&str, String> {
        let words = self.words.as_deref().unwrap_or_default();
        let word = words.get(number).map(String::as_str);
        word.ok_or_else(|| format!("index {number} is outside the vocabulary of {} words", words.len()))
    }

    /// Finds the file or directory with this path.
    fn place(&self, file: Option<&[u8]>) -> Result<Option<&'r FilePlace>, String> {
        let Some(places) = self.places else {
            return file
                .map_or(Ok(None), |_| Err("`file` is set, but the input is a single file".to_owned()));
        };
        let Some(file) = file else {
            return Err("`file` is missing: the input has several files".to_owned());
        };
        let found = places.iter().find(|place| place.path == file);
        found.map(Some).ok_or_else(|| format!("no such file: `{}`", String::from_utf8_lossy(file)))
    }

    /// Returns the span of the content of a file.
    fn content(&self, file: Option<&[u8]>) -> Result<Span, String> {
        let name = || String::from_utf8_lossy(file.unwrap_or_default()).into_owned();
        match self.place(file)? {
            None => Ok(Span::new(0, self.best.len() as u32)),
            Some(place) => place.content.ok_or_else(|| format!("`{}` is not a regular file", name())),
        }
    }

    /// Returns the span to delete in order to remove a file or a directory.
    fn whole(&self, file: Option<&[u8]>) -> Result<Span, String> {
        let whole = self.place(file)?.and_then(|place| place.all);
        whole.ok_or_else(|| "only files in a directory can be removed".to_owned())
    }

    fn span(&self, file: Option<&[u8]>, start: u64, end: u64) -> Result<Span, String> {
        if start > end {
            return Err(format!("invalid span {start} to {end}"));
        }
        let content = self.content(file)?;
        let length = u64::from(content.len());
        if end > length {
            let what = if self.places.is_some() { "the file" } else { "the current best" };
            return Err(format!("span {start} to {end} is outside {what} of {length} bytes"));
        }
        Ok(Span::new(content.start + start as u32, content.start + end as u32))
    }
}

/// Decodes Base64; returns `None` if it is invalid.
fn base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = text.as_bytes();
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(digits.len() * 3 / 4), 0u32, 0);
    for digit in digits {
        bits = bits << 6 | DIGITS.iter().position(|known| known == digit)? as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    text.len().is_multiple_of(4).then_some(bytes)
}

fn parsed<T: for<'d> Deserialize<'d>>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Returns the message of an error in a line, without the line number, which is always 1.
fn place(error: &serde_json::Error) -> String {
    error.to_string().replace("line 1 column", "column")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(kind: &str, edits: &[(u32, u32, &str)]) -> Offer {
        let edit = |&(start, end, text): &(u32, u32, &str)| {
            Edit::replace(Span::new(start, end), text.as_bytes().to_vec())
        };
        Offer::Edits { kind: kind.into(), edits: edits.iter().map(edit).collect() }
    }

    #[test]
    fn edits_and_texts_are_read_line_by_line() {
        let answer = b"{\"edits\":[{\"start\":4,\"end\":5},{\"start\":0,\"end\":1,\"text\":\"x\"}]}\n\n\
            {\"type\":\"call\",\"edits\":[{\"start\":2,\"end\":2,\"text\":\"\"}]}\r\n{\"text\":\"a\\n\"}";
        let read = read(answer, b"012345");
        assert_eq!(read.notes, Vec::<String>::new());
        let text = Offer::Text((*b"a\n").into());
        assert_eq!(read.offers, [edits("", &[(0, 1, "x"), (4, 5, "")]), edits("call", &[(2, 2, "")]), text]);
    }

    #[test]
    fn the_hints_of_c_vise_are_read_after_their_header() {
        let answer = b"{\"format\":\"cvise_hints_v0\",\"pass_name\":\"lines\"}\n[\"f\",\"0\",\"@ref\"]\n\
            {\"p\":[{\"l\":0,\"r\":2},{\"l\":4,\"r\":5,\"v\":1}],\"t\":0}\n{\"p\":[{\"l\":1,\"r\":2}],\"t\":2,\"e\":1}\n\
            {\"p\":[{\"l\":0,\"r\":4},{\"l\":1,\"r\":2}]}\n";
        let read = read(answer, b"012345");
        assert_eq!(read.notes, Vec::<String>::new());
        assert_eq!(read.offers, [edits("f", &[(0, 2, ""), (4, 5, "0")]), edits("", &[(0, 4, "")])]);
    }

    #[test]
    fn a_line_that_makes_no_sense_is_told_with_its_number_and_left_out() {
        let wrong = [
            ("nonsense", "invalid JSON"),
            ("7", "expected an object"),
            ("[\"a\"]", "expected an object"),
            ("{\"edits\":[]}", "empty"),
            ("{\"edits\":[{\"start\":3,\"end\":2}]}", "invalid span 3 to 2"),
            ("{\"edits\":[{\"start\":3,\"end\":9}]}", "span 3 to 9 is outside the current best of 6 bytes"),
            ("{\"edits\":[{\"start\":-1,\"end\":2}]}", "integer"),
            ("{\"edits\":[{\"start\":1,\"stop\":2}]}", "unknown field `stop`"),
            ("{\"edits\":[{\"start\":1,\"end\":3},{\"start\":2,\"end\":4}]}", "1 to 3 and 2 to 4 overlap"),
            ("{\"text\":7}", "string"),
            ("{\"p\":[{\"l\":0,\"r\":1}]}", "must come before hints"),
            ("{\"format\":\"cvise_hints_v9\"}", "unknown format `cvise_hints_v9`"),
        ];
        for (line, why) in wrong {
            let read = read(format!("{{\"text\":\"\"}}\n{line}\n").as_bytes(), b"012345");
            assert_eq!(read.offers.len(), 1, "{line}");
            assert_eq!(read.notes.len(), 1, "{line}");
            assert!(read.notes[0].starts_with("line 2 ignored: "), "{:?}", read.notes);
            assert!(read.notes[0].contains(why), "{line}: {:?}", read.notes);
        }
        let header = "{\"format\":\"cvise_hints_v0\"}\n[\"x\",\"rm\"]\n";
        for (line, why) in [
            ("{\"p\":[{\"l\":0}]}", "must have `l` and `r`"),
            ("{\"p\":[{\"l\":0,\"r\":1,\"v\":2}]}", "index 2 is outside the vocabulary of 2 words"),
            ("{\"p\":[{\"p\":0,\"o\":1}]}", "the input is a single file"),
            ("{\"p\":[{\"l\":0,\"r\":1,\"o\":0}]}", "unknown operation `x`"),
        ] {
            let read = read(format!("{header}{line}\n").as_bytes(), b"012345");
            assert_eq!(read.offers, []);
            assert!(read.notes[0].contains("line 3") && read.notes[0].contains(why), "{:?}", read.notes);
        }
    }

    #[test]
    fn the_queries_of_shrinkrays_reducers_are_whole_texts() {
        let answer = b"{\"content\":\"AP9hYg==\"}\n{\"content\":\"+/8=\"}\n{\"content\":\"\"}\n{\"content\":\"YWJj\"}\n{\"idle\":true}\n";
        let read = read(answer, b"012345");
        assert_eq!(read.notes, Vec::<String>::new());
        let texts = [&b"\0\xffab"[..], b"\xfb\xff", b"", b"abc"];
        assert_eq!(read.offers, texts.map(|text| Offer::Text(text.into())));
        for content in ["YW", "Y!==", "YWJ\\n"] {
            let line = format!("{{\"content\":\"{content}\"}}");
            let read = super::read(line.as_bytes(), b"");
            assert!(read.notes[0].contains("not valid Base64"), "{line}: {:?}", read.notes);
        }
    }

    /// Returns an archive of two files in a directory, and their positions.
    fn several() -> (&'static [u8], [FilePlace; 3]) {
        let place = |path: &str, all: (u32, u32), content: Option<(u32, u32)>| FilePlace {
            path: path.into(),
            all: Some(Span::new(all.0, all.1)),
            content: content.map(|(start, end)| Span::new(start, end)),
        };
        let places = [
            place("d", (0, 20), None),
            place("d/a.h", (2, 10), Some((4, 10))),
            place("d/b.c", (10, 20), Some((12, 20))),
        ];
        (b"--==aaaaaa==bbbbbbbb", places)
    }

    #[test]
    fn of_several_files_each_edit_says_which_it_is_of() {
        let (best, places) = several();
        let answer = b"{\"edits\":[{\"file\":\"d/b.c\",\"start\":0,\"end\":2},{\"file\":\"d/a.h\",\"remove\":true}]}\n\
            {\"file\":\"d/a.h\",\"text\":\"x\"}";
        let read = read_files(answer, best, &places);
        assert_eq!(read.notes, Vec::<String>::new());
        assert_eq!(read.offers, [edits("", &[(2, 10, ""), (12, 14, "")]), edits("", &[(4, 10, "x")])]);
    }

    #[test]
    fn the_tools_of_c_vise_begin_with_the_vocabulary() {
        let read = read(b"[\"regular\",\";\"]\n\n{\"t\":0,\"p\":[{\"l\":1,\"r\":6,\"v\":1}]}\n", b"012345");
        assert_eq!(read.notes, Vec::<String>::new());
        assert_eq!(read.offers, [edits("regular", &[(1, 6, ";")])]);
    }

    #[test]
    fn the_hints_of_c_vise_name_files_by_the_vocabulary_and_remove_and_paste_them() {
        let (best, places) = several();
        let answer = b"{\"format\":\"cvise_hints_v0\",\"pass_name\":\"InlineIncludesPass\",\"pass_user_visible_name\":\"i\"}\n\
            [\"rm\",\"paste\",\"d/a.h\",\"d/b.c\"]\n{\"p\":[{\"p\":2,\"o\":0}]}\n\
            {\"p\":[{\"p\":3,\"l\":1,\"r\":3,\"o\":1,\"v\":2}]}\n{\"p\":[{\"p\":3,\"l\":0,\"r\":8},{\"p\":2,\"l\":5,\"r\":6}]}\n";
        let read = read_files(answer, best, &places);
        assert_eq!(read.notes, Vec::<String>::new());
        let paste = edits("", &[(13, 15, "aaaaaa")]);
        assert_eq!(read.offers, [edits("", &[(2, 10, "")]), paste, edits("", &[(9, 10, ""), (12, 20, "")])]);
    }

    #[test]
    fn a_line_that_names_no_file_of_several_or_another_is_left_out() {
        let (best, places) = several();
        for (line, why) in [
            ("{\"edits\":[{\"start\":0,\"end\":1}]}", "`file` is missing"),
            ("{\"text\":\"x\"}", "`file` is missing"),
            ("{\"file\":\"a.h\",\"text\":\"x\"}", "no such file: `a.h`"),
            ("{\"file\":\"d\",\"text\":\"x\"}", "`d` is not a regular file"),
            (
                "{\"edits\":[{\"file\":\"d/a.h\",\"start\":0,\"end\":7}]}",
                "span 0 to 7 is outside the file of 6 bytes",
            ),
            ("{\"edits\":[{\"file\":\"d/a.h\"}]}", "must have `start` and `end`"),
        ] {
            let read = read_files(line.as_bytes(), best, &places);
            assert_eq!(read.offers, [], "{line}");
            assert!(read.notes[0].contains(why), "{line}: {:?}", read.notes);
        }
        let stays = [FilePlace { all: None, ..places[1].clone() }];
        let read = read_files(b"{\"edits\":[{\"file\":\"d/a.h\",\"remove\":true}]}", best, &stays);
        assert!(read.notes[0].contains("only files in a directory can be removed"), "{:?}", read.notes);
    }

    #[test]
    fn of_many_lines_that_make_no_sense_a_few_are_told() {
        let read = read(b"x\n".repeat(100).as_slice(), b"");
        assert_eq!(read.notes.len(), TOLD + 1);
        assert_eq!(read.notes[TOLD], "95 more lines ignored");
    }
}
