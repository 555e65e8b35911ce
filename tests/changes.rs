//! Which changes make a failure: how many probes a simulation of the published case takes, and what holds of any changes.

use nubbin::parallel::{Knowledge, Outline, Partition};
use nubbin::search::{Ddmin, Search};
use nubbin::{Cause, Verdict, dd};
use std::collections::BTreeMap;

/// How many changes there are between GDB 4.16 and 4.17 (Zeller, ESEC 1999).
const CHANGES: u32 = 8721;

/// Changes in directories, files and functions, and which of them only work together.
struct Project {
    /// The directory, file and function of each change.
    places: Vec<[u32; 3]>,
    /// The group of each change that is made as a whole or not at all, or the build fails.
    clusters: Vec<u32>,
    /// The change that makes the failure.
    culprit: u32,
}

/// Numbers that look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }
}

impl Project {
    /// As large as GDB was. What a function is changed in works together, as a rule; some functions of a file do, some
    /// changes in the files of a directory, and a few anywhere.
    fn gdb(seed: u64, file_ties: u32, directory_ties: u32, ties: u32) -> Self {
        let mut numbers = Numbers(seed);
        let mut places = Vec::new();
        let (mut directory, mut file, mut function) = (0, 0, 0);
        while places.len() < CHANGES as usize {
            for _ in 0..4 + numbers.below(50) {
                for _ in 0..1 + numbers.below(9) {
                    places.extend((0..1 + numbers.below(5)).map(|_| [directory, file, function]));
                    function += 1;
                }
                file += 1;
            }
            directory += 1;
        }
        places.truncate(CHANGES as usize);
        let mut project = Self { clusters: (0..CHANGES).collect(), places, culprit: 0 };
        for i in 1..CHANGES {
            let [one, other] = [i as usize - 1, i as usize].map(|at| project.places[at]);
            if one[2] == other[2] && numbers.below(4) > 0 || one[1] == other[1] && numbers.below(100) < file_ties {
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
        let sizes = project.clusters.iter().fold(BTreeMap::<u32, u32>::new(), |mut sizes, &cluster| {
            *sizes.entry(cluster).or_default() += 1;
            sizes
        });
        let is_alone = |i: &u32| sizes[&project.clusters[*i as usize]] == 1;
        let first = numbers.below(CHANGES);
        project.culprit = (first..CHANGES).chain(0..first).find(is_alone).expect("some change works alone");
        project
    }

    fn tie(&mut self, one: u32, other: u32) {
        let (to, from) = (self.clusters[one as usize], self.clusters[other as usize]);
        self.clusters.iter_mut().filter(|cluster| **cluster == from).for_each(|cluster| *cluster = to);
    }

    /// The build fails where a cluster is cut; else it is the culprit that makes the failure.
    fn test(&self, made: &[u32]) -> Verdict {
        let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for &cluster in &self.clusters {
            counts.entry(cluster).or_default().0 += 1;
        }
        for &i in made {
            counts.entry(self.clusters[i as usize]).or_default().1 += 1;
        }
        if counts.values().any(|(all, made)| *made > 0 && made < all) {
            return Verdict::Unresolved(Cause::Test);
        }
        if made.contains(&self.culprit) { Verdict::Interesting } else { Verdict::Uninteresting }
    }

    /// The groups down to this depth: 0 is none, 1 directories, 3 functions.
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

    fn probes<S: Search>(&self, search: S) -> usize {
        let mut probes = 0;
        let (_, kept) = dd::run(search, CHANGES, |made| {
            probes += 1;
            self.test(made)
        });
        assert_eq!(kept, [self.culprit]);
        probes
    }
}

#[test]
fn probe() {
    for (f, d, t) in [(5, 100, 20), (5, 300, 50), (5, 600, 100), (5, 1000, 200), (5,1500,400), (5, 500, 500)] {
        let mut rows = Vec::new();
        for seed in 1..6 {
            let project = Project::gdb(seed, f, d, t);
            let mut row = vec![project.probes(Ddmin::new(CHANGES))];
            for depth in 0..4 {
                row.push(project.probes(Partition::new(&project.outline(depth), Knowledge::default())));
            }
            rows.push(row);
        }
        eprintln!("{f} {d} {t}: {rows:?}");
    }
}
