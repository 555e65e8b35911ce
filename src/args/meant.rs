//! Arguments in an unusual place or form: finds their meaning, or the line to type instead.
//!
//! Ambiguous input is never interpreted: the user gets an error with a hint.

use crate::args::group::Words;
use crate::args::{definition, elsewhere};
use clap::error::ErrorKind;
use nubbin_language::Registry;
use nubbin_session::command;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::program;
use nubbin_session::text;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Arguments that only a shell understands.
const SHELL: [&str; 11] = ["|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "!"];

/// Returns the names of all commands, in the order of the help.
fn commands() -> Vec<String> {
    definition().get_subcommands().map(|one| one.get_name().to_owned()).collect()
}

/// Tells whether a word is the name of a command.
pub fn is_command(word: &OsStr) -> bool {
    commands().iter().any(|known| word == known.as_str())
}

/// Returns the name of the command at the start of these arguments.
pub fn command(words: &[OsString]) -> Option<&OsString> {
    words.first().filter(|word| is_command(word))
}

/// Moves the name of a command to the front, so that options can precede it, and turns `help COMMAND` into
/// `COMMAND --help`.
pub fn words(mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = first_argument(&words) else { return words };
    if words[at] == "help" {
        words.remove(at);
        words.push("--help".into());
        return match first_argument(&words) {
            Some(at) => {
                let word = words.remove(at);
                [vec![word], words].concat()
            }
            None => vec!["-h".into()],
        };
    }
    if is_command(&words[at]) {
        let word = words.remove(at);
        words.insert(0, word);
        let whole = definition();
        let command = whole.find_subcommand(&words[0]);
        if command.is_some_and(clap::Command::has_subcommands)
            && let Some(at) = first_argument(&words[1..])
        {
            let word = words.remove(at + 1);
            words.insert(1, word);
        }
    }
    words
}

/// Returns the failure for `help` with a word that is not a command.
pub fn no_help(words: &[OsString]) -> Option<Failure> {
    let at = first_argument(words).filter(|at| words[*at] == "help")?;
    let rest: Vec<OsString> = words[..at].iter().chain(&words[at + 1..]).cloned().collect();
    let unknown = &rest[first_argument(&rest)?];
    (!is_command(unknown)).then(|| no_command(unknown))
}

/// Returns the failure for a word that is not a command of this program.
pub fn no_command(word: &OsStr) -> Failure {
    let message = format!("there is no command `{}`", word.display());
    let hint = match misspelt(word) {
        Some(near) => format!("did you mean `nubbin {near}`?\n      `nubbin --help` lists the commands"),
        None => "`nubbin --help` lists the commands".to_owned(),
    };
    Failure::usage(message).hint(hint)
}

/// Returns the position of the first argument that is neither an option nor the value of one.
pub fn first_argument(words: &[OsString]) -> Option<usize> {
    let whole = definition();
    let all: Vec<&clap::Arg> = std::iter::once(&whole)
        .chain(whole.get_subcommands())
        .flat_map(clap::Command::get_arguments)
        .collect();
    let takes_value = |arg: &&clap::Arg| arg.get_action().takes_values() && !arg.is_require_equals_set();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !elsewhere::is_option(word) {
            return (word != "--").then_some(at);
        }
        let text = word.to_string_lossy();
        let has_value = match text.strip_prefix("--") {
            Some(long) if long.contains('=') => false,
            Some(long) => all
                .iter()
                .copied()
                .find(|arg| arg.get_long() == Some(long))
                .is_some_and(|arg| takes_value(&arg)),
            // In a cluster of short options, the first one with a value takes the rest of the word, or the next word.
            None => {
                let letters: Vec<char> = text.chars().skip(1).collect();
                let valued = letters.iter().position(|letter| {
                    all.iter()
                        .copied()
                        .find(|arg| arg.get_short() == Some(*letter))
                        .is_some_and(|arg| takes_value(&arg))
                });
                valued.is_some_and(|valued| valued + 1 == letters.len())
            }
        };
        at += 1 + usize::from(has_value);
    }
    None
}

