//! Which changes cause a failure: the number of probes in a simulation of the published case, and properties
//! of any changes.

use crate::tools;
use nubbin::archive::{Type, disk};
use nubbin::change::{self, Changes, FileNode, FileTree, What};
use nubbin::search::{Ddmin, Search};
use nubbin::search::{Knowledge, Outline, Partition};
use nubbin::{Cause, Verdict, dd};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The number of changes between GDB 4.16 and 4.17 (Zeller, ESEC/FSE 1999).
const CHANGES: u32 = 8721;

/// Changes in directories, files and functions, some of which only work together.
struct Project {
    /// The directory, file and function of each change.
    places: Vec<[u32; 3]>,
    /// The group of each change. A group must be applied as a whole or not at all, otherwise the build fails.
    clusters: Vec<u32>,
    /// The change that causes the failure.
    culprit: u32,
    /// The number of changes in each cluster.
    sizes: BTreeMap<u32, u32>,
}

/// Pseudo-random numbers that are always the same. The sizes of the simulated project are tuned to them.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }
}

impl Project {
    /// Creates a project as large as GDB. Changes of a function usually belong together; so do those of some
    /// functions of a file, some changes in the files of a directory, and a few anywhere.
    fn gdb(seed: u64, file_ties: u32, directory_ties: u32, ties: u32) -> Self {
        let mut numbers = Numbers(seed);
        let mut places = Vec::new();
        let (mut directory, mut file, mut function) = (0, 0, 0);
        while places.len() < CHANGES as usize {
            for _ in 0..4 + numbers.below(50) {
                for _ in 0..=numbers.below(9) {
                    places.extend((0..=numbers.below(5)).map(|_| [directory, file, function]));
                    function += 1;
                }
                file += 1;
            }
            directory += 1;
        }
        places.truncate(CHANGES as usize);
        let mut project =
            Self { clusters: (0..CHANGES).collect(), places, culprit: 0, sizes: BTreeMap::new() };
        for i in 1..CHANGES {
            let [one, other] = [i as usize - 1, i as usize].map(|at| project.places[at]);
            if one[2] == other[2] && numbers.below(4) > 0
                || one[1] == other[1] && numbers.below(100) < file_ties
            {
                project.tie(i - 1, i);
            }
        }
        for count in [(directory_ties, 0), (ties, 1)] {
            for _ in 0..count.0 {
                let one = numbers.below(CHANGES);
                let near = (one + 1 + numbers.below(200)).min(CHANGES - 1);
                let other = if count.1 == 0 { near } else { numbers.below(CHANGES) };
                project.tie(one, other);
            }
        }
        project.sizes = project.clusters.iter().fold(BTreeMap::<u32, u32>::new(), |mut sizes, &cluster| {
            *sizes.entry(cluster).or_default() += 1;
            sizes
        });
        let is_alone = |i: &u32| project.sizes[&project.clusters[*i as usize]] == 1;
        let first = numbers.below(CHANGES);
        project.culprit = (first..CHANGES).chain(0..first).find(is_alone).expect("some change works alone");
        project
    }

    fn tie(&mut self, one: u32, other: u32) {
        let (to, from) = (self.clusters[one as usize], self.clusters[other as usize]);
        self.clusters.iter_mut().filter(|cluster| **cluster == from).for_each(|cluster| *cluster = to);
    }

    /// The build fails if a cluster is incomplete; otherwise the culprit causes the failure.
    fn test(&self, made: &[u32]) -> Verdict {
        let mut missing = BTreeMap::new();
        for &i in made {
            let cluster = self.clusters[i as usize];
            *missing.entry(cluster).or_insert(self.sizes[&cluster]) -= 1;
        }
        if missing.values().any(|&missing| missing > 0) {
            return Verdict::Unresolved(Cause::Test);
        }
        if made.contains(&self.culprit) { Verdict::Interesting } else { Verdict::Uninteresting }
    }

    /// Returns the groups down to this depth: 0 is none, 1 directories, 3 functions.
    fn outline(&self, depth: usize) -> Outline {
        fn inside(places: &[[u32; 3]], first: u32, level: usize, depth: usize) -> Vec<Outline> {
            let mut at = first;
            if level == depth {
                return Vec::new();
            }
            let groups = places.chunk_by(|one, other| one[level] == other[level]).map(|group| {
                let members = at..at + group.len() as u32;
                at = members.end;
                Outline { inside: inside(group, members.start, level + 1, depth), members }
            });
            groups.collect()
        }
        Outline { members: 0..CHANGES, inside: inside(&self.places, 0, 0, depth) }
    }

