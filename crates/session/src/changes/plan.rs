//! The changes in the order in which they are tried, and their descriptions.

use super::git::{CommitRange, Git};
use crate::change::{self, Changes, FileTree, Grouping, Label, What};
use crate::failure::Failure;
use nubbin_language::Registry;
use nubbin_search::search::{Knowledge, Outline, Partition};
use std::path::Path;

/// The changes ordered by group.
pub struct ChangePlan {
    pub changes: Changes,
    /// The number of the change at each position.
    order: Vec<u32>,
    outline: Outline,
    labels: Vec<Vec<Label>>,
    history: Option<CommitRange>,
}

impl ChangePlan {
    pub fn new(
        git: &Git<'_>,
        good: &FileTree,
        bad: &FileTree,
        history: Option<CommitRange>,
    ) -> Result<Self, Failure> {
        let changes = Changes::between(good, bad);
        let mut labels = changes.labels(Grouping::Function, Registry::built_in());
        if let Some(history) = &history {
            let commits = history.labels(git, &changes)?;
            labels.iter_mut().zip(commits).for_each(|(label, commit)| label.insert(0, commit));
        }
        let (order, outline) = changes.outline(&labels);
        Ok(Self { changes, order, outline, labels, history })
    }

    pub fn search(&self) -> Partition {
        let needs = self.changes.needs(&self.order);
        let stages = change::stages(&self.labels);
        Partition::new(&self.outline, Knowledge { needs, stages })
    }

    /// Returns the numbers of the changes at these positions.
    pub fn chosen(&self, places: &[u32]) -> Vec<u32> {
        let mut chosen: Vec<u32> = places.iter().map(|&place| self.order[place as usize]).collect();
        chosen.sort_unstable();
        self.changes.consistent(&chosen)
    }

    pub fn all(&self) -> Vec<u32> {
        (0..self.changes.len() as u32).collect()
    }

    /// Returns a line for each change, in order.
    pub fn text(&self) -> Vec<u8> {
        let patch = blake3::hash(&self.changes.patch(&self.all()));
        let base = blake3::hash(&self.changes.make(&[]).archive());
        let lines = self.order.iter().map(|&number| self.named(number) + "\n");
        format!("{base} {patch}\n{}", lines.collect::<String>()).into_bytes()
    }

    /// Describes a change.
    pub fn named(&self, number: u32) -> String {
        let (change, file) = (&self.changes.all()[number as usize], self.changes.file(number));
        let path = file.path().display();
        let what = match &change.what {
            What::Hunk { new, .. } => {
                let content = file.new.as_ref().map_or(&[][..], |(_, node)| &node.content);
                let line = content[..new.start].split_inclusive(|&byte| byte == b'\n').count() + 1;
                format!("{path}:{line}")
            }
            What::Rename => {
                let old = file.old.as_ref().map_or(Path::new(""), |(path, _)| path);
                format!("{path} (renamed from {})", old.display())
            }
            What::Mode => format!("{path} (permissions)"),
            What::Replace => format!("{path} (whole file)"),
            What::Create => format!("{path} (new)"),
            What::Delete => format!("{path} (deleted)"),
        };
        let commit = match (&self.history, self.labels[number as usize].first()) {
            (Some(history), Some(Label::Commit(at))) => Some(history.commit(*at)),
            _ => None,
        };
        commit.map_or(what.clone(), |commit| format!("{what}  {} {}", &commit.name[..10], commit.subject))
    }
}
