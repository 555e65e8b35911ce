//! The units that are taken away, and the published algorithm that takes them away.

use crate::args::group::SearchOptions;
use nubbin_reduce::Unit;
use nubbin_session::classic::Classic;
use nubbin_session::failure::Failure;

/// The form of a list of units.
const LISTS: &str = "a list goes from coarse to fine, each once: `line`, `token`, `char`, `byte`";

/// Returns the units, from coarse to fine; none for the tree.
///
/// # Errors
/// Returns an error when they are in another order, or beside the tree.
pub(super) fn units(typed: &SearchOptions) -> Result<Vec<Unit>, Failure> {
    let Some(units) = typed.unit.iter().copied().collect::<Option<Vec<Unit>>>() else {
        let is_alone = typed.unit.len() == 1;
        let message = "`--unit tree` stands alone: a tree's parts are no units of a list";
        return if is_alone { Ok(Vec::new()) } else { Err(Failure::usage(message).hint(LISTS)) };
    };
    let Some(pair) = units.windows(2).find(|pair| pair[0] >= pair[1]) else { return Ok(units) };
    let [first, second] = [pair[0], pair[1]].map(Unit::name);
    let message = if first == second {
        format!("`--unit` has `{first}` twice")
    } else {
        format!("`--unit` has `{second}` after `{first}`, which is finer")
    };
    Err(Failure::usage(message).hint(LISTS))
}

/// Makes the failure that an algorithm finds something else.
pub(super) fn wrong(classic: Classic, hint: &str) -> Failure {
    let makes = match classic {
        Classic::Dd => "finds a difference between two texts",
        Classic::Ddmax => "finds a largest part that passes",
        Classic::Ddmin | Classic::Wdd | Classic::Cdd => "finds a small part that fails",
    };
    Failure::usage(format!("`--search {}` {makes}", classic.name())).hint(hint)
}

/// The hint where a largest part is looked for.
pub(super) const MAXIMIZE: &str = "`nubbin maximize ORACLE FILE` looks for that";
