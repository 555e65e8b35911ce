//! Edits of tokens and smaller units, with exact numbers of probes.

use crate::reduce;
use nubbin::{Reduction, Registry, Verdict};

/// Returns words and other characters without whitespace.
fn tokens(text: &str) -> String {
    text.split_whitespace().collect()
}

#[apply(test)]
fn a_number_becomes_the_smallest_failing_one() {
    let large = |text: &str| {
        let inside = text.split_once("x[").and_then(|(_, rest)| rest.split_once(']'));
        inside.and_then(|(number, _)| number.parse::<u64>().ok()).is_some_and(|number| number >= 10)
            && text.starts_with("int x[")
            && text.ends_with("];\n")
    };
    let (result, _, probes) = reduce(Some("c"), "int x[4096];\n", large);
    assert_eq!(result, "int x[40];\n");
    assert_eq!(probes["shrink-numbers"], 2);
}

#[apply(test)]
fn a_number_becomes_smaller_before_its_unit() {
    let wants = |text: &str| {
        let value = text.trim_end().strip_prefix("a{b:").and_then(|rest| rest.strip_suffix("em}"));
        value.is_some_and(|value| value.parse::<f64>().is_ok())
    };
    let (result, ..) = reduce(Some("css"), "a{b:12.25em}\n", wants);
    assert_eq!(result, "a{b:0em}\n");
}

#[apply(test)]
fn text_that_occurs_in_several_places_changes_together() {
    let same = |text: &str| {
        let text = tokens(text);
        let (first, second) = text.trim_end_matches(";}").split_once(";}*{").unwrap_or_default();
        let one = first.strip_prefix("a{").unwrap_or_default();
        let (name, value) = one.split_once(':').unwrap_or_default();
        one == second && !name.is_empty() && value.parse::<u32>().is_ok_and(|n| n > 1)
    };
    let input = "a { font-weight: 300; }\n* { font-weight: 300; }\n";
    let (result, _, probes) = reduce(Some("css"), input, same);
    assert_eq!(tokens(&result), "a{f:3;}*{f:3;}");
    assert_eq!(probes["edit-equal-nodes"], 6, "{probes:?}");

    let wants = |text: &str| {
        let text = tokens(text);
        let of = |function: &str| {
            let (_, rest) = text.split_once(function)?;
            Some(rest.split_once(';')?.0.to_owned())
        };
        of("f=").is_some_and(|f| !f.is_empty() && Some(f) == of("g="))
    };
    let (result, ..) = reduce(Some("javascript"), "f = a(b) + c;\ng = a(b) + c;\n", wants);
    assert!(["f=a;g=a;", "f=b;g=b;", "f=c;g=c;"].contains(&tokens(&result).as_str()), "{result}");
}

#[apply(test)]
fn quoted_text_is_reduced_again_late_and_words_become_single_characters() {
    let wants = |text: &str| text.contains("f(\"") && text.contains(" w") && text.contains("\")");
    let (result, _, probes) = reduce(Some("python"), "f(\"hello world\")\n", wants);
    assert_eq!(result, "f(\" w\")\n");
    assert_eq!(probes["shorten-words"], 1);
}

#[apply(test)]
fn separated_tokens_are_removed_together_if_the_grammar_allows() {
    let wants =
        |text: &str| ["a\n", "a=b[0]\n"].contains(&(tokens(text) + "\n").as_str()) && text.ends_with('\n');
    let (result, outcome, _) = reduce(Some("python"), "a = b[0]\n", wants);
    assert_eq!(result, "a\n");
    assert_eq!(outcome.after.tokens, 1);
    let wants = |text: &str| ["a[c]", "a+b[c]"].contains(&tokens(text).as_str());
    let (result, _, probes) =
        reduce(Some("javascript"), "a + b[c];\n", |text| wants(text.trim_end_matches(";\n")));
    assert_eq!(tokens(&result), "a[c]");
    assert!(probes["delete-token-ranges/some"] <= 4, "{probes:?}");
}

