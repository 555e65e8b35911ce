//! Reports the files of a result that became empty, so that only their existence matters.

use crate::source::Input;
use crate::text;
use nubbin_archive::{Entry, Type, entries};
use nubbin_reduce::{Outcome, Proof};
use std::path::PathBuf;

const SHOWN: usize = 8;

/// Returns a note about files that the reduction left empty. Empty files of a directory are needed, because the final
/// passes try to remove each. Files named one by one are needed only because the command names them.
#[must_use]
pub fn note(input: &Input, before: &[u8], outcome: &Outcome) -> Option<String> {
    let is_folder = match input {
        Input::Folder(_) => true,
        Input::Files(_) => false,
        _ => return None,
    };
    let is_empty = |entry: &Entry| entry.kind == Type::File && entry.content.0 == entry.content.1;
    let names = |bytes: &[u8]| -> Vec<PathBuf> {
        entries(bytes).into_iter().filter(is_empty).map(|entry| entry.path).collect()
    };
    let known = if is_folder { Vec::new() } else { names(before) };
    let mut empty = names(&outcome.best);
    empty.retain(|path| !known.contains(path));
    let more = empty.len().saturating_sub(SHOWN);
    let mut list: Vec<String> = empty.iter().take(SHOWN).map(|path| text::quote(path.as_os_str())).collect();
    list.extend((more > 0).then(|| format!("{more} more")));
    if list.is_empty() {
        return None;
    }
    let list = list.join(", ");
    Some(match (is_folder, outcome.proof) {
        (true, Proof::OneMinimal { .. }) => {
            format!("empty files that the failure needs: {list}")
        }
        (true, _) => format!("empty files, possibly not needed because the run ended early: {list}"),
        (false, _) => format!("empty files, kept because the command names them: {list}"),
    })
}
