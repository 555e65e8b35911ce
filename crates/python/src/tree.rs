//! The syntax tree of a text.

use crate::failure;
use crate::options;
use nubbin_language::Language;
use nubbin_session::Failure;
use nubbin_session::failure::Fault;
use nubbin_session::language::Chosen;
use nubbin_syntax::{NONE, Parser, Tree};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::path::Path;
use std::sync::Arc;

/// A text and its tree.
struct Parsed {
    text: Vec<u8>,
    /// The text was a string.
    is_text: bool,
    tree: Tree,
    language: &'static Language,
}

/// A node of a syntax tree.
#[pyclass(frozen, eq, hash, module = "nubbin", name = "Node")]
pub struct TreeNode {
    parsed: Arc<Parsed>,
    id: u32,
}

impl PartialEq for TreeNode {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.parsed, &other.parsed) && self.id == other.id
    }
}

impl std::hash::Hash for TreeNode {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.parsed), self.id).hash(state);
    }
}

/// Parses a text, and returns the root of its tree.
///
/// # Errors
/// Returns an exception if there is no built-in language with this name, or if the language cannot be
/// detected.
#[pyfunction]
pub fn parse(py: Python<'_>, text: Vec<u8>, is_text: bool, language: Option<String>) -> PyResult<TreeNode> {
    let chosen = options::language(py, language, Path::new("stdin"), &text)?;
    let Chosen::BuiltIn(language) = chosen else {
        let failure = Failure::message(Fault::Language, "the language of the text is unknown")
            .hint("give `language=\"…\"`; `nubbin.languages()` lists all languages");
        return Err(failure::raise(py, &failure));
    };
    let tree = py.detach(|| Tree::new(&Parser::new(language.grammar()).parse(&text), 0));
    Ok(TreeNode { parsed: Arc::new(Parsed { text, is_text, tree, language }), id: 0 })
}

#[pymethods]
impl TreeNode {
    /// The name of its kind in the grammar.
    #[getter]
    fn r#type(&self) -> &str {
        self.parsed.language.grammar().kind_name(self.node().kind)
    }

    /// The position of its first byte in the text, in UTF-8.
    #[getter]
    fn start(&self) -> u32 {
        self.node().span.start
    }

    /// The position after its last byte.
    #[getter]
    fn end(&self) -> u32 {
        self.node().span.end
    }

    /// Its text: a string if a string was parsed, otherwise bytes.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let span = self.node().span;
        let bytes = PyBytes::new(py, &self.parsed.text[span.start as usize..span.end as usize]);
        if !self.parsed.is_text {
            return Ok(bytes.into_any());
        }
        PyString::from_encoded_object(bytes.as_any(), Some(c"utf-8"), Some(c"surrogatepass"))
            .map(Bound::into_any)
    }

    /// Whether it has a name in the grammar, unlike plain tokens such as brackets.
    #[getter]
    fn named(&self) -> bool {
        self.node().is_named()
    }

    /// Whether it can occur anywhere, like a comment.
    #[getter]
    fn is_extra(&self) -> bool {
        self.node().is_extra()
    }

    /// Whether it contains text that does not match the grammar.
    #[getter]
    fn is_error(&self) -> bool {
        self.node().is_error()
    }

    /// The name of the field of its parent that contains it.
    #[getter]
    fn field(&self) -> Option<&str> {
        self.parsed.language.grammar().field_name(self.node().field)
    }

    /// The node that contains it.
    #[getter]
    fn parent(&self) -> Option<Self> {
        let parent = self.node().parent;
        (parent != NONE).then(|| self.other(parent))
    }

    /// Its direct children.
    #[getter]
    fn children(&self) -> Vec<Self> {
        self.parsed.tree.children(self.id).map(|id| self.other(id)).collect()
    }

    /// The name of the language in which the text was parsed.
    #[getter]
    fn language(&self) -> &str {
        self.parsed.language.name()
    }

    /// Returns the node and all nodes below it, each before its children.
    fn walk(&self) -> Vec<Self> {
        (self.id..self.node().after).map(|id| self.other(id)).collect()
    }

    fn __repr__(&self) -> String {
        let span = self.node().span;
        format!("<Node {} {}..{}>", self.r#type(), span.start, span.end)
    }
}

impl TreeNode {
    fn node(&self) -> &nubbin_syntax::Node {
        self.parsed.tree.node(self.id)
    }

    fn other(&self, id: u32) -> Self {
        Self { parsed: Arc::clone(&self.parsed), id }
    }
}

/// Writes the files of a directory's candidate below a directory.
///
/// # Errors
/// Returns an exception if a file cannot be written.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "the arguments of a Python function are made for it")]
pub fn unpack(candidate: &[u8], directory: std::path::PathBuf) -> PyResult<()> {
    Ok(nubbin_archive::disk::unpack(candidate, &directory)?)
}
