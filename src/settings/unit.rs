//! Resolves units and published algorithms.

use crate::args::group::SearchOptions;
use nubbin_reduce::Unit;
use nubbin_session::classic::Classic;
use nubbin_session::failure::Failure;

/// The hint for a list of units.
const LISTS: &str = "order the units from coarse to fine, each once: `line`, `token`, `char`, `byte`";

/// Returns the units, from coarse to fine, or none for the syntax tree.
///
/// # Errors
/// Returns an error if they are in another order, or combined with `tree`.
pub(super) fn units(typed: &SearchOptions) -> Result<Vec<Unit>, Failure> {
    let Some(units) = typed.unit.iter().copied().collect::<Option<Vec<Unit>>>() else {
        let is_alone = typed.unit.len() == 1;
        let message = "`--unit tree` cannot be combined with other units";
        return if is_alone { Ok(Vec::new()) } else { Err(Failure::usage(message).hint(LISTS)) };
    };
    let Some(pair) = units.windows(2).find(|pair| pair[0] >= pair[1]) else { return Ok(units) };
    let [first, second] = [pair[0], pair[1]].map(Unit::name);
    let message = if first == second {
        format!("`--unit` lists `{first}` twice")
    } else {
        format!("`--unit` lists `{second}` after the finer `{first}`")
    };
    Err(Failure::usage(message).hint(LISTS))
}

/// Returns the failure for an algorithm that solves another problem.
pub(super) fn wrong(classic: Classic, hint: &str) -> Failure {
    let makes = match classic {
        Classic::Dd => "finds a difference between two files",
        Classic::Ddmax => "finds the largest part that passes",
        Classic::Ddmin | Classic::Wdd | Classic::Cdd => "finds a small part that fails",
    };
    Failure::usage(format!("`--search {}` {makes}", classic.name())).hint(hint)
}

/// The hint for `ddmax`.
pub(super) const MAXIMIZE: &str = "use `nubbin maximize SCRIPT FILE`";