/// Returns the failure for an argument that belongs to a command without `--` before it, or that is an option of
/// another command of this program.
pub fn refused(words: &[OsString], error: &clap::Error) -> Option<Failure> {
    let unknown = elsewhere::refused_word(error)?;
    let at = words.iter().position(|word| word.as_bytes().starts_with(unknown.as_bytes()));
    let is_foreign = |word: &OsString| elsewhere::is_option(word) && !elsewhere::knows(word);
    let is_of_line = |program: usize| match at {
        Some(at) if unknown.starts_with('-') => program < at && words[program..].iter().any(is_foreign),
        Some(at) => program <= at,
        None => false,
    };
    match line(words).filter(|(program, _)| is_of_line(*program)) {
        Some((program, line)) => Some(misplaced(&words[program], &line)),
        None if error.kind() != ErrorKind::UnknownArgument => None,
        None => elsewhere::failure(command(words), unknown),
    }
}

/// Returns the failure for a file and a command without `--`.
pub fn without_dashes(words: &[OsString]) -> Option<Failure> {
    let (program, line) = line(words)?;
    Some(misplaced(&words[program], &line))
}

fn misplaced(program: &OsStr, line: &str) -> Failure {
    let message = format!("missing `--` before the command `{}`", program.display());
    Failure::usage(message).hint(format!("the failing command follows the file and `--`:\n  {line}"))
}

/// Returns the position of a program that has no `--` before it, and the corrected command line.
fn line(words: &[OsString]) -> Option<(usize, String)> {
    let own = command(words);
    let first = usize::from(own.is_some());
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let is_command = |&at: &usize| is_line(&words[at]) && (at == first || is_there(&words[at - 1]));
    if let Some(at) = (first..words.len()).find(is_command) {
        let inner = words[at].to_str().and_then(command_words)?;
        let whole = [&words[..at], &inner, &words[at + 1..]].concat();
        return line(&whole).filter(|(program, _)| *program == at).map(|(_, line)| (at, line));
    }
    // All arguments of this command belong to the tested command.
    if own.is_some_and(|word| word == "options") {
        let is_whole = words.get(first).is_some_and(|word| is_program(word));
        return is_whole.then(|| (first, shown(&words[..first], None, &words[first..])));
    }
    let file_then_program =
        (first + 1..words.len()).find(|&at| is_there(&words[at - 1]) && is_program(&words[at]));
    if let Some(at) = file_then_program {
        let files = words[first..at].iter().rev().take_while(|word| is_there(word)).count();
        let file = (files == 1).then(|| words[at - 1].as_os_str());
        return Some((at, shown(&words[..at], file, &words[at..])));
    }
    // The command was typed as it is, without the file before it.
    let program = words.get(first).filter(|word| is_program(word) && words.len() > first + 1)?;
    let file = only_file(&words[first + 1..])?;
    let before = [&words[..first], std::slice::from_ref(file)].concat();
    Some((first, shown(&before, Some(file), &[std::slice::from_ref(program), &words[first + 1..]].concat())))
}

/// Returns the corrected command line for a command after `--` without a file before it, if the command names a file.
pub fn with_file(words: &[OsString], command: &[OsString]) -> Option<String> {
    let file = only_file(command.get(1..)?)?;
    let at = words.iter().position(|word| word == "--")?;
    let before = [&words[..at], std::slice::from_ref(file)].concat();
    Some(shown(&before, Some(file), command))
}

/// Returns the only argument that is a file.
fn only_file(words: &[OsString]) -> Option<&OsString> {
    let mut files = words.iter().filter(|word| Path::new(word).is_file());
    files.next().filter(|_| files.next().is_none())
}

/// Returns a command line of this program, with the file replaced by `{}` in the command.
fn shown(before: &[OsString], file: Option<&OsStr>, command: &[OsString]) -> String {
    let placeholder = OsString::from("{}");
    let word =
        |word: &OsString| if Some(word.as_os_str()) == file { placeholder.clone() } else { word.clone() };
    let command: Vec<OsString> = command.iter().map(word).collect();
    format!("nubbin {} -- {}", text::words(before), text::words(&command))
}

/// Tells whether a word names a directory, or a file that is not executable.
fn is_there(word: &OsStr) -> bool {
    let path = Path::new(word);
    path.is_dir() || path.is_file() && !is_executable(path)
}

