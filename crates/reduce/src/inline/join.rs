//! Builds the text of a file into which others are inlined.

use super::module::{Item, Module, Statement};
use super::name::Names;
use super::{Chosen, TUNING};
use nubbin_language::NameForms;
use nubbin_syntax::Lines;
use nubbin_syntax::edit::Span;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Inlines files into one of them, the root.
pub(super) struct Joiner<'j, 'l> {
    modules: &'j [Module<'l>],
    root: usize,
    /// The names of all inlined files, if they share one namespace.
    names: Option<Names>,
    /// The files that are inlined at top-level statements.
    early: Chosen,
    /// The root and all files that are inlined.
    all: Chosen,
    /// The files that are included after the including file has run.
    later: Vec<usize>,
    /// The files that have been inlined and are not inlined again.
    placed: Chosen,
    /// The chain of including files, from the root to the current one.
    path: Vec<usize>,
    /// Statements of inlined files that must be first in a file.
    firsts: Vec<Vec<u8>>,
    size: usize,
}

impl<'j, 'l> Joiner<'j, 'l> {
    /// Returns the text of the file `root` with the chosen files inlined, or `None` if that is impossible or the text
    /// would be too large.
    pub fn join(modules: &'j [Module<'l>], chosen: &'j Chosen, root: usize) -> Option<Vec<u8>> {
        let mut joiner = Self {
            modules,
            root,
            names: None,
            early: Chosen::new(),
            all: reached(modules, chosen, root, false).0.into_iter().collect(),
            placed: Chosen::from([root]),
            later: Vec::new(),
            path: Vec::new(),
            firsts: Vec::new(),
            size: 0,
        };
        if joiner.forms(root).is_some() {
            let reached = |is_top| reached(modules, chosen, root, is_top).0;
            joiner.early = reached(true).into_iter().collect();
            joiner.names = Some(Names::new(modules, &reached(false), &|item| joiner.comes(item))?);
        }
        let text = joiner.text(root)?;
        Some(joiner.opened(text))
    }

    /// Returns how names are made unique in the language of a file.
    fn forms(&self, one: usize) -> Option<&'l NameForms> {
        self.modules[one].forms?.names.as_ref()
    }

    /// Returns whether all files of an item are inlined.
    fn comes(&self, item: &Item) -> bool {
        comes(&self.all, item)
    }

    /// Returns the text of a file with the files that it includes.
    fn text(&mut self, one: usize) -> Option<Vec<u8>> {
        let module = &self.modules[one];
        self.size += module.text.len();
        if self.path.len() >= TUNING.levels || self.size > TUNING.largest {
            return None;
        }
        self.path.push(one);
        let mut pieces: Vec<Piece> = module.idle.iter().map(|span| module.gone(*span)).collect();
        if one != self.root {
            pieces.extend(module.own.iter().chain(&module.firsts).map(|span| module.gone(*span)));
            let firsts = module.firsts.iter().map(|span| module.of(*span).to_vec());
            self.firsts.extend(firsts);
        }
        for (number, statement) in module.statements.iter().enumerate() {
            match self.forms(one) {
                Some(forms) => self.take_names(one, (number, statement), forms, &mut pieces)?,
                None => self.take_text(one, statement, &mut pieces)?,
            }
        }
        if let Some(names) = &self.names {
            pieces.extend(names.edits(one).iter().cloned());
        }
        self.path.pop();
        Some(spliced(&module.text, pieces))
    }

    /// Replaces an include statement by the text of the file.
    fn take_text(&mut self, one: usize, statement: &Statement, pieces: &mut Vec<Piece>) -> Option<()> {
        let module = &self.modules[one];
        let Some(item) = statement.items.first() else { return Some(()) };
        if !self.comes(item) {
            return Some(());
        }
        pieces.extend(statement.mark.map(|mark| module.gone(mark)));
        let Some(&target) = item.targets.last() else { return Some(()) };
        let other = &self.modules[target];
        // The statement is conditional: it may not be reached here, and the file may be included later.
        let is_once = other.is_once || (other.guard.is_some() && statement.is_top);
        if self.path.contains(&target) || (is_once && self.placed.contains(&target)) {
            pieces.push(module.gone(statement.span));
            return Some(());
        }
        if is_once {
            self.placed.insert(target);
        }
        let mut text = self.text(target)?;
        let own = module.of(statement.span);
        if text.last().is_some_and(|&byte| byte != b'\n') {
            text.push(b'\n');
        }
        let form = module.forms.map_or("{text}", |forms| &forms.form);
        let head = own.trim_ascii_end();
        let head = head.strip_suffix(module.language.syntax().terminator()).unwrap_or(head);
        let filled = filled(form.as_bytes(), &[("{statement}", head), ("{text}", &text)]);
        if filled.is_empty() {
            pieces.push(module.gone(statement.span));
        } else {
            let end = statement.span.start + own.trim_ascii_end().len() as u32;
            // One line end is enough: that of the inlined text.
            let next = module.text.get(end as usize) == Some(&b'\n') && filled.ends_with(b"\n");
            pieces.push((Span::new(statement.span.start, end + u32::from(next)), filled));
        }
        Some(())
    }

    /// Puts the included files before the include statement, and replaces the statement by assignments of names.
    fn take_names(
        &mut self,
        one: usize,
        (number, statement): (usize, &Statement),
        forms: &NameForms,
        pieces: &mut Vec<Piece>,
    ) -> Option<()> {
        let module = &self.modules[one];
        let (mut before, mut said, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_changed = false;
        for (at, item) in statement.items.iter().enumerate() {
            let names = self.names.as_ref()?;
            let (line, renamed) = (names.line(one, number, at), names.item(one, number, at));
            let path = self.absolute(one, item);
            is_changed |= self.comes(item) || renamed.is_some() || path.is_some();
            if !self.comes(item) {
                left.push(renamed.map_or_else(|| module.of(item.span).to_vec(), <[u8]>::to_vec));
                continue;
            }
            said.extend(line.map(<[u8]>::to_vec));
            // The root may call the code that includes a file later.
            let is_later = statement.is_later && one != self.root;
            let comes_early = |target: &usize| !statement.is_top && self.early.contains(target);
            let mut targets: Vec<usize> =
                item.targets.iter().copied().filter(|one| !comes_early(one)).collect();
            if is_later {
                self.later.append(&mut targets);
            }
            while !targets.is_empty() {
                for target in std::mem::take(&mut targets) {
                    self.place(target, &mut before)?;
                }
                if one == self.root {
                    targets = std::mem::take(&mut self.later);
                }
            }
        }
        if !before.is_empty() {
            let line = Lines::new(&module.text).start_of(statement.outer.start);
            pieces.push((Span::new(line, line), before));
        }
        if !is_changed {
            return Some(());
        }
        if let (false, Some(first), Some(last)) =
            (left.is_empty(), statement.items.first(), statement.items.last())
        {
            let mut head = module.of(Span::new(statement.span.start, first.span.start)).to_vec();
            if let (Some(path), Some(up)) = (self.absolute(one, first), first.up_at) {
                let place = up.start.min(first.at.start)..up.end.max(first.at.end);
                let start = statement.span.start;
                head.splice((place.start - start) as usize..(place.end - start) as usize, path);
            }
            let tail = module.of(Span::new(last.span.end, statement.span.end));
            said.push([&head, &left.join(forms.separator.as_bytes()), tail].concat());
        }
        if said.is_empty() {
            pieces.push(module.gone(statement.span));
        } else {
            pieces.push((statement.span, said.join(forms.join.as_bytes())));
        }
        Some(())
    }

    /// Adds the text of a file that has not been inlined yet.
    fn place(&mut self, target: usize, before: &mut Vec<u8>) -> Option<()> {
        if !self.path.contains(&target) && self.placed.insert(target) {
            before.extend(self.text(target)?);
            if before.last().is_some_and(|&byte| byte != b'\n') {
                before.push(b'\n');
            }
        }
        Some(())
    }

    /// Returns the path of an item that stays, relative to the root, if its path is relative to a file in another
    /// directory.
    fn absolute(&self, one: usize, item: &Item) -> Option<Vec<u8>> {
        let own = self.modules[one].path.parent()?.ancestors().nth(item.up.checked_sub(1)?)?;
        let inside = own.strip_prefix(self.modules[self.root].path.parent()?).ok()?;
        let separator = self.modules[one].forms?.separator.as_ref()?;
        let parts = inside.iter().map(OsStr::as_bytes).chain([&item.path[..]]);
        let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
        (inside != Path::new("")).then(|| parts.join(separator.as_bytes()))
    }

    /// Returns the text of the root with the statements that must be first.
    fn opened(&self, mut text: Vec<u8>) -> Vec<u8> {
        let root = &self.modules[self.root];
        let own: Vec<&[u8]> = root.firsts.iter().map(|span| root.of(*span)).collect();
        let mut lines: Vec<&[u8]> = Vec::new();
        for line in &self.firsts {
            if !own.contains(&&line[..]) && !lines.contains(&&line[..]) {
                lines.push(line);
            }
        }
        if !lines.is_empty() {
            let first = root.tree.members(0).next().map_or(0, |id| root.tree.node(id).span.start) as usize;
            let mut added = lines.join(&b'\n');
            added.push(b'\n');
            text.splice(first..first, added);
        }
        text
    }
}

