//! Checks a cluster before it is used: its results must equal local ones.

use super::{Remote, Spread};
use crate::failure::{Failure, Fault};
use crate::settings::Settings;
use crate::text;
use nubbin_remote::Error;
use nubbin_search::schedule::at_once;

/// The number of lines of output that are shown.
const LINES: usize = 10;
/// A status that no program has by accident.
const ODD: i32 = 7;

/// Runs a command with a known status, the unchanged input, and the empty input.
///
/// # Errors
/// Returns an error when a result is wrong.
pub(super) fn look(
    settings: &Settings,
    remote: &Remote,
    spread: &Spread,
    input: &[u8],
) -> Result<(), Failure> {
    let endpoint = &remote.address.endpoint;
    let lost = |error: Error| super::unreachable(remote, &error);
    let odd = spread.exit(ODD).map_err(lost)?;
    if odd != nubbin_oracle::Status::Exit(ODD) {
        let ending = text::ending(odd);
        let message =
            format!("`exit {ODD}` {ending} on the cluster `{endpoint}`, so its results are not reliable");
        return Err(Failure::message(Fault::Oracle, message)
            .hint("its workers cannot run `sh`: check `--remote-option platform=KEY=VALUE`, and the file systems of the workers"));
    }
    let candidates: [&[u8]; 2] = [input, b""];
    let runs = at_once(candidates.len(), |at| spread.first(candidates[at]));
    let mut runs = runs.into_iter();
    let (Some(unchanged), Some(empty)) = (runs.next(), runs.next()) else { return Ok(()) };
    let (unchanged, empty) = (unchanged.map_err(lost)?, empty.map_err(lost)?);
    if !unchanged.verdict.is_interesting() {
        let ending = text::ending(unchanged.status);
        let message = format!(
            "`{}` {ending} on the cluster `{endpoint}` and does not show the failure; nothing was changed",
            settings.test.label
        );
        let said = [&unchanged.stdout[..], &unchanged.stderr].concat();
        return Err(Failure::message(Fault::Oracle, message).details(text::last_lines(&said, LINES)).hint(
            "the workers need the same programs as this machine (`--remote-option platform=container-image=…`), its files with \
             `--needs PATH`, and its variables with `--remote-option env=NAME=VALUE`",
        ));
    }
    if empty.verdict.is_interesting() && !settings.allow_empty {
        let message =
            format!("`{}` accepts the empty input on the cluster `{endpoint}`", settings.test.label);
        return Err(Failure::message(Fault::Oracle, message)
            .hint("the command fails in the same way there for any input: run it there by hand"));
    }
    spread.settle(unchanged.elapsed);
    Ok(())
}
