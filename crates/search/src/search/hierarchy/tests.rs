use super::*;
use crate::Verdict::{Interesting, Uninteresting};
use crate::search::tests::run;

fn group(members: Range<u32>, kind: GroupKind, owner: Option<u32>) -> Group {
    Group { members, kind, owner }
}

#[test]
fn a_patient_search_abandons_a_group_after_consecutive_failures() {
    // All of the first 32 are needed, none of the last four.
    let groups = vec![group(0..32, GroupKind::Set, None), group(32..36, GroupKind::Set, None)];
    let groups = Arc::new(Groups::heaviest_first(groups, vec![1; 36]));
    let needed: Vec<u32> = (0..32).collect();
    let test = |config: &[u32]| {
        if needed.iter().all(|n| config.contains(n)) { Interesting } else { Uninteresting }
    };
    let (kept, probes) = run(Hierarchy::new(Arc::clone(&groups)).patient(5), 36, test);
    assert_eq!((kept, probes), (needed.clone(), 6));
    let (kept, probes) = run(Hierarchy::new(groups), 36, test);
    assert_eq!((kept, probes), (needed.clone(), 64));
}

#[test]
fn groups_inside_a_deleted_part_are_not_tested() {
    let groups = vec![group(0..2, GroupKind::Set, None), group(2..4, GroupKind::Set, Some(0))];
    let groups = Arc::new(Groups::heaviest_first(groups, vec![10, 10, 5, 5]));
    let mut asked = Vec::new();
    run(Hierarchy::new(groups), 4, |config| {
        asked.push(config.to_vec());
        if config.contains(&1) { Interesting } else { Uninteresting }
    });
    assert_eq!(asked, [vec![2, 3], vec![0, 2, 3], vec![1, 2, 3]]);
}

#[test]
fn the_first_interesting_alternative_ends_a_choice() {
    let groups = Arc::new(Groups::heaviest_first(vec![group(0..3, GroupKind::Choice, None)], vec![3, 2, 1]));
    let (kept, probes) =
        run(Hierarchy::new(groups), 3, |c| if c.contains(&0) { Interesting } else { Uninteresting });
    assert_eq!((kept, probes), (vec![0, 2], 2));
}

#[test]
fn a_coarse_search_skips_light_groups() {
    let groups = vec![group(0..4, GroupKind::Set, None), group(4..6, GroupKind::Choice, None)];
    let groups = Arc::new(Groups::heaviest_first(groups, vec![8, 2, 2, 2, 6, 3]));
    let mut asked = Vec::new();
    run(Hierarchy::coarse(groups, 4), 6, |config| {
        asked.push((0..6).filter(|i| !config.contains(i)).collect::<Vec<u32>>());
        Uninteresting
    });
    assert_eq!(asked, [vec![0, 1, 2, 3], vec![1, 2, 3], vec![4], vec![1, 2], vec![0]]);
}

#[test]
fn parts_of_a_skipped_question_are_not_tested() {
    let groups = vec![group(0..4, GroupKind::Set, None), group(4..6, GroupKind::Set, Some(0))];
    let mut search = Hierarchy::new(Arc::new(Groups::heaviest_first(groups, vec![4, 2, 2, 2, 1, 1])));
    assert_eq!(search.next(), Some(vec![0, 1, 2, 3]));
    search.skip();
    assert_eq!(search.next(), Some(vec![4, 5]));
    search.skip();
    assert_eq!(search.next(), None);
}

#[test]
fn only_groups_inside_removed_circumstances_are_skipped() {
    let groups = vec![
        group(0..2, GroupKind::Set, None),
        group(2..4, GroupKind::Set, Some(0)),
        group(4..6, GroupKind::Set, Some(1)),
    ];
    let mut search = Hierarchy::new(Arc::new(Groups::heaviest_first(groups, vec![10, 10, 5, 5, 3, 3])));
    assert_eq!(search.next(), Some(vec![0, 1]));
    search.take(&[0]);
    assert_eq!(search.next(), Some(vec![4, 5]));
}

#[test]
fn a_hundred_thousand_levels_need_no_stack() {
    let n = 100_000u32;
    let groups = (0..n).map(|i| group(i..i + 1, GroupKind::Set, i.checked_sub(1))).collect();
    let mut search = Hierarchy::new(Arc::new(Groups::heaviest_first(groups, vec![1; n as usize])));
    search.advance(Interesting);
    assert_eq!(search.next(), None);
}
