//! Resolves the path of the result, and refuses paths that are not allowed.

use nubbin_session::failure::{Failure, Fault};
use nubbin_session::output::Output;
use nubbin_session::source::Input;
use nubbin_session::text;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The hint if the output is the input.
const IN_PLACE: &str = "`--in-place` replaces the input and keeps a backup";

/// Returns the output of a reduction. A file is written into an existing directory under its default name.
pub(super) fn of_reduction(output: Option<&Path>, in_place: bool, input: &Input) -> Result<Output, Failure> {
    match (output, in_place) {
        (Some(path), _) if path.is_dir() && matches!(input, Input::File(_)) => {
            let name = match Output::beside(input) {
                Output::File(path) => path.file_name().map(PathBuf::from).unwrap_or_default(),
                _ => PathBuf::new(),
            };
            named(&path.join(name), input, IN_PLACE)
        }
        (Some(path), _) if path.as_os_str().as_bytes().ends_with(b"/") && !input.is_archive() => {
            Err(no_directory(path))
        }
        (Some(path), _) => named(path, input, IN_PLACE),
        (None, true) => replaced(input),
        (None, false) => Ok(Output::beside(input)),
    }
}

/// Returns the output of `nubbin isolate` and `nubbin maximize`.
pub(super) fn of_difference(output: Option<&Path>, input: &Input) -> Result<Output, Failure> {
    output.map_or(Ok(Output::Beside), |path| named(path, input, "choose another file with `-o FILE`"))
}

/// Returns the output of `nubbin changes`.
pub(super) fn of_patch(output: Option<&Path>, input: &Input) -> Result<Output, Failure> {
    output.map_or(Ok(Output::Stdout), |path| named(path, input, IN_PLACE))
}

/// Returns the output of `nubbin init`.
pub(super) fn of_script(output: Option<&Path>, input: &Input) -> Result<Output, Failure> {
    output.map_or(Ok(Output::Stdout), |path| named(path, input, IN_PLACE))
}

/// Returns the output at a given path; `advice` is the hint if it is the input.
fn named(path: &Path, input: &Input, advice: &str) -> Result<Output, Failure> {
    let wrong = |message: String, hint: &str| Err(Failure::usage(message).hint(hint));
    match input {
        Input::WithOptions(paired) => named(path, &paired.input, advice),
        _ if path == Path::new("-") && input.is_archive() => {
            let message = "several files cannot be written to standard output";
            wrong(message.to_owned(), "name a directory with `--output DIR`")
        }
        _ if path == Path::new("-") => Ok(Output::Stdout),
        Input::Folder(folder) if is_within(path, folder) => {
            wrong(format!("the output `{}` is in the input", path.display()), IN_PLACE)
        }
        Input::File(input) if is_same(path, input) => {
            wrong(format!("the output `{}` is the input", path.display()), advice)
        }
        _ => match path.parent().filter(|parent| *parent != Path::new("")) {
            Some(parent) if !parent.exists() => Err(no_directory(parent)),
            _ => Ok(Output::File(path.to_owned())),
        },
    }
}

/// Returns the failure for a directory of the output that does not exist.
fn no_directory(path: &Path) -> Failure {
    let shown = text::quote(path.as_os_str());
    Failure::message(Fault::Output, format!("the directory `{}` does not exist", path.display()))
        .hint(format!("create it with `mkdir -p {shown}`, or choose another output"))
}

/// Checks that the input can be replaced.
fn replaced(input: &Input) -> Result<Output, Failure> {
    if let Input::Stdin | Input::Stream(_) = input {
        return Err(Failure::usage("standard input cannot be reduced in place"));
    }
    let Input::Folder(path) = input else { return Ok(Output::InPlace) };
    let left = input.left_alone();
    let Some(left) = left.first() else { return Ok(Output::InPlace) };
    let message = format!(
        "cannot replace `{}`: `{}` in it is not part of the input and would be lost",
        path.display(),
        left.display()
    );
    Err(Failure::usage(message).hint("name another directory with `--output DIR`"))
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Tells whether a path is in this directory, or is the directory itself.
fn is_within(place: &Path, folder: &Path) -> bool {
    // A file that does not exist yet is resolved by its directory.
    let real = |path: &Path| {
        path.canonicalize().or_else(|_| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if parent != Path::new("") => Ok(parent.canonicalize()?.join(name)),
            _ => std::path::absolute(path),
        })
    };
    matches!((real(place), real(folder)), (Ok(place), Ok(folder)) if place.starts_with(&folder))
}
