//! Decides on the place of the result, and refuses places that are not allowed.

use crate::args::Args;
use crate::args::mode::Mode;
use nubbin_session::failure::Failure;
use nubbin_session::output::Output;
use nubbin_session::source::Input;
use std::path::Path;

/// Returns the place of the result of these arguments.
pub(super) fn output(args: &Args, input: &Input) -> Result<Output, Failure> {
    if matches!(args.mode, Mode::Check | Mode::Init) && args.output.is_none() {
        return Ok(Output::Stdout);
    }
    if matches!(args.mode, Mode::Isolate | Mode::Maximize) && args.output.is_none() {
        return Ok(Output::Beside);
    }
    let advice = match args.mode {
        Mode::Isolate | Mode::Maximize => "choose another place with `-o FILE`",
        _ => "`--in-place` replaces the input, and keeps a backup",
    };
    let file = match (&args.output, input) {
        (Some(path), _) if path == Path::new("-") && input.is_archive() => {
            let message = "several files do not go to standard output";
            return Err(Failure::usage(message).hint("name a directory with `--output DIR`"));
        }
        (Some(path), _) if path == Path::new("-") => return Ok(Output::Stdout),
        (Some(path), Input::Folder(folder)) if is_within(path, folder) => {
            let message = format!("the output `{}` is in the input", path.display());
            return Err(Failure::usage(message).hint("`--in-place` replaces the input, and keeps a backup"));
        }
        (Some(path), Input::File(input)) if is_same(path, input) => {
            let message = format!("the output `{}` is the input", path.display());
            return Err(Failure::usage(message).hint(advice));
        }
        (Some(path), _) => path.clone(),
        (None, Input::Stdin) if args.in_place => {
            return Err(Failure::usage("standard input cannot be reduced in place"));
        }
        (None, Input::Folder(path)) if args.in_place => match input.left_alone().first() {
            None => return Ok(Output::InPlace),
            Some(left) => {
                let message = format!(
                    "`{}` cannot be replaced: `{}` in it is left alone, and would be missing",
                    path.display(),
                    left.display()
                );
                return Err(Failure::usage(message).hint("name another directory with `--output DIR`"));
            }
        },
        (None, _) if args.in_place => return Ok(Output::InPlace),
        (None, _) => return Ok(Output::beside(input)),
    };
    Ok(Output::File(file))
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
