//! A file with the statements that include other files.

use super::SourceFile;
use super::join::Piece;
use nubbin_language::{InlineForms, InlineRole, Language, Symbol, SymbolId, Symbols};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Parser, Tree, deletion_span};
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Module<'l> {
    pub path: PathBuf,
    pub text: Arc<[u8]>,
    pub language: &'l Language,
    pub forms: Option<&'l InlineForms>,
    pub stays: bool,
    pub tree: Arc<Tree>,
    /// The symbols of the file; `None` if the language does not need them.
    pub symbols: Option<Symbols>,
    /// The include statements, by position.
    pub statements: Vec<Statement>,
    /// The include guard: the node that contains the rest of a file which is included only once.
    pub guard: Option<Span>,
    /// The parts that are removed if the file is inlined (`own`), and those that are always removed (`idle`).
    pub own: Vec<Span>,
    pub idle: Vec<Span>,
    /// The parts whose include statements alone do not cause a file to be inlined.
    apart: Vec<Span>,
    /// The parts that run after the rest of the file.
    later: Vec<Span>,
    /// The statements that must be first in a file.
    pub firsts: Vec<Span>,
    /// Whether the file declares that it is included only once.
    pub is_once: bool,
    /// The accesses to members, by the object: the whole access, and the member.
    pub accesses: HashMap<Span, (Span, Span)>,
}

/// A statement that includes files.
#[derive(Debug)]
pub(super) struct Statement {
    pub span: Span,
    /// Adjacent text that is removed together with the statement.
    pub mark: Option<Span>,
    /// The child of the root node that contains the statement.
    pub outer: Span,
    /// Whether it is always reached: it is in no function and under no condition.
    pub is_top: bool,
    /// Whether it is in a part whose include statements alone do not cause a file to be inlined.
    pub is_apart: bool,
    /// Whether it runs after the rest of the file.
    pub is_later: bool,
    pub items: Vec<Item>,
}

/// A file or a name that a statement includes.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its text in the statement.
    pub span: Span,
    pub path: Vec<u8>,
    /// The span of the path.
    pub at: Span,
    /// The number of directories upwards if the path is relative to the file; 1 is the directory of the file.
    pub up: usize,
    /// The span of the characters that say so.
    pub up_at: Option<Span>,
    /// The name that is imported from the file.
    pub name: Option<Span>,
    /// The local name.
    pub alias: Option<Span>,
    /// Whether all names of the file are imported.
    pub is_all: bool,
    /// Whether the local name refers to the file as a whole instead of a name in it.
    pub is_module: bool,
    /// The included files; the packages that contain the last one come first.
    pub targets: Vec<usize>,
}

impl Item {
    /// Returns the first byte of the identifier that the item defines.
    pub fn defines(&self) -> u32 {
        self.alias.or(self.name).unwrap_or(self.at).start
    }
}

impl<'l> Module<'l> {
    pub fn new(file: SourceFile<'l>) -> Self {
        let SourceFile { path, text, language, stays } = file;
        let text: Arc<[u8]> = text.into();
        let parsed = Parser::new(language.grammar()).parse(&text);
        let tree = Arc::new(Tree::new(&parsed, 0));
        let mut module = Self {
            path,
            language,
            forms: None,
            stays,
            symbols: None,
            statements: Vec::new(),
            guard: None,
            own: Vec::new(),
            idle: Vec::new(),
            apart: Vec::new(),
            later: Vec::new(),
            firsts: Vec::new(),
            is_once: false,
            accesses: HashMap::new(),
            tree,
            text,
        };
        let Some((query, forms)) = language.inline() else { return module };
        module.forms = Some(forms);
        if forms.names.is_some() {
            let whole = Span::new(0, module.text.len() as u32);
            module.symbols = Symbols::new(language, &parsed, &module.tree, &module.text, whole);
        }
        for captures in query.matches(&parsed, &module.text) {
            module.add(&captures);
        }
        let idle = std::mem::take(&mut module.idle);
        let is_idle = |span: Span| idle.iter().any(|one| one.contains(span));
        module.statements.retain(|statement| !is_idle(statement.span));
        module.statements.sort_by_key(|statement| statement.span);
        module.idle = idle;
        for number in 0..module.statements.len() {
            let span = module.statements[number].span;
            let is_in = |parts: &[Span]| parts.iter().any(|one| one.contains(span));
            let (is_apart, is_later) = (is_in(&module.apart), is_in(&module.later));
            let (outer, is_top) = module.around(span);
            let statement = &mut module.statements[number];
            (statement.outer, statement.is_top) = (outer, is_top);
            (statement.is_apart, statement.is_later) = (is_apart, is_later);
        }
        module
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.statements.iter().flat_map(|statement| &statement.items)
    }

    /// Sets the targets of each item.
    pub fn aim(&mut self, targets: Vec<(Vec<usize>, bool)>) {
        let mut targets = targets.into_iter();
        for item in self.statements.iter_mut().flat_map(|statement| &mut statement.items) {
            (item.targets, item.is_module) = targets.next().unwrap_or_default();
        }
    }

    /// Returns whether a span is outside all include statements.
    pub fn is_outside(&self, span: Span) -> bool {
        let before = self.statements.partition_point(|statement| statement.span.start <= span.start);
        before.checked_sub(1).is_none_or(|last| !self.statements[last].span.contains(span))
    }

    pub fn of(&self, span: Span) -> &[u8] {
        span.of(&self.text)
    }

