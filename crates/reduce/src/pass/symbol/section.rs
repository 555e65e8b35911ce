//! Sections of a list, such as the basic blocks of a function in LLVM IR: each begins with a name, and the last
//! part of each determines where it continues.
//!
//! ```text
//!   br i1 %x, label %a, label %b     // section 0, without a name
//! a:                                 // section 1
//!   br label %b
//! b:                                 // section 2
//!   ret void
//! ```
//!
//! The module finds the sections and the consequences of removed jumps; it proposes nothing.

use super::Context;
use super::text::lossy;
use crate::pass::part::needless;
use nubbin_language::{Definition, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Index;

struct Tuning {
    /// Approximate maximum number of steps for the changes of a list's jumps. Each change looks at all of its
    /// jumps.
    steps: usize,
}

const TUNING: Tuning = Tuning { steps: 1 << 22 };

/// The sections of one list.
pub(super) struct Sections<'c> {
    cx: Context<'c>,
    all: Vec<Section>,
    /// The sections that can be entered from outside the list, and the first one.
    roots: Vec<usize>,
    /// The definition of the first name; it contains the forms for all of them.
    says: &'c Definition,
}

/// The members of a list from one name to the next.
#[derive(Default)]
pub(super) struct Section {
    /// The name, unless it is a first section without one.
    pub name: Option<SymbolId>,
    /// The members, including the one with the name.
    pub members: Vec<NodeId>,
    /// The members that jump.
    pub jumps: Vec<Jump>,
    /// The members that depend on the section from which this one was entered, such as a `phi`.
    pub origins: Vec<Origins>,
}

/// A member with its possible jump targets.
pub(super) struct Jump {
    pub member: NodeId,
    /// Each reference to a section, with the section.
    pub targets: Vec<(NodeId, usize)>,
}

/// A member with an entry for each predecessor of its section.
pub(super) struct Origins {
    pub member: NodeId,
    /// Each entry with its section.
    pub entries: Vec<(Span, usize)>,
    /// The identifier in each entry.
    pub ids: Vec<NodeId>,
    /// The text between neighbouring entries.
    separators: Vec<Span>,
}

/// A change of one jump.
pub(super) struct Change {
    /// The section and the number of the jump in it.
    pub section: usize,
    pub jump: usize,
    /// The numbers of the targets that stay.
    pub stays: Vec<usize>,
    /// The edits of the member itself.
    pub edits: Vec<Edit>,
}

/// Returns the members that delimit sections: the names, and the members that determine where a section
/// continues.
pub(in crate::pass) fn frames(cx: &Context<'_>) -> HashSet<NodeId> {
    let all = Sections::all(cx);
    let sections = all.iter().flat_map(|sections| &sections.all);
    let of = |section: &Section| {
        let name = section.members.first().filter(|_| section.name.is_some());
        let jumps = section.jumps.iter().map(|jump| &jump.member);
        name.into_iter().chain(section.members.last()).chain(jumps).copied().collect::<Vec<_>>()
    };
    sections.flat_map(of).collect()
}

impl Index<usize> for Sections<'_> {
    type Output = Section;

    fn index(&self, section: usize) -> &Section {
        &self.all[section]
    }
}

impl<'c> Sections<'c> {
    pub fn all(cx: &Context<'c>) -> Vec<Self> {
        let mut lists: BTreeMap<NodeId, HashMap<NodeId, SymbolId>> = BTreeMap::new();
        for (id, symbol) in cx.symbols.all().iter().enumerate() {
            let opens = |one: &&Definition| one.says.forms.jump.is_some();
            for one in symbol.definitions.iter().filter(opens) {
                let member = cx.symbols.up(one.id).find(|&node| cx.removals.is_loose(node));
                if let Some(member) = member {
                    lists.entry(cx.tree.node(member).parent).or_default().insert(member, id);
                }
            }
        }
        lists.into_iter().filter_map(|(list, heads)| Self::of(cx, list, &heads)).collect()
    }

