//! The paths of a triage: the files of the folder, and the contents of the folder for the bugs.

use super::Triage;
use super::state::{Bug, FILE, TriageState, folder_of, put, shown};
use crate::baseline::{self, Known};
use crate::failure::{Failure, Fault};
use crate::input::journal;
use crate::language::LanguageChoice;
use crate::settings::Settings;
use crate::text;
use nubbin_language::Registry;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The name of the small file, without its extension.
const STEM: &str = "bug";
/// The folder with the unreduced file, in the folder of a bug.
const ORIGINAL: &str = "original";

#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// The path relative to the folder.
    pub name: String,
    pub path: PathBuf,
}

/// Lists the files below a folder by name, without hidden ones and those in `out`. Also returns the number of hidden
/// files.
///
/// # Errors
/// Returns an error when the folder cannot be read.
pub(super) fn list(folder: &Path, out: &Path) -> Result<(Vec<Listed>, usize), Failure> {
    let out = out.canonicalize().ok();
    let (mut files, mut hidden, mut left) = (Vec::new(), 0, vec![folder.to_owned()]);
    while let Some(place) = left.pop() {
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            // A subfolder can be deleted at the same time, or belong to another user.
            Err(_) if place != folder => continue,
            Err(error) => {
                let message = format!("cannot read the folder `{}`: {error}", folder.display());
                return Err(Failure::message(Fault::Input, message)
                    .hint("use `nubbin triage FOLDER -- COMMAND {}` with a folder of failing files"));
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                hidden += usize::from(!is_folder);
            } else if is_folder {
                let is_out = out.is_some() && path.canonicalize().ok() == out;
                left.extend((!is_out).then_some(path));
            } else if path.metadata().is_ok_and(|found| found.is_file()) {
                let name = shown(path.strip_prefix(folder).unwrap_or(&path));
                files.push(Listed { name, path });
            }
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((files, hidden))
}

/// The folder for the bugs, locked against other triages.
pub(super) struct House {
    pub out: PathBuf,
    _lock: File,
}

impl House {
    /// Opens the folder, with the state of an earlier triage if there is one.
    ///
    /// # Errors
    /// Returns an error when the folder has other contents, cannot be written, or is used by another triage.
    pub(super) fn open(out: &Path) -> Result<(Self, Option<TriageState>), Failure> {
        let is_free = match fs::read_dir(out) {
            Ok(mut entries) => {
                entries.next().is_none() || out.join(FILE).exists() || out.join("lock").exists()
            }
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        };
        if !is_free {
            let message = format!("`{}` already exists and is not the folder of a triage", out.display());
            return Err(
                Failure::message(Fault::Output, message).hint("choose another place with `--output DIR`")
            );
        }
        make(out)?;
        let lock = journal::lock(out).map_err(|error| match error {
            journal::JournalError::Locked(_) => {
                let message = format!("another triage is writing to `{}`", out.display());
                Failure::message(Fault::Output, message)
                    .hint("wait until it ends, or choose another place with `--output DIR`")
            }
            error => Failure::new(Fault::Output, error),
        })?;
        Ok((Self { out: out.to_owned(), _lock: lock }, TriageState::read(out)?))
    }

    /// Copies the unreduced file of a bug into the bug's folder under this name, and returns its path.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub(super) fn unreduced(&self, bug: &Bug, name: &OsStr, content: &[u8]) -> Result<PathBuf, Failure> {
        let folder = folder_of(&self.out, bug).join(ORIGINAL);
        make(&folder)?;
        let path = folder.join(name);
        if fs::read(&path).ok().as_deref() != Some(content) {
            put(&path, content)?;
        }
        Ok(path)
    }

    /// Writes the files next to the small file: the list of members, and a script that repeats the failure.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub(super) fn describe(&self, triage: &Triage<'_>, bug: &Bug, known: &Known) -> Result<(), Failure> {
        let folder = folder_of(&self.out, bug);
        make(&folder)?;
        let members: String = bug
            .members
            .iter()
            .map(|member| match member.found {
                None => format!("{}\n", triage.folder.join(&member.path).display()),
                Some(number) => format!("{} (found while reducing bug {number})\n", member.path),
            })
            .collect();
        put(&folder.join("members.txt"), members.as_bytes())?;
        let Some(name) = bug.name.as_ref().filter(|name| folder.join(name).is_file()) else { return Ok(()) };
        let small = folder.join(name);
        let script = repeat(&bug.title, &small, &(triage.settings)(&small)?, known);
        let path = folder.join("repeat.sh");
        put(&path, script.as_bytes())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(output(&path))
    }

    /// Moves the folder of a merged bug into that of the remaining one.
    pub(super) fn merge(&self, bug: &Bug, into: &Bug) {
        let folder = folder_of(&self.out, into).join("merged");
        // A remainder in the old place is harmless.
        let _ = fs::create_dir_all(&folder)
            .and_then(|()| fs::rename(folder_of(&self.out, bug), folder.join(bug.number.to_string())));
    }
}

/// Returns a script that repeats the failure of a small file, in a directory like that of a probe.
fn repeat(title: &str, path: &Path, settings: &Settings, known: &Known) -> String {
    let line = baseline::by_hand(settings, path, known.surroundings());
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let name = text::quote(path.file_name().unwrap_or_default());
    // The folder can be moved later.
    let line = line.replacen(&text::quote(absolute.as_os_str()), &format!("\"$here\"/{name}"), 1);
    let title: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("#!/bin/sh\n# {title}\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n{line}\n")
}

/// Returns the name under which a file is reduced. It is the same for all files of a kind, so that reductions share
/// runs. A file keeps its own name if its language would differ otherwise.
pub(super) fn common_name(path: &Path, content: &[u8], language: &LanguageChoice) -> OsString {
    let own = path.file_name().unwrap_or(OsStr::new(STEM)).to_owned();
    let mut name = OsString::from(STEM);
    let ending = path.extension().filter(|ending| {
        ending.len() <= 8 && ending.as_encoded_bytes().iter().all(u8::is_ascii_alphanumeric)
    });
    if let Some(ending) = ending {
        name.push(".");
        name.push(ending);
    }
    let detect = |name: &OsStr| {
        let found = Registry::built_in().detect(Path::new(name), content);
        found.map(|language| language.name().to_owned())
    };
    let is_same = !matches!(language, LanguageChoice::Detect) || detect(&own) == detect(&name);
    if is_same { name } else { own }
}

fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(output(folder))
}

fn output(path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    let message = format!("cannot write `{}`", path.display());
    move |error| {
        Failure::message(Fault::Output, format!("{message}: {error}"))
            .hint("choose another place with `--output DIR`")
    }
}
