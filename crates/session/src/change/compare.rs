//! Pairs the files of two versions, and finds the changes in each pair.

use super::{File, FileNode, FileTree, What};
use nubbin_archive::Type;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Tuned parameters.
struct Tuning {
    /// The least common part of a renamed file, in percent of the larger version.
    alike_percent: usize,
    /// The largest number of pairs of files compared to find renames.
    pairs: usize,
}

const TUNING: Tuning = Tuning { alike_percent: 50, pairs: 250_000 };

/// A file is binary if there is a zero byte among this many first bytes, as in git.
const BINARY: usize = 8000;

/// Returns the common part of both versions, and the differing files ordered by path.
pub(super) fn files(old: &FileTree, new: &FileTree) -> (FileTree, Vec<File>) {
    let mut same = FileTree::default();
    let (mut gone, mut come, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for (path, node) in &old.files {
        match new.files.get(path) {
            Some(other) if other == node => drop(same.files.insert(path.clone(), node.clone())),
            Some(other) => files.push(File {
                old: Some((path.clone(), node.clone())),
                new: Some((path.clone(), other.clone())),
            }),
            None => gone.push((path.clone(), node.clone())),
        }
    }
    come.extend(new.files.iter().filter(|(path, _)| !old.files.contains_key(*path)));
    let come: Vec<(PathBuf, FileNode)> =
        come.into_iter().map(|(path, node)| (path.clone(), node.clone())).collect();
    let renamed = renamed(&gone, &come);
    let is_from: HashMap<usize, usize> = renamed.iter().map(|(from, to)| (*to, *from)).collect();
    for (to, new) in come.into_iter().enumerate() {
        let old = is_from.get(&to).map(|from| gone[*from].clone());
        files.push(File { old, new: Some(new) });
    }
    let stay = |(from, _): &(usize, (PathBuf, FileNode))| !renamed.contains_key(from);
    let deleted = gone.into_iter().enumerate().filter(stay);
    files.extend(deleted.map(|(_, old)| File { old: Some(old), new: None }));
    files.sort_by(|one, other| one.path().cmp(other.path()));
    same.empty = old.empty.iter().chain(&new.empty).cloned().collect();
    same.empty.sort();
    same.empty.dedup();
    (same, files)
}

/// Maps deleted files to created files that are the same file under a new name: equal files first, then similar ones.
fn renamed(gone: &[(PathBuf, FileNode)], come: &[(PathBuf, FileNode)]) -> BTreeMap<usize, usize> {
    let mut renamed = BTreeMap::new();
    let mut is_taken = vec![false; come.len()];
    let mut equal: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (to, (_, node)) in come.iter().enumerate().rev().filter(|(_, (_, node))| is_named_by_content(node)) {
        equal.entry(&node.content).or_default().push(to);
    }
    for (from, (path, node)) in gone.iter().enumerate().filter(|(_, (_, node))| is_named_by_content(node)) {
        let Some(places) = equal.get_mut(&*node.content) else { continue };
        let same_name = places.iter().rposition(|&to| come[to].0.file_name() == path.file_name());
        let Some(to) = same_name.map(|at| places.remove(at)).or_else(|| places.pop()) else { continue };
        is_taken[to] = true;
        renamed.insert(from, to);
    }
    let from: Vec<usize> =
        (0..gone.len()).filter(|from| !renamed.contains_key(from) && is_text(&gone[*from].1)).collect();
    let to: Vec<usize> = (0..come.len()).filter(|&to| !is_taken[to] && is_text(&come[to].1)).collect();
    if from.len().saturating_mul(to.len()) > TUNING.pairs {
        return renamed;
    }
    let lines_of = |node: &FileNode| -> Lines { counted(&node.content) };
    let lines: Vec<Lines> = to.iter().map(|&to| lines_of(&come[to].1)).collect();
    let mut pairs = Vec::new();
    for &from in &from {
        let own = lines_of(&gone[from].1);
        for (&to, other) in to.iter().zip(&lines) {
            let alike = alike(&own, other, gone[from].1.content.len().max(come[to].1.content.len()));
            let same_name = gone[from].0.file_name() == come[to].0.file_name();
            pairs.extend((alike >= TUNING.alike_percent).then_some((alike, same_name, from, to)));
        }
    }
    pairs.sort_by_key(|&(alike, same_name, from, to)| (std::cmp::Reverse((alike, same_name)), from, to));
    for (_, _, from, to) in pairs {
        if !renamed.contains_key(&from) && !std::mem::replace(&mut is_taken[to], true) {
            renamed.insert(from, to);
        }
    }
    renamed
}

/// The number of occurrences and the length of each line, by its hash.
type Lines = HashMap<u64, (usize, usize)>;

fn counted(content: &[u8]) -> Lines {
    let mut lines = Lines::new();
    for line in lines_of(content) {
        let hash = blake3::hash(line);
        let first = hash.as_bytes().first_chunk().expect("a hash is longer");
        lines.entry(u64::from_le_bytes(*first)).or_insert((0, line.len())).0 += 1;
    }
    lines
}

/// Returns the share of `size` that consists of common lines, in percent.
fn alike(one: &Lines, other: &Lines, size: usize) -> usize {
    let shared = one
        .iter()
        .filter_map(|(hash, (count, length))| other.get(hash).map(|(others, _)| count.min(others) * length));
    100 * shared.sum::<usize>() / size.max(1)
}

/// Returns whether an equal file elsewhere must be the same file. Empty files are all equal.
fn is_named_by_content(node: &FileNode) -> bool {
    node.kind == Type::File && !node.content.is_empty()
}

pub(super) fn is_text(node: &FileNode) -> bool {
    node.kind == Type::File && !node.content[..node.content.len().min(BINARY)].contains(&0)
}

/// Returns the lines of a text with their line ends.
pub(super) fn lines_of(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|&byte| byte == b'\n')
}

