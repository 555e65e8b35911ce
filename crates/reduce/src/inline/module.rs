//! One file, with the statements that take in others.

use super::SourceFile;
use super::join::Piece;
use nubbin_language::{InlineForms, InlineRole, Language, Symbol, SymbolId, Symbols};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Parser, Tree, deletion_span};
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file with its statements.
#[derive(Debug)]
pub(super) struct Module<'l> {
    pub path: PathBuf,
    pub text: Arc<[u8]>,
    pub language: &'l Language,
    pub forms: Option<&'l InlineForms>,
    pub stays: bool,
    pub tree: Arc<Tree>,
    /// The names of the file; `None` if the language does not need them.
    pub symbols: Option<Symbols>,
    /// By position.
    pub statements: Vec<Statement>,
    /// The node that holds the rest of a file that comes in once, if the file says so in that way.
    pub guard: Option<Span>,
    /// The parts that go when the file comes in, and those that go in any case.
    pub own: Vec<Span>,
    pub idle: Vec<Span>,
    /// The parts for which no file comes in.
    apart: Vec<Span>,
    /// The parts that run once all of the file has.
    later: Vec<Span>,
    /// The statements that have to stand first in a file.
    pub firsts: Vec<Span>,
    /// Is true if the file says that it comes in once.
    pub is_once: bool,
    /// The accesses to members, by the object: the whole access, and the member.
    pub accesses: HashMap<Span, (Span, Span)>,
}

/// A statement that takes in files.
#[derive(Debug)]
pub(super) struct Statement {
    pub span: Span,
    /// The text that goes with it.
    pub mark: Option<Span>,
    /// The child of the whole text that it lies in.
    pub outer: Span,
    /// Is true if it is reached whenever the file is: no condition and no function is around it.
    pub is_top: bool,
    /// Is true if no file comes in for it alone.
    pub is_apart: bool,
    /// Is true if it runs once all of the file has.
    pub is_later: bool,
    pub items: Vec<Item>,
}

/// One of the things that a statement takes in.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The text of it in the statement.
    pub span: Span,
    pub path: Vec<u8>,
    /// The place of the path.
    pub at: Span,
    /// The number of directories upwards, if the path begins at the file; 1 is its own.
    pub up: usize,
    /// The place of the sign for that.
    pub up_at: Option<Span>,
    /// The name that is taken from the file.
    pub name: Option<Span>,
    /// The name that it has here.
    pub alias: Option<Span>,
    /// Is true if all names of the file are taken in.
    pub is_all: bool,
    /// Is true if it is the file itself that gets a name here, and not a name of it.
    pub is_module: bool,
    /// The files, by their numbers: the packages around the last one come first.
    pub targets: Vec<usize>,
}

impl Item {
    /// Returns the first byte of the identifier that it defines here.
    pub fn defines(&self) -> u32 {
        self.alias.or(self.name).unwrap_or(self.at).start
    }
}

impl<'l> Module<'l> {
    /// Finds the statements of a file.
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

    /// Lists all that the file takes in.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.statements.iter().flat_map(|statement| &statement.items)
    }

    /// Gives each item its targets, and leaves out what has none.
    pub fn aim(&mut self, targets: Vec<(Vec<usize>, bool)>) {
        let mut targets = targets.into_iter();
        for item in self.statements.iter_mut().flat_map(|statement| &mut statement.items) {
            (item.targets, item.is_module) = targets.next().unwrap_or_default();
        }
    }

    /// Tells whether no statement that takes in a file is around a span.
    pub fn is_outside(&self, span: Span) -> bool {
        let before = self.statements.partition_point(|statement| statement.span.start <= span.start);
        before.checked_sub(1).is_none_or(|last| !self.statements[last].span.contains(span))
    }

    /// Returns the bytes of a span.
    pub fn of(&self, span: Span) -> &[u8] {
        span.of(&self.text)
    }

    /// Returns the symbol that the file defines under this name for all of its text.
    pub fn defined(&self, name: &[u8]) -> Option<SymbolId> {
        let all = self.symbols.as_ref()?.all();
        all.iter().position(|symbol| &*symbol.text == name && is_global(symbol))
    }

    /// Tells whether it gives a name another meaning than that of the file of this name which lies beside it.
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

    /// Notes the parts of the file that a match has found.
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

    /// Adds what a match has found.
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
            // A mark says where the file of the statement is.
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

    /// Returns the child of the whole text around a span, and whether nothing but that and a guard is around the span.
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

    /// Returns the piece for a part that goes: nothing where it has lines of its own, and a statement that does nothing
    /// where it may be the only one of a block, or where others stand on its line.
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

/// Tells whether a symbol is in the space of names without a name of its own, as variables and functions are.
pub(super) fn is_plain(symbol: &Symbol) -> bool {
    symbol.definitions.first().is_some_and(|one| one.says.forms.namespace.is_empty())
}

/// Tells whether a symbol is known in the whole text, and defined in it.
pub(super) fn is_global(symbol: &Symbol) -> bool {
    symbol.scope == 0 && is_plain(symbol)
}
