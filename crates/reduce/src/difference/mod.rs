//! Represents the difference between two texts as a list of changes that can be applied independently. The changes are
//! units such as lines, or come from a comparison of the syntax trees, coarse changes first.
//!
//! The caller decides which changes matter and settles them; the unsettled changes can be divided into smaller ones.

mod subtree;
mod tree;

use crate::pass::Unit;
use nubbin_language::Language;
use similar::{Algorithm, DiffOp, capture_diff_slices};
pub(crate) use tree::anchors;
use tree::{Division, Trees, Which};

/// The number of a change, unique during the lifetime of the difference.
type Id = u32;

/// A piece of the combined text.
#[derive(Clone, Copy, Debug)]
enum TextPart<'t> {
    /// Part of both texts.
    Shared(&'t [u8]),
    /// Present until the change is applied.
    Old(Id, &'t [u8]),
    /// Present once the change is applied.
    New(Id, &'t [u8]),
    /// A separator between two list members. It is present if the last member and at least one of the members before it
    /// are present.
    Between { first: Id, last: Id, which: Which, text: &'t [u8] },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeState {
    Open,
    Made,
    Unmade,
}

#[derive(Clone, Debug)]
struct Change {
    state: ChangeState,
    inner: Division,
    /// The change that replaces this one after a division. This change counts as applied if its heir is.
    heir: Option<Id>,
    /// Whether it is applied in the [middle](TextDifference::middle).
    is_early: bool,
}

/// The difference between an old and a new text.
///
/// The changes are numbered in the order of the texts. They replace disjoint parts of the old text, so any subset can
/// be applied: none of them gives the old text, all of them the new text.
///
/// ```
/// use nubbin_reduce::difference::TextDifference;
/// use nubbin_reduce::Registry;
///
/// let c = Registry::built_in().get("c").unwrap();
/// let (old, new) = (b"int a;\nint f(void) { g(); }\n", b"int a;\nint b;\nint f(void) { g(); h(); i(); }\n");
/// let mut difference = TextDifference::by_tree(c, old, new).unwrap();
/// assert_eq!(difference.len(), 2);
/// assert_eq!(difference.text(&[0]), b"int a;\nint b;\nint f(void) { g(); }\n");
/// // Only the second change matters, so it is divided.
/// difference.settle(&[], &[1]);
/// assert!(difference.refine());
/// assert_eq!(difference.text(&[1]), b"int a;\nint f(void) { g(); i(); }\n");
/// ```
#[derive(Clone, Debug)]
pub struct TextDifference<'t> {
    parts: Vec<TextPart<'t>>,
    changes: Vec<Change>,
    /// The unsettled changes, in the order of the texts.
    open: Vec<Id>,
    trees: Option<Trees<'t>>,
}

impl<'t> TextDifference<'t> {
    /// Returns the difference in units, each of which can be added or removed independently.
    #[must_use]
    pub fn by_units(unit: Unit, old: &'t [u8], new: &'t [u8]) -> Self {
        let cut = |text: &'t [u8]| -> Vec<&'t [u8]> {
            unit.split(text).into_iter().map(|span| span.of(text)).collect()
        };
        let (olds, news) = (cut(old), cut(new));
        let mut weaver = Weaver::default();
        for op in capture_diff_slices(Algorithm::Myers, &olds, &news) {
            if let DiffOp::Equal { old_index, len, .. } = op {
                weaver
                    .parts
                    .extend(olds[old_index..old_index + len].iter().map(|text| TextPart::Shared(text)));
                continue;
            }
            for text in &olds[op.old_range()] {
                weaver.change(text, b"", Division::Whole);
            }
            for text in &news[op.new_range()] {
                weaver.change(b"", text, Division::Whole);
            }
        }
        Self::of(weaver, None)
    }

    /// Returns the difference of the syntax trees. The first changes are children of the roots that differ or that only
    /// one tree has. Returns `None` if the trees have no common root, because a text has too many syntax errors.
    #[must_use]
    pub fn by_tree(language: &'t Language, old: &'t [u8], new: &'t [u8]) -> Option<Self> {
        let trees = Trees::new(language, old, new)?;
        let mut weaver = Weaver::default();
        weaver.change(old, new, Trees::root());
        let mut difference = Self::of(weaver, Some(trees));
        difference.divide();
        Some(difference)
    }

    fn of(weaver: Weaver<'t>, trees: Option<Trees<'t>>) -> Self {
        let Weaver { parts, changes } = weaver;
        let mut difference = Self { parts, changes, open: Vec::new(), trees };
        difference.number();
        difference
    }

    /// Returns the number of unsettled changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns whether there are no unsettled changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the text with these changes applied. The numbers must be in ascending order.
    #[must_use]
    pub fn text(&self, made: &[u32]) -> Vec<u8> {
        let mut is_made: Vec<bool> =
            self.changes.iter().map(|change| change.state == ChangeState::Made).collect();
        for &place in made {
            is_made[self.open[place as usize] as usize] = true;
        }
        let is_made = |id: Id| is_made[self.heir(id) as usize];
        let there = self.parts.iter().filter_map(|part| match *part {
            TextPart::Shared(text) => Some(text),
            TextPart::Old(id, text) => (!is_made(id)).then_some(text),
            TextPart::New(id, text) => is_made(id).then_some(text),
            TextPart::Between { first, last, which, text } => {
                let is_there = |id: Id| is_made(id) == (which == Which::New);
                (is_there(last) && (first..last).any(is_there)).then_some(text)
            }
        });
        there.collect::<Vec<_>>().concat()
    }

    /// Settles changes: the text with the changes in `passing` passes, and the text with those in `failing` fails.
    /// Changes in `passing` are always applied from now on, and changes outside `failing` never. The remaining changes
    /// are numbered again from 0.
    pub fn settle(&mut self, passing: &[u32], failing: &[u32]) {
        for (place, &id) in (0..).zip(&self.open) {
            let state = &mut self.changes[id as usize].state;
            if passing.binary_search(&place).is_ok() {
                *state = ChangeState::Made;
            } else if failing.binary_search(&place).is_err() {
                *state = ChangeState::Unmade;
            }
        }
        self.number();
    }

    /// Divides the unsettled changes into smaller ones, one level down the trees, or further as long as their number
    /// does not grow. The old and the new text stay the same. Returns whether the number of changes has grown.
    pub fn refine(&mut self) -> bool {
        let before = self.open.len();
        while self.divide() {
            if self.open.len() > before {
                return true;
            }
        }
        false
    }

    /// Returns the changes that give the middle text, after [`refine`](Self::refine). That text has all new nodes and
    /// all old nodes, both without the parts inside them. It usually still parses, whereas parts of a node without the
    /// rest do not.
    #[must_use]
    pub fn middle(&self) -> Vec<u32> {
        let early = |id: Id| self.changes[id as usize].is_early;
        (0..).zip(&self.open).filter(|&(_, &id)| early(id)).map(|(place, _)| place).collect()
    }

    /// Divides each open change that can be divided. Returns whether there was one.
    fn divide(&mut self) -> bool {
        let Some(trees) = self.trees.take() else { return false };
        let mut weaver = Weaver { parts: Vec::new(), changes: std::mem::take(&mut self.changes) };
        weaver.changes.iter_mut().for_each(|change| change.is_early = false);
        let mut is_new = false;
        for part in std::mem::take(&mut self.parts) {
            let id = match part {
                TextPart::Old(id, _) | TextPart::New(id, _) => id,
                TextPart::Shared(_) | TextPart::Between { .. } => {
                    weaver.parts.push(part);
                    continue;
                }
            };
            let change = &mut weaver.changes[id as usize];
            let is_divided = change.state == ChangeState::Open
                && !matches!(change.inner, Division::Whole | Division::Divided);
            if is_divided {
                let inner = std::mem::replace(&mut change.inner, Division::Divided);
                is_new |= trees.divide(id, &inner, part, &mut weaver);
            } else if change.inner != Division::Divided {
                weaver.parts.push(part);
            }
        }
        (self.parts, self.changes, self.trees) = (weaver.parts, weaver.changes, Some(trees));
        self.number();
        is_new
    }

    fn number(&mut self) {
        let mut seen = vec![false; self.changes.len()];
        self.open.clear();
        for part in &self.parts {
            if let TextPart::Old(id, _) | TextPart::New(id, _) = *part
                && self.changes[id as usize].state == ChangeState::Open
                && !std::mem::replace(&mut seen[id as usize], true)
            {
                self.open.push(id);
            }
        }
    }

    /// Returns the change that decides whether this change is applied.
    fn heir(&self, mut id: Id) -> Id {
        while let Some(heir) = self.changes[id as usize].heir {
            id = heir;
        }
        id
    }
}

/// Builds a difference piece by piece.
#[derive(Default)]
struct Weaver<'t> {
    parts: Vec<TextPart<'t>>,
    changes: Vec<Change>,
}

impl<'t> Weaver<'t> {
    fn shared(&mut self, text: &'t [u8]) {
        if !text.is_empty() {
            self.parts.push(TextPart::Shared(text));
        }
    }

    /// Adds a change from the old text to the new text.
    fn change(&mut self, old: &'t [u8], new: &'t [u8], inner: Division) -> Id {
        let id = self.begin(inner);
        if !old.is_empty() {
            self.parts.push(TextPart::Old(id, old));
        }
        if !new.is_empty() {
            self.parts.push(TextPart::New(id, new));
        }
        id
    }

    /// Adds a change whose pieces are added next.
    fn begin(&mut self, inner: Division) -> Id {
        self.changes.push(Change { state: ChangeState::Open, inner, heir: None, is_early: false });
        self.changes.len() as Id - 1
    }

    /// Adds a shared piece if both texts are equal, and otherwise a change.
    fn both(&mut self, old: &'t [u8], new: &'t [u8]) {
        if old == new {
            self.shared(old);
        } else {
            self.change(old, new, Division::Whole);
        }
    }
}

#[cfg(test)]
mod tests;
