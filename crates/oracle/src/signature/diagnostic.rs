//! Recognizes ordinary errors of compilers, linters and other tools. Their forms are data:
//! `signatures/errors.toml`.
//!
//! `open.rs` defines which identifiers belong to the input, and replaces them.

use super::clean::{part, regex, try_regex, without_numbers};
use super::form::FormsError;
use super::open::{self, Builtin};
use super::{Signature, SignatureKind};
use regex::{Captures, Regex};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

/// The maximum number of distinct diagnostics in one output.
const MOST: usize = 100;

/// The table before compilation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    noise: Vec<String>,
    cuts: Vec<String>,
    syntax: String,
    builtin: String,
    same: BTreeMap<String, String>,
    form: Vec<Row>,
}

/// One form before compilation. Its name is for readers, its sample for a test.
#[derive(Deserialize)]
struct Row {
    #[cfg(test)]
    name: String,
    pattern: String,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    plain: bool,
    #[cfg(test)]
    sample: String,
    #[cfg(test)]
    title: String,
}

/// The compiled table.
struct Forms {
    noise: Vec<Regex>,
    cuts: Vec<Regex>,
    syntax: Regex,
    builtin: Builtin,
    same: BTreeMap<String, String>,
    all: Vec<Form>,
}

#[derive(Debug)]
struct Form {
    pattern: Regex,
    names: Vec<Regex>,
    is_plain: bool,
}

/// The forms of ordinary errors that the user has added.
#[derive(Debug)]
pub(super) struct Diagnostics(Vec<Form>);

/// The compiled forms of `errors.toml`.
static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new(table()));

fn table() -> Table {
    toml::from_str(include_str!("../../signatures/errors.toml")).expect("the table is valid")
}

/// A diagnostic. `is_plain` is true if its form is too unspecific to indicate a failure other than the wanted
/// one.
pub(super) struct Found {
    pub signature: Signature,
    pub is_plain: bool,
}

/// Finds the diagnostics in two outputs, in the order of the forms. The lines with the given numbers are
/// skipped.
pub(super) fn find(texts: [(&str, &HashSet<usize>); 2], added: Option<&Diagnostics>) -> Vec<Found> {
    let skipped = texts.map(|(text, lines)| starts(text, lines));
    let texts = texts.map(|(text, _)| text);
    let mut claimed: Vec<HashSet<usize>> = skipped.to_vec();
    let mut found: Vec<Found> = Vec::new();
    for form in added.iter().flat_map(|added| &added.0).chain(&FORMS.all) {
        for (text, claimed) in texts.iter().zip(&mut claimed) {
            for captures in form.pattern.captures_iter(text) {
                let start = captures.get(0).map_or(0, |all| all.start());
                let line = text[start..].lines().next().unwrap_or_default();
                if claimed.insert(start) && found.len() < MOST && !FORMS.is_noise(line) {
                    found.push(FORMS.read(form, &captures));
                }
            }
        }
    }
    found.retain(|found| !found.signature.message.is_empty());
    found
}

/// Returns the offsets of the lines with these numbers.
fn starts(text: &str, numbers: &HashSet<usize>) -> HashSet<usize> {
    let lines = text.lines().enumerate().filter(|(number, _)| numbers.contains(number));
    lines.map(|(_, line)| line.as_ptr() as usize - text.as_ptr() as usize).collect()
}

/// Returns the words that never are identifiers of the input.
pub(super) fn builtin() -> &'static Builtin {
    &FORMS.builtin
}

/// Returns whether a message is about the syntax of the input.
pub(super) fn is_about_syntax(message: &str) -> bool {
    let said = message.split_once(": ").map_or(message, |(_, said)| said);
    FORMS.syntax.is_match(message) || FORMS.syntax.is_match(said)
}

/// Returns the token at a column of a line, or the first token after the whitespace there.
fn token(line: &str, column: usize) -> Option<&str> {
    let at = line.char_indices().nth(column)?.0;
    let rest = line[at..].trim_start();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first = rest.chars().next()?;
    let end = if is_word(first) { rest.find(|c| !is_word(c)) } else { Some(first.len_utf8()) };
    Some(&rest[..end.unwrap_or(rest.len())])
}

