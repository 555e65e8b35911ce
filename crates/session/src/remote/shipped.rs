//! The local files that a run on a cluster needs: those named by its command and its needed files.
//!
//! Uploading is done by the caller.

use super::Remote;
use nubbin_oracle::{Errand, Status};
use nubbin_remote::{Action, Content, Done, End, Error, Kept};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Directories of installed software, whose paths have the same meaning on a worker.
const INSTALLED: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc", "/nix", "/gnu", "/proc", "/dev",
    "/sys",
];
/// The directory for files named by the command.
const OWN: &str = ".nubbin";
/// The path by which a command denotes this program.
const ITSELF: &str = "/proc/self/exe";
/// The default search path of programs.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The files that every run needs, and their paths on a worker.
#[derive(Debug)]
pub(crate) struct Shipped {
    /// The path and content of each file.
    files: Vec<(PathBuf, Kept)>,
    /// Arguments of the command, and the paths that replace them.
    words: Vec<(OsString, PathBuf)>,
    environment: Vec<(String, String)>,
}

impl Shipped {
    /// Uploads the files to which the arguments and links of an errand refer, with `keep`.
    ///
    /// # Errors
    /// Returns the errors of `keep`.
    pub fn new(
        errand: &Errand<'_>,
        remote: &Remote,
        keep: impl Fn(&Path) -> Result<Kept, Error>,
    ) -> Result<Self, Error> {
        let (mut files, mut words) = (Vec::new(), Vec::new());
        for (at, to) in &errand.links {
            files.push((at.clone(), keep(to)?));
        }
        for word in &errand.words {
            let Some(path) = of_this_machine(word) else { continue };
            if words.iter().any(|(known, _)| known == word) {
                continue;
            }
            let name = path.file_name().unwrap_or_default();
            let at = Path::new(OWN).join(words.len().to_string()).join(name);
            files.push((at.clone(), keep(&path)?));
            words.push((word.clone(), at));
        }
        Ok(Self { files, words, environment: environment(&remote.environment) })
    }

    /// Adds an errand and its files to the directory `within` of an action. Returns the command line.
    pub fn pack<'a>(&'a self, errand: &Errand<'a>, within: &Path, action: &mut Action<'a>) -> Vec<OsString> {
        let files = &mut action.files;
        files.extend(errand.directories.iter().map(|at| (within.join(at), Content::Directory)));
        files.push((within.join(&errand.directory), Content::Directory));
        files.extend(errand.leads.iter().map(|(at, to)| (within.join(at), Content::Link(to))));
        files.extend(
            errand
                .files
                .iter()
                .map(|(at, bytes, can_be_run)| (within.join(at), Content::Bytes(bytes, *can_be_run))),
        );
        files.extend(self.files.iter().map(|(at, kept)| (within.join(at), Content::Kept(kept))));
        let up: PathBuf = errand.directory.components().map(|_| "..").collect();
        let here = |word: &OsString| {
            let known = self.words.iter().find(|(known, _)| known == word);
            known.map_or_else(|| word.clone(), |(_, at)| Path::new(".").join(&up).join(at).into_os_string())
        };
        errand.words.iter().map(here).collect()
    }

    /// Returns an empty action.
    pub fn action<'a>(&self, errand: &Errand<'_>) -> Action<'a> {
        Action {
            files: Vec::new(),
            directory: PathBuf::new(),
            words: Vec::new(),
            environment: self.environment.clone(),
            limit: errand.limit,
            most_output: errand.most_output,
            fresh: false,
        }
    }
}

/// Returns the status of a finished run.
pub(super) fn status(done: &Done) -> Status {
    match done.end {
        End::Exit(code) => Status::Exit(code),
        End::TimedOut => Status::TimedOut,
    }
}

/// Returns the file or directory that an argument names, if it exists only on this machine.
fn of_this_machine(word: &OsString) -> Option<PathBuf> {
    let path = Path::new(word);
    if word == ITSELF {
        return std::env::current_exe().ok();
    }
    let is_own = path.is_absolute() && !INSTALLED.iter().any(|installed| path.starts_with(installed));
    (is_own && path.exists()).then(|| path.to_owned())
}

/// Returns the environment of a run. Variables for the language of messages are copied from this process.
fn environment(given: &[(String, String)]) -> Vec<(String, String)> {
    let is_about_language = |name: &str| name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_");
    let mut all: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_about_language(name))
        .collect();
    all.push(("PATH".to_owned(), PATH.to_owned()));
    all.retain(|(name, _)| given.iter().all(|(given, _)| given != name));
    all.extend_from_slice(given);
    all.sort();
    all
}
