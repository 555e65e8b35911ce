//! The constants of a language that stand for what is declared with a type.

use super::Language;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The constants for what is declared with a type; a text has none where the constant is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Constants {
    /// By the text of the type.
    pub types: BTreeMap<String, String>,
    /// By the kind of the type's node.
    pub kinds: BTreeMap<String, String>,
}

impl Language {
    /// Returns the constant for what is declared with a type of this kind and text, if that says more than the kind of
    /// the symbol. It is empty where there is no constant.
    #[must_use]
    pub fn constant(&self, kind: u16, text: &[u8]) -> Option<&str> {
        let text = str::from_utf8(text).ok().and_then(|text| self.manifest.constants.types.get(text));
        text.or_else(|| self.constants.get(&kind)).map(String::as_str)
    }
}
