//! Moves members out of their class: a method becomes a function, an attribute becomes a variable, and a class
//! is replaced by its members.
//!
//! ```text
//! class A:
//!     b = 1
//!     def f(self): return self.b
//! A().f()
//! // ->
//! b = 1
//! def f(): return b
//! f()
//! ```

use super::Context;
use super::receive::{RECEIVER, Received};
use super::text::lossy;
use super::way::Way;
use crate::pass::Snapshot;
use crate::pass::hoist::hoist;
use nubbin_language::{Definition, NameKind, Reference, Symbol, SymbolId};
use nubbin_syntax::edit::{Edit, Span};
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A statement that defines more symbols than this is not removed with a class.
const FEW: usize = 4;

/// What happens to the object on which a method is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// It is removed, and so is the parameter for it.
    Dropped,
    /// It becomes the first argument.
    Handed,
}

const MANNERS: [Receiver; 2] = [Receiver::Dropped, Receiver::Handed];

/// Moves a member out of its class, or replaces a class by its members. One alternative drops the object of a
/// method, the other passes it as an argument.
pub(super) fn ways(cx: &Context<'_>, snapshot: &Snapshot<'_>, symbol: &Symbol) -> Vec<Way> {
    if symbol.definitions.iter().any(|one| cx.symbols.class_body(one.id).is_some()) {
        let way = |&manner: &Receiver| class_as_content(cx, snapshot, symbol, manner);
        return MANNERS.iter().filter_map(way).map(Into::into).collect();
    }
    if symbol.definitions.iter().all(|one| one.says.forms.free.is_none()) {
        return Vec::new();
    }
    MANNERS.iter().filter_map(|&manner| freed(cx, symbol, manner)).map(Into::into).collect()
}

/// Turns a method into a function before its class, or an attribute into a variable.
fn freed(cx: &Context<'_>, symbol: &Symbol, manner: Receiver) -> Option<Vec<Edit>> {
    let bodies = symbol.definitions.iter().filter(|one| code(one).is_some()).count();
    if bodies > 1 || manner == Receiver::Handed && !hands_over(cx, symbol) {
        return None;
    }
    let mut all = Leaving::new(cx, manner);
    all.references(symbol, symbol.references.iter())?;
    let mut moved = None;
    for one in &symbol.definitions {
        match (one.object, code(one), cx.symbols.class_of(one.id)) {
            (Some(_), ..) => all.definition(one, &symbol.text, one.id)?,
            (None, Some(_), Some((class, member))) => {
                all.definition(one, &symbol.text, one.id)?;
                moved = Some((class, member));
            }
            (None, None, Some((_, member))) if one.parameters.is_some() => {
                all.edits.extend(cx.removals.edits([member]));
            }
            _ => return None,
        }
    }
    if manner == Receiver::Dropped && symbol.definitions.iter().any(|one| all.keeps_object(one)) {
        return None;
    }
    let edits = all.close();
    let Some((class, member)) = moved else { return Some(edits) };
    moved_before(cx, class, member, edits)
}

/// Returns the body of a function, or the expression that it stands for.
fn code(one: &Definition) -> Option<NodeId> {
    one.body.or(one.value.filter(|_| one.parameters.is_some()))
}

/// Returns the parameter for the object that precedes the name of a method, and its symbol.
fn receiver(cx: &Context<'_>, one: &Definition) -> Option<(NodeId, SymbolId)> {
    let own = one.object.filter(|_| one.body.is_some())?;
    Some((cx.tree.members(own).next()?, cx.symbols.first_defined_in(own)?))
}

/// Returns the form of an argument for the object of a method; `None` if the object is written with a keyword
/// such as `self`, which is passed unchanged.
fn handed<'s>(symbol: &'s Symbol, object: &[u8]) -> Option<&'s str> {
    let forms = &symbol.definitions.first()?.says.forms;
    forms.handed.as_deref().filter(|_| !forms.is_this(object) && object != RECEIVER)
}

/// Returns whether a method has a parameter for its object.
fn hands_over(cx: &Context<'_>, symbol: &Symbol) -> bool {
    let has_one =
        |one: &Definition| one.says.forms.skip.is_some_and(|skip| skip > 0) || receiver(cx, one).is_some();
    symbol.definitions.iter().any(|one| has_one(one) && cx.symbols.class_body(one.id).is_none())
}