/// Tells whether a word is a program (by its path or in `PATH`), and not an input.
fn is_program(word: &OsStr) -> bool {
    let is_option = word.as_bytes().starts_with(b"-");
    !is_option && !is_there(word) && program::find(word).is_some()
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Moves a script that follows its input to the front, and adds a note.
pub fn order(typed: &mut Words, notes: &mut Vec<String>) {
    let (Some(first), Some(last), true) = (&typed.first, typed.rest.last(), typed.command.is_empty()) else {
        return;
    };
    let others = std::iter::once(first).chain(&typed.rest[..typed.rest.len() - 1]);
    let are_inputs =
        others.into_iter().all(|word| word == "-" || is_there(word) && !command::is_script(Path::new(word)));
    let is_oracle = || is_executable(Path::new(last)) || command::is_script(Path::new(last)) || is_line(last);
    if !are_inputs || !is_oracle() {
        return;
    }
    let Some(oracle) = typed.rest.pop() else { return };
    let input = typed.first.replace(oracle.clone()).unwrap_or_default();
    notes
        .push(format!("using `{}` as the script; the usual order is `nubbin SCRIPT FILE`", oracle.display()));
    typed.rest.insert(0, input);
}

/// Tells whether a word is a command with arguments.
fn is_line(word: &OsStr) -> bool {
    let words = word.to_str().filter(|_| !Path::new(word).exists()).map(command_words);
    words.flatten().is_some_and(|words| words.len() > 1 && program::find(&words[0]).is_some())
}

fn command_words(text: &str) -> Option<Vec<OsString>> {
    command::words(text, "command").ok()
}

/// Splits a command that was typed as one quoted argument, see [`one_string`]. In a command without `{}`, `@@` becomes
/// `{}`, as for AFL.
///
/// # Errors
/// Returns an error if further arguments follow the quoted command, if a quote is not closed, or if a variable stands
/// before the program.
pub fn quoted(command: &mut Vec<OsString>, typed: &[OsString]) -> Result<(), Failure> {
    unquote(command, typed)?;
    if let [first, _, ..] = &command[..]
        && let Some((name, value)) = assignment(first)
        && let Some(at) = typed.iter().position(|word| word == first)
    {
        let line = [&typed[..at], &["env".into()], &typed[at..]].concat();
        return Err(Failure::usage(format!("`{name}={value}` is not a program"))
            .hint(format!("`env` sets an environment variable:\n  nubbin {}", text::words(&line))));
    }
    let holds = |part: &str| command.iter().any(|word| word.to_string_lossy().contains(part));
    if holds("@@") && !holds("{}") {
        for word in command.iter_mut() {
            if let Some(text) = word.to_str() {
                *word = text.replace("@@", "{}").into();
            }
        }
    }
    Ok(())
}

fn unquote(command: &mut Vec<OsString>, typed: &[OsString]) -> Result<(), Failure> {
    let [line, behind @ ..] = &command[..] else { return Ok(()) };
    let Some(text) = line.to_str().filter(|_| program::find(line).is_none() && !Path::new(line).exists())
    else {
        return Ok(());
    };
    let Some(words) = command_words(text) else {
        if !behind.is_empty() || !text.contains(char::is_whitespace) {
            return Ok(());
        }
        return Err(Failure::usage(format!("a quote in the command `{text}` is not closed"))
            .hint("close it, or write the command after `--` without quotes around it"));
    };
    if !behind.is_empty() && words.len() > 1 && program::find(&words[0]).is_some() {
        let before: Vec<OsString> = typed.iter().take_while(|word| *word != "--").cloned().collect();
        let own = shown(&[&before, behind].concat(), None, &words);
        let of_command = shown(&before, None, &[&words, behind].concat());
        let message = format!("unexpected `{}` after the quoted command `{text}`", text::words(behind));
        let hint = "options of nubbin come before `--`, those of the command belong to the command:";
        return Err(Failure::usage(message).hint(format!("{hint}\n  {own}\n  {of_command}")));
    }
    if behind.is_empty() && words.len() > 1 {
        *command = one_string(line, words);
    }
    Ok(())
}

/// Returns the arguments of a command that was typed as one string, and split into `words`: a command with shell syntax
/// is run by a shell, and variables before a command are set by `env`.
pub fn one_string(line: &OsStr, mut words: Vec<OsString>) -> Vec<OsString> {
    if words.iter().any(|word| SHELL.iter().any(|own| word == own) || has_operator(word)) {
        return vec!["sh".into(), "-c".into(), line.to_owned()];
    }
    if words.len() > 1 && assignment(&words[0]).is_some() {
        words.insert(0, "env".into());
    }
    words
}

/// Returns the name and the value of a word such as `NAME=VALUE`.
pub fn assignment(word: &OsStr) -> Option<(&str, &str)> {
    let (name, value) = word.to_str()?.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_ascii_digit()))
        .then_some((name, value))
}

