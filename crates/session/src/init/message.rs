//! Chooses the parts of a message that a script can search for: texts that every run prints unchanged.
//!
//! The module `line` finds the line that names the failure; `garbage` tests whether a choice distinguishes the
//! failure from garbage.

use super::line;
use crate::baseline::Baseline;
use crate::message::Message;
use crate::settings::Settings;
use nubbin_oracle::CommandRun;
use nubbin_oracle::signature::Signature;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Tuned parameters.
struct Tuning {
    /// The shortest part that is used, in characters. Shorter parts are not specific enough.
    part_characters: usize,
    /// The largest number of choices.
    choices: usize,
}

const TUNING: Tuning = Tuning { part_characters: 6, choices: 24 };

/// Stands for the words of a message that vary.
const OPEN: &str = "…";

/// A word that contains a position or a duration, which varies with the input or from run to run.
static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[(\[]?\d+(?:[:,]\d+)+[)\],:]*$|^\d+(?:\.\d+)?m?s$|^\S*\(\d+,\d+\):?$|^\S+:\d+(?::\d+)?:?$")
        .expect("the pattern is valid")
});

/// Texts that must all occur in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageChoice {
    pub texts: Vec<String>,
    /// The failure has a known form, so that equal texts mean the same failure.
    pub is_known: bool,
}

/// Returns the choices of texts for a script, the best first. If no message can be kept, there is one choice without
/// texts.
pub fn choices(settings: &Settings, first: &Baseline<'_>, runs: &[CommandRun; 2]) -> Vec<MessageChoice> {
    if settings.test.message == Message::None {
        return vec![nothing()];
    }
    let outputs = runs.each_ref().map(output);
    let own = settings.own_names();
    let is_kept = first.failure.as_ref().is_some_and(|failure| failure.message.is_some());
    let learned = first.learned.message.as_ref().filter(|_| is_kept);
    // If a message has open words, too little remains to search for, and its whole line is more specific.
    let learned = learned.filter(|learned| !learned.message().contains(OPEN));
    let known = learned.map(|learned| known(learned, &outputs, &own)).filter(|texts| !texts.is_empty());
    let mut all: Vec<MessageChoice> =
        known.map(|texts| MessageChoice { texts, is_known: true }).into_iter().collect();
    for texts in line::telling(&outputs[0]).into_iter().flat_map(|line| of_line(line, &outputs, &own)) {
        if !all.iter().any(|choice| choice.texts == texts) {
            all.push(MessageChoice { texts, is_known: false });
        }
    }
    all.truncate(TUNING.choices);
    if all.is_empty() { vec![nothing()] } else { all }
}

fn nothing() -> MessageChoice {
    MessageChoice { texts: Vec::new(), is_known: false }
}

/// Returns the output of a run as a script sees it.
pub fn output(run: &CommandRun) -> String {
    let output = [run.stdout.as_slice(), b"\n", run.stderr.as_slice()].concat();
    String::from_utf8_lossy(&output).into_owned()
}

/// Returns the texts of a failure in a known form.
fn known(signature: &Signature, outputs: &[String; 2], own: &[String]) -> Vec<String> {
    let message = literal(signature.message(), outputs, own);
    let frame = signature.frames().first().filter(|frame| {
        frame.len() >= TUNING.part_characters && outputs.iter().all(|output| output.contains(frame.as_str()))
    });
    let frame =
        frame.filter(|frame| !message.as_ref().is_some_and(|message| message.contains(frame.as_str())));
    message.into_iter().chain(frame.cloned()).collect()
}

/// Returns the texts of a line: its longest part alone, and then all of its parts.
fn of_line(line: &str, outputs: &[String; 2], own: &[String]) -> Vec<Vec<String>> {
    let parts = parts(line, outputs, own);
    let Some(longest) = parts.iter().max_by_key(|part| part.len()).cloned() else { return Vec::new() };
    if parts.len() == 1 { vec![parts] } else { vec![vec![longest], parts] }
}

/// Returns the parts of a line that are in every output, without names of the input, positions and durations.
fn parts(line: &str, outputs: &[String; 2], own: &[String]) -> Vec<String> {
    let changes = |word: &str| {
        own.iter().any(|name| names(word, name))
            || CHANGES.is_match(word)
            || !outputs.iter().all(|output| output.contains(word))
    };
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    for word in words(line) {
        match stretches.last_mut().filter(|_| is_open) {
            _ if changes(&line[word.clone()]) => is_open = false,
            Some(stretch) => stretch.end = word.end,
            None => {
                stretches.push(word);
                is_open = true;
            }
        }
    }
    let texts = stretches.into_iter().map(|stretch| text(&line[stretch]));
    let is_enough = |text: &String| {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let says_enough =
            letters >= TUNING.part_characters && (text.contains(' ') || letters > 2 * TUNING.part_characters);
        says_enough && outputs.iter().all(|output| output.contains(text.as_str()))
    };
    texts.filter(is_enough).collect()
}

