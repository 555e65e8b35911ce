//! The input of a rewrite: the symbols of one layer, and the parts of it that may go.

use super::cover::Cover;
use super::way::Way;
use crate::pass::part::Removals;
use crate::pass::{Builder, Layer, Snapshot};
use nubbin_language::{Definition, NameKind, Symbol, Symbols, Syntax};
use nubbin_syntax::edit::{Edit, Span, is_word};
use nubbin_syntax::{NONE, NodeId, Tree};

/// A parameter does not go if its function has more definitions than this.
const ALIKE: usize = 8;

/// One layer of a text, with all that rewrites look at.
#[derive(Clone, Copy)]
pub(in crate::pass) struct Context<'c> {
    pub symbols: &'c Symbols,
    pub removals: &'c Removals,
    pub layer: &'c Layer<'c>,
    pub tree: &'c Tree,
    pub source: &'c [u8],
}

impl<'c> Context<'c> {
    /// Returns the context of one layer, if the layer has symbols.
    pub fn new(snapshot: &'c Snapshot<'c>, layer: &'c Layer<'c>) -> Option<Self> {
        let symbols = layer.symbols(&snapshot.source)?;
        let removals = layer.removals(&snapshot.source);
        Some(Self { symbols, removals, layer, tree: &layer.tree, source: &snapshot.source })
    }

    /// Lists the contexts of the layers that have symbols.
    pub fn all(snapshot: &'c Snapshot<'c>) -> impl Iterator<Item = Self> {
        snapshot.layers.iter().filter_map(move |layer| Self::new(snapshot, layer))
    }

    /// Proposes these ways as alternatives.
    pub(super) fn choice(&self, builder: &mut Builder, ways: Vec<Way>) {
        builder.choice(self.source, ways.into_iter().map(|way| self.closed(way).into()).collect());
    }

    /// Returns a way with what has to go besides.
    pub(super) fn closed(&self, way: Way) -> Way {
        self.with_order(self.with_needless(self.with_aligned(way)))
    }

