//! The surroundings of a command beside its candidate: the directory where it was typed, the files that the user named,
//! and those that it turns out to need.
//!
//! The runs that find these files are made in `baseline`; the library makes the directories.

use crate::failure::Failure;
use crate::failure::Fault;
use crate::settings::Settings;
use crate::source::Input;
use crate::text;
use nubbin_archive as archive;
use nubbin_oracle::{Shape, Surroundings, Trace};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Directories that programs keep for themselves: nobody misses them.
const CACHES: [&str; 6] =
    ["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".nubbin", ".hypothesis"];
/// The directory that packages are found in, from any directory below the one where it is.
const PACKAGES: &str = "node_modules";
/// The most files and directories that are named in a note.
const NAMED: usize = 6;

/// The surroundings that the user asked for.
#[derive(Debug, Default)]
pub struct Around {
    /// The directory where the input was typed; `None` if neither the input nor the command has a place there.
    pub origin: Option<Origin>,
    /// The oracle runs in the directory where it was typed.
    pub is_here: bool,
    /// The files and directories that the user named.
    needs: Vec<PathBuf>,
}

/// The directory where a command was typed, and its input there.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The directory, without links.
    pub directory: PathBuf,
    /// The input's paths as they were typed.
    pub typed: Vec<PathBuf>,
    /// The same without links.
    pub inputs: Vec<PathBuf>,
}

impl Origin {
    fn of(input: &Input) -> Option<Self> {
        let directory = std::env::current_dir().and_then(|here| here.canonicalize()).ok()?;
        let typed = input.paths().to_vec();
        let inputs: Vec<PathBuf> =
            typed.iter().map(|path| path.canonicalize()).collect::<Result<_, _>>().ok()?;
        // The options of a command have no place, but their command was typed somewhere.
        let has_place = !inputs.is_empty() || matches!(input, Input::Options(_));
        // From the root on, all files would be the project's.
        let is_project = directory.parent().is_some() && has_place;
        is_project.then_some(Self { directory, typed, inputs })
    }

    /// Returns the directories of inputs that are not below the one where they were typed, as typed and without links.
    pub(crate) fn elsewhere(&self) -> impl Iterator<Item = PathBuf> {
        let parents = self.inputs.iter().chain(&self.typed).filter_map(|input| input.parent());
        let is_elsewhere = |parent: &&Path| parent.is_absolute() && !parent.starts_with(&self.directory);
        parents.filter(is_elsewhere).map(Path::to_owned)
    }

    /// Tells whether the input is the directory itself.
    #[must_use]
    pub fn is_input(&self) -> bool {
        self.inputs == [self.directory.as_path()]
    }

    /// Returns the directory that the input is in, below the one where it was typed; empty where it is elsewhere.
    fn candidate(&self) -> PathBuf {
        if self.is_input() {
            return PathBuf::new();
        }
        let mut parents = self.inputs.iter().map(|path| path.parent());
        let first = parents.next().flatten();
        let is_one = parents.all(|parent| parent == first);
        let below = first.filter(|_| is_one).and_then(|parent| parent.strip_prefix(&self.directory).ok());
        below.map(Path::to_owned).unwrap_or_default()
    }

    /// Returns the directory from which on files are noted that are found upwards: no home, and nothing near the root.
    pub fn top(&self) -> PathBuf {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let is_project = |path: &&Path| {
            path.components().count() > 2 && !home.as_ref().is_some_and(|home| home.starts_with(path))
        };
        let top = self.directory.ancestors().skip(1).take_while(is_project).last();
        top.unwrap_or(&self.directory).to_owned()
    }
}

impl Around {
    /// Returns the surroundings of an oracle that needs these files and directories beside the input; `is_here` runs it
    /// in the current directory instead.
    ///
    /// # Errors
    /// Returns an error when one of them is not there, or the input has no place in the current directory.
    pub fn new(needs: Vec<PathBuf>, is_here: bool, input: &Input) -> Result<Self, Failure> {
        let origin = Origin::of(input);
        for path in &needs {
            let Err(error) = path.metadata() else { continue };
            let message = format!("`--needs {}` cannot be used: {error}", path.display());
            return Err(Failure::message(Fault::Usage, message)
                .hint("it is a file or a directory that the command needs beside the input"));
        }
        if is_here && origin.as_ref().is_none_or(|origin| origin.inputs.is_empty()) {
            return Err(Failure::usage("`--here` needs a file or a directory as its input"));
        }
        Ok(Self { origin, is_here, needs })
    }

