//! Quotes arguments and commands for a script.
//!
//! The meaning is the same as that of the functions in `text`, but in a form that shellcheck accepts: no `$` in
//! single quotes.

use crate::text;
use std::ffi::OsStr;

/// Stands for the candidate's path in a command.
const PATH: &str = "{}";

/// Quotes an argument for a shell. Characters that a shell would expand are escaped in double quotes, so that
/// checkers of scripts see the intention.
pub fn word(word: &str) -> String {
    if !word.contains(['$', '`', '‘', '’', '“', '”']) {
        return text::quote(OsStr::new(word));
    }
    let mut quoted = String::from("\"");
    for c in word.chars() {
        if matches!(c, '$' | '`' | '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted + "\""
}

/// Returns a command with `"$1"` for the candidate's path. It is appended if no argument contains a placeholder,
/// unless `is_found`.
pub fn command(words: &[&str], is_found: bool) -> String {
    let mut all: Vec<String> = words.iter().map(|word| around(word)).collect();
    if !is_found && !words.iter().any(|word| word.contains(PATH)) {
        all.push(around(PATH));
    }
    all.join(" ")
}

/// Replaces each placeholder of an argument by the path.
fn around(text: &str) -> String {
    let between = |part: &str| if part.is_empty() { String::new() } else { word(part) };
    if !text.contains(PATH) {
        return word(text);
    }
    text.split(PATH).map(between).collect::<Vec<_>>().join("\"$1\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_back_as_it_is() {
        assert_eq!(word("gcc"), "gcc");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word(r#"it's "a" $HOME \ `b`"#), r#""it's \"a\" \$HOME \\ \`b\`""#);
    }

    #[test]
    fn a_command_has_the_path_where_it_belongs_or_at_its_end() {
        assert_eq!(command(&["gcc", "-O2"], false), r#"gcc -O2 "$1""#);
        assert_eq!(command(&["make", "-k"], true), "make -k");
        assert_eq!(command(&["sh", "-c", "cc {} -o $X", "a"], false), r#"sh -c 'cc '"$1"" -o \$X" a"#);
    }
}
