//! Removes a variable or an import together with its last use, in languages where an unused one is an error.
//!
//! ```text
//! func f(a int) {}                    // the parameter `a` is removed
//! func g() { var b int; f(b) }
//! // ->
//! func f() {}
//! func g() { f() }
//! ```

use super::Context;
use super::way::Way;
use nubbin_language::{NameKind, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::is_word;
use std::collections::{BTreeSet, HashSet};

/// Maximum number of rounds: a removed declaration can contain the last use of another symbol.
const ROUNDS: usize = 3;

impl Context<'_> {
    /// Adds the edits that remove variables and imports whose last uses are removed by this way.
    pub(super) fn with_needless(&self, mut way: Way) -> Way {
        if !self.layer.language.needs_uses() {
            return way;
        }
        for _ in 0..ROUNDS {
            let needless = self.needless(&way);
            if needless.is_empty() {
                break;
            }
            way.extend(self.taken_away(needless));
        }
        way
    }

    /// Lists the definitions of symbols that have uses, all of which are removed.
    fn needless(&self, way: &Way) -> BTreeSet<NodeId> {
        let spans = way.spans(|_| true);
        let is_gone = |id: NodeId| spans.hold(self.span(id));
        let texts = way.edits().iter().flat_map(|edit| edit.text.split(|&byte| !is_word(byte)));
        let written: HashSet<&[u8]> = texts.collect();
        let inside = spans.iter().flat_map(|span| self.tree.starting_in(span));
        let touched: BTreeSet<SymbolId> = inside.filter_map(|id| self.symbols.referred_at(id)).collect();
        let goes = |symbol: &&Symbol| {
            !written.contains(&*symbol.text) && symbol.references.iter().all(|one| is_gone(one.id))
        };
        let touched = touched.into_iter().map(|id| &self.symbols[id]).filter(goes);
        touched.filter_map(|symbol| self.declaration(symbol)).filter(|&unit| !is_gone(unit)).collect()
    }

    /// Returns the node to remove for the only definition of an import or a local variable.
    fn declaration(&self, symbol: &Symbol) -> Option<NodeId> {
        let [one] = &symbol.definitions[..] else { return None };
        let is_import = symbol.is(NameKind::Import);
        let is_local =
            symbol.is(NameKind::Variable) && symbol.scope != 0 && self.symbols.parameter(one.id).is_none();
        if !is_import && !is_local {
            return None;
        }
        let unit = self.definition_unit(one.whole)?;
        self.symbols.definitions_in(unit).all(|(id, _)| id == one.id).then_some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;

    #[test]
    fn a_parameter_goes_with_the_variable_that_only_it_needs() {
        let text = "package p\n\nfunc f(a int) {}\n\nfunc g() {\n\tvar b int\n\tf(b)\n}\n";
        let expected = "package p\n\nfunc f() {}\n\nfunc g() {\n\tf()\n}\n".to_owned();
        let made = proposed("go", text, super::super::argument);
        assert!(made.contains(&expected), "{made:?}");
    }

    #[test]
    fn a_function_goes_with_the_import_that_only_it_needs() {
        let text = "package p\n\nimport \"io\"\n\nfunc f(a io.Reader) {}\n\nfunc g() {\n\tf(nil)\n}\n";
        let expected = "package p\n\n\nfunc f() {}\n\nfunc g() {\n\tf()\n}\n".to_owned();
        let made = proposed("go", text, super::super::argument);
        assert!(made.contains(&expected), "{made:?}");
    }
}