/// Tells whether a word has shell syntax: an operator, a redirection, or a variable.
fn has_operator(word: &OsStr) -> bool {
    let bytes = word.as_bytes();
    let is_variable =
        |pair: &[u8]| pair[0] == b'$' && (pair[1].is_ascii_alphabetic() || b"({_".contains(&pair[1]));
    bytes.ends_with(b";")
        || bytes.starts_with(b"2>")
        || bytes.starts_with(b">")
        || bytes.starts_with(b"<")
        || bytes.windows(2).any(is_variable)
}

/// Returns a note for each argument of a command that looks like a source file and does not exist, or that exists only
/// in the reduced directory.
pub fn missing(command: &[OsString], inputs: &[PathBuf]) -> Vec<String> {
    let kinds: Vec<&OsStr> = inputs.iter().filter_map(|input| input.extension()).collect();
    let is_script =
        |at: usize| at == 1 && Registry::built_in().detect(Path::new(&command[at]), b"").is_some();
    let holder = |at: usize| {
        let path = Path::new(&command[at]);
        inputs.iter().find(|input| path.is_relative() && input.is_dir() && input.join(path).is_file())
    };
    let is_missing = |&at: &usize| {
        let (path, before) = (Path::new(&command[at]), command[at - 1].as_bytes());
        let is_plain =
            !before.starts_with(b"--") && before != b"-o" && !command[at].as_bytes().contains(&b'{');
        let kind = path.extension().filter(|kind| kinds.contains(kind) || is_script(at));
        is_plain && (kind.is_some() || holder(at).is_some()) && !path.exists()
    };
    let told = |at: usize| {
        if let Some(holder) = holder(at) {
            let (word, holder) = (command[at].display(), text::quote(holder.as_os_str()));
            return format!(
                "`{word}` is in `{holder}`, not in this directory, where the command runs; try: cd {holder} && nubbin . -- …"
            );
        }
        let near = command::near_file(Path::new(&command[at]))
            .map(|near| format!("; did you mean `{}`?", near.display()));
        format!("file `{}` does not exist{}", command[at].display(), near.unwrap_or_default())
    };
    (1..command.len()).filter(is_missing).map(told).collect()
}

/// Returns the failure for a program that does not exist or cannot be run. `is_script` tells whether it was typed before
/// the file.
pub fn no_program(word: &OsStr, is_script: bool) -> Option<Failure> {
    let (path, shown) = (Path::new(word), word.display());
    let failure = |message: String| Failure::message(Fault::Oracle, message);
    if path.is_file() && !is_executable(path) && command::is_script(path) {
        let target = text::quote(word);
        return Some(
            failure(format!("`{shown}` is not executable")).hint(format!("run `chmod +x {target}`")),
        );
    }
    if path.exists() || program::find(word).is_some() || word.as_bytes().contains(&b'{') {
        return None;
    }
    let near = command::near_file(path).map(|near| format!("did you mean `{}`?", near.display()));
    if word.as_bytes().contains(&b'/') {
        let what = if is_script { "script" } else { "program" };
        let other = if is_script {
            "the script is the first argument, the file to reduce the second"
        } else {
            "name the program by a path from this directory, or without a directory if it is in `PATH`"
        };
        let failure = failure(format!("the {what} `{shown}` does not exist"));
        return Some(failure.hint(near.unwrap_or_else(|| other.to_owned())));
    }
    if is_script {
        if let Some(command) = misspelt(word) {
            let message = format!("there is no command `{shown}`");
            return Some(Failure::usage(message).hint(format!("did you mean `nubbin {command}`?")));
        }
        let message = format!("`{shown}` is not a command of nubbin, and no script or program has this name");
        return Some(Failure::usage(message).hint(near.unwrap_or_else(|| {
            "`nubbin --help` lists the commands; to reduce a file, leave the word out".to_owned()
        })));
    }
    let near = near_program(word).map(|near| format!("did you mean `{near}`?")).or(near);
    Some(
        failure(format!("the program `{shown}` was not found"))
            .hint(near.unwrap_or_else(|| "install it, or check its name".to_owned())),
    )
}