impl Forms {
    fn new(table: Table) -> Self {
        let all = |patterns: &[String]| patterns.iter().map(|pattern| regex(pattern)).collect();
        let form = |row: &Row| Form {
            pattern: regex(&format!("(?m){}", row.pattern)),
            names: all(&row.names),
            is_plain: row.plain,
        };
        Self {
            noise: all(&table.noise),
            cuts: all(&table.cuts),
            syntax: regex(&table.syntax),
            builtin: Builtin::new(&table.builtin),
            all: table.form.iter().map(form).collect(),
            same: table.same,
        }
    }

    fn is_noise(&self, line: &str) -> bool {
        self.noise.iter().any(|noise| noise.is_match(line))
    }

    fn read(&self, form: &Form, captures: &Captures<'_>) -> Found {
        let group = |name| captures.name(name).map_or("", |found| found.as_str());
        let mut values = Vec::new();
        let said = self.open(form, group("said").trim(), &mut values);
        let detail = self.open(form, group("detail"), &mut values);
        let code = group("code");
        let code = self.same.get(code).map_or(code, String::as_str);
        let at = group("column").parse().ok().and_then(|column| token(group("source"), column));
        let at = at.map(|token| if self.builtin.is_own(token) { super::OPEN } else { token });
        let parts = [code, &without_numbers(&said), &without_numbers(&detail), at.unwrap_or_default()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let signature = Signature { values, ..Signature::new(SignatureKind::Diagnostic, parts.join(": ")) };
        Found { signature, is_plain: form.is_plain }
    }

    /// Replaces the identifiers of the input in a message, and adds them to `values`.
    fn open(&self, form: &Form, said: &str, values: &mut Vec<String>) -> String {
        let mut said = said.to_owned();
        for cut in &self.cuts {
            said = cut.replace(&said, "").into_owned();
        }
        for names in &form.names {
            said = opened_groups(names, &said, values);
        }
        open::quoted(&said, &self.builtin, values)
    }
}

impl Diagnostics {
    /// Compiles forms: each has an expression, expressions for identifiers, and whether it is unspecific.
    pub fn added(rows: &[(String, Vec<String>, bool)]) -> Result<Self, FormsError> {
        let read = |pattern: &str| try_regex(pattern).map_err(|error| FormsError::of(pattern, &error));
        let form = |(pattern, names, is_plain): &(String, Vec<String>, bool)| {
            read(pattern)?;
            Ok(Form {
                pattern: read(&format!("(?m){pattern}"))?,
                names: names.iter().map(|pattern| read(pattern)).collect::<Result<_, _>>()?,
                is_plain: *is_plain,
            })
        };
        rows.iter().map(form).collect::<Result<_, _>>().map(Self)
    }
}

/// Replaces the groups of an expression, and adds them to `values`.
pub(super) fn opened_groups(names: &Regex, said: &str, values: &mut Vec<String>) -> String {
    let mut opened = String::new();
    let mut at = 0;
    for found in names.captures_iter(said) {
        for number in 1..found.len() {
            let Some(group) = found.get(number).filter(|_| FORMS.builtin.is_own(part(&found, number))) else {
                continue;
            };
            // Quoted text is handled by `open::quoted`.
            if group.as_str().starts_with(open::QUOTES) {
                continue;
            }
            opened.push_str(&said[at..group.start()]);
            opened.push_str(super::OPEN);
            values.push(group.as_str().to_owned());
            at = group.end();
        }
    }
    opened + &said[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_reads_its_own_sample() {
        for (row, form) in table().form.iter().zip(&FORMS.all) {
            assert!(form.pattern.is_match(row.sample.trim_start_matches('\n')), "{}", row.name);
            let found = Signature::diagnostics(row.sample.as_bytes(), b"");
            let titles: Vec<String> = found.iter().map(Signature::title).collect();
            assert_eq!(titles, [row.title.as_str()], "{}", row.name);
        }
    }

    #[test]
    fn what_a_tool_really_writes_is_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/signature/samples");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let (expected, output) = text.split_once("\n---\n").expect("titles, then what was written");
            let expected: Vec<&str> = expected.lines().skip(1).collect();
            let all = Signature::all(output.as_bytes(), b"", &[]);
            let found = if all.is_empty() { Signature::diagnostics(output.as_bytes(), b"") } else { all };
            let titles: Vec<String> = found.iter().map(Signature::title).collect();
            assert_eq!(titles, expected, "{}", path.display());
            count += 1;
        }
        assert!(count > 20, "{count} samples");
    }
}
