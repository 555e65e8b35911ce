//! `names.scm`: what defines a name, what refers to it, and what a scope is.

use super::Error;
use super::rule::compile;
use super::source::Source;
use super::vocabulary::NAMES;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Grammar, Parsed, Query};

/// What a capture of `names.scm` stands for; `grammars/README.md` explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Role {
    Scope,
    Statement,
    Return,
    Result,
    Define,
    Value,
    Parameters,
    Body,
    Only,
    OnlyType,
    Refer,
    Use,
    Object,
    Arguments,
    Alias,
    Argument,
    Keyword,
    Mention,
    Class,
    Base,
    Construct,
    Members,
    Callee,
    Element,
    Pair,
    Spread,
    Mark,
    Type,
    Shed,
    Constructor,
    Generic,
    Level,
    LevelName,
    LevelInner,
    Target,
    Source,
    Address,
    AddressOf,
    List,
    Aggregate,
    Member,
    MemberType,
    Local,
    Tuple,
    Literal,
}

const ROLES: &[(&str, Role)] = &[
    ("scope", Role::Scope),
    ("statement", Role::Statement),
    ("return", Role::Return),
    ("result", Role::Result),
    ("define", Role::Define),
    ("value", Role::Value),
    ("parameters", Role::Parameters),
    ("body", Role::Body),
    ("only", Role::Only),
    ("only.type", Role::OnlyType),
    ("refer", Role::Refer),
    ("use", Role::Use),
    ("object", Role::Object),
    ("arguments", Role::Arguments),
    ("alias", Role::Alias),
    ("argument", Role::Argument),
    ("keyword", Role::Keyword),
    ("mention", Role::Mention),
    ("class", Role::Class),
    ("base", Role::Base),
    ("construct", Role::Construct),
    ("members", Role::Members),
    ("callee", Role::Callee),
    ("element", Role::Element),
    ("pair", Role::Pair),
    ("spread", Role::Spread),
    ("mark", Role::Mark),
    ("type", Role::Type),
    ("shed", Role::Shed),
    ("constructor", Role::Constructor),
    ("generic", Role::Generic),
    ("level", Role::Level),
    ("level.name", Role::LevelName),
    ("level.inner", Role::LevelInner),
    ("target", Role::Target),
    ("source", Role::Source),
    ("address", Role::Address),
    ("address.of", Role::AddressOf),
    ("list", Role::List),
    ("aggregate", Role::Aggregate),
    ("member", Role::Member),
    ("member.type", Role::MemberType),
    ("local", Role::Local),
    ("tuple", Role::Tuple),
    ("literal", Role::Literal),
];

/// What one pattern says beside its captures.
#[derive(Clone, Debug, Default)]
pub struct NamePattern {
    /// What kind of thing a name is; only those of one kind take each other's place.
    pub kind: String,
    /// Names in different namespaces have nothing to do with each other.
    pub namespace: String,
    /// Where a reference is looked for that is not found in its own namespace.
    pub otherwise: Option<String>,
    /// How far a definition reaches; beside a reference, where the name is to be looked for.
    pub reach: Reach,
    /// How many of a function's parameters, from the first on, have no argument in a call; beside a reference, in
    /// this one.
    pub skip: Option<usize>,
    /// What may stand in place of a use.
    pub constant: Option<String>,
    /// How a parameter becomes a local variable with a value: `{parameter}`, its `{name}` and the `{argument}`
    /// are filled in.
    pub local: Option<String>,
    /// How it becomes one without.
    pub declare: Option<String>,
    /// Beside a reference, what stands there once a list has become its only element: `{list}` and `{element}` are
    /// filled in.
    pub single: Option<String>,
    /// How a variable becomes a parameter: its `{type}` and its `{name}` are filled in.
    pub parameter: Option<String>,
    /// How it becomes one for which no call gives an argument.
    pub bare: Option<String>,
    /// What makes a `{value}` one of the name's `{type}`.
    pub cast: Option<String>,
    /// Of a member, what stands in place of its `{name}` once it has left its class.
    pub free: Option<String>,
    /// Of a method, the word that stands for its object in its body.
    pub this: Option<String>,
    /// Of a member, whether it needs no object inside of its class.
    pub own: bool,
    /// What takes the place of a level where nothing of it stays.
    pub level: Option<String>,
    /// Beside a declared level, what stands before an expression to give its address.
    pub address: Option<String>,
    /// Beside a declared level, what stands before an expression to give what it points to.
    pub content: Option<String>,
}

