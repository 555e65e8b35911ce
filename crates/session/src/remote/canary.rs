//! The trials of a cluster before it is believed: its answers have to be those of this machine.

use super::{Remote, Spread};
use crate::failure::{Failure, Fault};
use crate::settings::Settings;
use crate::text;
use nubbin_remote::Error;
use nubbin_search::schedule::at_once;

/// The lines of output that are shown.
const LINES: usize = 10;
/// A status that no program has by accident.
const ODD: i32 = 7;

/// Runs a command with a known end, the unchanged input, and the empty one.
///
/// # Errors
/// Returns an error when one of them comes to something else than it should.
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
        let message = format!(
            "`exit {ODD}` {ending} on the cluster `{endpoint}`, so nothing that it says can be believed"
        );
        return Err(Failure::message(Fault::Oracle, message)
            .hint("its workers cannot run `sh`: look at `--remote-platform`, and at what is mounted there"));
    }
    let candidates: [&[u8]; 2] = [input, b""];
    let runs = at_once(candidates.len(), |at| spread.first(candidates[at]));
    let mut runs = runs.into_iter();
    let (Some(unchanged), Some(empty)) = (runs.next(), runs.next()) else { return Ok(()) };
    let (unchanged, empty) = (unchanged.map_err(lost)?, empty.map_err(lost)?);
    if !unchanged.verdict.is_interesting() {
        let ending = text::ending(unchanged.status);
        let message = format!(
            "`{}` {ending} on the cluster `{endpoint}`, and the failure is not there; nothing was changed",
            settings.test.label
        );
        let said = [&unchanged.stdout[..], &unchanged.stderr].concat();
        return Err(Failure::message(Fault::Oracle, message).details(text::last_lines(&said, LINES)).hint(
            "the workers need the same programs as this machine (`--remote-platform container-image=…`), its files by \
             `--needs PATH`, and its variables by `--remote-env NAME=VALUE`",
        ));
    }
    if empty.verdict.is_interesting() && !settings.allow_empty {
        let message = format!(
            "`{}` finds the empty input interesting on the cluster `{endpoint}`",
            settings.test.label
        );
        return Err(Failure::message(Fault::Oracle, message)
            .hint("something there fails in the same way whatever the input is: run it there by hand"));
    }
    spread.settle(unchanged.elapsed);
    Ok(())
}
