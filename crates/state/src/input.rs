//! Locates values of a program in its input.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A text of at most this length is located only if it occurs once.
const SHORT: usize = 1;

/// The inputs of a program: files, standard input, and arguments.
#[derive(Clone, Debug, Default)]
pub struct Inputs(Vec<Input>);

#[derive(Clone, Debug)]
struct Input {
    name: String,
    text: String,
    is_file: bool,
}

/// A position in the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The name of the file, or a description of another input.
    pub input: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The number of occurrences of the text; the position is the first.
    pub places: usize,
    /// The input is a file, so that line and column are meaningful.
    pub is_file: bool,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.input)?;
        if self.is_file {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if self.places > 1 {
            write!(f, " (first of {})", self.places)?;
        }
        Ok(())
    }
}

impl Inputs {
    /// Adds a file.
    pub fn file(&mut self, name: &str, content: &[u8]) {
        let text = String::from_utf8_lossy(content).replace("\r\n", "\n");
        self.0.push(Input { name: name.to_owned(), text, is_file: true });
    }

    /// Adds a command-line argument.
    pub fn word(&mut self, word: &str) {
        let name = format!("the argument `{word}`");
        self.0.push(Input { name, text: word.to_owned(), is_file: false });
    }

    /// Locates a text by its start and its length in characters.
    #[must_use]
    pub fn text(&self, beginning: &str, length: usize) -> Option<Position> {
        self.find(beginning, length, 0)
    }

    /// Locates a character of a text.
    #[must_use]
    pub fn part(&self, beginning: &str, length: usize, index: usize) -> Option<Position> {
        self.find(beginning, length, index)
    }

    /// Locates a number that occurs exactly once as a separate word.
    #[must_use]
    pub fn number(&self, digits: &str) -> Option<Position> {
        let is_number = digits.parse::<f64>().is_ok() && digits.len() > SHORT;
        if !is_number {
            return None;
        }
        let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '.' && c != '_');
        self.0.iter().find_map(|input| {
            let mut found = input.text.match_indices(digits).filter(|(at, _)| {
                is_apart(input.text[..*at].chars().next_back())
                    && is_apart(input.text[at + digits.len()..].chars().next())
            });
            let (at, _) = found.next()?;
            found.next().is_none().then(|| input.position(at, 0, 1))
        })
    }

    fn find(&self, beginning: &str, length: usize, index: usize) -> Option<Position> {
        if beginning.is_empty() {
            return None;
        }
        let is_cut = beginning.chars().count() < length;
        self.0.iter().find_map(|input| {
            let found: Vec<usize> = input
                .text
                .match_indices(beginning)
                .map(|(at, _)| at)
                .filter(|at| !is_cut || input.text[*at..].chars().count() >= length)
                .collect();
            let is_clear = found.len() == 1 || length > SHORT && found.len() > 1;
            is_clear.then(|| input.position(found[0], index, found.len()))
        })
    }
}

impl Input {
    /// Returns the position `index` characters after a byte offset.
    fn position(&self, at: usize, index: usize, places: usize) -> Position {
        let end = self.text[at..].char_indices().nth(index).map_or(self.text.len(), |(more, _)| at + more);
        let before = &self.text[..end];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        Position { input: self.name.clone(), line, column, places, is_file: self.is_file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Inputs {
        let mut inputs = Inputs::default();
        inputs.file("a.txt", "one\r\ntwo 17 two\nüber [x\n".as_bytes());
        inputs.word("--level=9");
        inputs
    }

    fn shown(position: Option<Position>) -> String {
        position.map(|position| position.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_text_is_located_by_line_and_column_in_characters() {
        assert_eq!(shown(inputs().text("[x", 2)), "a.txt:3:6");
        assert_eq!(shown(inputs().text("two", 3)), "a.txt:2:1 (first of 2)");
        assert_eq!(shown(inputs().text("three", 5)), "");
    }

    #[test]
    fn a_single_character_is_located_only_if_it_occurs_once() {
        assert_eq!(shown(inputs().text("[", 1)), "a.txt:3:6");
        assert_eq!(shown(inputs().text("o", 1)), "");
    }

    #[test]
    fn a_character_of_a_text_is_located_even_at_its_end() {
        assert_eq!(shown(inputs().part("two 17 two", 10, 4)), "a.txt:2:5");
        assert_eq!(shown(inputs().part("über [x\n", 8, 8)), "a.txt:4:1");
    }

    #[test]
    fn the_length_of_a_truncated_text_must_match() {
        assert_eq!(shown(inputs().text("two", 15)), "a.txt:2:1");
        assert_eq!(shown(inputs().text("two", 2000)), "");
    }

    #[test]
    fn a_number_is_located_if_it_occurs_once_as_a_separate_word() {
        assert_eq!(shown(inputs().number("17")), "a.txt:2:5");
        assert_eq!(shown(inputs().number("7")), "");
        assert_eq!(shown(inputs().number("two")), "");
    }

    #[test]
    fn an_argument_has_no_line_numbers() {
        assert_eq!(shown(inputs().text("level", 5)), "the argument `--level=9`");
    }
}
