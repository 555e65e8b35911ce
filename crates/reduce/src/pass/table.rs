//! Defines the passes: their names, descriptions and special properties.
//!
//! The order in which passes run is defined in `plan`.

use super::plan::TUNING;
use super::{
    Levels, PartKind, Pass, Unit, alike, block, byte, chunk, comment, delete, ending, file, hoist, kind,
    line, nested, noise, number, option, pair, plain, propose, rule, shortest, space, span, substitute,
    symbol, text, token, twin, unit, window, word,
};

/// The passes, roughly in the order of the plan.
static PASSES: &[Pass] = &[
    Pass {
        is_blind: true,
        patience: Some(16),
        from: TUNING.huge,
        ..Pass::new(
            "delete-chunks/large",
            "delete large parts of a huge input, without parsing it",
            chunk::coarse,
        )
    },
    Pass {
        is_blind: true,
        patience: Some(64),
        from: crate::HUGE,
        ..Pass::new(
            "delete-chunks/small",
            "delete small parts of an input that is too large for other passes",
            chunk::fine,
        )
    },
    Pass::new(
        "delete-unparsed",
        "delete constructs that the parser often does not understand",
        noise::propose,
    ),
    Pass {
        is_light: true,
        ..Pass::new(
            "name-values",
            "replace sequential numbers used as identifiers, such as `%0`, by names",
            symbol::unnumber,
        )
    },
    Pass {
        from: 0,
        ..Pass::new("flatten-nesting", "delete many levels of deeply nested code at once", nested::propose)
    },
    Pass::new("delete-comments", "delete comments", comment::propose),
    Pass::new("truncate/end", "delete parts near the end of a large file", ending::propose),
    Pass::new("truncate/start", "delete everything except the end of a large file", ending::alone),
    Pass {
        is_freed: true,
        proves: Some(PartKind::Node),
        levels: Levels::AfterFirst,
        ..Pass::new(
            "delete-nodes",
            "delete list elements and optional parts of the syntax tree",
            delete::propose,
        )
    },
    Pass {
        least: TUNING.fine as u64,
        ..Pass::new(
            "delete-unused",
            "delete code that nothing else uses, and definitions that only this code uses",
            delete::unused,
        )
    },
    Pass::new("simplify-jumps", "remove targets of jumps, and code that becomes unreachable", symbol::jump),
    Pass {
        levels: Levels::AfterFirst,
        ..Pass::new(
            "rewrite",
            "apply the rewrites of the language, such as an `if` by its body",
            rule::propose,
        )
    },
    Pass {
        is_coarse: true,
        ..Pass::new(
            "rewrite/bulk",
            "apply each rewrite in many places at once, on large inputs",
            rule::everywhere,
        )
    },
    Pass {
        levels: Levels::Last,
        ..Pass::new(
            "replace-with-shortest",
            "replace a node by the shortest text that the grammar allows there",
            shortest::propose,
        )
    },
    Pass {
        share: Some(2),
        ..Pass::new(
            "replace-with-constant",
            "replace an expression by a constant of another type",
            rule::last,
        )
    },
    Pass::new(
        "delete-nodes/kind",
        "delete all nodes of one kind, such as all annotations, in several files at once",
        kind::propose,
    ),
    Pass::new("rewrite/late", "apply rewrites that save only one or two tokens", rule::late),
    Pass {
        levels: Levels::Last,
        ..Pass::new("hoist", "replace a node by one of its descendants", hoist::propose)
    },
    Pass::new(
        "remove-symbol",
        "delete an identifier with all references, or replace it by its value or another identifier",
        symbol::remove,
    ),
    Pass::new(
        "remove-symbol/files",
        "delete an identifier in all files, or replace it by a constant",
        symbol::across,
    ),
    Pass::new("remove-parameter", "delete a parameter, and its argument in every call", symbol::argument),
    Pass::new("inline-function", "replace calls of a function by its body", symbol::inline),
    Pass::new(
        "remove-indirection",
        "replace pointers by values, arrays by elements, and aggregates by their members",
        symbol::indirection,
    ),
    Pass::new("local-to-global", "move a declaration out of its function", symbol::global),
    Pass::new(
        "local-to-parameter",
        "replace a local variable by a parameter, and pass its value in every call",
        symbol::local_to_parameter,
    ),
    Pass::new(
        "variable-to-literal",
        "replace a variable by a literal from elsewhere in the input",
        symbol::literal,
    ),
    Pass {
        asks_outside: true,
        ..Pass::new(
            "propose/unreached",
            "delete code that the failing program does not run",
            propose::propose,
        )
    },
    Pass {
        asks_outside: true,
        ..Pass::new("propose", "try the edits that an external program proposes", propose::propose)
    },
    Pass::new("statement-to-call", "replace a statement by a call that it contains", symbol::evaluate),
    Pass::new("delete-words", "delete words in strings, comments and other text", word::propose),
    Pass::new(
        "substitute",
        "replace a node by a smaller node of the same kind from elsewhere in the input",
        substitute::propose,
    ),
    Pass::new("edit-equal-nodes", "delete or simplify equal parts of the input together", alike::propose),
    Pass::new(
        "edit-parallel-lists",
        "delete or rewrite elements at the same position of similar lists together",
        twin::propose,
    ),
    Pass::new("shrink-numbers", "replace numbers by smaller ones", number::propose),
    Pass::new("shorten-words", "shorten words in strings and other text to one character", text::propose),
    Pass {
        is_cosmetic: true,
        is_renaming: true,
        ..Pass::new("rename", "replace identifiers by shorter ones", symbol::rename)
    },
    Pass {
        proves: Some(PartKind::Token),
        ..Pass::new("delete-tokens", "delete single tokens and pairs of brackets", token::propose)
    },
    Pass {
        from: 0,
        ..Pass::new("delete-chunks/binary", "delete bytes of binary data, halves first", byte::unstructured)
    },
    Pass::new(
        "delete-blocks",
        "delete blocks, found by indentation, brackets and blank lines",
        block::propose,
    ),
    Pass::new("delete-columns", "delete one field in all lines", plain::column),
    Pass::new("equalize-lines", "replace all lines of a long text by the same line", plain::row),
    Pass::new(
        "remove-symbol/text",
        "delete a repeated word, or the lines that have it, or replace it by another word",
        plain::symbol,
    ),
    Pass::new(
        "delete-token-ranges/text",
        "delete adjacent words and punctuation in text with brackets",
        plain::run,
    ),
    Pass {
        is_cosmetic: true,
        ..Pass::new(
            "shrink-numbers/text",
            "replace a number by a smaller one at all its occurrences",
            plain::number,
        )
    },
    Pass {
        is_cosmetic: true,
        ..Pass::new("rename/text", "replace repeated words by single letters", plain::rename)
    },
    Pass {
        is_cosmetic: true,
        ..Pass::new("anonymize", "replace all words by single letters", plain::anonymize)
    },
    Pass {
        is_about_files: true,
        proves: Some(PartKind::File),
        levels: Levels::First,
        ..Pass::new("delete-files", "delete files and directories", file::propose)
    },
    Pass {
        proves: Some(PartKind::Pair),
        ..Pass::new(
            "delete-pairs",
            "delete two parts at once, or delete one and rewrite another",
            pair::propose,
        )
    },
    Pass { proves: Some(PartKind::Line), ..Pass::new("delete-lines", "delete lines", line::propose) },
    Pass { proves: Some(PartKind::Byte), ..Pass::new("delete-bytes", "delete bytes", byte::propose) },
    Pass::new("delete-bytes/inside", "delete bytes, except words of one byte", byte::inside),
    Pass::new(
        "delete-token-ranges/some",
        "delete some groups of nearby tokens, if the rest can be parsed",
        window::some,
    ),
    Pass::new(
        "delete-token-ranges",
        "delete runs of adjacent tokens, and references to names that they define",
        span::propose,
    ),
    Pass::new(
        "delete-token-ranges/all",
        "delete all groups of nearby tokens, if the rest can be parsed",
        window::all,
    ),
    Pass::new(
        "delete-token-ranges/cut",
        "delete up to four adjacent tokens, even if the rest cannot be parsed",
        window::cut,
    ),
    Pass {
        is_cosmetic: true,
        ..Pass::new(
            "trim-whitespace",
            "delete blank lines, trailing whitespace and repeated spaces",
            space::tidy,
        )
    },
    Pass {
        is_cosmetic: true,
        from: 0,
        ..Pass::new(
            "trim-whitespace/all",
            "delete all unneeded whitespace at once, if there is much of it",
            space::blank,
        )
    },
    Pass {
        is_cosmetic: true,
        ..Pass::new(
            "minify-whitespace",
            "delete all whitespace that does not separate tokens",
            space::squeeze,
        )
    },
    Pass {
        proves: Some(PartKind::Option),
        ..Pass::new("delete-options", "delete options and other arguments of a command", option::words)
    },
    Pass::new("delete-options/value", "delete an option together with the next argument", option::pairs),
    Pass {
        proves: Some(PartKind::OptionPart),
        ..Pass::new("delete-options/part", "delete elements of a list in an option", option::parts)
    },
    Pass::new(
        "delete-options/nest",
        "delete what surrounds parentheses in an option, or what is in angle brackets",
        option::nests,
    ),
    Pass {
        proves: Some(PartKind::Line),
        unit: Some(Unit::Line),
        ..Pass::new("delete-lines/unit", "delete lines, with `--unit line`", unit::lines)
    },
    Pass {
        proves: Some(PartKind::Token),
        unit: Some(Unit::Token),
        ..Pass::new(
            "delete-tokens/unit",
            "delete words and punctuation characters, with `--unit token`",
            unit::tokens,
        )
    },
    Pass {
        proves: Some(PartKind::Character),
        unit: Some(Unit::Char),
        ..Pass::new("delete-characters", "delete characters", unit::characters)
    },
    Pass {
        proves: Some(PartKind::Byte),
        unit: Some(Unit::Byte),
        ..Pass::new("delete-bytes/unit", "delete bytes, with `--unit byte`", unit::bytes)
    },
];

