//! Computes dependencies between the parts of a text: a use of a symbol keeps the parts that define the symbol.
//!
//! A part that defines a symbol can seldom be deleted if the symbol is used elsewhere, but a definition can be deleted
//! with its last use. A missed dependency costs probes and cannot make the result wrong.

mod reach;

use super::symbol::Context;
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Span, is_word};
use nubbin_syntax::{NONE, NodeId};
use reach::Reach;
use std::collections::HashMap;

struct Tuning {
    /// The maximum number of pairs of a definition and a use of one symbol. If there are more, the definitions always
    /// count as used.
    pairs: usize,
    /// The maximum number of enclosing parts that a use of a definition keeps. Parts further out always count as used.
    parts_around: usize,
}

const TUNING: Tuning = Tuning { pairs: 1 << 20, parts_around: 64 };

/// The uses that keep the deltas of a proposal, and the uses inside these deltas.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// For each use, the end of its deltas in `keeps`. A use keeps the deltas that contain the definition but not the
    /// use.
    ends: Vec<u32>,
    keeps: Vec<u32>,
    /// The delta that contains each delta.
    parents: Vec<u32>,
    /// The number of uses that keep each delta.
    counts: Vec<u32>,
    /// Whether a delta is a definition, which is deleted with its last use.
    is_definition: Vec<bool>,
    /// The innermost delta around each use, or `NONE`.
    around: Vec<u32>,
    /// Whether a definition needs no use: it has none, or it is the root of a cycle that is not used from outside.
    stands: Vec<bool>,
    /// Whether a delta is never applied.
    pinned: Vec<bool>,
}

impl Uses {
    fn kept_by(&self, i: u32) -> &[u32] {
        let from = if i == 0 { 0 } else { self.ends[i as usize - 1] };
        &self.keeps[from as usize..self.ends[i as usize] as usize]
    }

    pub fn count(&self, delta: u32) -> u32 {
        self.counts[delta as usize]
    }

    /// Prevents a delta from being applied.
    pub fn pin(&mut self, delta: u32) {
        self.counts[delta as usize] += 1;
        self.pinned[delta as usize] = true;
    }

    /// Returns the deltas that are applied when the search tries `more` after those in `made`, in ascending order:
    /// those that nothing outside uses, and the definitions that become unreachable. The list is empty if all of `more`
    /// are used.
    pub fn fall(&self, made: &[bool], more: &[u32]) -> Vec<u32> {
        let reach = Reach::new(self, made, more);
        if more.iter().all(|&delta| reach.stays(delta)) { Vec::new() } else { reach.gone(made) }
    }
}

/// Collects the uses of a proposal in which each delta deletes one node.
#[derive(Default)]
pub(super) struct UsesBuilder {
    /// The span of the node that each delta deletes.
    spans: Vec<Span>,
    parents: Vec<u32>,
    is_definition: Vec<bool>,
    /// The position of a use, and a delta that it keeps.
    pairs: Vec<(u32, u32)>,
    pinned: Vec<u32>,
    /// The definitions and uses that may be visible in all files of an archive, by name.
    wide: HashMap<Box<[u8]>, Wide>,
}

/// The definitions and uses of one name: the innermost delta and the position of each definition, and the position of
/// each use.
#[derive(Default)]
struct Wide {
    definitions: Vec<(u32, u32)>,
    uses: Vec<u32>,
}

impl UsesBuilder {
    /// Adds the next delta: the span that it deletes, and the delta that contains it.
    pub fn delta(&mut self, span: Span, parent: u32) {
        self.spans.push(span);
        self.parents.push(parent);
        self.is_definition.push(false);
    }

