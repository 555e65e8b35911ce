//! Reads `names.scm`, which defines for a language which nodes are definitions, references and scopes.

use super::Error;
use super::kind::{KindForms, NameKind, Reach, ScopeKind};
use super::rule::compile;
use super::source::Source;
use super::vocabulary::{LOCALS, NAMES};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Grammar, Parsed, Query};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The properties of all symbols of each kind in a language.
pub(super) type Kinds = BTreeMap<NameKind, KindForms>;

/// The role of a capture of `names.scm`. `grammars/README.md` documents each.
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
    Each,
    Mark,
    Type,
    Shed,
    Constructor,
    Constructed,
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
    Aligned,
    Inside,
    Outside,
    Functor,
}

/// The captures of the convention for locals; a kind can follow each.
const LOCAL: &[(&str, Role)] =
    &[("local.scope", Role::Scope), ("local.definition", Role::Define), ("local.reference", Role::Refer)];

/// The captures without a counterpart in the convention for locals.
const ROLES: &[(&str, Role)] = &[
    ("statement", Role::Statement),
    ("return", Role::Return),
    ("result", Role::Result),
    ("value", Role::Value),
    ("parameters", Role::Parameters),
    ("body", Role::Body),
    ("only", Role::Only),
    ("only.type", Role::OnlyType),
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
    ("each", Role::Each),
    ("mark", Role::Mark),
    ("type", Role::Type),
    ("shed", Role::Shed),
    ("constructor", Role::Constructor),
    ("constructed", Role::Constructed),
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
    ("aligned", Role::Aligned),
    ("inside", Role::Inside),
    ("outside", Role::Outside),
    ("functor", Role::Functor),
];

/// The properties of one pattern.
#[derive(Clone, Debug, Default)]
pub struct NamePattern {
    /// The kind of the symbols that it defines. Only symbols of the same kind can replace each other. A
    /// reference can have the kind of the symbols that it looks for.
    pub kind: Option<NameKind>,
    /// The kind of a scope.
    pub scope: ScopeKind,
    /// The properties of a definition: those of its kind, unless the pattern overrides them. A reference only
    /// has a namespace, a reach (of the name that it declares, as `global a` does) and a skip.
    pub forms: KindForms,
    /// The namespace in which a reference is looked up if its own namespace does not contain it.
    pub otherwise: Option<String>,
    /// The name, if it differs from the text of the identifier.
    pub name: Option<Arc<[u8]>>,
    /// The separator after whose last occurrence the name begins, such as the `/` of a path.
    pub after: Option<Arc<[u8]>>,
    /// The declaration of the only member of a structure without a name, with `{type}`.
    pub unnamed: Option<Arc<str>>,
    /// The text of a value in place of a reference, with `{name}` and `{value}`.
    pub written: Option<Arc<str>>,
    /// The text that replaces a definition in a list whose members keep their positions.
    pub blank: Option<Arc<str>>,
    /// The text that replaces a reference to a list after the list has been replaced by its only element, with
    /// `{list}` and `{element}`.
    pub single: Option<Arc<str>>,
    /// The text that replaces a level without an inner part.
    pub level: Option<Arc<str>>,
    /// The text that takes the address of the expression after it, for a declared level.
    pub address: Option<Arc<str>>,
    /// The text that dereferences the expression after it, for a declared level.
    pub content: Option<Arc<str>>,
    /// True if a reference names the predecessor of a section instead of jumping to a section.
    pub origin: bool,
    /// True if a reference is a call even without arguments.
    pub called: bool,
}

/// The parts of a capture: `@local.definition.function` has a role and a kind.
struct Word<'a> {
    role: Role,
    kind: Option<&'a str>,
}

impl<'a> Word<'a> {
    fn of(capture: &'a str) -> Option<Self> {
        if let Some(&(_, role)) = ROLES.iter().find(|(known, _)| *known == capture) {
            return Some(Self { role, kind: None });
        }
        let local = LOCAL.iter().find_map(|&(stem, role)| Some((role, capture.strip_prefix(stem)?)));
        local.map(|(role, kind)| Self { role, kind: kind.strip_prefix('.') })
    }
}

