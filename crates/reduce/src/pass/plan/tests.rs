use super::*;
use crate::pass::Unit;

fn run(before: u64, after: u64, tokens: usize, gave_way: bool) -> PassRun {
    PassRun { revisions: (before, after), gain: tokens, probes: 10, bytes: 100, gave_way, is_cosmetic: false }
}

/// Returns the plan of a small input in a known language, after its opening.
fn begun() -> Plan {
    let mut plan = Plan::new(true, false);
    let opening: Vec<_> = (0..2).filter_map(|_| plan.next(0, 0)).map(|turn| turn.pass.name).collect();
    assert_eq!(opening, ["trim-whitespace/all", "flatten-nesting"]);
    plan
}

/// Returns the plan of a text in an unknown language, after its opening.
fn begun_plain() -> Plan {
    let mut plan = Plan::new(false, false);
    assert_eq!(plan.next(0, 0).map(|turn| turn.pass.name), Some("delete-chunks/binary"));
    plan
}

#[test]
fn large_parts_of_a_huge_text_go_first_and_again_as_long_as_that_halves_it() {
    for mut plan in [Plan::new(true, false), Plan::new(false, false), Plan::units(&[Unit::Line])] {
        let mut turns = Vec::new();
        let mut bytes = 3 << 30;
        for after in [3 << 20, 2 << 20, 1 << 20] {
            let pass = plan.next(0, bytes).map(|turn| turn.pass.name).unwrap();
            turns.push(pass);
            bytes = after;
            plan.ran(pass, PassRun { bytes, ..run(0, 1, 0, false) });
        }
        assert_eq!(turns[0], "delete-chunks/large");
        assert!(!turns[1..].contains(&"delete-chunks/large"), "{turns:?}");
        let mut plan = Plan::new(true, false);
        for bytes in [1 << 30, 1 << 28, 1 << 25] {
            assert_eq!(plan.next(0, bytes).map(|turn| turn.pass.name), Some("delete-chunks/large"));
            plan.ran("delete-chunks/large", PassRun { bytes: bytes / 4, ..run(0, 1, 0, false) });
        }
    }
}

#[test]
fn what_brings_more_comes_first_once_every_pass_has_had_a_turn() {
    let mut plan = begun();
    let first = [
        ("delete-unparsed", 0),
        ("name-values", 0),
        ("delete-nodes", 5),
        ("delete-unused", 3),
        ("delete-comments", 0),
        ("simplify-jumps", 0),
        ("rewrite", 90),
        ("hoist", 7),
    ];
    for (i, (name, tokens)) in first.into_iter().enumerate() {
        let turn = plan.next(i as u64, 0).map(|turn| (turn.pass.name, turn.is_trial));
        assert_eq!(turn, Some((name, name != "hoist")));
        plan.ran(name, run(i as u64, i as u64 + 1, tokens, false));
    }
    assert_eq!(plan.next(8, 0).map(|turn| (turn.pass.name, turn.is_trial)), Some(("rewrite", false)));
    plan.ran("rewrite", run(8, 8, 0, false));
    assert_eq!(plan.next(8, 0).map(|turn| turn.pass.name), Some("hoist"));
}

#[test]
fn of_a_large_best_that_has_halved_nothing_is_known() {
    let ran = |large: usize| {
        let mut plan = begun();
        for name in [
            "delete-unparsed",
            "name-values",
            "delete-nodes",
            "delete-unused",
            "delete-comments",
            "simplify-jumps",
            "rewrite",
            "hoist",
        ] {
            let run = run(0, 1, if name == "delete-nodes" { 9 } else { 1 }, false);
            plan.ran(name, PassRun { bytes: large, ..run });
        }
        plan.ran("delete-nodes", PassRun { bytes: large / 3, ..run(1, 2, 8, false) });
        plan.next(2, large / 3).map(|turn| turn.pass.name)
    };
    assert_eq!(ran(30_000), Some("delete-unparsed"));
    assert_eq!(ran(300), Some("delete-nodes"));
}

#[test]
fn a_pass_that_gave_way_comes_last_and_then_goes_to_its_end() {
    let mut plan = begun();
    plan.ran("delete-nodes", run(0, 0, 0, true));
    for name in [
        "delete-unparsed",
        "name-values",
        "delete-unused",
        "delete-comments",
        "simplify-jumps",
        "rewrite",
        "hoist",
    ] {
        assert_eq!(plan.next(0, 0).map(|turn| (turn.pass.name, turn.may_give_way)), Some((name, true)));
        plan.ran(name, run(0, 0, 0, false));
    }
    assert_eq!(
        plan.next(0, 0).map(|turn| (turn.pass.name, turn.may_give_way)),
        Some(("delete-nodes", false))
    );
    plan.ran("delete-nodes", run(0, 0, 0, false));
    assert_eq!(plan.next(0, 0).map(|turn| turn.pass.name), Some("edit-parallel-lists"));
}

