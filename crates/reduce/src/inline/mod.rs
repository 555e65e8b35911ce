//! Puts the texts of files in place of the statements that take them in: an include, an import, a module in a file of
//! its own. What such a statement is, a language says in `inline.scm`.
//!
//! It makes texts and asks nobody about them. It opens no file: whoever uses it hands over those that there are.

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

/// The numbers that were tuned.
struct Tuning {
    /// The greatest size of a text, in bytes, that files come into.
    largest: usize,
    /// The greatest number of files that lie in each other.
    levels: usize,
    /// The greatest number of tokens by which a text may grow for each file that goes: `mod a;` becomes `mod a {}`, and
    /// an import may leave an assignment behind. A file that comes into several others seldom is that small.
    growth: usize,
}

const TUNING: Tuning = Tuning { largest: 1 << 24, levels: 200, growth: 16 };

/// A file that may come into others, or that others may come into.
#[derive(Clone, Debug)]
pub struct SourceFile<'l> {
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: Vec<u8>,
    /// Its language.
    pub language: &'l Language,
    /// Is true if it stays, and everything else comes into it.
    pub stays: bool,
}

/// Makes texts in which some files have come into others.
pub trait Join {
    /// Returns the number of files that may come in.
    fn count(&self) -> usize;

    /// Returns the text in which these files have come in; `None` if there is none.
    fn text(&self, members: &[usize]) -> Option<Vec<u8>>;
}

/// Returns the text of a file that there is, and its language if that is known.
pub type Find<'f, 'l> = &'f dyn Fn(&Path) -> Option<(Vec<u8>, Option<&'l Language>)>;

/// Makes texts in which some of the files have come into the others.
#[derive(Debug)]
pub struct Inliner<'l> {
    modules: Vec<Module<'l>>,
    /// The files that may come in, by their numbers. A file comes before those that it takes in itself, but for circles:
    /// what a file takes in that stays has to stay as well.
    members: Vec<usize>,
}

/// The numbers of some files.
type Chosen = BTreeSet<usize>;

impl<'l> Inliner<'l> {
    /// Reads files, and those that they take in. The directories `given` are those in which files are looked for beside
    /// their own; `find` returns the text of a file, and its language if that is known.
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

    /// Lists the paths of all files, in the order of their texts.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.modules.iter().map(|module| module.path.as_path())
    }

    /// Lists the paths of the files that may come in.
    pub fn comers(&self) -> impl Iterator<Item = &Path> {
        self.members.iter().map(|&member| self.modules[member].path.as_path())
    }

    /// Returns the texts of the files after these of those that may come in have come into the others, and `None` for
    /// each that has. A file that would come into several, or that another one needs where it is, stays. `None` as a
    /// whole if no file comes in, or if a text would be too large.
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

    /// Leaves out those of the chosen files that would come into several others, and those that are still needed.
    fn settled(&self, mut chosen: Chosen) -> Chosen {
        loop {
            let (mut come, mut stay) = (Chosen::new(), Chosen::new());
            for root in (0..self.modules.len()).filter(|one| !chosen.contains(one)) {
                let (reached, needed) = join::reached(&self.modules, &chosen, root, false);
                stay.extend(reached.into_iter().filter(|one| *one != root && !come.insert(*one)));
                stay.extend(needed);
            }
            // A file that nothing leads to any more does not go by this.
            let is_left = |one: &usize| come.contains(one) && !stay.contains(one);
            let left: Chosen = chosen.iter().copied().filter(is_left).collect();
            if left.len() == chosen.len() {
                return chosen;
            }
            chosen = left;
        }
    }
}

/// The files come into the first one that stays. All others are left where they are, so they need nothing of it.
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

/// Returns the files that may come in: those that another one takes in, except one of each circle that nothing outside
/// leads to. A file comes before those that it takes in itself.
fn members(modules: &[Module<'_>]) -> Vec<usize> {
    let targets = |one: usize| modules[one].items().flat_map(|item: &Item| item.targets.iter().copied());
    let mut is_target = vec![false; modules.len()];
    for one in 0..modules.len() {
        targets(one).filter(|&other| other != one).for_each(|other| is_target[other] = true);
    }
    let (mut order, mut seen, mut roots) = (Vec::new(), vec![false; modules.len()], Chosen::new());
    let mut visit = |root: usize, seen: &mut Vec<bool>| {
        // A file is left once all that it takes in has been.
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
