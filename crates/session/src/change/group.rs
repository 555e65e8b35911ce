//! Groups changes that belong together: by directory and file, by syntax, by commit.

use super::{Change, Changes, What};
use nubbin_language::Registry;
use nubbin_search::search::Outline;
use nubbin_syntax::{NodeId, Parser, Tree};
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The largest depth of syntax nodes used as groups.
const DEPTH: usize = 6;

/// A level in the grouping of a change. Lists of labels start with the coarsest; changes with a common prefix are in
/// the same group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// The number of the commit that introduced the change, the earliest first.
    Commit(usize),
    /// A component of the path.
    Name(OsString),
    /// A part of the file's syntax, such as a function, by its position.
    Part(u32),
}

/// The levels by which changes are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Changes are not grouped, and ordered by file.
    None,
    /// Changes are grouped by directory and file.
    File,
    /// Changes are grouped by directory, file and syntax.
    Function,
}

impl Changes {
    /// Returns the labels of each change, the coarsest first.
    #[must_use]
    pub fn labels(&self, grouping: Grouping, registry: &Registry) -> Vec<Vec<Label>> {
        let mut labels = Vec::with_capacity(self.len());
        for (at, file) in self.files.iter().enumerate() {
            let own = self.all.iter().filter(|change| change.file as usize == at);
            let names: Vec<Label> = match grouping {
                Grouping::None => Vec::new(),
                _ => file.path().components().map(|part| Label::Name(part.as_os_str().to_owned())).collect(),
            };
            let mut parts = match (&file.new, grouping) {
                (Some((path, node)), Grouping::Function) => {
                    registry.detect(path, &node.content).map(|language| {
                        let parsed = Parser::new(language.grammar()).parse(&node.content);
                        (Tree::new(&parsed, 0), &node.content[..])
                    })
                }
                _ => None,
            };
            for change in own {
                let mut own = names.clone();
                if let (Some((tree, text)), What::Hunk { new, .. }) = (&mut parts, &change.what) {
                    own.extend(around(tree, text, new.start, new.end).into_iter().map(Label::Part));
                }
                labels.push(own);
            }
        }
        labels
    }

    /// Returns the numbers of the changes ordered by group, and the groups.
    #[must_use]
    pub fn outline(&self, labels: &[Vec<Label>]) -> (Vec<u32>, Outline) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(|&one, &other| labels[one as usize].cmp(&labels[other as usize]).then(one.cmp(&other)));
        let sorted: Vec<&[Label]> = order.iter().map(|&number| &labels[number as usize][..]).collect();
        let outline = outline(&sorted, 0, 0);
        (order, outline)
    }

    /// Returns, for changes in this order, the positions of the changes that each one requires.
    #[must_use]
    pub fn needs(&self, order: &[u32]) -> Vec<Vec<u32>> {
        let mut place = vec![0; order.len()];
        for (at, &number) in order.iter().enumerate() {
            place[number as usize] = at as u32;
        }
        let needs = |change: &Change| change.needs.iter().map(|&other| place[other as usize]).collect();
        order.iter().map(|&number| needs(&self.all[number as usize])).collect()
    }
}

/// Returns the groups of changes that start at position `first` and have the same labels up to `depth`.
fn outline(labels: &[&[Label]], first: u32, depth: usize) -> Outline {
    let mut inside = Vec::new();
    let mut at = 0;
    for same in labels.chunk_by(|one, other| one.get(depth) == other.get(depth)) {
        if same.len() > 1 && same[0].len() > depth {
            inside.push(outline(same, first + at as u32, depth + 1));
        }
        at += same.len();
    }
    Outline { members: first..first + labels.len() as u32, inside }
}

/// Returns the nodes with several lines that contain a range of the text, the outermost first, without the root.
fn around(tree: &Tree, text: &[u8], start: usize, end: usize) -> Vec<NodeId> {
    let stretch = text[start..end].trim_ascii();
    let lead = text[start..end].len() - text[start..end].trim_ascii_start().len();
    let (start, end) =
        if stretch.is_empty() { (start, end) } else { (start + lead, start + lead + stretch.len()) };
    let mut around = Vec::new();
    let mut at = 0;
    while around.len() < DEPTH {
        let holds = |&child: &NodeId| {
            let span = tree.node(child).span;
            (span.start as usize) <= start && end <= span.end as usize && span.start < span.end
        };
        let Some(child) = tree.children(at).find(holds) else { break };
        at = child;
        let span = tree.node(at).span;
        if text[span.start as usize..span.end as usize].contains(&b'\n') {
            around.push(at);
        }
    }
    around
}

/// Returns the number of changes up to the end of each commit, or nothing if a change belongs to no commit.
#[must_use]
pub fn stages(labels: &[Vec<Label>]) -> Vec<u32> {
    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    for label in labels {
        let Some(Label::Commit(commit)) = label.first() else { return Vec::new() };
        *counts.entry(*commit).or_default() += 1;
    }
    let mut end = 0;
    let ends = counts.into_values().map(|count| {
        end += count;
        end
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::*;

    fn shown(outline: &Outline) -> String {
        let inside: Vec<String> = outline.inside.iter().map(shown).collect();
        format!("{}..{}[{}]", outline.members.start, outline.members.end, inside.join(" "))
    }

    fn changes(files: &[(&str, &str, &str)]) -> Changes {
        let side = |new: bool| -> Vec<(&str, &str)> {
            files.iter().map(|(path, old, other)| (*path, if new { *other } else { *old })).collect()
        };
        Changes::between(&tree(&side(false)), &tree(&side(true)))
    }

    #[test]
    fn directories_hold_files_and_files_functions() {
        let old = "int a(void)\n{\n  f(1);\n  f(2);\n  f(3);\n}\n\nint b(void)\n{\n  f(4);\n}\n";
        let new = "int a(void)\n{\n  f(0);\n  f(2);\n  f(0);\n}\n\nint b(void)\n{\n  f(0);\n}\n";
        let changes = changes(&[("d/x.c", old, new), ("d/y", "1\n", "2\n"), ("z", "1\n", "2\n")]);
        let groups = |grouping| {
            let labels = changes.labels(grouping, Registry::built_in());
            shown(&changes.outline(&labels).1)
        };
        assert_eq!(groups(Grouping::None), "0..5[]");
        assert_eq!(groups(Grouping::File), "0..5[0..4[0..3[]]]");
        assert_eq!(groups(Grouping::Function), "0..5[0..4[0..3[0..2[0..2[]]]]]");
    }

    #[test]
    fn commits_come_before_directories_and_are_stages() {
        let changes = changes(&[("a", "1\n2\n3\n", "0\n2\n0\n"), ("b", "1\n", "2\n")]);
        let mut labels = changes.labels(Grouping::File, Registry::built_in());
        for (label, commit) in labels.iter_mut().zip([1, 0, 0]) {
            label.insert(0, Label::Commit(commit));
        }
        let (order, outline) = changes.outline(&labels);
        assert_eq!(order, [1, 2, 0]);
        assert_eq!((shown(&outline).as_str(), stages(&labels)), ("0..3[0..2[]]", vec![2, 3]));
    }
}
