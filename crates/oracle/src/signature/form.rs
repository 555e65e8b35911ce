//! The forms of messages. They are data: `signatures/failures.toml`, `signatures/errors.toml`, and additions
//! of the user.

use super::SignatureKind;
use super::clean::try_regex;
use super::diagnostic::Diagnostics;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// A list of forms before compilation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    signature: Vec<Row>,
}

/// One form before compilation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table")]
struct Row {
    #[serde(default)]
    name: String,
    kind: SignatureKind,
    pattern: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    near: BTreeMap<String, String>,
    #[serde(default)]
    stack: Where,
    #[serde(default)]
    opens: Option<String>,
    #[serde(default)]
    cause: Option<String>,
    #[serde(default)]
    with: Option<String>,
    #[serde(default)]
    needs: Needs,
    #[serde(default)]
    unless: Option<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    verbatim: bool,
    #[serde(default)]
    inside: bool,
    #[serde(default)]
    generic: bool,
    #[serde(default)]
    plain: bool,
    #[serde(default)]
    sample: String,
    #[serde(default)]
    shown: String,
}

/// The position and the meaning of the stack of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Where {
    /// There is no stack, or it does not identify the failure.
    #[default]
    None,
    /// Below the message; its lines identify the failure.
    Below,
    /// Below the message; only its functions identify the failure, because the lines vary.
    Functions,
}

/// The additional information that is required for a match to be a failure of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Needs {
    /// No additional information.
    #[default]
    Nothing,
    /// A location in the source of the program, or a stack.
    Place,
    /// A stack.
    Stack,
}

/// A compiled form.
#[derive(Debug)]
pub(super) struct Form {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name it"))]
    pub name: String,
    pub kind: SignatureKind,
    /// Matches from the start of a line.
    pub pattern: Regex,
    pub title: Title,
    /// Groups that are searched in the surrounding lines.
    pub near: Vec<(String, Regex)>,
    pub stack: Where,
    /// Matches the line above the stack, if the message is below its stack.
    pub opens: Option<Regex>,
    /// Matches the line about the cause of the failure, below it.
    pub cause: Option<Regex>,
    /// Must match one of the following lines.
    pub with: Option<Regex>,
    pub needs: Needs,
    /// If this matches the output, the form is ignored.
    pub unless: Option<Regex>,
    /// The groups of these expressions are identifiers of the input outside of quotes.
    pub names: Vec<Regex>,
    /// Whether the text is kept unchanged.
    pub is_verbatim: bool,
    /// Whether the message is always about the code of the candidate.
    pub is_inside: bool,
    /// Whether the form matches words, not the messages of a certain program.
    pub is_generic: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read it"))]
    pub sample: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read it"))]
    pub shown: String,
}

/// The title of a form: literal text, `{group}`, and `[parts]` that are omitted if a group in them is empty.
#[derive(Debug)]
pub(super) struct Title(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    Group(String),
    Optional(Vec<Part>),
}

/// Forms of messages that a user has added to the known ones.
///
/// They are tables `[[signature]]` in TOML, like the built-in ones; `docs/guide/failure.md` describes the
/// keys.
///
/// ```
/// use nubbin_oracle::signature::{Forms, Reader};
///
/// let forms = Forms::new(r#"
///     [[signature]]
///     kind = "compiler"
///     pattern = 'frob: broken invariant (?<condition>.+) at (?<file>\S+):(?<line>\d+)$'
///     title = "invariant `{condition}`"
/// "#)?;
/// let reader = Reader::new(Vec::new()).with(&forms);
/// let found = reader.all(b"", b"frob: broken invariant n > 0 at src/frob.c:12\n");
/// assert_eq!(found[0].title(), "invariant `n > 0`, in frob.c:12");
/// # Ok::<(), nubbin_oracle::signature::FormsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Forms(Option<Arc<Added>>);

#[derive(Debug)]
struct Added {
    text: String,
    failures: Vec<Form>,
    errors: Option<Diagnostics>,
}

/// An error in a list of forms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormsError(String);

/// The compiled forms of `failures.toml`.
static KNOWN: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let text = include_str!("../../signatures/failures.toml");
    let list: List = toml::from_str(text).expect("the table is valid");
    list.signature.iter().map(|row| Form::new(row).expect("the form is valid")).collect()
});

/// Returns the known forms of failures.
pub(super) fn known() -> &'static [Form] {
    &KNOWN
}

impl Forms {
    /// Parses forms in TOML.
    ///
    /// # Errors
    /// Returns an error if the text is not a list of forms, or if an expression is invalid.
    pub fn new(text: &str) -> Result<Self, FormsError> {
        let list: List = toml::from_str(text).map_err(|error| FormsError(error.message().to_owned()))?;
        let of = |row: &&Row| row.kind == SignatureKind::Diagnostic;
        let (errors, failures): (Vec<&Row>, Vec<&Row>) = list.signature.iter().partition(of);
        let failures = failures.into_iter().map(Form::new).collect::<Result<Vec<_>, _>>()?;
        let rows: Vec<_> =
            errors.iter().map(|row| (row.pattern.clone(), row.names.clone(), row.plain)).collect();
        let errors = (!rows.is_empty()).then(|| Diagnostics::added(&rows)).transpose()?;
        Ok(Self(Some(Arc::new(Added { text: text.to_owned(), failures, errors }))))
    }

