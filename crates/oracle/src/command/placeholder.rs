//! Placeholders in the words of a command: `{}` for the candidate, `{1}` and the like for one of several files.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The characters that stand for the candidate's path in an argument.
pub(super) const PLACEHOLDER: &[u8] = b"{}";

/// Tells whether a word of a command holds `{}` or, where there are `several` files, `{1}` and the like.
#[must_use]
pub fn holds_placeholder(word: &OsStr, several: bool) -> bool {
    let found = (0..word.len()).filter_map(|at| placeholder(&word.as_bytes()[at..]));
    found.into_iter().any(|(_, number)| number == 0 || several)
}

/// The placeholder that some bytes begin with: its length, and the number of the file; 0 is any.
#[must_use]
pub fn placeholder(bytes: &[u8]) -> Option<(usize, usize)> {
    let rest = bytes.strip_prefix(b"{")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok()?;
    let is_number = digits == 0 || !number.starts_with('0');
    (is_number && rest.get(digits) == Some(&b'}'))
        .then(|| Some((digits + 2, if digits == 0 { 0 } else { number.parse().ok()? })))?
}

/// The word with each placeholder replaced by the path of the file that it names; where there is none of that number, it
/// stays. For `{}` it is the first one.
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
