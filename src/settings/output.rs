//! Decides on the place of the result, and refuses places that are not allowed.

use nubbin_session::failure::Failure;
use nubbin_session::output::Output;
use nubbin_session::source::Input;
use std::path::Path;

/// The hint where the input is its own output.
const IN_PLACE: &str = "`--in-place` replaces the input, and keeps a backup";

/// Returns the place of the result of a reduction.
pub(super) fn of_reduction(output: Option<&Path>, in_place: bool, input: &Input) -> Result<Output, Failure> {
    match (output, in_place) {
        (Some(path), _) => named(path, input, IN_PLACE),
        (None, true) => replaced(input),
        (None, false) => Ok(Output::beside(input)),
    }
}

/// Returns the place of a difference between two files, or of a largest part.
pub(super) fn of_difference(output: Option<&Path>, input: &Input) -> Result<Output, Failure> {
    output.map_or(Ok(Output::Beside), |path| named(path, input, "choose another place with `-o FILE`"))
}

/// Returns the place of a patch of changes.
pub(super) fn of_patch(output: Option<&Path>, input: &Input) -> Result<Output, Failure> {
    output.map_or(Ok(Output::Stdout), |path| named(path, input, IN_PLACE))
}

/// Returns the place of a script.
pub(super) fn of_script(output: Option<&Path>, input: &Input) -> Result<Output, Failure> {
    output.map_or(Ok(Output::Stdout), |path| named(path, input, IN_PLACE))
}

/// Returns the place that was named; `advice` is for one that is the input.
fn named(path: &Path, input: &Input, advice: &str) -> Result<Output, Failure> {
    let wrong = |message: String, hint: &str| Err(Failure::usage(message).hint(hint));
    match input {
        Input::WithOptions(paired) => named(path, &paired.input, advice),
        _ if path == Path::new("-") && input.is_archive() => {
            let message = "several files do not go to standard output";
            wrong(message.to_owned(), "name a directory with `--output DIR`")
        }
        _ if path == Path::new("-") => Ok(Output::Stdout),
        Input::Folder(folder) if is_within(path, folder) => {
            wrong(format!("the output `{}` is in the input", path.display()), IN_PLACE)
        }
        Input::File(input) if is_same(path, input) => {
            wrong(format!("the output `{}` is the input", path.display()), advice)
        }
        _ => Ok(Output::File(path.to_owned())),
    }
}

/// Makes sure that the input can be replaced.
fn replaced(input: &Input) -> Result<Output, Failure> {
    if let Input::Stdin | Input::Stream(_) = input {
        return Err(Failure::usage("standard input cannot be reduced in place"));
    }
    let Input::Folder(path) = input else { return Ok(Output::InPlace) };
    let left = input.left_alone();
    let Some(left) = left.first() else { return Ok(Output::InPlace) };
    let message = format!(
        "`{}` cannot be replaced: `{}` in it is left alone, and would be missing",
        path.display(),
        left.display()
    );
    Err(Failure::usage(message).hint("name another directory with `--output DIR`"))
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Tells whether a place is in this directory, or is the directory itself.
fn is_within(place: &Path, folder: &Path) -> bool {
    // For a file that does not exist yet, its directory counts.
    let real = |path: &Path| {
        path.canonicalize().or_else(|_| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if parent != Path::new("") => Ok(parent.canonicalize()?.join(name)),
            _ => std::path::absolute(path),
        })
    };
    matches!((real(place), real(folder)), (Ok(place), Ok(folder)) if place.starts_with(&folder))
}