/// Returns the changes of a file. Hunks are last and in order.
pub(super) fn changes(file: &File) -> Vec<What> {
    let (old, new) = match (&file.old, &file.new) {
        (Some(old), Some(new)) => (old, new),
        (Some(_), None) => return vec![What::Delete],
        (None, _) => return vec![What::Create],
    };
    let mut changes = Vec::new();
    if old.0 != new.0 {
        changes.push(What::Rename);
    }
    let (old, new) = (&old.1, &new.1);
    if old.kind != new.kind || old.content != new.content && !(is_text(old) && is_text(new)) {
        changes.push(What::Replace);
        return changes;
    }
    if old.mode != new.mode {
        changes.push(What::Mode);
    }
    changes.extend(hunks(&old.content, &new.content));
    changes
}

/// Returns the hunks between two texts.
fn hunks(old: &[u8], new: &[u8]) -> Vec<What> {
    let (olds, news): (Vec<&[u8]>, Vec<&[u8]>) = (lines_of(old).collect(), lines_of(new).collect());
    let ends = |lines: &[&[u8]]| -> Vec<usize> {
        let mut at = 0;
        let each = lines.iter().map(|line| {
            at += line.len();
            at
        });
        std::iter::once(0).chain(each.collect::<Vec<_>>()).collect()
    };
    let (old_ends, new_ends) = (ends(&olds), ends(&news));
    let mut hunks: Vec<What> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &olds, &news) {
        if let DiffOp::Equal { .. } = op {
            continue;
        }
        let (from, to) = (op.old_range(), op.new_range());
        let old = old_ends[from.start]..old_ends[from.end];
        let new = new_ends[to.start]..new_ends[to.end];
        match hunks.last_mut() {
            Some(What::Hunk { old: last_old, new: last_new })
                if last_old.end == old.start && last_new.end == new.start =>
            {
                (last_old.end, last_new.end) = (old.end, new.end);
            }
            _ => hunks.push(What::Hunk { old, new }),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::*;

    fn pairs(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(Option<PathBuf>, Option<PathBuf>)> {
        let (_, files) = files(&tree(old), &tree(new));
        let path = |side: Option<(PathBuf, FileNode)>| side.map(|(path, _)| path);
        files.into_iter().map(|file| (path(file.old), path(file.new))).collect()
    }

    #[test]
    fn a_file_is_known_again_by_its_content() {
        let found = pairs(&[("a", "1\n2\n3\n4\n"), ("b", "x\n")], &[("c/a", "1\n2\n3\n5\n"), ("d", "y\n")]);
        let path = |path: &str| Some(PathBuf::from(path));
        assert_eq!(found, [(path("b"), None), (path("a"), path("c/a")), (None, path("d"))]);
    }

    #[test]
    fn empty_files_and_links_are_never_renamed() {
        assert_eq!(pairs(&[("a", "")], &[("b", "")]).len(), 2);
    }

    #[test]
    fn a_binary_file_is_replaced_as_a_whole() {
        let (old, new) = (tree(&[("a", "1\0\n2\n")]), tree(&[("a", "1\0\n3\n")]));
        assert_eq!(files(&old, &new).1.iter().flat_map(changes).collect::<Vec<_>>(), [What::Replace]);
    }
}
