//! Runs `nubbin --resume` without other words: it continues the latest run of this directory.

use crate::args::{Request, Resume};
use crate::settings::{self, Asked, Context};
use nubbin_session::failure::Failure;
use nubbin_session::journal;

/// Returns the settings of the latest unfinished run of this directory, or of the latest run if all are finished.
///
/// # Errors
/// Returns an error when there is none, or it has no place for what was typed now.
pub fn latest(now: Resume, context: Context) -> Result<Asked, Failure> {
    let latest = journal::latest()?;
    let words = latest.words.clone();
    let mut earlier = Request::of_run(&words, &context.words)?;
    now.replace(&mut earlier);
    let mut asked = settings::resolve(earlier, Context { words, ..context })?;
    latest.resume(&mut asked.settings)?;
    Ok(asked)
}