#[apply(test)]
fn candidates_that_differ_only_in_insignificant_whitespace_are_not_probed() {
    let input = "int\nf(void)\n{\n  int a;\n  {\n    return g(a) + 1;\n  }\n}\n";
    let wants = |text: &str| tokens(text).contains("intf(void){inta;{returng(a)+1;}}");
    let (result, outcome, _) = reduce(Some("c"), input, wants);
    assert_eq!(result, input);
    assert!(outcome.counts.alike > 0, "{:?}", outcome.counts);
    let wants = |text: &str| tokens(text).contains("a=b+f(c)");
    let (_, outcome, _) = reduce(Some("python"), "if x:\n    a = b + f(c)\n", wants);
    assert_eq!(outcome.counts.alike, 0);
}

#[apply(test)]
fn a_text_in_an_unknown_language_is_reduced_by_brackets_and_words_before_bytes() {
    let input =
        "alpha [beta (gamma delta) epsilon] {zeta; eta theta; iota(kappa)} lambda mu nu xi omikron pi rho\n";
    let wants = |text: &str| text.contains("kappa");
    let (result, _, probes) = reduce(None, input, wants);
    assert_eq!(result, "kappa");
    let all: usize = probes.values().sum();
    assert!(all <= 40, "{probes:?}");
}

#[apply(test)]
fn a_text_in_an_unknown_language_is_reduced_by_blocks_first() {
    let function = |i: u32| {
        format!(
            "sub f{i} {{\n    my $x = {i};\n    if ($x) {{\n        g($x);\n    }} else {{\n        h({i});\n    }}\n}}\n\n"
        )
    };
    let input: String = (0..100).map(function).collect();
    let is_balanced = |text: &str| text.matches('{').count() == text.matches('}').count();
    let wants = |text: &str| is_balanced(text) && text.contains("sub f57 {") && text.contains("h(57);");
    let (result, outcome, probes) = reduce(None, &input, wants);
    assert_eq!(result, "sub f57 {h(57);}");
    assert_eq!((probes["delete-blocks"], outcome.counts.probes), (20, 127), "{probes:?}");
}

#[apply(test)]
fn a_number_follows_the_lines_that_it_counts() {
    let line = |i: u32| format!("{} -{} 0\n", i + 10, (i * 7) % 40 + 10);
    let input: String = std::iter::once("p cnf 50 40\n".to_owned()).chain((0..40).map(line)).collect();
    // A strict reader: the number of lines is correct, and no number is greater than that in the header.
    let wants = |text: &str| {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let ["p", "cnf", greatest, count] = header[..] else { return false };
        let (Ok(greatest), Ok(count)) = (greatest.parse::<i64>(), count.parse::<usize>()) else {
            return false;
        };
        let lines: Vec<Vec<&str>> = lines.map(|line| line.split(' ').collect()).collect();
        let numbers = lines.iter().flatten().map(|word| word.parse::<i64>().unwrap_or(i64::MAX).abs());
        let is_right = lines.len() == count && numbers.max().unwrap_or(0) <= greatest;
        is_right
            && lines
                .iter()
                .filter(|line| line.len() == 3 && line[1].starts_with('-') && line[2] == "0")
                .count()
                > 2
    };
    let (result, outcome, probes) = reduce(None, &input, wants);
    assert_eq!(result, "p cnf 5 3\n1 -1 0\n2 -4 0\n3 -5 0");
    assert_eq!((probes["delete-blocks"], outcome.counts.probes), (16, 127), "{probes:?}");
}

#[apply(test)]
fn a_repeated_word_is_removed_with_its_lines_or_replaced_by_another_one() {
    let line = |i: u32| format!("job {} step {}\njob {} done\n", i % 9, i, (i + 4) % 9);
    let input: String = (0..60).map(line).collect();
    // At least two jobs, each with a step and an end.
    let wants = |text: &str| {
        let jobs = |what: &str| -> std::collections::BTreeSet<String> {
            let lines = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
            let lines = lines.filter(|words| words.len() > 2 && words[0] == "job" && words[2] == what);
            lines.map(|words| words[1].to_owned()).collect()
        };
        jobs("step").len() > 1 && jobs("step") == jobs("done")
    };
    let (result, outcome, probes) = reduce(None, &input, wants);
    assert_eq!(result, "job 4 done\njob 1 step\njob 4 step\njob 1 done");
    assert_eq!((probes["remove-symbol/text"], outcome.counts.probes), (42, 296), "{probes:?}");
}