    /// Returns the TOML text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.as_ref().map_or("", |added| &added.text)
    }

    /// Returns whether there are no additional forms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether a line can belong to a failure with one of these forms.
    pub(super) fn may_match(&self, line: &str) -> bool {
        let opens = |form: &Form| form.opens.as_ref().is_some_and(|opens| opens.is_match(line));
        self.failures().iter().any(|form| form.pattern.is_match(line) || opens(form))
    }

    pub(super) fn failures(&self) -> &[Form] {
        self.0.as_ref().map_or(&[], |added| &added.failures)
    }

    pub(super) fn errors(&self) -> Option<&Diagnostics> {
        self.0.as_ref()?.errors.as_ref()
    }
}

impl PartialEq for Forms {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Forms {}

impl FormsError {
    /// Creates the error for an invalid expression.
    pub(super) fn of(pattern: &str, error: &regex::Error) -> Self {
        let text = error.to_string();
        let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Self(format!("the expression `{pattern}` is not valid: {why}"))
    }
}

impl Form {
    fn new(row: &Row) -> Result<Self, FormsError> {
        let read = |pattern: &str| try_regex(pattern).map_err(|error| FormsError::of(pattern, &error));
        // Checked first, so that an error shows the expression as it was written.
        read(&row.pattern)?;
        let optional = |pattern: &Option<String>| pattern.as_deref().map(read).transpose();
        let title = row.title.as_deref().unwrap_or("{said}");
        Ok(Self {
            name: row.name.clone(),
            kind: row.kind,
            pattern: read(&format!(r"\A(?m:{})", row.pattern))?,
            title: Title::new(title),
            near: row
                .near
                .iter()
                .map(|(group, pattern)| Ok((group.clone(), read(pattern)?)))
                .collect::<Result<_, FormsError>>()?,
            stack: row.stack,
            opens: optional(&row.opens)?,
            cause: optional(&row.cause)?,
            with: optional(&row.with)?,
            needs: row.needs,
            unless: optional(&row.unless)?,
            names: row.names.iter().map(|pattern| read(pattern)).collect::<Result<_, _>>()?,
            is_verbatim: row.verbatim,
            is_inside: row.inside,
            is_generic: row.generic,
            sample: row.sample.clone(),
            shown: row.shown.clone(),
        })
    }
}

impl Form {
    /// Returns whether the form takes precedence over failing tests.
    pub fn comes_early(&self) -> bool {
        !self.is_generic
            && !matches!(self.kind, SignatureKind::Panic | SignatureKind::Exception | SignatureKind::Console)
    }
}

impl Title {
    fn new(text: &str) -> Self {
        Self(parts(&mut text.chars().peekable(), false))
    }

    /// Inserts the groups into the title.
    pub fn fill(&self, group: &dyn Fn(&str) -> String) -> String {
        fill(&self.0, group).0
    }
}

fn parts(text: &mut std::iter::Peekable<std::str::Chars<'_>>, is_inner: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    while let Some(c) = text.next() {
        match c {
            '{' => parts.push(Part::Group(text.by_ref().take_while(|&c| c != '}').collect())),
            '[' => parts.push(Part::Optional(self::parts(text, true))),
            ']' if is_inner => break,
            c => match parts.last_mut() {
                Some(Part::Text(before)) => before.push(c),
                _ => parts.push(Part::Text(c.to_string())),
            },
        }
    }
    parts
}

/// Returns the text of some parts, and whether all their groups are non-empty.
fn fill(parts: &[Part], group: &dyn Fn(&str) -> String) -> (String, bool) {
    let (mut filled, mut is_whole) = (String::new(), true);
    for part in parts {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Group(name) => {
                let text = group(name);
                is_whole = is_whole && !text.is_empty();
                filled.push_str(&text);
            }
            Part::Optional(parts) => {
                if let (text, true) = fill(parts, group) {
                    filled.push_str(&text);
                }
            }
        }
    }
    (filled, is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_title_whose_groups_are_empty_are_left_out() {
        let title = Title::new("{tool} ICE: {said}[ (pass {pass})][: {error}]");
        let group = |name: &str| if name == "error" { String::new() } else { name.to_uppercase() };
        assert_eq!(title.fill(&group), "TOOL ICE: SAID (pass PASS)");
    }

    #[test]
    fn forms_that_make_no_sense_are_refused_with_the_reason() {
        let error = |text: &str| Forms::new(text).expect_err("it makes no sense").to_string();
        assert!(error("[[signature]]\nkind = 'panic'\n").contains("missing field `pattern`"));
        assert!(error("[[signature]]\nkind = 'panik'\npattern = 'x'\n").contains("unknown variant `panik`"));
        assert!(
            error("[[signature]]\nkind = 'panic'\npattern = '('\n").contains("`(` is not valid"),
            "{}",
            error("[[signature]]\nkind = 'panic'\npattern = '('\n")
        );
    }
}
