//! Renames symbols of inlined files: a name that two files define is changed in one of them, and a member of a module
//! becomes a name of its own.
//!
//! Names are resolved only approximately. A wrong name costs a probe and cannot make the result wrong.

use super::join::{Piece, filled};
use super::module::{Item, Module, is_global, is_plain};
use nubbin_language::{NameForms, NameKind, Symbol, SymbolId, Symbols};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Span;
use std::collections::{BTreeMap, HashMap, HashSet};

struct Tuning {
    /// The maximum number of files through which a name is resolved.
    files: usize,
}

const TUNING: Tuning = Tuning { files: 32 };

/// An item: the indices of the file, the statement and the item.
type Place = (usize, usize, usize);

/// The changes to names.
#[derive(Default)]
pub(super) struct Names {
    edits: HashMap<usize, Vec<Piece>>,
    /// The texts that replace inlined items.
    lines: HashMap<Place, Vec<u8>>,
    /// The texts of the other items that change.
    items: HashMap<Place, Vec<u8>>,
}

impl Names {
    /// Finds the changes for files that are inlined into the first of them. `comes` returns whether all files of an
    /// item are inlined. Returns `None` if the symbols of a file are unknown.
    pub fn new(modules: &[Module<'_>], all: &[usize], comes: &dyn Fn(&Item) -> bool) -> Option<Self> {
        let forms = modules[*all.first()?].forms?.names.as_ref()?;
        if all.iter().any(|&one| modules[one].symbols.is_none()) {
            return None;
        }
        let mut finder = Finder {
            modules,
            all,
            forms,
            bound: HashMap::new(),
            stars: HashMap::new(),
            kept: HashMap::new(),
            taken: HashMap::new(),
            free: HashMap::new(),
            finals: HashMap::new(),
            made: Self::default(),
        };
        finder.bind(comes);
        finder.find_free();
        finder.name_own();
        finder.name_bound();
        finder.rename();
        Some(finder.made)
    }

    pub fn edits(&self, one: usize) -> &[Piece] {
        self.edits.get(&one).map_or(&[], Vec::as_slice)
    }

    /// Returns the text that replaces an inlined item.
    pub fn line(&self, one: usize, statement: usize, item: usize) -> Option<&[u8]> {
        self.lines.get(&(one, statement, item)).map(Vec::as_slice)
    }

    /// Returns the new text of an item that is not inlined, if it changes.
    pub fn item(&self, one: usize, statement: usize, item: usize) -> Option<&[u8]> {
        self.items.get(&(one, statement, item)).map(Vec::as_slice)
    }
}

#[derive(Clone, Copy)]
enum Meaning {
    /// A symbol of a file.
    Symbol(usize, SymbolId),
    /// A file as a whole.
    Module(usize),
}

type Own = (usize, SymbolId);

struct Finder<'f, 'l> {
    modules: &'f [Module<'l>],
    all: &'f [usize],
    forms: &'f NameForms,
    /// The symbols that are defined only by an item that is inlined.
    bound: HashMap<Own, Place>,
    /// For each file, the files from which it imports all names.
    stars: HashMap<usize, Vec<usize>>,
    /// The symbols that are defined only by an item that is not inlined.
    kept: HashMap<Own, Place>,
    /// The owner of each name.
    taken: HashMap<Vec<u8>, Own>,
    /// For each name that is used but not defined, the files that use it.
    free: HashMap<Vec<u8>, Vec<Own>>,
    finals: HashMap<Own, Vec<u8>>,
    made: Names,
}