/// The descriptions of groups of which no pass has the name.
static GROUPS: [(&str, &str); 2] = [
    ("delete-chunks", "delete large parts of huge inputs and of binary data, without parsing them"),
    ("truncate", "delete parts near the end of a large file, or everything before its end"),
];

/// The passes whose names are the same up to a `/`.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name of the group.
    pub name: &'static str,
    /// A description of the group in a phrase without a final period.
    pub about: &'static str,
    /// The passes of the group.
    pub passes: Vec<&'static Pass>,
}

/// Lists all passes.
pub fn all() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter()
}

/// Returns the pass with this full name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Lists all groups, in the order of their first passes.
///
/// # Panics
/// Never panics: each group has a description.
#[must_use]
pub fn groups() -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for pass in PASSES {
        let name = pass.group();
        if let Some(group) = groups.iter_mut().find(|group| group.name == name) {
            group.passes.push(pass);
            continue;
        }
        let own = GROUPS.iter().find(|(group, _)| *group == name).map(|(_, about)| *about);
        let about = own.or_else(|| by_name(name).map(|pass| pass.about));
        let about = about.expect("each group has a description");
        groups.push(Group { name, about, passes: vec![pass] });
    }
    groups
}

/// Lists the names by which passes can be selected: those of groups, and those of variants.
pub fn selectors() -> impl Iterator<Item = &'static str> {
    let variants = PASSES.iter().map(|pass| pass.name).filter(|name| name.contains('/'));
    groups().into_iter().map(|group| group.name).chain(variants)
}

