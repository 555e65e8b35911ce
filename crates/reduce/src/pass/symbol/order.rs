//! Moves declarations before a text that newly mentions their names, in languages where a name must be declared
//! before its use.
//!
//! ```text
//! template <class T> struct A { T a; };  struct B {};  A<B> c;     // `T` is replaced by `B`
//! // ->
//! struct B {};  struct A { B a; };  A c;
//! ```

use super::Context;
use super::way::Way;
use nubbin_language::{NameKind, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span, is_word};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of declarations that move for one way.
const MOVES: usize = 4;

impl Context<'_> {
    /// Moves declarations before a text that newly mentions their names. If that is impossible, moves the part
    /// with that text after the declaration. If neither is possible, the way is returned unchanged.
    pub(super) fn with_order(&self, way: Way) -> Way {
        if !self.layer.language.needs_order() {
            return way;
        }
        let late = self.late(&way);
        if late.is_empty() || late.len() > MOVES {
            return way;
        }
        let edits = way.edits();
        let moved = if late.iter().all(|&one| self.may_rise(one, &late)) {
            let places = late.iter().map(|one| (one.declared, self.span(one.mentions).start));
            Some(self.moved(edits, &places.collect::<Vec<_>>()))
        } else if let &[one] = &late[..] {
            let place = self.with_end(one.declared).end;
            self.may_sink(one).then(|| self.moved(edits, &[(one.mentions, place)]))
        } else {
            None
        };
        moved.unwrap_or(way)
    }

    /// Lists the declarations that a way mentions before their position, in the order of the text.
    fn late(&self, way: &Way) -> Vec<LateName> {
        let spans = way.spans(|edit| edit.text.is_empty());
        let mut late: BTreeMap<NodeId, LateName> = BTreeMap::new();
        // A name before a terminator is declared by the text itself.
        let terminator = self.syntax().terminator();
        for edit in way.edits().iter().filter(|edit| !edit.text.is_empty()) {
            let mut words: HashSet<&[u8]> = edit.text.split(|&byte| !is_word(byte)).collect();
            words.retain(|word| !is_declared_by(way, &[word, terminator].concat()));
            for one in words.into_iter().filter_map(|word| self.late_name(edit.span, word)) {
                if spans.hold(self.span(one.declared)) {
                    continue;
                }
                let first = late.entry(one.declared).or_insert(one);
                first.mentions = first.mentions.min(one.mentions);
            }
        }
        late.into_values().collect()
    }

    /// Returns the declaration of a name that is written at an earlier position.
    fn late_name(&self, place: Span, name: &[u8]) -> Option<LateName> {
        let named = self.symbols.named(name).iter().map(|&symbol| &self.symbols[symbol]);
        let (mut outer, mut inner): (Vec<&Symbol>, Vec<&Symbol>) = named.partition(|one| one.scope == 0);
        outer.retain(|symbol| symbol.kind.is_some_and(is_declared));
        inner.retain(|symbol| self.span(symbol.scope).contains(place));
        let ([symbol], []) = (&outer[..], &inner[..]) else { return None };
        let id =
            symbol.definitions.first().map(|one| one.id).filter(|&id| self.span(id).start > place.start)?;
        let mut declared = id;
        for around in self.tree.up(id).skip(1) {
            if self.span(around).contains(place) {
                let mentions = self.tree.children(around).find(|&child| self.span(child).contains(place))?;
                return (mentions != declared).then_some(LateName { declared, mentions });
            }
            declared = around;
        }
        None
    }

    /// Returns whether a declaration can move before the text that mentions its name. It must not use a symbol
    /// that is declared between, unless that declaration moves with it.
    pub(super) fn may_rise(&self, one: LateName, all: &[LateName]) -> bool {
        let between = one.mentions..one.declared;
        let moves = |id: NodeId| all.iter().any(|other| self.symbols.holds(other.declared, id));
        self.symbols.references_in(one.declared).all(|(_, symbol)| {
            let first = self.symbols[symbol].definitions.first();
            first.is_none_or(|first| !between.contains(&first.id) || moves(first.id))
        })
    }

    /// Returns whether the part that mentions a name can move behind the declaration. Nothing before that
    /// position may use a symbol that the part declares.
    pub(super) fn may_sink(&self, one: LateName) -> bool {
        let (from, to) = (self.tree.node(one.mentions).after, self.tree.node(one.declared).after);
        let symbols = self.symbols.definitions_in(one.mentions).map(|(_, symbol)| &self.symbols[symbol]);
        let mut uses = symbols.flat_map(|symbol| &symbol.references);
        uses.all(|one| !(from..to).contains(&one.id))
    }

    /// Lists the members of a class with those that have code last, in a language where a name must be declared
    /// before its use; `None` if they are already in that order.
    pub(super) fn in_order(&self, body: NodeId) -> Option<Vec<NodeId>> {
        let members: Vec<NodeId> = self.tree.members(body).collect();
        let has_code = |id: NodeId| {
            let mut inside = self.symbols.definitions_in(id);
            inside
                .any(|(id, symbol)| self.symbols[symbol].definition(id).is_some_and(|one| one.body.is_some()))
        };
        let (with, without): (Vec<NodeId>, Vec<NodeId>) = members.iter().partition(|&&id| has_code(id));
        let ordered = [without, with].concat();
        (self.layer.language.needs_order() && ordered != members).then_some(ordered)
    }

    /// Returns the text of members, each with the edits inside it applied, and the other edits.
    pub(super) fn members_changed(&self, members: &[NodeId], edits: Vec<Edit>) -> (Vec<u8>, Vec<Edit>) {
        let mut rest = edits;
        let mut lines = Vec::new();
        for &member in members {
            let (text, others) = self.changed(self.with_end(member), rest);
            rest = others;
            lines.push(text.trim_ascii().to_vec());
        }
        lines.retain(|line| !line.is_empty());
        (lines.join(&b"\n"[..]), rest)
    }

    /// Moves nodes, with the edits inside them applied, to other positions; returns all edits.
    pub(super) fn moved(&self, edits: &[Edit], moves: &[(NodeId, u32)]) -> Way {
        let mut rest = edits.to_vec();
        let mut texts: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for &(node, place) in moves {
            let whole = self.with_end(node);
            let (changed, others) = self.changed(whole, rest);
            let text = texts.entry(place).or_default();
            text.push(b'\n');
            text.extend_from_slice(changed.trim_ascii());
            text.push(b'\n');
            rest = others;
            rest.push(Edit::delete(whole));
        }
        for (place, text) in texts {
            match rest.iter_mut().find(|edit| edit.span.start <= place && place < edit.span.end) {
                Some(edit) => edit.text = [&text[..], &edit.text].concat().into(),
                None => rest.push(Edit::replace(Span::new(place, place), text)),
            }
        }
        rest.into()
    }
}

