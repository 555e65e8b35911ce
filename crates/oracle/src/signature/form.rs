//! The forms of messages, which are data: `signatures/failures.toml`, `signatures/errors.toml`, and what a user adds.

use super::SignatureKind;
use super::clean::try_regex;
use super::diagnostic::Diagnostics;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// A list of forms as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    signature: Vec<Row>,
}

/// One form as it is written.
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

/// Where the stack of a message stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Where {
    /// There is none, or it says nothing.
    #[default]
    None,
    /// Below the message, and its lines say where the program was.
    Below,
    /// Below the message, and the functions say where the program was; the lines are a matter of chance.
    Functions,
}

/// What has to be known besides the line itself, so that it is a failure of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Needs {
    /// Nothing.
    #[default]
    Nothing,
    /// A place in the program's own source, or a stack.
    Place,
    /// A stack.
    Stack,
}

/// A form, ready to search.
#[derive(Debug)]
pub(super) struct Form {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name it"))]
    pub name: String,
    pub kind: SignatureKind,
    /// Matches from the start of a line.
    pub pattern: Regex,
    pub title: Title,
    /// Groups that are looked for in the lines around the match.
    pub near: Vec<(String, Regex)>,
    pub stack: Where,
    /// Matches the line above the stack, where the message stands below it.
    pub opens: Option<Regex>,
    /// Matches the line about what caused the failure, below it.
    pub cause: Option<Regex>,
    /// Matches a line shortly below.
    pub with: Option<Regex>,
    pub needs: Needs,
    /// Matches where the form says nothing, in the whole text.
    pub unless: Option<Regex>,
    /// Match names of the input that stand outside of quotes: their groups.
    pub names: Vec<Regex>,
    /// The text stays as it is.
    pub is_verbatim: bool,
    /// It is always about the candidate's own code.
    pub is_inside: bool,
    /// It knows words, and no program.
    pub is_generic: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read it"))]
    pub sample: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read it"))]
    pub shown: String,
}

/// The title of a form: literal text, `{group}`, and `[parts]` that are left out if a group in them is empty.
#[derive(Debug)]
pub(super) struct Title(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    Group(String),
    Optional(Vec<Part>),
}

/// Forms of messages that a user has added to those that are known.
///
/// They are written as the program's own are, as tables `[[signature]]` in TOML; `docs/guide/failure.md` has the keys.
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

/// The forms make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormsError(String);

/// The forms of `failures.toml`, with compiled patterns.
static KNOWN: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let text = include_str!("../../signatures/failures.toml");
    let list: List = toml::from_str(text).expect("the table is valid");
    list.signature.iter().map(|row| Form::new(row).expect("the form is valid")).collect()
});

/// Returns the forms of failures that are known.
pub(super) fn known() -> &'static [Form] {
    &KNOWN
}

impl Forms {
    /// Reads forms, as TOML.
    ///
    /// # Errors
    /// Returns an error if the text is no list of forms, or an expression is not valid.
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

    /// Returns the text that they were read from.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.as_ref().map_or("", |added| &added.text)
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Tells whether a line may be one of a failure that they know.
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
    /// Makes the error that an expression is not valid.
    pub(super) fn of(pattern: &str, error: &regex::Error) -> Self {
        let text = error.to_string();
        let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Self(format!("the expression `{pattern}` is not valid: {why}"))
    }
}

impl Form {
    fn new(row: &Row) -> Result<Self, FormsError> {
        let read = |pattern: &str| try_regex(pattern).map_err(|error| FormsError::of(pattern, &error));
        // An error names the expression as it was written.
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
    /// Tells whether it counts more than a test that fails.
    pub fn comes_early(&self) -> bool {
        !self.is_generic
            && !matches!(self.kind, SignatureKind::Panic | SignatureKind::Exception | SignatureKind::Console)
    }
}

impl Title {
    fn new(text: &str) -> Self {
        Self(parts(&mut text.chars().peekable(), false))
    }

    /// Fills in the groups.
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

/// The text of some parts, and whether all groups in it have one.
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
