//! The kinds of symbols and of scopes: two closed sets of words, used by the captures of `names.scm` and the
//! tables of `language.toml`. The words of the convention for `locals.scm` are accepted as well; it has several
//! words for some kinds.

use serde::Deserialize;

/// The kind of a symbol. Only symbols of the same kind can replace each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum NameKind {
    Function,
    Method,
    Variable,
    Field,
    Attribute,
    Property,
    Type,
    Class,
    Tag,
    Enumerator,
    Macro,
    Namespace,
    Import,
    Label,
    Concept,
}

/// The words for the kinds of symbols. The first one for each kind is the preferred one.
const KINDS: [(&str, NameKind); 20] = [
    ("function", NameKind::Function),
    ("method", NameKind::Method),
    ("variable", NameKind::Variable),
    ("field", NameKind::Field),
    ("attribute", NameKind::Attribute),
    ("property", NameKind::Property),
    ("type", NameKind::Type),
    ("class", NameKind::Class),
    ("tag", NameKind::Tag),
    ("enumerator", NameKind::Enumerator),
    ("macro", NameKind::Macro),
    ("namespace", NameKind::Namespace),
    ("import", NameKind::Import),
    ("label", NameKind::Label),
    ("concept", NameKind::Concept),
    // Other words of the convention.
    ("var", NameKind::Variable),
    ("parameter", NameKind::Variable),
    ("constant", NameKind::Variable),
    ("enum", NameKind::Type),
    ("associated", NameKind::Type),
];

impl NameKind {
    /// Parses the word after `@local.definition.`. A part after a further dot, as in `variable.parameter`, is
    /// ignored. Without a word, the kind is a variable.
    #[must_use]
    pub fn of(word: Option<&str>) -> Option<Self> {
        let Some(word) = word else { return Some(Self::Variable) };
        let first = word.split('.').next();
        KINDS.iter().find(|(known, _)| Some(*known) == first).map(|(_, kind)| *kind)
    }

    /// Lists all words that [`of`](Self::of) accepts.
    pub(super) fn words() -> Vec<&'static str> {
        KINDS.iter().map(|(word, _)| *word).collect()
    }

    /// Returns whether symbols of this kind are types.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(self, Self::Type | Self::Class)
    }

    /// Returns whether symbols of this kind hold a value, which can replace them.
    #[must_use]
    pub fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::Attribute | Self::Field | Self::Property)
    }

    /// Returns whether a symbol of this kind can stand for several functions, one in each class.
    #[must_use]
    pub fn is_method(self) -> bool {
        matches!(self, Self::Method | Self::Property)
    }
}

/// The properties of all symbols of a kind in a language: `[kinds.function]` and the like in `language.toml`. A
/// pattern of `names.scm` can override them. `grammars/README.md` documents each key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindForms {
    /// The namespace of the symbols.
    pub namespace: String,
    /// The reach of a definition.
    pub reach: Reach,
    /// The number of initial parameters of a function that have no argument in a call.
    pub skip: Option<usize>,
    /// The constant that can replace a use.
    pub constant: Option<String>,
    /// The statement that declares a parameter as a local variable with a value.
    pub local: Option<String>,
    /// The statement that declares a parameter as a local variable without a value.
    pub declare: Option<String>,
    /// The text that declares a variable as a parameter.
    pub parameter: Option<String>,
    /// The text that declares a variable as a parameter for which calls have no argument.
    pub bare: Option<String>,
    /// The expression that converts a value to the type of the symbol.
    pub cast: Option<String>,
    /// The text of a pointer to the symbol, with `{name}`.
    pub pointer: Option<String>,
    /// The text that replaces the name of a member after it has left its class.
    pub free: Option<String>,
    /// The text before a member that makes it static.
    pub classwide: Option<String>,
    /// The keywords for the object of a method in its body.
    pub this: Option<String>,
    /// The parameter for that object in place of a keyword, with `{name}` and `{class}`.
    pub receiver: Option<String>,
    /// The argument for such a parameter, with `{object}`.
    pub handed: Option<String>,
    /// The keyword for the class in the code of its members.
    pub itself: Option<String>,
    /// The text for that object in a call without an object.
    pub unbound: Option<String>,
    /// The text that turns an expression after it into a statement, for languages in which not every expression
    /// is one, with `{name}`.
    pub evaluated: Option<String>,
    /// The text of the result of an inlined function, if a value alone is not valid there, with `{type}` and
    /// `{value}`.
    pub result: Option<String>,
    /// The text after the name of a function that has become a variable, with `{value}`.
    pub variable: Option<String>,
    /// The name of the only member of a class when it replaces the class, with `{name}`.
    pub sole: Option<String>,
    /// A value that is constructed from a type alone, with `{type}`.
    pub made: Option<String>,
    /// The type that replaces a template parameter that calls deduce.
    pub deduced: Option<String>,
    /// The explicit template arguments of a call, with `{type}`.
    pub explicit: Option<String>,
    /// The form of a short name, with `{name}`.
    pub short: Option<String>,
    /// True if the constant is valid in place of such a name whatever its type.
    pub universal: bool,
    /// True if such a name can be a sequential number, which changes when another one is removed.
    pub numbered: bool,
    /// The text of a jump to the section that such a name opens, with `{name}`.
    pub jump: Option<String>,
    /// The text that ends a section without a successor.
    pub end: Option<String>,
    /// True if a member needs no object inside its class.
    pub own: bool,
}

impl KindForms {
    /// Returns whether a text is one of the keywords for the object of a method.
    #[must_use]
    pub fn is_this(&self, text: &[u8]) -> bool {
        self.this.iter().flat_map(|words| words.split(' ')).any(|word| word.as_bytes() == text)
    }
}

/// The reach of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// The innermost scope around the definition.
    #[default]
    Inner,
    /// The scope around that one.
    Outer,
    /// The enclosing function.
    Function,
    /// The whole text.
    Everywhere,
    /// The whole text, unless the name is declared around it: then the definition is a reference to that
    /// declaration.
    Known,
}

/// The kind of a scope, for names that reach further than the innermost scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeKind {
    /// It only holds the names that are defined in it.
    #[default]
    Block,
    /// It also holds the names that reach the enclosing function.
    Function,
    /// Its names can be used outside it, as members of its owner.
    Open,
}

/// The words for the kinds of scopes; a block has none.
const SCOPES: [(&str, ScopeKind); 2] = [("function", ScopeKind::Function), ("open", ScopeKind::Open)];

impl ScopeKind {
    /// Parses the word after `@local.scope.`.
    pub(super) fn of(word: Option<&str>) -> Option<Self> {
        let Some(word) = word else { return Some(Self::Block) };
        SCOPES.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }

    /// Lists all words that [`of`](Self::of) accepts.
    pub(super) fn words() -> Vec<&'static str> {
        SCOPES.iter().map(|(word, _)| *word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_kind_and_what_follows_its_dot_says_nothing() {
        assert_eq!(NameKind::of(Some("function")), Some(NameKind::Function));
        assert_eq!(NameKind::of(Some("variable.parameter")), Some(NameKind::Variable));
        assert_eq!(NameKind::of(Some("var")), NameKind::of(None));
        assert_eq!(NameKind::of(Some("vairable")), None);
        assert_eq!(ScopeKind::of(Some("function")), Some(ScopeKind::Function));
        assert_eq!(ScopeKind::of(Some("class")), None);
    }
}