    /// Returns the bytes of a node.
    pub fn text(&self, id: NodeId) -> &'c [u8] {
        self.span(id).of(self.source)
    }

    /// Returns the span of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.tree.node(id).span
    }

    /// Returns the signs that the text is written with.
    pub(super) fn syntax(&self) -> &'c Syntax {
        self.layer.language.syntax()
    }

    /// Returns the outermost of some nodes.
    pub(super) fn cover(&self, nodes: &[NodeId]) -> Cover {
        Cover::new(self.tree, nodes.iter().copied())
    }

    /// Returns the smallest part around a node that may go. A declaration of which it would leave a keyword goes as a
    /// whole.
    pub fn unit(&self, id: NodeId) -> Option<NodeId> {
        let unit = self.symbols.up(id).find(|&id| self.removals.may_go(id))?;
        let declares =
            self.follows_a_keyword_alone(unit) && self.symbols.definitions_in(unit).next().is_some();
        Some(self.around_if(declares, unit))
    }

    /// Returns the edits that remove parts. A name in a list whose members keep their places leaves the sign for nobody
    /// there; if the list has no other name, what it gets its values from stays alone. Of a chain of assignments one
    /// link goes.
    pub(super) fn taken_away(&self, parts: impl IntoIterator<Item = NodeId>) -> Vec<Edit> {
        let (mut blanks, mut others) = (Vec::new(), Vec::new());
        for part in parts {
            match self.blanked(part).or_else(|| self.unlinked(part)) {
                Some(edit) => blanks.push(edit),
                None => others.push(part),
            }
        }
        let mut edits = self.removals.edits(others);
        blanks.retain(|blank| !edits.iter().any(|edit| edit.span.contains(blank.span)));
        edits.extend(blanks);
        edits
    }

    /// Returns the edit that takes a link out of a chain of assignments: `a = b = c` becomes `b = c`, or `a = c`.
    fn unlinked(&self, part: NodeId) -> Option<Edit> {
        let (id, symbol) = self.symbols.definitions_in(part).next()?;
        let value = self.symbols[symbol].definition(id)?.value?;
        let link = self.tree.node(value).parent;
        let around = self.tree.node(link).parent;
        if around == NONE {
            return None;
        }
        let kind = |id: NodeId| self.tree.node(id).kind;
        let is_part = part == link || part == around && self.symbols.is_statement(around);
        let goes_on = kind(value) == kind(link);
        let is_inner = kind(around) == kind(link) && self.tree.members(around).last() == Some(link);
        (is_part && (goes_on || is_inner))
            .then(|| Edit::delete(Span::new(self.span(link).start, self.span(value).start)))
    }

    fn blanked(&self, part: NodeId) -> Option<Edit> {
        let symbol = self.symbols.defined_at(part)?;
        let blank = self.symbols[symbol].definition(part)?.says.blank.as_deref()?;
        let list = self.tree.node(part).parent;
        let is_name = |id: NodeId| id != part && self.text(id) != blank.as_bytes();
        if self.tree.members(list).any(is_name) {
            return Some(Edit::replace(self.span(part), blank.as_bytes()));
        }
        let around = self.tree.node(list).parent;
        let values = self.tree.children(around).last()?;
        let start = self.span(around).start;
        let is_whole = self.symbols.is_statement(around) && self.span(list).start == start;
        is_whole.then(|| Edit::delete(Span::new(start, self.span(values).start)))
    }

    /// Returns the smallest part around the node of a definition that may go and that is more than an optional name.
    pub(super) fn definition_unit(&self, id: NodeId) -> Option<NodeId> {
        let unit = self
            .symbols
            .up(id)
            .find(|&unit| self.removals.may_go(unit) && (unit != id || self.is_one_of_several(id)))?;
        // A declaration that declares nothing else is of no use without the definition.
        let tree = self.tree;
        let follows_a_type = tree.node(unit).field != 0
            && self.before(unit).is_some_and(|before| tree.node(before).is_named());
        let around = tree.node(unit).parent;
        let declares = (follows_a_type || self.follows_a_keyword_alone(unit))
            && self.symbols.definitions_in(around).all(|(id, _)| self.symbols.holds(unit, id));
        Some(self.around_if(declares, unit))
    }

    /// Tells whether a name is a member of a list of names. A field's only name leaves a type that would be a field.
    fn is_one_of_several(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        let is_field =
            || self.symbols.defined_at(id).is_some_and(|one| self.symbols[one].is(NameKind::Field));
        let mut alike =
            self.tree.children(node.parent).filter(|&other| self.tree.node(other).kind == node.kind);
        self.removals.is_member(id) && (alike.nth(1).is_some() || !is_field())
    }

    /// Returns the parent of a part if that is wanted and the parent may go, else the part.
    fn around_if(&self, is_wanted: bool, unit: NodeId) -> NodeId {
        let around = self.tree.node(unit).parent;
        if is_wanted && self.removals.is_loose(around) { around } else { unit }
    }

    /// Tells whether a keyword and this node are all that their parent has.
    fn follows_a_keyword_alone(&self, unit: NodeId) -> bool {
        let mut siblings = self.tree.children(self.tree.node(unit).parent);
        let is_keyword =
            |id: NodeId| !self.tree.node(id).is_named() && self.text(id).iter().all(|&byte| is_word(byte));
        siblings.next().is_some_and(is_keyword) && siblings.eq([unit])
    }

    /// Returns the part that goes with a definition, if that part is a statement, a member or the like, and not a
    /// parameter.
    pub fn member(&self, definition: &Definition) -> Option<NodeId> {
        let unit = self.definition_unit(definition.whole)?;
        let opens = self.before(unit);
        let is_in_brackets = opens.is_some_and(|open| self.syntax().opens_list(self.text(open)))
            && !self.is_on_its_own_line(unit);
        let is_parameter = self.symbols.parameter(definition.id).is_some();
        (!is_parameter && self.removals.is_loose(unit) && !is_in_brackets).then_some(unit)
    }

    /// Tells whether a line break keeps a member of a list apart from another one, as in a list of imports.
    fn is_on_its_own_line(&self, unit: NodeId) -> bool {
        self.removals.beside(unit).is_some_and(|other| {
            let (first, last) = (unit.min(other), unit.max(other));
            Span::new(self.span(first).end, self.span(last).start).of(self.source).contains(&b'\n')
        })
    }

    /// Returns the span from the first to the last member of a list; `None` if it has none.
    pub(super) fn content(&self, list: NodeId) -> Option<Span> {
        let members: Vec<NodeId> = self.tree.members(list).collect();
        Some(Span::new(self.span(*members.first()?).start, self.span(*members.last()?).end))
    }

    /// Returns the node right before a node in the same parent.
    fn before(&self, id: NodeId) -> Option<NodeId> {
        self.tree.children(self.tree.node(id).parent).take_while(|&child| child != id).last()
    }

    /// Lists the nodes that go with the definitions of a symbol, and for a parameter its arguments; `None` if one
    /// cannot go.
    pub(super) fn definition_parts(&self, symbol: &Symbol) -> Option<Vec<NodeId>> {
        let mut parts = Vec::new();
        for definition in &symbol.definitions {
            match self.symbols.parameter(definition.id) {
                Some((function, _)) if self.symbols[function].definitions.len() > ALIKE => return None,
                Some((function, place)) => {
                    parts.extend(self.symbols.parameter_places(&self.symbols[function], place));
                }
                None => parts.push(self.definition_unit(definition.whole)?),
            }
            parts.extend(definition.pair);
        }
        Some(parts)
    }
}
