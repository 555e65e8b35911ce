//! One way to rewrite a symbol.

use nubbin_syntax::edit::Edit;

/// The edits at all places of a symbol that are made together: one alternative among those that a rewrite has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way(Vec<Edit>);

impl Way {
    /// Returns its edits.
    pub fn edits(&self) -> &[Edit] {
        &self.0
    }
}

impl From<Vec<Edit>> for Way {
    fn from(edits: Vec<Edit>) -> Self {
        Self(edits)
    }
}

impl FromIterator<Edit> for Way {
    fn from_iter<I: IntoIterator<Item = Edit>>(edits: I) -> Self {
        Self(edits.into_iter().collect())
    }
}

impl From<Way> for Vec<Edit> {
    fn from(way: Way) -> Self {
        way.0
    }
}

impl Extend<Edit> for Way {
    fn extend<I: IntoIterator<Item = Edit>>(&mut self, edits: I) {
        self.0.extend(edits);
    }
}
