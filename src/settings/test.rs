//! The input and the test of a command line: an oracle and what it is run on, or a command that fails.

use super::Context;
use crate::args::group::{FailureOptions, Words};
use crate::args::meant;
use nubbin_session::failure::Failure;
use nubbin_session::language::LanguageChoice;
use nubbin_session::settings::{Serving, TestCommand};
use nubbin_session::source::{Input, candidates};
use nubbin_session::{command, differ, slow, text};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Puts the words in order: a command in quotes is taken apart, and an oracle after its input comes before it.
///
/// # Errors
/// Returns an error when only a shell could run the command.
pub(super) fn order(typed: &mut Words, context: &mut Context) -> Result<(), Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    meant::order(typed, &mut context.notes);
    Ok(())
}

/// Takes the input and the test of `ORACLE FILE…` or `FILE… -- COMMAND`. `program` is the command line up to them.
///
/// # Errors
/// Returns an error when something is missing, or is given twice.
pub(super) fn test(
    program: &str,
    typed: Words,
    failure: FailureOptions,
    language: &LanguageChoice,
    context: &mut Context,
) -> Result<(Input, TestCommand), Failure> {
    let Words { first, rest, command } = typed;
    let words: Vec<OsString> = first.into_iter().chain(rest).collect();
    if words.is_empty() {
        let line = meant::with_file(&context.words, &command);
        let line = line.unwrap_or_else(|| "nubbin FILE -- COMMAND {}".to_owned());
        return Err(Failure::usage("no file is given").hint(format!("it comes before the `--`:\n  {line}")));
    }
    if command.is_empty() {
        of_oracle(program, words, &failure, language, context)
    } else {
        of_command(words, &command, failure, language, context)
    }
}

/// Takes the input and the test of `FILE… -- COMMAND`.
fn of_command(
    words: Vec<OsString>,
    typed: &[OsString],
    failure: FailureOptions,
    language: &LanguageChoice,
    context: &mut Context,
) -> Result<(Input, TestCommand), Failure> {
    if words.len() > 1 && is_oracle(&words[0]) {
        return Err(Failure::usage("there is an oracle and a command after `--`; give one of them"));
    }
    let input = Input::all(words)?;
    let paths = candidates(&input, language);
    context.notes.extend(meant::missing(typed, &paths));
    let words = command::interpreted(command::resolve(typed, &paths));
    let (other, slower) = (failure.other().cloned(), failure.slower());
    let mut test = failing(words, typed, failure);
    if let Some(other) = other {
        let second = command::resolve(&command::split(&other)?, &paths);
        test.words = differ::words(test.words, second, paths.len() > 1);
        test.other = Some(other.to_string_lossy().into_owned());
    }
    if let Some(limit) = slower {
        test.words = slow::words(test.words);
        test.slower = Some(limit);
    }
    Ok((input, test))
}

/// Takes the input and the test of `ORACLE FILE…`.
fn of_oracle(
    program: &str,
    mut words: Vec<OsString>,
    failure: &FailureOptions,
    language: &LanguageChoice,
    context: &Context,
) -> Result<(Input, TestCommand), Failure> {
    let oracle = words.remove(0);
    let is_there = Path::new(&oracle).exists();
    if words.is_empty() {
        let quoted = if is_there { None } else { meant::without_dashes(&context.words) };
        return Err(quoted.unwrap_or_else(|| alone(program, &oracle)));
    }
    let is_input = is_there && !is_oracle(&oracle);
    if let Some(failure) = meant::without_dashes(&context.words).filter(|_| is_input) {
        return Err(failure);
    }
    failure.makes_no_sense()?;
    let input = Input::all(words)?;
    let words = command::resolve(&command::split(&oracle)?, &candidates(&input, language));
    let words = command::interpreted(words);
    let script = TestCommand::script(oracle.to_string_lossy().into_owned(), words);
    Ok((input, TestCommand { forms: failure.forms(), ..script }))
}

/// Takes the input and the test of `--server COMMAND FILE…`.
///
/// # Errors
/// Returns an error when no file is given, or there is an oracle beside the server.
pub(super) fn of_server(
    server: &str,
    typed: Words,
    failure: FailureOptions,
    language: &LanguageChoice,
) -> Result<(Input, TestCommand), Failure> {
    let Words { first, rest, command } = typed;
    let files: Vec<OsString> = first.into_iter().chain(rest).collect();
    if !command.is_empty() {
        return Err(Failure::usage("there is a server and a command after `--`; give one of them"));
    }
    if files.is_empty() {
        return Err(Failure::usage("no file is given").hint("nubbin --server COMMAND FILE"));
    }
    if let Some(name) = files.iter().find(|name| name.to_str().is_none()) {
        return Err(Failure::usage(format!(
            "`{}` is not UTF-8, so a server cannot be told of it",
            name.display()
        ))
        .hint("give the file another name"));
    }
    let typed = command::words(server, "server")?;
    let input = Input::all(files)?;
    let words = nubbin_session::serve::own(command::resolve(&typed, &candidates(&input, language)));
    let mut test = failing(command::interpreted(words), &typed, failure);
    test.serving = Serving::Own;
    Ok((input, test))
}

/// Makes the test of a command that fails.
pub(super) fn failing(words: Vec<OsString>, typed: &[OsString], failure: FailureOptions) -> TestCommand {
    TestCommand {
        label: text::words(typed),
        words,
        message: failure.message(),
        forms: failure.forms(),
        any_errors: failure.any_errors(),
        stands_alone: failure.stands_alone(),
        failure: Some(failure.matcher()),
        other: None,
        slower: None,
        serving: Serving::Known,
    }
}

/// Makes the failure that something is missing beside a word that is given alone.
fn alone(program: &str, word: &OsStr) -> Failure {
    let shown = text::quote(word);
    let message = format!("`{}` is given alone", word.display());
    let is_input = Path::new(word).exists() && !is_oracle(word) && !command::is_script(Path::new(word));
    let hint = match meant::misspelt(word) {
        _ if is_input => format!(
            "beside the file name a command that fails on it, or a script before it:\n  {program} {shown} -- COMMAND {{}}\n  {program} ./oracle.sh {shown}"
        ),
        Some(command) if !Path::new(word).exists() => format!("`nubbin {command}` is a command"),
        _ => format!(
            "beside the oracle name the file to reduce; a command that fails comes after the file:\n  {program} {shown} FILE\n  {program} FILE -- COMMAND {{}}"
        ),
    };
    Failure::usage(message).hint(hint)
}

/// Tells whether a word before the file is meant as an oracle: a file that can be executed, or none at all.
fn is_oracle(word: &OsStr) -> bool {
    let found = Path::new(word).metadata();
    found.map_or(true, |found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