#[apply(test)]
fn a_column_is_removed_from_all_lines_together() {
    let line = |i: u32| format!("{i},name{},{},{}\n", i % 5, i * 3, i % 2);
    let input: String = (0..20).map(line).collect();
    // A table of twenty rows of the same width, whose last column alternates.
    let wants = |text: &str| {
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let last = rows.iter().enumerate().all(|(i, row)| row.last() == Some(&["0", "1"][i % 2]));
        rows.len() == 20 && last && rows.iter().all(|row| row.len() == rows[0].len())
    };
    let (result, outcome, probes) = reduce(None, &input, wants);
    assert_eq!(result, "0\n1\n".repeat(10).trim_end());
    assert_eq!((probes["delete-columns"], outcome.counts.probes), (6, 122), "{probes:?}");
}

#[apply(test)]
fn characters_are_removed_as_a_whole() {
    let cut = std::cell::Cell::new(0);
    let wants = |text: &str| text.contains("(\"") && text.contains("ß") && text.ends_with("\");\n");
    let test = |candidate: &[u8]| match std::str::from_utf8(candidate) {
        Ok(text) if wants(text) => Verdict::Interesting,
        Ok(_) => Verdict::Uninteresting,
        Err(_) => {
            cut.set(cut.get() + 1);
            Verdict::Uninteresting
        }
    };
    let language = Registry::built_in().get("javascript").expect("a built-in language");
    let outcome = Reduction::new("f(\"grüße €\");\n").language(language).run(&test).expect("the input fails");
    assert_eq!(String::from_utf8_lossy(&outcome.best), "(\"ß\");\n");
    assert_eq!(cut.get(), 0);
}

#[apply(test)]
fn many_levels_of_a_deep_text_are_removed_at_a_time() {
    let operands = ["f(1)", "b.c", "d[2]", "7", "g(x, y)"];
    let chain: Vec<&str> = operands.iter().copied().cycle().take(400).collect();
    let input = format!("import a\nvalue = {}\nprint(value)\n", chain.join(" | "));
    // A chain with fewer links does not fail, and neither does one without this call.
    let wants = |text: &str| {
        let is_operand = |part: &str| part.contains(|sign: char| sign.is_ascii_alphanumeric());
        text.contains("g(") && text.split('|').filter(|part| is_operand(part)).count() >= 250
    };
    let (result, outcome, probes) = reduce(Some("python"), &input, wants);
    assert_eq!((outcome.after.tokens, outcome.counts.probes), (500, 962), "{result}");
    assert_eq!(probes["flatten-nesting"], 61);
}

#[apply(test)]
fn a_statement_is_removed_with_its_semicolon() {
    let input = "fn f() {\n  var a = 1;\n  let b = a;\n  if a == 1 {}\n}\n";
    let wants = |text: &str| {
        let tokens = tokens(text);
        tokens.starts_with("fnf(){") && tokens.ends_with("ifa==1{}}") && !tokens.contains("{;")
    };
    let (result, _, probes) = reduce(Some("wgsl"), input, wants);
    assert_eq!(tokens(&result), "fnf(){ifa==1{}}");
    assert_eq!(probes["delete-nodes"], 2);
}

#[apply(test)]
fn quoted_text_without_a_node_is_shortened() {
    let wants =
        |text: &str| text.starts_with("a = '") && text.contains(r":\x") && text.trim_end().ends_with('\'');
    let (result, _, probes) = reduce(Some("toml"), "a = '(?i-u:\\x00)|$'\n", wants);
    assert_eq!(result.trim_end(), r"a = ':\x'");
    assert_eq!(probes["delete-words"], 16);
}
