//! Replaces an alias by its value, and a named block by its contents.
//!
//! ```text
//! namespace n { int a; }  int b = n::a;
//! // ->
//! int a;  int b = a;
//! ```

use super::Context;
use super::text::outside;
use super::way::Way;
use nubbin_language::{Definition, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Keeps the value at the definition of the alias and replaces each use by it.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    without_alias(cx, symbol).into_iter().map(Into::into).collect()
}

fn without_alias(cx: &Context<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let ways = symbol.definitions.iter().map(|one| without_block(cx, one));
    let (ways, are_blocks): (Vec<_>, Vec<bool>) = ways.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let is_block = *are_blocks.first()?;
    if are_blocks.len() > 1 && !are_blocks.iter().all(|is_block| *is_block) {
        return None;
    }
    let mut edits = ways.concat();
    for other in &symbol.references {
        match (other.rest, symbol.definitions.first()?.value) {
            (Some(rest), _) => edits.extend(outside(cx.span(other.whole), cx.span(rest))),
            _ if is_block => edits.extend(cx.removals.edits(cx.unit(other.whole))),
            (None, value) => edits.push(Edit::replace(cx.span(other.id), cx.text(value?))),
        }
    }
    Some(edits)
}

/// Keeps only the value of an alias or the contents of a named block. The returned flag is true for a block.
fn without_block(cx: &Context<'_>, one: &Definition) -> Option<(Vec<Edit>, bool)> {
    let (alias, value) = (cx.span(one.alias?), one.value?);
    let children: Vec<NodeId> = cx.tree.children(value).collect();
    let is_bracket = |id: Option<&NodeId>| id.is_some_and(|&id| !cx.tree.node(id).is_named());
    let is_block = children.len() > 1 && is_bracket(children.first()) && is_bracket(children.last());
    let stays = match &children[..] {
        [open, .., close] if is_block => Span::new(cx.span(*open).end, cx.span(*close).start),
        _ => cx.span(value),
    };
    let mut edits = outside(alias, stays).to_vec();
    let last = one.alias.and_then(|alias| cx.tree.children(alias).last());
    let end = last.filter(|&last| last != value && !cx.tree.node(last).is_named());
    // A block can end with a keyword such as `end`.
    let is_word = end.is_some_and(|end| cx.text(end).iter().all(u8::is_ascii_alphabetic));
    if end.is_some() && !is_word {
        // The token that ends the alias, such as `;`, also ends the value.
        edits.pop();
    }
    Some((edits, is_block || is_word))
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn a_block_gives_way_to_what_is_in_it() {
        let text = "namespace n { int a; } int b = n::a;";
        assert_eq!(rewritten("cpp", text, "n", ways), [" int a;  int b = a;"]);
        let text = "module N\n  class A\n  end\nend\nN::A.new\n";
        assert_eq!(rewritten("ruby", text, "N", ways), ["class A\n  end\nA.new\n"]);
    }
}