    /// Returns the number of probes of a search, after checking that it finds the culprit.
    fn probes<S: Search>(&self, mut search: S) -> usize {
        let mut held: Vec<u32> = (0..CHANGES).collect();
        for probes in 0..1000 {
            let Some(without) = search.next() else {
                assert_eq!(held, [self.culprit]);
                return probes;
            };
            let asked: Vec<u32> =
                held.iter().copied().filter(|i| without.binary_search(i).is_err()).collect();
            let verdict = self.test(&asked);
            if verdict.is_interesting() {
                held = asked;
            }
            search.advance(verdict);
        }
        1000
    }
}

/// Creates a project as large and as hard as the published case: the classic algorithm takes about as many
/// probes as published.
fn as_published(seed: u64) -> Project {
    Project::gdb(seed, 5, 0, 0)
}

#[apply(test)]
fn the_simulation_is_as_hard_as_the_published_case_was_for_the_classic_algorithm() {
    let probes: usize = (1..5).map(|seed| as_published(seed).probes(Ddmin::new(CHANGES))).sum();
    let mean = probes / 4;
    assert!((400..=540).contains(&mean), "{mean} probes, where 470 were published");
}

#[apply(test)]
fn almost_all_sets_of_changes_are_unresolved() {
    let project = as_published(1);
    let mut numbers = Numbers(7);
    let unresolved = (0..200).filter(|_| {
        let made: Vec<u32> = (0..CHANGES).filter(|_| numbers.below(2) == 0).collect();
        matches!(project.test(&made), Verdict::Unresolved(_))
    });
    assert_eq!(unresolved.count(), 200);
}

#[apply(test)]
fn grouped_by_function_the_published_case_takes_fewer_than_97_probes_and_by_file_fewer_than_289() {
    // The second is harder: some changes need changes in other files or elsewhere.
    for (seed, is_hard) in (1..9).flat_map(|seed| [(seed, false), (seed, true)]) {
        let project = if is_hard { Project::gdb(seed, 2, 20, 3) } else { as_published(seed) };
        let probes = |depth| project.probes(Partition::new(&project.outline(depth), Knowledge::default()));
        let (by_file, by_function) = (probes(2), probes(3));
        assert!(by_file < 289 && by_function < 97, "{by_file} and {by_function} probes, {seed} {is_hard}");
    }
}

