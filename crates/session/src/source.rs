//! The source of the input: parses the arguments that name it, and reads it.

use crate::changes::Sides;
use crate::failure::Failure;
use crate::input;
use crate::language::LanguageChoice;
use crate::options::{Choices, Paired, paired_file};
use nubbin_oracle::Shape;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const STDIN: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// The source of the input.
#[derive(Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A stream with a path: a pipe, a device, or an open file descriptor. It can be read only once.
    Stream(PathBuf),
    /// A file.
    File(PathBuf),
    /// A directory, whose files can be removed.
    Folder(PathBuf),
    /// Several files, which can become empty.
    Files(Vec<PathBuf>),
    /// The options of a command.
    Options(Choices),
    /// A file, and the options of the command that runs on it.
    WithOptions(Box<Paired>),
    /// The changes between two versions.
    Changes(Sides),
}

impl Input {
    /// Returns the input named by an argument. `-` and the path of standard input are standard input.
    #[must_use]
    pub fn new(word: OsString) -> Self {
        match (word == "-", PathBuf::from(word)) {
            (true, _) => Self::Stdin,
            (false, path) if STDIN.iter().any(|one| path == Path::new(one)) => Self::Stdin,
            (false, path) if is_stream(&path) => Self::Stream(path),
            (false, path) if path.is_dir() => Self::Folder(named(path)),
            (false, path) => Self::File(path),
        }
    }

    /// Returns the input named by several arguments.
    ///
    /// # Errors
    /// Returns an error when a directory or standard input is among several arguments.
    pub fn all(mut words: Vec<OsString>) -> Result<Self, Failure> {
        if words.len() == 1 {
            return Ok(Self::new(words.remove(0)));
        }
        let odd = words.iter().find(|word| *word == "-" || Path::new(word).is_dir());
        if let Some(odd) = odd {
            let message = format!("`{}` cannot be combined with other inputs", odd.display());
            return Err(Failure::usage(message).hint(
                "name one directory, or only files; files in different directories can be copied to one directory first",
            ));
        }
        Ok(Self::Files(words.into_iter().map(PathBuf::from).collect()))
    }

    /// Reads the input.
    ///
    /// # Errors
    /// Returns an error when it cannot be read.
    pub fn read(&self) -> Result<Vec<u8>, input::Error> {
        match self {
            Self::Stdin => input::read_stdin(),
            Self::Stream(path) | Self::File(path) => input::read_file(path),
            Self::Folder(path) => input::read_project(path),
            Self::Files(paths) => input::read_files(paths),
            Self::Options(choices) => Ok(choices.text()),
            Self::WithOptions(paired) => paired.read(),
            Self::Changes(_) => Ok(Vec::new()),
        }
    }

    /// Returns a result as it is written to the output. Options are written as a command line.
    #[must_use]
    pub fn shown<'b>(&self, best: &'b [u8]) -> Cow<'b, [u8]> {
        match self {
            Self::Options(choices) => Cow::Owned(choices.shown(best)),
            _ => Cow::Borrowed(best),
        }
    }

    /// Returns the text of a single file: the bytes themselves, or the file that is combined with options.
    #[must_use]
    pub fn text<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        if self.paired().is_some() { paired_file(bytes) } else { bytes }
    }

    /// Returns the file with options, if the input is one.
    #[must_use]
    pub fn paired(&self) -> Option<&Paired> {
        if let Self::WithOptions(paired) = self { Some(paired) } else { None }
    }

    /// Returns whether the bytes are an archive.
    #[must_use]
    pub fn is_archive(&self) -> bool {
        self.is_several() || self.paired().is_some()
    }

    /// Returns whether the input is a directory or several files.
    #[must_use]
    pub fn is_several(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::Files(_))
    }

    /// Returns the files and directories in a directory that are not reduced.
    #[must_use]
    pub fn left_alone(&self) -> Vec<PathBuf> {
        if let Self::Folder(path) = self { input::left_alone(path) } else { Vec::new() }
    }

    /// Returns the paths from the command line.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Self::Stdin | Self::Options(_) | Self::Changes(_) => &[],
            Self::File(path) | Self::Folder(path) | Self::Stream(path) => std::slice::from_ref(path),
            Self::Files(paths) => paths,
            Self::WithOptions(paired) => paired.input.paths(),
        }
    }

    /// Returns the form of a candidate on disk.
    ///
    /// # Errors
    /// Returns an error when the names of several files conflict.
    pub fn shape(&self) -> Result<Shape, input::Error> {
        Ok(match self {
            Self::Stdin | Self::Stream(_) | Self::File(_) | Self::Options(_) => Shape::File,
            Self::Folder(_) => Shape::Folder,
            Self::Changes(sides) => Shape::Tree { is_kept: !sides.fresh },
            Self::Files(paths) => Shape::Files(input::names(paths)?),
            Self::WithOptions(paired) => paired.input.shape()?,
        })
    }

    /// Returns the path of the input, or of the first file. Standard input has a name with the usual extension of the
    /// language.
    #[must_use]
    pub fn path(&self, language: &LanguageChoice) -> PathBuf {
        match (self, language.extension()) {
            (Self::File(path) | Self::Folder(path), _) => path.clone(),
            (Self::Files(paths), _) => paths[0].clone(),
            (Self::Options(_), _) => "options".into(),
            (Self::WithOptions(paired), _) => paired.input.path(language),
            (Self::Changes(_), _) => "changes".into(),
            (Self::Stdin, Some(extension)) => Path::new("stdin").with_extension(extension),
            (Self::Stdin, None) => "stdin".into(),
            // Nothing is written next to a stream, and a stream that is not in a directory has no useful name.
            (Self::Stream(path), extension) => match (path.file_name(), extension) {
                (Some(name), _) if !is_descriptor(path) => name.into(),
                (_, Some(extension)) => Path::new("stdin").with_extension(extension),
                (_, None) => "stdin".into(),
            },
        }
    }

    /// Returns the path of a single file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::WithOptions(paired) => paired.input.file(),
            Self::Stdin
            | Self::Stream(_)
            | Self::Folder(_)
            | Self::Files(_)
            | Self::Options(_)
            | Self::Changes(_) => None,
        }
    }
}

/// Returns whether a path is neither a regular file nor a directory.
fn is_stream(path: &Path) -> bool {
    is_descriptor(path) || std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Returns whether a path denotes an open file descriptor, such as `/dev/fd/63` for `<(…)` in a shell.
fn is_descriptor(path: &Path) -> bool {
    let mut parts = path.components().skip(1).map(std::path::Component::as_os_str);
    let names = [parts.next(), parts.next(), parts.next()].map(|part| part.and_then(|part| part.to_str()));
    matches!(names, [Some("dev"), Some("fd"), Some(_)] | [Some("proc"), Some(_), Some("fd")])
        && path.is_absolute()
}

/// Returns an absolute path if a path has no file name, such as `.`.
fn named(path: PathBuf) -> PathBuf {
    match path.file_name() {
        Some(_) => path.components().collect(),
        None => path.canonicalize().unwrap_or(path),
    }
}

/// Returns the paths that stand for the candidate in a command.
#[must_use]
pub fn candidates(input: &Input, language: &LanguageChoice) -> Vec<PathBuf> {
    if input.paths().is_empty() { vec![input.path(language)] } else { input.paths().to_vec() }
}