    /// Returns the files and directories that the user named.
    #[must_use]
    pub fn typed(&self) -> &[PathBuf] {
        &self.needs
    }

    /// Returns the named files and directories, for a run that goes on with this one.
    pub(crate) fn term(&self) -> Option<String> {
        let needs: BTreeSet<String> = self.needs.iter().map(|path| text::quote(path.as_os_str())).collect();
        (!needs.is_empty()).then(|| Vec::from_iter(needs).join(" "))
    }

    /// Returns the surroundings before anything is found out: a command's input stands where it was typed, a script's
    /// by itself.
    #[must_use]
    pub fn plain(&self, is_command: bool) -> Surroundings {
        if self.is_here {
            return Surroundings { is_in_place: true, ..Surroundings::default() };
        }
        let Some(origin) = &self.origin else { return Surroundings::default() };
        let candidate = if is_command { origin.candidate() } else { PathBuf::new() };
        let mut surroundings = Surroundings { candidate, ..Surroundings::default() };
        surroundings.links = self.named(origin, &surroundings);
        surroundings
    }

    /// Links to what was named: under its own path where that is below the directory, or else under its name.
    fn named(&self, origin: &Origin, surroundings: &Surroundings) -> Vec<(PathBuf, PathBuf)> {
        let real = real(surroundings, &[]);
        let link = |path: &PathBuf| {
            let whole = path.canonicalize().ok()?;
            let below = whole.strip_prefix(&origin.directory).map(Path::to_owned);
            let at = below.unwrap_or_else(|_| whole.file_name().map(PathBuf::from).unwrap_or_default());
            (!real.contains(&at)).then_some((at, whole))
        };
        self.needs.iter().filter_map(link).collect()
    }
}

/// Returns the surroundings in which a command finds all that it has read where it was typed. With `upwards` that is
/// also what it has found in directories further up.
pub fn found(
    settings: &Settings,
    origin: &Origin,
    trace: &Trace,
    content: &[u8],
    upwards: bool,
) -> Surroundings {
    let named = words(settings);
    // What the run has made itself is gone by now.
    let reads: Vec<&Path> = trace.reads().filter(|path| !named.contains(*path) && path.exists()).collect();
    let base = if upwards { base(origin, &reads) } else { origin.directory.clone() };
    let inside = origin.directory.strip_prefix(&base).map(Path::to_owned).unwrap_or_default();
    let mut surroundings = Surroundings {
        candidate: inside.join(origin.candidate()),
        directory: inside,
        ..Surroundings::default()
    };
    if surroundings.candidate.as_os_str().is_empty() {
        surroundings.candidate = PathBuf::new();
    }
    let own = own(settings, origin, content);
    let folders: Vec<PathBuf> =
        own.iter().filter_map(|path| path.parent()?.strip_prefix(&base).ok()).map(Path::to_owned).collect();
    let real = real(&surroundings, &folders);
    let mut links = BTreeSet::new();
    for path in reads.into_iter().filter(|path| !own.contains(*path)) {
        let Ok(below) = path.strip_prefix(&base) else { continue };
        let is_cache = below.iter().any(|part| CACHES.iter().any(|cache| part == *cache));
        let first = below.ancestors().filter(|part| !real.contains(*part)).last();
        if let Some(first) = first.filter(|_| !is_cache) {
            links.insert((first.to_owned(), base.join(first)));
        }
    }
    let named = settings.around.named(origin, &surroundings);
    links.extend(named.into_iter().map(|(at, to)| (surroundings.directory.join(at), to)));
    surroundings.links = links.into_iter().collect();
    surroundings
}

/// Returns the absolute paths in the command's own words: they lead to the same place from everywhere.
fn words(settings: &Settings) -> BTreeSet<PathBuf> {
    let paths = settings.test.words.iter().map(Path::new).filter(|path| path.is_absolute());
    paths.filter_map(|path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))).collect()
}

