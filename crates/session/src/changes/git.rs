//! Reads two versions and their history from git. The work tree and the index are not modified.

use crate::change::{Change, Changes, File, FileNode, FileTree, Label, What};
use crate::failure::Failure;
use crate::failure::Fault;
use crate::settings::Settings;
use crate::tool::{Tool, ToolError};
use nubbin_archive::Type;
use nubbin_oracle::Status;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The mode of a submodule in a tree.
const SUBMODULE: &[u8] = b"160000";

/// The commits between two revisions, the earliest first.
#[derive(Debug)]
pub struct CommitRange {
    good: String,
    bad: String,
    commits: Vec<Commit>,
}

#[derive(Debug)]
pub struct Commit {
    pub name: String,
    pub subject: String,
}

fn failure(message: String) -> Failure {
    Failure::message(Fault::Input, message)
}

/// The time limit of a git command.
const PATIENCE: Duration = Duration::from_secs(600);
/// The largest output of git that is accepted, in bytes.
const LONGEST: usize = 1 << 32;
/// The exit status of `env` if the program does not exist.
const NOT_FOUND: Status = Status::Exit(127);
/// The start of each git command: no locks, and messages in English.
const GIT: [&str; 5] = ["env", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=POSIX", "git", "-C"];

/// Runs git in one directory. It runs in the sandbox, because the configuration of a repository can name programs
/// that git starts.
#[derive(Clone, Debug)]
pub struct Git<'g> {
    tool: Tool<'g>,
    directory: PathBuf,
}

impl<'g> Git<'g> {
    /// Creates a runner for a directory.
    ///
    /// # Errors
    /// Returns an error when the directory does not exist.
    pub fn new(settings: &'g Settings, directory: &Path) -> Result<Self, Failure> {
        let tool = Tool::new(&settings.bounds, settings.helpers.as_ref(), PATIENCE, LONGEST);
        Git { tool, directory: PathBuf::new() }.in_directory(directory)
    }

    /// Creates a runner for another directory.
    ///
    /// # Errors
    /// Returns an error when the directory does not exist.
    pub fn in_directory(&self, directory: &Path) -> Result<Self, Failure> {
        let found = directory.canonicalize();
        let directory =
            found.map_err(|error| failure(format!("`{}` cannot be used: {error}", directory.display())))?;
        Ok(Self { tool: self.tool, directory })
    }

    /// Runs git with these arguments and standard input, and returns its output.
    fn run(&self, words: &[&OsStr], input: &[u8]) -> Result<Vec<u8>, ToolError> {
        let before = GIT.iter().map(OsStr::new).chain([self.directory.as_os_str()]);
        let words: Vec<OsString> = before.chain(words.iter().copied()).map(OsStr::to_owned).collect();
        self.tool.run(&words, OsStr::new("input"), input)
    }

    /// Returns the output of git, or `None` if git fails.
    fn asked(&self, words: &[&str]) -> Result<Option<Vec<u8>>, Failure> {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        match self.run(&words, b"") {
            Ok(output) => Ok(Some(output)),
            Err(ToolError::Failed { status, .. }) if status != NOT_FOUND => Ok(None),
            Err(error) => Err(refused(error, &words)),
        }
    }

    /// Returns the output of git, or an error if git fails.
    fn told(&self, words: &[&OsStr], input: &[u8]) -> Result<Vec<u8>, Failure> {
        self.run(words, input).map_err(|error| refused(error, words))
    }
}

fn refused(error: ToolError, words: &[&OsStr]) -> Failure {
    let words = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    match error {
        ToolError::Failed { status: NOT_FOUND, .. } => {
            failure("`git` was not found".to_owned()).hint("install git, or use two directories")
        }
        ToolError::Failed { stderr, .. } => {
            let said = String::from_utf8_lossy(&stderr).trim().replace('\n', "; ");
            failure(format!("`git {words}` failed: {said}"))
        }
        ToolError::Start(error) => error.into(),
        error => failure(format!("`git {words}` failed: {error}")),
    }
}

fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim().to_owned()
}