/// Reads the properties of a pattern, given the words of its captures. A definition has the properties of its
/// kind, unless the pattern overrides them.
fn read<'q>(
    words: &[&Word<'_>],
    kinds: &Kinds,
    get: &dyn Fn(&str) -> Option<&'q str>,
) -> Result<NamePattern, &'static str> {
    let property = |key: &str| get(key).map(str::to_owned);
    let shared = |key: &str| get(key).map(Arc::from);
    let of = |role: Role| words.iter().filter(move |word| word.role == role);
    let (is_definition, is_reference) = (of(Role::Define).count() > 0, of(Role::Refer).count() > 0);
    if is_definition && is_reference {
        return Err("a pattern cannot capture both `@local.definition` and `@local.reference`");
    }
    let mut defined = of(Role::Define).map(|word| NameKind::of(word.kind));
    let mut said = of(Role::Refer).filter(|word| word.kind.is_some()).map(|word| NameKind::of(word.kind));
    let kind = defined.next().or_else(|| said.next()).flatten();
    if defined.chain(said).any(|other| other != kind) {
        return Err("a pattern can only capture names of one kind; write a pattern for each kind");
    }
    let mut scopes = of(Role::Scope).map(|word| ScopeKind::of(word.kind).unwrap_or_default());
    let scope = scopes.next().unwrap_or_default();
    if scopes.any(|other| other != scope) {
        return Err("a pattern can only capture scopes of one kind; write a pattern for each kind");
    }
    let nothing = KindForms::default();
    let of_kind = kind.and_then(|kind| kinds.get(&kind)).unwrap_or(&nothing);
    let namespace = property("namespace").unwrap_or_else(|| of_kind.namespace.clone());
    // A reference only takes the namespace from its kind.
    let of_kind = if is_definition { of_kind } else { &nothing };
    let forms = forms(of_kind, namespace, get)?;
    Ok(NamePattern {
        kind,
        scope,
        forms,
        otherwise: property("otherwise"),
        name: get("name").map(|text| text.as_bytes().into()),
        after: get("after").map(|text| text.as_bytes().into()),
        unnamed: shared("unnamed"),
        written: shared("written"),
        blank: shared("blank"),
        single: shared("single"),
        level: shared("level"),
        address: shared("address"),
        content: shared("content"),
        origin: get("origin").is_some(),
        called: get("called").is_some(),
    })
}

/// Reads the forms of a pattern: those of its kind, unless the pattern overrides them.
fn forms<'q>(
    of_kind: &KindForms,
    namespace: String,
    get: &dyn Fn(&str) -> Option<&'q str>,
) -> Result<KindForms, &'static str> {
    let form = |key: &str, of_kind: &Option<String>| match get(key) {
        None => of_kind.clone(),
        Some(text) => Some(text).filter(|text| !text.is_empty()).map(str::to_owned),
    };
    let skip = get("skip").map(str::parse).transpose();
    Ok(KindForms {
        namespace,
        reach: reach(get).unwrap_or(Ok(of_kind.reach))?,
        skip: skip.map_err(|_| "`skip` must be a number of parameters")?.or(of_kind.skip),
        constant: form("constant", &of_kind.constant),
        local: form("local", &of_kind.local),
        declare: form("declare", &of_kind.declare),
        parameter: form("parameter", &of_kind.parameter),
        bare: form("bare", &of_kind.bare),
        cast: form("cast", &of_kind.cast),
        pointer: form("pointer", &of_kind.pointer),
        free: form("free", &of_kind.free),
        classwide: form("classwide", &of_kind.classwide),
        this: form("this", &of_kind.this),
        receiver: form("receiver", &of_kind.receiver),
        handed: form("handed", &of_kind.handed),
        itself: form("itself", &of_kind.itself),
        unbound: form("unbound", &of_kind.unbound),
        evaluated: form("evaluated", &of_kind.evaluated),
        result: form("result", &of_kind.result),
        variable: form("variable", &of_kind.variable),
        sole: form("sole", &of_kind.sole),
        made: form("made", &of_kind.made),
        deduced: form("deduced", &of_kind.deduced),
        explicit: form("explicit", &of_kind.explicit),
        short: form("short", &of_kind.short),
        universal: get("universal").is_some() || of_kind.universal,
        numbered: get("numbered").is_some() || of_kind.numbered,
        jump: form("jump", &of_kind.jump),
        end: form("end", &of_kind.end),
        own: get("own").is_some() || of_kind.own,
    })
}

