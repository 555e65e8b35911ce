//! Resolves the command line of the oracle, so that it can be run in any directory.

use crate::failure::Failure;
use crate::text;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Options whose value is a file that the command writes.
const OUTPUT: [&str; 2] = ["-o", "--output"];
/// Programs whose script is a test, not part of what is tested.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "ksh", "zsh"];

/// Tuned parameters.
struct Tuning {
    /// The number of bytes examined to find the interpreter of a file.
    head_bytes: u64,
    /// The largest number of files examined to find one with a similar name.
    similar_files: usize,
}

const TUNING: Tuning = Tuning { head_bytes: 512, similar_files: 10_000 };

fn is_input(word: &OsStr, inputs: &[PathBuf]) -> bool {
    candidate(word, inputs, true).is_some()
}

/// Returns the placeholder for the path of candidate `number`, from 0, of `all` candidates.
fn placeholder(number: usize, all: usize) -> OsString {
    if all == 1 { "{}".into() } else { format!("{{{}}}", number + 1).into() }
}

/// Splits an oracle given as one argument: the path of a script, or a command with arguments, quoted as for a shell.
///
/// # Errors
/// Returns an error when quotes are unbalanced or the command is empty.
pub fn split(oracle: &OsStr) -> Result<Vec<OsString>, Failure> {
    let Some(text) = oracle.to_str().filter(|_| !Path::new(oracle).exists()) else {
        return Ok(vec![oracle.to_owned()]);
    };
    words(text, "test")
}

/// Splits a command into its arguments, quoted as for a shell. `what` names the command in messages. The result is
/// not empty.
///
/// # Errors
/// Returns an error when quotes are unbalanced or the command is empty.
pub fn words(command: &str, what: &str) -> Result<Vec<OsString>, Failure> {
    let words = shell_words::split(command)
        .map_err(|error| Failure::usage(format!("cannot parse the {what} `{command}`: {error}")))?;
    if words.is_empty() {
        return Err(Failure::usage(format!("the {what} is empty")));
    }
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Returns the arguments in a form that works in any directory. Existing files become absolute paths. An argument
/// that names an input, by its path or file name, or a file in it, becomes `{}`; with several inputs, `{1}` and so
/// on.
#[must_use]
pub fn resolve(words: &[OsString], inputs: &[PathBuf]) -> Vec<OsString> {
    let mut resolved = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        resolved.push(match at.checked_sub(1).map(|before| &words[before]) {
            None => program(word, inputs),
            // Output files are relative to each run, even if a file of that name exists here.
            Some(before) if OUTPUT.iter().any(|option| before == option) && !is_input(word, inputs) => {
                word.clone()
            }
            Some(_) if is_shell(&words[0]) => test(word, inputs),
            Some(_) => argument(word, inputs),
        });
    }
    resolved
}

/// Resolves a program. A file in this directory is preferred to a program in `PATH` if it is executable or no such
/// program exists.
fn program(word: &OsStr, inputs: &[PathBuf]) -> OsString {
    let path = Path::new(word);
    if path.components().count() > 1 || has_slash(word) {
        return candidate(word, inputs, false).unwrap_or_else(|| absolute(path));
    }
    if is_executable(path) || (path.is_file() && in_path(path).is_none()) {
        absolute(path)
    } else {
        word.to_owned()
    }
}

fn argument(word: &OsStr, inputs: &[PathBuf]) -> OsString {
    if is_in_current(word, inputs) { word.to_owned() } else { test(word, inputs) }
}

/// Resolves an argument that is the same file for all candidates, unless it is the whole input.
fn test(word: &OsStr, inputs: &[PathBuf]) -> OsString {
    let path = Path::new(word);
    if let Some(candidate) = candidate(word, inputs, true) {
        candidate
    } else if path.is_file() {
        absolute(path)
    } else {
        word.to_owned()
    }
}

/// Returns whether an argument is the path of a file in the input, if the input is the command's working directory.
fn is_in_current(word: &OsStr, inputs: &[PathBuf]) -> bool {
    let [input] = inputs else { return false };
    let path = Path::new(word);
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let (Ok(input), Ok(here), Ok(file)) = (input.canonicalize(), here, path.canonicalize()) else {
        return false;
    };
    path.is_relative() && file.is_file() && input == here && file.starts_with(&here)
}

fn is_shell(program: &OsStr) -> bool {
    let name = Path::new(program).file_name();
    name.is_some_and(|name| SHELLS.iter().any(|shell| name == *shell))
}

/// Returns the placeholder of the input that an argument names, by its path or with `by_name` by its file name, with
/// the remaining path of a file in it.
fn candidate(word: &OsStr, inputs: &[PathBuf], by_name: bool) -> Option<OsString> {
    let path = Path::new(word);
    inputs.iter().enumerate().find_map(|(number, input)| {
        let whole = placeholder(number, inputs.len());
        if word == input.as_os_str() || path == input || by_name && Some(word) == input.file_name() {
            return Some(whole);
        }
        let rest = path.strip_prefix(input).ok().filter(|_| input.is_dir())?;
        Some(Path::new(&whole).join(rest).into_os_string())
    })
}

