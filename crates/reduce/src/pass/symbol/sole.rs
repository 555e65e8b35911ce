//! Replaces a class with a single member by that member, which takes the name of the class. An object that is
//! only called becomes a function.
//!
//! ```text
//! template <class T> struct b { static int k(T s) { s; } };  int x = b<int>::k(3);
//! // ->
//! template <class T> static int b(T s) { s; }  int x = b<int>(3);
//! ```

use super::Context;
use super::leave::joined;
use super::text::lossy;
use super::way::Way;
use nubbin_language::{Definition, NameKind, Reference, Symbol, SymbolId};
use nubbin_syntax::edit::{Edit, Span};
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a class with one member.
#[derive(Clone, Copy)]
struct Sole {
    /// The node to replace: the definition of the class, or the declaration of an object with it.
    whole: NodeId,
    /// The node that contains the member.
    body: NodeId,
    member: NodeId,
    /// The identifier of the member.
    name: NodeId,
    /// True if objects are called by the member, as by `operator()`.
    is_functor: bool,
}

/// The member takes the name and the template parameters of the class. Returns nothing if nothing refers to the
/// member, or if another class is derived from this one.
pub(super) fn ways(cx: &Context<'_>, class: &Symbol) -> Vec<Way> {
    unwrapped(cx, class).into_iter().collect()
}

/// Replaces the only object of a class without a name by a function, if the member is its call operator.
pub(super) fn unnamed(cx: &Context<'_>) -> Vec<Way> {
    let is_class =
        |id: NodeId| cx.symbols.defined_at(id).is_some_and(|of| cx.symbols[of].is(NameKind::Class));
    let is_named = |id: NodeId| cx.symbols.class_of(id).is_some_and(|(class, _)| is_class(class));
    let functors = cx.symbols.functors().filter(|&id| !is_named(id));
    functors.filter_map(|functor| without_class(cx, functor)).collect()
}

impl Sole {
    fn of(cx: &Context<'_>, body: NodeId) -> Option<Self> {
        let mut members = cx.tree.members(body);
        let (member, None) = (members.next()?, members.next()) else { return None };
        let whole = cx.tree.node(body).parent;
        if let Some(name) = cx.symbols.functor_in(member).filter(|&id| cx.is_own(id, member)) {
            return Some(Self { whole, body, member, name, is_functor: true });
        }
        let mut inside = cx.symbols.definitions_in(member);
        let (name, _) = inside.find(|&(id, _)| cx.symbols.parameter(id).is_none())?;
        cx.is_own(name, member).then_some(Self { whole, body, member, name, is_functor: false })
    }

    /// Keeps only the member, without keywords that are only valid in a class. The parameters of its own
    /// template are added to those in `head`.
    fn alone(&self, cx: &Context<'_>, head: Option<NodeId>) -> Vec<Edit> {
        let member = cx.with_end(self.member);
        let mut start = member.start;
        let mut edits = Vec::new();
        let own = cx.template_head(self.member, self.name);
        if let (Some(head), Some(own)) = (head, own) {
            edits.extend(cx.content(own).map(|inner| cx.appended(head, inner.of(cx.source))));
            start = cx.span(cx.tree.node(own).after).start;
        }
        edits.push(Edit::delete(Span::new(cx.span(self.whole).start, start)));
        edits.push(Edit::delete(Span::new(member.end, cx.with_end(self.whole).end)));
        edits.extend(cx.shed(self.member));
        edits
    }
}

fn unwrapped(cx: &Context<'_>, class: &Symbol) -> Option<Way> {
    let [one] = &class.definitions[..] else { return None };
    let template = cx.symbols.generic_of(one.id);
    let form = one.says.forms.sole.as_deref()?;
    if template.is_some_and(|template| !template.handed.is_empty()) {
        return None;
    }
    let sole = Sole::of(cx, cx.symbols.class_body(one.id)?)?;
    let id = cx.symbols.defined_at(one.id)?;
    let head = template.and_then(|template| template.definitions.first()?.parameters);
    let mut edits = sole.alone(cx, head);
    let text = form.replace("{name}", &lossy(&class.text));
    edits.push(Edit::replace(cx.span(sole.name), text.into_bytes()));
    let mut uses: Vec<&Reference> =
        class.references.iter().filter(|one| !cx.symbols.holds(sole.body, one.id)).collect();
    let accesses = accesses(cx, id, sole, template);
    uses.retain(|one| !accesses.contains_key(&one.id));
    let is_derived_from = uses.iter().any(|one| cx.symbols.heir(one.id).is_some());
    if is_derived_from || accesses.is_empty() && !sole.is_functor {
        return None;
    }
    edits.extend(accesses.into_values().flatten());
    if sole.is_functor {
        let mut objects = BTreeSet::new();
        for one in uses {
            edits.extend(called(cx, one, template, &mut objects)?);
        }
    }
    Some(joined(edits).into())
}