#[apply(test)]
fn two_changes_that_interfere_are_found_together() {
    for [one, other] in [[0, 1], [17, 8000], [4000, 4001], [100, 8720]] {
        let mut probes = 0;
        let search = Partition::new(&Outline::flat(CHANGES), Knowledge::default());
        let (_, kept) = dd::run(search, CHANGES, |made: &[u32]| {
            probes += 1;
            if made.contains(&one) && made.contains(&other) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!(kept, [one, other]);
        assert!(probes < 100, "{probes} probes for {one} and {other}");
    }
}

#[apply(test)]
fn a_change_is_never_tested_without_those_it_needs() {
    let needs: Vec<Vec<u32>> = (0..64).map(|i| if i % 8 == 0 { vec![] } else { vec![i - i % 8] }).collect();
    let known = Knowledge { needs: needs.clone(), ..Knowledge::default() };
    let (_, kept) = dd::run(Partition::new(&Outline::flat(64), known), 64, |made: &[u32]| {
        for i in made {
            assert!(needs[*i as usize].iter().all(|other| made.contains(other)), "{made:?}");
        }
        if made.contains(&13) && made.contains(&50) { Verdict::Interesting } else { Verdict::Uninteresting }
    });
    assert_eq!(kept, [8, 13, 48, 50]);
}

#[apply(test)]
fn the_stage_of_a_history_that_introduced_the_failure_is_bisected() {
    // Each of 256 commits needs the previous one, or does not build.
    let known = Knowledge { stages: (1..=256).map(|stage| stage * 4).collect(), ..Knowledge::default() };
    let inside = (0..256).map(|i| Outline { members: 4 * i..4 * i + 4, inside: Vec::new() }).collect();
    let mut probes = 0;
    let search = Partition::new(&Outline { members: 0..1024, inside }, known);
    let (_, kept) = dd::run(search, 1024, |made: &[u32]| {
        probes += 1;
        let last = made.iter().max().map_or(0, |last| last / 4);
        let has_all = made.len() as u32 == 4 * (last + 1) || made.iter().all(|i| i / 4 == 200);
        match (has_all, made.contains(&802)) {
            (false, _) => Verdict::Unresolved(Cause::Test),
            (true, true) => Verdict::Interesting,
            (true, false) => Verdict::Uninteresting,
        }
    });
    assert_eq!(kept, [802]);
    assert!(probes < 20, "{probes} probes");
}

/// Creates a version with some files of a few lines each, among them a binary one and a link.
fn version(numbers: &mut Numbers, base: Option<&FileTree>) -> FileTree {
    let mut tree = base.cloned().unwrap_or_default();
    let names = ["a", "b c", "d/e", "d/f", "g/h/i", "j", "k\"l", "a/m", "\u{e9}"];
    for name in names {
        if numbers.below(2) == 0 && base.is_some() {
            continue;
        }
        let path = PathBuf::from(name);
        let clash = |other: &PathBuf| *other != path && (other.starts_with(&path) || path.starts_with(other));
        if tree.files.keys().any(clash) {
            continue;
        }
        let Some(mut node) = tree.files.remove(&path) else {
            let lines: Vec<String> =
                (0..numbers.below(30)).map(|_| format!("line {}\n", numbers.below(50))).collect();
            let node =
                FileNode { kind: Type::File, mode: 0o644, content: lines.concat().into_bytes().into() };
            tree.files.insert(path, node);
            continue;
        };
        let mut lines: Vec<Vec<u8>> =
            node.content.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        match numbers.below(8) {
            0 => continue,
            1 => node.mode = if node.mode == 0o644 { 0o755 } else { 0o644 },
            2 => node = FileNode { kind: Type::Link, mode: 0o777, content: b"j".as_slice().into() },
            3 => lines.push(vec![0, 1, 2, b'\n', numbers.below(200) as u8]),
            4 => {
                let moved =
                    PathBuf::from(format!("moved/{}", path.file_name().unwrap_or_default().display()));
                tree.files.insert(moved, node);
                continue;
            }
            _ => {
                for _ in 0..=numbers.below(4) {
                    let at = numbers.below(lines.len() as u32 + 1) as usize;
                    if numbers.below(2) == 0 && at < lines.len() {
                        lines.remove(at);
                    } else {
                        lines.insert(at, format!("new {}\n", numbers.below(50)).into_bytes());
                    }
                }
                if numbers.below(3) == 0 {
                    lines.last_mut().map(Vec::pop);
                }
            }
        }
        if node.kind == Type::File {
            node.content = lines.concat().into();
        }
        tree.files.insert(path, node);
    }
    tree
}

/// Returns versions, and some of the changes between them.
fn cases() -> impl Iterator<Item = (FileTree, FileTree, Changes, Vec<u32>)> {
    (0..120).map(|seed| {
        let mut numbers = Numbers(seed * 7919 + 1);
        let old = version(&mut numbers, None);
        let new = version(&mut numbers, Some(&old));
        let changes = Changes::between(&old, &new);
        let some = (0..changes.len() as u32).filter(|_| numbers.below(2) == 0).collect();
        (old, new, changes, some)
    })
}

#[apply(test)]
fn any_subset_of_changes_can_be_applied() {
    let mut kinds = std::collections::BTreeSet::new();
    for (old, new, changes, some) in cases() {
        let all: Vec<u32> = (0..changes.len() as u32).collect();
        assert_eq!((changes.make(&[]), changes.make(&all)), (old, new));
        let made = changes.make(&some);
        assert_eq!(changes.make(&changes.consistent(&some)), made);
        let kind = |what: &What| {
            format!("{what:?}").chars().take_while(char::is_ascii_alphabetic).collect::<String>()
        };
        kinds.extend(changes.all().iter().map(|change| kind(&change.what)));
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}

#[apply(test)]
fn git_applies_the_patch_of_any_changes_with_the_same_result() {
    tools::program("git");
    for (old, _, changes, some) in cases().take(60) {
        let folder = tempfile::tempdir().expect("a directory");
        disk::unpack(&old.archive(), folder.path()).expect("writable");
        let patch = changes.patch(&some);
        if patch.is_empty() {
            continue;
        }
        let place = folder.path().with_extension("patch");
        fs::write(&place, &patch).expect("writable");
        let mut git = Command::new("git");
        git.args(["apply", "--whitespace=nowarn"]).arg(&place).current_dir(folder.path());
        let run = git.env("GIT_CEILING_DIRECTORIES", "/").output().expect("git runs");
        fs::remove_file(&place).expect("it is there");
        let shown = String::from_utf8_lossy(&patch);
        assert!(run.status.success(), "{}\n{shown}", String::from_utf8_lossy(&run.stderr));
        let made = FileTree::of_archive(&disk::pack_folder(folder.path(), &[]).expect("readable"));
        assert_eq!(made.files, changes.make(&some).files, "{shown}");
    }
}

#[apply(test)]
fn the_patch_of_any_changes_can_be_parsed() {
    let is_text = |changes: &Changes| changes.all().iter().all(|change| change.what != What::Replace);
    for (old, _, changes, some) in cases().filter(|(_, _, changes, _)| is_text(changes)) {
        let patch = changes.patch(&some);
        if patch.is_empty() || patch.windows(10).any(|word| word == b"GIT binary") {
            continue;
        }
        let made = change::apply(&old, &patch);
        assert_eq!(
            made.map(|tree| tree.files),
            Ok(changes.make(&some).files),
            "{}",
            String::from_utf8_lossy(&patch)
        );
    }
}
