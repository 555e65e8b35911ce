//! What a program outside proposes for a best: edits and whole texts, and the JSON lines that say so.
//!
//! It starts no program, and judges nothing.

use crate::edit::{Edit, Patch, Span};
use serde::Deserialize;
use serde_json::Value;

/// What the first line of C-Vise's hints says.
const CVISE: &str = "cvise_hints_v0";
/// How many lines that make no sense are told of one answer.
const TOLD: usize = 5;

/// Something to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Edits that are made together: sorted and disjoint, in terms of the best's bytes.
    Edits {
        /// What sort of edits they are; those of one kind are tried together.
        kind: Box<str>,
        /// The edits.
        edits: Vec<Edit>,
    },
    /// A whole text, which takes the best's place.
    Text(Box<[u8]>),
}

/// What was proposed for a best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What is to be tried.
    pub offers: Vec<Offer>,
    /// What the user should know, such as lines that make no sense: sentences without a final period.
    pub notes: Vec<String>,
}

/// Proposes what to try.
///
/// It is asked for each best that is true, in order, and never ahead. A reduction repeats itself if the proposer says the
/// same of the same best each time.
pub trait Proposer {
    /// What to try on this best.
    fn propose(&self, best: &[u8]) -> Answer;
}

impl<F: Fn(&[u8]) -> Vec<Offer>> Proposer for F {
    fn propose(&self, best: &[u8]) -> Answer {
        Answer { offers: self(best), notes: Vec::new() }
    }
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
    start: u64,
    end: u64,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    text: String,
}

/// One of C-Vise's hints: patches, and its type by its number in the vocabulary.
#[derive(Deserialize)]
struct Hint {
    #[serde(default)]
    p: Vec<HintPatch>,
    t: Option<usize>,
}

/// Left and right, in bytes; a value, an operation and a path by their numbers in the vocabulary.
#[derive(Deserialize)]
struct HintPatch {
    l: Option<u64>,
    r: Option<u64>,
    v: Option<usize>,
    o: Option<usize>,
    p: Option<usize>,
}

/// Reads JSON lines that propose something for `best`: our own form, or C-Vise's hints after their header.
///
/// A line that makes no sense is left out, and becomes a note with its number.
#[must_use]
pub fn read(answer: &[u8], best: &[u8]) -> Answer {
    let mut reader = Reader { length: best.len() as u64, words: None };
    let (mut read, mut wrong) = (Answer::default(), 0);
    for (number, line) in (1..).zip(answer.split(|&byte| byte == b'\n')) {
        match reader.line(line) {
            Ok(offer) => read.offers.extend(offer),
            Err(why) => {
                wrong += 1;
                if wrong <= TOLD {
                    read.notes.push(format!("line {number} is left out: {why}"));
                }
            }
        }
    }
    if wrong > TOLD {
        read.notes.push(format!("{} more lines are left out", wrong - TOLD));
    }
    read
}