    /// Adds the definitions and uses of a layer. `owners` has the innermost delta that deletes each node.
    /// [`across`](Self::across) adds uses between files after the last file.
    pub fn layer(&mut self, cx: &Context<'_>, owners: &[u32], is_file: bool) {
        let start = |id: NodeId| cx.span(id).start;
        let owner = |id: NodeId| owners[id as usize];
        let mut wide: HashMap<&[u8], Wide> = HashMap::new();
        for symbol in cx.symbols.all().iter().filter(|symbol| !symbol.is_generic) {
            let uses = symbol.references.iter().map(|reference| start(reference.id));
            if symbol.definitions.is_empty() {
                wide.entry(&*symbol.text).or_default().uses.extend(uses);
                continue;
            }
            let units: Option<Vec<NodeId>> = symbol.definitions.iter().map(|one| cx.member(one)).collect();
            let definitions = symbol.definitions.iter().map(|one| (owner(one.id), start(one.id)));
            if is_file && symbol.scope == 0 && symbol.is(NameKind::Import) {
                // An import uses the symbol that another file defines.
                let imports = symbol.definitions.iter().map(|one| start(one.id));
                wide.entry(&*symbol.text).or_default().uses.extend(imports);
            }
            if units.is_some() && cx.symbols.is_open(symbol) {
                let wide = wide.entry(&*symbol.text).or_default();
                wide.definitions.extend(definitions);
                wide.uses.extend(uses);
            } else {
                if is_file && symbol.scope == 0 {
                    wide.entry(&*symbol.text).or_default().uses.extend(uses.clone());
                }
                self.keep(&definitions.collect::<Vec<_>>(), &uses.collect::<Vec<_>>(), false);
            }
            // The contents of an alias or a block are used without its name.
            let has_own = symbol.definitions.iter().all(|one| one.alias.is_none());
            for unit in units.into_iter().flatten().filter(|_| has_own) {
                let delta = owner(unit);
                if delta != NONE {
                    self.is_definition[delta as usize] = true;
                }
            }
        }
        for &id in cx.symbols.mentions() {
            for word in cx.text(id).split(|byte| !is_word(*byte)).filter(|word| !word.is_empty()) {
                if let Some(wide) = wide.get_mut(word) {
                    wide.uses.push(start(id));
                }
            }
        }
        for (text, Wide { definitions, uses }) in wide {
            // A later definition may specialize the first one, or need its declaration.
            if let Some((first, rest)) = definitions.split_first() {
                let rest: Vec<u32> = rest.iter().map(|(_, place)| *place).collect();
                self.keep(&[*first], &rest, true);
            }
            if is_file {
                let all = self.wide.entry(text.into()).or_default();
                all.definitions.extend(definitions);
                all.uses.extend(uses);
            } else {
                self.keep(&definitions, &uses, true);
            }
        }
    }

    /// Adds the definitions and uses between files.
    fn across(&mut self) {
        for (_, Wide { definitions, uses }) in std::mem::take(&mut self.wide) {
            self.keep(&definitions, &uses, true);
        }
    }

    /// Lets each use keep the deltas around each definition, except those that contain the use. If the definitions may
    /// be members, only the deltas inside their owner count, because a use of a member also uses the name of its owner.
    fn keep(&mut self, definitions: &[(u32, u32)], uses: &[u32], are_members: bool) {
        let around = |delta: u32| {
            let (parents, is_definition) = (&self.parents, &self.is_definition);
            let mut is_own = true;
            std::iter::successors(Some(delta).filter(|&delta| delta != NONE), move |&delta| {
                is_own &= !is_definition[delta as usize];
                let parent = Some(parents[delta as usize]).filter(|&parent| parent != NONE)?;
                (!are_members || is_own || !is_definition[parent as usize]).then_some(parent)
            })
        };
        if definitions.len().saturating_mul(uses.len()) > TUNING.pairs {
            let pinned = definitions.iter().flat_map(|&(owner, _)| around(owner));
            self.pinned.extend(pinned.collect::<Vec<_>>());
            return;
        }
        let mut deltas: Vec<u32> = Vec::new();
        for &(owner, _) in definitions {
            deltas.extend(around(owner).take(TUNING.parts_around));
            self.pinned.extend(around(owner).skip(TUNING.parts_around).collect::<Vec<_>>());
        }
        deltas.sort_unstable();
        deltas.dedup();
        for &at in uses {
            let outside = |&&delta: &&u32| {
                let span = self.spans[delta as usize];
                !(span.start..span.end).contains(&at)
            };
            self.pairs.extend(deltas.iter().filter(outside).map(|&delta| (at, delta)));
        }
    }

    pub fn build(mut self) -> Uses {
        self.across();
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let mut counts = vec![0; self.spans.len()];
        for &delta in self.pinned.iter().chain(self.pairs.iter().map(|(_, delta)| delta)) {
            counts[delta as usize] += 1;
        }
        let (mut at, mut ends): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (i, &(place, _)) in self.pairs.iter().enumerate() {
            if at.last() != Some(&place) {
                at.push(place);
                ends.push(0);
            }
            *ends.last_mut().expect("one was pushed") = i as u32 + 1;
        }
        let place = |bound: u32| at.partition_point(|&place| place < bound) as u32;
        let inside: Vec<(u32, u32)> =
            self.spans.iter().map(|span| (place(span.start), place(span.end))).collect();
        // A nested delta comes after the one that contains it.
        let mut around = vec![NONE; at.len()];
        for (delta, &(from, to)) in (0..).zip(&inside) {
            around[from as usize..to as usize].fill(delta);
        }
        let mut pinned = vec![false; counts.len()];
        self.pinned.iter().for_each(|&delta| pinned[delta as usize] = true);
        let mut uses = Uses {
            keeps: self.pairs.iter().map(|&(_, delta)| delta).collect(),
            ends,
            parents: self.parents,
            stands: counts.iter().map(|&count| count == 0).collect(),
            counts,
            is_definition: self.is_definition,
            around,
            pinned,
        };
        uses.stands = Reach::new(&uses, &vec![false; uses.parents.len()], &[]).standing();
        uses
    }
}
