use super::*;
use nubbin_language::Registry;
use proptest::prelude::*;

fn language(name: &str) -> &'static Language {
    Registry::built_in().get(name).expect("it is built in")
}

fn by_tree<'t>(name: &str, old: &'t str, new: &'t str) -> TextDifference<'t> {
    TextDifference::by_tree(language(name), old.as_bytes(), new.as_bytes()).expect("both can be parsed")
}

fn text(difference: &TextDifference<'_>, made: &[u32]) -> String {
    String::from_utf8(difference.text(made)).expect("it is UTF-8")
}

fn all(difference: &TextDifference<'_>) -> Vec<u32> {
    (0..difference.len() as u32).collect()
}

#[test]
fn units_lead_from_the_old_text_to_the_new_one() {
    for unit in Unit::ALL {
        let (old, new) = (&b"a b\nc\nd e\n"[..], &b"a x\nd e f\ng\n"[..]);
        let difference = TextDifference::by_units(unit, old, new);
        assert_eq!(difference.text(&[]), old);
        assert_eq!(difference.text(&all(&difference)), new);
    }
}

#[test]
fn what_only_one_text_has_comes_or_goes_as_a_whole() {
    let old = "int a;\nint f(void) { return 1; }\nint b;\n";
    let new = "int a;\nint g(int x) { x++; return x; }\nint f(void) { return 1; }\n";
    let difference = by_tree("c", old, new);
    assert_eq!(difference.len(), 2);
    assert_eq!(
        text(&difference, &[0]),
        "int a;\nint g(int x) { x++; return x; }\nint f(void) { return 1; }\nint b;\n"
    );
    assert_eq!(text(&difference, &[1]), "int a;\nint f(void) { return 1; }\n");
}

#[test]
fn what_both_have_is_gone_into_a_level_at_a_time() {
    let mut difference = by_tree("c", "void f(void) { a(); b(); }", "void f(void) { a(1); c(); b(); }");
    // The function is the only change, so it is divided immediately.
    assert_eq!(difference.len(), 2);
    assert_eq!(text(&difference, &[0]), "void f(void) { a(1); b(); }");
    assert_eq!(text(&difference, &[1]), "void f(void) { a(); c(); b(); }");
    difference.settle(&[1], &[0, 1]);
    difference.refine();
    assert_eq!(text(&difference, &[]), "void f(void) { a(); c(); b(); }");
    assert_eq!(text(&difference, &[0]), "void f(void) { a(1); c(); b(); }");
}

#[test]
fn new_members_bring_their_separators_and_old_ones_take_them_along() {
    for (old, new) in [("[1, 4]", "[1, 2, 3, 4]"), ("[3]", "[1, 2, 3]"), ("[1]", "[1, 2, 3]")] {
        let parses = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        for (old, new) in [(old, new), (new, old)] {
            let mut difference = by_tree("json", old, new);
            while difference.len() < 2 {
                assert!(difference.refine(), "{old} {new}");
            }
            for made in [&[][..], &[0], &[1], &[0, 1]] {
                let text = text(&difference, made);
                assert!(parses(&text), "{text}");
            }
        }
    }
}

