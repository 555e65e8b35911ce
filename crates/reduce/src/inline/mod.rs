//! Inlines files into the files that include them, by an `#include`, an import, or a module declaration. Include
//! statements are defined by `inline.scm` of a language.
//!
//! The module only builds texts: it runs no oracle and opens no file. Callers provide the contents of files.

mod join;
mod module;
mod name;
mod place;

use join::Joiner;
use module::{Item, Module};
use nubbin_language::Language;
use nubbin_syntax::edit::count_tokens;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

struct Tuning {
    /// The largest size in bytes of a text with inlined files.
    largest: usize,
    /// The maximum include depth.
    levels: usize,
    /// The maximum growth in tokens for each inlined file: `mod a;` becomes `mod a {}`, and an import can leave an
    /// assignment behind. A file that is included several times is usually larger than that.
    growth: usize,
}

const TUNING: Tuning = Tuning { largest: 1 << 24, levels: 200, growth: 16 };

/// A file that can be inlined, or into which others can be inlined.
#[derive(Clone, Debug)]
pub struct SourceFile<'l> {
    /// The path.
    pub path: PathBuf,
    /// The text.
    pub text: Vec<u8>,
    /// The language.
    pub language: &'l Language,
    /// Whether the file is a root, into which the others are inlined.
    pub stays: bool,
}

/// Inlines some of a list of files.
pub trait Join {
    /// Returns the number of files that can be inlined.
    fn count(&self) -> usize;

    /// Returns the text with these files inlined, or `None` if that is impossible.
    fn text(&self, members: &[usize]) -> Option<Vec<u8>>;
}

/// Returns the text of the file at a path, if it exists, and its language if known.
pub type Find<'f, 'l> = &'f dyn Fn(&Path) -> Option<(Vec<u8>, Option<&'l Language>)>;

/// Inlines files into the files that include them.
#[derive(Debug)]
pub struct Inliner<'l> {
    modules: Vec<Module<'l>>,
    /// The files that can be inlined. A file comes before those that it includes, except in cycles: if a file stays,
    /// the files that it includes must stay as well.
    members: Vec<usize>,
}

/// A set of file numbers.
type Chosen = BTreeSet<usize>;

impl<'l> Inliner<'l> {
    /// Reads files and the files that they include. Files are looked for in their own directories and in the
    /// directories `given`. `find` returns the text of a file, and its language if known.
    #[must_use]
    pub fn new(files: Vec<SourceFile<'l>>, given: &[PathBuf], find: Find<'_, 'l>) -> Self {
        let mut modules: Vec<Module<'l>> = files.into_iter().map(Module::new).collect();
        let mut places: HashMap<PathBuf, usize> =
            modules.iter().enumerate().map(|(number, one)| (one.path.clone(), number)).collect();
        let (mut next, mut looked) = (0, HashSet::new());
        while let Some(module) = modules.get(next) {
            next += 1;
            let mut found = Vec::new();
            for path in place::wanted(module, given) {
                if places.contains_key(&path) || !looked.insert(path.clone()) {
                    continue;
                }
                if let Some((text, language)) = find(&path) {
                    let language = language.unwrap_or(module.language);
                    found.push(Module::new(SourceFile { path, text, language, stays: false }));
                }
            }
            for module in found {
                places.insert(module.path.clone(), modules.len());
                modules.push(module);
            }
        }
        let found: Vec<Vec<_>> =
            modules.iter().map(|module| place::targets(module, &modules, &places, given)).collect();
        for (module, targets) in modules.iter_mut().zip(found) {
            module.aim(targets);
        }
        let members = members(&modules);
        Self { modules, members }
    }