    fn of(cx: &Context<'c>, list: NodeId, heads: &HashMap<NodeId, SymbolId>) -> Option<Self> {
        let mut all = vec![Section::default()];
        for member in cx.tree.children(list).filter(|&child| cx.removals.is_loose(child)) {
            if let Some(&name) = heads.get(&member) {
                // A list can begin with a name.
                if all.len() > 1 || !all[0].members.is_empty() {
                    all.push(Section::default());
                }
                all.last_mut()?.name = Some(name);
            }
            all.last_mut()?.members.push(member);
        }
        let numbers: HashMap<SymbolId, usize> =
            all.iter().enumerate().filter_map(|(i, section)| Some((section.name?, i))).collect();
        for section in &mut all {
            for &member in &section.members {
                let mut targets = Vec::new();
                let mut origins = Vec::new();
                for (id, symbol) in cx.symbols.references_in(member) {
                    let to = numbers.get(&symbol).copied();
                    if cx.symbols.is_origin(id) {
                        // A section without a name can be referred to by a number.
                        origins.push((id, to.unwrap_or(0)));
                    } else if let Some(to) = to {
                        targets.push((id, to));
                    }
                }
                section.origins.extend(Origins::of(cx, member, &origins));
                if !targets.is_empty() {
                    section.jumps.push(Jump { member, targets });
                }
            }
        }
        let is_outer = |id: NodeId| !cx.symbols.holds(list, id);
        let is_root = |symbol: SymbolId| cx.symbols[symbol].references.iter().any(|one| is_outer(one.id));
        let roots = (0..all.len()).filter(|&i| i == 0 || all[i].name.is_some_and(is_root)).collect();
        let says = cx.symbols[*heads.values().min()?].definitions.first()?;
        Some(Self { cx: *cx, all, roots, says })
    }

    /// Lists the jumps of all sections, with the section and the number of the jump in it. If there are very
    /// many, only the first ones are listed.
    pub fn jumps(&self) -> impl Iterator<Item = (usize, usize, &Jump)> {
        let of = |(section, one): (usize, &'_ Section)| -> Vec<_> {
            (0..one.jumps.len()).map(|number| (section, number)).collect()
        };
        let jumps: Vec<(usize, usize)> = self.all.iter().enumerate().flat_map(of).collect();
        let targets = self.all.iter().flat_map(|one| &one.jumps).map(|jump| jump.targets.len());
        let most = TUNING.steps / targets.sum::<usize>().max(1);
        jumps
            .into_iter()
            .take(most)
            .map(|(section, number)| (section, number, &self.all[section].jumps[number]))
    }

    /// Returns whether a section can be entered other than by the jumps of the list.
    pub fn is_root(&self, section: usize) -> bool {
        self.roots.contains(&section)
    }

    /// Lists the sections that jump to a section, once for each jump.
    pub fn ways_to(&self, section: usize) -> impl Iterator<Item = usize> {
        self.all.iter().enumerate().flat_map(move |(from, one)| {
            let targets = one.jumps.iter().flat_map(|jump| &jump.targets);
            targets.filter(move |(_, to)| *to == section).map(move |_| from)
        })
    }

    /// Returns the name that an entry uses for a section; for a first section without a name this is a number.
    pub fn name_of(&self, section: usize) -> Vec<u8> {
        if let Some(name) = self.all[section].name {
            return self.cx.symbols[name].text.to_vec();
        }
        let known = self.origins_from(section).next();
        known.map_or_else(|| b"0".to_vec(), |&id| self.cx.symbols.name(id).of(self.cx.source).to_vec())
    }

    /// Lists the identifiers of the entries for a section.
    pub fn origins_from(&self, section: usize) -> impl Iterator<Item = &NodeId> {
        let origins = self.all.iter().flat_map(|one| &one.origins);
        let entries = origins.flat_map(|origins| origins.ids.iter().zip(&origins.entries));
        entries.filter(move |(_, (_, from))| *from == section).map(|(id, _)| id)
    }

    /// Returns the text of a jump to a section, if it has a name.
    pub fn jump_to(&self, section: usize) -> Option<Vec<u8>> {
        let form = self.says.says.forms.jump.as_ref()?;
        let name = &self.cx.symbols[self.all[section].name?].text;
        Some(form.replace("{name}", &lossy(name)).into_bytes())
    }

    /// Returns the text of an end of a section that continues nowhere.
    pub fn end(&self) -> Option<&[u8]> {
        self.says.says.forms.end.as_ref().map(String::as_bytes)
    }