#[test]
fn from_nothing_come_the_members_of_lists_from_top_to_bottom() {
    let new = r#"{"a": [1, 2, 3], "b": 2, "c": 3}"#;
    let mut difference = by_tree("json", "", new);
    assert_eq!(difference.len(), 1);
    assert!(difference.refine());
    assert_eq!((difference.len(), difference.middle()), (4, vec![0]));
    assert_eq!(text(&difference, &[0]), "{}");
    assert_eq!(text(&difference, &[0, 1, 3]), r#"{"a": [1, 2, 3], "c": 3}"#);
    assert_eq!(text(&difference, &[0, 2]), r#"{ "b": 2}"#);
    difference.settle(&[0], &[0, 1, 3]);
    assert_eq!(difference.len(), 2);
    assert!(difference.refine());
    let made = difference.middle();
    // A string is a list of its contents.
    assert_eq!(text(&difference, &made), r#"{"": [], "": 3}"#);
}

#[test]
fn of_a_member_that_takes_the_place_of_another_one_may_go_and_the_other_not_come() {
    let mut difference = by_tree("c", "void f() { if (a) b(); }", "void f() { return; }");
    assert_eq!(difference.len(), 1);
    assert!(difference.refine());
    assert_eq!((text(&difference, &[0]).as_str(), difference.len()), ("void f() { }", 2));
    assert_eq!(text(&difference, &[1]), "void f() { if (a) b(); return; }");
}

#[test]
fn settled_changes_stay_as_they_are() {
    let mut difference = by_tree("c", "", "int a;\nint b;\nint c;\nint d;");
    assert_eq!(difference.len(), 4);
    difference.settle(&[0], &[0, 2]);
    assert_eq!((text(&difference, &[]), difference.len()), ("int a;".to_owned(), 1));
    assert_eq!(text(&difference, &[0]), "int a;\nint c;");
}

#[test]
fn many_levels_need_no_stack() {
    let depth = 20_000;
    let nested = |inside: &str| "[".repeat(depth) + inside + &"]".repeat(depth);
    let (old, new) = (nested("1"), nested("2"));
    let mut difference = by_tree("json", &old, &new);
    while difference.refine() {}
    assert_eq!(difference.len(), 1);
    assert_eq!((text(&difference, &[]), text(&difference, &[0])), (old.clone(), new.clone()));
}

/// Generates texts that have much in common. Some of them do not parse.
fn source() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "int a;\n",
        "int f(int x, int y) { return x; }\n",
        "int f(int x) { x++; { y(); } return x; }\n",
        "struct s { int a, b; };\n",
        "/* c */ ",
        "int z = g(1, 2, h(3));\n",
        "int z = g(1, 3);\n",
        "}",
        "{",
        ";",
        "int v[] = {1, 2, 3};\n",
        "int v[] = {0, 2};\n",
        "\n  ",
        "if (a) b(); else c();\n",
    ]);
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_level_leads_from_the_old_text_to_the_new_one_and_can_be_settled(
        old in source(), new in source(), choices in prop::collection::vec(0u8..3, 64)
    ) {
        let Some(mut difference) = TextDifference::by_tree(language("c"), old.as_bytes(), new.as_bytes()) else {
            return Ok(());
        };
        let (mut passing, mut failing) = (old.clone(), new.clone());
        loop {
            prop_assert_eq!(text(&difference, &[]), passing.as_str());
            prop_assert_eq!(text(&difference, &all(&difference)), failing.as_str());
            let chosen = |least: u8| -> Vec<u32> {
                all(&difference).into_iter().filter(|&i| choices[i as usize % 64] >= least).collect()
            };
            let (some, more) = (chosen(2), chosen(1));
            (passing, failing) = (text(&difference, &some), text(&difference, &more));
            difference.settle(&some, &more);
            prop_assert_eq!(difference.len(), more.len() - some.len());
            if !difference.refine() {
                break;
            }
            prop_assert!(difference.middle().len() <= difference.len());
        }
    }

    #[test]
    fn changes_by_units_are_disjoint(old in "[a-c \n]{0,12}", new in "[a-c \n]{0,12}", mask: u64) {
        for unit in Unit::ALL {
            let difference = TextDifference::by_units(unit, old.as_bytes(), new.as_bytes());
            let made: Vec<u32> = all(&difference).into_iter().filter(|i| mask >> (i % 64) & 1 == 1).collect();
            let size = |made: &[u32]| difference.text(made).len() as i64;
            // Each change adds and removes the same text, independently of the others.
            let alone: i64 = made.iter().map(|&i| size(&[i]) - size(&[])).sum();
            prop_assert_eq!(size(&made), size(&[]) + alone);
        }
    }
}