impl Git<'_> {
    pub fn is_repository(&self) -> Result<bool, Failure> {
        Ok(self.asked(&["rev-parse", "--git-dir"])?.is_some())
    }

    /// Returns the commit to which a revision refers, if any.
    pub fn commit(&self, revision: &str) -> Result<Option<String>, Failure> {
        let wanted = format!("{revision}^{{commit}}");
        let found = self.asked(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
        Ok(found.map(|name| line(&name)))
    }

    /// Returns the checked-out commit if the work tree has uncommitted changes.
    pub fn dirty_commit(&self) -> Result<Option<String>, Failure> {
        let changed = self.asked(&["status", "--porcelain", "--untracked-files=no"])?;
        if changed.is_none_or(|changed| changed.is_empty()) {
            return Ok(None);
        }
        self.commit("HEAD")
    }

    /// Returns the files that git tracks or would add, if the directory is the top of a work tree.
    pub fn files(&self) -> Result<Option<Vec<PathBuf>>, Failure> {
        let Some(prefix) = self.asked(&["rev-parse", "--show-prefix"])? else { return Ok(None) };
        if !line(&prefix).is_empty() {
            return Ok(None);
        }
        let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"].map(OsStr::new);
        let listed = self.told(&listed, b"")?;
        let mut files: Vec<PathBuf> = listed
            .split(|&byte| byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| PathBuf::from(OsStr::from_bytes(path)))
            .collect();
        files.sort();
        files.dedup();
        Ok(Some(files))
    }

    /// Returns the files of a commit, and the number of ignored submodules.
    pub fn tree(&self, commit: &str) -> Result<(FileTree, usize), Failure> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", commit].map(OsStr::new);
        let listed = self.told(&words, b"")?;
        let (mut entries, mut submodules) = (Vec::new(), 0);
        for entry in listed.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()) {
            let tab = entry.iter().position(|&byte| byte == b'\t');
            let words: Vec<&[u8]> = entry[..tab.unwrap_or(0)].split(|&byte| byte == b' ').collect();
            let (Some(tab), [mode, _, object]) = (tab, &words[..]) else { continue };
            if *mode == SUBMODULE {
                submodules += 1;
                continue;
            }
            entries.push((
                mode.to_vec(),
                object.to_vec(),
                PathBuf::from(OsStr::from_bytes(&entry[tab + 1..])),
            ));
        }
        let contents = self.contents(entries.iter().map(|(_, object, _)| &object[..]))?;
        let mut tree = FileTree::default();
        for ((mode, _, path), content) in entries.into_iter().zip(contents) {
            let (kind, mode) = match &mode[..] {
                b"120000" => (Type::Link, 0o777),
                b"100755" => (Type::File, 0o755),
                _ => (Type::File, 0o644),
            };
            tree.files.insert(path, FileNode { kind, mode, content: content.into() });
        }
        Ok((tree, submodules))
    }

    fn contents<'o>(&self, objects: impl Iterator<Item = &'o [u8]>) -> Result<Vec<Vec<u8>>, Failure> {
        let names: Vec<u8> = objects.flat_map(|object| [object, b"\n"].concat()).collect();
        let all = self.told(&["cat-file", "--batch"].map(OsStr::new), &names)?;
        let (mut contents, mut at) = (Vec::new(), 0);
        while let Some(end) = all[at..].iter().position(|&byte| byte == b'\n') {
            let head = String::from_utf8_lossy(&all[at..at + end]).into_owned();
            let length = head.rsplit(' ').next().and_then(|length| length.parse::<usize>().ok());
            let Some(length) = length else {
                return Err(failure(format!("git returned no content for an object: {head}")));
            };
            let start = at + end + 1;
            contents.push(all[start..start + length].to_vec());
            at = start + length + 1;
        }
        Ok(contents)
    }
}

impl CommitRange {
    /// Returns the commits from one commit to the other, if the first is an ancestor of the second.
    pub fn between(git: &Git<'_>, good: &str, bad: &str) -> Result<Option<Self>, Failure> {
        if git.asked(&["merge-base", "--is-ancestor", good, bad])?.is_none() {
            return Ok(None);
        }
        let range = format!("{good}..{bad}");
        let words = ["log", "--reverse", "--topo-order", "--format=%H %s", &range].map(OsStr::new);
        let listed = git.told(&words, b"")?;
        let commit = |line: &str| {
            let (name, subject) = line.split_once(' ').unwrap_or((line, ""));
            Commit { name: name.to_owned(), subject: subject.to_owned() }
        };
        let commits = String::from_utf8_lossy(&listed).lines().map(commit).collect();
        Ok(Some(Self { good: good.to_owned(), bad: bad.to_owned(), commits }))
    }

    pub fn commit(&self, number: usize) -> &Commit {
        &self.commits[number]
    }

    /// Returns the commit that introduced each change: the last one that touched it.
    pub fn labels(&self, git: &Git<'_>, changes: &Changes) -> Result<Vec<Label>, Failure> {
        let places: HashMap<&str, usize> =
            self.commits.iter().enumerate().map(|(at, commit)| (&*commit.name, at)).collect();
        let blamer = Blamer { git, history: self, places };
        let mut labels = Vec::with_capacity(changes.len());
        for of_file in changes.all().chunk_by(|one, other| one.file == other.file) {
            let file = &changes.files()[of_file[0].file as usize];
            labels.extend(blamer.file(file, of_file)?.into_iter().map(Label::Commit));
        }
        Ok(labels)
    }
}