impl<'f> Finder<'f, '_> {
    fn symbols(&self, one: usize) -> &'f Symbols {
        self.modules[one].symbols.as_ref().expect("all files have symbols")
    }

    fn symbol(&self, (one, symbol): Own) -> &'f Symbol {
        &self.symbols(one)[symbol]
    }

    fn item_at(&self, (one, statement, item): Place) -> &'f Item {
        &self.modules[one].statements[statement].items[item]
    }

    /// Finds the symbols that items define.
    fn bind(&mut self, comes: &dyn Fn(&Item) -> bool) {
        for &one in self.all {
            let symbols = self.symbols(one);
            let plain = symbols.all().iter().enumerate().filter(|(_, symbol)| is_plain(symbol));
            let places = plain.flat_map(|(id, symbol)| {
                symbol.definitions.iter().map(move |definition| (symbols.span(definition.id).start, id))
            });
            let defined: HashMap<u32, SymbolId> = places.collect();
            for (number, statement) in self.modules[one].statements.iter().enumerate() {
                for (at, item) in statement.items.iter().enumerate() {
                    if item.is_all {
                        let last = item.targets.last().filter(|_| comes(item));
                        self.stars.entry(one).or_default().extend(last);
                        continue;
                    }
                    let Some(&id) = defined.get(&item.defines()) else { continue };
                    if symbols[id].definitions.len() == 1 {
                        let owners = if comes(item) { &mut self.bound } else { &mut self.kept };
                        owners.insert((one, id), (one, number, at));
                    }
                }
            }
        }
    }

    /// Finds the names that a file uses and does not define.
    fn find_free(&mut self) {
        for &one in self.all {
            let symbols = self.symbols(one);
            let is_outside = |id: NodeId| self.modules[one].is_outside(symbols.span(id));
            for (id, symbol) in symbols.all().iter().enumerate() {
                let mut uses = symbol.references.iter().filter(|one| one.object.is_none());
                if symbol.definitions.is_empty() && uses.any(|one| is_outside(one.id)) {
                    self.free.entry(symbol.text.to_vec()).or_default().push((one, id));
                }
            }
        }
    }

    /// Resolves a name in a file.
    fn meaning(&self, one: usize, name: &[u8], files: usize) -> Option<Meaning> {
        if files == 0 {
            return None;
        }
        if let Some(id) = self.modules[one].defined(name) {
            return Some(self.meaning_of((one, id), files));
        }
        let stars = self.stars.get(&one).into_iter().flatten();
        let mut found = stars.filter_map(|&other| self.meaning(other, name, files - 1));
        found.next().or_else(|| self.inner(one, name).map(Meaning::Module))
    }

    /// Resolves a symbol.
    fn meaning_of(&self, own: Own, files: usize) -> Meaning {
        let itself = Meaning::Symbol(own.0, own.1);
        let Some(&place) = self.bound.get(&own) else { return itself };
        let (item, module) = (self.item_at(place), &self.modules[own.0]);
        let Some(&last) = item.targets.last() else { return itself };
        match item.name {
            Some(name) if !item.is_module => {
                self.meaning(last, module.of(name), files.saturating_sub(1)).unwrap_or(itself)
            }
            None if item.alias.is_none() => Meaning::Module(*item.targets.first().unwrap_or(&last)),
            _ => Meaning::Module(last),
        }
    }

    /// Returns the file with this name in a package.
    fn inner(&self, one: usize, name: &[u8]) -> Option<usize> {
        let name = std::str::from_utf8(name).ok()?;
        let inside = self.modules[one].path.parent()?.join(name);
        let is_it = |other: &usize| {
            let path = &self.modules[*other].path;
            *other != one && (path.with_extension("") == inside || path.parent() == Some(&inside))
        };
        self.all.iter().copied().find(|other| is_it(other))
    }

    /// Gives each top-level symbol of a file a unique name.
    fn name_own(&mut self) {
        for &one in self.all {
            for (id, symbol) in self.symbols(one).all().iter().enumerate() {
                if is_global(symbol) && !self.bound.contains_key(&(one, id)) {
                    self.name((one, id));
                }
            }
        }
    }

    /// Gives a symbol a unique name.
    fn name(&mut self, own: Own) {
        let text = self.symbol(own).text.to_vec();
        if text.starts_with(self.forms.special.as_bytes()) {
            self.finals.insert(own, text);
            return;
        }
        let is_same = |other: &Own| *other == own || self.is_same_outside(own, *other);
        let is_taken = self.taken.get(&text).is_some_and(|other| !is_same(other));
        let is_free = self.free.get(&text).is_some_and(|users| {
            users.iter().any(|user| user.0 != own.0 && self.meaning(user.0, &text, TUNING.files).is_none())
        });
        let name = if (is_taken || is_free) && self.may_change(own) { self.fresh(&text) } else { text };
        self.taken.entry(name.clone()).or_insert(own);
        self.finals.insert(own, name);
    }

    /// Returns whether two symbols are imported from the same place outside the inlined files.
    fn is_same_outside(&self, one: Own, other: Own) -> bool {
        let said = |own: Own| {
            let item = self.item_at(*self.kept.get(&own)?);
            let name = item.name.map(|name| self.modules[own.0].of(name));
            Some((&item.path[..], item.up, name, item.alias.is_some()))
        };
        said(one).is_some_and(|path| path.1 == 0 && said(other) == Some(path))
    }

    /// Returns whether a symbol can be renamed. A symbol that an import defines needs an alias.
    fn may_change(&self, own: Own) -> bool {
        let module = &self.modules[own.0];
        let definitions = self.symbol(own).definitions.iter().map(|one| self.symbols(own.0).span(one.id));
        let holds = |span: Span| module.statements.iter().any(|statement| statement.span.contains(span));
        let imported = definitions.filter(|span| holds(*span)).count();
        imported == 0
            || self.kept.get(&own).is_some_and(|&place| {
                let item = self.item_at(place);
                item.alias.is_some() || item.name.is_some() || module.of(item.at) == &*self.symbol(own).text
            })
    }

    /// Returns an unused name.
    fn fresh(&self, text: &[u8]) -> Vec<u8> {
        let is_known = |name: &[u8]| {
            let mut symbols = self.all.iter().flat_map(|&one| self.symbols(one).all());
            self.taken.contains_key(name) || symbols.any(|symbol| &*symbol.text == name)
        };
        let names = (2u32..).map(|number| [text, format!("_{number}").as_bytes()].concat());
        names.into_iter().find(|name| !is_known(name)).unwrap_or_else(|| text.to_vec())
    }

    /// Returns whether a name means something else in some scope of a file.
    fn is_hidden(&self, one: usize, name: &[u8]) -> bool {
        let all = self.symbols(one).all();
        all.iter().any(|symbol| symbol.scope != 0 && &*symbol.text == name && is_plain(symbol))
    }

    /// Replaces the uses of inlined items by the names that they refer to.
    fn name_bound(&mut self) {
        let bound: BTreeMap<Place, Own> = self.bound.iter().map(|(own, place)| (*place, *own)).collect();
        for (place, own) in bound {
            match self.meaning_of(own, TUNING.files) {
                Meaning::Module(file) => self.name_module(own, place, file),
                Meaning::Symbol(one, id) if (one, id) != own => {
                    let Some(meant) = self.finals.get(&(one, id)).cloned() else { continue };
                    let symbol = self.symbol(own);
                    if meant == *symbol.text {
                        continue;
                    }
                    if self.is_hidden(own.0, &meant) || self.is_hidden(own.0, &symbol.text) {
                        self.say(own, place, &meant);
                    } else {
                        let places = symbol.references.iter().map(|one| one.id).collect::<Vec<_>>();
                        self.replace(own.0, &places, &meant);
                    }
                }
                Meaning::Symbol(..) => {}
            }
        }
        for (name, users) in self.free.clone() {
            for (one, id) in users {
                let Some(Meaning::Symbol(file, meant)) = self.meaning(one, &name, TUNING.files) else {
                    continue;
                };
                let meant = self.finals.get(&(file, meant)).filter(|meant| **meant != name).cloned();
                if let Some(meant) = meant.filter(|meant| !self.is_hidden(one, meant)) {
                    let references = self.symbol((one, id)).references.iter();
                    let places = references.filter(|one| one.object.is_none()).map(|one| one.id);
                    self.replace(one, &places.collect::<Vec<_>>(), &meant);
                }
            }
        }
    }

    /// Replaces an item by an assignment of a value to its name.
    fn say(&mut self, own: Own, place: Place, value: &[u8]) {
        let symbol = self.symbol(own);
        if symbol.scope == 0 {
            self.name(own);
        }
        let name = self.finals.get(&own).map_or(&symbol.text[..], Vec::as_slice);
        let line = filled(self.forms.assign.as_bytes(), &[("{name}", name), ("{value}", value)]);
        self.made.lines.insert(place, line);
    }

    /// Replaces accesses to members of a module by names. If the module is also used in another way, an object is
    /// created for it.
    fn name_module(&mut self, own: Own, place: Place, file: usize) {
        let item = self.item_at(place);
        let (module, symbols) = (&self.modules[own.0], self.symbols(own.0));
        let parts: Vec<&[u8]> = if item.name.is_none() && item.alias.is_none() {
            let at = item.path.split(|byte| *byte == b'.');
            at.skip(1).collect()
        } else {
            Vec::new()
        };
        // A reference that seems to refer to a parameter may refer to the module, for example in an annotation.
        let mut is_object = self.is_hidden(own.0, &self.symbol(own).text);
        for reference in &self.symbol(own).references {
            let mut span = symbols.span(reference.id);
            if !module.is_outside(span) {
                continue;
            }
            let (mut left, mut meant) = (parts.iter(), Meaning::Module(file));
            while let Meaning::Module(file) = meant {
                let Some(&(access, member)) = module.accesses.get(&span) else { break };
                let name = module.of(member);
                let is_part = left.next().is_some_and(|part| *part == name);
                meant = match self.meaning(file, name, TUNING.files) {
                    _ if is_part && left.len() == 0 => {
                        Meaning::Module(item.targets.last().copied().unwrap_or(file))
                    }
                    Some(found) => found,
                    None if is_part => Meaning::Module(file),
                    None => break,
                };
                span = access;
            }
            let name = match meant {
                Meaning::Symbol(one, id) => self.finals.get(&(one, id)).cloned(),
                Meaning::Module(_) => None,
            };
            match name.filter(|name| !self.is_hidden(own.0, name)) {
                Some(name) => self.made.edits.entry(own.0).or_default().push((span, name)),
                None => is_object = true,
            }
        }
        if is_object {
            let object = self.forms.object.clone();
            self.say(own, place, object.as_bytes());
        }
    }

    /// Renames symbols everywhere.
    fn rename(&mut self) {
        let changed: BTreeMap<Own, Vec<u8>> =
            self.finals.iter().map(|(own, name)| (*own, name.clone())).collect();
        for (own, name) in changed {
            let symbol = self.symbol(own);
            if *symbol.text == name {
                continue;
            }
            if let Some(&place) = self.kept.get(&own) {
                let (module, item) = (&self.modules[own.0], self.item_at(place));
                let what = module.of(item.name.unwrap_or(item.at));
                let text = filled(self.forms.alias.as_bytes(), &[("{name}", what), ("{alias}", &name)]);
                self.made.items.insert(place, text);
            }
            if symbol.is(NameKind::Class) {
                self.tell_class(own, &name);
            }
            let is_said = |id: &NodeId| !self.bound.contains_key(&own) || symbol.definition(*id).is_none();
            let places: Vec<NodeId> = symbol.places().filter(is_said).collect();
            self.replace(own.0, &places, &name);
        }
    }

    /// Sets the name attribute of a class to its old name, because programs use it at run time.
    fn tell_class(&mut self, own: Own, name: &[u8]) {
        let (module, symbol) = (&self.modules[own.0], self.symbol(own));
        let places = [("{name}", name), ("{old}", &symbol.text[..])];
        let line = [b"\n", &filled(self.forms.class.as_bytes(), &places)[..]].concat();
        for definition in &symbol.definitions {
            let end = module.around(self.symbols(own.0).span(definition.id)).0.end;
            self.made.edits.entry(own.0).or_default().push((Span::new(end, end), line.clone()));
        }
    }

    fn replace(&mut self, one: usize, places: &[NodeId], name: &[u8]) {
        let symbols = self.symbols(one);
        let mut seen = HashSet::new();
        let places = places.iter().filter(|id| seen.insert(**id));
        let pieces = places.map(|&id| (symbols.name(id), name.to_vec()));
        self.made.edits.entry(one).or_default().extend(pieces);
    }
}