fn comes(all: &Chosen, item: &Item) -> bool {
    !item.targets.is_empty() && item.targets.iter().all(|target| all.contains(target))
}

/// Lists the files that are inlined into the root, beginning with the root itself. With `is_top`, only files included
/// by top-level statements. The second list has the files of statements that stay.
pub(super) fn reached(
    modules: &[Module<'_>],
    chosen: &Chosen,
    root: usize,
    is_top: bool,
) -> (Vec<usize>, Vec<usize>) {
    let may_come = |one: &usize| *one == root || chosen.contains(one);
    let (mut order, mut next) = (vec![root], 0);
    let mut all = Chosen::from([root]);
    while let Some(&one) = order.get(next) {
        next += 1;
        let statements = modules[one].statements.iter();
        let statements = statements.filter(|statement| statement.is_top || !(is_top || statement.is_apart));
        for item in statements.flat_map(|statement| &statement.items) {
            if item.targets.iter().all(may_come) {
                order.extend(item.targets.iter().filter(|target| all.insert(**target)));
            }
        }
    }
    let items = order.iter().flat_map(|&one| modules[one].items());
    let stay =
        items.filter(|item| !comes(&all, item)).flat_map(|item| item.targets.iter().copied()).collect();
    (order, stay)
}

/// A span, and the text that replaces it.
pub(super) type Piece = (Span, Vec<u8>);

/// Replaces spans of a text. A span inside another one is ignored.
fn spliced(text: &[u8], mut pieces: Vec<Piece>) -> Vec<u8> {
    pieces.sort_by_key(|(span, _)| *span);
    let (mut made, mut at) = (Vec::with_capacity(text.len()), 0);
    for (span, new) in pieces {
        let (start, end) = (span.start as usize, span.end as usize);
        if start >= at {
            made.extend(&text[at..start]);
            made.extend(new);
            at = end;
        }
    }
    made.extend(&text[at.min(text.len())..]);
    made
}

/// Fills in the placeholders of a template.
pub(super) fn filled(form: &[u8], places: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut made, mut rest) = (Vec::new(), form);
    while !rest.is_empty() {
        let place = places.iter().find(|(place, _)| rest.starts_with(place.as_bytes()));
        if let Some((place, text)) = place {
            made.extend_from_slice(text);
            rest = &rest[place.len()..];
        } else {
            made.push(rest[0]);
            rest = &rest[1..];
        }
    }
    made
}
