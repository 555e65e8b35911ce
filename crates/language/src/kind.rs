//! The kinds of symbols and of scopes: two closed sets of words, which captures in `names.scm` and tables in
//! `language.toml` use.
//!
//! If the convention for `locals.scm` has a word for a kind, it is understood; it has several words for some kinds.

use serde::Deserialize;

/// The kind of a symbol; only symbols of one kind take each other's place.
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

/// The words for the kinds of symbols. The first one for each kind is our own.
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
    /// Reads the word behind `@local.definition.`; the part after a further dot, as in `variable.parameter`, is
    /// ignored. Without a word, the kind is a variable.
    #[must_use]
    pub fn of(word: Option<&str>) -> Option<Self> {
        let Some(word) = word else { return Some(Self::Variable) };
        let first = word.split('.').next();
        KINDS.iter().find(|(known, _)| Some(*known) == first).map(|(_, kind)| *kind)
    }

    /// Lists all words that [`of`](Self::of) understands.
    pub(super) fn words() -> Vec<&'static str> {
        KINDS.iter().map(|(word, _)| *word).collect()
    }

    /// Tells whether symbols of this kind are types.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(self, Self::Type | Self::Class)
    }

    /// Tells whether symbols of this kind hold a value, so that the value can take their place.
    #[must_use]
    pub fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::Attribute | Self::Field | Self::Property)
    }

    /// Tells whether a symbol of this kind may stand for several functions, one in each class.
    #[must_use]
    pub fn is_method(self) -> bool {
        matches!(self, Self::Method | Self::Property)
    }
}

/// The properties of all symbols of a kind in a language: `[kinds.function]` and the like in `language.toml`. A pattern
/// of `names.scm` may set others. `grammars/README.md` explains each key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindForms {
    /// The namespace of the symbols.
    pub namespace: String,
    /// The reach of a definition.
    pub reach: Reach,
    /// The number of a function's parameters, from the first on, that have no argument in a call.
    pub skip: Option<usize>,
    /// The constant that may take the place of a use.
    pub constant: Option<String>,
    /// The statement that makes a parameter a local variable with a value.
    pub local: Option<String>,
    /// The statement that makes a parameter a local variable without a value.
    pub declare: Option<String>,
    /// The text that declares a variable as a parameter.
    pub parameter: Option<String>,
    /// The text that declares a variable as a parameter for which no call gives an argument.
    pub bare: Option<String>,
    /// The expression that converts a value to the type of the symbol.
    pub cast: Option<String>,
    /// The text of a pointer to such a name: `{name}` is filled in.
    pub pointer: Option<String>,
    /// The text that takes the place of a member's name after it has left its class.
    pub free: Option<String>,
    /// The text before a member that makes it one of its class, so that it needs no object.
    pub classwide: Option<String>,
    /// The words for a method's object in the body of the method.
    pub this: Option<String>,
    /// The declaration of a parameter for that object in place of a word for it: `{name}` and `{class}` are filled in.
    pub receiver: Option<String>,
    /// The argument for such a parameter: `{object}` is filled in.
    pub handed: Option<String>,
    /// The word for the class in the code of its members.
    pub itself: Option<String>,
    /// The text of that object where a call has none.
    pub unbound: Option<String>,
    /// The text that makes a statement of an expression behind it, where not every expression is one: `{name}` is filled
    /// in.
    pub evaluated: Option<String>,
    /// The text of a function's result where a call gave it, if a value alone cannot stand there: `{type}` and `{value}`
    /// are filled in.
    pub result: Option<String>,
    /// The text behind the name of a function that has become a variable: `{value}` is filled in.
    pub variable: Option<String>,
    /// The name of a class's only member that takes the place of the class: `{name}` is filled in.
    pub sole: Option<String>,
    /// The value that is made of a type alone: `{type}` is filled in.
    pub made: Option<String>,
    /// The type that stands in place of a template's parameter where the call tells it.
    pub deduced: Option<String>,
    /// The arguments that a call of a template gives besides: `{type}` is filled in.
    pub explicit: Option<String>,
    /// The text of a short name: `{name}` is filled in.
    pub short: Option<String>,
    /// Is true if the constant may stand wherever such a name does, whatever its type.
    pub universal: bool,
    /// Is true if such a name may be the number of its place among them, which changes when another one goes.
    pub numbered: bool,
    /// The text of a jump to such a name, which opens a section: `{name}` is filled in.
    pub jump: Option<String>,
    /// The text that ends a section from which nothing goes on.
    pub end: Option<String>,
    /// Is true if a member needs no object inside of its class.
    pub own: bool,
}

impl KindForms {
    /// Tells whether a text is one of the words for a method's object.
    #[must_use]
    pub fn is_this(&self, text: &[u8]) -> bool {
        self.this.iter().flat_map(|words| words.split(' ')).any(|word| word.as_bytes() == text)
    }
}

/// The reach of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// It is known in the innermost scope around it.
    #[default]
    Inner,
    /// It is known in the scope around that one.
    Outer,
    /// It is known in the function around it.
    Function,
    /// It is known everywhere.
    Everywhere,
    /// It is known everywhere, unless the name is declared around it: then this is a reference to that.
    Known,
}

/// The kind of a scope, for names that reach further than the innermost scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeKind {
    /// It only holds the names that are defined in it.
    #[default]
    Block,
    /// It also holds the names that reach the function around them.
    Function,
    /// Its names may be used outside of it, as members of what it belongs to.
    Open,
}

/// The words for the kinds of scopes; a block has none.
const SCOPES: [(&str, ScopeKind); 2] = [("function", ScopeKind::Function), ("open", ScopeKind::Open)];

impl ScopeKind {
    /// Reads the word behind `@local.scope.`, if there is one.
    pub(super) fn of(word: Option<&str>) -> Option<Self> {
        let Some(word) = word else { return Some(Self::Block) };
        SCOPES.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }

    /// Lists all words that [`of`](Self::of) understands.
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