/// Returns the highest directory in which something was found; packages are found in directories of a certain name.
fn base(origin: &Origin, reads: &[&Path]) -> PathBuf {
    let top = origin.top();
    let ancestors = origin.directory.ancestors().skip(1).take_while(|path| path.starts_with(&top));
    let is_found = |path: &Path, ancestor: &Path| {
        let is_package = || path.strip_prefix(ancestor).is_ok_and(|rest| rest.starts_with(PACKAGES));
        path.parent() == Some(ancestor) || is_package()
    };
    let is_seen = |ancestor: &&Path| reads.iter().any(|path| is_found(path, ancestor));
    ancestors.filter(is_seen).last().unwrap_or(&origin.directory).to_owned()
}

/// Returns the files that the candidate consists of.
fn own(settings: &Settings, origin: &Origin, content: &[u8]) -> BTreeSet<PathBuf> {
    match (&settings.input, &origin.inputs[..]) {
        (Input::Folder(_), [root]) => {
            archive::entries(content).iter().map(|entry| root.join(&entry.path)).collect()
        }
        _ => origin.inputs.iter().cloned().collect(),
    }
}

/// Returns the directories that are no links: those that something of the candidate or the command itself stands in.
fn real(surroundings: &Surroundings, folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let all = folders.iter().chain([&surroundings.candidate, &surroundings.directory]);
    all.flat_map(|path| path.ancestors()).map(Path::to_owned).collect()
}

/// Returns the note about what is seen beside the candidate; none where that is nothing.
#[must_use]
pub fn note(surroundings: &Surroundings) -> Option<String> {
    let name = |(at, to): &(PathBuf, PathBuf)| {
        let ups = "../".repeat(surroundings.directory.components().count());
        let (ups, at) = match at.strip_prefix(&surroundings.directory) {
            Ok(below) => ("", below),
            Err(_) => (ups.as_str(), at.as_path()),
        };
        format!("`{ups}{}{}`", at.display(), if to.is_dir() { "/" } else { "" })
    };
    let (all, verb) = listed(surroundings.links.iter().map(name).collect())?;
    Some(format!("{all} {verb} seen by the command but not reduced"))
}

/// Returns the note about what of a directory is left alone; none where that is nothing.
#[must_use]
pub fn left_alone(paths: &[PathBuf]) -> Option<String> {
    let (all, verb) = listed(paths.iter().map(|path| format!("`{}`", path.display())).collect())?;
    Some(format!("{all} {verb} left alone, as builds, caches, results and what `.gitignore` names are"))
}

/// Names as people list them, not too many, with the verb that fits.
pub(crate) fn listed(mut names: Vec<String>) -> Option<(String, &'static str)> {
    let verb = if names.len() == 1 { "is" } else { "are" };
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let last = names.pop()?;
    Some((if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }, verb))
}

/// Returns the form of a candidate on disk: a directory becomes the current directory of its command, if the input is
/// the directory where it was typed.
pub fn shape(shape: Shape, origin: Option<&Origin>) -> Shape {
    match shape {
        Shape::Folder if origin.is_some_and(Origin::is_input) => Shape::Tree { is_kept: false },
        other => other,
    }
}

/// Returns the commands of a shell that make the surroundings in the current directory; each ends with ` && `.
pub(crate) fn by_hand(surroundings: &Surroundings) -> String {
    let quoted = |path: &Path| text::quote(path.as_os_str());
    let mut made = BTreeSet::new();
    let mut commands = String::new();
    let parents = surroundings.links.iter().filter_map(|(at, _)| at.parent());
    let folders = parents.chain([surroundings.directory.as_path(), &surroundings.candidate]);
    for folder in folders.filter(|folder| *folder != OsStr::new("")) {
        if made.insert(folder) {
            let _ = write!(commands, "mkdir -p ./{} && ", quoted(folder));
        }
    }
    for (at, to) in &surroundings.links {
        let _ = write!(commands, "ln -s -- {} ./{} && ", quoted(to), quoted(at));
    }
    commands
}

/// Returns the command of a shell that goes to the current directory of a run; it ends with ` && `.
#[must_use]
pub fn enter(surroundings: &Surroundings) -> String {
    match surroundings.directory.as_os_str() {
        directory if directory.is_empty() => String::new(),
        directory => format!("cd ./{} && ", text::quote(directory)),
    }
}