/// Returns the edits at each access to the member through the class, by the name of the class there.
fn accesses(
    cx: &Context<'_>,
    class: SymbolId,
    sole: Sole,
    template: Option<&Symbol>,
) -> BTreeMap<NodeId, Vec<Edit>> {
    let Some(member) = cx.symbols.defined_at(sole.name) else { return BTreeMap::new() };
    let access = |one: &Reference| {
        let object = one.object?;
        let (id, of) = cx.symbols.references_in(object).next()?;
        let (whole, object_span, name) = (cx.span(one.whole), cx.span(object), cx.span(one.id));
        if of != class || cx.span(id).start != object_span.start || object_span.end > name.start {
            return None;
        }
        let mut edits = Vec::new();
        if whole.start < object_span.start {
            edits.push(Edit::delete(Span::new(whole.start, object_span.start)));
        }
        let given = |symbol: &Symbol, id: NodeId| symbol.reference(id).and_then(|one| one.arguments);
        let outer = template.and_then(|template| given(template, id));
        let inner = cx.symbols.generic_of(sole.name).and_then(|generic| given(generic, one.id));
        edits.push(match (outer, inner) {
            (Some(outer), Some(inner)) => {
                let (outer, inner) = (cx.content(outer)?, cx.content(inner)?);
                Edit::replace(Span::new(outer.end, inner.start), cx.syntax().separator())
            }
            _ => Edit::delete(Span::new(object_span.end, name.end)),
        });
        Some((id, edits))
    };
    cx.symbols[member].references.iter().filter_map(access).collect()
}

/// Changes a use of the class that constructs an object so that it names the function; `None` if that is
/// impossible.
fn called(
    cx: &Context<'_>,
    one: &Reference,
    template: Option<&Symbol>,
    objects: &mut BTreeSet<SymbolId>,
) -> Option<Vec<Edit>> {
    if let Some((id, kind)) = declared(cx, one.id) {
        let symbol = cx.symbols.defined_at(id)?;
        let object = &cx.symbols[symbol];
        let [definition] = &object.definitions[..] else { return None };
        if !objects.insert(symbol) {
            return Some(Vec::new());
        }
        let text = match cx.symbols.generic_of(id) {
            None => cx.text(kind),
            Some(of_object) => same_parameters(cx, of_object, template?, one).then(|| cx.text(one.id))?,
        };
        let mut edits = cx.removals.edits(cx.definition_unit(definition.whole));
        edits.extend(object.references.iter().map(|one| {
            let start = one.object.unwrap_or(one.id);
            Edit::replace(Span::new(cx.span(start).start, cx.span(one.id).end), text)
        }));
        return Some(edits);
    }
    let given = template.and_then(|template| template.reference(one.id)?.arguments);
    let end = cx.span(given.unwrap_or(one.id)).end;
    let start = cx.span(one.id).start;
    let around = cx.symbols.up(one.id).map(|id| cx.span(id)).find(|span| span.end > end)?;
    let behind = Span::new(end, around.end).of(cx.source);
    let is_made = around.start == start && matches!(behind, b"{}" | b"()");
    Some(is_made.then(|| Edit::delete(Span::new(end, around.end))).into_iter().collect())
}

/// Returns the variable or member whose type begins with an identifier, and the type.
fn declared(cx: &Context<'_>, id: NodeId) -> Option<(NodeId, NodeId)> {
    let statement = cx.symbols.up(id).take_while(|&id| cx.symbols.parameter(id).is_none());
    let mut around = statement.take(6);
    around.find_map(|around| {
        let mut inside = cx.symbols.definitions_in(around);
        let ((name, symbol), None) = (inside.next()?, inside.next()) else { return None };
        let kind = type_of(cx, cx.symbols[symbol].definition(name)?)?;
        let starts = cx.span(kind).start == cx.span(id).start && cx.symbols.holds(kind, id);
        starts.then_some((name, kind))
    })
}

/// Returns the type that a definition is declared with.
fn type_of(cx: &Context<'_>, one: &Definition) -> Option<NodeId> {
    let members = &cx.symbols.shapes().members;
    one.type_of.or_else(|| cx.symbols.up(one.id).take(3).find_map(|id| members.get(&id).copied()))
}

/// Returns whether a template passes its own parameters unchanged to a use of another template.
fn same_parameters(cx: &Context<'_>, of: &Symbol, to: &Symbol, use_of: &Reference) -> bool {
    let given = to.reference(use_of.id).map_or(&[][..], |one| cx.symbols.members(one.arguments));
    let own = of.definitions.first().map_or(&[][..], |one| cx.symbols.members(one.parameters));
    let is_same = |(own, given): (&NodeId, &NodeId)| {
        let own = cx.symbols.definitions_in(*own).next();
        own.is_some_and(|(id, _)| cx.text(id) == cx.text(*given))
    };
    given.len() == own.len() && own.iter().zip(given).all(is_same)
}