    /// Returns the edits of a change and of its consequences: unreachable sections and entries for removed
    /// jumps are removed, and symbols that were defined there are replaced by a constant.
    pub fn with(&self, change: &Change) -> Vec<Edit> {
        let mut ways: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (from, section) in self.all.iter().enumerate() {
            for (number, jump) in section.jumps.iter().enumerate() {
                let is_changed = (from, number) == (change.section, change.jump);
                for (target, &(_, to)) in jump.targets.iter().enumerate() {
                    if !is_changed || change.stays.contains(&target) {
                        *ways.entry((from, to)).or_default() += 1;
                    }
                }
            }
        }
        let reached = self.reached(&ways);
        let mut edits = change.edits.clone();
        let gone = |section: &usize| !reached.contains(section);
        let mut dead: BTreeSet<NodeId> = BTreeSet::new();
        for section in (0..self.all.len()).filter(gone) {
            dead.extend(&self.all[section].members);
        }
        edits.extend(self.cx.removals.edits(dead.iter().copied()));
        for section in &reached {
            for origins in &self.all[*section].origins {
                edits.extend(origins.without(|from, place| {
                    let is_left = reached.contains(&from);
                    is_left && place < ways.get(&(from, *section)).copied().unwrap_or(0)
                }));
            }
        }
        let member = self.all[change.section].jumps[change.jump].member;
        let values = dead.iter().copied().chain([member]);
        edits.extend(values.flat_map(|node| self.constants(node, &dead)));
        super::text::outermost(edits)
    }

    /// Returns the sections that are still reachable.
    fn reached(&self, ways: &BTreeMap<(usize, usize), usize>) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = self.roots.clone();
        while let Some(section) = open.pop() {
            if reached.insert(section) {
                let next = ways.range((section, 0)..=(section, usize::MAX)).map(|(&(_, to), _)| to);
                open.extend(next);
            }
        }
        reached
    }

    /// Replaces the symbols that a member defines by a constant, outside the removed members.
    fn constants(&self, member: NodeId, dead: &BTreeSet<NodeId>) -> Vec<Edit> {
        let cx = &self.cx;
        let is_dead = |id: NodeId| cx.symbols.up(id).any(|node| dead.contains(&node));
        let mut edits = Vec::new();
        let own: HashSet<SymbolId> = cx.symbols.definitions_in(member).map(|(_, symbol)| symbol).collect();
        for symbol in own.into_iter().map(|symbol| &cx.symbols[symbol]) {
            let constant = symbol.definitions.first().and_then(|one| cx.constant(one));
            let Some(constant) = constant else { continue };
            let left = symbol.references.iter().filter(|one| !is_dead(one.id));
            edits.extend(cx.constants(&left.collect::<Vec<_>>(), constant.as_bytes()));
        }
        edits
    }
}

impl Origins {
    /// Returns the entries of these references; `None` if a member has none, or if they are not in brackets.
    fn of(cx: &Context<'_>, member: NodeId, origins: &[(NodeId, usize)]) -> Option<Self> {
        let &(first, _) = origins.first()?;
        let children: Vec<NodeId> = cx.tree.children(cx.tree.node(first).parent).collect();
        let is_token = |id: &NodeId| !cx.tree.node(*id).is_named();
        let mut entries = Vec::new();
        for &(id, from) in origins {
            let at = children.iter().position(|&child| child == id)?;
            let opens = |id: &NodeId| is_token(id) && cx.syntax().opens_list(cx.text(*id));
            let open = children[..at].iter().rposition(opens)?;
            let close = at + 1 + children[at + 1..].iter().position(is_token)?;
            let span = Span::new(cx.span(children[open]).start, cx.span(children[close]).end);
            entries.push((span, from));
        }
        let separators = entries.windows(2).map(|pair| Span::new(pair[0].0.end, pair[1].0.start)).collect();
        let ids = origins.iter().map(|&(id, _)| id).collect();
        Some(Self { member, entries, ids, separators })
    }

    /// Removes entries. `stays` gets the section of an entry and the number of earlier entries for the same
    /// section.
    fn without(&self, stays: impl Fn(usize, usize) -> bool) -> Vec<Edit> {
        let mut before: HashMap<usize, usize> = HashMap::new();
        let mut stays_at = Vec::new();
        for &(_, from) in &self.entries {
            let place = before.entry(from).or_default();
            stays_at.push(stays(from, *place));
            *place += 1;
        }
        if stays_at.iter().all(|stays| *stays) || !stays_at.iter().any(|stays| *stays) {
            return Vec::new();
        }
        let gone = self.entries.iter().zip(&stays_at).filter(|(_, stays)| !**stays);
        let entries = gone.map(|((span, _), _)| *span);
        let separators = needless(&self.separators, |i| stays_at[i as usize]);
        entries.chain(separators).map(Edit::delete).collect()
    }
}
