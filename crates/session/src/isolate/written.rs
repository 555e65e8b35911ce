//! The outputs of a search: a passing text, a failing text, and the patch between them.

use super::{Given, Goal, Isolated};
use crate::failure::{Failure, Fault};
use crate::input::{self, BestFile};
use crate::output::Output;
use crate::settings::Settings;
use crate::{places, rescue, text};
use similar::TextDiff;
use std::path::Path;

const CONTEXT: usize = 3;

/// Writes the difference, and reports its path.
pub fn write_patch(
    settings: &Settings,
    goal: &Goal,
    given: &Given,
    found: &Isolated,
    mut place: BestFile,
) -> Result<(), Failure> {
    let patch = match goal {
        Goal::Isolate(_) => unified(&found.passing, &found.failing, "passing", "failing"),
        Goal::Maximize => unified(&given.failing, &found.passing, "whole", "passing"),
    };
    rescue::finish(settings, &mut place, &patch)?;
    if let Some(path) = place.path() {
        settings.voice.say(&format!("patch      {}", path.display()));
    }
    Ok(())
}

/// Writes the texts, and reports their paths.
pub fn write(
    settings: &Settings,
    goal: &Goal,
    found: &Isolated,
    places: &mut [BestFile; 2],
) -> Result<String, Failure> {
    let [passing, failing] = places;
    rescue::finish(settings, passing, &found.passing)?;
    let first = format!("passing    {}", shown(passing, &found.passing));
    if *goal == Goal::Maximize {
        return Ok(first);
    }
    rescue::finish(settings, failing, &found.failing)?;
    Ok(format!("{first}\nfailing    {}", shown(failing, &found.failing)))
}

/// Returns the output for the patch: that of `-o`, or standard output. There is none if the goal is the largest
/// passing part.
pub fn patch_place(settings: &Settings, goal: &Goal) -> Result<Option<BestFile>, Failure> {
    let mut place = match (goal, &settings.output) {
        (Goal::Maximize, Output::Stdout) => return Ok(None),
        (Goal::Isolate(given), Output::File(path)) => {
            let is_given = |given: &Path| {
                given.canonicalize().is_ok_and(|given| path.canonicalize().ok() == Some(given))
            };
            if given.as_deref().is_some_and(is_given) {
                let message = format!("the output `{}` is one of the two files", path.display());
                return Err(Failure::usage(message).hint("choose another place for the patch with `-o FILE`"));
            }
            BestFile::file(path, None)?
        }
        _ => BestFile::stdout(),
    };
    places::spare(settings, &mut place);
    place.check()?;
    Ok(Some(place))
}

/// Returns the output for a result: next to the failing file, with `what` in its name. Input files are not
/// overwritten.
pub fn place(settings: &Settings, goal: &Goal, what: &str) -> Result<BestFile, Failure> {
    match (goal, &settings.output) {
        // The failing text is the input itself.
        (Goal::Maximize, _) if what == "failing" => return Ok(BestFile::stdout()),
        (Goal::Maximize, Output::File(path)) => {
            let mut place = BestFile::file(path, settings.input.file())?;
            places::spare(settings, &mut place);
            place.check()?;
            return Ok(place);
        }
        (Goal::Maximize, Output::Stdout) => return Ok(BestFile::stdout()),
        _ => {}
    }
    let path = settings.input.path(&settings.language);
    let name = input::named(&path, &format!(".{what}"));
    let real = name.canonicalize().ok();
    if let Goal::Isolate(Some(given)) = goal
        && real.is_some()
        && given.canonicalize().ok() == real
    {
        let message = format!("a result would overwrite the input `{}`", given.display());
        return Err(Failure::message(Fault::Output, message)
            .hint("rename it; results have `.passing` and `.failing` in their names"));
    }
    let mut place = BestFile::regular(&name, settings.input.file())?;
    places::spare(settings, &mut place);
    place.check()?;
    Ok(place)
}

fn shown(place: &BestFile, content: &[u8]) -> String {
    let path = place.path().map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
    format!("{path}, {}", text::counted(content.len(), "byte"))
}

fn unified(old: &[u8], new: &[u8], old_name: &str, new_name: &str) -> Vec<u8> {
    let diff = TextDiff::configure().diff_lines(old, new);
    let mut unified = diff.unified_diff();
    let mut patch = Vec::new();
    unified
        .context_radius(CONTEXT)
        .header(old_name, new_name)
        .to_writer(&mut patch)
        .expect("memory can be written");
    patch
}