#[test]
fn a_unit_goes_on_until_it_is_dry_before_an_earlier_one_has_its_turn_again() {
    let mut plan = Plan::units(&[Unit::Line, Unit::Char]);
    // The revisions after each run.
    let runs = [
        ("delete-lines/unit", 1),
        ("delete-lines/unit", 1),
        ("delete-characters", 2),
        ("delete-characters", 3),
        ("delete-characters", 3),
        ("delete-lines/unit", 3),
    ];
    let mut revision = 0;
    for (name, after) in runs {
        assert_eq!(plan.next(revision, 100).map(|turn| turn.pass.name), Some(name));
        plan.ran(name, run(revision, after, 0, false));
        revision = after;
    }
    assert!(plan.next(revision, 100).is_none());
}

#[test]
fn a_large_input_goes_through_coarse_levels_by_its_first_unit_alone() {
    let mut plan = Plan::units(&[Unit::Token, Unit::Byte]);
    let mut turns = Vec::new();
    while let Some(turn) = plan.next(0, 100_000) {
        turns.push((turn.pass.name, turn.smallest_weight));
        plan.ran(turn.pass.name, run(0, 0, 0, false));
    }
    assert_eq!(
        turns,
        [
            ("delete-tokens/unit", 3125),
            ("delete-tokens/unit", 390),
            ("delete-tokens/unit", 0),
            ("delete-bytes/unit", 0)
        ]
    );
}

#[test]
fn what_was_dry_stays_so_when_names_change() {
    let mut plan = begun_plain();
    for name in ["delete-blocks", "delete-columns", "equalize-lines", "remove-symbol/text"] {
        plan.ran(name, run(0, 0, 0, false));
    }
    plan.ran("delete-tokens", PassRun { is_cosmetic: true, ..run(0, 1, 0, false) });
    assert_eq!(plan.next(1, 0).map(|turn| turn.pass.name), Some("delete-tokens"));
}

#[test]
fn where_a_pass_gives_way_on_a_large_input_coarse_levels_come_first() {
    let mut plan = begun_plain();
    assert_eq!(plan.next(0, 100_000).map(|turn| turn.smallest_weight), Some(0));
    plan.ran("delete-blocks", PassRun { bytes: 100_000, ..run(0, 0, 0, true) });
    let mut turns = Vec::new();
    while let Some(turn) = plan.next(0, 100_000) {
        turns.push((turn.pass.name, turn.smallest_weight));
        plan.ran(turn.pass.name, PassRun { bytes: 100_000, ..run(0, 0, 0, false) });
    }
    assert_eq!(turns[..3], [("delete-columns", 3125), ("equalize-lines", 3125), ("delete-blocks", 3125)]);
    let fine = [
        "delete-blocks",
        "delete-columns",
        "equalize-lines",
        "remove-symbol/text",
        "delete-tokens",
        "delete-token-ranges/text",
        "shrink-numbers/text",
        "rename/text",
        "delete-bytes/inside",
    ];
    assert_eq!(turns[9..], fine.map(|name| (name, 0)));
}

#[test]
fn rules_in_many_places_at_once_belong_to_the_coarse_levels() {
    let mut plan = begun();
    plan.ran("delete-nodes", PassRun { bytes: 100_000, ..run(0, 0, 0, true) });
    let mut turns = Vec::new();
    while let Some(turn) = plan.next(0, 100_000) {
        turns.push((turn.pass.name, turn.smallest_weight));
        plan.ran(turn.pass.name, PassRun { bytes: 100_000, ..run(0, 0, 0, false) });
    }
    let first = [
        ("delete-unparsed", 3125),
        ("name-values", 0),
        ("delete-unused", 3125),
        ("delete-comments", 3125),
        ("rewrite/bulk", 3125),
        ("simplify-jumps", 3125),
        ("rewrite", 3125),
        ("hoist", 3125),
        ("delete-nodes", 3125),
    ];
    assert_eq!(turns[..9], first);
    let smallest_weights: Vec<_> =
        turns.iter().filter(|turn| turn.0 == "rewrite/bulk").map(|turn| turn.1).collect();
    assert_eq!(smallest_weights, [3125, 390, 48]);
}

#[test]
fn with_an_effort_all_passes_have_one_more_turn_before_the_end() {
    let mut plan = begun().thorough();
    let dry = |plan: &mut Plan| {
        let mut turns = 0;
        while let Some(turn) = plan.next(0, 0) {
            plan.ran(turn.pass.name, run(0, 0, 0, false));
            turns += 1;
        }
        turns
    };
    let first = dry(&mut plan);
    assert!(plan.takes_anew());
    assert_eq!(dry(&mut plan), first);
    assert!(!plan.takes_anew());
    assert!(!begun().takes_anew());
}
