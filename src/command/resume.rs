//! Runs `nubbin --resume` without other words: it continues the latest run of this directory.

use crate::args::Args;
use crate::settings::{self, Asked};
use crate::show::Shown;
use nubbin_session::failure::Failure;
use nubbin_session::language::Choice;
use nubbin_session::settings::Settings;
use nubbin_session::{Helpers, journal};

/// The options that may be given with it, since they change neither verdicts nor steps.
const FREE: [&str; 12] = [
    "resume",
    "jobs",
    "timeout",
    "quiet",
    "verbose",
    "max_time",
    "max_probes",
    "stop_at",
    "events",
    "report",
    "bug_report",
    "summary",
];

/// Returns the settings of the latest unfinished run of this directory, or of the latest run if all are finished.
///
/// # Errors
/// Returns an error if there is no run, or if another option or word was given.
pub fn latest(mut args: Args, helpers: Helpers) -> Result<(Settings, Shown), Failure> {
    if let Some(other) = args.given.iter().find(|given| !FREE.contains(&given.as_str())) {
        let option = format!("--{}", other.replace('_', "-"));
        return Err(Failure::usage(format!(
            "`{option}` is given with `--resume` alone, without an oracle and a file"
        )));
    }
    let latest = journal::latest()?;
    let words = latest.words.clone();
    let mut earlier = Args::parsed(words).map_err(|error| Failure::usage(error.to_string()))?;
    earlier.control.bound_by(&mut args.control);
    earlier.records.replace_by(args.records, &args.given);
    earlier.ui = args.ui.or(earlier.ui);
    earlier.jobs = args.jobs.or(earlier.jobs);
    earlier.timeout = args.timeout.or(earlier.timeout);
    if args.quiet || args.verbose {
        (earlier.quiet, earlier.verbose) = (args.quiet, args.verbose);
    }
    let language = Choice::new(earlier.language.take(), earlier.grammar.take())?;
    let Asked { mut settings, shown, .. } = settings::resolve(earlier, language, helpers)?;
    latest.resume(&mut settings)?;
    Ok((settings, shown))
}
