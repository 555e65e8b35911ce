//! The smallest sentences of a grammar: for each kind of node, a text that the grammar accepts for such a node.
//!
//! They are computed from `grammar.json`, the input of the parser generator, which every package of a grammar
//! contains. Sizes are compared by tokens, then by bytes. A sentence can be parsed differently in its context,
//! so candidates must be parsed.

mod lexical;
mod rule;

use crate::edit::count_tokens;
use rule::{GrammarFile, Rule};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

struct Tuning {
    /// Maximum number of sentences of one kind.
    sentences: usize,
    /// Maximum number of bytes of a sentence.
    bytes: usize,
    /// The number of levels of hidden rules that are searched for alternatives of a kind.
    levels: usize,
}

const TUNING: Tuning = Tuning { sentences: 3, bytes: 40, levels: 4 };

/// The facts about a grammar that `node-types.json` does not contain.
///
/// ```
/// use nubbin_syntax::Sentences;
///
/// let grammar = r#"{"rules": {
///     "sum": {"type": "SEQ", "members": [
///         {"type": "SYMBOL", "name": "number"}, {"type": "STRING", "value": "+"}, {"type": "SYMBOL", "name": "number"}]},
///     "number": {"type": "PATTERN", "value": "[0-9]+"}}}"#;
/// let sentences = Sentences::of_grammar(grammar).unwrap();
/// assert_eq!(sentences.kinds["sum"], ["0+0"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentences {
    /// The kinds of leaves that are names: identifiers, registers, labels and the like.
    pub words: Vec<String>,
    /// The smallest sentences of each kind, smallest first: one for each alternative of its rule, at most
    /// three.
    pub kinds: BTreeMap<String, Vec<String>>,
}

impl Sentences {
    /// Finds the smallest sentences of a grammar, given the text of its `grammar.json`.
    ///
    /// # Errors
    /// Returns an error if the text is not such a file.
    pub fn of_grammar(text: &str) -> Result<Self, serde_json::Error> {
        let file: GrammarFile = serde_json::from_str(text)?;
        let finder = Finder::new(&file);
        let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut words: BTreeSet<String> = BTreeSet::new();
        let is_word = |rule: &Rule| lexical::is_word(&file, rule);
        for (name, rule) in file.visible() {
            finder.add(&mut kinds, name, rule);
            if file.word.as_deref() == Some(name) || is_word(rule) {
                words.insert(name.to_owned());
            }
        }
        for (alias, rule) in file.aliases() {
            finder.add(&mut kinds, alias, rule);
            let of_word = matches!(rule, Rule::Symbol { name } if words.contains(name.as_str()));
            if of_word || is_word(rule) {
                words.insert(alias.to_owned());
            }
        }
        for texts in kinds.values_mut() {
            texts.sort_by_cached_key(|text| (count_tokens(text.as_bytes()), text.len(), text.clone()));
            texts.dedup();
            texts.truncate(TUNING.sentences);
        }
        kinds.retain(|_, texts| !texts.is_empty());
        Ok(Self { words: words.into_iter().collect(), kinds })
    }
}

/// A text, with the properties that matter when it is joined with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sentence {
    text: String,
    /// True if no whitespace is allowed before it.
    is_immediate: bool,
}

impl Sentence {
    fn size(&self) -> (usize, usize) {
        (count_tokens(self.text.as_bytes()), self.text.len())
    }

    /// Appends another sentence, with a space if two words would become one.
    fn push(&mut self, next: &Self) {
        let is_word = |byte: Option<&u8>| byte.is_some_and(|&byte| crate::edit::is_word(byte));
        let bytes = self.text.as_bytes();
        if is_word(bytes.last()) && is_word(next.text.as_bytes().first()) && !next.is_immediate {
            self.text.push(' ');
        }
        if self.text.is_empty() {
            self.is_immediate = next.is_immediate;
        }
        self.text.push_str(&next.text);
    }
}

/// The smallest sentence of each rule.
struct Finder<'g> {
    file: &'g GrammarFile,
    smallest: BTreeMap<&'g str, Sentence>,
}

impl<'g> Finder<'g> {
    /// Finds the smallest sentences of all rules. Each round uses those of the round before, until none gets
    /// smaller.
    fn new(file: &'g GrammarFile) -> Self {
        let mut finder = Self { file, smallest: BTreeMap::new() };
        for name in file.externals() {
            // Tokens of the external scanner have no known text. Tokens that end a line can be empty.
            if rule::ends_line(name) {
                finder.smallest.insert(name, Sentence::default());
            }
        }
        loop {
            let mut any = false;
            for (name, rule) in &file.rules {
                let Some(found) = finder.of(rule) else { continue };
                let known = finder.smallest.get(name.as_str());
                if known.is_none_or(|known| found.size() < known.size()) {
                    finder.smallest.insert(name, found);
                    any = true;
                }
            }
            if !any {
                return finder;
            }
        }
    }

