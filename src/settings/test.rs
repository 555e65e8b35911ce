//! Resolves the input and the test: a script with its files, or a failing command.

use super::Context;
use crate::args::group::{FailureOptions, Words};
use crate::args::meant;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::language::LanguageChoice;
use nubbin_session::settings::{Serving, TestCommand};
use nubbin_session::source::{Input, candidates};
use nubbin_session::{command, differ, slow, text};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Normalizes the arguments: splits a quoted command, and moves a script before its files.
///
/// # Errors
/// Returns an error if arguments follow a quoted command.
pub(super) fn order(typed: &mut Words, context: &mut Context) -> Result<(), Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    meant::order(typed, &mut context.notes);
    Ok(())
}

/// Resolves `SCRIPT FILE…` or `FILE… -- COMMAND`. `program` is the command line before them.
///
/// # Errors
/// Returns an error if an argument is missing, or if both forms are mixed.
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
        let line = line.unwrap_or_else(|| format!("{program} FILE -- COMMAND {{}}"));
        return Err(
            Failure::usage("the file is missing").hint(format!("the file comes before `--`:\n  {line}"))
        );
    }
    if command.is_empty() {
        of_oracle(program, words, &failure, language, context)
    } else {
        of_command(words, &command, failure, language, context)
    }
}

/// Resolves `FILE… -- COMMAND`.
fn of_command(
    words: Vec<OsString>,
    typed: &[OsString],
    failure: FailureOptions,
    language: &LanguageChoice,
    context: &mut Context,
) -> Result<(Input, TestCommand), Failure> {
    if words.len() > 1 && is_oracle(&words[0]) {
        let (script, files) = (text::quote(&words[0]), text::words(&words[1..]));
        let line = format!("nubbin {files} -- {}", text::words(typed));
        if !Path::new(&words[0]).exists() {
            return Err(meant::no_command(&words[0]).hint(match meant::misspelt(&words[0]) {
                Some(command) => format!("did you mean `nubbin {command}`?"),
                None => format!("to reduce a file, no command is needed:\n  {line}"),
            }));
        }
        return Err(Failure::usage("a script and a command after `--` exclude each other")
            .hint(format!("leave out one of the two:\n  nubbin {script} {files}\n  {line}")));
    }
    let input = Input::all(words)?;
    if let Some(failure) = meant::no_program(&typed[0], false) {
        return Err(match input {
            Input::Folder(folder) if folder.join(&typed[0]).is_file() => {
                let (program, folder) = (typed[0].display(), text::quote(folder.as_os_str()));
                failure.hint(format!(
                    "it is in `{folder}`; run the command there:\n  cd {folder} && nubbin . -- {program} …"
                ))
            }
            _ => failure,
        });
    }
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

/// Resolves `SCRIPT FILE…`.
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
    failure.makes_no_sense(&oracle)?;
    let split = command::split(&oracle)?;
    let split = if is_there { split } else { meant::one_string(&oracle, split) };
    if let Some(failure) = meant::no_program(&split[0], true) {
        return Err(failure);
    }
    let input = Input::all(words)?;
    let words = command::resolve(&split, &candidates(&input, language));
    let words = command::interpreted(words);
    let script = TestCommand::script(oracle.to_string_lossy().into_owned(), words);
    Ok((input, TestCommand { forms: failure.forms(), ..script }))
}

/// Resolves `--server COMMAND FILE…`.
///
/// # Errors
/// Returns an error if the file is missing, or if there is a command as well.
pub(super) fn of_server(
    server: &str,
    typed: Words,
    failure: FailureOptions,
    language: &LanguageChoice,
) -> Result<(Input, TestCommand), Failure> {
    let Words { first, rest, command } = typed;
    let files: Vec<OsString> = first.into_iter().chain(rest).collect();
    if !command.is_empty() {
        return Err(Failure::usage("`--server` and a command after `--` exclude each other"));
    }
    if files.is_empty() {
        return Err(Failure::usage("the file is missing").hint("nubbin --server COMMAND FILE"));
    }
    if let Some(name) = files.iter().find(|name| name.to_str().is_none()) {
        return Err(Failure::usage(format!(
            "`{}` is not UTF-8, which the server protocol requires",
            name.display()
        ))
        .hint("rename the file"));
    }
    let typed = command::words(server, "server")?;
    let input = Input::all(files)?;
    let words = nubbin_session::serve::own(command::resolve(&typed, &candidates(&input, language)));
    let mut test = failing(command::interpreted(words), &typed, failure);
    test.serving = Serving::Own;
    Ok((input, test))
}

/// Refuses an empty file.
///
/// # Errors
/// Returns an error that names the file.
pub(super) fn has_content(input: &Input) -> Result<(), Failure> {
    let Input::File(path) = input else { return Ok(()) };
    if path.metadata().is_ok_and(|found| found.is_file() && found.len() == 0) {
        let message = format!("`{}` is empty, so there is nothing to reduce", path.display());
        return Err(Failure::message(Fault::Input, message).hint("name a file that makes the test fail"));
    }
    Ok(())
}

/// Returns the test for a failing command.
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

/// Returns the failure for a single argument, which lacks a test or a file.
fn alone(program: &str, word: &OsStr) -> Failure {
    let shown = text::quote(word);
    let (exists, has_path) = (Path::new(word).exists(), Path::new(word).components().count() > 1);
    let is_input = exists && !is_oracle(word) && !command::is_script(Path::new(word));
    let hint = match meant::misspelt(word) {
        _ if is_input => format!(
            "add a command that fails on it, or a script before it:\n  {program} {shown} -- COMMAND {{}}\n  {program} ./oracle.sh {shown}"
        ),
        Some(command) if !exists && !has_path => {
            let message = format!("there is no command `{}`", word.display());
            return Failure::usage(message).hint(format!("did you mean `nubbin {command}`?"));
        }
        _ if !exists => {
            let typed = word.to_string_lossy();
            if typed.contains(" -- ") {
                return Failure::usage(format!("`{typed}` is not a file"))
                    .hint(format!("write it without the quotes:\n  {program} {typed}"));
            }
            let near = command::near_file(Path::new(word));
            let message = format!("`{typed}` is neither a command of nubbin nor a file");
            return Failure::usage(message).hint(near.map_or_else(
                || "`nubbin --help` lists the commands".to_owned(),
                |near| format!("did you mean `{}`?", near.display()),
            ));
        }
        _ => format!(
            "add the file to reduce; a failing command follows the file:\n  {program} {shown} FILE\n  {program} FILE -- COMMAND {{}}"
        ),
    };
    let message = if is_input {
        format!("no command or script given for `{}`", word.display())
    } else {
        format!("no file given for the script `{}`", word.display())
    };
    Failure::usage(message).hint(hint)
}

/// Tells whether an argument before the file is a script: an executable file, or no file.
fn is_oracle(word: &OsStr) -> bool {
    let found = Path::new(word).metadata();
    found.map_or(true, |found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