/// Moves a member before its class, together with the edits inside it.
fn moved_before(cx: &Context<'_>, class: NodeId, member: NodeId, edits: Vec<Edit>) -> Option<Vec<Edit>> {
    let whole = cx.span(member);
    let (text, mut edits) = cx.changed(whole, edits);
    let unit = cx.definition_unit(class).filter(|&unit| cx.symbols.holds(unit, member))?;
    let place = cx.span(unit).start;
    let text = cx.moved_text(text.trim_ascii_start(), whole, place)?;
    // A block that only adds members to a class is removed with its last member.
    let body = cx.symbols.class_body(class)?;
    let is_last = cx.symbols.defined_at(class).is_none() && cx.tree.members(body).eq([member]);
    edits.extend(cx.removals.edits([if is_last { unit } else { member }]));
    edits.push(Edit::replace(Span::new(place, place), text));
    Some(joined(edits))
}

/// Removes the head and the end of a class, and turns its members into independent symbols.
fn class_as_content(
    cx: &Context<'_>,
    snapshot: &Snapshot<'_>,
    symbol: &Symbol,
    manner: Receiver,
) -> Option<Vec<Edit>> {
    let mut with_members =
        symbol.definitions.iter().filter_map(|one| Some((one, cx.symbols.class_body(one.id)?)));
    let ((class, body), None) = (with_members.next()?, with_members.next()) else { return None };
    if symbol.references.iter().any(|one| cx.symbols.heir(one.id).is_some()) {
        return None;
    }
    let content = cx.content(body)?;
    let unit = cx.definition_unit(class.whole).filter(|&unit| cx.symbols.holds(unit, body))?;
    let own = members_of(cx, class.id, body);
    if manner == Receiver::Handed && !own.iter().any(|&member| hands_over(cx, &cx.symbols[member])) {
        return None;
    }
    let mut all = Leaving::new(cx, manner);
    all.members(class.id, body, &own)?;
    all.inner(class.id, body, &own);
    let sheds = cx.symbols.sheds(body, cx.tree.node(body).after);
    let sheds: Vec<NodeId> = sheds.filter(|&id| is_in(cx, id, class.id)).collect();
    all.edits.extend(sheds.iter().flat_map(|&id| shed(cx, id)));
    if let Some(constructor) = class.constructor {
        all.definition(class, &symbol.text, constructor)?;
    } else {
        all.class(symbol, class, &sheds)?;
    }
    for other in symbol.definitions.iter().filter(|one| one.id != class.id) {
        all.edits.extend(cx.removals.edits(cx.definition_unit(other.whole)));
    }
    let mut edits = all.close();
    let outer = cx.with_end(declaring(cx, unit).unwrap_or(unit));
    if let Some(members) = cx.in_order(body) {
        let (mut text, mut edits) = cx.members_changed(&members, edits);
        if !cx.source.get(outer.end as usize).is_none_or(u8::is_ascii_whitespace) {
            text.push(b'\n');
        }
        edits.retain(|edit| !outer.contains(edit.span));
        edits.push(Edit::replace(outer, text));
        return Some(edits);
    }
    edits.extend(hoist(snapshot, cx.layer, outer, content));
    Some(edits)
}

/// Returns the declaration in which a class is the type of objects, as in `struct A { … } a;`.
fn declaring(cx: &Context<'_>, unit: NodeId) -> Option<NodeId> {
    let around = cx.tree.node(unit).parent;
    let mut behind = cx.symbols.definitions_among(cx.tree.node(unit).after..cx.tree.node(around).after);
    (cx.symbols.is_statement(around) && behind.next().is_some()).then_some(around)
}

/// Returns whether a node is a member of this class or lies inside one.
fn is_in(cx: &Context<'_>, id: NodeId, class: NodeId) -> bool {
    cx.symbols.class_of(id).is_some_and(|(of, _)| of == class)
}

/// Lists the members of a class that can leave it, in the order of their numbers.
fn members_of(cx: &Context<'_>, class: NodeId, body: NodeId) -> Vec<SymbolId> {
    let is_free = |id: NodeId, symbol: SymbolId| {
        cx.symbols[symbol].definition(id).is_some_and(|one| one.says.forms.free.is_some())
    };
    let inside = cx.symbols.definitions_in(body);
    let of_class = inside.filter(|&(id, symbol)| is_free(id, symbol) && is_in(cx, id, class));
    let known = of_class.map(|(_, symbol)| symbol).filter(|&symbol| cx.symbols[symbol].scope == 0);
    known.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Removes a node that has a meaning only in a class.
fn shed(cx: &Context<'_>, id: NodeId) -> Vec<Edit> {
    if cx.removals.may_go(id) {
        return cx.removals.edits([id]);
    }
    vec![Edit::delete(deletion_span(cx.source, cx.span(id)))]
}

/// The edits so far for the members that leave.
struct Leaving<'c> {
    cx: &'c Context<'c>,
    manner: Receiver,
    edits: Vec<Edit>,
    /// The text to insert at each position.
    before: BTreeMap<u32, Vec<u8>>,
    /// The nodes of the objects that are removed.
    objects: HashSet<NodeId>,
}

