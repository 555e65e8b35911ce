//! The constants of a language that can replace symbols with a declared type.

use super::Language;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The constants for symbols with a declared type. An empty text means that there is no constant.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Constants {
    /// By the text of the type.
    pub types: BTreeMap<String, String>,
    /// By the kind of the type's node.
    pub kinds: BTreeMap<String, String>,
}

impl Language {
    /// Returns the constant for a symbol whose type has this kind and text, if it differs from that of the
    /// symbol's kind. It is empty if there is no constant.
    #[must_use]
    pub fn constant(&self, kind: u16, text: &[u8]) -> Option<&str> {
        let text = str::from_utf8(text).ok().and_then(|text| self.manifest.constants.types.get(text));
        text.or_else(|| self.constants.get(&kind)).map(String::as_str)
    }
}
