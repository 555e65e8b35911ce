//! The files that a command needs in addition to its candidate (its surroundings): those named by the user, and those
//! that it opens in the directory where it was typed.
//!
//! The module `baseline` makes the runs that find them; the crate `oracle` creates the directories.

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

/// Cache directories, which are not offered to runs.
const CACHES: [&str; 6] =
    ["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".nubbin", ".hypothesis"];
/// The directory in which packages are found from any directory below its parent.
const PACKAGES: &str = "node_modules";
/// The largest number of files and directories named in a note.
const NAMED: usize = 6;

/// The files needed in addition to the input, as requested by the user.
#[derive(Debug, Default)]
pub struct Around {
    /// The directory of the input; `None` if neither the input nor the command belongs to a directory.
    pub origin: Option<Origin>,
    /// The oracle runs in the user's directory.
    pub is_here: bool,
    /// The files and directories named by the user.
    needs: Vec<PathBuf>,
}

/// The directory where a command was typed, and its input there.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The directory, with links resolved.
    pub directory: PathBuf,
    /// The paths of the input as typed.
    pub typed: Vec<PathBuf>,
    /// The paths of the input with links resolved.
    pub inputs: Vec<PathBuf>,
}

impl Origin {
    fn of(input: &Input) -> Option<Self> {
        let directory = std::env::current_dir().and_then(|here| here.canonicalize()).ok()?;
        let typed = input.paths().to_vec();
        let inputs: Vec<PathBuf> =
            typed.iter().map(|path| path.canonicalize()).collect::<Result<_, _>>().ok()?;
        // Options of a command have no directory, but their command was typed in one.
        let has_place = !inputs.is_empty() || matches!(input, Input::Options(_));
        // In the root directory, all files would belong to the project.
        let is_project = directory.parent().is_some() && has_place;
        is_project.then_some(Self { directory, typed, inputs })
    }

    /// Returns the directories of inputs outside the current directory, as typed and with links resolved.
    pub(crate) fn elsewhere(&self) -> impl Iterator<Item = PathBuf> {
        let parents = self.inputs.iter().chain(&self.typed).filter_map(|input| input.parent());
        let is_elsewhere = |parent: &&Path| parent.is_absolute() && !parent.starts_with(&self.directory);
        parents.filter(is_elsewhere).map(Path::to_owned)
    }

    /// Returns whether the input is the directory itself.
    #[must_use]
    pub fn is_input(&self) -> bool {
        self.inputs == [self.directory.as_path()]
    }

    /// Returns the directory of the input, relative to the current one; empty if the input is outside.
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

    /// Returns the topmost directory in which opened files are recorded, which is neither a home directory nor near
    /// the root.
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
    /// Creates the needed files of an oracle. With `is_here`, it runs in the current directory instead.
    ///
    /// # Errors
    /// Returns an error when a file does not exist, or the input does not belong to the current directory.
    pub fn new(needs: Vec<PathBuf>, is_here: bool, input: &Input) -> Result<Self, Failure> {
        let origin = Origin::of(input);
        for path in &needs {
            let Err(error) = path.metadata() else { continue };
            let message = format!("`--needs {}` cannot be used: {error}", path.display());
            return Err(Failure::message(Fault::Usage, message)
                .hint("name a file or directory that the command needs in addition to the input"));
        }
        if is_here && origin.as_ref().is_none_or(|origin| origin.inputs.is_empty()) {
            return Err(Failure::usage("`--here` needs a file or a directory as input"));
        }
        Ok(Self { origin, is_here, needs })
    }

    /// Returns the files and directories named by the user.
    #[must_use]
    pub fn typed(&self) -> &[PathBuf] {
        &self.needs
    }

    /// Returns the term for the journal.
    pub(crate) fn term(&self) -> Option<String> {
        let needs: BTreeSet<String> = self.needs.iter().map(|path| text::quote(path.as_os_str())).collect();
        (!needs.is_empty()).then(|| Vec::from_iter(needs).join(" "))
    }

    /// Returns the surroundings before the initial runs. The input of a command has its relative path; the input of a
    /// script is at the top.
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

    /// Returns links to the named files: with their relative path inside the directory, or else with their name.
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

/// Returns the surroundings in which a command finds everything that it read in the user's directory. With `upwards`
/// this includes files in parent directories.
pub fn found(
    settings: &Settings,
    origin: &Origin,
    trace: &Trace,
    content: &[u8],
    upwards: bool,
) -> Surroundings {
    let named = words(settings);
    // Files created by the run itself no longer exist.
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

/// Returns the absolute paths in the command line, which are valid in any directory.
fn words(settings: &Settings) -> BTreeSet<PathBuf> {
    let paths = settings.test.words.iter().map(Path::new).filter(|path| path.is_absolute());
    paths.filter_map(|path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))).collect()
}

/// Returns the topmost directory in which a file was found. Packages are found in `node_modules` directories.
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

/// Returns the files of the candidate.
fn own(settings: &Settings, origin: &Origin, content: &[u8]) -> BTreeSet<PathBuf> {
    match (&settings.input, &origin.inputs[..]) {
        (Input::Folder(_), [root]) => {
            archive::entries(content).iter().map(|entry| root.join(&entry.path)).collect()
        }
        _ => origin.inputs.iter().cloned().collect(),
    }
}

/// Returns the directories that must not be links, because they contain parts of the candidate or the command's
/// working directory.
fn real(surroundings: &Surroundings, folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let all = folders.iter().chain([&surroundings.candidate, &surroundings.directory]);
    all.flat_map(|path| path.ancestors()).map(Path::to_owned).collect()
}

/// Returns the note about files visible in addition to the candidate, if any.
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

/// Returns the note about ignored parts of a directory, if any.
#[must_use]
pub fn left_alone(paths: &[PathBuf]) -> Option<String> {
    let (all, verb) = listed(paths.iter().map(|path| format!("`{}`", path.display())).collect())?;
    Some(format!(
        "{all} {verb} not reduced, because builds, caches, results and files in `.gitignore` are excluded"
    ))
}

/// Formats a list of at most [`NAMED`] names, with the matching verb.
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

/// Returns the form of a candidate on disk. If the input is the current directory, the candidate becomes the working
/// directory of the command.
pub fn shape(shape: Shape, origin: Option<&Origin>) -> Shape {
    match shape {
        Shape::Folder if origin.is_some_and(Origin::is_input) => Shape::Tree { is_kept: false },
        other => other,
    }
}

/// Returns shell commands that create the surroundings in the current directory; each ends with ` && `.
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

/// Returns the shell command that enters the working directory of a run; it ends with ` && `.
#[must_use]
pub fn enter(surroundings: &Surroundings) -> String {
    match surroundings.directory.as_os_str() {
        directory if directory.is_empty() => String::new(),
        directory => format!("cd ./{} && ", text::quote(directory)),
    }
}