impl<'c> Leaving<'c> {
    fn new(cx: &'c Context<'c>, manner: Receiver) -> Self {
        Self { cx, manner, edits: Vec::new(), before: BTreeMap::new(), objects: HashSet::new() }
    }

    fn close(self) -> Vec<Edit> {
        with_inserts(self.edits, self.before)
    }

    /// Moves the members of a class out of it; `None` if one cannot be moved.
    fn members(&mut self, class: NodeId, body: NodeId, own: &[SymbolId]) -> Option<()> {
        let cx = self.cx;
        let mut leaving = Vec::new();
        for &member in own {
            let member = &cx.symbols[member];
            let mut definitions = member.definitions.iter();
            let all_own = definitions.all(|one| is_in(cx, one.id, class) || one.object.is_some());
            if all_own {
                self.references(member, member.references.iter())?;
            } else {
                let from = member.references.partition_point(|one| one.id < body);
                let rest = member.references[from..].iter();
                self.references(member, rest.take_while(|one| cx.symbols.holds(body, one.id)))?;
            }
            leaving.push((member, all_own));
        }
        for (member, all_own) in leaving {
            let leaves =
                |one: &&Definition| one.says.forms.free.is_some() && (all_own || is_in(cx, one.id, class));
            for one in member.definitions.iter().filter(leaves) {
                self.definition(one, &member.text, one.id)?;
            }
        }
        Some(())
    }

    /// Removes the name of the class from references to types that are defined in it.
    fn inner(&mut self, class: NodeId, body: NodeId, own: &[SymbolId]) {
        let cx = self.cx;
        let is_type = |symbol: SymbolId| cx.symbols[symbol].kind.is_some_and(NameKind::is_type);
        let inside = cx.symbols.definitions_in(body);
        let types = inside.filter(|&(id, symbol)| {
            own.binary_search(&symbol).is_err() && is_type(symbol) && is_in(cx, id, class)
        });
        let types: BTreeSet<SymbolId> = types.map(|(_, symbol)| symbol).collect();
        for one in types.iter().flat_map(|&symbol| &cx.symbols[symbol].references) {
            let Some(object) = one.object else { continue };
            self.objects.insert(object);
            self.edits.push(Edit::delete(Span::new(cx.span(one.whole).start, cx.span(one.id).start)));
        }
    }

    /// Removes references to the class, or replaces them by a constant.
    fn class(&mut self, symbol: &Symbol, class: &Definition, sheds: &[NodeId]) -> Option<()> {
        let cx = self.cx;
        let cover = cx.cover(sheds);
        let is_object = |id: NodeId| cx.symbols.up(id).take(FEW).any(|id| self.objects.contains(&id));
        let uses = symbol.references.iter().filter(|one| !is_object(one.id));
        let uses: Vec<&Reference> = uses.filter(|one| !cover.holds(one.id)).collect();
        let (needless, uses): (Vec<_>, Vec<_>) =
            uses.into_iter().partition(|one| self.needless_around(one.whole).is_some());
        self.edits.extend(cx.constants(&uses, cx.constant(class)?.as_bytes()));
        let needless: BTreeSet<NodeId> =
            needless.iter().filter_map(|one| self.needless_around(one.whole)).collect();
        self.edits.extend(cx.removals.edits(needless));
        Some(())
    }

    /// Returns the statement around a node, if the symbols that it defines are only used as objects that are
    /// removed.
    fn needless_around(&self, id: NodeId) -> Option<NodeId> {
        let cx = self.cx;
        let statement = cx.symbols.statement(id).filter(|&statement| cx.removals.is_member(statement))?;
        let defined: Vec<_> = cx.symbols.definitions_in(statement).take(FEW + 1).collect();
        let goes = |&(_, symbol): &(NodeId, SymbolId)| {
            let symbol = &cx.symbols[symbol];
            let is_object = |one: &Reference| self.objects.contains(&one.id);
            symbol.definitions.len() == 1 && symbol.references.iter().all(is_object)
        };
        ((1..=FEW).contains(&defined.len()) && defined.iter().all(goes)).then_some(statement)
    }

