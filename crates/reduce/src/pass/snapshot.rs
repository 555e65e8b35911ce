//! Defines the input of a pass: the current best with its syntax trees, one for each language in it, or one for each
//! file.

use super::part::{Parts, Removals};
use crate::offer::Offer;
use nubbin_language::{Language, Registry, Symbols};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Lines, NONE, NodeId, Parsed, Parser, Tree};
use std::sync::{Arc, OnceLock};

/// A text with its syntax trees.
#[derive(Debug)]
pub struct Snapshot<'l> {
    /// The bytes.
    pub source: Arc<[u8]>,
    /// The starts of its lines.
    pub lines: Lines,
    /// The syntax trees: first that of the whole text, then those of embedded languages. The list is empty for an
    /// unknown language. For an archive it has one tree per file.
    pub layers: Vec<Layer<'l>>,
    /// Whether the first layer covers the whole text.
    has_root: bool,
    /// The proposals of an external program for this text.
    pub offers: Vec<Offer>,
}

/// The syntax tree of a text, or of a part of it, in one language.
#[derive(Debug)]
pub struct Layer<'l> {
    /// The language.
    pub language: &'l Language,
    /// The covered part of the text.
    pub span: Span,
    /// The parsed tree. Its positions are relative to the part.
    pub parsed: Parsed,
    /// The tree as an arena. Its positions are those of the whole text.
    pub tree: Arc<Tree>,
    /// The spans of opaque nodes: lines that begin inside them are never reindented.
    pub opaque: Vec<Span>,
    /// Computed on first use, and shared by all passes.
    symbols: OnceLock<Option<Symbols>>,
    removals: OnceLock<Removals>,
}

/// A text without its syntax trees.
#[derive(Debug)]
pub struct Text<'l> {
    /// The bytes.
    pub source: Arc<[u8]>,
    /// Its parts in other languages.
    pub embedded: Vec<Embedded<'l>>,
}

/// A part of a text in another language.
#[derive(Debug)]
pub struct Embedded<'l> {
    /// The language.
    pub language: &'l Language,
    /// The position in the text.
    pub span: Span,
    /// The number of syntax errors.
    pub errors: u32,
}

impl<'l> Snapshot<'l> {
    /// Returns the snapshot of a text in an unknown language.
    #[must_use]
    pub fn plain(source: Arc<[u8]>) -> Self {
        Self::of(source, Vec::new(), false)
    }

    /// Returns the snapshot of a text for a pass that needs neither lines nor syntax trees.
    #[must_use]
    pub(crate) fn blind(source: Arc<[u8]>) -> Self {
        let (layers, offers) = (Vec::new(), Vec::new());
        Self { source, lines: Lines::new(b""), layers, has_root: false, offers }
    }

    /// Returns the snapshot of a parsed text. Embedded languages are found and parsed.
    #[must_use]
    pub fn new(source: Arc<[u8]>, language: &'l Language, parsed: Parsed) -> Self {
        let whole = Span::new(0, source.len() as u32);
        let embedded =
            language.injections().map_or_else(Vec::new, |injections| injections.find(&parsed, &source));
        let mut layers = vec![Layer::new(language, whole, parsed)];
        for (span, name) in embedded {
            if let Some(language) = Registry::built_in().get(name) {
                let parsed = Parser::new(language.grammar()).parse(span.of(&source));
                layers.push(Layer::new(language, span, parsed));
            }
        }
        Self::of(source, layers, true)
    }

    /// Returns the snapshot of an archive with these files in known languages. Each file is parsed separately.
    /// Languages embedded in the files are ignored.
    #[must_use]
    pub fn files(source: Arc<[u8]>, files: &[(Span, &'l Language)]) -> Self {
        let layer = |&(span, language): &(Span, &'l Language)| {
            let parsed = Parser::new(language.grammar()).parse(span.of(&source));
            Layer::new(language, span, parsed)
        };
        let layers = files.iter().map(layer).collect();
        Self::of(source, layers, false)
    }

    fn of(source: Arc<[u8]>, layers: Vec<Layer<'l>>, has_root: bool) -> Self {
        Self { lines: Lines::new(&source), source, layers, has_root, offers: Vec::new() }
    }

    /// Returns whether the layers are files of an archive.
    #[must_use]
    pub fn is_archive(&self) -> bool {
        !self.has_root && !self.layers.is_empty()
    }

    /// Returns the snapshot without its syntax trees, for the search after a pass has proposed.
    #[must_use]
    pub fn to_text(&self) -> Text<'l> {
        let embedded = self.embedded().iter().map(|layer| Embedded {
            language: layer.language,
            span: layer.span,
            errors: layer.parsed.errors(),
        });
        Text { embedded: embedded.collect(), source: Arc::clone(&self.source) }
    }

    /// Returns the layers that cover only a part of the text.
    #[must_use]
    pub fn embedded(&self) -> &[Layer<'l>] {
        self.layers.get(usize::from(self.has_root)..).unwrap_or_default()
    }

    /// Returns the leaves of all layers, by position. A leaf that contains an embedded language is replaced by the
    /// leaves of that language.
    #[must_use]
    pub fn leaves(&self) -> Vec<(&Layer<'l>, NodeId)> {
        let mut leaves = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            let hosts = |span: Span| {
                self.has_root && i == 0 && self.embedded().iter().any(|inner| inner.span == span)
            };
            let own = layer.tree.ids().filter(|&id| {
                let span = layer.tree.node(id).span;
                layer.tree.is_leaf(id) && !span.is_empty() && !hosts(span)
            });
            leaves.extend(own.map(|id| (layer, id)));
        }
        leaves.sort_by_key(|(layer, id)| layer.tree.node(*id).span);
        leaves
    }

