//! Lists whose members depend on each other, or that a grammar parses only in part.

use crate::reduce;

/// Returns the statements of a JavaScript function.
fn statements<'t>(text: &'t str, function: &str) -> Vec<&'t str> {
    let inside = text.split_once(function).and_then(|(_, rest)| rest.split_once('}'));
    inside.map_or_else(Vec::new, |(inside, _)| {
        inside.split(';').map(str::trim).filter(|s| !s.is_empty()).collect()
    })
}

#[apply(test)]
fn corresponding_members_of_parallel_lists_are_removed_together() {
    let body = |names: [&str; 2]| {
        let line =
            |i: usize| format!("  {0}{i} = {1}{i} {2} {i};\n", names[0], names[1], ["+", "-", "*"][i % 3]);
        (0..12).map(line).collect::<String>()
    };
    let input = format!("function f() {{\n{}}}\nfunction g() {{\n{}}}\n", body(["a", "b"]), body(["c", "d"]));
    let signs = |statements: &[&str]| -> Vec<Option<char>> {
        statements.iter().map(|statement| statement.chars().find(|&c| "+-*".contains(c))).collect()
    };
    // Both functions stay alike, and each contains an addition.
    let wants = |text: &str| {
        let (f, g) = (signs(&statements(text, "f() {")), signs(&statements(text, "g() {")));
        f == g && f.contains(&Some('+')) && !f.contains(&None)
    };
    let (result, _, probes) = reduce(Some("javascript"), &input, wants);
    assert_eq!(statements(&result, "f() {").len(), 1, "{result}");
    assert_eq!(statements(&result, "g() {").len(), 1, "{result}");
    assert_eq!(probes["edit-parallel-lists"], 5, "{probes:?}");
}

#[apply(test)]
fn short_or_different_lists_are_left_to_other_passes() {
    let input = "function f() {\n  a = 1;\n  b = 2;\n}\nfunction g() {\n  c = 3;\n  d = 4;\n}\n";
    let wants = |text: &str| statements(text, "f() {").len() == statements(text, "g() {").len();
    let (.., probes) = reduce(Some("javascript"), input, |text| wants(text) && text.contains("a = 1"));
    assert_eq!(probes.get("edit-parallel-lists"), None, "{probes:?}");
}

#[apply(test)]
fn unparsed_text_is_removed_with_its_terminator() {
    let view = |i: usize| format!("CREATE VIEW v{i} AS SELECT {i};\nGRANT USAGE ON SCHEMA s{i} TO PUBLIC;\n");
    let input: String = (0..16).map(view).collect();
    let known: Vec<&str> = input.lines().collect();
    // Each statement is complete or absent.
    let wants = |text: &str| {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.all(|line| known.contains(&line)) && text.contains("s11 TO PUBLIC;")
    };
    let (result, _, probes) = reduce(Some("sql"), &input, wants);
    assert_eq!(result.trim(), "GRANT USAGE ON SCHEMA s11 TO PUBLIC;");
    assert_eq!(probes["delete-nodes"], 16, "{probes:?}");
}

#[apply(test)]
fn a_rule_is_applied_at_the_same_place_of_parallel_lists() {
    let line = |i: usize| format!("  %v{i} = add i32 %x, %y\n");
    let body: String = (1..10).map(line).collect();
    let function = |name: &str| format!("define i32 @{name}(i32 %x, i32 %y) {{\n{body}  ret i32 0\n}}\n");
    let input = function("f") + &function("g");
    let adds = |text: &str| -> Vec<Vec<bool>> {
        let of = |function: &str| {
            let sums = function.lines().filter_map(|line| line.split_once("add i32 ")?.1.split_once(", "));
            sums.filter(|(one, other)| one.len() > 1 && other.len() > 1)
                .map(|(one, _)| one == "poison")
                .collect()
        };
        text.split("define").skip(1).map(of).collect()
    };
    // Nine sums stay in each function, with the same first operands.
    let wants = |text: &str| {
        let adds = adds(text);
        adds.len() == 2 && adds[0].len() == 9 && adds[0] == adds[1]
    };
    let (result, _, probes) = reduce(Some("llvm"), &input, wants);
    assert!(adds(&result).iter().flatten().all(|&is_poison| is_poison), "{result}");
    assert_eq!(probes["edit-parallel-lists"], 18, "{probes:?}");
}