    /// Removes the object from these references to a member; `None` if one cannot be changed.
    fn references<'r>(
        &mut self,
        symbol: &Symbol,
        references: impl Iterator<Item = &'r Reference>,
    ) -> Option<()> {
        let cx = self.cx;
        let hands_over = hands_over(cx, symbol);
        let skip = if hands_over { symbol.skip } else { 0 };
        for one in references {
            let Some(object) = one.object else { continue };
            let (object_span, id) = (cx.span(object), cx.span(one.id));
            if object_span.end > id.start {
                return None;
            }
            let given = cx.symbols.members(one.arguments);
            // `A.f(a)` passes the object as an argument.
            let is_given = skip > 0
                && self.is_class(object)
                && cx.symbols.lists_of(symbol).all(|list| given.len() >= list.len());
            if self.manner == Receiver::Handed && hands_over && !is_given {
                self.hand_over(one, object_span, handed(symbol, cx.text(object)))?;
                continue;
            }
            self.objects.insert(object);
            self.edits.push(Edit::delete(Span::new(object_span.start, id.start)));
            if self.manner == Receiver::Dropped && is_given {
                self.edits.extend(cx.removals.edits(given.first().copied()));
            }
        }
        Some(())
    }

    /// Turns the object of a call into its first argument.
    fn hand_over(&mut self, one: &Reference, object: Span, handed: Option<&str>) -> Option<()> {
        let (cx, id) = (self.cx, self.cx.span(one.id));
        let given = cx.symbols.members(one.arguments);
        let open = cx.tree.children(one.arguments?).next()?;
        let first = given.first().map_or(cx.span(one.arguments?).end - 1, |&id| cx.span(id).start);
        if cx.span(open).end > first || id.end > cx.span(open).start {
            return None;
        }
        let call = Span::new(id.start, cx.span(open).end).of(cx.source);
        let before = self.before.entry(object.start).or_default();
        let sign = handed.and_then(|form| form.split("{object}").next()).unwrap_or_default();
        *before = [call, sign.as_bytes(), &before[..]].concat();
        let between: &[u8] = if given.is_empty() { b"" } else { cx.syntax().separator() };
        self.edits.push(Edit::replace(Span::new(object.end, first), between));
        Some(())
    }

    /// Returns whether the body of a method has a word for its object that stays and has no meaning in a
    /// function.
    fn keeps_object(&self, one: &Definition) -> bool {
        let (cx, forms) = (self.cx, &one.says.forms);
        let Some(body) = one.body.filter(|_| forms.unbound.is_none()) else { return false };
        let mut inside = body..cx.tree.node(body).after;
        let goes = |id: NodeId| self.objects.contains(&id) || self.objects.contains(&cx.tree.node(id).parent);
        inside.any(|id| forms.is_this(cx.text(id)) && !goes(id))
    }

    /// Turns the parameter before the name of a method into its first parameter.
    fn receive(&mut self, one: &Definition, own: NodeId) -> Option<()> {
        let cx = self.cx;
        let open = cx.tree.children(one.parameters?).next()?;
        let between: &[u8] =
            if cx.symbols.members(one.parameters).is_empty() { b"" } else { cx.syntax().separator() };
        self.before.insert(cx.span(open).end, [cx.text(own), between].concat());
        Some(())
    }

    /// Turns the word for the object of a method into a parameter.
    fn declare(&mut self, one: &Definition, parameter: NodeId) -> Option<()> {
        if self.cx.symbols.first_defined_in(parameter).is_some() {
            return Some(());
        }
        let received = Received::new(self.cx, one, parameter)?;
        self.edits.extend(received.edits);
        for (at, text) in received.inserts {
            self.before.entry(at).or_default().extend(text);
        }
        Some(())
    }

    /// Returns whether a symbol is only used as an object that is removed.
    fn goes(&self, symbol: SymbolId) -> bool {
        self.cx.symbols[symbol].references.iter().all(|one| self.objects.contains(&one.id))
    }

    /// Returns whether a node is the name of a class.
    fn is_class(&self, id: NodeId) -> bool {
        let symbols = self.cx.symbols;
        symbols.referred_at(id).is_some_and(|symbol| symbols[symbol].is(NameKind::Class))
    }

    /// Turns a definition into one outside a class, with the name at `id` and without the parameter for the
    /// object.
    fn definition(&mut self, one: &Definition, name: &[u8], id: NodeId) -> Option<()> {
        let cx = self.cx;
        if let Some(object) = one.object {
            self.objects.insert(object);
            self.edits.push(Edit::delete(Span::new(cx.span(object).start, cx.span(one.id).start)));
        }
        if let Some((own, symbol)) = receiver(cx, one) {
            match self.manner {
                Receiver::Handed => self.receive(one, own)?,
                Receiver::Dropped if self.goes(symbol) => {}
                Receiver::Dropped => return None,
            }
        }
        let text = one.says.forms.free.as_ref()?.replace("{name}", &lossy(name)).into_bytes();
        if text != cx.text(id) {
            self.edits.push(Edit::replace(cx.span(id), text));
        }
        let member = cx.symbols.class_of(id).filter(|_| one.object.is_none());
        let from = member.map_or(id, |(_, member)| member);
        let sheds = cx.symbols.sheds(from, code(one).unwrap_or(from));
        self.edits.extend(sheds.flat_map(|id| shed(cx, id)));
        let is_class = cx.symbols.class_body(id).is_some();
        let skipped = if is_class { 0 } else { one.says.forms.skip.unwrap_or(0) };
        for &parameter in cx.symbols.members(one.parameters).iter().take(skipped) {
            if self.manner == Receiver::Handed {
                self.declare(one, parameter)?;
                break;
            }
            self.edits.extend(cx.removals.edits([parameter]));
            let Some(own) = cx.symbols.first_defined_in(parameter) else { continue };
            if !self.goes(own) {
                return None;
            }
        }
        Some(())
    }
}

