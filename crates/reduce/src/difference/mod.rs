//! Represents the difference between two texts as changes, any of which can be made. The changes are units, or they
//! follow from the common parts of the syntax trees, from coarse to fine.
//!
//! It does not decide which changes matter, and it runs nothing. The caller says which changes are settled, and the
//! difference continues with the parts inside the others.

mod subtree;
mod tree;

use crate::pass::Unit;
use nubbin_language::Language;
use similar::{Algorithm, DiffOp, capture_diff_slices};
pub(crate) use tree::anchors;
use tree::{Division, Trees, Which};

/// The number of a change; it stays the same as long as the change exists.
type Id = u32;

/// A piece of the old or the new text.
#[derive(Clone, Copy, Debug)]
enum TextPart<'t> {
    /// The piece is in both texts.
    Shared(&'t [u8]),
    /// The piece is there until the change is made.
    Old(Id, &'t [u8]),
    /// The piece is there once the change is made.
    New(Id, &'t [u8]),
    /// The piece stands between two members of a list. It is there if the last member is there and one of those before
    /// it.
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
    /// The parts inside the change.
    inner: Division,
    /// The change that replaces this one once it has been divided: this one counts as made if that one is made.
    heir: Option<Id>,
    /// Is true if it is made in the [middle](TextDifference::middle).
    is_early: bool,
}

/// The difference between an old and a new text.
///
/// Its changes are numbered in the order of the texts. They replace parts of the old text that do not overlap, so any
/// of them can be made: with no change the text is the old one, with all changes the new one.
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
    /// The changes that are not settled, in the order of the texts.
    open: Vec<Id>,
    trees: Option<Trees<'t>>,
}

impl<'t> TextDifference<'t> {
    /// Returns the difference by units, each of which can be added or removed by itself.
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

    /// Returns the difference by syntax trees. Its first changes are the children of the roots that only one tree has
    /// or that differ. Returns `None` if a text fits the grammar so badly that the trees have no common root.
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

    /// Returns the number of changes that are not settled.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Tells whether there is no change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the text with these changes made, which are in ascending order.
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

    /// Settles changes: the text with the changes in `passing` passes, and the text with those in `failing` fails. The
    /// changes in `passing` are made, and the changes outside `failing` are never made. The others are numbered again,
    /// from 0.
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

    /// Divides the changes that are not settled into the parts inside them, one level down; further down as long as
    /// their number does not grow. The old and the new text stay the same. Returns whether there are more changes than
    /// before.
    pub fn refine(&mut self) -> bool {
        let before = self.open.len();
        while self.divide() {
            if self.open.len() > before {
                return true;
            }
        }
        false
    }

    /// Returns the changes that make the middle text, after [`refine`](Self::refine). In it are all new nodes and all
    /// nodes that have to go, without the parts inside them. As a rule this text still parses, but parts of a node
    /// without the rest do not.
    #[must_use]
    pub fn middle(&self) -> Vec<u32> {
        let early = |id: Id| self.changes[id as usize].is_early;
        (0..).zip(&self.open).filter(|&(_, &id)| early(id)).map(|(place, _)| place).collect()
    }

    /// Divides each open change that has something inside. Returns whether there was one.
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

    /// Numbers the open changes in the order of the texts.
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

    /// Returns the change that decides whether this change is there.
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

    /// Adds a change from the old text to the new one.
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

    /// Adds a change whose parts follow.
    fn begin(&mut self, inner: Division) -> Id {
        self.changes.push(Change { state: ChangeState::Open, inner, heir: None, is_early: false });
        self.changes.len() as Id - 1
    }

    /// Adds a text as shared if it is the same in both texts, and otherwise as a change by itself.
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