/// Returns whether a word contains a name that is not part of a longer one.
fn names(word: &str, name: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = word.match_indices(name).filter(|(_, found)| !found.is_empty());
    places.any(|(at, _)| !word[..at].ends_with(is_inside) && !word[at + name.len()..].starts_with(is_inside))
}

/// Returns a text without decorations at its ends, such as the `E` of pytest.
fn text(stretch: &str) -> String {
    let stretch = stretch.strip_prefix("E  ").unwrap_or(stretch);
    stretch
        .trim()
        .trim_start_matches([':', ',', '|', '>', '-'])
        .trim_end_matches([':', ','])
        .trim()
        .to_owned()
}

/// Returns the byte ranges of the words of a line.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> {
    line.split_whitespace().map(move |word| {
        let from = word.as_ptr() as usize - line.as_ptr() as usize;
        from..from + word.len()
    })
}

/// Returns the longest part of a message that is in a line of every output and contains no name of the input.
fn literal(message: &str, outputs: &[String; 2], own: &[String]) -> Option<String> {
    let lines = outputs[0].lines().filter(|line| line.len() < 10_000);
    let parts = lines.filter_map(|line| common(message, line));
    let parts = parts.flat_map(|part| without(&part, own));
    let is_kept = |part: &String| {
        part.chars().count() >= TUNING.part_characters
            && outputs.iter().all(|output| output.contains(part.as_str()))
    };
    parts.filter(is_kept).max_by_key(String::len)
}
/// Returns the parts around names.
fn without(part: &str, own: &[String]) -> Vec<String> {
    let mut parts = vec![part.to_owned()];
    for name in own.iter().filter(|name| !name.is_empty()) {
        parts = parts.iter().flat_map(|part| part.split(name.as_str()).map(str::to_owned)).collect();
    }
    parts.iter().map(|part| part.trim_matches([' ', ':', ',']).to_owned()).collect()
}

/// Returns the longest common text that consists of whole words of `line`.
fn common(message: &str, line: &str) -> Option<String> {
    let (message, line): (Vec<char>, Vec<char>) = (message.chars().collect(), line.chars().collect());
    let mut before = vec![0_usize; line.len() + 1];
    let (mut length, mut end) = (0, 0);
    for one in &message {
        let mut now = vec![0; line.len() + 1];
        for (at, other) in line.iter().enumerate() {
            if one == other {
                now[at + 1] = before[at] + 1;
                if now[at + 1] > length {
                    (length, end) = (now[at + 1], at + 1);
                }
            }
        }
        before = now;
    }
    let (mut from, mut to) = (end - length, end);
    let is_word = |at: usize| line.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    while from < to && from > 0 && is_word(from - 1) && is_word(from) {
        from += 1;
    }
    while to > from && is_word(to) && is_word(to - 1) {
        to -= 1;
    }
    let text: String = line[from..to].iter().collect();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_not_looked_for() {
        let outputs =
            ["bug.c:3: internal error: in fold, at x.cc:77", "bug.c:3: internal error: in fold, at x.cc:78"];
        let found = literal("gcc ICE: in fold, at x.cc", &outputs.map(str::to_owned), &["bug.c".to_owned()]);
        assert_eq!(found.as_deref(), Some("in fold, at x.cc"));
        let outputs = ["cannot read bug.c as numbers"; 2].map(str::to_owned);
        let found = literal("cannot read bug.c as numbers", &outputs, &["bug.c".to_owned()]);
        assert_eq!(found.as_deref(), Some("cannot read"));
        assert_eq!(literal("short", &["short", "short"].map(str::to_owned), &[]), None);
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(common("the length is N", "panic: the lengths are 3").as_deref(), Some("the"));
    }

    #[test]
    fn a_line_is_looked_for_without_names_places_and_times() {
        let own = ["a.py".to_owned()];
        let of = |line: &str| parts(line, &[line.to_owned(), line.to_owned()], &own);
        assert_eq!(
            of("error: cannot format a.py: Cannot parse: 1:5: type X = int"),
            ["error: cannot format", "Cannot parse", "type X = int"]
        );
        assert_eq!(of("x/a.py(3,5): error TS1005: ';' expected."), ["error TS1005: ';' expected."]);
        assert_eq!(of("E       assert 4 == 3"), ["assert 4 == 3"]);
        assert_eq!(of("error: data.py is there"), ["error: data.py is there"]);
        assert_eq!(of("b.rs:1:26"), [""; 0]);
        assert_eq!(of("FAILED a.py::test - no in 0.02s"), [""; 0]);
        let line = |number: u32| format!("error: no such thing in /tmp/{number}/x");
        assert_eq!(parts(&line(1), &[line(1), line(2)], &own), ["error: no such thing in"]);
    }
}
