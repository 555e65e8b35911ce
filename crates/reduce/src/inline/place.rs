//! Finds included files: the paths to try, and the file that exists.

use super::module::{Item, Module};
use nubbin_language::{InlineForms, Search};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Returns the paths at which the files included by a module may be. An item can have several paths.
pub(super) fn wanted(module: &Module<'_>, given: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in module.items() {
        let Some(place) = Place::of(module, item, given) else { continue };
        for directory in &place.directories {
            for parts in place.packages().chain(place.names(module)) {
                found.extend(place.paths(directory, &parts));
            }
        }
    }
    found
}

/// Returns the files that each item of a module includes, and whether the last file as a whole gets a name.
pub(super) fn targets(
    module: &Module<'_>,
    modules: &[Module<'_>],
    places: &HashMap<PathBuf, usize>,
    given: &[PathBuf],
) -> Vec<(Vec<usize>, bool)> {
    let found = |item: &Item| {
        let place = Place::of(module, item, given)?;
        let find = |directory: &Path, parts: &[Vec<u8>]| {
            place.paths(directory, parts).find_map(|path| places.get(&path).copied())
        };
        // A file in a package is looked up by the name of the package, except for files in the directory of the program
        // itself.
        let is_package = |directory: &&PathBuf| {
            let is_searched = item.up == 0 && !module.stays && place.forms.separator.is_some();
            is_searched && find(directory, &[]).is_some()
        };
        place.directories.iter().filter(|directory| !is_package(directory)).find_map(|directory| {
            let own = find(directory, &place.parts).filter(|_| !place.parts.is_empty() || item.up > 0);
            let inner = item.name.and_then(|name| {
                let parts = [&place.parts[..], &[module.of(name).to_vec()]].concat();
                let inner = find(directory, &parts).filter(|_| place.forms.separator.is_some())?;
                // A name that the package defines hides the file.
                let is_hidden = own.is_some_and(|own| own != inner && modules[own].hides(module.of(name)));
                (!is_hidden).then_some(inner)
            });
            let last = inner.or(own)?;
            let mut targets: Vec<usize> = Vec::new();
            // If the path is relative to the file, the packages around it have been included already.
            if item.up == 0 {
                targets.extend(place.packages().filter_map(|parts| find(directory, &parts)));
                targets.extend(own.filter(|_| inner.is_some()));
            }
            targets.retain(|one| *one != last);
            targets.push(last);
            Some((targets, inner.is_some() || (item.name.is_none() && !item.is_all)))
        })
    };
    module.items().map(|item| found(item).unwrap_or_default()).collect()
}

/// The possible places of an included file.
struct Place<'m> {
    forms: &'m InlineForms,
    stem: String,
    directories: Vec<PathBuf>,
    /// The components of the path.
    parts: Vec<Vec<u8>>,
    name: Option<nubbin_syntax::edit::Span>,
}

impl<'m> Place<'m> {
    fn of(module: &'m Module<'_>, item: &Item, given: &[PathBuf]) -> Option<Self> {
        let forms = module.forms?;
        let own = module.path.parent().unwrap_or(Path::new(""));
        let directories = if item.up > 0 {
            own.ancestors().skip(item.up - 1).take(1).map(Path::to_owned).collect()
        } else {
            let mut directories: Vec<PathBuf> = Vec::new();
            for search in &forms.search {
                match search {
                    Search::Beside => directories.push(own.to_owned()),
                    Search::Above => directories.extend(own.ancestors().skip(1).map(Path::to_owned)),
                    Search::Given => directories.extend(given.iter().cloned()),
                }
            }
            directories
        };
        let parts = match &forms.separator {
            Some(separator) => {
                let text = String::from_utf8_lossy(&item.path).into_owned();
                let parts = text.split(separator.as_str()).filter(|part| !part.is_empty());
                parts.map(|part| part.trim().as_bytes().to_vec()).collect()
            }
            None => vec![item.path.clone()],
        };
        let stem = module.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Some(Self { forms, stem, directories, parts, name: item.name })
    }

    /// Lists the paths of a file in a directory.
    fn paths<'a>(&'a self, directory: &'a Path, parts: &[Vec<u8>]) -> impl Iterator<Item = PathBuf> + 'a {
        let path = parts.join(&b'/');
        self.forms.paths.iter().filter_map(move |form| {
            let (before, after) = form.split_once("{path}")?;
            let before = before.replace("{stem}", &self.stem);
            let relative = [before.as_bytes(), &path, after.as_bytes()].concat();
            let relative = relative.strip_prefix(b"/").unwrap_or(&relative);
            normal(&directory.join(OsStr::from_bytes(relative)))
        })
    }

    /// Lists the packages that contain the file, the outermost first.
    fn packages(&self) -> impl Iterator<Item = Vec<Vec<u8>>> + '_ {
        (1..self.parts.len()).map(|end| self.parts[..end].to_vec())
    }

    /// Lists the file, and the file with the imported name.
    fn names<'a>(&'a self, module: &'a Module<'_>) -> impl Iterator<Item = Vec<Vec<u8>>> + 'a {
        let name = self.name.filter(|_| self.forms.separator.is_some());
        let inner = name.map(|name| [&self.parts[..], &[module.of(name).to_vec()]].concat());
        std::iter::once(self.parts.clone()).chain(inner)
    }
}

/// Returns a path without `.` and `..`, or `None` if it leads out of its starting directory.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            other => normal.push(other),
        }
    }
    Some(normal)
}