/// Reads the reach of a definition from `reach` or from the properties of the convention for locals.
fn reach<'q>(get: &dyn Fn(&str) -> Option<&'q str>) -> Option<Result<Reach, &'static str>> {
    let own = get("reach").map(|word| match word {
        "inner" => Ok(Reach::Inner),
        "outer" => Ok(Reach::Outer),
        "function" => Ok(Reach::Function),
        "known" => Ok(Reach::Known),
        "everywhere" => Ok(Reach::Everywhere),
        _ => Err("`reach` must be `inner`, `outer`, `function`, `known` or `everywhere`"),
    });
    own.or_else(|| match LOCALS.properties.iter().find_map(|key| get(key)) {
        Some("parent") => Some(Ok(Reach::Outer)),
        Some("global") => Some(Ok(Reach::Everywhere)),
        _ => None,
    })
}

/// The patterns of `names.scm`.
#[derive(Debug)]
pub struct NameQuery {
    query: Query,
    roles: Vec<Option<Role>>,
    patterns: Vec<Arc<NamePattern>>,
    has_bodies: bool,
}

/// One match: its pattern, and its captures with the spans and kinds of their nodes.
#[derive(Clone, Debug)]
pub struct NameMatch {
    /// The number of the pattern. If several patterns capture an identifier, the first one applies.
    pub pattern: usize,
    /// The role, the span and the node kind of each capture.
    pub captures: Vec<(Role, Span, u16)>,
}

impl NameQuery {
    /// Loads `names.scm`.
    ///
    /// # Errors
    /// Returns an error with file, line and column for an unknown word, and for a node kind or a field that the
    /// grammar does not have.
    pub(super) fn load(grammar: &Grammar, source: &Source, kinds: &Kinds) -> Result<Self, Error> {
        let query = compile(grammar, source, NAMES)?;
        let words: Vec<Option<Word<'_>>> = query.capture_names().iter().map(|name| Word::of(name)).collect();
        let roles = words.iter().map(|word| Some(word.as_ref()?.role)).collect();
        let mut patterns = Vec::new();
        for pattern in 0..query.patterns() {
            let own = words.iter().zip(0..);
            let own = own.filter(|(_, number)| query.captures_in(pattern, *number).is_some());
            let own: Vec<&Word<'_>> = own.filter_map(|(word, _)| word.as_ref()).collect();
            let says = read(&own, kinds, &|key| query.property(pattern, key));
            let says = says.map_err(|message| source.error(query.start_of(pattern), message.into()))?;
            patterns.push(Arc::new(says));
        }
        let body = words.iter().position(|word| word.as_ref().is_some_and(|word| word.role == Role::Body));
        let has_bodies = body.is_some_and(|body| {
            (0..patterns.len()).any(|pattern| query.captures_in(pattern, body as u32).is_some())
        });
        Ok(Self { query, roles, patterns, has_bodies })
    }

    /// Returns whether a pattern captures the body of a definition.
    #[must_use]
    pub fn has_bodies(&self) -> bool {
        self.has_bodies
    }

    /// Returns the properties of a pattern.
    #[must_use]
    pub fn pattern(&self, number: usize) -> &Arc<NamePattern> {
        &self.patterns[number]
    }

