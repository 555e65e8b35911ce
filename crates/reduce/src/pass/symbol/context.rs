//! The input of a rewrite: the symbols of one layer and the parts of it that can be removed.

use super::cover::Cover;
use super::way::Way;
use crate::pass::part::Removals;
use crate::pass::{Builder, Layer, Snapshot};
use nubbin_language::{Definition, NameKind, Symbol, Symbols, Syntax};
use nubbin_syntax::edit::{Edit, Span, is_word};
use nubbin_syntax::{NONE, NodeId, Tree};

/// Parameters of a function with more definitions than this are not removed.
const ALIKE: usize = 8;

/// One layer of a text, with everything that rewrites read.
#[derive(Clone, Copy)]
pub(in crate::pass) struct Context<'c> {
    pub symbols: &'c Symbols,
    pub removals: &'c Removals,
    pub layer: &'c Layer<'c>,
    pub tree: &'c Tree,
    pub source: &'c [u8],
}

impl<'c> Context<'c> {
    /// Returns `None` if the layer has no symbols.
    pub fn new(snapshot: &'c Snapshot<'c>, layer: &'c Layer<'c>) -> Option<Self> {
        let symbols = layer.symbols(&snapshot.source)?;
        let removals = layer.removals(&snapshot.source);
        Some(Self { symbols, removals, layer, tree: &layer.tree, source: &snapshot.source })
    }

    /// Lists the contexts of all layers that have symbols.
    pub fn all(snapshot: &'c Snapshot<'c>) -> impl Iterator<Item = Self> {
        snapshot.layers.iter().filter_map(move |layer| Self::new(snapshot, layer))
    }

    /// Proposes these ways as alternatives.
    pub(super) fn choice(&self, builder: &mut Builder, ways: Vec<Way>) {
        builder.choice(self.source, ways.into_iter().map(|way| self.closed(way).into()).collect());
    }

    /// Adds the edits that a way needs to stay valid: it removes aligned members and unused declarations, and
    /// moves declarations.
    pub(super) fn closed(&self, way: Way) -> Way {
        self.with_order(self.with_needless(self.with_aligned(way)))
    }

    pub fn text(&self, id: NodeId) -> &'c [u8] {
        self.span(id).of(self.source)
    }

    pub fn span(&self, id: NodeId) -> Span {
        self.tree.node(id).span
    }

    pub(super) fn syntax(&self) -> &'c Syntax {
        self.layer.language.syntax()
    }

    pub(super) fn cover(&self, nodes: &[NodeId]) -> Cover {
        Cover::new(self.tree, nodes.iter().copied())
    }

    /// Returns the smallest removable part around a node. If only the keyword of a declaration would be left,
    /// the whole declaration is returned.
    pub fn unit(&self, id: NodeId) -> Option<NodeId> {
        let unit = self.symbols.up(id).find(|&id| self.removals.may_go(id))?;
        let declares =
            self.follows_a_keyword_alone(unit) && self.symbols.definitions_in(unit).next().is_some();
        Some(self.around_if(declares, unit))
    }

    /// Removes parts. In a list whose members keep their positions, a name is replaced by the blank identifier;
    /// if no other name is left in the list, only the expression for its values stays. In a chain of
    /// assignments, one link is removed.
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

    /// Removes a link from a chain of assignments: `a = b = c` becomes `b = c`, or `a = c`.
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

    /// Returns the smallest removable part around the node of a definition. An optional name alone does not
    /// count.
    pub(super) fn definition_unit(&self, id: NodeId) -> Option<NodeId> {
        let unit = self
            .symbols
            .up(id)
            .find(|&unit| self.removals.may_go(unit) && (unit != id || self.is_one_of_several(id)))?;
        // A declaration that declares nothing else is useless without the definition.
        let tree = self.tree;
        let follows_a_type = tree.node(unit).field != 0
            && self.before(unit).is_some_and(|before| tree.node(before).is_named());
        let around = tree.node(unit).parent;
        let declares = (follows_a_type || self.follows_a_keyword_alone(unit))
            && self.symbols.definitions_in(around).all(|(id, _)| self.symbols.holds(unit, id));
        Some(self.around_if(declares, unit))
    }

    /// Returns whether a name is a member of a list of names. The only name of a field does not count: without
    /// it, the type would be parsed as the field.
    fn is_one_of_several(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        let is_field =
            || self.symbols.defined_at(id).is_some_and(|one| self.symbols[one].is(NameKind::Field));
        let mut alike =
            self.tree.children(node.parent).filter(|&other| self.tree.node(other).kind == node.kind);
        self.removals.is_member(id) && (alike.nth(1).is_some() || !is_field())
    }

    fn around_if(&self, is_wanted: bool, unit: NodeId) -> NodeId {
        let around = self.tree.node(unit).parent;
        if is_wanted && self.removals.is_loose(around) { around } else { unit }
    }

    /// Returns whether the parent consists of a keyword and this node.
    fn follows_a_keyword_alone(&self, unit: NodeId) -> bool {
        let mut siblings = self.tree.children(self.tree.node(unit).parent);
        let is_keyword =
            |id: NodeId| !self.tree.node(id).is_named() && self.text(id).iter().all(|&byte| is_word(byte));
        siblings.next().is_some_and(is_keyword) && siblings.eq([unit])
    }

    /// Returns the part that is removed with a definition if it is a statement, a member or the like; `None`
    /// for a parameter.
    pub fn member(&self, definition: &Definition) -> Option<NodeId> {
        let unit = self.definition_unit(definition.whole)?;
        let opens = self.before(unit);
        let is_in_brackets = opens.is_some_and(|open| self.syntax().opens_list(self.text(open)))
            && !self.is_on_its_own_line(unit);
        let is_parameter = self.symbols.parameter(definition.id).is_some();
        (!is_parameter && self.removals.is_loose(unit) && !is_in_brackets).then_some(unit)
    }

    /// Returns whether a line break separates a member of a list from a neighbour, as in a list of imports.
    fn is_on_its_own_line(&self, unit: NodeId) -> bool {
        self.removals.beside(unit).is_some_and(|other| {
            let (first, last) = (unit.min(other), unit.max(other));
            Span::new(self.span(first).end, self.span(last).start).of(self.source).contains(&b'\n')
        })
    }

    /// Returns the span from the first to the last member of a list; `None` if it is empty.
    pub(super) fn content(&self, list: NodeId) -> Option<Span> {
        let members: Vec<NodeId> = self.tree.members(list).collect();
        Some(Span::new(self.span(*members.first()?).start, self.span(*members.last()?).end))
    }

    /// Returns the preceding sibling of a node.
    fn before(&self, id: NodeId) -> Option<NodeId> {
        self.tree.children(self.tree.node(id).parent).take_while(|&child| child != id).last()
    }

    /// Lists the nodes to remove for all definitions of a symbol; for a parameter, this includes its arguments.
    /// Returns `None` if a definition cannot be removed.
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