    /// Lists the paths of all files, in the order of [`texts`](Self::texts).
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.modules.iter().map(|module| module.path.as_path())
    }

    /// Lists the paths of the files that can be inlined.
    pub fn comers(&self) -> impl Iterator<Item = &Path> {
        self.members.iter().map(|&member| self.modules[member].path.as_path())
    }

    /// Inlines these of the files that can be inlined, and returns the text of each file, or `None` for each inlined
    /// file. A file is not inlined if several files would include it, or if another file needs it in its place. Returns
    /// `None` if no file is inlined, or if a text would be too large.
    #[must_use]
    pub fn texts(&self, members: &[usize]) -> Option<Vec<Option<Vec<u8>>>> {
        let chosen = self.settled(members.iter().map(|&member| self.members[member]).collect());
        let mut texts: Vec<Option<Vec<u8>>> = vec![None; self.modules.len()];
        for root in (0..self.modules.len()).filter(|one| !chosen.contains(one)) {
            texts[root] = Some(Joiner::join(&self.modules, &chosen, root)?);
        }
        let grown = |(text, module): (&Option<Vec<u8>>, &Module<'_>)| {
            let after = text.as_ref().map_or(0, |text| count_tokens(text));
            after as i64 - count_tokens(&module.text) as i64
        };
        let most = chosen.len() * TUNING.growth;
        let fits = texts.iter().zip(&self.modules).map(grown).sum::<i64>() <= most as i64;
        (!chosen.is_empty() && fits).then_some(texts)
    }

    /// Removes the chosen files that several others would include, and those that other files still need.
    fn settled(&self, mut chosen: Chosen) -> Chosen {
        loop {
            let (mut come, mut stay) = (Chosen::new(), Chosen::new());
            for root in (0..self.modules.len()).filter(|one| !chosen.contains(one)) {
                let (reached, needed) = join::reached(&self.modules, &chosen, root, false);
                stay.extend(reached.into_iter().filter(|one| *one != root && !come.insert(*one)));
                stay.extend(needed);
            }
            // A file that is not included any more is not removed here.
            let is_left = |one: &usize| come.contains(one) && !stay.contains(one);
            let left: Chosen = chosen.iter().copied().filter(is_left).collect();
            if left.len() == chosen.len() {
                return chosen;
            }
            chosen = left;
        }
    }
}

/// Inlines into the first file that stays, and ignores all others.
impl Join for Inliner<'_> {
    fn count(&self) -> usize {
        self.members.len()
    }

    fn text(&self, members: &[usize]) -> Option<Vec<u8>> {
        let root = self.modules.iter().position(|module| module.stays)?;
        let chosen = members.iter().map(|&member| self.members[member]).collect();
        Joiner::join(&self.modules, &chosen, root)
    }
}

/// Returns the files that can be inlined: those that another file includes, except one of each cycle that is not
/// included from outside. A file comes before those that it includes.
fn members(modules: &[Module<'_>]) -> Vec<usize> {
    let targets = |one: usize| modules[one].items().flat_map(|item: &Item| item.targets.iter().copied());
    let mut is_target = vec![false; modules.len()];
    for one in 0..modules.len() {
        targets(one).filter(|&other| other != one).for_each(|other| is_target[other] = true);
    }
    let (mut order, mut seen, mut roots) = (Vec::new(), vec![false; modules.len()], Chosen::new());
    let mut visit = |root: usize, seen: &mut Vec<bool>| {
        // A file is completed after all files that it includes.
        let mut path = vec![(root, targets(root).collect::<Vec<_>>())];
        seen[root] = true;
        while let Some((one, left)) = path.last_mut() {
            match left.pop() {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    path.push((next, targets(next).collect()));
                }
                Some(_) => {}
                None => {
                    order.push(*one);
                    path.pop();
                }
            }
        }
    };
    let reach = |root: usize| {
        let (mut waiting, mut seen) = (vec![root], Chosen::from([root]));
        while let Some(one) = waiting.pop() {
            waiting.extend(targets(one).filter(|&next| seen.insert(next)));
        }
        seen.len()
    };
    let first = |one: &usize| modules[*one].stays || !is_target[*one];
    for root in (0..modules.len()).filter(first) {
        roots.insert(root);
        visit(root, &mut seen);
    }
    let mut rest: Vec<usize> = (0..modules.len()).filter(|&one| !seen[one]).collect();
    rest.sort_by_key(|&one| std::cmp::Reverse(reach(one)));
    for root in rest {
        if !seen[root] {
            roots.insert(root);
            visit(root, &mut seen);
        }
    }
    order.retain(|one| !roots.contains(one));
    order.reverse();
    order
}

#[cfg(test)]
mod tests;