    /// Returns the spans of the leaves of all layers, and of the text between nodes (some grammars have no node for the
    /// content of quotes), by position. Together with the [unread](Self::unread) text they cover every byte that is not
    /// whitespace.
    #[must_use]
    pub fn pieces(&self) -> Vec<Span> {
        let mut pieces: Vec<Span> =
            self.leaves().into_iter().map(|(layer, id)| layer.tree.node(id).span).collect();
        for layer in &self.layers {
            let inner = self.inside(layer);
            let between = layer.tree.between().flat_map(|span| without(span, &inner));
            pieces.extend(between.filter_map(|span| self.trimmed(span)));
        }
        pieces.sort_unstable();
        pieces
    }

    /// Returns the spans of the text outside all nodes, by position. If a text has syntax errors, the tree may end long
    /// before the text.
    #[must_use]
    pub fn unread(&self) -> Vec<Span> {
        let mut unread: Vec<Span> = Vec::new();
        for layer in &self.layers {
            let root = layer.tree.node(0).span;
            let start = root.start.clamp(layer.span.start, layer.span.end);
            let end = root.end.clamp(start, layer.span.end);
            let inner = self.inside(layer);
            let outside = [Span::new(layer.span.start, start), Span::new(end, layer.span.end)];
            let outside = outside.into_iter().flat_map(|span| without(span, &inner));
            unread.extend(outside.filter_map(|span| self.trimmed(span)));
        }
        unread.sort_unstable();
        unread
    }

    /// Returns the spans of the layers inside a layer, by position.
    fn inside(&self, layer: &Layer<'l>) -> Vec<Span> {
        let mut inner: Vec<Span> = self.embedded().iter().map(|other| other.span).collect();
        inner.retain(|other| *other != layer.span && layer.span.contains(*other));
        inner.sort_unstable();
        inner
    }

    /// Returns a span without leading and trailing whitespace, or `None` if nothing is left.
    fn trimmed(&self, span: Span) -> Option<Span> {
        let text = span.of(&self.source);
        let end = span.start + text.trim_ascii_end().len() as u32;
        let start = span.end - text.trim_ascii_start().len() as u32;
        (start < end).then(|| Span::new(start, end))
    }
}

impl<'l> Layer<'l> {
    fn new(language: &'l Language, span: Span, parsed: Parsed) -> Self {
        let tree = Arc::new(Tree::new(&parsed, span.start));
        let opaque = outermost(&tree, |id| language.is_opaque(tree.node(id).kind));
        let (symbols, removals) = (OnceLock::new(), OnceLock::new());
        Self { language, span, parsed, tree, opaque, symbols, removals }
    }

    /// Returns the symbols of the layer, or `None` if the language does not define names. `source` is that of the
    /// snapshot.
    #[must_use]
    pub fn symbols(&self, source: &Arc<[u8]>) -> Option<&Symbols> {
        let find = || Symbols::new(self.language, &self.parsed, &self.tree, source, self.span);
        self.symbols.get_or_init(find).as_ref()
    }

    /// Returns the removable parts of the layer. `source` is that of the snapshot.
    pub(super) fn removals(&self, source: &[u8]) -> &Removals {
        self.removals.get_or_init(|| Removals::new(Parts { layer: self, source }))
    }

    /// Returns the outermost spans with syntax errors, by position.
    #[must_use]
    pub fn errors(&self) -> Vec<Span> {
        if self.parsed.errors() == 0 {
            return Vec::new();
        }
        outermost(&self.tree, |id| self.tree.node(id).is_error())
    }

    /// Returns the slot of a node, as the kind of its parent declares it.
    #[must_use]
    pub fn slot(&self, id: NodeId) -> Option<&nubbin_syntax::Slot> {
        let node = self.tree.node(id);
        if node.parent == NONE {
            return None;
        }
        self.language.grammar().slot(self.tree.node(node.parent).kind, node.field)
    }
}

/// Returns the spans of the outermost nodes for which `fits` is true.
fn outermost(tree: &Tree, fits: impl Fn(NodeId) -> bool) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut id = 0;
    while (id as usize) < tree.len() {
        if fits(id) {
            spans.push(tree.node(id).span);
            id = tree.node(id).after;
        } else {
            id += 1;
        }
    }
    spans
}

/// Returns the parts of a span outside these spans, which must be sorted.
fn without(span: Span, inner: &[Span]) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut at = span.start;
    for other in inner.iter().filter(|other| other.start < span.end && span.start < other.end) {
        if at < other.start {
            parts.push(Span::new(at, other.start));
        }
        at = at.max(other.end);
    }
    if at < span.end {
        parts.push(Span::new(at, span.end));
    }
    parts
}
