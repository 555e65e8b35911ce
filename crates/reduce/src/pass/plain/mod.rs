//! Proposes edits of text in an unknown language, based on repeated words, columns, and numbers.
//!
//! A word is a run of word characters, and a line has fields. No other format is assumed.

mod column;
mod count;
mod number;
mod rename;
mod row;
mod run;
mod symbol;
mod words;

pub(super) use column::propose as column;
pub(super) use count::{Count, count};
pub(super) use number::propose as number;
pub(super) use rename::{anonymize, propose as rename};
pub(super) use row::propose as row;
pub(super) use run::{parts, propose as run};
pub(super) use symbol::propose as symbol;

#[cfg(test)]
mod tests {
    use crate::pass::{Proposal, Snapshot};
    use nubbin_syntax::edit::{Patch, Seam};

    /// Returns the text after each delta, with `|` for line ends.
    pub(super) fn results_of(propose: fn(&Snapshot<'_>) -> Proposal, source: &str) -> Vec<String> {
        let proposal = propose(&Snapshot::plain(source.as_bytes().into()));
        let result = |delta: u32| {
            let patch = Patch::new(proposal.edits(&|_| false, &[delta]));
            let text = patch.apply(source.as_bytes(), Seam::Touch);
            String::from_utf8(text).expect("text stays text").replace('\n', "|")
        };
        (0..proposal.len() as u32).map(result).collect()
    }
}