/// Joins each insertion with the edit that begins at the same position. Otherwise the insertion would count as
/// nested in that edit and would be dropped.
pub(super) fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let (inserts, edits): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|edit| edit.span.is_empty());
    let mut before: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for insert in inserts {
        before.entry(insert.span.start).or_default().extend_from_slice(&insert.text);
    }
    with_inserts(edits, before)
}

/// Adds the insertions to the edits that begin at the same positions, and the other ones as separate edits.
fn with_inserts(mut edits: Vec<Edit>, mut before: BTreeMap<u32, Vec<u8>>) -> Vec<Edit> {
    for edit in edits.iter_mut().filter(|edit| !edit.span.is_empty()) {
        if let Some(text) = before.remove(&edit.span.start) {
            edit.text = [&text[..], &edit.text].concat().into();
        }
    }
    edits.extend(before.into_iter().map(|(at, text)| Edit::replace(Span::new(at, at), text)));
    edits
}

#[cfg(test)]
mod tests {
    use super::super::tests::{find, texts, with_context};
    use super::ways;

    fn left(text: &str, name: &str) -> Vec<String> {
        with_context("python", text, |cx, snapshot| texts(cx, ways(cx, snapshot, find(cx, name).1)))
    }

    #[test]
    fn a_method_becomes_a_function_without_its_object_or_with_it() {
        let text =
            "class A:\n    def f(self, a):\n        return a\n    def g(self):\n        return self.f(1)\n";
        let without = "def f(a):\n    return a\nclass A:\n    def g(self):\n        return f(1)\n";
        let with = "def f(self, a):\n    return a\nclass A:\n    def g(self):\n        return f(self, 1)\n";
        assert_eq!(left(text, "f"), [without, with]);
    }

    #[test]
    fn a_class_gives_way_to_its_members() {
        let text = "class A:\n    b = 1\n    def f(self):\n        return self.b\nA().f()\n";
        let without = "b = 1\ndef f():\n    return b\nf()\n";
        let with = "b = 1\ndef f(self):\n    return b\nf(0)\n";
        assert_eq!(left(text, "A"), [without, with]);
    }

    #[test]
    fn a_class_goes_from_the_uses_that_give_its_template_something() {
        let text = "template <class> struct A { static int f(); int b; }; int x = A<C>::f();";
        let made = "static int f(); int b; int x = f();";
        let all = with_context("cpp", text, |cx, snapshot| texts(cx, ways(cx, snapshot, find(cx, "A").1)));
        assert_eq!(all, [made]);
    }

    #[test]
    fn what_has_no_code_comes_first_and_objects_that_are_declared_with_the_class_go() {
        let text = "class C { int next() { return ++n; } int n; } c; int x = c.next();";
        let made = "int n;\nint next() { return ++n; } int x = next();";
        let all = with_context("cpp", text, |cx, snapshot| texts(cx, ways(cx, snapshot, find(cx, "C").1)));
        assert_eq!(all, [made]);
        let text = "class { int next() { return n; } } c; int x = c.next();";
        let made = "int next() { return n; } int x = next();";
        let all = with_context("cpp", text, |cx, snapshot| texts(cx, ways(cx, snapshot, find(cx, "c").1)));
        assert_eq!(all, [made]);
    }

    #[test]
    fn a_class_that_another_one_is_derived_from_stays() {
        assert_eq!(left("class A:\n    b = 1\nclass B(A):\n    pass\n", "A"), [""; 0]);
    }
}