/// Returns whether a command is a shell with a command string.
#[must_use]
pub fn is_shell_line(words: &[OsString]) -> bool {
    words.first().is_some_and(|word| is_shell(word)) && words.iter().any(|word| word == "-c")
}

fn has_slash(word: &OsStr) -> bool {
    word.as_encoded_bytes().contains(&b'/')
}

fn absolute(path: &Path) -> OsString {
    std::path::absolute(path).map_or_else(|_| path.into(), Into::into)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Returns the path of a program found in `PATH`.
#[must_use]
pub fn in_path(name: &Path) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&directories).map(|directory| directory.join(name)).find(|path| is_executable(path))
}

/// Returns the arguments that run a program. A script without `#!` is run by `sh`, as shells do.
pub fn interpreted(words: Vec<OsString>) -> Vec<OsString> {
    let path = words.first().map(Path::new).filter(|path| path.is_absolute() && is_executable(path));
    if path.is_some_and(|path| head(path).is_some_and(|head| is_plain(&head))) {
        return std::iter::once("sh".into()).chain(words).collect();
    }
    words
}

/// Returns whether a file starts with `#!`.
#[must_use]
pub fn is_script(path: &Path) -> bool {
    head(path).is_some_and(|head| head.starts_with(b"#!"))
}

fn head(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(TUNING.head_bytes).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Returns whether a file with this start is text without `#!`.
fn is_plain(head: &[u8]) -> bool {
    !head.starts_with(b"#!") && !head.contains(&0)
}

/// Returns an existing file with a name similar to a misspelt path.
pub fn near_file(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let entries = folder.read_dir().ok()?.take(TUNING.similar_files);
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let near = text::nearest(name, names.iter().map(String::as_str), 1).into_iter().next()?;
    (text::distance(name, near) <= 2 && name.len() > 3).then(|| path.with_file_name(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(words: &[&str], input: &str) -> Vec<OsString> {
        resolve(&words.iter().map(OsString::from).collect::<Vec<_>>(), &[input.into()])
    }

    #[test]
    fn several_inputs_have_numbers_and_a_directory_stands_for_what_is_in_it() {
        let words: Vec<OsString> = ["cmp", "b.c", "x/a.c", "{2}"].map(OsString::from).into();
        assert_eq!(resolve(&words, &["x/a.c".into(), "b.c".into()]), ["cmp", "{2}", "{1}", "{2}"]);
        assert_eq!(resolved(&["make", "-C", "src", "src/lib.rs"], "src"), ["make", "-C", "{}", "{}/lib.rs"]);
    }

    #[test]
    fn an_oracle_may_have_arguments() {
        let words = split(OsStr::new("grep -q 'a b' {}")).expect("well quoted");
        assert_eq!(words, ["grep", "-q", "a b", "{}"]);
        assert!(split(OsStr::new("grep 'a")).is_err());
        assert!(split(OsStr::new(" ")).is_err());
        assert_eq!(split(OsStr::new("src/lib.rs")).expect("a file"), ["src/lib.rs"]);
    }

    #[test]
    fn the_input_by_any_of_its_names_is_the_candidate() {
        assert_eq!(resolved(&["gcc", "-c", "a/bug.c"], "a/bug.c"), ["gcc", "-c", "{}"]);
        assert_eq!(resolved(&["gcc", "-c", "bug.c"], "a/bug.c"), ["gcc", "-c", "{}"]);
        assert_eq!(resolved(&["./run.py", "x"], "./run.py"), ["{}", "x"]);
        assert_eq!(resolved(&["test", "-f", "{}"], "a/test"), ["test", "-f", "{}"]);
    }

    #[test]
    fn files_of_this_directory_are_found_from_any_other() {
        let here = |name: &str| std::env::current_dir().expect("there is one").join(name).into_os_string();
        let words = resolved(&["python3", "src/lib.rs", "-I", "src", "nowhere"], "bug.c");
        assert_eq!(
            words,
            ["python3".into(), here("src/lib.rs"), "-I".into(), OsString::from("src"), "nowhere".into()]
        );
        assert_eq!(resolved(&["Cargo.toml"], "bug.c"), [here("Cargo.toml")]);
        assert_eq!(resolved(&["./missing.sh"], "bug.c"), [here("missing.sh")]);
        assert_eq!(resolved(&["gcc", "-o", "Cargo.toml"], "bug.c"), ["gcc", "-o", "Cargo.toml"]);
    }

    #[test]
    fn a_text_without_a_first_line_for_the_system_is_the_shells() {
        assert!(is_plain(b"grep x \"$1\"\n") && is_plain(b""));
        assert!(!is_plain(b"#!/bin/sh\n") && !is_plain(b"\x7fELF\x02\x01\x01\0"));
    }
}
