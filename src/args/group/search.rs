//! The options about languages, units and published algorithms.

use super::values::Offered;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nubbin_language::Registry;
use nubbin_reduce::Unit;
use nubbin_session::classic::Classic;
use nubbin_session::failure::Failure;
use nubbin_session::language::LanguageChoice;
use std::path::PathBuf;

/// The options about the language of the input.
#[derive(Debug, Args)]
#[group(skip)]
pub struct LanguageOptions {
    /// Language of FILE, such as c or python (see `nubbin languages`), or a directory
    ///
    /// The default is found from the name and the first line of FILE. A file name extension, such as `py`, is accepted
    /// as well. A value with a slash is a directory with the grammar and the rules of another language.
    #[arg(long, value_name = "NAME|DIR/", value_parser = languages(), hide_possible_values = true, help_heading = "Input")]
    language: Option<String>,
}

impl LanguageOptions {
    /// Tells whether a language is given.
    pub fn has_name(&self) -> bool {
        self.language.is_some()
    }

    /// Returns the chosen language.
    pub fn choice(&self) -> Result<LanguageChoice, Failure> {
        let Some(typed) = &self.language else { return LanguageChoice::new(None, None) };
        if typed.contains('/') {
            return LanguageChoice::new(None, Some(PathBuf::from(typed)));
        }
        LanguageChoice::new(Some(typed.clone()), None)
    }
}

/// The options about the unit and the algorithm of a search.
#[derive(Debug, Args)]
#[group(skip)]
pub struct SearchOptions {
    /// Use a published algorithm: ddmin, wdd or cdd with --unit; dd or ddmax
    ///
    /// `ddmin`, `wdd` and `cdd` reduce by --unit. `nubbin isolate` also knows `dd`, and `nubbin maximize` uses `ddmax`.
    /// By default, Nubbin's own search runs.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithms(), hide_possible_values = true, help_heading = "Passes")]
    pub search: Option<Classic>,

    /// Remove only lines, tokens, chars or bytes
    ///
    /// The units are `line`, `token`, `char` and `byte`. The default, `tree`, uses the syntax tree. Several units, such as `line,char`, are used in sequence.
    #[arg(long, value_name = "UNIT", value_delimiter = ',', default_value = TREE, hide_default_value = true, hide_possible_values = true, value_parser = units(), help_heading = "Input")]
    pub unit: Vec<Option<Unit>>,
}

/// The default unit: nodes of the syntax tree.
const TREE: &str = "tree";

/// Parses the name of a unit, or `tree`.
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

/// Offers the names of the languages; any text is accepted here.
fn languages() -> Offered {
    Offered::new(Registry::built_in().manifests().map(|manifest| manifest.name.as_str()))
}