    /// Returns all matches in `parsed`, the tree of `text`.
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

#[cfg(test)]
mod tests {
    use super::super::registry::parsers;
    use super::super::{Folder, Language};
    use super::*;

    /// Creates a language with the grammar of JSON.
    fn language(manifest: &str, file: &str, patterns: &str) -> Result<Language, Error> {
        let json = parsers().into_iter().find(|(name, _)| *name == "json");
        let grammar = json.expect("it is built in").1();
        let manifest = format!("name = \"x\"\ntitle = \"X\"\n{manifest}");
        Language::new(grammar, &Folder::built_in("x", &manifest, &[(file, patterns)]))
    }

    #[test]
    fn an_unknown_kind_is_an_error_with_its_place() {
        let patterns = "(pair) @local.scope\n(pair key: (string) @local.definition.vairable)\n";
        for (file, patterns, message) in [
            (
                "names.scm",
                patterns,
                "names.scm:2:21`: unknown kind of name `vairable`; expected one of `function`, `method`",
            ),
            ("locals.scm", patterns, "locals.scm:2:21`: unknown kind of name `vairable`"),
            ("names.scm", "(pair) @local.scope.x", "names.scm:1:8`: unknown kind of scope `x`"),
            ("locals.scm", "(pair) @value", "locals.scm:1:8`: unknown capture `@value`"),
            (
                "names.scm",
                "((string) @local.definition (#set! reach \"far\"))",
                "names.scm:1:1`: `reach` must be `inner`",
            ),
            (
                "names.scm",
                "[(string) @local.definition.type (number) @local.definition.field]",
                "names.scm:1:1`: a pattern can only capture names of one kind",
            ),
        ] {
            let error = language("", file, patterns).expect_err("it says what it must not").to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_pattern_says_what_its_kind_does_not() {
        let manifest = "[kinds.field]\nnamespace = \"n\"\nreach = \"everywhere\"\nconstant = \"0\"\n";
        let patterns = "(string) @local.definition.field\n\
            ((number) @local.definition.field (#set! reach \"inner\") (#set! constant) (#set! free \"{name}\"))\n\
            (true) @local.reference.field\n(false) @local.reference\n";
        let language = language(manifest, "names.scm", patterns).expect("all is known");
        let names = language.names().expect("there is a file");
        let says = |number: usize| names.pattern(number);
        assert_eq!((says(0).forms.reach, says(0).forms.constant.as_deref()), (Reach::Everywhere, Some("0")));
        assert_eq!((says(1).forms.reach, says(1).forms.constant.as_deref()), (Reach::Inner, None));
        assert_eq!((&*says(1).forms.namespace, says(1).forms.free.as_deref()), ("n", Some("{name}")));
        assert_eq!(
            (&*says(2).forms.namespace, says(2).forms.reach, says(2).forms.constant.as_deref()),
            ("n", Reach::Inner, None)
        );
        assert_eq!(&*says(3).forms.namespace, "");
    }

    #[test]
    fn what_a_grammar_ships_for_locals_is_a_beginning() {
        let patterns = "(array) @local.scope\n(number) @local.reference\n\
            ((string) @local.definition.var (#set! definition.var.scope \"parent\"))\n";
        let language = language("", "locals.scm", patterns).expect("all is known");
        let names = language.names().expect("there is a file");
        let first = names.pattern(0);
        assert_eq!((first.kind, first.forms.reach), (Some(NameKind::Variable), Reach::Outer));
        let text = b"[\"a\", 1]";
        let parsed = nubbin_syntax::Parser::new(language.grammar()).parse(text);
        let roles = names.matches(&parsed, text).into_iter().flat_map(|one| one.captures);
        let roles: Vec<(Role, &[u8])> = roles.map(|(role, span, _)| (role, span.of(text))).collect();
        assert_eq!(roles, [(Role::Scope, &text[..]), (Role::Define, b"\"a\""), (Role::Refer, b"1")]);
    }
}