    /// Returns the symbol with this name at the top level of the file.
    pub fn defined(&self, name: &[u8]) -> Option<SymbolId> {
        let all = self.symbols.as_ref()?.all();
        all.iter().position(|symbol| &*symbol.text == name && is_global(symbol))
    }

    /// Returns whether the file defines this name as something other than the file of the same name in its directory.
    pub fn hides(&self, name: &[u8]) -> bool {
        let (Some(symbols), Some(id)) = (&self.symbols, self.defined(name)) else { return false };
        let directory = self.path.parent().and_then(Path::file_name).unwrap_or_default().as_bytes();
        let is_own = |item: &Item| match item.up {
            0 => item.path.ends_with(directory),
            up => up == 1 && item.path.is_empty(),
        };
        let is_file = |start: u32| {
            let mut items = self.items().filter(|item| item.defines() == start);
            items.any(|item| is_own(item) && item.alias.is_none())
        };
        symbols[id].definitions.iter().any(|one| !is_file(symbols.span(one.id).start))
    }

    /// Records the parts of the file that a match has found.
    fn note(&mut self, captures: &[(InlineRole, Span)]) {
        for (role, span) in captures {
            match role {
                InlineRole::Once => {
                    self.is_once = true;
                    self.own.push(*span);
                }
                InlineRole::Guard => self.guard = Some(*span),
                InlineRole::Own => self.own.push(*span),
                InlineRole::Apart => self.apart.push(*span),
                InlineRole::Later => self.later.push(*span),
                InlineRole::Idle => self.idle.push(*span),
                InlineRole::First => self.firsts.push(*span),
                _ => {}
            }
        }
    }

    /// Records a match.
    fn add(&mut self, captures: &[(InlineRole, Span)]) {
        let get = |role: InlineRole| captures.iter().find(|(known, _)| *known == role).map(|(_, span)| *span);
        self.note(captures);
        if let (Some(access), Some(object), Some(member)) =
            (get(InlineRole::Access), get(InlineRole::Object), get(InlineRole::Member))
        {
            self.accesses.insert(object, (access, member));
        }
        let Some(span) = get(InlineRole::Statement) else { return };
        let (name, alias, up) = (get(InlineRole::Name), get(InlineRole::Alias), get(InlineRole::Up));
        let (path, all) = (get(InlineRole::Path), get(InlineRole::All));
        let parts: Vec<Span> =
            if name.is_some() || all.is_some() { vec![name, alias, all] } else { vec![path, alias] }
                .into_iter()
                .flatten()
                .collect();
        let (Some(start), Some(end)) =
            (parts.iter().map(|one| one.start).min(), parts.iter().map(|one| one.end).max())
        else {
            return;
        };
        let bytes = path.map_or(&b""[..], |path| self.of(path));
        let is_bracket = |byte: &u8| matches!(byte, b'<' | b'>' | b'"');
        let item = Item {
            span: Span::new(start, end),
            path: bytes.iter().copied().filter(|byte| !is_bracket(byte)).collect(),
            at: path.or(up).unwrap_or(span),
            up_at: up,
            up: up.map_or(0, |up| up.len() as usize),
            name,
            alias,
            is_all: all.is_some(),
            is_module: false,
            targets: Vec::new(),
        };
        let mark = get(InlineRole::Mark);
        match self.statements.iter_mut().find(|statement| statement.span == span) {
            // A mark defines the path of the statement.
            Some(statement) if mark.is_some() || statement.mark.is_some() => {
                if mark.is_some() {
                    (statement.mark, statement.items) = (mark, vec![item]);
                }
            }
            Some(statement) => statement.items.push(item),
            None => {
                let items = vec![item];
                let new = Statement {
                    span,
                    mark,
                    outer: span,
                    is_top: false,
                    is_apart: false,
                    is_later: false,
                    items,
                };
                self.statements.push(new);
            }
        }
    }

    /// Returns the child of the root node that contains a span, and whether the span is this child or a child of the
    /// include guard.
    pub fn around(&self, span: Span) -> (Span, bool) {
        let root = self.tree.node(0);
        let inside = |id: &u32| self.tree.node(*id).span.contains(span);
        let Some(outer) = self.tree.children(0).find(inside) else { return (root.span, true) };
        let outer_span = self.tree.node(outer).span;
        let is_top = outer_span == span
            || self.guard == Some(outer_span)
                && self.tree.children(outer).any(|id| self.tree.node(id).span == span);
        (outer_span, is_top)
    }

    /// Returns the edit that removes a part. It leaves an empty statement if the part may be the only statement of a
    /// block, or shares its lines with others.
    pub fn gone(&self, span: Span) -> Piece {
        let whole = deletion_span(&self.text, span);
        let nothing = self.forms.and_then(|forms| forms.names.as_ref()).map(|names| &names.nothing);
        let has_lines = whole.end as usize == self.text.len() || whole.of(&self.text).ends_with(b"\n");
        match nothing {
            Some(nothing) if !has_lines || !self.around(span).1 => (span, nothing.clone().into_bytes()),
            _ => (whole, Vec::new()),
        }
    }
}

/// Returns whether a symbol is in the same namespace as variables and functions.
pub(super) fn is_plain(symbol: &Symbol) -> bool {
    symbol.definitions.first().is_some_and(|one| one.says.forms.namespace.is_empty())
}

/// Returns whether a symbol is defined at the top level of the file.
pub(super) fn is_global(symbol: &Symbol) -> bool {
    symbol.scope == 0 && is_plain(symbol)
}
