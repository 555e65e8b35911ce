//! Holds the table of passes: their names, descriptions and special properties.
//!
//! It does not say which pass runs when; `plan` does.

use super::plan::TUNING;
use super::{
    Levels, PartKind, Pass, Unit, alike, block, byte, chunk, comment, delete, ending, file, hoist, kind,
    line, nested, noise, number, option, pair, plain, propose, rule, shortest, space, span, substitute,
    symbol, text, token, twin, unit, window, word,
};

/// The passes, in the order of the plan.
static PASSES: &[Pass] = &[
    Pass {
        is_blind: true,
        patience: Some(16),
        from: TUNING.huge,
        ..Pass::new("chunk", "large parts of a huge text go, whatever they hold", chunk::coarse)
    },
    Pass {
        is_blind: true,
        patience: Some(64),
        from: crate::HUGE,
        ..Pass::new("chunks", "small parts go of a text that is too large for other passes", chunk::fine)
    },
    Pass::new("noise", "what the grammar often does not understand goes", noise::propose),
    Pass {
        is_light: true,
        ..Pass::new("unnumber", "names that are numbers of a row become names of their own", symbol::unnumber)
    },
    Pass {
        from: 0,
        ..Pass::new("nested", "levels of a text that nests deep go many at a time", nested::propose)
    },
    Pass::new("comment", "comments go", comment::propose),
    Pass::new("ending", "parts near the end of a large text go", ending::propose),
    Pass::new("beginning", "nothing but the end of a large text stays", ending::alone),
    Pass {
        is_freed: true,
        proves: Some(PartKind::Node),
        levels: Levels::AfterFirst,
        ..Pass::new("delete", "list members and optional parts go", delete::propose)
    },
    Pass {
        least: TUNING.fine as u64,
        ..Pass::new("unused", "what nothing else uses goes, with what only it uses", delete::unused)
    },
    Pass::new("jump", "jumps go to fewer places, with what nothing reaches any more", symbol::jump),
    Pass { levels: Levels::AfterFirst, ..Pass::new("rule", "the language's own rewrites", rule::propose) },
    Pass {
        is_coarse: true,
        ..Pass::new(
            "everywhere",
            "each of the language's own rewrites in many places at once, on large inputs",
            rule::everywhere,
        )
    },
    Pass {
        levels: Levels::Last,
        ..Pass::new(
            "shortest",
            "a node becomes the smallest text that the grammar allows in its place",
            shortest::propose,
        )
    },
    Pass {
        share: Some(2),
        ..Pass::new("typed", "a constant of another type takes the place of an expression", rule::last)
    },
    Pass::new("kind", "parts of one kind go in many places at once, in several files", kind::propose),
    Pass { formerly: Some("merge"), ..Pass::new("late-rule", "the language's late rewrites", rule::late) },
    Pass {
        levels: Levels::Last,
        ..Pass::new("hoist", "a node becomes a descendant that fits", hoist::propose)
    },
    Pass {
        formerly: Some("unname"),
        ..Pass::new(
            "remove-symbol",
            "a name goes with all references, or its value or another name takes its place",
            symbol::remove,
        )
    },
    Pass::new("across", "a name goes in all files, or a constant takes its place", symbol::across),
    Pass::new("argument", "parameters go with their arguments", symbol::argument),
    Pass::new("inline", "a function's body takes the place of its calls", symbol::inline),
    Pass {
        formerly: Some("level"),
        ..Pass::new(
            "indirection",
            "pointers and arrays lose a level, and aggregates become their members, at all places of a name",
            symbol::indirection,
        )
    },
    Pass::new("global", "a declaration moves out of its function", symbol::global),
    Pass {
        formerly: Some("lift"),
        ..Pass::new(
            "local-to-parameter",
            "a variable becomes a parameter, its value the argument in every call",
            symbol::local_to_parameter,
        )
    },
    Pass::new("literal", "a literal takes a variable's place", symbol::literal),
    Pass {
        asks_outside: true,
        ..Pass::new(
            "unreached",
            "blocks that a run of the failing program does not reach go",
            propose::propose,
        )
    },
    Pass { asks_outside: true, ..Pass::new("propose", "what a program outside proposes", propose::propose) },
    Pass::new("evaluate", "a statement becomes a call inside of it", symbol::evaluate),
    Pass::new("word", "words of texts and strings go", word::propose),
    Pass::new(
        "substitute",
        "a node becomes a smaller one of its kind that stands elsewhere",
        substitute::propose,
    ),
    Pass::new("alike", "equal parts change together", alike::propose),
    Pass::new(
        "twin",
        "members at the same place of lists that are alike go or change together",
        twin::propose,
    ),
    Pass::new("number", "numbers become smaller", number::propose),
    Pass::new("text", "words of texts and strings become single characters", text::propose),
    Pass {
        is_cosmetic: true,
        is_renaming: true,
        ..Pass::new("rename", "names become short", symbol::rename)
    },
    Pass {
        proves: Some(PartKind::Token),
        ..Pass::new("token", "single tokens and pairs of brackets go", token::propose)
    },
    Pass {
        from: 0,
        ..Pass::new("unstructured", "bytes go of binary data, halves first", byte::unstructured)
    },
    Pass::new("block", "blocks told by indentation, brackets and blank lines go", block::propose),
    Pass::new("column", "a field goes in all lines of a text in no known language", plain::column),
    Pass::new("row", "the lines of a long text in no known language become the same", plain::row),
    Pass::new(
        "repeated",
        "a repeated word goes with its lines or without, or another word takes its place",
        plain::symbol,
    ),
    Pass::new(
        "run",
        "neighbouring words and signs go in a text in no known language that has brackets",
        plain::run,
    ),
    Pass { is_cosmetic: true, ..Pass::new("numbers", "numbers become smaller at all places", plain::number) },
    Pass { is_cosmetic: true, ..Pass::new("shorten", "repeated words become single letters", plain::rename) },
    Pass {
        is_cosmetic: true,
        ..Pass::new("anonymize", "words become single letters wherever they stand", plain::anonymize)
    },
    Pass {
        is_about_files: true,
        proves: Some(PartKind::File),
        levels: Levels::First,
        ..Pass::new("file", "whole files and directories go", file::propose)
    },
    Pass {
        proves: Some(PartKind::Pair),
        ..Pass::new("pair", "two parts go at once, or one goes while another is rewritten", pair::propose)
    },
    Pass { proves: Some(PartKind::Line), ..Pass::new("line", "lines go", line::propose) },
    Pass { proves: Some(PartKind::Byte), ..Pass::new("byte", "bytes go", byte::propose) },
    Pass::new("inside", "bytes go that are no word by themselves", byte::inside),
    Pass::new("window", "a few windows of tokens go, where the grammar allows it", window::some),
    Pass::new("span", "neighbouring tokens go, with what refers to the names in them", span::propose),
    Pass::new("windows", "all windows of tokens go, where the grammar allows it", window::all),
    Pass::new("cut", "up to four consecutive tokens go, well formed or not", window::cut),
    Pass {
        is_cosmetic: true,
        ..Pass::new("space", "blank lines, blanks at ends of lines and repeated blanks go", space::tidy)
    },
    Pass {
        is_cosmetic: true,
        from: 0,
        ..Pass::new("blank", "all blank lines and repeated blanks go at once, if they are many", space::blank)
    },
    Pass {
        is_cosmetic: true,
        ..Pass::new("squeeze", "all blanks go that keep no tokens apart", space::squeeze)
    },
    Pass {
        proves: Some(PartKind::Option),
        ..Pass::new("option", "options of a command and its other words go", option::words)
    },
    Pass::new("option-value", "an option goes with the word behind it", option::pairs),
    Pass {
        proves: Some(PartKind::OptionPart),
        ..Pass::new("option-part", "parts of a list in an option go", option::parts)
    },
    Pass::new(
        "option-nest",
        "what is in brackets in an option takes the place of all, or goes",
        option::nests,
    ),
    Pass {
        formerly: Some("lines"),
        proves: Some(PartKind::Line),
        unit: Some(Unit::Line),
        ..Pass::new("unit-line", "each line goes, whatever it holds", unit::lines)
    },
    Pass {
        formerly: Some("tokens"),
        proves: Some(PartKind::Token),
        unit: Some(Unit::Token),
        ..Pass::new("unit-token", "each word and each other character goes", unit::tokens)
    },
    Pass {
        formerly: Some("chars"),
        proves: Some(PartKind::Character),
        unit: Some(Unit::Char),
        ..Pass::new("unit-char", "each character goes", unit::characters)
    },
    Pass {
        formerly: Some("bytes"),
        proves: Some(PartKind::Byte),
        unit: Some(Unit::Byte),
        ..Pass::new("unit-byte", "each byte goes", unit::bytes)
    },
];

/// Lists all passes.
pub fn all() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter()
}

/// Returns the pass with this name or earlier name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name || pass.formerly == Some(name))
}