/// Lists the passes that a name selects: all passes of a group, or the one variant with this full name. The list is
/// empty if the name is unknown.
///
/// ```
/// let names = |selector| nubbin_reduce::pass::select(selector).map(|pass| pass.name).collect::<Vec<_>>();
/// assert_eq!(names("rewrite"), ["rewrite", "rewrite/bulk", "rewrite/late"]);
/// assert_eq!(names("rewrite/late"), ["rewrite/late"]);
/// ```
pub fn select(selector: &str) -> impl Iterator<Item = &'static Pass> {
    PASSES.iter().filter(move |pass| pass.name == selector || pass.group() == selector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_name_belongs_to_one_pass() {
        let names: BTreeSet<&str> = all().map(|pass| pass.name).collect();
        assert_eq!(names.len(), all().count());
        let selectors: Vec<&str> = selectors().collect();
        assert_eq!(selectors.len(), selectors.iter().collect::<BTreeSet<_>>().len());
        assert!(names.iter().all(|name| selectors.contains(name)));
    }

    #[test]
    fn each_group_has_all_passes_with_its_name() {
        let groups = groups();
        assert_eq!(groups.iter().map(|group| group.passes.len()).sum::<usize>(), all().count());
        for group in groups {
            let selected: Vec<&str> = select(group.name).map(|pass| pass.name).collect();
            assert_eq!(selected, group.passes.iter().map(|pass| pass.name).collect::<Vec<_>>());
        }
        assert_eq!(select("nonsense").count(), 0);
    }
}
