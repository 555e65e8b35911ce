//! The text of a file into which others have come.

use super::module::{Item, Module, Statement};
use super::name::Names;
use super::{Chosen, TUNING};
use nubbin_language::NameForms;
use nubbin_syntax::Lines;
use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::Span;
use std::collections::BTreeSet;

/// Puts files together in one of them, the root.
pub(super) struct Joiner<'j, 'l> {
    modules: &'j [Module<'l>],
    chosen: &'j Chosen,
    root: usize,
    /// The names of all files that come in, if they have one space of names.
    names: Option<Names>,
    /// The files that come in where nothing is around the statement.
    early: Chosen,
    /// The files that have come in and do not come in again.
    placed: Chosen,
    /// The files that the current one lies in, and itself.
    path: Vec<usize>,
    /// The statements of files that come in which have to stand first.
    firsts: Vec<Vec<u8>>,
    /// The files that statements name which stay.
    needs: BTreeSet<usize>,
    size: usize,
}

impl<'j, 'l> Joiner<'j, 'l> {
    /// Returns the text of the file `root` once the chosen files have come in, and the files that it needs then. `None`
    /// if there is no such text, or if it is too large.
    pub fn join(
        modules: &'j [Module<'l>],
        chosen: &'j Chosen,
        root: usize,
    ) -> Option<(Vec<u8>, BTreeSet<usize>)> {
        let mut joiner = Self {
            modules,
            chosen,
            root,
            names: None,
            early: Chosen::new(),
            placed: Chosen::from([root]),
            path: Vec::new(),
            firsts: Vec::new(),
            needs: BTreeSet::new(),
            size: 0,
        };
        if joiner.forms(root).is_some() {
            let all = joiner.reached(false);
            joiner.early = joiner.reached(true).into_iter().collect();
            joiner.names = Some(Names::new(modules, &all, &|item| joiner.comes(item))?);
        }
        let text = joiner.text(root)?;
        let text = joiner.opened(text);
        Some((text, joiner.needs))
    }

    /// Returns how names are made unique in the language of a file.
    fn forms(&self, one: usize) -> Option<&'l NameForms> {
        self.modules[one].forms?.names.as_ref()
    }

    /// Tells whether all files of an item come in.
    fn comes(&self, item: &Item) -> bool {
        let comes = |one: &usize| *one == self.root || self.chosen.contains(one);
        !item.targets.is_empty() && item.targets.iter().all(comes)
    }

    /// Lists the files that come into the root, and the root itself at first; with `is_top` only by statements that
    /// nothing is around.
    fn reached(&self, is_top: bool) -> Vec<usize> {
        let (mut order, mut next) = (vec![self.root], 0);
        let mut seen = Chosen::from([self.root]);
        while let Some(&one) = order.get(next) {
            next += 1;
            let statements = self.modules[one].statements.iter();
            let statements = statements.filter(|statement| statement.is_top || !is_top);
            for item in statements.flat_map(|statement| &statement.items).filter(|item| self.comes(item)) {
                order.extend(item.targets.iter().filter(|target| seen.insert(**target)));
            }
        }
        order
    }

    /// Returns the text of a file with those that come into it.
    fn text(&mut self, one: usize) -> Option<Vec<u8>> {
        let module = &self.modules[one];
        self.size += module.text.len();
        if self.path.len() >= TUNING.levels || self.size > TUNING.largest {
            return None;
        }
        self.path.push(one);
        let mut pieces: Vec<Piece> = module.idle.iter().map(|span| self.gone(one, *span)).collect();
        if one != self.root {
            pieces.extend(module.own.iter().chain(&module.firsts).map(|span| self.gone(one, *span)));
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

    /// Puts a file in place of the statement that takes it in.
    fn take_text(&mut self, one: usize, statement: &Statement, pieces: &mut Vec<Piece>) -> Option<()> {
        let module = &self.modules[one];
        let Some(item) = statement.items.first() else { return Some(()) };
        if !self.comes(item) {
            self.needs.extend(&item.targets);
            return Some(());
        }
        pieces.extend(statement.mark.map(|mark| self.gone(one, mark)));
        let Some(&target) = item.targets.last() else { return Some(()) };
        let other = &self.modules[target];
        // Under a condition the file may not come in here, but later.
        let is_once = other.is_once || (other.guard.is_some() && statement.is_top);
        if self.path.contains(&target) || (is_once && self.placed.contains(&target)) {
            pieces.push(self.gone(one, statement.span));
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
            pieces.push(self.gone(one, statement.span));
        } else {
            let end = statement.span.start + own.trim_ascii_end().len() as u32;
            // A line end of the text that comes in is enough.
            let next = module.text.get(end as usize) == Some(&b'\n') && filled.ends_with(b"\n");
            pieces.push((Span::new(statement.span.start, end + u32::from(next)), filled));
        }
        Some(())
    }

    /// Puts the files before the statement that takes them in, and what it says of names in its place.
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
            is_changed |= self.comes(item) || renamed.is_some();
            if !self.comes(item) {
                self.needs.extend(&item.targets);
                left.push(renamed.map_or_else(|| module.of(item.span).to_vec(), <[u8]>::to_vec));
                continue;
            }
            said.extend(line.map(<[u8]>::to_vec));
            for &target in &item.targets {
                let waits = !statement.is_top && self.early.contains(&target);
                if !waits && !self.path.contains(&target) && self.placed.insert(target) {
                    let text = self.text(target)?;
                    before.extend(text);
                    if before.last().is_some_and(|&byte| byte != b'\n') {
                        before.push(b'\n');
                    }
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
            let head = module.of(Span::new(statement.span.start, first.span.start));
            let tail = module.of(Span::new(last.span.end, statement.span.end));
            said.push([head, &left.join(forms.separator.as_bytes()), tail].concat());
        }
        if said.is_empty() {
            pieces.push(self.gone(one, statement.span));
        } else {
            pieces.push((statement.span, said.join(forms.join.as_bytes())));
        }
        Some(())
    }

    /// Returns the piece for a part that goes.
    fn gone(&self, one: usize, span: Span) -> Piece {
        let module = &self.modules[one];
        match module.filler(span) {
            [] => (deletion_span(&module.text, span), Vec::new()),
            filler => (span, filler.to_vec()),
        }
    }

    /// Returns the text of the root with what has to stand first.
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

/// A span, and the text that takes its place.
pub(super) type Piece = (Span, Vec<u8>);

/// Returns a text with pieces in place of its spans; what lies in another piece goes with that.
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

/// Returns a form with texts in its places.
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