/// Returns a program in `PATH` with a similar name.
fn near_program(word: &OsStr) -> Option<String> {
    let word = word.to_str()?;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let entries = std::env::split_paths(&paths).filter_map(|folder| folder.read_dir().ok()).flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let near = names.map(|name| (text::distance(word, &name), name)).min()?;
    (3 * near.0 <= word.len()).then_some(near.1)
}

/// Returns the command with the most similar name.
pub fn misspelt(word: &OsStr) -> Option<String> {
    let word = word.to_str()?;
    let commands = commands();
    let nearest = text::nearest(word, commands.iter().map(String::as_str), 1).into_iter().next()?;
    (text::distance(word, nearest) <= 2 && word.len() > 3).then(|| nearest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_command_without_dashes_gets_them() {
        let right = |words: &[&str]| line(&typed(words)).map(|(_, line)| line);
        let line = "nubbin Cargo.toml -- sh -c 'cat $0' {}".to_owned();
        assert_eq!(right(&["Cargo.toml", "sh", "-c", "cat $0", "Cargo.toml"]), Some(line.clone()));
        assert_eq!(right(&["sh", "-c", "cat $0", "Cargo.toml"]), Some(line));
        assert_eq!(
            right(&["isolate", "Cargo.toml", "Cargo.lock", "sh", "x"]).as_deref(),
            Some("nubbin isolate Cargo.toml Cargo.lock -- sh x")
        );
        for fine in
            [&["Cargo.toml", "--", "sh"][..], &["sh", "nowhere"], &["Cargo.toml", "Cargo.lock"], &["--x"]]
        {
            assert_eq!(right(fine), None, "{fine:?}");
        }
    }

    #[test]
    fn a_command_is_found_after_options() {
        let understood = |words: &[&str]| super::words(typed(words));
        assert_eq!(understood(&["help"]), typed(&["-h"]));
        assert_eq!(understood(&["help", "check"]), typed(&["check", "--help"]));
        assert_eq!(understood(&["--help", "browser"]), typed(&["browser", "--help"]));
        assert_eq!(
            understood(&["--language", "c", "debug", "tree", "x"]),
            typed(&["debug", "tree", "--language", "c", "x"])
        );
        assert_eq!(understood(&["-j2", "options", "--", "x"]), typed(&["options", "-j2", "--", "x"]));
        assert_eq!(understood(&["-q", "-j", "2", "check", "./o"]), typed(&["check", "-q", "-j", "2", "./o"]));
        assert_eq!(
            understood(&["--timeout", "5", "triage", "d", "--", "x"]),
            typed(&["triage", "--timeout", "5", "d", "--", "x"])
        );
        for same in
            [&["./check", "f"][..], &["-o", "check", "./o", "f"], &["./o", "check"], &["f", "--", "check"]]
        {
            assert_eq!(understood(same), typed(same));
        }
        assert_eq!((misspelt("chek".as_ref()), misspelt("grep".as_ref())), (Some("check".to_owned()), None));
    }

    #[test]
    fn a_quoted_command_with_shell_syntax_is_run_by_a_shell() {
        for (line, words) in [
            ("cat {} | grep x", &["sh", "-c", "cat {} | grep x"][..]),
            ("cat < {}", &["sh", "-c", "cat < {}"]),
            ("cat $HOME/x {}", &["sh", "-c", "cat $HOME/x {}"]),
            ("LC_ALL=C cat {}", &["env", "LC_ALL=C", "cat", "{}"]),
            ("cat {}", &["cat", "{}"]),
            ("cat @@", &["cat", "{}"]),
            ("grep cost$ {}", &["grep", "cost$", "{}"]),
        ] {
            let mut command = typed(&[line]);
            quoted(&mut command, &[]).expect("it is a command");
            assert_eq!(command, typed(words), "{line}");
        }
    }
}
