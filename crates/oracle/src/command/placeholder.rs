//! Placeholders in the arguments of a command: `{}` for the candidate, `{1}` etc. for one of several files.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The placeholder for the path of the candidate.
pub(super) const PLACEHOLDER: &[u8] = b"{}";

/// Returns whether an argument contains `{}` or, if there are `several` files, `{1}` etc.
#[must_use]
pub fn holds_placeholder(word: &OsStr, several: bool) -> bool {
    let found = (0..word.len()).filter_map(|at| placeholder(&word.as_bytes()[at..]));
    found.into_iter().any(|(_, number)| number == 0 || several)
}

/// Parses a placeholder at the beginning of `bytes`. Returns its length and the number of its file; 0 means
/// `{}`.
#[must_use]
pub fn placeholder(bytes: &[u8]) -> Option<(usize, usize)> {
    let rest = bytes.strip_prefix(b"{")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok()?;
    let is_number = digits == 0 || !number.starts_with('0');
    (is_number && rest.get(digits) == Some(&b'}'))
        .then(|| Some((digits + 2, if digits == 0 { 0 } else { number.parse().ok()? })))?
}

/// Replaces each placeholder in an argument by the path of its file; `{}` is the first file. A placeholder
/// whose number is too large is kept.
pub(super) fn fill(word: &OsStr, paths: &[PathBuf]) -> OsString {
    let (mut filled, mut rest) = (Vec::new(), word.as_bytes());
    while let Some(&first) = rest.first() {
        let found = placeholder(rest)
            .filter(|&(_, number)| number == 0 || paths.len() > 1)
            .and_then(|(length, number)| Some((length, paths.get(number.saturating_sub(1))?)));
        if let Some((length, path)) = found {
            filled.extend_from_slice(path.as_os_str().as_bytes());
            rest = &rest[length..];
        } else {
            filled.push(first);
            rest = &rest[1..];
        }
    }
    OsString::from_vec(filled)
}