    /// Returns the smallest sentence of a rule, if the symbols in it are known.
    fn of(&self, rule: &Rule) -> Option<Sentence> {
        if let Some(text) = lexical::smallest(rule) {
            return Some(Sentence { text, is_immediate: matches!(rule, Rule::ImmediateToken { .. }) });
        }
        match rule {
            Rule::Symbol { name } => self.smallest.get(name.as_str()).cloned(),
            Rule::Seq { members } => {
                let mut whole = Sentence::default();
                for member in members {
                    whole.push(&self.of(member)?);
                }
                (whole.text.len() <= TUNING.bytes).then_some(whole)
            }
            Rule::Choice { members } => {
                members.iter().filter_map(|member| self.of(member)).min_by_key(Sentence::size)
            }
            Rule::Blank | Rule::Repeat { .. } => Some(Sentence::default()),
            _ => self.of(rule.content()?),
        }
    }

    /// Adds the smallest sentence of each alternative of a kind's rule.
    fn add(&self, kinds: &mut BTreeMap<String, Vec<String>>, kind: &str, rule: &Rule) {
        let mut found = Vec::new();
        self.alternatives(rule, TUNING.levels, &mut found);
        let texts = found.into_iter().map(|sentence| sentence.text.trim().to_owned());
        kinds.entry(kind.to_owned()).or_default().extend(texts.filter(|text| !text.is_empty()));
    }

    fn alternatives(&self, rule: &Rule, levels: usize, found: &mut Vec<Sentence>) {
        match rule {
            Rule::Choice { members } if levels > 0 => {
                for member in members {
                    self.alternatives(member, levels - 1, found);
                }
            }
            Rule::Symbol { name } if levels > 0 && self.file.is_hidden(name) => {
                if let Some(inner) = self.file.rules.get(name) {
                    self.alternatives(inner, levels - 1, found);
                }
            }
            Rule::Prec { content } | Rule::Field { content } => self.alternatives(content, levels, found),
            _ => found.extend(self.of(rule)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(rules: &str) -> Sentences {
        Sentences::of_grammar(&format!("{{\"word\": \"name\", {rules}}}")).expect("it is a grammar")
    }

    const NAME: &str = r#""name": {"type": "PATTERN", "value": "[_a-zA-Z]\\w*"}"#;

    #[test]
    fn words_are_kept_apart_and_signs_are_not() {
        let found = sentences(&format!(
            r#""rules": {{"let": {{"type": "SEQ", "members": [{{"type": "STRING", "value": "let"}},
                {{"type": "SYMBOL", "name": "name"}}, {{"type": "STRING", "value": "="}},
                {{"type": "SYMBOL", "name": "name"}}]}}, {NAME}}}"#
        ));
        assert_eq!(found.kinds["let"], ["let a=a"]);
        assert_eq!(found.words, ["name"]);
    }

    #[test]
    fn each_alternative_has_a_sentence_and_a_rule_without_end_has_none() {
        let found = sentences(&format!(
            r#""rules": {{
                "value": {{"type": "CHOICE", "members": [{{"type": "SYMBOL", "name": "call"}},
                    {{"type": "SYMBOL", "name": "_number"}}, {{"type": "SYMBOL", "name": "name"}}]}},
                "call": {{"type": "SEQ", "members": [{{"type": "SYMBOL", "name": "value"}},
                    {{"type": "STRING", "value": "()"}}]}},
                "_number": {{"type": "PATTERN", "value": "\\d+(\\.\\d+)?"}},
                "endless": {{"type": "SEQ", "members": [{{"type": "STRING", "value": "x"}},
                    {{"type": "SYMBOL", "name": "endless"}}]}}, {NAME}}}"#
        ));
        assert_eq!(found.kinds["value"], ["0", "a", "0()"]);
        let unknown = sentences(&format!(r#""rules": {{"new": {{"type": "NEW", "content": 1}}, {NAME}}}"#));
        assert!(!unknown.kinds.contains_key("new") && unknown.kinds.contains_key("name"));
        assert!(!found.kinds.contains_key("endless"));
    }

    #[test]
    fn an_alias_of_a_name_is_a_name_and_the_end_of_a_line_needs_no_text() {
        let found = sentences(&format!(
            r#""externals": [{{"type": "SYMBOL", "name": "_newline"}}, {{"type": "SYMBOL", "name": "_indent"}}],
            "rules": {{
                "line": {{"type": "SEQ", "members": [{{"type": "ALIAS", "named": true, "value": "label",
                    "content": {{"type": "SYMBOL", "name": "name"}}}}, {{"type": "SYMBOL", "name": "_newline"}}]}},
                "block": {{"type": "SEQ", "members": [{{"type": "SYMBOL", "name": "_indent"}},
                    {{"type": "SYMBOL", "name": "line"}}]}}, {NAME}}}"#
        ));
        assert_eq!(found.kinds["line"], ["a"]);
        assert!(!found.kinds.contains_key("block"));
        assert_eq!(found.words, ["label", "name"]);
    }
}