/// A declaration, and an earlier sibling that will mention its name.
#[derive(Clone, Copy)]
pub(super) struct LateName {
    pub declared: NodeId,
    pub mentions: NodeId,
}

/// Returns whether a way writes `end`, a name with the terminator of a declaration.
fn is_declared_by(way: &Way, end: &[u8]) -> bool {
    way.edits().iter().any(|edit| edit.text.windows(end.len()).any(|window| window == end))
}

/// Returns whether names of a kind must be declared.
fn is_declared(kind: NameKind) -> bool {
    matches!(
        kind,
        NameKind::Function
            | NameKind::Variable
            | NameKind::Type
            | NameKind::Class
            | NameKind::Tag
            | NameKind::Enumerator
            | NameKind::Concept
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;

    #[test]
    fn a_declaration_moves_before_what_mentions_it() {
        let text = "template <class T> struct A { T a; };\nstruct B {};\nA<B> c;\n";
        let made = proposed("cpp", text, super::super::remove);
        let expected = "struct B {};\nstruct A { B a; };\nA c;\n";
        assert!(made.iter().any(|text| text == expected), "{made:#?}");
    }

    #[test]
    fn a_declaration_that_moves_takes_along_what_it_needs() {
        let text =
            "template <class T> struct A { T a; };\nint n;\nstruct B { char b[sizeof(n)]; };\nA<B> c;\n";
        let made = proposed("cpp", text, super::super::remove);
        let expected = "\nint n;\nstruct B { char b[sizeof(n)]; };\nstruct A { B a; };\n\nA c;\n";
        assert!(made.iter().any(|text| text == expected), "{made:#?}");
    }
}