struct Reader {
    /// How many bytes the best has.
    length: u64,
    /// C-Vise's vocabulary, once there was its header.
    words: Option<Vec<String>>,
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<Option<Offer>, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("it cannot be parsed: {}", place(&error)))?;
        let has = |key: &str| value.get(key).is_some();
        match &value {
            Value::Array(_) if self.words.is_some() => {
                self.words = Some(parsed(value)?);
                Ok(None)
            }
            Value::Object(_) if has("format") => self.header(&value).map(|()| None),
            Value::Object(_) if has("edits") => self.edits(parsed(value)?).map(Some),
            Value::Object(_) if has("text") => {
                let Whole { text } = parsed(value)?;
                Ok(Some(Offer::Text(text.into_bytes().into())))
            }
            Value::Object(_) if self.words.is_some() => self.hint(parsed(value)?),
            Value::Object(_) if has("p") => {
                Err(format!("a hint needs the header `{{\"format\":\"{CVISE}\"}}` before it"))
            }
            _ => Err("it is no object with `edits` or `text`".to_owned()),
        }
    }

    fn header(&mut self, header: &Value) -> Result<(), String> {
        let format = header.get("format").and_then(Value::as_str).unwrap_or_default();
        if format != CVISE {
            return Err(format!("the format `{format}` is not known; it can be `{CVISE}`"));
        }
        self.words = Some(Vec::new());
        Ok(())
    }

    fn edits(&self, Edits { edits, kind }: Edits) -> Result<Offer, String> {
        if edits.is_empty() {
            return Err("`edits` is empty".to_owned());
        }
        let edit = |edit: Replaced| Ok(Edit::replace(self.span(edit.start, edit.end)?, edit.text.as_bytes()));
        let mut edits = edits.into_iter().map(edit).collect::<Result<Vec<_>, String>>()?;
        edits.sort_by_key(|edit| edit.span);
        if let Some(pair) = edits.windows(2).find(|pair| pair[0].span.end > pair[1].span.start) {
            let [a, b] = [pair[0].span, pair[1].span];
            return Err(format!("{} to {} and {} to {} overlap", a.start, a.end, b.start, b.end));
        }
        Ok(Offer::Edits { kind: kind.into(), edits })
    }

    fn hint(&self, Hint { p: patches, t: kind }: Hint) -> Result<Option<Offer>, String> {
        let kind = kind.map_or(Ok(""), |kind| self.word(kind))?;
        // Those are for other passes of C-Vise.
        if kind.starts_with('@') || patches.is_empty() {
            return Ok(None);
        }
        let edit = |patch: &HintPatch| {
            if patch.o.is_some() || patch.p.is_some() {
                return Err("it is about files of a directory, and there is one file".to_owned());
            }
            let (Some(left), Some(right)) = (patch.l, patch.r) else {
                return Err("a patch needs `l` and `r`".to_owned());
            };
            let value = patch.v.map_or(Ok(""), |value| self.word(value))?;
            Ok(Edit::replace(self.span(left, right)?, value.as_bytes()))
        };
        let edits = patches.iter().map(edit).collect::<Result<Vec<_>, String>>()?;
        Ok(Some(Offer::Edits { kind: kind.into(), edits: Patch::new(edits).edits().to_vec() }))
    }

    fn word(&self, number: usize) -> Result<&str, String> {
        let words = self.words.as_deref().unwrap_or_default();
        let word = words.get(number).map(String::as_str);
        word.ok_or_else(|| format!("the vocabulary has no {number}; it has {} words", words.len()))
    }

    fn span(&self, start: u64, end: u64) -> Result<Span, String> {
        if start > end {
            return Err(format!("{start} to {end} is no span"));
        }
        if end > self.length {
            return Err(format!("{start} to {end} is outside of the best, which has {} bytes", self.length));
        }
        Ok(Span::new(start as u32, end as u32))
    }
}

fn parsed<T: for<'d> Deserialize<'d>>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// An error in a line, without the number of that line, which is always 1.
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
            ("nonsense", "cannot be parsed"),
            ("7", "no object"),
            ("[\"a\"]", "no object"),
            ("{\"edits\":[]}", "empty"),
            ("{\"edits\":[{\"start\":3,\"end\":2}]}", "3 to 2 is no span"),
            ("{\"edits\":[{\"start\":3,\"end\":9}]}", "3 to 9 is outside of the best, which has 6 bytes"),
            ("{\"edits\":[{\"start\":-1,\"end\":2}]}", "integer"),
            ("{\"edits\":[{\"start\":1,\"stop\":2}]}", "unknown field `stop`"),
            ("{\"edits\":[{\"start\":1,\"end\":3},{\"start\":2,\"end\":4}]}", "1 to 3 and 2 to 4 overlap"),
            ("{\"text\":7}", "string"),
            ("{\"p\":[{\"l\":0,\"r\":1}]}", "needs the header"),
            ("{\"format\":\"cvise_hints_v9\"}", "`cvise_hints_v9` is not known"),
        ];
        for (line, why) in wrong {
            let read = read(format!("{{\"text\":\"\"}}\n{line}\n").as_bytes(), b"012345");
            assert_eq!(read.offers.len(), 1, "{line}");
            assert_eq!(read.notes.len(), 1, "{line}");
            assert!(read.notes[0].starts_with("line 2 is left out: "), "{:?}", read.notes);
            assert!(read.notes[0].contains(why), "{line}: {:?}", read.notes);
        }
        let header = "{\"format\":\"cvise_hints_v0\"}\n[\"x\",\"rm\"]\n";
        for (line, why) in [
            ("{\"p\":[{\"l\":0}]}", "needs `l` and `r`"),
            ("{\"p\":[{\"l\":0,\"r\":1,\"v\":2}]}", "no 2; it has 2 words"),
            ("{\"p\":[{\"p\":0,\"o\":1}]}", "files of a directory"),
        ] {
            let read = read(format!("{header}{line}\n").as_bytes(), b"012345");
            assert_eq!(read.offers, []);
            assert!(read.notes[0].contains("line 3") && read.notes[0].contains(why), "{:?}", read.notes);
        }
    }

    #[test]
    fn of_many_lines_that_make_no_sense_a_few_are_told() {
        let read = read(b"x\n".repeat(100).as_slice(), b"");
        assert_eq!(read.notes.len(), TOLD + 1);
        assert_eq!(read.notes[TOLD], "95 more lines are left out");
    }
}
