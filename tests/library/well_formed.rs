//! If the input fits its grammar, the result also does, unless that costs tokens.

use nubbin::{Reduction, Registry, Verdict};

/// Reduces an input of this language in which these texts must stay.
fn reduced(language: &str, input: &str, needles: &[&str], well_formed: bool) -> String {
    let oracle = |candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        let has_all = needles.iter().all(|needle| text.contains(needle));
        if has_all { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let registry = Registry::built_in();
    let reduction = Reduction::new(input).language(registry.get(language)).well_formed(well_formed);
    let outcome = reduction.run(&oracle).expect("it is interesting");
    String::from_utf8(outcome.best).expect("UTF-8").trim().to_owned()
}

#[apply(test)]
fn saving_a_byte_does_not_justify_a_syntax_error() {
    assert_eq!(reduced("c", "int a1;\nint other;\n", &["int ", "1", ";"], false), "int a1;");
    // If the input did not fit, the result need not fit.
    assert_eq!(reduced("c", "int a1; )\nint other;\n", &["int ", "1", ";", ")"], false), "int 1; )");
}

#[apply(test)]
fn saving_a_token_justifies_a_syntax_error_unless_forbidden() {
    let input = "{\"a\": [1, 2, \"x\"]}\n";
    assert_eq!(reduced("json", input, &["x"], false), "x");
    assert_eq!(reduced("json", input, &["x"], true), "\"x\"");
}
