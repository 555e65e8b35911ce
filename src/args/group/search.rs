//! The options about what is taken away, and how it is searched: languages, units, published algorithms.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nubbin_reduce::Unit;
use nubbin_session::classic::Classic;
use nubbin_session::failure::Failure;
use nubbin_session::language::LanguageChoice;
use std::path::PathBuf;

/// The options about the language of the input.
#[derive(Debug, Args)]
#[group(skip)]
pub struct LanguageOptions {
    /// The language of FILE [default: from its name and first line]; see `--list-languages`.
    #[arg(long, value_name = "NAME", help_heading = "Language")]
    language: Option<String>,

    /// A folder with the grammar and the rules of another language, which FILE is in.
    #[arg(long, value_name = "DIR", conflicts_with = "language", help_heading = "Language")]
    grammar: Option<PathBuf>,
}

impl LanguageOptions {
    /// Tells whether a language is named.
    pub fn has_name(&self) -> bool {
        self.language.is_some()
    }

    /// Tells whether a folder with a grammar is given.
    pub fn has_folder(&self) -> bool {
        self.grammar.is_some()
    }

    /// Returns the chosen language.
    pub fn choice(&self) -> Result<LanguageChoice, Failure> {
        LanguageChoice::new(self.language.clone(), self.grammar.clone())
    }
}

/// The options about the parts of a text that a search is over, and about its algorithm.
#[derive(Debug, Args)]
#[group(skip)]
pub struct SearchOptions {
    /// Search as published: `ddmin`, `wdd` or `cdd` for a reduction by `--unit`; `dd` or one of those for `isolate`; `ddmax`
    /// for `maximize`. As a rule the best one that is known is taken.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithms(), help_heading = "Passes")]
    pub search: Option<Classic>,

    /// What is taken away: parts of the syntax tree, or units that need no language, and nothing else. Several units,
    /// such as `line,char`, go one after the other.
    #[arg(long, value_name = "UNIT", value_delimiter = ',', default_value = TREE, value_parser = units(), help_heading = "Language")]
    pub unit: Vec<Option<Unit>>,
}

/// The word for the parts of the syntax tree, which are taken away if no unit is named.
const TREE: &str = "tree";

/// Returns the names of the units, and of what is none.
fn units() -> impl TypedValueParser<Value = Option<Unit>> {
    let names = [TREE].into_iter().chain(Unit::ALL.map(Unit::name));
    PossibleValuesParser::new(names).map(|name| Unit::ALL.into_iter().find(|unit| unit.name() == name))
}

/// Returns the names of the algorithms.
fn algorithms() -> impl TypedValueParser<Value = Classic> {
    let known = |name: String| Classic::ALL.into_iter().find(|one| one.name() == name).ok_or("no algorithm");
    let value = |one: Classic| PossibleValue::new(one.name()).help(one.about());
    PossibleValuesParser::new(Classic::ALL.map(value)).try_map(known)
}
