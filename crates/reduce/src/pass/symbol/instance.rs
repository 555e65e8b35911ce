//! Replaces each use of a template by its value, with the arguments of that use.
//!
//! ```text
//! template<class T> struct A { using U = T; };  A<int>::U a;
//! // ->
//! template<class T> struct A { };  int a;
//! ```

use super::Context;
use super::remove::Subject;
use super::text::is_chain;
use super::way::Way;
use nubbin_language::{Definition, NameKind, Reference, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::BTreeMap;

/// A parameter of a template and the position of its argument.
struct Bound {
    parameter: SymbolId,
    place: usize,
    takes_several: bool,
}

/// Replacement texts by the start of the replaced span. No span contains another.
#[derive(Default)]
struct Made(BTreeMap<u32, (Span, Vec<u8>)>);

impl Made {
    /// Adds a replacement. Its text already includes the replacements inside its span, which are dropped.
    fn add(&mut self, span: Span, text: Vec<u8>) {
        let inside: Vec<u32> = self.0.range(span.start..span.end).map(|(&start, _)| start).collect();
        for start in inside {
            self.0.remove(&start);
        }
        self.0.insert(span.start, (span, text));
    }

    /// Lists the replacements inside a span.
    fn inside(&self, span: Span) -> Vec<(Span, Vec<u8>)> {
        self.0.range(span.start..span.end).map(|(_, made)| made.clone()).collect()
    }
}

pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let edits = instances(cx, subject);
    edits.map(|edits| subject.without_definitions(edits)).into_iter().collect()
}

fn instances(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Vec<Edit>> {
    let one = subject.only()?;
    let value = one.value.filter(|_| one.alias.is_none() && one.parameters.is_none())?;
    let is_inside = |id: NodeId| cx.symbols.holds(value, id);
    if is_inside(one.id) || subject.symbol.references.iter().any(|other| is_inside(other.id)) {
        return None;
    }
    let mut uses = subject.uses.clone();
    // A use inside another one is handled first.
    uses.sort_by_key(|other| std::cmp::Reverse(other.whole));
    let template = cx.symbols.generic_of(one.id);
    let mut instances = Instances { cx, subject, value, one, made: Made::default() };
    for other in uses {
        let (span, text) = match template {
            Some(template) => instances.of_template(template, other)?,
            None => instances.of_member(other)?,
        };
        instances.made.add(span, text);
    }
    Some(instances.made.0.into_values().map(|(span, text)| Edit::replace(span, text)).collect())
}

/// The instances of one definition that have been written so far.
struct Instances<'c> {
    cx: &'c Context<'c>,
    subject: &'c Subject<'c>,
    one: &'c Definition,
    value: NodeId,
    made: Made,
}