/// How far a definition reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Through the innermost scope around it.
    #[default]
    Inner,
    /// Through the scope around that one.
    Outer,
    /// Everywhere.
    Everywhere,
    /// Through the innermost scope of this kind around it.
    Kind(String),
}

/// The patterns of `names.scm`.
#[derive(Debug)]
pub struct NameQuery {
    query: Query,
    roles: Vec<Option<Role>>,
    patterns: Vec<NamePattern>,
}

/// One match: which pattern it is of, and its captures with the kinds of their nodes.
#[derive(Clone, Debug)]
pub struct NameMatch {
    /// The pattern's number: of several that capture one identifier, the first counts.
    pub pattern: usize,
    /// What has been captured.
    pub captures: Vec<(Role, Span, u16)>,
}

impl NameQuery {
    /// Loads `names.scm`.
    ///
    /// # Errors
    /// With file, line and column, for an unknown word, for a definition without a kind, and for what the grammar
    /// does not have.
    pub(super) fn load(grammar: &Grammar, source: &Source) -> Result<Self, Error> {
        let query = compile(grammar, source, NAMES)?;
        let role = |name: &&str| ROLES.iter().find(|(known, _)| known == name).map(|(_, role)| *role);
        let roles: Vec<Option<Role>> = query.capture_names().iter().map(role).collect();
        let mut patterns = Vec::new();
        for pattern in 0..query.patterns() {
            let property = |key: &str| query.property(pattern, key).map(str::to_owned);
            let has = |role: Role| {
                let number = roles.iter().position(|known| *known == Some(role));
                number.is_some_and(|number| query.captures_in(pattern, number as u32).is_some())
            };
            let reach = match query.property(pattern, "reach") {
                None => Reach::Inner,
                Some("outer") => Reach::Outer,
                Some("everywhere") => Reach::Everywhere,
                Some(kind) => Reach::Kind(kind.to_owned()),
            };
            let skip = property("skip").map(|number| number.parse()).transpose();
            let wrong = if skip.is_err() {
                Some("`skip` is the number of parameters that have no argument")
            } else if has(Role::Define) && property("kind").is_none() {
                Some("a definition has no kind; add `(#set! kind \"variable\")` or the like")
            } else if has(Role::Define) && has(Role::Refer) {
                Some("one pattern captures either `@define` or `@refer`")
            } else {
                None
            };
            if let Some(message) = wrong {
                return Err(source.error(query.start_of(pattern), message.into()));
            }
            patterns.push(NamePattern {
                kind: property("kind").unwrap_or_default(),
                namespace: property("namespace").unwrap_or_default(),
                otherwise: property("otherwise"),
                reach,
                skip: skip.unwrap_or_default(),
                constant: property("constant"),
                local: property("local"),
                declare: property("declare"),
                single: property("single"),
                parameter: property("parameter"),
                bare: property("bare"),
                cast: property("cast"),
                free: property("free"),
                this: property("this"),
                own: property("own").is_some(),
                level: property("level"),
                address: property("address"),
                content: property("content"),
            });
        }
        Ok(Self { query, roles, patterns })
    }

    /// What a pattern says.
    #[must_use]
    pub fn pattern(&self, number: usize) -> &NamePattern {
        &self.patterns[number]
    }

    /// All matches in `parsed`, the tree of `text`.
    #[must_use]
    pub fn matches(&self, parsed: &Parsed, text: &[u8]) -> Vec<NameMatch> {
        let (matches, _) = self.query.matches(parsed, text);
        let of_match = |one: nubbin_syntax::Match| NameMatch {
            pattern: one.pattern,
            captures: one
                .captures
                .iter()
                .filter_map(|c| Some((self.roles[c.name as usize]?, c.span, c.kind)))
                .collect(),
        };
        matches.into_iter().map(of_match).collect()
    }
}