/// Finds the commits that introduced lines.
struct Blamer<'b> {
    git: &'b Git<'b>,
    history: &'b CommitRange,
    places: HashMap<&'b str, usize>,
}

impl Blamer<'_> {
    fn file(&self, file: &File, changes: &[Change]) -> Result<Vec<usize>, Failure> {
        let (old, new) = (file.old.as_ref(), file.new.as_ref());
        let is_hunk = |change: &Change| matches!(change.what, What::Hunk { .. });
        let has = |wanted: fn(&Range<usize>, &Range<usize>) -> bool| {
            changes.iter().any(|change| matches!(&change.what, What::Hunk { old, new } if wanted(old, new)))
        };
        let added = match new {
            Some((path, _)) if has(|_, new| !new.is_empty()) => self.blame(path, false)?,
            _ => Vec::new(),
        };
        let removed = match old {
            Some((path, _)) if has(|_, new| new.is_empty()) => self.blame(path, true)?,
            _ => Vec::new(),
        };
        let whole = if changes.iter().all(is_hunk) { 0 } else { self.last(file)? };
        let one = |change: &Change| {
            let (What::Hunk { old: from, new: to }, Some((_, old)), Some((_, new))) =
                (&change.what, old, new)
            else {
                return whole;
            };
            let (blamed, range, content) =
                if to.is_empty() { (&removed, from, &old.content) } else { (&added, to, &new.content) };
            let first = content[..range.start].split_inclusive(|&byte| byte == b'\n').count();
            let count = content[range.clone()].split_inclusive(|&byte| byte == b'\n').count();
            let last = self.history.commits.len() - 1;
            blamed.iter().skip(first).take(count).flatten().copied().max().unwrap_or(last)
        };
        Ok(changes.iter().map(one).collect())
    }

    /// Returns the last commit that touched a file, which for a deleted or renamed file is the commit that did so.
    fn last(&self, file: &File) -> Result<usize, Failure> {
        let (path, _) = file.old.as_ref().or(file.new.as_ref()).expect("a file is of one version at least");
        let range = format!("{}..{}", self.history.good, self.history.bad);
        let words = ["log", "-1", "--format=%H", &range, "--"].map(OsStr::new);
        let mut literal = OsString::from(":(top,literal)");
        literal.push(path);
        let told = self.git.told(&[&words[..], &[&literal]].concat(), b"")?;
        let last = self.history.commits.len() - 1;
        Ok(self.places.get(&*line(&told)).copied().unwrap_or(last))
    }

    /// Returns, for each line of a file, the commit that introduced it, or with `is_reverse` the commit that removed
    /// it.
    fn blame(&self, path: &Path, is_reverse: bool) -> Result<Vec<Option<usize>>, Failure> {
        let range = format!("{}..{}", self.history.good, self.history.bad);
        let mut words = vec![OsStr::new("blame"), OsStr::new("--porcelain")];
        words.extend(is_reverse.then_some(OsStr::new("--reverse")));
        words.extend([OsStr::new(&range), OsStr::new("--"), path.as_os_str()]);
        // Paths are relative to the top of the work tree.
        let top = self.git.asked(&["rev-parse", "--show-toplevel"])?;
        let top = top.map(|top| self.git.in_directory(Path::new(&line(&top)))).transpose()?;
        let told = top.as_ref().unwrap_or(self.git).told(&words, b"")?;
        let mut lines = BTreeMap::new();
        for head in told.split(|&byte| byte == b'\n') {
            let text = String::from_utf8_lossy(head);
            let words: Vec<&str> = text.split(' ').collect();
            let (Some(name), Some(Ok(number))) =
                (words.first(), words.get(2).map(|word| word.parse::<usize>()))
            else {
                continue;
            };
            let is_name = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_name && !head.starts_with(b"\t") {
                let place = self.places.get(name).copied();
                // Git reports the last commit that had a line; the next one removed it.
                let taken = || place.map_or(Some(0), |at| Some(at + 1));
                let last = self.history.commits.len() - 1;
                lines.insert(number, if is_reverse { taken().map(|at| at.min(last)) } else { place });
            }
        }
        let count = lines.keys().next_back().copied().unwrap_or(0);
        Ok((1..=count).map(|number| lines.get(&number).copied().flatten()).collect())
    }
}