impl Instances<'_> {
    /// Returns the text for a use of an alias, of a variable or of a class that only has a base.
    fn of_template(&self, template: &Symbol, other: &Reference) -> Option<(Span, Vec<u8>)> {
        let at = template.references.partition_point(|use_of| use_of.id < other.id);
        let list = template.references.get(at).filter(|use_of| use_of.id == other.id)?.arguments?;
        let text = self.instance(&bound(self.cx, template, self.one.id)?, list, other.id)?;
        let span = Span::new(self.cx.span(other.id).start, self.cx.span(list).end);
        Some((span, self.held_together(text, span)))
    }

    /// Returns the text for a use of a member, inside its class or as `A<int>::b`.
    fn of_member(&self, other: &Reference) -> Option<(Span, Vec<u8>)> {
        let (cx, value) = (self.cx, self.value);
        let (class, _) = cx.symbols.class_of(self.one.id)?;
        let Some(object) = other.object else {
            let span = cx.span(other.id);
            let is_inside = cx.symbols.is_known_at(value, other.id) && !cx.symbols.is_qualified(other.id);
            return is_inside.then(|| (span, self.held_together(cx.text(value).to_vec(), span)));
        };
        let template = cx.symbols.generic_of(class)?;
        let use_of = use_at(cx, template, object)?;
        let text = self.instance(&bound(cx, template, class)?, use_of.arguments?, other.id)?;
        let span = match self.subject.symbol.kind? {
            NameKind::Type => cx.span(other.whole),
            _ => Span::new(cx.span(object).start, cx.span(other.id).end),
        };
        Some((span, self.held_together(text, span)))
    }

    /// Returns the value with the arguments of a use in place of the parameters. Returns `None` if an argument
    /// is missing, if the value has names that are unknown there, or if the budget is exhausted.
    fn instance(&self, bound: &[Bound], list: NodeId, at: NodeId) -> Option<Vec<u8>> {
        let (cx, value, room) = (self.cx, self.value, self.subject.room);
        let is_bound = |symbol: SymbolId| bound.iter().any(|one| one.parameter == symbol);
        if !cx.symbols.is_known_but(value, at, &is_bound) {
            return None;
        }
        let given = cx.symbols.members(Some(list));
        let mut inside: Vec<(Span, Vec<u8>)> = Vec::new();
        for one in bound {
            let references = &cx.symbols[one.parameter].references;
            let from = references.partition_point(|other| other.id < value);
            let used = references[from..].iter().take_while(|other| cx.symbols.holds(value, other.id));
            for other in used {
                let given = given.get(one.place..).unwrap_or_default();
                let (span, text) = self.given_for(one, other.id, given)?;
                room.take(text.len() + 1)?;
                inside.push((span, text));
            }
        }
        inside.sort();
        let text = cx.filled_in(cx.span(value), &inside);
        room.take(text.len())?;
        Some(text.trim_ascii().to_vec())
    }

    /// Returns the text that replaces one use of a parameter.
    fn given_for(&self, one: &Bound, id: NodeId, given: &[NodeId]) -> Option<(Span, Vec<u8>)> {
        let cx = self.cx;
        if one.takes_several {
            return self.several_given_for(id, given);
        }
        let (parameter, span) = (&cx.symbols[one.parameter], cx.span(id));
        let Some(&argument) = given.first() else {
            // The default value of the parameter is used if all names in it are global.
            let default = parameter.definitions.first()?.value?;
            let mut inside = cx.symbols.references_in(default);
            let is_known = inside.all(|(_, symbol)| cx.symbols[symbol].scope == 0);
            return is_known.then(|| (span, cx.text(default).to_vec()));
        };
        let text = self.text(argument);
        let is_type = parameter.is(NameKind::Type);
        let is_safe = is_type || cx.symbols.is_spread(argument) || stands_alone(cx, &text, span);
        Some((span, if is_safe { text } else { cx.grouped(&text) }))
    }

    /// Returns the text that replaces a parameter pack: `T...` becomes all remaining arguments; in `f<T>...`,
    /// `T` can be replaced by a single pack `U...`.
    fn several_given_for(&self, id: NodeId, given: &[NodeId]) -> Option<(Span, Vec<u8>)> {
        let cx = self.cx;
        let mut around = cx.symbols.up(id).take_while(|&id| id >= self.value);
        let spread = around.find(|&id| cx.symbols.is_spread(id))?;
        let has_more = cx.symbols.references_in(spread).count() > 1;
        let span = cx.span(id);
        match given {
            [] => None,
            _ if !has_more && cx.span(spread).start == span.start => {
                let all: Vec<Vec<u8>> = given.iter().map(|&id| self.text(id)).collect();
                Some((cx.span(spread), all.join(cx.syntax().separator())))
            }
            [only] if cx.symbols.is_spread(*only) => Some((span, self.text(cx.tree.members(*only).next()?))),
            _ => None,
        }
    }

    /// Returns the text of a node with the replacements inside it.
    fn text(&self, id: NodeId) -> Vec<u8> {
        let span = self.cx.span(id);
        self.cx.filled_in(span, &self.made.inside(span))
    }

    /// Adds brackets to a value, unless it is a type or needs none at its place.
    fn held_together(&self, text: Vec<u8>, place: Span) -> Vec<u8> {
        let is_type = self.one.says.kind.is_some_and(NameKind::is_type);
        if is_type || stands_alone(self.cx, &text, place) { text } else { self.cx.grouped(&text) }
    }
}

/// Returns the use of a template that a node begins with.
fn use_at<'n>(cx: &Context<'_>, template: &'n Symbol, node: NodeId) -> Option<&'n Reference> {
    let at = template.references.partition_point(|use_of| use_of.id < node);
    let start = cx.span(node).start;
    template.references.get(at).filter(|use_of| cx.span(use_of.id).start == start)
}

/// Lists the parameters of a template, or of the specialization that an identifier defines.
fn bound(cx: &Context<'_>, template: &Symbol, id: NodeId) -> Option<Vec<Bound>> {
    if let Some(special) = template.handed.iter().find(|special| special.id == id) {
        let given = cx.symbols.members(special.arguments).iter().enumerate();
        let parameter = |(place, &argument): (usize, &NodeId)| {
            let (inner, parameter) = cx.symbols.references_in(argument).next()?;
            let is_whole = cx.span(inner) == cx.span(argument);
            is_whole.then_some(Bound { parameter, place, takes_several: false })
        };
        return Some(given.filter_map(parameter).collect());
    }
    let members = cx.symbols.members(template.definition(id)?.parameters).iter().enumerate();
    let parameter = |(place, &member): (usize, &NodeId)| {
        let takes_several = cx.symbols.is_spread(member);
        Some(Bound { parameter: cx.symbols.first_defined_in(member)?, place, takes_several })
    };
    Some(members.filter_map(parameter).collect())
}

/// Returns whether an expression needs no brackets at a place, because of its form or the text around it.
fn stands_alone(cx: &Context<'_>, text: &[u8], place: Span) -> bool {
    let before = cx.source[..place.start as usize].trim_ascii_end().last();
    let after = cx.source[place.end as usize..].trim_ascii_start().first();
    cx.syntax().holds_whole(before.copied(), after.copied()) || is_chain(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn an_alias_becomes_what_it_stands_for() {
        let text = "template<class T> using U = T *; U<int> a;";
        assert_eq!(removed("cpp", text, "U", ways), ["int * a;"]);
    }

    #[test]
    fn a_member_becomes_its_value_for_the_arguments() {
        let text = "template<class T> struct A { using U = T; }; A<int>::U a;";
        assert_eq!(removed("cpp", text, "U", ways), ["template<class T> struct A { }; int a;"]);
    }
}