fn without_class(cx: &Context<'_>, functor: NodeId) -> Option<Way> {
    let is_sole = |body: NodeId| Sole::of(cx, body).filter(|sole| sole.name == functor);
    let sole = cx.symbols.up(functor).skip(1).take(6).find_map(is_sole)?;
    let declaration = cx.tree.node(sole.whole).parent;
    let mut outside =
        cx.symbols.definitions_among(cx.tree.node(sole.whole).after..cx.tree.node(declaration).after);
    let ((name, object), None) = (outside.next()?, outside.next()) else { return None };
    let object = &cx.symbols[object];
    if object.definitions.len() != 1 || !object.references.iter().all(|one| one.is_call) {
        return None;
    }
    let mut edits = Sole { whole: declaration, ..sole }.alone(cx, None);
    edits.push(Edit::replace(cx.span(functor), &*object.text));
    cx.symbols.holds(declaration, name).then(|| joined(edits).into())
}

impl Context<'_> {
    /// Returns whether a node belongs to a member itself, and not to a class or code inside it.
    fn is_own(&self, id: NodeId, member: NodeId) -> bool {
        let symbols = self.symbols;
        let is_inner = |&id: &NodeId| id != member && self.tree.node(id).parent != member;
        let mut around = symbols.up(id).skip(1).take_while(is_inner);
        symbols.holds(member, id) && !around.any(|id| symbols.is_statement(id) || symbols.is_class_body(id))
    }

    /// Removes the keywords of a member that are only valid in a class.
    fn shed(&self, member: NodeId) -> impl Iterator<Item = Edit> {
        let sheds = self.symbols.sheds(member, self.tree.node(member).after);
        let own = sheds.filter(move |&id| self.is_own(id, member));
        own.map(|id| Edit::delete(deletion_span(self.source, self.span(id))))
    }

    /// Returns the parameter list of a member that is a template.
    fn template_head(&self, member: NodeId, name: NodeId) -> Option<NodeId> {
        let list = self.tree.members(member).next()?;
        let is_list = !self.symbols.holds(list, name) && self.symbols.is_list(list);
        is_list.then_some(list)
    }

    /// Appends members to a list.
    fn appended(&self, list: NodeId, text: &[u8]) -> Edit {
        let Some(content) = self.content(list) else {
            let at = self.span(list).start + 1;
            return Edit::replace(Span::new(at, at), text);
        };
        Edit::replace(Span::new(content.end, content.end), [self.syntax().separator(), text].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{rewritten, texts, with_context};
    use super::{unnamed, ways};

    fn made(text: &str, name: &str) -> Vec<String> {
        rewritten("cpp", text, name, ways)
    }

    #[test]
    fn the_only_member_takes_the_name_of_its_class() {
        let text = "template <class... T> struct g { static bool s = e<int>; }; bool b = g<>::s;";
        assert_eq!(made(text, "g"), ["template <class... T> static bool g = e<int>; bool b = g<>;"]);
        let text = "template <class T> struct b { static int k(T s) { s; } };  int x = b<int>::k(3);";
        assert_eq!(made(text, "b"), ["template <class T> static int b(T s) { s; }  int x = b<int>(3);"]);
        let text =
            "template <class F> struct f { using a = F; }; template <class T> using g = typename f<T>::a;";
        assert_eq!(made(text, "f"), ["template <class F> using f = F; template <class T> using g = f<T>;"]);
        let text = "struct e { static int g(int *p) { p; } virtual void h() const; };";
        assert_eq!(made(text, "e"), [""; 0]);
    }

    #[test]
    fn templates_of_the_class_and_of_the_member_become_one() {
        let text =
            "template <class T> struct A { template <class U> static int f(U); }; int x = A<B>::f<C>(c);";
        assert_eq!(made(text, "A"), ["template <class T, class U> static int A(U); int x = A<B, C>(c);"]);
    }

    #[test]
    fn a_class_whose_member_nothing_names_stays() {
        let text = "struct A { static int f(); }; A a;";
        assert_eq!(made(text, "A"), [""; 0]);
    }

    #[test]
    fn objects_that_are_only_called_give_way_to_a_function() {
        let text = "template <class a> struct f { int operator()(a b) const { b; } }; \
                    template <class d> struct g { int s(d e) { h(e); } f<d> h; }; int x = f<int>{}(3);";
        let made_of = "template <class a> int f(a b) { b; } \
                       template <class d> struct g { int s(d e) { f<d>(e); } }; int x = f<int>(3);";
        assert_eq!(made(text, "f"), [made_of]);
        let text = "template <class a> struct w { auto operator()(auto x) { x; } }; \
                    template <class b> w<b> make; int x = make<int>(1);";
        assert_eq!(made(text, "w"), ["template <class a> auto w(auto x) { x; } int x = w<int>(1);"]);
    }

    #[test]
    fn an_object_without_a_class_becomes_a_function() {
        let text = "struct { template <class T> int operator()(T x) { x; } } d; int y = d(3);";
        let ways = with_context("cpp", text, |cx, _| texts(cx, unnamed(cx)));
        assert_eq!(ways, ["template <class T> int d(T x) { x; } int y = d(3);"]);
    }
}
